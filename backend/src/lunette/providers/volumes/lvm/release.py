"""Removes Lunette's marks from a volume group and its content, and restores them: LVM's tags only, no data of any
volume.

A tag of Lunette, `lunette` or `lunette.…`, becomes the same one of `released`. So undo needs no list, knows exactly
what this step changed, and leaves foreign tags alone. The group is the first to change and the last to be restored: its
tag shows the progress of an interrupted step.
"""

from collections.abc import Collection, Iterator

from lunette.domain.errors import Conflict, InUse, NotFound
from lunette.domain.steps import GroupRelease
from lunette.providers.arrays.md.assemble import ensure_running
from lunette.providers.arrays.md.plan import device_path
from lunette.providers.volumes.lvm import observe, own, parse
from lunette.providers.volumes.lvm.group import TIMEOUT_S, activate, deactivate
from lunette.providers.volumes.lvm.listing import list_device, unlist_device
from lunette.providers.volumes.lvm.plan import RELEASED, TAG, is_marked
from lunette.system.system_port import System

_Object = tuple[str, frozenset[str]]
"""The name of a volume, empty for the group itself, and its tags."""


def release(system: System, step: GroupRelease) -> str | None:
    """Remove the marks; None if there are none. Raises InUse, changing nothing, while a volume that must be deactivated
    is open.
    """
    group, device = _group(system, step), device_path(step.array_uuid)
    if step.stops and (used := own.open_volumes(system, group, [one.name for one in group.volumes if not one.is_pool])):
        raise InUse(f"volume {step.group}/{used[0]} is open: stop the programs that use it first")
    is_up = step.stops and any(one.active for one in group.volumes)
    if any(_with(tags, TAG) for _, tags in _objects(group)) or is_up:
        list_device(system, device)
        for copy in [one for one in group.volumes if one.is_copy]:
            own.remove(system, group, copy)
        group = _group(system, step)
        if TAG in group.tags:
            for name, tags in _objects(group):  # of an earlier release
                _tag(system, step.group, name, gone=_with(tags, RELEASED))
        _swap(system, group, TAG, RELEASED)
        if step.stops:
            deactivate(system, step.group)
    elif not (step.stops and unlist_device(system, device)):
        return None
    else:
        return f"LVM no longer uses {device}"
    if step.stops:
        unlist_device(system, device)
    return f"{step.group} no longer carries a mark of Lunette"


def undo_release(system: System, step: GroupRelease) -> str | None:
    """Restore the marks, with the volumes up; None if all is so."""
    group = _group(system, step)
    if TAG in group.tags and not (step.stops and _is_down(group)):
        return None
    list_device(system, device_path(step.array_uuid))
    if TAG in group.tags:  # it was interrupted after that
        activate(system, step.group, device_path(step.array_uuid))
        return f"the volumes of {step.group} are active again"
    for name, tags in reversed(list(_objects(group))):
        _tag(system, step.group, name, gone=_with(tags, RELEASED), new=_renamed(tags, RELEASED, TAG))
    if step.stops:
        activate(system, step.group, device_path(step.array_uuid))
    return f"{step.group} carries Lunette's marks again"


def _is_down(group: parse.Group) -> bool:
    """True if a volume is not active; snapshots never are."""
    kinds = (f"{TAG}.snapshot", f"{RELEASED}.snapshot")
    return any(not one.active and not any(tag.startswith(kinds) for tag in one.tags) for one in group.volumes)


def _swap(system: System, group: parse.Group, old: str, new: str) -> None:
    for name, tags in _objects(group):
        _tag(system, group.name, name, gone=_with(tags, old), new=_renamed(tags, old, new))


def _group(system: System, step: GroupRelease) -> parse.Group:
    """The group, with its array running. Raises NotFound if it does not exist, Conflict if it neither is nor was
    Lunette's.
    """
    device = device_path(step.array_uuid)
    group = observe.group_on(system, device) if ensure_running(system, step.array_uuid) else None
    if group is None or group.name != step.group:
        raise NotFound(f"volume group {step.group} is no longer on its array: check what happened to it")
    if not is_marked(group.tags, step.array_uuid):
        raise Conflict(f"volume group {step.group} does not carry the mark of this appliance and was not changed")
    return group


def _objects(group: parse.Group) -> Iterator[_Object]:
    yield "", group.tags
    for volume in group.volumes:
        yield volume.name, volume.tags


def _with(tags: Collection[str], mark: str) -> list[str]:
    return sorted(tag for tag in tags if tag == mark or tag.startswith(f"{mark}."))


def _renamed(tags: Collection[str], old: str, new: str) -> list[str]:
    return [_name(tag, old, new) for tag in _with(tags, old)]


def _name(tag: str, old: str, new: str) -> str:
    return new + tag.removeprefix(old)


def _tag(system: System, group: str, volume: str, *, gone: Collection[str], new: Collection[str] = ()) -> None:
    """One command, so that LVM writes its metadata once: both or neither."""
    if not gone:
        return
    words = [word for tag in gone for word in ("--deltag", tag)] + [word for tag in new for word in ("--addtag", tag)]
    command, place = ("lvchange", f"{group}/{volume}") if volume else ("vgchange", group)
    system.run([command, *words, "--", place], timeout_s=TIMEOUT_S)
