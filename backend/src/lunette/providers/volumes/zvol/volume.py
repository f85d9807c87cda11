"""Creates, seals, grows and deletes zvols.

A zvol is created with its marks in one transaction, and reads as zeros until it is written: data of an earlier volume
never shows, so nothing is wiped. While it carries the fresh mark no host has seen it, and its creation may be undone.
"""

from lunette.domain.errors import Conflict, InUse, NoSpace, NotFound
from lunette.domain.sizes import format_size
from lunette.domain.steps import VolumeCut, VolumeDelete, VolumeGrow, VolumesSeal
from lunette.domain.volumes import BLOCK_BYTES, Provisioning
from lunette.providers.arrays.zfs.datasets import Dataset
from lunette.providers.disks.inventory import settle
from lunette.providers.volumes.zvol.own import TIMEOUT_S, await_device, check_own, held, own_pool
from lunette.providers.volumes.zvol.plan import FRESH_MARK, VOLUME_MARK, device_path, reserved_bytes
from lunette.system.system_port import System


def cut(system: System, step: VolumeCut) -> str | None:
    """Create the volume; None if it exists. Refuses what does not fit."""
    found = own_pool(system, step.group)
    known = found.get(f"{step.group}/{step.backing_name}")
    if known is not None:
        check_own(known, step.volume_id)
        if known.volume_bytes != step.size_bytes:
            raise Conflict(
                f"volume {step.backing_name} has {known.volume_bytes} bytes where {step.size_bytes} were planned, and "
                "was not changed"
            )
        await_device(system, device_path(step.group, step.backing_name))
        return None
    if step.source:
        return _clone(system, step, found)
    is_thin = step.provisioning is Provisioning.THIN
    free, needed = found[step.group].available, reserved_bytes(step.size_bytes)
    if not is_thin and needed > free:
        raise NoSpace(
            f"volume {step.backing_name} needs {format_size(needed)} and {step.group} has {format_size(free)} free: "
            "delete volumes, or choose a smaller size"
        )
    shape = [*(["-s"] if is_thin else []), "-b", str(BLOCK_BYTES), "-V", str(step.size_bytes)]
    system.run(["zfs", "create", *shape, *_marks(step), "--", f"{step.group}/{step.backing_name}"], timeout_s=TIMEOUT_S)
    await_device(system, device_path(step.group, step.backing_name))
    return f"volume {step.backing_name} was created"


def _clone(system: System, step: VolumeCut, found: dict[str, Dataset]) -> str:
    source = found.get(f"{step.group}/{step.source}")
    if source is None:
        raise NotFound(f"snapshot {step.source} is not in {step.group}: it was removed meanwhile")
    if source.volume_bytes != step.size_bytes:
        raise Conflict(f"snapshot {step.source} has {source.volume_bytes} bytes where {step.size_bytes} were planned")
    system.run(
        ["zfs", "clone", *_marks(step), "--", source.name, f"{step.group}/{step.backing_name}"], timeout_s=TIMEOUT_S
    )
    await_device(system, device_path(step.group, step.backing_name))
    return f"volume {step.backing_name} is a clone of {step.source}"


def _marks(step: VolumeCut) -> list[str]:
    # volmode=dev: this kernel must not read a host's partitions inside.
    options = ("volmode=dev", f"{VOLUME_MARK}={step.volume_id}", f"{FRESH_MARK}=yes")
    return [word for option in options for word in ("-o", option)]


def undo_cut(system: System, step: VolumeCut) -> str | None:
    """Remove a fresh volume again; None if it is gone. Refuses one that was sealed.

    Raises NotFound while the pool is not imported: the volume may be in it.
    """
    known = own_pool(system, step.group).get(f"{step.group}/{step.backing_name}")
    if known is None:
        return None
    check_own(known, step.volume_id)
    if not is_fresh(known):
        raise InUse(
            f"volume {step.backing_name} is sealed and may contain data: it is not rolled back; delete it instead"
        )
    _destroy(system, known)
    return f"volume {step.backing_name} was rolled back"


def seal(system: System, step: VolumesSeal) -> str | None:
    """Remove the fresh mark; None if none had it."""
    marked = [found.name for found in _sealed_volumes(system, step) if is_fresh(found)]
    if not marked:
        return None
    system.run(["zfs", "inherit", "--", FRESH_MARK, *marked], timeout_s=TIMEOUT_S + len(marked))
    return f"{len(marked)} volumes are sealed"


def undo_seal(system: System, step: VolumesSeal) -> str | None:
    """Mark the volumes fresh again; None if all are. Refuses while one is open: a host may have seen it."""
    unmarked = [found.name for found in _sealed_volumes(system, step) if not is_fresh(found)]
    if not unmarked:
        return None
    opened = held(system, unmarked)
    if opened:
        raise InUse(f"volumes {', '.join(opened)} are open: unmap them first")
    system.run(["zfs", "set", "--", f"{FRESH_MARK}=yes", *unmarked], timeout_s=TIMEOUT_S + len(unmarked))
    return f"{len(unmarked)} volumes are fresh"


def grow(system: System, step: VolumeGrow) -> str | None:
    """Grow the volume while it is in use; None if it has this size. A larger one is left alone."""
    found = own_pool(system, step.group)
    known = found.get(f"{step.group}/{step.backing_name}")
    if known is None or known.volume_bytes is None:
        raise NotFound(f"volume {step.backing_name} is not in {step.group}: it was removed meanwhile")
    check_own(known, step.volume_id)
    if known.volume_bytes > step.size_bytes:
        raise Conflict(f"volume {known.name} has {known.volume_bytes} bytes already: volumes cannot be shrunk")
    if known.volume_bytes == step.size_bytes:
        return None
    more = reserved_bytes(step.size_bytes) - reserved_bytes(known.volume_bytes)
    if not known.is_sparse and more > found[step.group].available:
        raise NoSpace(
            f"volume {step.backing_name} needs {format_size(more)} more and {step.group} has "
            f"{format_size(found[step.group].available)} free: delete volumes, or choose a smaller size"
        )
    # With the size, ZFS sets the reservation of a thick one (libzfs, zfs_add_synthetic_resv).
    system.run(["zfs", "set", "--", f"volsize={step.size_bytes}", known.name], timeout_s=TIMEOUT_S)
    return f"volume {step.backing_name} has {format_size(step.size_bytes)}"


def delete(system: System, step: VolumeDelete) -> str | None:
    """Remove the volume and its data; None if it is gone. Refuses one that is open, has another mark, or is in another
    place.
    """
    pool = own_pool(system, step.group)
    known = pool.get(f"{step.group}/{step.backing_name}")
    if known is None:
        for found in pool.values():
            if not found.is_snapshot and found.marks.get(VOLUME_MARK) == step.volume_id:
                raise Conflict(
                    f"volume {step.backing_name} is {found.name} now and was not changed; recover it, or check what "
                    "happened to it"
                )
        return None
    check_own(known, step.volume_id)
    _destroy(system, known)
    return f"volume {step.backing_name} was deleted"


def is_fresh(volume: Dataset) -> bool:
    return volume.marks.get(FRESH_MARK) == "yes"


def _destroy(system: System, volume: Dataset) -> None:
    if held(system, [volume.name]):
        raise InUse(f"volume {volume.name} is open: unmap it first")
    # Without -r: ZFS refuses a volume with snapshots, and one that was opened meanwhile.
    system.run(["zfs", "destroy", "--", volume.name], timeout_s=TIMEOUT_S)
    settle(system)


def _sealed_volumes(system: System, step: VolumesSeal) -> list[Dataset]:
    found = own_pool(system, step.group)
    sealed = []
    for wanted in step.volumes:
        known = found.get(f"{step.group}/{wanted.backing_name}")
        if known is None:
            raise NotFound(f"volume {wanted.backing_name} is not in {step.group}: it was removed meanwhile")
        check_own(known, wanted.volume_id)
        sealed.append(known)
    return sealed
