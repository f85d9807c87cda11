"""Steps on single disks."""

from typing import ClassVar, Literal

from lunette.domain.disks import Signature
from lunette.domain.sizes import format_size
from lunette.domain.steps.base import Step


class DiskWipe(Step):
    """Removes the named signatures from one disk. Refuses if the disk's serial or its signatures are others now."""

    irreversible: ClassVar[bool] = True
    kind: Literal["disk.wipe"] = "disk.wipe"
    disk_id: str
    serial: str
    size_bytes: int
    signatures: tuple[Signature, ...]

    def describe(self) -> str:
        found = ", ".join(s.type for s in self.signatures) or "partition table"
        return f"wipe {found} from disk {self.disk_id} ({format_size(self.size_bytes)}): its data is lost"

    def devices(self) -> tuple[str, ...]:
        return (self.disk_id,)

    def bytes_destroyed(self) -> int:
        return self.size_bytes
