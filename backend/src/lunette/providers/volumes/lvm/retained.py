"""Retains deleted volumes, and recovers them.

A retained volume has another name and no device: its activation is skipped, at boot too. The rename comes last on the
way there and first on the way back, so whatever has the other name is without a device, and an interrupted step finds
its progress.
"""

from collections.abc import Sequence

from lunette.domain.errors import Conflict, NotFound
from lunette.domain.steps import VolumeAside, VolumeSetAside
from lunette.providers.runner import Outcomes
from lunette.providers.volumes.lvm import parse, together
from lunette.providers.volumes.lvm.own import TIMEOUT_S, check_closed, check_own, own_group
from lunette.providers.volumes.lvm.plan import volume_tag
from lunette.system.system_port import System


def set_aside(system: System, step: VolumeAside) -> str | None:
    """Retain the volume under its other name; None if it is. Raises InUse while it is open, NotFound if it is
    missing.
    """
    return together.one(system, step, _to_set_aside, _after_set_aside)


def set_aside_many(system: System, steps: Sequence[VolumeSetAside]) -> Outcomes:
    return together.run(system, steps, _to_set_aside, _after_set_aside)


def _to_set_aside(group: parse.Group, step: VolumeAside) -> Sequence[together.Line] | None:
    found = _found(group, step) or _gone(step)
    if found.name == step.aside_name and not found.active:
        return None
    check_closed(group, found)
    path = f"{step.group}/{found.name}"
    stop = [["lvchange", "-an", "--", path]] if found.active else []
    rename = ["lvrename", "--", step.group, step.backing_name, step.aside_name]
    skip = ["lvchange", "--setactivationskip", "y", "--", path]
    return [*stop, skip, *([rename] if found.name != step.aside_name else [])]


def _after_set_aside(_system: System, step: VolumeAside) -> str:
    return f"volume {step.backing_name} is retained as {step.aside_name}"


def bring_back(system: System, step: VolumeAside) -> str | None:
    """Put the volume back in its place; None if it is there. Raises NotFound if it is missing."""
    found = _found(own_group(system, step.group), step) or _gone(step)
    if found.name == step.backing_name and found.active:
        return None
    if found.name == step.aside_name:
        system.run(["lvrename", "--", step.group, step.aside_name, step.backing_name], timeout_s=TIMEOUT_S)
    path = f"{step.group}/{step.backing_name}"
    system.run(["lvchange", "--setactivationskip", "n", "--", path], timeout_s=TIMEOUT_S)
    system.run(["lvchange", "-ay", "--", path], timeout_s=TIMEOUT_S)
    return f"volume {step.backing_name} was restored"


def undo_set_aside(system: System, step: VolumeAside) -> str | None:
    """As `bring_back`, but a missing volume is ignored."""
    return bring_back(system, step) if _found(own_group(system, step.group), step) else None


def undo_bring_back(system: System, step: VolumeAside) -> str | None:
    """As `set_aside`, but a missing volume is ignored."""
    return set_aside(system, step) if _found(own_group(system, step.group), step) else None


def _found(group: parse.Group, step: VolumeAside) -> parse.Volume | None:
    """The volume under one of its two names. Raises Conflict if both exist, or it carries another mark."""
    there = [volume for volume in map(group.volume, (step.backing_name, step.aside_name)) if volume is not None]
    for volume in there:
        check_own(volume, volume_tag(step.volume_id), step.group)
    if len(there) == 2:
        raise Conflict(f"{step.group} has both {step.backing_name} and {step.aside_name}: nothing was changed")
    return there[0] if there else None


def _gone(step: VolumeAside) -> parse.Volume:
    raise NotFound(f"volume {step.backing_name} is not in {step.group}: it was removed meanwhile")
