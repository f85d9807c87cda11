"""Creates, seals, grows and deletes logical volumes.

A volume is created with its tags in one commit of LVM's metadata, `lunette.fresh` among them. While it is fresh no host
has ever seen it, so its head may be wiped and its creation may be undone; once sealed, neither is ever done.
"""

from collections.abc import Sequence
from contextlib import suppress

from lunette.domain.errors import Conflict, InUse, LunetteError, NotFound
from lunette.domain.sizes import MIB, format_size
from lunette.domain.steps import VolumeCut, VolumeDelete, VolumeGrow, VolumesSeal
from lunette.providers.disks.inventory import settle
from lunette.providers.runner import Outcomes
from lunette.providers.volumes.lvm import parse, together
from lunette.providers.volumes.lvm.own import (
    TIMEOUT_S,
    check_own,
    check_space,
    device_bytes,
    open_volumes,
    own_group,
    removal,
    remove,
)
from lunette.providers.volumes.lvm.plan import FRESH_TAG, TAG, device_path, volume_tag
from lunette.system.system_port import System

HEAD_BYTES = 16 * MIB
TAIL_BYTES = MIB
"""Where file systems, partition tables and other volume managers store the signatures by which they recognize
themselves.
"""


def cut(system: System, step: VolumeCut) -> str | None:
    """Create the volume and wipe the head and tail of a thick one; None if it exists and is sealed."""
    return together.one(system, step, lambda group, step: _to_cut(group, step, "y"), _after_cut)


def cut_many(system: System, steps: Sequence[VolumeCut]) -> Outcomes:
    return together.run(system, steps, lambda group, step: _to_cut(group, step, "n"), _after_cut)


def _to_cut(group: parse.Group, step: VolumeCut, active: str) -> Sequence[together.Line] | None:
    """`active`: "y" to create it with its device, "n" to create the device with those of others later."""
    activate = ["lvchange", "-ay", "--", f"{step.group}/{step.backing_name}"]
    known = group.volume(step.backing_name)
    if known is None:
        create = _lvcreate(group, step, active)
        return [create] if active == "y" else [create, activate]
    check_own(known, volume_tag(step.volume_id), step.group)
    if known.size_bytes != step.size_bytes:
        raise Conflict(
            f"volume {step.backing_name} has {known.size_bytes} bytes where {step.size_bytes} were planned, and "
            "was not changed"
        )
    if FRESH_TAG not in known.tags or (step.pool and known.active):
        return None
    return [] if known.active else [activate]


def _after_cut(system: System, step: VolumeCut) -> str:
    if step.pool is None:
        _wipe_edges(system, device_path(step.group, step.backing_name), step.size_bytes)
    return f"volume {step.backing_name} was created, {f'a copy of {step.source}' if step.source else 'blank'}"


def undo_cut(system: System, step: VolumeCut) -> str | None:
    """Remove a fresh volume again; None if it is gone. Refuses one that was sealed.

    Raises NotFound while the group is down: the volume may be in it.
    """
    group = own_group(system, step.group)
    known = group.volume(step.backing_name)
    if known is None:
        return None
    check_own(known, volume_tag(step.volume_id), step.group)
    if FRESH_TAG not in known.tags:
        raise InUse(
            f"volume {step.backing_name} is sealed and may contain data: it is not rolled back; delete it instead"
        )
    remove(system, group, known)
    return f"volume {step.backing_name} was rolled back"


def seal(system: System, step: VolumesSeal) -> str | None:
    """Remove the fresh mark; None if none had it."""
    marked = [name for name, tags in _sealed_volumes(system, step).items() if FRESH_TAG in tags]
    return _retag(system, step, "--deltag", marked, "sealed")


def undo_seal(system: System, step: VolumesSeal) -> str | None:
    """Mark the volumes fresh again; None if all are. Refuses while one is open: a host may have seen it."""
    found = _sealed_volumes(system, step)
    unmarked = [name for name, tags in found.items() if FRESH_TAG not in tags]
    group = own_group(system, step.group)
    opened = open_volumes(system, group, unmarked)
    if opened:
        raise InUse(f"volumes {', '.join(opened)} are open: unmap them first")
    return _retag(system, step, "--addtag", unmarked, "fresh")


def grow(system: System, step: VolumeGrow) -> str | None:
    """Grow the volume while it is in use; None if it has this size. A larger one is left alone."""
    group = own_group(system, step.group)
    known = group.volume(step.backing_name)
    if known is None:
        raise NotFound(f"volume {step.backing_name} is not in {step.group}: it was removed meanwhile")
    check_own(known, volume_tag(step.volume_id), step.group)
    path = f"{step.group}/{step.backing_name}"
    if known.size_bytes > step.size_bytes:
        raise Conflict(f"volume {path} has {known.size_bytes} bytes already: volumes cannot be shrunk")
    if known.size_bytes < step.size_bytes:
        if known.pool is None:
            check_space(group, f"volume {step.backing_name}", step.size_bytes - known.size_bytes)
        system.run(["lvextend", "--size", f"{step.size_bytes}b", "--", path], timeout_s=TIMEOUT_S)
    elif known.active and device_bytes(system, device_path(step.group, step.backing_name)) != step.size_bytes:
        system.run(["lvchange", "--refresh", "--", path], timeout_s=TIMEOUT_S)
    else:
        return None
    return f"volume {step.backing_name} has {format_size(step.size_bytes)}"


def delete(system: System, step: VolumeDelete) -> str | None:
    """Remove the volume and its data; None if it is gone. Refuses one that is open, has another mark, or is in another
    place.
    """
    return together.one(system, step, _to_delete, _after_delete)


def delete_many(system: System, steps: Sequence[VolumeDelete]) -> Outcomes:
    return together.run(system, steps, _to_stop_and_delete, _after_delete, _reactivate)


def _reactivate(system: System, steps: Sequence[VolumeDelete]) -> None:
    """Activate what could not be deleted: it stays a volume that may be mapped. LVM itself skips retained volumes."""
    with suppress(LunetteError):  # what failed before is reported
        group = own_group(system, steps[0].group)
        found = [known for step in steps if (known := group.volume(step.backing_name)) and not known.active]
        paths = [f"{group.name}/{known.name}" for known in found]
        if paths:
            system.run(["lvchange", "-ay", "--", *paths], timeout_s=TIMEOUT_S + together.MORE_S * len(paths))


def _to_stop_and_delete(group: parse.Group, step: VolumeDelete) -> Sequence[together.Line] | None:
    lines, known = _to_delete(group, step), group.volume(step.backing_name)
    stop = ["lvchange", "-an", "--", f"{step.group}/{step.backing_name}"]
    return [stop, *lines] if lines and known and known.active else lines


def _to_delete(group: parse.Group, step: VolumeDelete) -> Sequence[together.Line] | None:
    known = group.volume(step.backing_name)
    if known is None:
        for found in group.volumes:
            if {TAG, volume_tag(step.volume_id)} <= found.tags:
                raise Conflict(
                    f"volume {step.backing_name} is {group.name}/{found.name} now and was not changed; recover it, or "
                    "check what happened to it"
                )
        return None
    check_own(known, volume_tag(step.volume_id), step.group)
    return [removal(group, known)]


def _after_delete(_system: System, step: VolumeDelete) -> str:
    return f"volume {step.backing_name} was deleted"


def _lvcreate(group: parse.Group, step: VolumeCut, active: str) -> list[str]:
    tags = [word for tag in (TAG, volume_tag(step.volume_id), FRESH_TAG) for word in ("--addtag", tag)]
    common = ["lvcreate", "-y", "--activate", active, *tags, "--name", step.backing_name]
    if step.size_bytes % group.extent_bytes:
        raise Conflict(
            f"{step.size_bytes} bytes is not a multiple of the group's extent size of {group.extent_bytes} bytes"
        )
    if step.pool is None:
        check_space(group, f"volume {step.backing_name}", step.size_bytes)
        return [*common, "--wipesignatures", "n", "--zero", "n", "--size", f"{step.size_bytes}b", "--", step.group]
    if group.volume(step.pool) is None:
        raise NotFound(f"{step.group} no longer has a thin pool: it was removed with its last volume; try again")
    if step.source is None:
        shape = ["--type", "thin", "--thinpool", step.pool, "--virtualsize", f"{step.size_bytes}b"]
        return [*common, *shape, "--", step.group]
    return [*common, "--snapshot", "--setactivationskip", "n", "--", f"{step.group}/{step.source}"]


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


def _sealed_volumes(system: System, step: VolumesSeal) -> dict[str, frozenset[str]]:
    group = own_group(system, step.group)
    found = {}
    for wanted in step.volumes:
        known = group.volume(wanted.backing_name)
        if known is None:
            raise NotFound(f"volume {wanted.backing_name} is not in {step.group}: it was removed meanwhile")
        check_own(known, volume_tag(wanted.volume_id), step.group)
        found[wanted.backing_name] = known.tags
    return found


def _retag(system: System, step: VolumesSeal, option: str, names: list[str], word: str) -> str | None:
    if not names:
        return None
    paths = [f"{step.group}/{name}" for name in names]
    system.run(["lvchange", option, FRESH_TAG, "--", *paths], timeout_s=TIMEOUT_S + len(paths))
    return f"{len(names)} volumes are {word}"
