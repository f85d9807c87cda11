"""Steps on ZFS pools."""

from typing import ClassVar, Literal

from lunette.domain.array_changes import ScrubAction
from lunette.domain.arrays import Level
from lunette.domain.base import Model
from lunette.domain.sizes import format_size
from lunette.domain.steps.base import Step
from lunette.domain.steps.md import MdMember
from lunette.domain.steps.volumes import KeptVolume


class PoolCreate(Step):
    """Creates one ZFS pool of blank disks. Undo destroys it while it holds no volume, and clears only its own labels.

    The name is the plan's, so labels of it are recognised before the pool has its final `guid`.
    """

    kind: Literal["pool.create"] = "pool.create"
    array_id: str
    guid: str
    """A 64-bit number in decimal."""
    pool: str
    level: Level
    ashift: int
    """The sector size ZFS uses, as a power of two."""
    members: tuple[MdMember, ...]

    def describe(self) -> str:
        return f"create ZFS pool {self.pool}: {self.level.value} of {len(self.members)} disks, ashift {self.ashift}"

    def devices(self) -> tuple[str, ...]:
        return tuple(m.disk_id for m in self.members)


class PoolDestroy(Step):
    """Destroys the pool, with the deleted volumes that were kept in it, and clears the labels that carry its name and
    guid."""

    irreversible: ClassVar[bool] = True
    kind: Literal["pool.destroy"] = "pool.destroy"
    array_id: str
    guid: str
    pool: str
    size_bytes: int
    members: tuple[MdMember, ...]
    kept: tuple[KeptVolume, ...] = ()

    def describe(self) -> str:
        return f"destroy ZFS pool {self.pool} ({format_size(self.size_bytes)}) on {len(self.members)} disks"

    def devices(self) -> tuple[str, ...]:
        return tuple(m.disk_id for m in self.members)

    def bytes_destroyed(self) -> int:
        return self.size_bytes


class PoolStep(Model):
    """Which pool a step changes."""

    array_id: str
    guid: str
    pool: str


class PoolReplace(PoolStep, Step):
    """Fills the blank disk `new` in the place of `old`, which is used until then if it works. Undo stops it."""

    kind: Literal["pool.replace"] = "pool.replace"
    old: MdMember
    new: MdMember
    disk_bytes: int
    """The least the new disk must hold."""

    def describe(self) -> str:
        return f"fill disk {self.new.disk_id} in the place of disk {self.old.disk_id} of ZFS pool {self.pool}"

    def devices(self) -> tuple[str, ...]:
        return (self.old.disk_id, self.new.disk_id)


class PoolRelease(PoolStep, Step):
    """Clears what a pool left on a disk that was replaced. Refused while the pool uses it; nothing if it is gone."""

    irreversible: ClassVar[bool] = True
    kind: Literal["pool.release"] = "pool.release"
    member: MdMember

    def describe(self) -> str:
        return f"let go of disk {self.member.disk_id} of ZFS pool {self.pool}"

    def devices(self) -> tuple[str, ...]:
        return (self.member.disk_id,)


class PoolScrub(PoolStep, Step):
    """Starts or stops a scrub. Undo stops one that runs."""

    kind: Literal["pool.scrub"] = "pool.scrub"
    action: ScrubAction

    def describe(self) -> str:
        return f"{'stop' if self.action is ScrubAction.STOP else 'start'} a scrub of ZFS pool {self.pool}"
