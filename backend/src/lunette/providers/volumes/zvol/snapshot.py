"""Creates and deletes snapshots of zvols, and rolls zvols back to them.

A snapshot is below its zvol: it retains what is overwritten since, and its clones depend on it. Nothing here ever
destroys more than the one snapshot that is named (no -r, no -R).
"""

from collections.abc import Sequence

from lunette.domain.errors import Conflict, InUse, NotFound
from lunette.domain.sizes import format_size
from lunette.domain.steps import SnapshotDelete, SnapshotsTake, SnapshotTake, VolumeRollBack
from lunette.providers.arrays.zfs.datasets import Dataset
from lunette.providers.disks.inventory import settle
from lunette.providers.volumes.zvol.own import TIMEOUT_S, check_own, held, own_pool
from lunette.providers.volumes.zvol.plan import ROLLED_MARK, SNAPSHOT_MARK, TOGETHER_MARK, short_name
from lunette.system.system_port import System


def take(system: System, step: SnapshotTake) -> str | None:
    """Create the snapshot; None if it exists. It contains what was written until that moment, in one transaction."""
    pool = own_pool(system, step.group)
    path = f"{step.group}/{step.backing_name}"
    if path in pool:
        check_snapshot(pool[path], step.snapshot_id)
        return None
    _check_origins(pool, [step])
    system.run(["zfs", "snapshot", "-o", f"{SNAPSHOT_MARK}={step.snapshot_id}", "--", path], timeout_s=TIMEOUT_S)
    return f"snapshot {step.backing_name} was created"


def take_together(system: System, step: SnapshotsTake) -> str | None:
    """Create all of them in one transaction (zfs-snapshot(8): "snapshots are taken atomically"); None if they exist.

    One command gives all of them the same properties, so each gets its own ID afterward. Raises Conflict if only some
    exist: a later one would be of another point in time.
    """
    pool = own_pool(system, step.group)
    there = _together(pool, step)
    if not there:
        _check_origins(pool, step.snapshots)
        paths = [f"{step.group}/{one.backing_name}" for one in step.snapshots]
        system.run(["zfs", "snapshot", "-o", f"{TOGETHER_MARK}={step.together_id}", "--", *paths], timeout_s=TIMEOUT_S)
    elif len(there) < len(step.snapshots):
        raise Conflict(f"{len(there)} of {len(step.snapshots)} snapshots exist, the others were removed meanwhile")
    unnamed = [
        one
        for one in step.snapshots
        if one.backing_name not in there or there[one.backing_name].marks.get(SNAPSHOT_MARK) != one.snapshot_id
    ]
    for one in unnamed:
        mark = f"{SNAPSHOT_MARK}={one.snapshot_id}"
        system.run(["zfs", "set", "--", mark, f"{step.group}/{one.backing_name}"], timeout_s=TIMEOUT_S)
    return f"{len(step.snapshots)} snapshots were created at the same moment" if unnamed else None


def undo_together(system: System, step: SnapshotsTake) -> str | None:
    """Destroy the existing ones; None if there are none. Raises InUse while a clone needs one."""
    pool = own_pool(system, step.group)
    there = _together(pool, step)
    check_clones(pool, [known.name for known in there.values()])
    for known in there.values():
        system.run(["zfs", "destroy", "--", known.name], timeout_s=TIMEOUT_S)
    return f"{len(there)} snapshots were deleted" if there else None


def _together(pool: dict[str, Dataset], step: SnapshotsTake) -> dict[str, Dataset]:
    """Existing snapshots of the step, by short name. Raises Conflict for one with another mark."""
    found = {
        one.backing_name: pool[path] for one in step.snapshots if (path := f"{step.group}/{one.backing_name}") in pool
    }
    for one in step.snapshots:
        if one.backing_name in found and found[one.backing_name].marks.get(TOGETHER_MARK) != step.together_id:
            check_snapshot(found[one.backing_name], one.snapshot_id)
    return found


def _check_origins(pool: dict[str, Dataset], snapshots: Sequence[SnapshotTake]) -> None:
    """Raises Conflict if a volume changed since the plan, or there is no space for what the snapshots retain."""
    origins = [_volume(pool, one.group, one.origin, one.volume_id) for one in snapshots]
    for one, origin in zip(snapshots, origins, strict=True):
        if origin.volume_bytes != one.size_bytes:
            raise Conflict(f"volume {origin.name} now has a different size: create the snapshot again")
    # dsl_dataset_snapshot_check_impl: reserved space stays reserved in addition to what the snapshot retains.
    thick = [origin for origin in origins if not origin.is_sparse]
    held_bytes, free_bytes = sum(origin.referenced for origin in thick), pool[snapshots[0].group].available
    if held_bytes > free_bytes:
        names = ", ".join(origin.name for origin in thick)
        what = f"volume {names} is" if len(thick) == 1 else f"volumes {names} are"
        raise Conflict(
            f"{what} thick: a snapshot reserves space for all data of the volume, {format_size(held_bytes)} in "
            f"total, but the pool has {format_size(free_bytes)} free; free space, or use thin volumes"
        )


def delete(system: System, step: SnapshotDelete | SnapshotTake) -> str | None:
    """Destroy the snapshot; None if it is gone. Also undoes a creation.

    Raises InUse while a clone needs it, Conflict if it has another place than the step says.
    """
    pool = own_pool(system, step.group)
    names = [step.backing_name, getattr(step, "aside_name", None)]
    known = next((pool[path] for name in names if name and (path := f"{step.group}/{name}") in pool), None)
    if known is None:
        if isinstance(step, SnapshotDelete):
            _check_nowhere_else(pool, step)
        return None
    check_snapshot(known, step.snapshot_id)
    check_clones(pool, [known.name])
    system.run(["zfs", "destroy", "--", known.name], timeout_s=TIMEOUT_S)
    return f"snapshot {step.backing_name} was deleted"


def _check_nowhere_else(pool: dict[str, Dataset], step: SnapshotDelete) -> None:
    for found in pool.values():
        if found.is_snapshot and found.marks.get(SNAPSHOT_MARK) == step.snapshot_id:
            raise Conflict(
                f"snapshot {step.backing_name} is {found.name} now and was not changed; recover it, or check what "
                "happened to it"
            )


def check_clones(pool: dict[str, Dataset], snapshots: Sequence[str]) -> None:
    for name in snapshots:
        clones = [short_name(found.name) for found in pool.values() if found.origin == name]
        if clones:
            raise InUse(f"snapshot {name} has the clones {', '.join(clones)}, which depend on it: delete them first")


def roll_back(system: System, step: VolumeRollBack) -> str | None:
    """Roll the zvol back to its newest snapshot, with its present size; None if that was done.

    Raises InUse while it is open, and Conflict for a snapshot that is not the newest.
    """
    pool = own_pool(system, step.group)
    volume = _volume(pool, step.group, step.backing_name, step.volume_id)
    if volume.marks.get(ROLLED_MARK) == step.roll_back_id:
        return None
    known = pool.get(f"{step.group}/{step.snapshot}")
    if known is None:
        raise NotFound(f"snapshot {step.snapshot} is not in {step.group}: it was removed meanwhile")
    check_snapshot(known, step.snapshot_id)
    if held(system, [volume.name]):
        raise InUse(f"volume {volume.name} is open: unmap it first")
    system.run(["zfs", "rollback", "--", known.name], timeout_s=TIMEOUT_S)
    properties = [f"volsize={step.size_bytes}", f"{ROLLED_MARK}={step.roll_back_id}"]
    system.run(["zfs", "set", "--", *properties, volume.name], timeout_s=TIMEOUT_S)
    settle(system)
    return f"volume {step.backing_name} was rolled back to {step.snapshot}"


def _volume(pool: dict[str, Dataset], group: str, name: str, volume_id: str) -> Dataset:
    known = pool.get(f"{group}/{name}")
    if known is None:
        raise NotFound(f"volume {name} is not in {group}: it was removed meanwhile")
    check_own(known, volume_id)
    return known


def check_snapshot(snapshot: Dataset, snapshot_id: str) -> None:
    """Raises Conflict unless it carries the mark of this snapshot."""
    if snapshot.marks.get(SNAPSHOT_MARK) != snapshot_id:
        raise Conflict(f"{snapshot.name} does not carry the mark of snapshot {snapshot_id} and was not changed")
