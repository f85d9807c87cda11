"""Pools as the space volumes are cut from, and the zvols in them: pure, from what zfs and zpool told."""

from collections.abc import Sequence

from lunette.domain.arrays import Level, ObservedArray
from lunette.domain.volumes import BLOCK_BYTES, ObservedPool, ObservedVolume
from lunette.providers.arrays.zfs import space
from lunette.providers.arrays.zfs.parse import Dataset
from lunette.providers.arrays.zfs.plan import ASHIFT_MARK, MARK
from lunette.providers.volumes.zvol.plan import FRESH_MARK, VOLUME_MARK, device_path


def observed(
    found: Sequence[Dataset], arrays: Sequence[ObservedArray]
) -> tuple[tuple[ObservedPool, ...], tuple[ObservedVolume, ...]]:
    """Pools and volumes as the product shows them; foreign ones without our ids.

    Free space is told in bytes of volumes: ZFS counts it for blocks of 128 KiB, and smaller ones may need padding.
    """
    by_name = {array.name: array for array in arrays}
    roots = {dataset.name: dataset for dataset in found if dataset.volume_bytes is None and dataset.name in by_name}
    ratios = {name: _ratio(root, by_name[name]) for name, root in roots.items()}
    pools = tuple(_pool(root, by_name[root.name], ratios[root.name]) for root in roots.values())
    volumes = tuple(
        ObservedVolume(
            volume_id=dataset.marks.get(VOLUME_MARK) if MARK in roots[dataset.pool].marks else None,
            group=dataset.pool, name=dataset.name.partition("/")[2],
            device=device_path(*dataset.name.split("/", 1)), size_bytes=dataset.volume_bytes, active=True, open=None,
            sealed=dataset.marks.get(FRESH_MARK) != "yes",
            used_bytes=int(dataset.used / ratios[dataset.pool]) if dataset.is_sparse else None,
        )
        for dataset in found
        if dataset.volume_bytes is not None and dataset.pool in roots
    )  # fmt: skip
    return pools, volumes


def _ratio(root: Dataset, array: ObservedArray) -> float:
    """How much more ZFS counts for the blocks of a volume than they hold; 1 where the layout is not known."""
    if array.level not in set(Level):
        return 1.0
    shift = int(root.marks.get(ASHIFT_MARK, space.MIN_ASHIFT))
    return space.dilution(Level(array.level), array.raid_disks, BLOCK_BYTES, shift)


def _pool(root: Dataset, array: ObservedArray, ratio: float) -> ObservedPool:
    return ObservedPool(
        array_uuid=array.uuid, group=root.name, ours=MARK in root.marks,
        size_bytes=int((root.available + root.used) / ratio), free_bytes=int(root.available / ratio),
        extent_bytes=BLOCK_BYTES,
    )  # fmt: skip
