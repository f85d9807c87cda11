"""Rolls a thin volume back and retains its content: a copy of the snapshot takes its place.

The previous volume is renamed and marked before the copy gets its name, so at every moment each of the two is
identified by its name and its marks, and an interrupted step finds its progress.
"""

from lunette.domain.errors import Conflict, InUse, NotFound
from lunette.domain.steps import VolumeSwap
from lunette.providers.volumes.lvm import parse
from lunette.providers.volumes.lvm.own import TIMEOUT_S, check_own, open_volumes, own_group, remove
from lunette.providers.volumes.lvm.plan import roll_back_name, roll_back_tag, volume_tag
from lunette.providers.volumes.lvm.snapshot import copy_of_snapshot, put_in_place
from lunette.system.system_port import System


def swap(system: System, step: VolumeSwap) -> str | None:
    """Put a copy of the snapshot in the volume's place, and retain the volume; None if that is done."""
    group = own_group(system, step.group)
    volume, kept = group.volume(step.backing_name), group.volume(step.aside_name)
    if volume is not None and _is_copy(volume, step):
        return None if volume.active else put_in_place(system, step)
    held = _held(step, volume, kept)
    copy = copy_of_snapshot(system, group, step)
    if held is volume:
        _set_aside(system, group, volume, step)
    system.run(["lvrename", "--", step.group, copy.name, step.backing_name], timeout_s=TIMEOUT_S)
    return put_in_place(system, step)


def undo_swap(system: System, step: VolumeSwap) -> str | None:
    """Remove the copy, and restore the previous volume; None if it is in its place. Raises InUse while it is open.

    A missing volume cannot be restored.
    """
    group = own_group(system, step.group)
    volume, kept = group.volume(step.backing_name), group.volume(step.aside_name)
    if volume is None and kept is None:
        return None
    copy = group.volume(roll_back_name(step.roll_back_id))
    if volume is not None and _is_copy(volume, step):
        if kept is None:
            raise Conflict(f"{step.group}/{step.aside_name} no longer exists: {step.backing_name} stays as it is now")
        copy, volume = volume, None
    held = _held(step, volume, kept)
    if copy is not None:
        remove(system, group, copy)
    if held is kept:
        system.run(["lvrename", "--", step.group, step.aside_name, step.backing_name], timeout_s=TIMEOUT_S)
    mark = volume_tag(step.volume_id)
    if copy is None and held is volume and mark in held.tags and held.active:
        return None
    tags = ["--addtag", mark, "--deltag", volume_tag(step.kept_id)]
    path = f"{step.group}/{step.backing_name}"
    system.run(["lvchange", "--setactivationskip", "n", *tags, "--", path], timeout_s=TIMEOUT_S)
    system.run(["lvchange", "-ay", "--", path], timeout_s=TIMEOUT_S)
    return f"volume {step.backing_name} has its previous content again"


def _is_copy(volume: parse.Volume, step: VolumeSwap) -> bool:
    """True if the copy is in the volume's place. Raises Conflict if it does not carry Lunette's mark."""
    if roll_back_tag(step.roll_back_id) not in volume.tags:
        return False
    check_own(volume, volume_tag(step.volume_id), step.group)
    return True


def _held(step: VolumeSwap, volume: parse.Volume | None, kept: parse.Volume | None) -> parse.Volume:
    """The previous volume, in its place or retained.

    Raises NotFound if it is gone, Conflict if both places are taken or it carries another mark.
    """
    if volume is not None and kept is not None:
        raise Conflict(f"{step.group} has both {step.backing_name} and {step.aside_name}: nothing was changed")
    held = volume or kept
    if held is None:
        raise NotFound(f"volume {step.backing_name} is not in {step.group}: it was removed meanwhile")
    both = [volume_tag(step.kept_id), volume_tag(step.volume_id)]
    mark = next((one for one in both if one in held.tags), both[0] if held is kept else both[1])
    check_own(held, mark, step.group)
    return held


def _set_aside(system: System, group: parse.Group, volume: parse.Volume, step: VolumeSwap) -> None:
    if open_volumes(system, group, [volume.name]):
        raise InUse(f"volume {group.name}/{volume.name} is open: unmap it first")
    path = f"{step.group}/{volume.name}"
    if volume.active:
        system.run(["lvchange", "-an", "--", path], timeout_s=TIMEOUT_S)
    tags = ["--addtag", volume_tag(step.kept_id), "--deltag", volume_tag(step.volume_id)]
    system.run(["lvchange", "--setactivationskip", "y", *tags, "--", path], timeout_s=TIMEOUT_S)
    system.run(["lvrename", "--", step.group, volume.name, step.aside_name], timeout_s=TIMEOUT_S)
