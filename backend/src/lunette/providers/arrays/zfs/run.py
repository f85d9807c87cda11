"""Creates and destroys pools. Each call looks first, so that a repeated call only recognizes its own work.

A power failure can leave: disks with ZFS's partitions and no label, labels of an incomplete pool, a pool under the GUID
that ZFS gave it, a complete pool. All labels contain the name that the plan chose, which no other pool has. The GUID is
set last, so a label that contains it too is of a completed pool.
"""

import contextlib
import itertools
from collections.abc import Mapping, Sequence

from lunette.domain.arrays import Level, MemberRole
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import Conflict, InUse, NotFound, ToolFailed
from lunette.domain.steps import MemberDisk, PoolCreate, PoolDestroy
from lunette.providers.arrays.zfs import labels, module, observe, parse
from lunette.providers.arrays.zfs.assemble import import_pool
from lunette.providers.arrays.zfs.plan import ASHIFT_MARK, MARK, NAMELESS, device_path
from lunette.providers.arrays.zfs.space import PAIR
from lunette.providers.disks.inventory import observe_disks, same_disk, settle
from lunette.system.system_port import System

CREATE_TIMEOUT_S = 600.0
"""Partitions, labels and a first transaction: 39 s were seen on an emulated CPU."""
NOT_FOUND = "no such pool or dataset"
"""zpool's message for ENOENT. Seen on a slow machine: the last of seven disks was read again, and its link with it."""
FEATURES = "openzfs-2.3-linux"
"""A file of /usr/share/zfs/compatibility.d, with every feature of the OpenZFS of Debian 13. A newer OpenZFS creates
pools without its own features, so that a system of an earlier version can import them (zpool-features(7)).
"""
_POOL_OPTIONS = (f"compatibility={FEATURES}", "cachefile=none", "autoexpand=off", "autoreplace=off", "autotrim=off")
_ROOT_OPTIONS = ("compression=lz4", "atime=off", "mountpoint=none", "canmount=off")


def create(system: System, step: PoolCreate) -> str | None:
    """Create the pool; None if it exists already. Refuses members that are in use, exchanged, or not blank."""
    module.load(system)
    settle(system)
    if step.pool in observe.imported(system) or _import_left(system, step):
        return _finish(system, step)
    present = observe_disks(system)
    disks = {
        role: [same_disk(present, member.disk_id, member.serial) for member in members]
        for role, members in step.by_role().items()
    }
    for role, found in disks.items():
        for disk in found:
            _check_member(system, disk, step, role)
    for disk in itertools.chain.from_iterable(disks.values()):
        _clear(system, disk, step, None)
        if system.is_held(disk.device):
            raise InUse(f"disk {disk.id} is in use by another program: free it first")
    _run_create(system, step, _create_command(step, disks))
    settle(system)
    return _finish(system, step)


def _run_create(system: System, step: PoolCreate, command: Sequence[str]) -> None:
    """If the kernel did not find a partition, udev was just creating its link again: that is retried once."""
    try:
        system.run(command, timeout_s=CREATE_TIMEOUT_S)
    except ToolFailed as error:
        if NOT_FOUND not in error.log:
            raise
        settle(system)
        for disk in _own_disks(observe_disks(system), step):
            _clear(system, disk, step, None)
        system.run(command, timeout_s=CREATE_TIMEOUT_S)


def undo_create(system: System, step: PoolCreate) -> str | None:
    """Undo the creation; None if nothing of it is left. Refuses while it contains a volume.

    One that can no longer be imported was partially undone by an earlier run, and is cleared.
    """
    module.load(system)
    settle(system)
    if step.pool not in observe.imported(system):
        _import_left(system, step)
    return _remove(system, step, None)


def destroy(system: System, step: PoolDestroy) -> str | None:
    """Destroy the pool and clear its labels; None if that was done. Refuses while it contains a volume.

    A pool that is not imported is inspected first; one that can no longer be imported is cleared.
    """
    module.load(system)
    settle(system)
    if step.pool not in observe.imported(system):
        _import_left(system, step)
    return _remove(system, step, step.guid)


def _import_left(system: System, step: PoolCreate | PoolDestroy) -> bool:
    """Import what an earlier run or a boot left; returns whether the pool exists now."""
    found = {member.disk_id: labels.read(system, member.disk_id) for member in _everyone(step)}
    labelled = {id_: label for id_, label in found.items() if label is not None}
    if not any(label.pool == step.pool for label in labelled.values()):
        return False
    own = [id_ for id_, label in labelled.items() if label.pool == step.pool or label.is_nameless]
    with contextlib.suppress(ToolFailed):
        import_pool(system, step.pool, own)
    return step.pool in observe.imported(system)


def _finish(system: System, step: PoolCreate) -> str | None:
    """Give the pool the planned GUID, which marks it as complete. Raises Conflict if it belongs to another array."""
    pool = _own_pool(system, step)
    if (pool.level(), pool.layout()) != (step.level.value, step.layout) or len(pool.slots()) != len(step.members):
        raise Conflict(
            f"pool {step.pool} was not changed: it is a {pool.level()} of {len(pool.slots())} disks, but a "
            f"{step.level.value} of {len(step.members)} was planned"
        )
    disks = observe_disks(system)
    for role, members in step.by_role().items():
        paths = {leaf.path for other, leaf in pool.leaves() if other is role}
        ids = {disk.id for path in paths if (disk := parse.disk_of(path, disks))}  # by another of its links
        if absent := [
            one.disk_id for one in members if device_path(one.disk_id) not in paths and one.disk_id not in ids
        ]:
            raise Conflict(
                f"pool {step.pool} was not changed: disk {absent[0]} is not one of its {role.value} disks as planned"
            )
    if pool.guid == step.guid:
        return None
    system.run(["zpool", "reguid", "-g", step.guid, "--", step.pool], timeout_s=CREATE_TIMEOUT_S)
    return f"pool {step.pool} was created from {len(step.everyone())} disks"


def _everyone(step: PoolCreate | PoolDestroy) -> tuple[MemberDisk, ...]:
    return step.everyone() if isinstance(step, PoolCreate) else step.members


def _own_pool(system: System, step: PoolCreate | PoolDestroy) -> parse.Pool:
    pool = observe.find_pool(system, step.pool)
    if pool is None:
        raise ToolFailed(f"pool {step.pool} is not shown by zpool; the job's log has the reason")
    root = next((found for found in observe.datasets(system, step.pool) if found.name == step.pool), None)
    if root is None or root.marks.get(MARK) != step.array_id:
        raise Conflict(f"pool {step.pool} does not carry the mark of array {step.array_id} and was not changed")
    return pool


def _remove(system: System, step: PoolCreate | PoolDestroy, guid: str | None) -> str | None:
    kept = step.kept if isinstance(step, PoolDestroy) else ()
    was_there = step.pool in observe.imported(system)
    disks = _own_disks(observe_disks(system), step)
    if was_there:
        pool = _own_pool(system, step)
        if guid not in (None, pool.guid):
            raise Conflict(
                f"pool {step.pool} was not changed: it has the GUID {pool.guid}, but the plan was made for {guid}"
            )
        names = [name for one in kept for name in (one.aside_name, *(below.aside_name for below in one.snapshots))]
        gone = {step.pool, *(f"{step.pool}/{name}" for name in names)}
        volumes = [found.name for found in observe.datasets(system, step.pool) if found.name not in gone]
        if volumes:
            raise InUse(f"pool {step.pool} still holds {', '.join(volumes[:5])}: delete its volumes first")
        system.run(["zpool", "destroy", "--", step.pool], timeout_s=CREATE_TIMEOUT_S)
        settle(system)
        disks = _own_disks(observe_disks(system), step)
    cleared = sum([_clear(system, disk, step, guid) for disk in disks])
    if not was_there and not cleared:
        return None
    absent = len(_everyone(step)) - len(disks)
    note = f"; {absent} of its disks are missing and retain their labels" if absent else ""
    return f"pool {step.pool} was removed from {cleared} disks{note}"


def _clear(system: System, disk: ObservedDisk, step: PoolCreate | PoolDestroy, guid: str | None) -> bool:
    """A creation and its undo refuse the same: only its own cache or spare disks may carry a nameless label."""
    unnamed = (*step.cache, *step.spares) if isinstance(step, PoolCreate) else step.members
    return labels.clear(system, disk, step.pool, guid, is_nameless=any(member.disk_id == disk.id for member in unnamed))


def _own_disks(present: tuple[ObservedDisk, ...], step: PoolCreate | PoolDestroy) -> list[ObservedDisk]:
    """The disks of the step that are present. Raises Conflict before anything is changed if one was exchanged."""
    found = []
    for member in _everyone(step):
        try:
            found.append(same_disk(present, member.disk_id, member.serial))
        except NotFound:
            continue
    return found


def _check_member(system: System, disk: ObservedDisk, step: PoolCreate, role: MemberRole) -> None:
    """A label without a pool was left on a cache disk by an interrupted creation: the plan saw it blank."""
    if disk.is_busy():
        why = disk.occupation() or ("it carries the running system" if disk.used_by_system else "it is on a fabric")
        raise InUse(f"disk {disk.id} cannot be a member because {why}: free it, or choose another disk")
    if not disk.signatures and not disk.partitions:
        return
    label = labels.read(system, disk.id)
    if label is not None and label.pool == step.pool and label.guid == step.guid:
        raise Conflict(f"disk {disk.id} carries finished pool {step.pool}, which cannot be imported: check its disks")
    is_own = label is not None and (label.pool == step.pool or (label.is_nameless and role in NAMELESS))
    if not is_own and not labels.is_bare(system, disk):
        raise InUse(
            f"disk {disk.id} cannot be a member because {disk.occupation()}: allow wiping it, or choose another disk"
        )


def _create_command(step: PoolCreate, disks: Mapping[MemberRole, Sequence[ObservedDisk]]) -> list[str]:
    """Without -f, zpool itself refuses a disk that is not empty, but also data disks that differ in size, and special
    disks whose redundancy is not exactly that of the data disks (check_replication, zpool_vdev.c).
    """
    differ = any(len({disk.size_bytes for disk in disks[role]}) > 1 for role in (MemberRole.DATA, MemberRole.SPECIAL))
    force = ["-f"] if differ or step.special else []
    marks = (f"{MARK}={step.array_id}", f"{ASHIFT_MARK}={step.ashift}")
    pool = [word for option in (f"ashift={step.ashift}", *_POOL_OPTIONS) for word in ("-o", option)]
    root = [word for option in (*_ROOT_OPTIONS, *marks) for word in ("-O", option)]
    data = _data_words(step, [f"/dev/disk/by-id/{disk.id}" for disk in disks[MemberRole.DATA]])
    auxiliary = [
        word
        for role, found in disks.items()
        if found and role is not MemberRole.DATA
        for word in role_words(role, [disk.id for disk in found])
    ]
    return ["zpool", "create", *force, *pool, *root, "--", step.pool, *data, *auxiliary]


def _data_words(step: PoolCreate, paths: Sequence[str]) -> list[str]:
    match step.level:
        case Level.STRIPE:
            return [*paths]
        case Level.RAID10:
            return [word for at in range(0, len(paths), PAIR) for word in ("mirror", *paths[at : at + PAIR])]
        case _:
            return [step.layout or step.level.value, *paths]


def role_words(role: MemberRole, disk_ids: Sequence[str]) -> list[str]:
    """How zpool gets disks other than data disks: several log or special disks form one mirror."""
    is_mirror = role in (MemberRole.LOG, MemberRole.SPECIAL) and len(disk_ids) > 1
    return [role.value, *(["mirror"] if is_mirror else []), *(f"/dev/disk/by-id/{id_}" for id_ in disk_ids)]
