"""Steps on snapshots of volumes, and rollbacks of volumes to one."""

from typing import ClassVar, Literal

from pydantic import Field

from lunette.domain.border import BackingName, GroupName, Id, SnapshotName
from lunette.domain.steps.base import Step
from lunette.domain.volumes import VolumeEngine


class SnapshotTake(Step):
    """Takes a snapshot of one volume. Undo removes what carries the snapshot's ID."""

    kind: Literal["snapshot.take"] = "snapshot.take"
    snapshot_id: Id
    volume_id: Id
    group: GroupName
    backing_name: SnapshotName = Field(alias="lv_name")
    origin: BackingName
    size_bytes: int
    engine: VolumeEngine

    def describe(self) -> str:
        return f"take snapshot {self.backing_name} of volume {self.origin} in {self.group}"


class SnapshotsTake(Step):
    """Takes simultaneous snapshots of several volumes of a group. Undo removes those that carry its ID or their own.

    They carry `together_id` first, so that a repeated step recognizes its own before each has its ID.
    """

    kind: Literal["snapshots.take"] = "snapshots.take"
    together_id: Id
    group: GroupName
    snapshots: tuple[SnapshotTake, ...]
    engine: VolumeEngine

    def describe(self) -> str:
        return f"take snapshots of {len(self.snapshots)} volumes in {self.group} at the same point in time"


class SnapshotDelete(Step):
    """Removes one snapshot that carries this ID. Its volume does not need it; on ZFS its clones do, which is refused.

    Refuses also if the snapshot is not in the place in the plan: it may not be the one to remove.
    """

    irreversible: ClassVar[bool] = True
    kind: Literal["snapshot.delete"] = "snapshot.delete"
    snapshot_id: Id
    group: GroupName
    backing_name: SnapshotName = Field(alias="lv_name")
    aside_name: SnapshotName | None = None
    """The name of a deleted one: the snapshot is also erased there, if one that is not deleted is to be erased."""
    engine: VolumeEngine

    def describe(self) -> str:
        return f"delete snapshot {self.backing_name} from {self.group}"


class SnapshotAside(Step):
    """A snapshot between its place and that of a deleted one, identified by its mark under either name."""

    snapshot_id: Id
    group: GroupName
    backing_name: SnapshotName = Field(alias="lv_name")
    aside_name: SnapshotName
    engine: VolumeEngine

    def names(self) -> tuple[str, str]:
        """The names in its place, and retained."""
        return self.backing_name, self.aside_name


class SnapshotSetAside(SnapshotAside):
    """Retains a deleted snapshot under another name. Undo restores it."""

    kind: Literal["snapshot.set_aside"] = "snapshot.set_aside"
    keep_hours: int

    def describe(self) -> str:
        if not self.keep_hours:
            return f"set snapshot {self.backing_name} in {self.group} aside, to erase it with its array"
        place = f"{self.backing_name} in {self.group} as {self.aside_name}"
        return f"retain deleted snapshot {place} for {self.keep_hours} hours"


class SnapshotBringBack(SnapshotAside):
    """Restores a deleted snapshot to its place. Undo retains it as a deleted one again."""

    kind: Literal["snapshot.bring_back"] = "snapshot.bring_back"

    def describe(self) -> str:
        return f"recover snapshot {self.backing_name} in {self.group}"


class VolumeRollBack(Step):
    """Returns a volume to the state of a snapshot, with its present name and size. What was written since is lost.

    The volume then carries `roll_back_id`, so that a repeated step recognizes its progress.
    """

    irreversible: ClassVar[bool] = True
    kind: Literal["volume.roll_back"] = "volume.roll_back"
    roll_back_id: Id
    volume_id: Id
    group: GroupName
    backing_name: BackingName = Field(alias="lv_name")
    snapshot_id: Id
    snapshot: SnapshotName
    size_bytes: int
    engine: VolumeEngine

    def describe(self) -> str:
        return f"roll volume {self.backing_name} in {self.group} back to snapshot {self.snapshot}: newer data is lost"

    def bytes_destroyed(self) -> int:
        return self.size_bytes


class VolumeSwap(Step):
    """Rolls a volume back to a snapshot, and retains its previous content as a deleted volume, `kept_id`.

    The copy of the snapshot carries `roll_back_id`, so that a repeated step finds its progress. Undo restores the
    previous content: no host can have written to the copy, which is not mapped before the job has ended.
    """

    kind: Literal["volume.swap"] = "volume.swap"
    roll_back_id: Id
    volume_id: Id
    kept_id: Id
    group: GroupName
    backing_name: BackingName = Field(alias="lv_name")
    aside_name: BackingName
    """The name under which the previous content is retained."""
    snapshot_id: Id
    snapshot: SnapshotName
    size_bytes: int
    keep_hours: int
    held_bytes: int
    """Its space in the group while it is retained."""
    engine: VolumeEngine

    def describe(self) -> str:
        back = f"roll volume {self.backing_name} in {self.group} back to snapshot {self.snapshot}"
        return f"{back}, and retain its current data as {self.aside_name} for {self.keep_hours} hours"
