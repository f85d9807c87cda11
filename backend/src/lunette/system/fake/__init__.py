"""FakeSystem: an in-memory machine for tests and for development without root. The only fake of the project."""

from lunette.system.fake.block import FakeDisk, Partition
from lunette.system.fake.faults import Call, Crash, Hang, When
from lunette.system.fake.machine import FakeSystem
from lunette.system.fake.media import FakeSignature, Media

__all__ = ["Call", "Crash", "FakeDisk", "FakeSignature", "FakeSystem", "Hang", "Media", "Partition", "When"]
