"""Deleted snapshots: what can be recovered, and until when."""

from datetime import datetime

from lunette.api.answers.base import Answer
from lunette.domain.jobs import ResourceState
from lunette.domain.uptime import Uptime
from lunette.store.resources import DeletedSnapshot as DeletedSnapshotRow
from lunette.store.resources import DeletedVolume, Volume


class DeletedSnapshot(Answer):
    """A snapshot that was deleted, with the id that it gets back when it is recovered.

    `volume`: the name of its volume, or the name that it had if it was deleted since (`volume_deleted`); such a volume
    is recovered first. `erase_at`: when it is erased, unless its volume is erased earlier; time while the appliance
    does not run does not count, so it may become later. `state`: ready, changing (being recovered) or deleting (being
    erased).
    """

    id: str
    name: str
    description: str
    volume: str
    volume_id: str
    volume_deleted: bool
    size_bytes: int
    state: ResourceState
    deleted_at: datetime
    erase_at: datetime
    created_at: datetime
    updated_at: datetime


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
