"""Adds disks other than data disks to an existing pool, and removes them."""

from lunette.domain.arrays import MemberRole
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import Conflict, InUse, NotFound
from lunette.domain.steps import MemberDisk, PoolAdd, PoolAddSpecial, PoolTakeOut
from lunette.providers.arrays.zfs import joining, labels, observe, parse
from lunette.providers.arrays.zfs.members import TIMEOUT_S, check_new, leaf_of, own_pool
from lunette.providers.arrays.zfs.plan import ASHIFT_MARK, NAMELESS, device_path
from lunette.providers.arrays.zfs.run import role_words
from lunette.providers.arrays.zfs.space import MIN_ASHIFT
from lunette.providers.disks.inventory import observe_disks, same_disk, settle
from lunette.system.system_port import System


def add(system: System, step: PoolAdd | PoolAddSpecial) -> str | None:
    """Add the disks, to the mirror of `beside` or as vdevs of their own; None if all of them are in the pool already.

    A power failure can leave them with ZFS's partitions and a label that the pool does not know: those are cleared
    first.
    """
    pool = own_pool(system, step)
    missing = [member for member in step.members if leaf_of(pool, member.disk_id) is None]
    if not missing:
        return None
    present = observe_disks(system)
    disks = [same_disk(present, member.disk_id, member.serial) for member in missing]
    for disk in disks:
        check_new(system, disk, step, step.disk_bytes, is_nameless=step.role in NAMELESS)
        _check_sector(system, disk, step)
    for disk in disks:
        labels.clear(system, disk, step.pool, step.guid, is_nameless=step.role in NAMELESS)
        if system.is_held(disk.device):
            raise InUse(f"disk {disk.id} is in use by another program: free it first")
    joining.announce(system, step.guid, [member.disk_id for member in step.members])
    for words in _commands(system, step, pool, [disk.id for disk in disks]):
        system.run(words, timeout_s=TIMEOUT_S)
    settle(system)
    return f"{len(disks)} {step.role.value} disks were added to pool {step.pool}"


def undo_add(system: System, step: PoolAdd) -> str | None:
    """Remove the disks and make them blank; None if nothing of it is left."""
    done = [_out(system, step, member) for member in step.members]
    joining.give_up(system, step.guid)
    return f"the disks were removed from pool {step.pool} again" if any(done) else None


def take_out(system: System, step: PoolTakeOut) -> str | None:
    """Remove the disk from the pool and make it blank; None if that was done, or it is missing."""
    if not _out(system, step, step.member):
        return None
    return f"disk {step.member.disk_id} was removed from pool {step.pool}"


def _out(system: System, step: PoolAdd | PoolTakeOut, member: MemberDisk) -> bool:
    pool = own_pool(system, step)
    leaf = leaf_of(pool, member.disk_id)
    if leaf is not None:
        verb = _verb(pool, step.role, member)
        system.run(["zpool", verb, "--", step.pool, leaf.guid], timeout_s=TIMEOUT_S)
        settle(system)
    try:
        disk = same_disk(observe_disks(system), member.disk_id, member.serial)
    except NotFound:
        return leaf is not None
    return labels.clear(system, disk, step.pool, step.guid, is_nameless=step.role in NAMELESS) or leaf is not None


def _verb(pool: parse.Pool, role: MemberRole, member: MemberDisk) -> str:
    """The command that removes the disk. Raises Conflict for a data disk that no spare replaces."""
    if role is not MemberRole.DATA:
        return "detach" if _top(pool, role, member).kind == "mirror" else "remove"
    path = device_path(member.disk_id)
    if not any(slot.kind == "spare" and slot.vdevs[0].path == path for slot in pool.slots()):
        raise Conflict(f"no spare replaces disk {member.disk_id} of pool {pool.name}, so nothing was changed")
    return "detach"


def _top(pool: parse.Pool, role: MemberRole, member: MemberDisk) -> parse.Vdev:
    """The vdev of its role that contains the disk. Raises Conflict for a disk of another role."""
    path = device_path(member.disk_id)
    for top in pool.by_role()[role]:
        if any(leaf.path == path for leaf in top.leaves()):
            return top
    raise Conflict(f"disk {member.disk_id} is not a {role.value} disk of pool {pool.name} and was not changed")


def _commands(system: System, step: PoolAdd | PoolAddSpecial, pool: parse.Pool, ids: list[str]) -> list[list[str]]:
    """-f only if the redundancy of special disks is not exactly that of the data disks."""
    ashift = ["-o", f"ashift={_shift(system, step.pool)}"]
    if step.beside is None:
        force = ["-f"] if step.role is MemberRole.SPECIAL else []
        return [["zpool", "add", *force, *ashift, "--", step.pool, *role_words(step.role, ids)]]
    leaf = leaf_of(pool, step.beside.disk_id)
    if leaf is None:
        raise NotFound(f"disk {step.beside.disk_id} is not a member of pool {step.pool}: check the array's members")
    return [["zpool", "attach", *ashift, "--", step.pool, leaf.guid, f"/dev/disk/by-id/{id_}"] for id_ in ids]


def _check_sector(system: System, disk: ObservedDisk, step: PoolAdd | PoolAddSpecial) -> None:
    shift = _shift(system, step.pool)
    if disk.logical_block_bytes > 1 << shift:
        raise Conflict(
            f"disk {disk.id} has sectors of {disk.logical_block_bytes} bytes, but pool {step.pool} writes {1 << shift}"
        )


def _shift(system: System, pool: str) -> int:
    root = next((found for found in observe.datasets(system, pool) if found.name == pool), None)
    return int(root.marks.get(ASHIFT_MARK, MIN_ASHIFT)) if root else MIN_ASHIFT
