"""Deleted snapshots, which can be recovered until they are erased."""

from datetime import datetime

from lunette.api.answers.base import Answer
from lunette.domain.jobs import ResourceState
from lunette.domain.uptime import Uptime
from lunette.store.resources import DeletedSnapshot as DeletedSnapshotRow
from lunette.store.resources import DeletedVolume, Volume


class DeletedSnapshot(Answer):
    """A deleted snapshot. A recovery restores the snapshot with its data and ID."""

    id: str
    """Unique ID of the snapshot, which the snapshot retains when it is recovered."""
    name: str
    """Name of the snapshot when it was deleted."""
    description: str
    """Description of the snapshot."""
    volume: str
    """Name of the volume of the snapshot, or the former name if the volume is deleted too."""
    volume_id: str
    """Unique ID of the volume of the snapshot."""
    volume_deleted: bool
    """Whether the volume is deleted too. The volume must then be recovered before the snapshot."""
    size_bytes: int
    """Size in bytes that the volume had when the snapshot was taken."""
    state: ResourceState
    """State of the deleted snapshot: `ready`, `changing` (being recovered), `deleting` (being erased) or `stuck`."""
    deleted_at: datetime
    """When the snapshot was deleted, in UTC."""
    erase_at: datetime
    """When the snapshot is erased, in UTC, unless its volume is erased earlier. Time while the appliance does not run
    does not count, so the snapshot may be erased later."""
    created_at: datetime
    """When the snapshot was taken, in UTC."""
    updated_at: datetime
    """When the record of the deleted snapshot was last changed, in UTC."""


def deleted_snapshot_answer(row: DeletedSnapshotRow, volume: Volume | DeletedVolume, uptime: Uptime) -> DeletedSnapshot:
    """`volume` is what it is of, deleted or not."""
    return DeletedSnapshot(
        id=row.id,
        name=row.name,
        description=row.description,
        volume=volume.name,
        volume_id=row.volume_id,
        volume_deleted=isinstance(volume, DeletedVolume),
        size_bytes=row.size_bytes,
        state=ResourceState(row.state),
        deleted_at=row.deleted_at,
        erase_at=uptime.when(row.due_s),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
