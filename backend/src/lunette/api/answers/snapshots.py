"""Snapshots: read-only point-in-time copies of volumes."""

from datetime import datetime

from lunette.api.answers.base import Answer
from lunette.domain.jobs import ResourceState
from lunette.store.resources import Snapshot as SnapshotRow


class Snapshot(Answer):
    """A read-only point-in-time copy of a volume."""

    id: str
    """Unique ID of the snapshot."""
    name: str
    """Unique name of the snapshot."""
    description: str
    """Description of the snapshot."""
    volume: str
    """Name of the volume of the snapshot."""
    volume_id: str
    """Unique ID of the volume of the snapshot."""
    size_bytes: int
    """Size in bytes that the volume had when the snapshot was taken."""
    state: ResourceState
    """State of the snapshot in Lunette."""
    schedule: str | None
    """Name of the schedule that took the snapshot. `null` if none did, or if the schedule was deleted."""
    created_at: datetime
    """When the snapshot was taken, in UTC."""
    updated_at: datetime
    """When the record of the snapshot was last changed, in UTC."""


def snapshot_answer(row: SnapshotRow, volume: str, schedule: str | None) -> Snapshot:
    """A stored snapshot; `volume` and `schedule` are names."""
    return Snapshot(
        id=row.id,
        name=row.name,
        description=row.description,
        volume=volume,
        volume_id=row.volume_id,
        size_bytes=row.size_bytes,
        state=ResourceState(row.state),
        schedule=schedule,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
