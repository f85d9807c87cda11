"""ZFS pools: the content of imported pools, and of others what the labels on their disks say.

No pool is imported for this, and the kernel module is not loaded.
"""

from collections.abc import Iterator, Sequence

from lunette.domain.adopting import ForeignGroup, ForeignVolume
from lunette.domain.arrays import ArrayEngine, ArrayState, ObservedArray, ObservedMember, WriteHole
from lunette.domain.disks import ObservedDisk, Signature
from lunette.domain.foreign_arrays import FoundArray
from lunette.domain.volumes import BLOCK_BYTES
from lunette.providers.arrays.zfs import observe
from lunette.providers.arrays.zfs.datasets import Dataset
from lunette.providers.arrays.zfs.plan import MARK
from lunette.providers.arrays.zfs.plan import device_path as disk_path
from lunette.providers.disks.inventory import read_signatures
from lunette.providers.volumes.zvol.plan import VOLUME_MARK, device_path, short_name
from lunette.system.system_port import System

UNKNOWN_LEVEL = "pool"
"""State of a pool whose tree of disks was not read."""


def found(system: System, disks: Sequence[ObservedDisk]) -> Iterator[FoundArray]:
    """All pools but those on disks that are reached over a fabric."""
    unread: dict[str, str] = {}
    datasets = observe.all_datasets(system, unread)
    arrays = observe.observe_arrays(system, datasets, disks, unread)
    for array in arrays:
        problem = f"pool {array.name} cannot be read: {unread[array.name]}" if array.name in unread else None
        group = None if problem else _group(system, array, datasets)
        yield FoundArray(seen=array, engine_name=array.name, group=group, problem=problem)
    known = {array.uuid for array in arrays} | set(observe.imported(system))
    for array in _down(system, disks):
        if known.isdisjoint((array.uuid, array.name)):
            yield FoundArray(seen=array, engine_name=array.name)


def _group(system: System, array: ObservedArray, datasets: Sequence[Dataset]) -> ForeignGroup:
    root = next((one for one in datasets if one.name == array.name), None)
    zvols = [one for one in datasets if one.pool == array.name and one.volume_bytes is not None and not one.is_snapshot]
    return ForeignGroup(
        name=array.name,
        uuid=array.uuid,
        extent_bytes=BLOCK_BYTES,
        arrays=(array.uuid,),
        devices=1,
        marked_for=array.uuid if root is not None and MARK in root.marks else None,
        engine_name=array.name,
        size_bytes=array.size_bytes,
        free_bytes=root.available if root else 0,
        volumes=tuple(
            ForeignVolume(
                name=short_name(one.name),
                size_bytes=one.volume_bytes or 0,
                is_plain=one.origin is None,
                is_open=system.is_held(device_path(*one.name.split("/", 1))),
                is_ours=VOLUME_MARK in one.marks,
            )
            for one in zvols
        ),
    )


def _down(system: System, disks: Sequence[ObservedDisk]) -> Iterator[ObservedArray]:
    """By the labels on the partitions that libzfs makes of whole disks."""
    paths = {disk_path(disk.id): disk for disk in disks if disk.partitions and not disk.fabric}
    there = {system.realpath(path).rpartition("/")[2]: disk for path, disk in paths.items() if system.exists(path)}
    carried = read_signatures(system, [f"/dev/{name}" for name in sorted(there)])
    pools: dict[str, list[tuple[ObservedDisk, Signature]]] = {}
    for name, signatures in sorted(carried.items()):
        for one in signatures:
            if one.type == "zfs_member" and one.uuid and name in there:
                pools.setdefault(one.uuid, []).append((there[name], one))
    for guid, members in pools.items():
        yield ObservedArray(
            uuid=guid,
            engine=ArrayEngine.ZFS,
            name=members[0][1].label or guid,
            ours=False,
            device=None,
            level=UNKNOWN_LEVEL,
            state=ArrayState.MISSING,
            size_bytes=0,
            chunk_bytes=None,
            write_hole=WriteHole.COPY_ON_WRITE,
            raid_disks=len(members),
            progress=None,
            mismatch_count=None,
            members=tuple(ObservedMember(disk_id=disk.id, device=disk.device, state="spare") for disk, _ in members),
        )
