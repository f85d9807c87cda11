"""Creates and deletes snapshots of thin volumes, and rolls volumes back to them.

A snapshot is a thin volume of its own that shares chunks with its origin: neither needs the other. It is never active.
"""

from collections.abc import Sequence

from lunette.domain.errors import Conflict, InUse, NotFound
from lunette.domain.steps import SnapshotDelete, SnapshotTake, VolumeRollBack, VolumeSwap
from lunette.providers.runner import Outcomes
from lunette.providers.volumes.lvm import parse, together
from lunette.providers.volumes.lvm.own import TIMEOUT_S, check_own, open_volumes, own_group, removal, remove
from lunette.providers.volumes.lvm.plan import TAG, roll_back_name, roll_back_tag, snapshot_tag, volume_tag
from lunette.system.system_port import System


def take(system: System, step: SnapshotTake) -> str | None:
    """Create the snapshot; None if it exists. LVM flushes and freezes the origin meanwhile, so it is one point in
    time.
    """
    return together.one(system, step, _to_take, _after_take)


def take_many(system: System, steps: Sequence[SnapshotTake]) -> Outcomes:
    return together.run(system, steps, _to_take, _after_take)


def _to_take(group: parse.Group, step: SnapshotTake) -> Sequence[together.Line] | None:
    known = group.volume(step.backing_name)
    if known is not None:
        check_own(known, snapshot_tag(step.snapshot_id), step.group)
        return None
    origin = _needed(group, step.origin, volume_tag(step.volume_id))
    if origin.pool is None:
        raise Conflict(f"volume {step.group}/{step.origin} is thick: only thin volumes can have snapshots")
    if origin.size_bytes != step.size_bytes:
        raise Conflict(f"volume {step.group}/{step.origin} now has a different size: create the snapshot again")
    tags = ["--addtag", TAG, "--addtag", snapshot_tag(step.snapshot_id)]
    shape = ["--snapshot", "--setactivationskip", "y", "--name", step.backing_name, "--", f"{step.group}/{step.origin}"]
    return [["lvcreate", "-y", *tags, *shape]]


def _after_take(_system: System, step: SnapshotTake) -> str:
    return f"snapshot {step.backing_name} of {step.origin} was created"


def delete(system: System, step: SnapshotDelete | SnapshotTake) -> str | None:
    """Remove the snapshot; None if it is gone. Also undoes a creation.

    Raises Conflict if it has another place than the step says.
    """
    return together.one(system, step, _to_delete, _after_delete)


def delete_many(system: System, steps: Sequence[SnapshotDelete]) -> Outcomes:
    return together.run(system, steps, _to_delete, _after_delete)


def _to_delete(group: parse.Group, step: SnapshotDelete | SnapshotTake) -> Sequence[together.Line] | None:
    names = [step.backing_name, getattr(step, "aside_name", None)]
    known = next((found for name in names if name and (found := group.volume(name)) is not None), None)
    if known is None:
        if isinstance(step, SnapshotDelete):
            _check_nowhere_else(group, step)
        return None
    check_own(known, snapshot_tag(step.snapshot_id), step.group)
    return [removal(group, known)]


def _after_delete(_system: System, step: SnapshotDelete | SnapshotTake) -> str:
    return f"snapshot {step.backing_name} was deleted"


def _check_nowhere_else(group: parse.Group, step: SnapshotDelete) -> None:
    for found in group.volumes:
        if {TAG, snapshot_tag(step.snapshot_id)} <= found.tags:
            raise Conflict(
                f"snapshot {step.backing_name} is {group.name}/{found.name} now and was not changed; recover it, or "
                "check what happened to it"
            )


def roll_back(system: System, step: VolumeRollBack) -> str | None:
    """Put a copy of the snapshot in the volume's place; None if it is there.

    Under another name and inactive, the copy gets its tags and its size; only then is the volume removed, and the copy
    renamed and activated.
    """
    group = own_group(system, step.group)
    volume = group.volume(step.backing_name)
    if volume is not None:
        check_own(volume, volume_tag(step.volume_id), step.group)
        if roll_back_tag(step.roll_back_id) in volume.tags:
            return None if volume.active else put_in_place(system, step)
        if open_volumes(system, group, [volume.name]):
            raise InUse(f"volume {group.name}/{volume.name} is open: unmap it first")
    copy = copy_of_snapshot(system, group, step)
    if volume is not None:
        remove(system, group, volume)
    system.run(["lvrename", "--", step.group, copy.name, step.backing_name], timeout_s=TIMEOUT_S)
    return put_in_place(system, step)


def put_in_place(system: System, step: VolumeRollBack | VolumeSwap) -> str:
    """Activate the copy that has the volume's name."""
    system.run(["lvchange", "-ay", "--", f"{step.group}/{step.backing_name}"], timeout_s=TIMEOUT_S)
    return f"volume {step.backing_name} was rolled back to {step.snapshot}"


def copy_of_snapshot(system: System, group: parse.Group, step: VolumeRollBack | VolumeSwap) -> parse.Volume:
    """The copy that is to take the volume's place, under its own name, inactive, with the volume's marks and size.

    It is created if it does not exist yet. Raises NotFound if the snapshot is gone.
    """
    copy = group.volume(roll_back_name(step.roll_back_id)) or _copy(system, group, step)
    if copy.size_bytes < step.size_bytes:
        size = f"{step.size_bytes}b"
        system.run(["lvextend", "--size", size, "--", f"{step.group}/{copy.name}"], timeout_s=TIMEOUT_S)
    return copy


def _copy(system: System, group: parse.Group, step: VolumeRollBack | VolumeSwap) -> parse.Volume:
    snapshot = _needed(group, step.snapshot, snapshot_tag(step.snapshot_id))
    for other in group.volumes:
        if volume_tag(step.volume_id) in other.tags and other.name != step.backing_name:
            remove(system, group, other)  # left by a rollback that failed permanently
    marks = (TAG, volume_tag(step.volume_id), roll_back_tag(step.roll_back_id))
    tags = [word for tag in marks for word in ("--addtag", tag)]
    name = roll_back_name(step.roll_back_id)
    shape = ["--snapshot", "--activate", "n", "--setactivationskip", "n", "--name", name]
    system.run(["lvcreate", "-y", *tags, *shape, "--", f"{step.group}/{step.snapshot}"], timeout_s=TIMEOUT_S)
    return snapshot.model_copy(update={"name": name})


def _needed(group: parse.Group, name: str, tag: str) -> parse.Volume:
    known = group.volume(name)
    if known is None:
        raise NotFound(f"{group.name}/{name} no longer exists: it was removed meanwhile")
    check_own(known, tag, group.name)
    return known
