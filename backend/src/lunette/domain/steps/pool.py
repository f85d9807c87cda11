"""Steps on ZFS pools."""

from typing import ClassVar, Literal, Self

from pydantic import model_validator

from lunette.domain.array_changes import ScrubAction
from lunette.domain.arrays import Level, MemberRole
from lunette.domain.base import Model
from lunette.domain.border import ArrayUuid, DiskId, DraidLayout, GroupName, Id
from lunette.domain.sizes import format_size
from lunette.domain.steps.base import Step, check_pairs
from lunette.domain.steps.md import MemberDisk
from lunette.domain.steps.volumes import KeptVolume


class PoolCreate(Step):
    """Creates one ZFS pool from blank disks. Undo destroys it while it holds no volume, and clears only its own labels.

    The plan chose the name, so its labels are recognized before the pool has its final `guid`.
    """

    kind: Literal["pool.create"] = "pool.create"
    array_id: Id
    guid: ArrayUuid
    """A 64-bit number in decimal."""
    pool: GroupName
    level: Level
    ashift: int
    """The sector size ZFS uses, as a power of two."""
    layout: DraidLayout | None = None
    """Of a draid, in the notation of zpool: draid2:4d:11c:1s."""
    members: tuple[MemberDisk, ...]
    """Its data disks."""
    spares: tuple[MemberDisk, ...] = ()
    log: tuple[MemberDisk, ...] = ()
    cache: tuple[MemberDisk, ...] = ()
    special: tuple[MemberDisk, ...] = ()

    @model_validator(mode="after")
    def _of_pairs(self) -> Self:
        check_pairs(self.level, len(self.members))
        return self

    def by_role(self) -> dict[MemberRole, tuple[MemberDisk, ...]]:
        return {
            MemberRole.DATA: self.members,
            MemberRole.SPARE: self.spares,
            MemberRole.LOG: self.log,
            MemberRole.CACHE: self.cache,
            MemberRole.SPECIAL: self.special,
        }

    def everyone(self) -> tuple[MemberDisk, ...]:
        """The disks of every role."""
        return tuple(member for members in self.by_role().values() for member in members)

    def describe(self) -> str:
        beside = [
            f"{role.value} of {len(members)}"
            for role, members in self.by_role().items()
            if members and role is not MemberRole.DATA
        ]
        words = f", {', '.join(beside)}" if beside else ""
        what = f"{self.layout or self.level.value} of {len(self.members)} disks{words}"
        return f"create ZFS pool {self.pool}: {what}, ashift {self.ashift}"

    def devices(self) -> tuple[str, ...]:
        return tuple(m.disk_id for m in self.everyone())


class PoolDestroy(Step):
    """Destroys the pool, with its retained deleted volumes, and clears the labels with its name and GUID."""

    irreversible: ClassVar[bool] = True
    kind: Literal["pool.destroy"] = "pool.destroy"
    array_id: Id
    guid: ArrayUuid
    pool: GroupName
    size_bytes: int
    members: tuple[MemberDisk, ...]
    """The disks of every role."""
    kept: tuple[KeptVolume, ...] = ()

    def describe(self) -> str:
        return f"destroy ZFS pool {self.pool} ({format_size(self.size_bytes)}) on {len(self.members)} disks"

    def devices(self) -> tuple[str, ...]:
        return tuple(m.disk_id for m in self.members)

    def bytes_destroyed(self) -> int:
        return self.size_bytes


class PoolStep(Model):
    """Which pool a step changes."""

    array_id: Id
    guid: ArrayUuid
    pool: GroupName


class PoolAdding(PoolStep):
    """Blank disks for a role: added to the mirror of the disk `beside`, or as separate vdevs."""

    role: MemberRole
    members: tuple[MemberDisk, ...]
    beside: MemberDisk | None = None
    disk_bytes: int = 0
    """The required capacity of each."""

    def describe(self) -> str:
        ids = ", ".join(member.disk_id for member in self.members)
        to = f" as a mirror of disk {self.beside.disk_id}" if self.beside else ""
        return f"add {self.role.value} disk{'s' if len(self.members) > 1 else ''} {ids} to ZFS pool {self.pool}{to}"

    def devices(self) -> tuple[str, ...]:
        return tuple(member.disk_id for member in self.members)


class PoolAdd(PoolAdding, Step):
    """Adds disks that can be removed again. Undo removes them and makes them blank."""

    kind: Literal["pool.add"] = "pool.add"


class PoolAddSpecial(PoolAdding, Step):
    """Adds the first special disks: they cannot be removed from a pool with raidz (spa_vdev_remove_top_check)."""

    irreversible: ClassVar[bool] = True
    kind: Literal["pool.add_special"] = "pool.add_special"


class PoolTakeOut(PoolStep, Step):
    """Removes a disk from the pool and clears its label: a log, cache or spare disk, whose content is not needed.

    A data disk only once it is lost and a spare `stays` permanently in its place.
    """

    irreversible: ClassVar[bool] = True
    kind: Literal["pool.take_out"] = "pool.take_out"
    role: MemberRole
    member: MemberDisk
    stays: MemberDisk | None = None

    def describe(self) -> str:
        return f"remove {self.role.value} disk {self.member.disk_id} from ZFS pool {self.pool}"

    def devices(self) -> tuple[str, ...]:
        return (self.member.disk_id,)


class PoolReplace(PoolStep, Step):
    """Resilvers the blank disk `new` in the place of `old`, which is used until then if it works. Undo stops that."""

    kind: Literal["pool.replace"] = "pool.replace"
    old: MemberDisk
    new: MemberDisk
    disk_bytes: int
    """The required capacity of the new disk."""

    def describe(self) -> str:
        return f"replace disk {self.old.disk_id} with disk {self.new.disk_id} in ZFS pool {self.pool}"

    def devices(self) -> tuple[str, ...]:
        return (self.old.disk_id, self.new.disk_id)


class PoolRelease(PoolStep, Step):
    """Clears the labels of a pool from a replaced disk. Refused while the pool uses it; nothing if it is missing."""

    irreversible: ClassVar[bool] = True
    kind: Literal["pool.release"] = "pool.release"
    member: MemberDisk

    def describe(self) -> str:
        return f"clear disk {self.member.disk_id}, which ZFS pool {self.pool} no longer uses"

    def devices(self) -> tuple[str, ...]:
        return (self.member.disk_id,)


class PoolSpare(PoolStep):
    """A spare by its name: a disk's ID, or zpool's name for a distributed one, which is not a disk (`spare` is
    None).
    """

    spare: MemberDisk | None
    name: DiskId

    def devices(self) -> tuple[str, ...]:
        return (self.spare.disk_id,) if self.spare else ()


class PoolSpareIn(PoolSpare, Step):
    """Resilvers a spare in the place of a lost disk. Undo makes it available again."""

    kind: Literal["pool.spare_in"] = "pool.spare_in"
    old: MemberDisk

    def describe(self) -> str:
        return f"replace disk {self.old.disk_id} with spare {self.name} in ZFS pool {self.pool}"


class PoolSpareBack(PoolSpare, Step):
    """Makes a spare available again, once the disk that it replaced is back."""

    irreversible: ClassVar[bool] = True
    kind: Literal["pool.spare_back"] = "pool.spare_back"

    def describe(self) -> str:
        return f"return spare {self.name} of ZFS pool {self.pool} to standby"


class PoolScrub(PoolStep, Step):
    """Starts or stops a scrub. Undo stops a running one."""

    kind: Literal["pool.scrub"] = "pool.scrub"
    action: ScrubAction

    def describe(self) -> str:
        return f"{'stop' if self.action is ScrubAction.STOP else 'start'} a scrub of ZFS pool {self.pool}"
