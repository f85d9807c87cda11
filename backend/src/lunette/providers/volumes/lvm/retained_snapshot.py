"""Retains deleted snapshots of thin volumes, and recovers them. A snapshot is never active: only its name changes."""

from lunette.domain.errors import Conflict, NotFound
from lunette.domain.steps import SnapshotAside
from lunette.providers.volumes.lvm import parse
from lunette.providers.volumes.lvm.own import TIMEOUT_S, check_own, own_group
from lunette.providers.volumes.lvm.plan import snapshot_tag
from lunette.system.system_port import System


def set_aside(system: System, step: SnapshotAside) -> str | None:
    """Retain the snapshot under its other name; None if it is. Raises NotFound if it is missing."""
    found = _found(system, step) or _gone(step)
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


def _rename(system: System, step: SnapshotAside, found: parse.Volume, name: str) -> str | None:
    if found.name == name:
        return None
    system.run(["lvrename", "--", step.group, found.name, name], timeout_s=TIMEOUT_S)
    return f"snapshot {found.name} was renamed to {name}"


def _found(system: System, step: SnapshotAside) -> parse.Volume | None:
    """The snapshot under one of its two names. Raises Conflict if both exist, or it carries another mark."""
    group = own_group(system, step.group)
    there = [volume for volume in map(group.volume, step.names()) if volume is not None]
    for volume in there:
        check_own(volume, snapshot_tag(step.snapshot_id), step.group)
    if len(there) == 2:
        raise Conflict(f"{step.group} has both {step.backing_name} and {step.aside_name}: nothing was changed")
    return there[0] if there else None


def _gone(step: SnapshotAside) -> parse.Volume:
    raise NotFound(f"snapshot {step.backing_name} is not in {step.group}: it was removed meanwhile")
