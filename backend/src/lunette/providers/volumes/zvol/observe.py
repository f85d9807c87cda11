"""Pools as space for volumes, their zvols and snapshots, from the output of zfs and zpool. Pure."""

from collections.abc import Sequence

from lunette.domain.arrays import Level, ObservedArray
from lunette.domain.volumes import BLOCK_BYTES, ObservedGroup, ObservedVolume
from lunette.providers.arrays.zfs import draid, space
from lunette.providers.arrays.zfs.datasets import Dataset
from lunette.providers.arrays.zfs.plan import ASHIFT_MARK, MARK
from lunette.providers.volumes.zvol.plan import FRESH_MARK, SNAPSHOT_MARK, VOLUME_MARK, device_path, short_name


def observed(
    found: Sequence[Dataset], arrays: Sequence[ObservedArray]
) -> tuple[tuple[ObservedGroup, ...], tuple[ObservedVolume, ...]]:
    """Pools and volumes of the product; foreign ones have no IDs of Lunette.

    Free space is in bytes of volumes: ZFS counts it for blocks of 128 KiB, and smaller ones may need padding.
    """
    by_name = {array.name: array for array in arrays}
    roots = {dataset.name: dataset for dataset in found if dataset.volume_bytes is None and dataset.name in by_name}
    ratios = {name: _ratio(root, by_name[name]) for name, root in roots.items()}
    pools = tuple(_pool(root, by_name[root.name], ratios[root.name]) for root in roots.values())
    volumes = tuple(
        _volume(dataset, dataset.volume_bytes, roots[dataset.pool], ratios[dataset.pool])
        for dataset in found
        if dataset.volume_bytes is not None and dataset.pool in roots
    )
    return pools, volumes


def _volume(dataset: Dataset, size_bytes: int, root: Dataset, ratio: float) -> ObservedVolume:
    """A zvol, or a snapshot of one, which has no device."""
    marks = dataset.marks if MARK in root.marks else {}
    fills = dataset.is_sparse and not dataset.is_snapshot
    return ObservedVolume(
        volume_id=marks.get(VOLUME_MARK),
        snapshot_id=marks.get(SNAPSHOT_MARK),
        group=dataset.pool,
        name=short_name(dataset.name),
        device=device_path(*dataset.name.split("/", 1)),
        size_bytes=size_bytes,
        active=not dataset.is_snapshot,
        open=False if dataset.is_snapshot else None,
        sealed=dataset.marks.get(FRESH_MARK) != "yes",
        used_bytes=int(dataset.referenced / ratio) if fills else None,
        source=short_name(dataset.origin) if dataset.origin else None,
    )


def _ratio(root: Dataset, array: ObservedArray) -> float:
    """ZFS's overhead factor for the blocks of a volume; 1 if the layout is unknown."""
    if array.level not in set(Level):
        return 1.0
    shift = int(root.marks.get(ASHIFT_MARK, space.MIN_ASHIFT))
    shape = draid.read(array.layout or "")
    return space.dilution(Level(array.level), array.raid_disks, BLOCK_BYTES, shift, shape=shape)


def _pool(root: Dataset, array: ObservedArray, ratio: float) -> ObservedGroup:
    return ObservedGroup(
        array_uuid=array.uuid,
        group=root.name,
        ours=MARK in root.marks,
        size_bytes=int((root.available + root.used) / ratio),
        free_bytes=int(root.available / ratio),
        extent_bytes=BLOCK_BYTES,
    )
