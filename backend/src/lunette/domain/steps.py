"""Steps are data (DESIGN R3, R4): each carries every choice, so running it twice can only recognise its own work."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from lunette.domain.array_changes import ScrubAction
from lunette.domain.arrays import Level, WriteHole
from lunette.domain.base import Model
from lunette.domain.disks import Signature
from lunette.domain.sizes import format_size
from lunette.domain.volumes import Provisioning, VolumeEngine


class Step(Model):
    """Base of all steps. An irreversible step has no undo and is named as such in the plan."""

    irreversible: ClassVar[bool] = False

    def describe(self) -> str:
        """The step as a person reads it in the plan."""
        raise NotImplementedError

    def devices(self) -> tuple[str, ...]:
        """The devices it touches."""
        return ()

    def bytes_destroyed(self) -> int:
        """How much data is gone for good once it ran."""
        return 0


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

    def describe(self) -> str:
        chunk = f", chunk {format_size(self.chunk_bytes)}" if self.chunk_bytes else ""
        spares = f" and {len(self.spares)} spare{'s' if len(self.spares) != 1 else ''}" if self.spares else ""
        disks = f"{len(self.members)} disks{spares}"
        return f"create md {self.level.value} of {disks}{chunk}, write hole: {self.write_hole.value}"

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


class MdScrub(MdStep, Step):
    """Starts or stops a scrub. Undo stops one that runs."""

    kind: Literal["md.scrub"] = "md.scrub"
    action: ScrubAction

    def describe(self) -> str:
        if self.action is ScrubAction.STOP:
            return f"stop the scrub of md array {self.md_name}"
        return f"start a scrub of md array {self.md_name} ({self.action.value})"


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
    """Destroys the pool and clears the labels that carry its name and guid."""

    irreversible: ClassVar[bool] = True
    kind: Literal["pool.destroy"] = "pool.destroy"
    array_id: str
    guid: str
    pool: str
    size_bytes: int
    members: tuple[MdMember, ...]

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


class GroupCreate(Step):
    """Makes the LVM volume group of an array. Undo removes it while it is empty and carries our tag."""

    kind: Literal["group.create"] = "group.create"
    array_id: str
    md_uuid: str
    group: str
    extent_bytes: int

    def describe(self) -> str:
        return f"create volume group {self.group}"


class GroupRemove(Step):
    """Removes an empty volume group that carries our tag. Undo makes it again."""

    kind: Literal["group.remove"] = "group.remove"
    array_id: str
    md_uuid: str
    group: str
    extent_bytes: int

    def describe(self) -> str:
        return f"remove volume group {self.group}"


class VolumeCut(Step):
    """Cuts one volume, marked as fresh until it is sealed; on LVM it wipes what an earlier volume left in its head.

    Undo removes it only while it is still fresh: a sealed volume may hold a host's data.
    """

    kind: Literal["volume.cut"] = "volume.cut"
    volume_id: str
    group: str
    lv_name: str
    size_bytes: int
    engine: VolumeEngine = VolumeEngine.LVM
    provisioning: Provisioning = Provisioning.THICK
    """Thin only where the engine can: the volume then reserves no space."""

    def describe(self) -> str:
        return f"cut volume {self.lv_name} ({format_size(self.size_bytes)}) from {self.group}"


class SealedVolume(Model):
    volume_id: str
    lv_name: str


class VolumesSeal(Step):
    """Takes the fresh mark off: from here on no step wipes or undoes these volumes. Undo marks them fresh again."""

    kind: Literal["volumes.seal"] = "volumes.seal"
    group: str
    volumes: tuple[SealedVolume, ...]
    engine: VolumeEngine = VolumeEngine.LVM

    def describe(self) -> str:
        return f"seal {len(self.volumes)} volume{'s' if len(self.volumes) != 1 else ''} in {self.group}"


class ExportsGone(Step):
    """Waits until none of the volumes is exported or open. Fails, changing nothing, when the deadline passes."""

    kind: Literal["exports.gone"] = "exports.gone"
    volume_ids: tuple[str, ...]
    deadline_s: float

    def describe(self) -> str:
        return (
            f"wait until {len(self.volume_ids)} export{'s are' if len(self.volume_ids) != 1 else ' is'} gone and idle"
        )


class VolumeDelete(Step):
    """Removes one volume that carries this volume's mark and is not open."""

    irreversible: ClassVar[bool] = True
    kind: Literal["volume.delete"] = "volume.delete"
    volume_id: str
    group: str
    lv_name: str
    size_bytes: int
    engine: VolumeEngine = VolumeEngine.LVM

    def describe(self) -> str:
        return f"delete volume {self.lv_name} ({format_size(self.size_bytes)}) from {self.group}: its data is lost"

    def bytes_destroyed(self) -> int:
        return self.size_bytes


AnyStep = Annotated[
    DiskWipe
    | MdCreate
    | MdDestroy
    | MdAdd
    | MdReplace
    | MdFail
    | MdRemove
    | MdScrub
    | PoolCreate
    | PoolDestroy
    | PoolReplace
    | PoolRelease
    | PoolScrub
    | GroupCreate
    | GroupRemove
    | VolumeCut
    | VolumesSeal
    | ExportsGone
    | VolumeDelete,
    Field(discriminator="kind"),
]
"""The closed set of steps the agent runs."""
