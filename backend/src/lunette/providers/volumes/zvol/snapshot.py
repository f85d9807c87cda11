"""Takes and deletes snapshots of zvols, and rolls zvols back to them.

A snapshot lies below its zvol: it holds on to what is overwritten since, and clones of it cannot be without it. Nothing
here ever destroys more than the one snapshot that is named (no -r, no -R).
"""

from lunette.domain.errors import Conflict, InUse, NotFound
from lunette.domain.sizes import format_size
from lunette.domain.steps import SnapshotDelete, SnapshotTake, VolumeRollBack
from lunette.providers.arrays.zfs.parse import Dataset
from lunette.providers.disks.inventory import settle
from lunette.providers.volumes.zvol.own import TIMEOUT_S, check_own, held, own_pool
from lunette.providers.volumes.zvol.plan import ROLLED_MARK, SNAPSHOT_MARK, short_name
from lunette.system.doorway import System


def take(system: System, step: SnapshotTake) -> str | None:
    """Take the snapshot; None if it is there. It holds what was written until that moment, in one transaction."""
    pool = own_pool(system, step.group)
    path = f"{step.group}/{step.lv_name}"
    if path in pool:
        _check_mark(pool[path], step.snapshot_id)
        return None
    origin = _volume(pool, step.group, step.origin, step.volume_id)
    if origin.volume_bytes != step.size_bytes:
        raise Conflict(f"volume {origin.name} has another size by now: take the snapshot again")
    if not origin.is_sparse and origin.referenced > pool[step.group].available:
        # dsl_dataset_snapshot_check_impl: what is reserved stays reserved beside what the snapshot holds on to.
        raise Conflict(
            f"volume {origin.name} is thick: a snapshot needs room for the {format_size(origin.referenced)} it holds, "
            f"and the pool has {format_size(pool[step.group].available)}; free space, or use thin volumes"
        )
    system.run(["zfs", "snapshot", "-o", f"{SNAPSHOT_MARK}={step.snapshot_id}", path], timeout_s=TIMEOUT_S)
    return f"snapshot {step.lv_name} is taken"


def delete(system: System, step: SnapshotDelete | SnapshotTake) -> str | None:
    """Destroy the snapshot; None if it is gone. Raises InUse while a clone needs it. Also takes back one just taken."""
    pool = own_pool(system, step.group)
    known = pool.get(f"{step.group}/{step.lv_name}")
    if known is None:
        return None
    _check_mark(known, step.snapshot_id)
    clones = [short_name(found.name) for found in pool.values() if found.origin == known.name]
    if clones:
        raise InUse(f"snapshot {known.name} has the clones {', '.join(clones)}: they cannot be without it")
    system.run(["zfs", "destroy", known.name], timeout_s=TIMEOUT_S)
    return f"snapshot {step.lv_name} is deleted"


def roll_back(system: System, step: VolumeRollBack) -> str | None:
    """Make the zvol as it was in its newest snapshot, with the size it has now; None if that was done.

    Raises InUse while it is open, and Conflict for a snapshot that is not the newest.
    """
    pool = own_pool(system, step.group)
    volume = _volume(pool, step.group, step.lv_name, step.volume_id)
    if volume.marks.get(ROLLED_MARK) == step.roll_back_id:
        return None
    known = pool.get(f"{step.group}/{step.snapshot}")
    if known is None:
        raise NotFound(f"snapshot {step.snapshot} is not in {step.group}: it was removed meanwhile")
    _check_mark(known, step.snapshot_id)
    if held(system, [volume.name]):
        raise InUse(f"volume {volume.name} is open: unmap it first")
    system.run(["zfs", "rollback", known.name], timeout_s=TIMEOUT_S)
    properties = [f"volsize={step.size_bytes}", f"{ROLLED_MARK}={step.roll_back_id}"]
    system.run(["zfs", "set", *properties, volume.name], timeout_s=TIMEOUT_S)
    settle(system)
    return f"volume {step.lv_name} is as it was in {step.snapshot}"


def _volume(pool: dict[str, Dataset], group: str, name: str, volume_id: str) -> Dataset:
    known = pool.get(f"{group}/{name}")
    if known is None:
        raise NotFound(f"volume {name} is not in {group}: it was removed meanwhile")
    check_own(known, volume_id)
    return known


def _check_mark(snapshot: Dataset, snapshot_id: str) -> None:
    if snapshot.marks.get(SNAPSHOT_MARK) != snapshot_id:
        raise Conflict(f"{snapshot.name} does not carry the mark of snapshot {snapshot_id}: it is left alone")
