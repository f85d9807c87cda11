"""Retains deleted snapshots of zvols, and recovers them. A snapshot has no device: only its name changes, and it stays
below its zvol.
"""

from lunette.domain.errors import Conflict, NotFound
from lunette.domain.steps import SnapshotAside
from lunette.providers.arrays.zfs.datasets import Dataset
from lunette.providers.volumes.zvol.own import TIMEOUT_S, own_pool
from lunette.providers.volumes.zvol.snapshot import check_clones, check_snapshot
from lunette.system.system_port import System


def set_aside(system: System, step: SnapshotAside) -> str | None:
    """Retain the snapshot under its other name; None if it is. Raises NotFound if it is missing, InUse if a clone needs
    it: it could never be erased.
    """
    found = _found(system, step) or _gone(step)
    check_clones(own_pool(system, step.group), [found.name])
    return _rename(system, step, found, step.aside_name)


def bring_back(system: System, step: SnapshotAside) -> str | None:
    """Put the snapshot back in its place; None if it is there. Raises NotFound if it is missing."""
    found = _found(system, step) or _gone(step)
    return _rename(system, step, found, step.backing_name)


def undo_set_aside(system: System, step: SnapshotAside) -> str | None:
    """As `bring_back`, but a missing snapshot is ignored."""
    found = _found(system, step)
    return _rename(system, step, found, step.backing_name) if found else None


def undo_bring_back(system: System, step: SnapshotAside) -> str | None:
    """As `set_aside`, but a missing snapshot is ignored."""
    found = _found(system, step)
    return _rename(system, step, found, step.aside_name) if found else None


def _rename(system: System, step: SnapshotAside, found: Dataset, name: str) -> str | None:
    path = f"{step.group}/{name}"
    if found.name == path:
        return None
    system.run(["zfs", "rename", "--", found.name, path], timeout_s=TIMEOUT_S)
    return f"snapshot {found.name} was renamed to {name}"


def _found(system: System, step: SnapshotAside) -> Dataset | None:
    """The snapshot under one of its two names. Raises Conflict if both exist, or it carries another mark."""
    pool = own_pool(system, step.group)
    there = [pool[path] for path in (f"{step.group}/{name}" for name in step.names()) if path in pool]
    for snapshot in there:
        check_snapshot(snapshot, step.snapshot_id)
    if len(there) == 2:
        raise Conflict(f"{step.group} has both {step.backing_name} and {step.aside_name}: nothing was changed")
    return there[0] if there else None


def _gone(step: SnapshotAside) -> Dataset:
    raise NotFound(f"snapshot {step.backing_name} is not in {step.group}: it was removed meanwhile")
