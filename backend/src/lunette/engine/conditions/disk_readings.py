"""History of drives: the health readings of each, one row per day, for as long as history is retained."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.disk_health import DriveReading, Growth, findings, state_of
from lunette.domain.disks import ObservedDisk
from lunette.store.database import Store
from lunette.store.resources import DiskReading

Read = Mapping[str, float]
"""When each disk, by ID, had been read when its reading was recorded; in seconds since the epoch."""
_Reading = tuple[ObservedDisk, DriveReading, float]


def note(store: Store, disks: Sequence[ObservedDisk], growth: Mapping[str, Mapping[str, Growth]], noted: Read) -> Read:
    """Records readings newer than `noted`, and returns what is recorded now. A second path is not a drive."""
    drives = [disk for disk in disks if disk.other_path_of is None]
    told = [(disk, disk.health, disk.health.read_at) for disk in drives if disk.health]
    fresh: list[_Reading] = [
        (disk, health, read_at)
        for disk, health, read_at in told
        if read_at is not None and noted.get(disk.id) != read_at
    ]
    if fresh:
        with store.write() as tx:
            for one in fresh:
                _keep(tx, one, growth.get(one[0].id, {}))
    return {**noted, **{disk.id: read_at for disk, _, read_at in fresh}}


def of_disk(tx: Session, disk_id: str) -> Sequence[DiskReading]:
    """All records of a disk, the newest day first."""
    return tx.scalars(select(DiskReading).where(DiskReading.disk_id == disk_id).order_by(DiskReading.day.desc())).all()


def _keep(tx: Session, told: _Reading, growth: Mapping[str, Growth]) -> None:
    disk, health, read_at = told
    moment = datetime.fromtimestamp(read_at, UTC)
    day = moment.date().isoformat()
    row = tx.scalar(select(DiskReading).where(DiskReading.disk_id == disk.id, DiskReading.day == day))
    if row is None:
        row = DiskReading(disk_id=disk.id, day=day, hottest_c=None)
        tx.add(row)
    elif row.serial != disk.serial:
        row.hottest_c = None
    heat = [one for one in (row.hottest_c, health.values.temperature_c) if one is not None]
    row.serial, row.read_at, row.hottest_c = disk.serial, moment, max(heat, default=None)
    row.state, row.told = state_of(health, findings(health, growth)).value, health.values.model_dump_json()
