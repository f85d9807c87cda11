"""Replaces disks of an existing pool, and scrubs it."""

from lunette.domain.array_changes import ScrubAction
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import Conflict, InUse, NotFound
from lunette.domain.steps import PoolRelease, PoolReplace, PoolScrub, PoolStep
from lunette.providers.arrays.zfs import labels, links, observe, parse
from lunette.providers.arrays.zfs.plan import MARK, device_path
from lunette.providers.disks.inventory import observe_disks, same_disk, settle
from lunette.system.system_port import System

TIMEOUT_S = 300.0


def replace(system: System, step: PoolReplace) -> str | None:
    """Start to fill the new disk; None if it is in the pool already. Refuses one that is in use, too small, not blank.

    A power failure can leave it with ZFS's partitions and a label of this pool that the pool does not know: they are
    cleared first.
    """
    pool = own_pool(system, step)
    if leaf_of(pool, step.new.disk_id) is not None:
        return None
    old = leaf_of(pool, step.old.disk_id)
    if old is None:
        raise NotFound(f"disk {step.old.disk_id} is not a member of pool {step.pool}: check the array's members")
    disk = same_disk(observe_disks(system), step.new.disk_id, step.new.serial)
    check_new(system, disk, step, step.disk_bytes)
    labels.clear(system, disk, step.pool, step.guid)
    if system.is_held(disk.device):
        raise InUse(f"disk {disk.id} is in use by another program: free it first")
    system.run(["zpool", "replace", "--", step.pool, old.guid, f"/dev/disk/by-id/{disk.id}"], timeout_s=TIMEOUT_S)
    settle(system)
    return f"disk {disk.id} is being rebuilt"


def undo_replace(system: System, step: PoolReplace) -> str | None:
    """Stop filling the new disk and make it blank; None if it carries nothing of this pool.

    Raises Conflict if it is in place already: the pool cannot return to the old one.
    """
    pool = own_pool(system, step)
    leaf = leaf_of(pool, step.new.disk_id)
    if leaf is not None:
        if leaf_of(pool, step.old.disk_id) is None:
            raise Conflict(f"disk {step.new.disk_id} is already in use in pool {step.pool} and cannot be removed")
        system.run(["zpool", "detach", "--", step.pool, leaf.guid], timeout_s=TIMEOUT_S)
        settle(system)
    try:
        disk = same_disk(observe_disks(system), step.new.disk_id, step.new.serial)
    except NotFound:
        return None if leaf is None else f"disk {step.new.disk_id} was removed from the pool"
    cleared = labels.clear(system, disk, step.pool, step.guid)
    return f"disk {disk.id} is blank again" if cleared or leaf is not None else None


def release(system: System, step: PoolRelease) -> str | None:
    """Clear the label of the pool on a disk it no longer uses; None if there is nothing, or no disk."""
    pool = own_pool(system, step)
    leaf = leaf_of(pool, step.member.disk_id)
    try:
        disk = same_disk(observe_disks(system), step.member.disk_id, step.member.serial)
    except NotFound:
        return None
    if leaf is not None and leaf.state in ("ONLINE", "AVAIL", parse.IN_USE):
        raise InUse(f"pool {step.pool} still uses disk {disk.id}: wait until the new disk is rebuilt")
    if leaf is not None or system.is_held(disk.device):
        return None
    return f"disk {disk.id} is free" if labels.clear(system, disk, step.pool, step.guid) else None


def scrub(system: System, step: PoolScrub) -> str | None:
    """Start or stop a scrub; None if it is already so. Raises Conflict while a disk is being filled."""
    scan = own_pool(system, step).scan
    runs = scan is not None and scan.is_running
    if scan is not None and runs and scan.is_resilver:
        raise Conflict(f"a disk of pool {step.pool} is being rebuilt: wait until it has finished, then try again")
    if runs != (step.action is ScrubAction.STOP):
        return None
    if step.action is ScrubAction.STOP:
        return _stop(system, step.pool)
    system.run(["zpool", "scrub", "--", step.pool], timeout_s=TIMEOUT_S)
    return f"pool {step.pool} is being scrubbed"


def undo_scrub(system: System, step: PoolScrub) -> str | None:
    """Stop the scrub that was started. A stopped one stays stopped: it read nothing that it would not read again."""
    scan = own_pool(system, step).scan
    runs = scan is not None and scan.is_running and not scan.is_resilver
    return _stop(system, step.pool) if runs and step.action is not ScrubAction.STOP else None


def _stop(system: System, pool: str) -> str:
    system.run(["zpool", "scrub", "-s", "--", pool], timeout_s=TIMEOUT_S)
    return f"the scrub of pool {pool} was stopped"


def own_pool(system: System, step: PoolStep) -> parse.Pool:
    """The pool of the step, with the present names of its disks. Raises NotFound, or Conflict if it is not
    Lunette's.
    """
    pool = observe.find_pool(system, step.pool)
    if pool is None:
        raise NotFound(f"pool {step.pool} is not available: start its array, then try again")
    root = next((found for found in observe.datasets(system, step.pool) if found.name == step.pool), None)
    if pool.guid != step.guid or root is None or root.marks.get(MARK) != step.array_id:
        raise Conflict(f"pool {step.pool} does not carry the mark of array {step.array_id} and was not changed")
    return links.placed_now(system, pool)


def leaf_of(pool: parse.Pool, disk_id: str) -> parse.Vdev | None:
    """The disk's place in the pool, whatever its role."""
    return next((leaf for _, leaf in pool.leaves() if leaf.path == device_path(disk_id)), None)


def check_new(
    system: System, disk: ObservedDisk, step: PoolStep, least_bytes: int, *, is_nameless: bool = False
) -> None:
    """Raises InUse or Conflict for a disk that cannot join. `is_nameless`: labels of an earlier run name no pool."""
    if disk.is_busy():
        raise InUse(f"disk {disk.id} cannot be a member because {disk.occupation() or 'it is in use'}: free it first")
    if disk.size_bytes < least_bytes:
        raise Conflict(f"disk {disk.id} has {disk.size_bytes} bytes, but {least_bytes} are required")
    label = labels.read(system, disk.id)
    own = label is not None and ((label.pool, label.guid) == (step.pool, step.guid) or (is_nameless and not label.pool))
    if (disk.signatures or disk.partitions) and not own and not labels.is_bare(system, disk):
        raise InUse(
            f"disk {disk.id} cannot be a member because {disk.occupation()}: allow wiping it, or choose another disk"
        )
