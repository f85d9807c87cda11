"""Steps on volumes, on snapshots of them, and on the groups and thin pools they are cut from."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from lunette.domain.base import Model
from lunette.domain.border import ArrayUuid, BackingName, DmName, GroupName, Id, SnapshotName
from lunette.domain.sizes import format_size
from lunette.domain.steps.base import Step
from lunette.domain.steps.md import MemberDisk
from lunette.domain.units import counted
from lunette.domain.volumes import Provisioning, VolumeEngine


class GroupStep(Step):
    """`disk` is the device of an external array. The physical volume on it then carries the UUID of the array, which is
    the only mark on the device."""

    array_id: Id
    array_uuid: ArrayUuid = Field(alias="md_uuid")
    group: GroupName
    disk: MemberDisk | None = None
    mapping: DmName | None = None
    """For an encrypted array: the name of the opened device below the group."""
    raid_group: GroupName | None = None
    """For an array of LVM RAID: the group over its disks, whose RAID volume is below this group."""

    def devices(self) -> tuple[str, ...]:
        return (self.disk.disk_id,) if self.disk else ()


class GroupCreate(GroupStep):
    """Creates the LVM volume group of an array. Undo removes it while it is empty and carries our tag."""

    kind: Literal["group.create"] = "group.create"
    extent_bytes: int

    def describe(self) -> str:
        return f"create volume group {self.group}" + (f" on disk {self.disk.disk_id}" if self.disk else "")


class GroupRemove(GroupStep):
    """Removes an empty volume group that carries our tag. Undo creates it again."""

    kind: Literal["group.remove"] = "group.remove"
    extent_bytes: int

    def describe(self) -> str:
        return f"remove volume group {self.group}" + (f" from disk {self.disk.disk_id}" if self.disk else "")


class GroupGrow(Step):
    """Extends the volume group over an array that has grown to `size_bytes`. Refused before the kernel shows it."""

    irreversible: ClassVar[bool] = True
    kind: Literal["group.grow"] = "group.grow"
    array_id: Id
    array_uuid: ArrayUuid = Field(alias="md_uuid")
    group: GroupName
    size_bytes: int
    mapping: DmName | None = None

    def describe(self) -> str:
        return f"extend volume group {self.group} to all {format_size(self.size_bytes)} of its array"


class AdoptedVolume(Model):
    volume_id: Id
    backing_name: BackingName = Field(alias="lv_name")


class GroupAdopt(Step):
    """Marks a volume group of another system as ours, and those of its volumes that are adopted.

    Writes only LVM tags, while hosts use the volumes. Undo removes the marks.
    """

    kind: Literal["group.adopt"] = "group.adopt"
    array_id: Id
    array_uuid: ArrayUuid = Field(alias="md_uuid")
    group: GroupName
    group_uuid: Id
    """LVM's own UUID, so that another group of this name is not mistaken for it."""
    is_new: bool
    """The group itself is adopted with them; otherwise it is ours already."""
    was_listed: bool = True
    """LVM's devices file contained the array before, so undo leaves it there."""
    volumes: tuple[AdoptedVolume, ...]

    def describe(self) -> str:
        count = counted(len(self.volumes), "volume")
        return (
            f"mark volume group {self.group} and {count} in it as Lunette's"
            if self.is_new
            else (f"mark {count} in volume group {self.group} as Lunette's")
        )


class GroupRelease(Step):
    """Removes Lunette's marks from a volume group and everything in it, and the sealed copy. Undo restores the marks;
    the copy is then written again automatically.

    Only LVM's tags are changed: each tag of Lunette becomes one with the same content that belongs to no appliance.
    """

    kind: Literal["group.release"] = "group.release"
    array_id: Id
    array_uuid: ArrayUuid = Field(alias="md_uuid")
    group: GroupName
    stops: bool
    """True if its array is stopped next, so its volumes are taken down. False: other programs may continue to use
    theirs.
    """

    def describe(self) -> str:
        return f"remove Lunette's marks from volume group {self.group} and its volumes: their data is retained"


class KeptSnapshot(Model):
    """The name of a deleted snapshot."""

    snapshot_id: Id
    aside_name: SnapshotName


class KeptVolume(Model):
    """A retained deleted volume, with its deleted snapshots."""

    volume_id: Id
    aside_name: BackingName
    size_bytes: int
    snapshots: tuple[KeptSnapshot, ...] = ()


class GroupErase(GroupStep):
    """Removes a volume group with Lunette's tag, with its retained deleted volumes, but with no others."""

    irreversible: ClassVar[bool] = True
    kind: Literal["group.erase"] = "group.erase"
    kept: tuple[KeptVolume, ...]

    def describe(self) -> str:
        count = counted(len(self.kept), "deleted volume")
        return f"remove volume group {self.group} with the {count} retained in it: their data is lost"

    def bytes_destroyed(self) -> int:
        return sum(volume.size_bytes for volume in self.kept)


class VolumeCut(Step):
    """Creates a volume, marked as fresh until sealed. A thick one on LVM is wiped where an earlier volume may have
    left signatures; a thin one and a zvol read as zeros, or as their source.

    Undo removes it only while it is still fresh: a sealed volume may hold a host's data.
    """

    kind: Literal["volume.cut"] = "volume.cut"
    volume_id: Id
    group: GroupName
    backing_name: BackingName = Field(alias="lv_name")
    size_bytes: int
    engine: VolumeEngine
    provisioning: Provisioning = Provisioning.THICK
    """Thin: it reserves no space, and allocates blocks as hosts write."""
    pool: BackingName | None = None
    """The thin pool that these blocks are from, if the engine has such pools (LVM); None: without a pool, or thick.

    Those of a thin zvol are from its ZFS pool, which is its `group`.
    """
    source: SnapshotName | None = None
    """The snapshot in the same pool of which it is a clone."""

    def describe(self) -> str:
        if self.source:
            return f"clone volume {self.backing_name} ({format_size(self.size_bytes)}) from snapshot {self.source}"
        origin = f"{self.group}, thin" if self.provisioning is Provisioning.THIN else self.group
        return f"create volume {self.backing_name} ({format_size(self.size_bytes)}) in {origin}"


class SealedVolume(Model):
    volume_id: Id
    backing_name: BackingName = Field(alias="lv_name")


class VolumesSeal(Step):
    """Removes the fresh mark: from now on no step wipes or undoes these volumes. Undo marks them as fresh again."""

    kind: Literal["volumes.seal"] = "volumes.seal"
    group: GroupName
    volumes: tuple[SealedVolume, ...]
    engine: VolumeEngine

    @classmethod
    def of(cls, cuts: Sequence[VolumeCut]) -> "VolumesSeal":
        """All volumes of one group at once, so that after a failed creation the others can still be undone."""
        sealed = tuple(SealedVolume(volume_id=cut.volume_id, backing_name=cut.backing_name) for cut in cuts)
        return cls(group=cuts[0].group, volumes=sealed, engine=cuts[0].engine)

    def describe(self) -> str:
        return f"finalize {counted(len(self.volumes), 'volume')} in {self.group}"


class ExportsGone(Step):
    """Waits until none of the volumes is exported or open. Fails, without changes, when the deadline passes."""

    kind: Literal["exports.gone"] = "exports.gone"
    volume_ids: tuple[Id, ...]
    deadline_s: float

    def describe(self) -> str:
        return (
            f"wait until {len(self.volume_ids)} export{'s are' if len(self.volume_ids) != 1 else ' is'} removed and "
            "idle"
        )


class VolumeDelete(Step):
    """Removes one volume that carries this volume's mark and is not open."""

    irreversible: ClassVar[bool] = True
    kind: Literal["volume.delete"] = "volume.delete"
    volume_id: Id
    group: GroupName
    backing_name: BackingName = Field(alias="lv_name")
    size_bytes: int
    engine: VolumeEngine

    def describe(self) -> str:
        return f"delete volume {self.backing_name} ({format_size(self.size_bytes)}) from {self.group}: its data is lost"

    def bytes_destroyed(self) -> int:
        return self.size_bytes


class VolumeAside(Step):
    """A volume between its place and that of a deleted one, identified by its mark under either name."""

    volume_id: Id
    group: GroupName
    backing_name: BackingName = Field(alias="lv_name")
    aside_name: BackingName
    size_bytes: int
    engine: VolumeEngine

    def names(self) -> tuple[str, str]:
        """The names in its place, and retained."""
        return self.backing_name, self.aside_name


class VolumeSetAside(VolumeAside):
    """Retains a deleted volume: renamed, without a device, its data unchanged. Undo restores it."""

    kind: Literal["volume.set_aside"] = "volume.set_aside"
    keep_hours: int
    held_bytes: int
    """Its space in the group while it is retained."""

    def describe(self) -> str:
        volume = f"volume {self.backing_name} ({format_size(self.size_bytes)}) in {self.group}"
        if not self.keep_hours:
            return f"set {volume} aside, to erase it with its array"
        return f"retain deleted {volume} as {self.aside_name} for {self.keep_hours} hours"


class VolumeBringBack(VolumeAside):
    """Restores a deleted volume to its place, with its device. Undo retains it as a deleted one again."""

    kind: Literal["volume.bring_back"] = "volume.bring_back"

    def describe(self) -> str:
        return f"recover volume {self.backing_name} ({format_size(self.size_bytes)}) in {self.group}"


class VolumeGrow(Step):
    """Grows one volume while it is in use. It has no undo: hosts may have seen the new size immediately."""

    irreversible: ClassVar[bool] = True
    kind: Literal["volume.grow"] = "volume.grow"
    volume_id: Id
    group: GroupName
    backing_name: BackingName = Field(alias="lv_name")
    from_bytes: int
    size_bytes: int
    """New size of the volume in bytes."""
    pool: BackingName | None = None
    """The thin pool that its blocks are from; None: it is thick, or the engine has no such pools."""
    engine: VolumeEngine

    def describe(self) -> str:
        sizes = f"from {format_size(self.from_bytes)} to {format_size(self.size_bytes)}"
        return f"grow volume {self.backing_name} in {self.group} {sizes}"


class ThinPoolCreate(Step):
    """Creates the thin pool of a volume group. Undo removes it while it is empty and carries this ID."""

    kind: Literal["thin_pool.create"] = "thin_pool.create"
    pool_id: Id
    group: GroupName
    name: BackingName
    data_bytes: int
    metadata_bytes: int
    """Allocated twice: LVM reserves the same size for repairs of the pool."""
    chunk_bytes: int

    def describe(self) -> str:
        chunk = format_size(self.chunk_bytes)
        return f"create thin pool {self.name} ({format_size(self.data_bytes)}, chunk {chunk}) in {self.group}"


class ThinPoolGrow(Step):
    """Grows a thin pool, in data or metadata, to these sizes. It has no undo: hosts may fill it immediately."""

    irreversible: ClassVar[bool] = True
    kind: Literal["thin_pool.grow"] = "thin_pool.grow"
    group: GroupName
    name: BackingName
    data_bytes: int
    metadata_bytes: int

    def describe(self) -> str:
        sizes = f"{format_size(self.data_bytes)} of data and {format_size(self.metadata_bytes)} of metadata"
        return f"grow thin pool {self.name} in {self.group} to {sizes}"


class ThinPoolRemove(Step):
    """Removes the thin pool, so that its space is free for other volumes; does nothing if it is in use again."""

    irreversible: ClassVar[bool] = True
    kind: Literal["thin_pool.remove"] = "thin_pool.remove"
    group: GroupName
    name: BackingName

    def describe(self) -> str:
        return f"remove the empty thin pool {self.name} from {self.group}"
