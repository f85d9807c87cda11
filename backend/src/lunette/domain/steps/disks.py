"""Steps on single disks."""

from typing import ClassVar, Literal

from lunette.domain.border import DiskId, Id, Serial
from lunette.domain.disk_health import EraseMethod
from lunette.domain.disks import Signature
from lunette.domain.sizes import format_size
from lunette.domain.steps.base import Step

_HOW = {
    EraseMethod.FORMAT: "with Format NVM",
    EraseMethod.CRYPTO: "with Format NVM and a new encryption key",
    EraseMethod.SANITIZE_BLOCK: "with Sanitize (block erase)",
    EraseMethod.SANITIZE_CRYPTO: "with Sanitize (crypto erase)",
}


class DiskWipe(Step):
    """Removes the named signatures from one disk. Refuses if the disk's serial or signatures have changed."""

    irreversible: ClassVar[bool] = True
    kind: Literal["disk.wipe"] = "disk.wipe"
    disk_id: DiskId
    serial: Serial
    size_bytes: int
    signatures: tuple[Signature, ...]

    def describe(self) -> str:
        found = ", ".join(s.type for s in self.signatures) or "partition table"
        return f"wipe {found} from disk {self.disk_id} ({format_size(self.size_bytes)}): its data is lost"

    def devices(self) -> tuple[str, ...]:
        return (self.disk_id,)

    def bytes_destroyed(self) -> int:
        return self.size_bytes


class DiskLocate(Step):
    """Switches the locate light of a disk's bay. Refuses if the disk's serial has changed."""

    kind: Literal["disk.locate"] = "disk.locate"
    disk_id: DiskId
    serial: Serial
    is_on: bool
    was_on: bool

    def describe(self) -> str:
        return f"switch the locate light of disk {self.disk_id} {'on' if self.is_on else 'off'}"


class DiskErase(Step):
    """Makes a drive erase itself. `erase_id` is recorded once that is done, so that it is not repeated.

    Refuses like DiskWipe, and if the drive would erase more than this namespace.
    """

    irreversible: ClassVar[bool] = True
    kind: Literal["disk.erase"] = "disk.erase"
    erase_id: Id
    disk_id: DiskId
    serial: Serial
    size_bytes: int
    signatures: tuple[Signature, ...]
    method: EraseMethod

    def describe(self) -> str:
        how = _HOW[self.method]
        return f"erase disk {self.disk_id} {how} ({format_size(self.size_bytes)}): all its data is lost"

    def devices(self) -> tuple[str, ...]:
        return (self.disk_id,)

    def bytes_destroyed(self) -> int:
        return self.size_bytes
