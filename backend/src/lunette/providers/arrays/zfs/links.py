"""Finds the disks of a pool's vdevs if their paths are links that udev may have moved to another LUN.

A pool stores the path each disk had when it was imported, and has the disk open whatever becomes of that name.
"""

from collections.abc import Iterator, Sequence

from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import LunetteError
from lunette.providers.arrays.zfs import parse
from lunette.providers.arrays.zfs.plan import device_path
from lunette.providers.disks.identity import is_shared
from lunette.providers.disks.inventory import BY_ID, UNREADABLE, observe_disks
from lunette.system.system_port import System


def placed(
    system: System, pool: parse.Pool, disks: Sequence[ObservedDisk]
) -> tuple[parse.Pool, Sequence[ObservedDisk]]:
    """The pool with the present paths for vdevs whose links several LUNs share, as the labels on those show.

    A disk that such a link leads to and that is not this vdev loses the link.
    """
    paths: dict[str, str] = {}
    moved: list[str | None] = []
    links = [link for disk in disks for link in disk.links]
    for leaf in _doubtful(pool, links):
        led = parse.disk_of(leaf.path, disks)
        if led is None or leaf.path is None or not _can_be_read(led):
            continue
        alike = [one for one in disks if led.serial and one.serial == led.serial and one is not led]
        if not alike and led.id == parse.link_of(leaf.path):
            continue
        try:
            if _vdev_guid(system, leaf.path) == leaf.guid:
                paths[leaf.guid] = device_path(led.id)
                continue
            moved.append(parse.link_of(leaf.path))
            alike = [one for one in alike if _can_be_read(one)]
            own = next((one for one in alike if _vdev_guid(system, device_path(one.id)) == leaf.guid), None)
        except LunetteError:  # an unreadable disk: ZFS itself reports its state
            continue
        if own is not None:
            paths[leaf.guid] = device_path(own.id)
    if not paths and not moved:
        return pool, disks
    kept = [disk.model_copy(update={"links": tuple(one for one in disk.links if one not in moved)}) for disk in disks]
    tops = {group: _with_paths(tops, paths) for group, tops in pool.by_group().items()}
    root = pool.root.model_copy(update={"vdevs": _with_paths(pool.root.vdevs, paths)})
    return pool.model_copy(update={**tops, "root": root}), kept


def placed_now(system: System, pool: parse.Pool) -> parse.Pool:
    """The same for a change of the pool; the disks are read only if it matters."""
    links = system.listdir(BY_ID)
    return placed(system, pool, observe_disks(system))[0] if any(_doubtful(pool, links)) else pool


def _doubtful(pool: parse.Pool, links: Sequence[str]) -> Iterator[parse.Vdev]:
    for _, leaf in pool.leaves():
        link = parse.link_of(leaf.path)
        if link is not None and leaf.guid.isdigit() and is_shared(link, links, ""):
            yield leaf


def _can_be_read(disk: ObservedDisk) -> bool:
    """A drive over a fabric whose target is down blocks every reader, as a dying one may do."""
    return not disk.fabric and not any(signature.type == UNREADABLE for signature in disk.signatures)


def _vdev_guid(system: System, path: str) -> str | None:
    """The vdev named by the label on a partition; None if there is no label, or no partition."""
    if not system.exists(path):
        return None
    # Code 2: nothing is found, 8: more than one thing, and none of them is shown.
    said = system.run(["blkid", "-p", "-o", "export", "--", system.realpath(path)], timeout_s=30, ok=(0, 2, 8)).stdout
    facts = dict(line.split("=", 1) for line in said.splitlines() if "=" in line)
    return facts.get("UUID_SUB") if facts.get("TYPE") == "zfs_member" else None


def _with_paths(vdevs: Sequence[parse.Vdev], paths: dict[str, str]) -> tuple[parse.Vdev, ...]:
    return tuple(
        vdev.model_copy(update={"path": paths.get(vdev.guid, vdev.path), "vdevs": _with_paths(vdev.vdevs, paths)})
        for vdev in vdevs
    )
