"""Steps on arrays of LVM RAID: a volume group over all their disks, with one RAID volume on it."""

from typing import ClassVar, Literal, Self

from pydantic import model_validator

from lunette.domain.array_changes import ScrubAction
from lunette.domain.arrays import Level
from lunette.domain.base import Model
from lunette.domain.border import ArrayUuid, GroupName, Id
from lunette.domain.sizes import format_size
from lunette.domain.steps.base import Step, check_pairs
from lunette.domain.steps.md import MemberDisk


class LvmRaidStep(Model):
    """Which array a step changes: `uuid` is in the UUID of every physical volume of it, `raid_group` its own group."""

    array_id: Id
    uuid: ArrayUuid
    raid_group: GroupName


class LvmRaidCreate(LvmRaidStep, Step):
    """Creates the group and its RAID volume from blank disks. Undo removes them while nothing is on the volume, and
    clears only physical volumes of this array."""

    kind: Literal["lvmraid.create"] = "lvmraid.create"
    level: Level
    size_bytes: int
    """Of the RAID volume, a whole number of extents in each image."""
    extent_bytes: int
    chunk_bytes: int | None
    """Stripe unit; None for raid1."""
    integrity: bool
    """dm-integrity under each image, with a journal."""
    disk_bytes: int
    """Required capacity of each disk."""
    members: tuple[MemberDisk, ...]

    @model_validator(mode="after")
    def _of_pairs(self) -> Self:
        check_pairs(self.level, len(self.members))
        return self

    def describe(self) -> str:
        chunk = f", chunk {format_size(self.chunk_bytes)}" if self.chunk_bytes else ""
        checked = ", with checksums" if self.integrity else ""
        return f"create LVM {self.level.value} {self.raid_group} of {len(self.members)} disks{chunk}{checked}"

    def devices(self) -> tuple[str, ...]:
        return tuple(member.disk_id for member in self.members)


class LvmRaidDestroy(LvmRaidStep, Step):
    """Removes the RAID volume and its group, and clears the physical volumes of this array."""

    irreversible: ClassVar[bool] = True
    kind: Literal["lvmraid.destroy"] = "lvmraid.destroy"
    size_bytes: int
    members: tuple[MemberDisk, ...]

    def describe(self) -> str:
        return f"destroy LVM RAID {self.raid_group} ({format_size(self.size_bytes)}) on {len(self.members)} disks"

    def devices(self) -> tuple[str, ...]:
        return tuple(member.disk_id for member in self.members)

    def bytes_destroyed(self) -> int:
        return self.size_bytes


class LvmRaidReplace(LvmRaidStep, Step):
    """Replaces `old` by the blank disk `new`; the old copy is dropped immediately; the kernel then fills the new
    one.
    """

    irreversible: ClassVar[bool] = True
    kind: Literal["lvmraid.replace"] = "lvmraid.replace"
    old: MemberDisk
    new: MemberDisk
    disk_bytes: int

    def describe(self) -> str:
        return f"replace disk {self.old.disk_id} with disk {self.new.disk_id} in LVM RAID {self.raid_group}"

    def devices(self) -> tuple[str, ...]:
        return (self.old.disk_id, self.new.disk_id)


class LvmRaidScrub(LvmRaidStep, Step):
    """Starts or stops a scrub. Undo stops a running one."""

    kind: Literal["lvmraid.scrub"] = "lvmraid.scrub"
    action: ScrubAction

    def describe(self) -> str:
        if self.action is ScrubAction.STOP:
            return f"stop the scrub of LVM RAID {self.raid_group}"
        return f"start a scrub of LVM RAID {self.raid_group} ({self.action.value})"
