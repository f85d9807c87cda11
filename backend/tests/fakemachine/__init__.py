"""FakeSystem: an in-memory machine for tests and for development without root. The only fake of the project."""

from backend.tests.fakemachine.block.devices import FakeDisk, Partition
from backend.tests.fakemachine.block.media import FakeSignature, Media
from backend.tests.fakemachine.faults import Call, Crash, Hang, When
from backend.tests.fakemachine.machine import FakeSystem

__all__ = ["Call", "Crash", "FakeDisk", "FakeSignature", "FakeSystem", "Hang", "Media", "Partition", "When"]
