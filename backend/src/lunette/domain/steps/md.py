"""Steps on md arrays."""

from typing import ClassVar, Literal

from lunette.domain.array_changes import ScrubAction
from lunette.domain.arrays import Level, Raid10Layout, WriteHole
from lunette.domain.base import Model
from lunette.domain.sizes import format_size
from lunette.domain.steps.base import Step


class MdMember(Model):
    disk_id: str
    serial: str


class MdCreate(Step):
    """Creates one md array of blank disks. Undo stops it and clears only superblocks that carry this UUID."""

    kind: Literal["md.create"] = "md.create"
    array_id: str
    uuid: str
    """md's form: 32 hex digits."""
    md_name: str
    level: Level
    chunk_bytes: int | None
    write_hole: WriteHole
    member_bytes: int
    members: tuple[MdMember, ...]
    spares: tuple[MdMember, ...] = ()
    layout: Raid10Layout | None = None

    def describe(self) -> str:
        layout = f" ({self.layout.value})" if self.layout else ""
        chunk = f", chunk {format_size(self.chunk_bytes)}" if self.chunk_bytes else ""
        spares = f" and {len(self.spares)} spare{'s' if len(self.spares) != 1 else ''}" if self.spares else ""
        disks = f"{len(self.members)} disks{spares}"
        return f"create md {self.level.value}{layout} of {disks}{chunk}, write hole: {self.write_hole.value}"

    def devices(self) -> tuple[str, ...]:
        return tuple(m.disk_id for m in (*self.members, *self.spares))


class MdDestroy(Step):
    """Stops the array and clears the superblocks that carry its UUID."""

    irreversible: ClassVar[bool] = True
    kind: Literal["md.destroy"] = "md.destroy"
    array_id: str
    uuid: str
    md_name: str
    size_bytes: int
    members: tuple[MdMember, ...]

    def describe(self) -> str:
        return f"destroy md array {self.md_name} ({format_size(self.size_bytes)}) on {len(self.members)} disks"

    def devices(self) -> tuple[str, ...]:
        return tuple(m.disk_id for m in self.members)

    def bytes_destroyed(self) -> int:
        return self.size_bytes


class MdStep(Model):
    """Which array a step changes: `uuid` in md's form, `md_name` for people."""

    array_id: str
    uuid: str
    md_name: str


class MdAdd(MdStep, Step):
    """Adds one blank disk; it fills a free slot at once, or stands by. Undo takes it out and clears its superblock.

    `returns`: the disk was a member before. md copies only what changed meanwhile if its bitmap still knows, else all.
    """

    kind: Literal["md.add"] = "md.add"
    member: MdMember
    disk_bytes: int
    """The least the disk must hold."""
    returns: bool = False

    def describe(self) -> str:
        if self.returns:
            return f"take disk {self.member.disk_id} back into md array {self.md_name}"
        return f"add disk {self.member.disk_id} to md array {self.md_name}"

    def devices(self) -> tuple[str, ...]:
        return (self.member.disk_id,)


class MdReplace(MdStep, Step):
    """Fills the blank disk `new` while `old` still works, so that no redundancy is lost. Undo stops that."""

    kind: Literal["md.replace"] = "md.replace"
    old: MdMember
    new: MdMember
    disk_bytes: int

    def describe(self) -> str:
        return f"copy disk {self.old.disk_id} of md array {self.md_name} to disk {self.new.disk_id} and put it in place"

    def devices(self) -> tuple[str, ...]:
        return (self.old.disk_id, self.new.disk_id)


class MdFail(MdStep, Step):
    """Tells md that a member is bad. Refused where the array could not work without it."""

    irreversible: ClassVar[bool] = True
    kind: Literal["md.fail"] = "md.fail"
    member: MdMember

    def describe(self) -> str:
        return f"fail disk {self.member.disk_id} of md array {self.md_name}: its copy of the data is given up"

    def devices(self) -> tuple[str, ...]:
        return (self.member.disk_id,)


class MdRemove(MdStep, Step):
    """Lets go of a spare, a faulty disk or one that is gone, and clears its superblock if it is there."""

    irreversible: ClassVar[bool] = True
    kind: Literal["md.remove"] = "md.remove"
    member: MdMember

    def describe(self) -> str:
        return f"remove disk {self.member.disk_id} from md array {self.md_name}"

    def devices(self) -> tuple[str, ...]:
        return (self.member.disk_id,)


class MdWriteHole(MdStep, Step):
    """Changes how the write hole is treated, which md refuses to keep through a reshape. Undo sets what `was`."""

    kind: Literal["md.write_hole"] = "md.write_hole"
    policy: WriteHole
    was: WriteHole

    def describe(self) -> str:
        if self.policy is WriteHole.PPL:
            return f"put the partial parity log of md array {self.md_name} back: its write hole is closed again"
        return (
            f"take the partial parity log off md array {self.md_name}: until it is back the write hole is open, and a "
            "power cut followed by the loss of a disk can damage blocks that were not being written"
        )


class MdReshape(MdStep, Step):
    """Makes spares into members. The kernel lays the data out anew while hosts use it, and after a restart goes on by
    itself; this step only starts that. It never needs a backup file: an array without the room for that is refused.
    """

    irreversible: ClassVar[bool] = True
    kind: Literal["md.reshape"] = "md.reshape"
    from_disks: int
    to_disks: int

    def describe(self) -> str:
        return f"start the growth of md array {self.md_name} from {self.from_disks} to {self.to_disks} disks"


class MdScrub(MdStep, Step):
    """Starts or stops a scrub. Undo stops one that runs."""

    kind: Literal["md.scrub"] = "md.scrub"
    action: ScrubAction

    def describe(self) -> str:
        if self.action is ScrubAction.STOP:
            return f"stop the scrub of md array {self.md_name}"
        return f"start a scrub of md array {self.md_name} ({self.action.value})"
