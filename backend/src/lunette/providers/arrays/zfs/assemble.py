"""Imports a pool after a boot, exports it at shutdown.

Only the disks recorded as its members are ever read, and those that were being added to it.
"""

from collections.abc import Sequence, Set

from lunette.domain.errors import Conflict, LunetteError
from lunette.domain.exports import ExportArray
from lunette.providers.arrays import absent
from lunette.providers.arrays.zfs import joining, module, observe, parse
from lunette.providers.arrays.zfs.plan import MARK, device_path
from lunette.providers.disks.inventory import observe_disks, settle
from lunette.system.system_port import System

IMPORT_TIMEOUT_S = 300.0
EXPORT_TIMEOUT_S = 90.0
"""Less than the service manager allows for the whole shutdown (lunette-exports.service): the other pools need time
too.
"""


NO_LOG = (
    "its log disks are missing and may contain the last writes that were acknowledged to hosts. Reconnect one of "
    "them; if all are permanently lost, see the guide to pools for how to continue without those writes"
)


def is_up(system: System, array: ExportArray) -> bool:
    """True if the pool is imported."""
    return array.group in observe.imported(system)


def start(system: System, array: ExportArray, *, allow_degraded: bool) -> str | None:
    """Import the pool if its disks are present; None once it is, otherwise what it waits for, in words.

    With `allow_degraded` it starts without missing disks, as far as its level survives that. Nothing is forced: a pool
    that ZFS considers too damaged, or in use by another machine, stays unchanged.
    """
    disks = [disk for disk in observe_disks(system, array.members) if not disk.fabric]
    own = {name for disk in disks for name in (disk.id, *disk.links)}
    present = [id_ for id_ in array.members if id_ in own and system.exists(device_path(id_))]
    count = len(array.members)
    if not present or (len(present) < count and not allow_degraded):
        there = [disk.id for disk in disks if not {disk.id, *disk.links}.isdisjoint(present)]
        found = f"{len(present)} of {count} disks present" if present else ""
        return absent.waits(array, disks, there, found)
    try:
        module.load(system)
        import_pool(system, array.uuid, [*present, *joining.unrecorded(system, array)])
    except LunetteError as error:
        return f"array {array.name} did not start with {len(present)} of {count} disks: {_why(error)}"
    return None


def _why(error: LunetteError) -> str:
    """The message of zpool, in one line. Its last one suggests to force the import, which is not to be followed
    blindly.
    """
    said = [line.strip() for line in error.log.splitlines()]
    if any("use '-m' to import" in line for line in said):
        return NO_LOG
    if (used := next((line for line in said if line.startswith("Last accessed by")), None)) is not None:
        return (
            f"another system is using it, or was using it when it failed. {used}. Disconnect the disks from that "
            "system first"
        )
    return next((line for line in said if line.startswith("cannot import")), error.detail)


def tend(system: System, array: ExportArray) -> None:
    """Limit the cache, and re-add members that have returned: ZFS does not notice them without its event daemon.

    A member that ZFS dropped for its errors is not re-added. ZFS holds the disks it uses, so a healthy pool costs no
    command.
    """
    module.keep_cache_limit(system)
    joining.forget(system, array)
    paths = [device_path(id_) for id_ in array.members]
    idle = {system.realpath(path) for path in paths if system.exists(path) and not system.is_held(path)}
    pool = observe.find_pool(system, array.group) if idle else None
    for _, leaf in pool.leaves() if pool else ():
        if leaf.path and system.realpath(leaf.path) in idle and leaf.state in parse.AWAY:
            system.run(["zpool", "online", "--", array.group, leaf.guid], timeout_s=IMPORT_TIMEOUT_S)


def activate(system: System, array: ExportArray) -> None:
    """The volumes of a pool appear with it: wait until udev has named them.

    Raises Conflict for a pool without the mark of this very array, such as that of the running system.
    """
    root = observe.root(system, array.group)
    if root is None or root.marks.get(MARK) != array.array_id:
        raise Conflict(f"pool {array.group} does not carry the mark of array {array.name} and was not changed")
    settle(system)


def import_pool(system: System, pool: str, disk_ids: Sequence[str]) -> None:
    """Import a pool, by GUID or name, from only these disks. Raises ToolFailed if ZFS refuses."""
    places = [word for id_ in disk_ids for word in ("-d", device_path(id_))]
    system.run(["zpool", "import", "-N", "-o", "cachefile=none", *places, "--", pool], timeout_s=IMPORT_TIMEOUT_S)
    settle(system)


def shut_down(system: System, still_open: Set[str] | None) -> list[str]:
    """Export every pool of ours without open volumes. What was refused, in words.

    `still_open` are the real paths of devices that are in use without an exclusive claim; None if they are not
    known: then any volume may be open.
    """
    unread: dict[str, str] = {}
    try:
        ours = [root.name for root in observe.all_datasets(system, unread) if observe.is_ours(root)]
    except LunetteError as error:
        return [f"pools cannot be listed: {error.detail}"]
    refused = [f"pool {name}: {reason}" for name, reason in unread.items()]
    for name in ours:
        opened = [zvol for zvol in system.listdir(f"/dev/zvol/{name}") if _is_open(system, name, zvol, still_open)]
        if opened:
            # OpenZFS 2.3 would wait for ever, and keep the pool from everybody meanwhile.
            are = "may still be" if still_open is None else "still"
            refused.append(f"pool {name}: {', '.join(opened[:5])} {are} open")
            continue
        try:
            system.run(["zpool", "export", "--", name], timeout_s=EXPORT_TIMEOUT_S)
        except LunetteError as error:
            refused.append(f"pool {name}: {error.detail}")
    return refused


def _is_open(system: System, pool: str, zvol: str, still_open: Set[str] | None) -> bool:
    device = f"/dev/zvol/{pool}/{zvol}"
    return still_open is None or system.realpath(device) in still_open or system.is_held(device)
