"""Rolls a zvol back and retains its content: a clone of the snapshot takes its place, and it becomes a deleted volume.

The clone is promoted, so that the snapshots go with the volume; the previous content depends on the snapshot then
(zfs-promote(8)). The marks and the renames come last, so that an interrupted step finds its progress.
"""

from lunette.domain.errors import Conflict, InUse, NotFound
from lunette.domain.steps import VolumeSwap
from lunette.providers.arrays.zfs.datasets import Dataset
from lunette.providers.volumes.zvol.own import TIMEOUT_S, await_device, check_own, held, own_pool
from lunette.providers.volumes.zvol.plan import ROLLED_MARK, VOLUME_MARK, copy_name, device_path
from lunette.providers.volumes.zvol.retained import await_gone
from lunette.providers.volumes.zvol.snapshot import check_snapshot
from lunette.system.system_port import System

Pool = dict[str, Dataset]


def swap(system: System, step: VolumeSwap) -> str | None:
    """Put a clone of the snapshot in the zvol's place, and retain the zvol; None if that is done.

    Raises InUse while it is open, and Conflict for a snapshot that is not its newest.
    """
    pool = own_pool(system, step.group)
    volume = pool.get(_path(step, step.backing_name))
    if volume is not None and _is_copy(volume, step):
        return None if _is_shown(system, step, volume) else _show(system, step)
    before = _before(pool, step)
    if before is volume and held(system, [before.name]):
        raise InUse(f"volume {before.name} is open: unmap it first")
    _promoted_copy(system, pool, step, before)
    if before is volume:
        _hide(system, step, before.name)
        _set(system, before.name, f"{VOLUME_MARK}={step.kept_id}")
        _rename(system, step, step.backing_name, step.aside_name)
    _rename(system, step, _copy(step), step.backing_name)
    return _show(system, step)


def undo_swap(system: System, step: VolumeSwap) -> str | None:
    """Destroy the clone, and restore the previous zvol; None if it is in its place. Raises InUse while it is open.

    A missing zvol cannot be restored.
    """
    pool = own_pool(system, step.group)
    volume = pool.get(_path(step, step.backing_name))
    if volume is None and _path(step, step.aside_name) not in pool:
        return None
    if volume is not None and _is_copy(volume, step):
        if _path(step, step.aside_name) not in pool:
            raise Conflict(f"{_path(step, step.aside_name)} no longer exists: {step.backing_name} stays as it is now")
        if held(system, [volume.name]):
            raise InUse(f"volume {volume.name} is open: unmap it first")
        _hide(system, step, volume.name)
        _rename(system, step, step.backing_name, _copy(step))
        pool = own_pool(system, step.group)
    before, copy = _before(pool, step), pool.get(_path(step, _copy(step)))
    is_aside = before.name == _path(step, step.aside_name)
    if copy is not None:
        # It treats everything that begins with a hyphen as an option, `--` too (zfs_do_promote in cmd/zfs/zfs_main.c).
        if before.origin == f"{copy.name}@{_short_snapshot(step)}":
            system.run(["zfs", "promote", before.name], timeout_s=TIMEOUT_S)
        system.run(["zfs", "destroy", "--", copy.name], timeout_s=TIMEOUT_S)
    elif not is_aside and before.marks.get(VOLUME_MARK) == step.volume_id and _is_shown(system, step, before):
        return None
    if is_aside:
        _rename(system, step, step.aside_name, step.backing_name)
    _set(system, _path(step, step.backing_name), f"{VOLUME_MARK}={step.volume_id}", "volmode=dev")
    await_device(system, device_path(step.group, step.backing_name))
    return f"volume {step.backing_name} has its previous content again"


def _promoted_copy(system: System, pool: Pool, step: VolumeSwap, before: Dataset) -> None:
    """The clone under its own name, with the size and the reservation of the volume, and with its snapshots."""
    copy, snapshot = _path(step, _copy(step)), f"{before.name}@{_short_snapshot(step)}"
    moved = f"{copy}@{_short_snapshot(step)}"
    if moved not in pool:
        if snapshot not in pool:
            raise NotFound(f"snapshot {step.snapshot} is not in {step.group}: it was removed meanwhile")
        check_snapshot(pool[snapshot], step.snapshot_id)
        newest = [name for name in pool if name.startswith(f"{before.name}@")][-1]
        if newest != snapshot:
            raise Conflict(f"{newest} is newer than {snapshot}: delete it first, or clone the snapshot instead")
        if copy not in pool:
            marks = ("volmode=none", f"{VOLUME_MARK}={step.volume_id}", f"{ROLLED_MARK}={step.roll_back_id}")
            options = [word for mark in marks for word in ("-o", mark)]
            system.run(["zfs", "clone", *options, "--", snapshot, copy], timeout_s=TIMEOUT_S)
    _set(system, copy, f"volsize={step.size_bytes}")
    if not before.is_sparse:
        _set(system, copy, "refreservation=auto")
    if moved not in pool:
        system.run(["zfs", "promote", copy], timeout_s=TIMEOUT_S)


def _before(pool: Pool, step: VolumeSwap) -> Dataset:
    """The previous zvol, in its place or retained.

    Raises NotFound if it is gone, Conflict if both places are taken or it carries another mark.
    """
    volume, kept = pool.get(_path(step, step.backing_name)), pool.get(_path(step, step.aside_name))
    if volume is not None and kept is not None:
        raise Conflict(f"{step.group} has both {step.backing_name} and {step.aside_name}: nothing was changed")
    found = volume or kept
    if found is None:
        raise NotFound(f"volume {step.backing_name} is not in {step.group}: it was removed meanwhile")
    if found is kept or found.marks.get(VOLUME_MARK) != step.kept_id:
        check_own(found, step.kept_id if found is kept else step.volume_id)
    return found


def _is_copy(volume: Dataset, step: VolumeSwap) -> bool:
    """True if the clone is in the volume's place. Raises Conflict if it does not carry Lunette's mark."""
    if volume.marks.get(ROLLED_MARK) != step.roll_back_id:
        return False
    check_own(volume, step.volume_id)
    return True


def _is_shown(system: System, step: VolumeSwap, volume: Dataset) -> bool:
    return volume.volmode == "dev" and system.exists(device_path(step.group, step.backing_name))


def _show(system: System, step: VolumeSwap) -> str:
    _set(system, _path(step, step.backing_name), "volmode=dev")
    await_device(system, device_path(step.group, step.backing_name))
    return f"volume {step.backing_name} was rolled back to {step.snapshot}"


def _hide(system: System, step: VolumeSwap, path: str) -> None:
    _set(system, path, "volmode=none")
    await_gone(system, device_path(step.group, step.backing_name))


def _rename(system: System, step: VolumeSwap, old: str, new: str) -> None:
    system.run(["zfs", "rename", "--", _path(step, old), _path(step, new)], timeout_s=TIMEOUT_S)


def _set(system: System, path: str, *properties: str) -> None:
    system.run(["zfs", "set", "--", *properties, path], timeout_s=TIMEOUT_S)


def _copy(step: VolumeSwap) -> str:
    return copy_name(step.roll_back_id)


def _short_snapshot(step: VolumeSwap) -> str:
    return step.snapshot.partition("@")[2]


def _path(step: VolumeSwap, name: str) -> str:
    return f"{step.group}/{name}"
