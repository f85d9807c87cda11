"""Steps on volume groups, volumes, thin pools and snapshots."""

from typing import ClassVar, Literal

from lunette.domain.base import Model
from lunette.domain.sizes import format_size
from lunette.domain.steps.base import Step


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
    """Cuts one logical volume, marked as fresh until it is sealed. A thick one is wiped where an earlier volume may
    have left what systems recognise; a thin one reads as zeros, or as its source.

    Undo removes it only while it is still fresh: a sealed volume may hold a host's data.
    """

    kind: Literal["volume.cut"] = "volume.cut"
    volume_id: str
    group: str
    lv_name: str
    size_bytes: int
    pool: str | None = None
    """The thin pool it takes its blocks from; None: it is thick."""
    source: str | None = None
    """The snapshot in the same pool that it begins as a copy of."""

    def describe(self) -> str:
        if self.source:
            return f"clone volume {self.lv_name} ({format_size(self.size_bytes)}) from snapshot {self.source}"
        origin = f"{self.group}, thin" if self.pool else self.group
        return f"cut volume {self.lv_name} ({format_size(self.size_bytes)}) from {origin}"


class SealedVolume(Model):
    volume_id: str
    lv_name: str


class VolumesSeal(Step):
    """Takes the fresh mark off: from here on no step wipes or undoes these volumes. Undo marks them fresh again."""

    kind: Literal["volumes.seal"] = "volumes.seal"
    group: str
    volumes: tuple[SealedVolume, ...]

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
    """Removes one logical volume that carries this volume's tag and is not open."""

    irreversible: ClassVar[bool] = True
    kind: Literal["volume.delete"] = "volume.delete"
    volume_id: str
    group: str
    lv_name: str
    size_bytes: int

    def describe(self) -> str:
        return f"delete volume {self.lv_name} ({format_size(self.size_bytes)}) from {self.group}: its data is lost"

    def bytes_destroyed(self) -> int:
        return self.size_bytes


class VolumeGrow(Step):
    """Makes one logical volume larger while it is in use. It has no undo: hosts may have seen the new size at once."""

    irreversible: ClassVar[bool] = True
    kind: Literal["volume.grow"] = "volume.grow"
    volume_id: str
    group: str
    lv_name: str
    from_bytes: int
    size_bytes: int
    pool: str | None = None
    """The thin pool it takes its blocks from as hosts write; None: it is thick."""

    def describe(self) -> str:
        sizes = f"from {format_size(self.from_bytes)} to {format_size(self.size_bytes)}"
        return f"grow volume {self.lv_name} in {self.group} {sizes}"


class ThinPoolCreate(Step):
    """Makes the thin pool of a volume group. Undo removes it while it is empty and carries this id."""

    kind: Literal["thin_pool.create"] = "thin_pool.create"
    pool_id: str
    group: str
    name: str
    data_bytes: int
    metadata_bytes: int
    """Taken twice: LVM keeps as much spare to repair the pool with."""
    chunk_bytes: int

    def describe(self) -> str:
        chunk = format_size(self.chunk_bytes)
        return f"create thin pool {self.name} ({format_size(self.data_bytes)}, chunk {chunk}) in {self.group}"


class ThinPoolGrow(Step):
    """Makes a thin pool larger, in data or metadata, to these sizes. It has no undo: hosts may fill it at once."""

    irreversible: ClassVar[bool] = True
    kind: Literal["thin_pool.grow"] = "thin_pool.grow"
    group: str
    name: str
    data_bytes: int
    metadata_bytes: int

    def describe(self) -> str:
        sizes = f"{format_size(self.data_bytes)} of data and {format_size(self.metadata_bytes)} of metadata"
        return f"grow thin pool {self.name} in {self.group} to {sizes}"


class ThinPoolRemove(Step):
    """Removes the thin pool, so that its space is free for other volumes; leaves one alone that is in use again."""

    irreversible: ClassVar[bool] = True
    kind: Literal["thin_pool.remove"] = "thin_pool.remove"
    group: str
    name: str

    def describe(self) -> str:
        return f"remove the empty thin pool {self.name} from {self.group}"


class SnapshotTake(Step):
    """Takes a snapshot of one thin volume. Undo removes what carries the snapshot's id."""

    kind: Literal["snapshot.take"] = "snapshot.take"
    snapshot_id: str
    volume_id: str
    group: str
    lv_name: str
    origin: str
    size_bytes: int

    def describe(self) -> str:
        return f"take snapshot {self.lv_name} of volume {self.origin} in {self.group}"


class SnapshotDelete(Step):
    """Removes one snapshot that carries this id. Clones of it and its volume do not need it."""

    irreversible: ClassVar[bool] = True
    kind: Literal["snapshot.delete"] = "snapshot.delete"
    snapshot_id: str
    group: str
    lv_name: str

    def describe(self) -> str:
        return f"delete snapshot {self.lv_name} from {self.group}"


class VolumeRollBack(Step):
    """Puts a copy of a snapshot in the place of a volume, under its name and size. What was written since is lost.

    The copy carries `roll_back_id`, so that a repeated step knows how far it came.
    """

    irreversible: ClassVar[bool] = True
    kind: Literal["volume.roll_back"] = "volume.roll_back"
    roll_back_id: str
    volume_id: str
    group: str
    lv_name: str
    snapshot_id: str
    snapshot: str
    size_bytes: int

    def describe(self) -> str:
        return f"roll volume {self.lv_name} in {self.group} back to snapshot {self.snapshot}: what is newer is lost"

    def bytes_destroyed(self) -> int:
        return self.size_bytes
