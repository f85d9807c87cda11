"""Marks a foreign volume group and volumes in it as Lunette's while hosts use them, with LVM tags only."""

from lunette.domain.errors import Conflict, NotFound
from lunette.domain.steps import AdoptedVolume, GroupAdopt
from lunette.providers.arrays.md.assemble import ensure_running
from lunette.providers.arrays.md.plan import device_path
from lunette.providers.volumes.lvm import observe, parse
from lunette.providers.volumes.lvm.group import TIMEOUT_S
from lunette.providers.volumes.lvm.listing import list_device, unlist_device
from lunette.providers.volumes.lvm.plan import TAG, array_tag, volume_tag
from lunette.system.system_port import System


def adopt(system: System, step: GroupAdopt) -> str | None:
    """Mark the group and the volumes; None if all of them are marked."""
    group = _group(system, step)
    if group is None:
        raise NotFound(f"volume group {step.group} is no longer on its array: check what happened to it")
    _check(group, step)
    list_device(system, device_path(step.array_uuid))
    unmarked = [one for one in step.volumes if not _is_marked(group, one)]
    own = {TAG, array_tag(step.array_uuid)}
    if own <= group.tags and not unmarked:
        return None
    if not own <= group.tags:
        _tag(system, ["vgchange"], "--addtag", sorted(own), step.group)
    for one in unmarked:
        _tag(system, ["lvchange"], "--addtag", sorted(_marks(one)), f"{step.group}/{one.backing_name}")
    return f"{step.describe()}: done"


def undo_adopt(system: System, step: GroupAdopt) -> str | None:
    """Remove the marks; None if there are none. The group's own marks stay while another volume of Lunette is in it."""
    group = _group(system, step)
    if group is None:
        return None
    names = {one.backing_name for one in step.volumes if _is_marked(group, one)}
    is_last = step.is_new and not any(TAG in volume.tags and volume.name not in names for volume in group.volumes)
    unmarked = array_tag(step.array_uuid) in group.tags and _unmark(system, step, names, is_last=is_last)
    unlisted = is_last and not step.was_listed and unlist_device(system, device_path(step.array_uuid))
    return f"the marks of {step.group} were removed" if unmarked or unlisted else None


def _unmark(system: System, step: GroupAdopt, names: set[str], *, is_last: bool) -> bool:
    list_device(system, device_path(step.array_uuid))
    for one in step.volumes:
        if one.backing_name in names:
            _tag(system, ["lvchange"], "--deltag", sorted(_marks(one)), f"{step.group}/{one.backing_name}")
    if is_last:
        _tag(system, ["vgchange"], "--deltag", [TAG, array_tag(step.array_uuid)], step.group)
    return is_last or bool(names)


def _group(system: System, step: GroupAdopt) -> parse.Group | None:
    """The group of the step, with its array running. None if it does not exist. Raises Conflict for another group of
    this name.
    """
    if not ensure_running(system, step.array_uuid):
        return None
    group = observe.group_on(system, device_path(step.array_uuid))
    if group is None or group.name != step.group:
        return None
    if group.uuid != step.group_uuid:
        raise Conflict(f"{step.group} is not the volume group that was inspected, and was not changed")
    return group


def _check(group: parse.Group, step: GroupAdopt) -> None:
    """Raises NotFound or Conflict before anything is marked, unless every volume exists and can be marked."""
    if TAG in group.tags and array_tag(step.array_uuid) not in group.tags:
        raise Conflict(f"volume group {step.group} carries the mark of another array and was not changed")
    for one in step.volumes:
        found = group.volume(one.backing_name)
        if found is None:
            raise NotFound(f"logical volume {step.group}/{one.backing_name} no longer exists: inspect the array again")
        if TAG in found.tags and volume_tag(one.volume_id) not in found.tags:
            raise Conflict(f"{step.group}/{one.backing_name} carries the mark of another volume and was not changed")


def _is_marked(group: parse.Group, one: AdoptedVolume) -> bool:
    found = group.volume(one.backing_name)
    return found is not None and _marks(one) <= found.tags


def _marks(one: AdoptedVolume) -> set[str]:
    return {TAG, volume_tag(one.volume_id)}


def _tag(system: System, command: list[str], option: str, tags: list[str], name: str) -> None:
    system.run([*command, *(word for tag in tags for word in (option, tag)), "--", name], timeout_s=TIMEOUT_S)
