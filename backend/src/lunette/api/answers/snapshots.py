"""Snapshots: a volume as it was at one moment."""

from datetime import datetime

from lunette.api.answers.base import Answer
from lunette.domain.jobs import ResourceState
from lunette.store.resources import Snapshot as SnapshotRow


class Snapshot(Answer):
    """A volume as it was. `size_bytes` is what the volume had then."""

    id: str
    name: str
    description: str
    volume: str
    volume_id: str
    size_bytes: int
    state: ResourceState
    created_at: datetime
    updated_at: datetime


def snapshot_answer(row: SnapshotRow, volume: str) -> Snapshot:
    """A stored snapshot; `volume` is its volume's name."""
    return Snapshot(
        id=row.id,
        name=row.name,
        description=row.description,
        volume=volume,
        volume_id=row.volume_id,
        size_bytes=row.size_bytes,
        state=ResourceState(row.state),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
