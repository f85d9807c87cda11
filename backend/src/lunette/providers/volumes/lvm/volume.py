"""Cuts, seals and deletes logical volumes.

A volume is born with its tags in one commit of LVM's metadata, `lunette.fresh` among them. While it is fresh no host
has ever seen it, so its head may be wiped and it may be taken back; once sealed, neither is ever done.
"""

from collections.abc import Sequence

from lunette.domain.errors import Conflict, InUse, NoSpace, NotFound
from lunette.domain.sizes import MIB, format_size
from lunette.domain.steps import VolumeCut, VolumeDelete, VolumesSeal
from lunette.providers.disks.inventory import settle
from lunette.providers.volumes.lvm import observe, parse
from lunette.providers.volumes.lvm.plan import FRESH_TAG, TAG, device_path, volume_tag
from lunette.system.doorway import System

HEAD_BYTES = 16 * MIB
TAIL_BYTES = MIB
"""Where file systems, partition tables and other volume managers keep what they recognise themselves by."""
TIMEOUT_S = 180.0


def cut(system: System, step: VolumeCut) -> str | None:
    """Cut the volume and wipe its head and tail; None if it is there and sealed."""
    group = _own_group(system, step.group)
    known = group.volume(step.lv_name)
    if known is None:
        _check_space(group, step)
        tags = [word for tag in (TAG, volume_tag(step.volume_id), FRESH_TAG) for word in ("--addtag", tag)]
        shape = ["--wipesignatures", "n", "--zero", "n", "--name", step.lv_name, "--size", f"{step.size_bytes}b"]
        system.run(["lvcreate", "-y", *tags, *shape, step.group], timeout_s=TIMEOUT_S)
    else:
        _check_own(known, step.volume_id, step.group)
        if known.size_bytes != step.size_bytes:
            raise Conflict(
                f"volume {step.lv_name} has {known.size_bytes} bytes where {step.size_bytes} were planned: left alone"
            )
        if FRESH_TAG not in known.tags:
            return None
        if not known.active:
            system.run(["lvchange", "-ay", f"{step.group}/{step.lv_name}"], timeout_s=TIMEOUT_S)
    _wipe_edges(system, device_path(step.group, step.lv_name), step.size_bytes)
    return f"volume {step.lv_name} is cut and blank"


def undo_cut(system: System, step: VolumeCut) -> str | None:
    """Take a fresh volume back; None if it is gone. Refuses one that was sealed.

    Raises NotFound while the group is down: the volume may be in it.
    """
    group = _own_group(system, step.group)
    known = group.volume(step.lv_name)
    if known is None:
        return None
    _check_own(known, step.volume_id, step.group)
    if FRESH_TAG not in known.tags:
        raise InUse(f"volume {step.lv_name} is sealed and may hold data: it is not taken back, delete it instead")
    _remove(system, group, known)
    return f"volume {step.lv_name} is taken back"


def seal(system: System, step: VolumesSeal) -> str | None:
    """Take the fresh mark off; None if none had it."""
    marked = [name for name, tags in _sealed_volumes(system, step).items() if FRESH_TAG in tags]
    return _retag(system, step, "--deltag", marked, "sealed")


def undo_seal(system: System, step: VolumesSeal) -> str | None:
    """Mark the volumes fresh again; None if all are. Refuses while one is open: a host may have seen it."""
    found = _sealed_volumes(system, step)
    unmarked = [name for name, tags in found.items() if FRESH_TAG not in tags]
    group = _own_group(system, step.group)
    opened = _open_volumes(system, group, unmarked)
    if opened:
        raise InUse(f"volumes {', '.join(opened)} are open: unmap them first")
    return _retag(system, step, "--addtag", unmarked, "fresh")


def delete(system: System, step: VolumeDelete) -> str | None:
    """Remove the volume and its data; None if it is gone. Refuses one that is open or another's."""
    group = observe.find_group(system, step.group)
    if group is None:
        raise NotFound(f"volume group {step.group} is not there: bring its array up, then try again")
    known = group.volume(step.lv_name)
    if known is None:
        return None
    _check_own(known, step.volume_id, step.group)
    _remove(system, group, known)
    return f"volume {step.lv_name} is deleted"


def _own_group(system: System, name: str) -> parse.Group:
    group = observe.find_group(system, name)
    if group is None:
        raise NotFound(f"volume group {name} is not there: bring its array up, then try again")
    if TAG not in group.tags:
        raise Conflict(f"volume group {name} does not carry our mark: it is left alone")
    return group


def _check_own(volume: parse.Volume, volume_id: str, group: str) -> None:
    if TAG not in volume.tags or volume_tag(volume_id) not in volume.tags:
        raise Conflict(f"{group}/{volume.name} does not carry the mark of volume {volume_id}: it is left alone")


def _check_space(group: parse.Group, step: VolumeCut) -> None:
    needed = -(-step.size_bytes // group.extent_bytes) * group.extent_bytes
    if needed != step.size_bytes:
        raise Conflict(f"{step.size_bytes} bytes are no multiple of the group's {group.extent_bytes} byte extents")
    if needed > group.free_bytes:
        raise NoSpace(
            f"volume {step.lv_name} needs {format_size(needed)} and {group.name} has {format_size(group.free_bytes)} "
            "left: delete volumes, or take a smaller size"
        )


def _wipe_edges(system: System, device: str, size: int) -> None:
    if not system.exists(device):
        settle(system)
    head = min(size, HEAD_BYTES)
    try:
        system.zero(device, 0, head)
        if size > head:
            tail = min(TAIL_BYTES, size - head)
            system.zero(device, size - tail, tail)
    except OSError as error:
        raise InUse(f"{device} cannot be wiped: {error.strerror}; free it, then try again") from error


def _remove(system: System, group: parse.Group, volume: parse.Volume) -> None:
    if _open_volumes(system, group, [volume.name]):
        raise InUse(f"volume {group.name}/{volume.name} is open: unmap it first")
    # -y answers the question whether an active volume may go; LVM still refuses one that is open.
    system.run(["lvremove", "-y", f"{group.name}/{volume.name}"], timeout_s=TIMEOUT_S)


def _open_volumes(system: System, group: parse.Group, names: Sequence[str]) -> list[str]:
    """Which of these volumes are open. udev opens what has just changed, so one look more is taken when it is done."""
    for again in (False, True):
        if again:
            settle(system)
            group = observe.find_group(system, group.name) or group
        found = [volume.name for volume in group.volumes if volume.name in names and volume.open]
        if not found:
            break
    return found


def _sealed_volumes(system: System, step: VolumesSeal) -> dict[str, frozenset[str]]:
    group = _own_group(system, step.group)
    found = {}
    for wanted in step.volumes:
        known = group.volume(wanted.lv_name)
        if known is None:
            raise NotFound(f"volume {wanted.lv_name} is not in {step.group}: it was removed meanwhile")
        _check_own(known, wanted.volume_id, step.group)
        found[wanted.lv_name] = known.tags
    return found


def _retag(system: System, step: VolumesSeal, option: str, names: list[str], word: str) -> str | None:
    if not names:
        return None
    paths = [f"{step.group}/{name}" for name in names]
    system.run(["lvchange", option, FRESH_TAG, *paths], timeout_s=TIMEOUT_S + len(paths))
    return f"{len(names)} volumes are {word}"
