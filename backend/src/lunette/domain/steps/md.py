"""Steps on md arrays."""

from typing import ClassVar, Literal

from lunette.domain.array_changes import ScrubAction
from lunette.domain.arrays import Level, Raid10Layout, WriteHole
from lunette.domain.base import Model
from lunette.domain.border import ArrayUuid, DiskId, Id, MdName, Serial
from lunette.domain.sizes import format_size
from lunette.domain.steps.base import Step
from lunette.domain.units import counted


class MemberDisk(Model):
    disk_id: DiskId
    serial: Serial


class MdCreate(Step):
    """Creates one md array from blank disks. Undo stops it and clears only superblocks that carry this UUID."""

    kind: Literal["md.create"] = "md.create"
    array_id: Id
    uuid: ArrayUuid
    """md's form: 32 hex digits."""
    md_name: MdName
    level: Level
    chunk_bytes: int | None
    write_hole: WriteHole
    member_bytes: int
    members: tuple[MemberDisk, ...]
    spares: tuple[MemberDisk, ...] = ()
    layout: Raid10Layout | None = None

    def describe(self) -> str:
        layout = f" ({self.layout.value})" if self.layout else ""
        chunk = f", chunk {format_size(self.chunk_bytes)}" if self.chunk_bytes else ""
        spares = f" and {counted(len(self.spares), 'spare')}" if self.spares else ""
        disks = f"{len(self.members)} disks{spares}"
        return f"create md {self.level.value}{layout} of {disks}{chunk}, write hole: {self.write_hole.value}"

    def devices(self) -> tuple[str, ...]:
        return tuple(m.disk_id for m in (*self.members, *self.spares))


class MdDestroy(Step):
    """Stops the array and clears the superblocks that carry its UUID."""

    irreversible: ClassVar[bool] = True
    kind: Literal["md.destroy"] = "md.destroy"
    array_id: Id
    uuid: ArrayUuid
    md_name: MdName
    size_bytes: int
    members: tuple[MemberDisk, ...]

    def describe(self) -> str:
        return f"destroy md array {self.md_name} ({format_size(self.size_bytes)}) on {len(self.members)} disks"

    def devices(self) -> tuple[str, ...]:
        return tuple(m.disk_id for m in self.members)

    def bytes_destroyed(self) -> int:
        return self.size_bytes


class MdStep(Model):
    """Which array a step changes: `uuid` in md's form, `md_name` for messages."""

    array_id: Id
    uuid: ArrayUuid
    md_name: MdName


class MdStart(Step):
    """Starts a stopped array of another system read-only. Undo stops it while
    it is read-only.

    `md_name` is md's own, with the home host: another array with this UUID is not touched.
    """

    kind: Literal["md.start"] = "md.start"
    uuid: ArrayUuid
    md_name: MdName
    disk_ids: tuple[DiskId, ...]

    def describe(self) -> str:
        return f"start md array {self.md_name} read-only"

    def devices(self) -> tuple[str, ...]:
        return self.disk_ids


class MdOpen(Step):
    """Makes an array writable that was started read-only. Undo makes it read-only again, unless it is in use."""

    kind: Literal["md.open"] = "md.open"
    uuid: ArrayUuid
    md_name: MdName

    def describe(self) -> str:
        return f"make md array {self.md_name} writable"


class MdRelease(Step):
    """Removes Lunette's mark from the superblocks of an unused array, and leaves it stopped. Undo restores the mark."""

    kind: Literal["md.release"] = "md.release"
    array_id: Id
    uuid: ArrayUuid
    md_name: MdName
    members: tuple[MemberDisk, ...]
    """All its disks, spares included: each must be present."""

    def describe(self) -> str:
        return f"remove Lunette's mark from md array {self.md_name} and leave it stopped"

    def devices(self) -> tuple[str, ...]:
        return tuple(member.disk_id for member in self.members)


class MdAdd(MdStep, Step):
    """Adds one blank disk; it fills a free slot immediately, or becomes a spare. Undo removes it and clears its
    superblock.

    `returns`: the disk was a member before. md copies only what changed meanwhile if its bitmap still knows, else
    everything.
    """

    kind: Literal["md.add"] = "md.add"
    member: MemberDisk
    disk_bytes: int
    """The required capacity of the disk."""
    returns: bool = False

    def describe(self) -> str:
        if self.returns:
            return f"re-add disk {self.member.disk_id} to md array {self.md_name}"
        return f"add disk {self.member.disk_id} to md array {self.md_name}"

    def devices(self) -> tuple[str, ...]:
        return (self.member.disk_id,)


class MdReplace(MdStep, Step):
    """Fills the blank disk `new` while `old` still works, so that no redundancy is lost. Undo stops that."""

    kind: Literal["md.replace"] = "md.replace"
    old: MemberDisk
    new: MemberDisk
    disk_bytes: int

    def describe(self) -> str:
        return f"copy disk {self.old.disk_id} of md array {self.md_name} to disk {self.new.disk_id} and replace it"

    def devices(self) -> tuple[str, ...]:
        return (self.old.disk_id, self.new.disk_id)


class MdFail(MdStep, Step):
    """Marks a member as faulty. Refused if the array could not work without it."""

    irreversible: ClassVar[bool] = True
    kind: Literal["md.fail"] = "md.fail"
    member: MemberDisk

    def describe(self) -> str:
        return f"mark disk {self.member.disk_id} of md array {self.md_name} as failed: its data is no longer used"

    def devices(self) -> tuple[str, ...]:
        return (self.member.disk_id,)


class MdRemove(MdStep, Step):
    """Removes a spare, a faulty disk or a missing one, and clears its superblock if it is present."""

    irreversible: ClassVar[bool] = True
    kind: Literal["md.remove"] = "md.remove"
    member: MemberDisk

    def describe(self) -> str:
        return f"remove disk {self.member.disk_id} from md array {self.md_name}"

    def devices(self) -> tuple[str, ...]:
        return (self.member.disk_id,)


class MdSpareOut(MdStep, Step):
    """Removes a spare from a healthy array, for another one. Undo returns it.

    `disk_bytes`: the minimum capacity to return.
    """

    kind: Literal["md.spare_out"] = "md.spare_out"
    member: MemberDisk
    disk_bytes: int

    def describe(self) -> str:
        return f"remove spare {self.member.disk_id} from md array {self.md_name}"

    def devices(self) -> tuple[str, ...]:
        return (self.member.disk_id,)


class MdWriteHole(MdStep, Step):
    """Changes the protection against the write hole, which md does not retain in a reshape. Undo restores `was`."""

    kind: Literal["md.write_hole"] = "md.write_hole"
    policy: WriteHole
    was: WriteHole

    def describe(self) -> str:
        if self.policy is WriteHole.PPL:
            return f"restore the partial parity log of md array {self.md_name}: its write hole is closed again"
        if self.policy is WriteHole.BITMAP:
            return (
                f"use a write-intent bitmap for md array {self.md_name} instead of its partial parity log: from then "
                "on the write hole is open, and a power cut followed by the loss of a disk can damage blocks that were "
                "not being written"
            )
        return (
            f"remove the partial parity log from md array {self.md_name}: until it is restored the write hole is open, "
            "and a power cut followed by the loss of a disk can damage blocks that were not being written"
        )


class MdReshape(MdStep, Step):
    """Makes spares members. The kernel reshapes the data while hosts use it, and continues automatically after a
    restart; this step only starts that. It never needs a backup file: an array without the space for that is refused.
    """

    irreversible: ClassVar[bool] = True
    kind: Literal["md.reshape"] = "md.reshape"
    from_disks: int
    to_disks: int

    def describe(self) -> str:
        return f"start expanding md array {self.md_name} from {self.from_disks} to {self.to_disks} disks"


class MdRelevel(MdStep, Step):
    """Converts a raid5 to a raid6. Nothing of it moves: the spare gets the second parity, and the others stay
    unchanged, so that it is as redundant as before from the first moment on.
    """

    irreversible: ClassVar[bool] = True
    kind: Literal["md.relevel"] = "md.relevel"
    from_level: Level
    to_level: Level
    from_disks: int

    def describe(self) -> str:
        return (
            f"convert md array {self.md_name} to {self.to_level.value} with {self.from_disks + 1} disks: the second "
            "parity is written to the new disk"
        )


class MdForceStart(MdStep, Step):
    """Starts an array that md keeps stopped as dirty degraded, from `members` as they are.

    Missing data is computed from the others, also where a write was in progress: there it can be wrong.
    """

    irreversible: ClassVar[bool] = True
    kind: Literal["md.force_start"] = "md.force_start"
    members: tuple[MemberDisk, ...]
    of_disks: int

    def describe(self) -> str:
        return (
            f"start md array {self.md_name} from {len(self.members)} of its {self.of_disks} disks, although it was "
            "being written to when it stopped: blocks of the missing disk can be wrong, even where no host was writing"
        )

    def devices(self) -> tuple[str, ...]:
        return tuple(member.disk_id for member in self.members)


class MdScrub(MdStep, Step):
    """Starts or stops a scrub. Undo stops a running one."""

    kind: Literal["md.scrub"] = "md.scrub"
    action: ScrubAction

    def describe(self) -> str:
        if self.action is ScrubAction.STOP:
            return f"stop the scrub of md array {self.md_name}"
        return f"start a scrub of md array {self.md_name} ({self.action.value})"
