"""Replaces a lost disk of a pool by a spare, and makes the spare available again."""

from lunette.domain.errors import Conflict, NotFound
from lunette.domain.steps import PoolSpareBack, PoolSpareIn
from lunette.providers.arrays.zfs import parse
from lunette.providers.arrays.zfs.members import TIMEOUT_S, leaf_of, own_pool
from lunette.providers.arrays.zfs.plan import device_path
from lunette.providers.disks.inventory import settle
from lunette.system.system_port import System


def step_in(system: System, step: PoolSpareIn) -> str | None:
    """Start to fill the spare in the place of the lost disk; None if it has that already.

    Raises Conflict if the disk works again, or the spare is no longer available.
    """
    pool = own_pool(system, step)
    if _in_place(pool, step) is not None:
        return None
    old = leaf_of(pool, step.old.disk_id)
    if old is None:
        raise NotFound(f"disk {step.old.disk_id} is not a member of pool {step.pool}: check the array's members")
    stands_by = any(spare.path == _path(step) and spare.state == "AVAIL" for spare in pool.spares)
    if not stands_by:
        raise Conflict(f"spare {step.name} is no longer available in pool {step.pool}")
    word = f"/dev/disk/by-id/{step.spare.disk_id}" if step.spare else step.name
    system.run(["zpool", "replace", "--", step.pool, old.guid, word], timeout_s=TIMEOUT_S)
    settle(system)
    return f"spare {step.name} is being rebuilt to replace disk {step.old.disk_id}"


def go_back(system: System, step: PoolSpareIn | PoolSpareBack) -> str | None:
    """Make the spare available again; None if it is. Raises ToolFailed if the pool cannot do without it."""
    pool = own_pool(system, step)
    leaf = _in_place(pool, step)
    if leaf is None:
        return None
    system.run(["zpool", "detach", "--", step.pool, leaf.guid], timeout_s=TIMEOUT_S)
    settle(system)
    return f"spare {step.name} is available again"


def _in_place(pool: parse.Pool, step: PoolSpareIn | PoolSpareBack) -> parse.Vdev | None:
    """The spare among the data disks."""
    return next((leaf for leaf in pool.root.leaves() if leaf.path == _path(step)), None)


def _path(step: PoolSpareIn | PoolSpareBack) -> str:
    """A distributed spare has zpool's name for it as its path (vdev_draid_spare_create, module/zfs/vdev_draid.c)."""
    return device_path(step.spare.disk_id) if step.spare else step.name
