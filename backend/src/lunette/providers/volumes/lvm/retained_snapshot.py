"""Retains deleted snapshots of thin volumes, and recovers them. A snapshot is never active: only its name changes."""

from collections.abc import Sequence

from lunette.domain.errors import Conflict, NotFound
from lunette.domain.steps import SnapshotAside, SnapshotSetAside
from lunette.providers.runner import Outcomes
from lunette.providers.volumes.lvm import parse, together
from lunette.providers.volumes.lvm.own import TIMEOUT_S, check_own, own_group
from lunette.providers.volumes.lvm.plan import snapshot_tag
from lunette.system.system_port import System


def set_aside(system: System, step: SnapshotAside) -> str | None:
    """Retain the snapshot under its other name; None if it is. Raises NotFound if it is missing."""
    return together.one(system, step, _to_set_aside, _after_set_aside)


def set_aside_many(system: System, steps: Sequence[SnapshotSetAside]) -> Outcomes:
    return together.run(system, steps, _to_set_aside, _after_set_aside)


def _to_set_aside(group: parse.Group, step: SnapshotAside) -> Sequence[together.Line] | None:
    found = _found(group, step) or _gone(step)
    return None if found.name == step.aside_name else [["lvrename", "--", step.group, found.name, step.aside_name]]


def _after_set_aside(_system: System, step: SnapshotAside) -> str:
    return f"snapshot {step.backing_name} was renamed to {step.aside_name}"


def bring_back(system: System, step: SnapshotAside) -> str | None:
    """Put the snapshot back in its place; None if it is there. Raises NotFound if it is missing."""
    return _put_back(system, step, _found(own_group(system, step.group), step) or _gone(step))


def undo_set_aside(system: System, step: SnapshotAside) -> str | None:
    """As `bring_back`, but a missing snapshot is ignored."""
    found = _found(own_group(system, step.group), step)
    return _put_back(system, step, found) if found else None


def undo_bring_back(system: System, step: SnapshotAside) -> str | None:
    """As `set_aside`, but a missing snapshot is ignored."""
    return set_aside(system, step) if _found(own_group(system, step.group), step) else None


def _put_back(system: System, step: SnapshotAside, found: parse.Volume) -> str | None:
    if found.name == step.backing_name:
        return None
    system.run(["lvrename", "--", step.group, found.name, step.backing_name], timeout_s=TIMEOUT_S)
    return f"snapshot {found.name} was renamed to {step.backing_name}"


def _found(group: parse.Group, step: SnapshotAside) -> parse.Volume | None:
    """The snapshot under one of its two names. Raises Conflict if both exist, or it carries another mark."""
    there = [volume for volume in map(group.volume, step.names()) if volume is not None]
    for volume in there:
        check_own(volume, snapshot_tag(step.snapshot_id), step.group)
    if len(there) == 2:
        raise Conflict(f"{step.group} has both {step.backing_name} and {step.aside_name}: nothing was changed")
    return there[0] if there else None


def _gone(step: SnapshotAside) -> parse.Volume:
    raise NotFound(f"snapshot {step.backing_name} is not in {step.group}: it was removed meanwhile")
