"""Which pools are imported, and what is in them. Costs nothing while the kernel has no pool."""

from collections.abc import Sequence

from lunette.domain.arrays import ObservedArray
from lunette.domain.disks import ObservedDisk
from lunette.providers.arrays.zfs import parse
from lunette.providers.arrays.zfs.plan import MARK
from lunette.system.doorway import System

_POOLS = "/proc/spl/kstat/zfs"
"""One folder per imported pool (module/os/linux/spl/spl-kstat.c)."""
TIMEOUT_S = 180.0
"""zpool is slow on an emulated CPU, and hangs for ever on a disk that answers nothing: then it is killed."""


def imported(system: System) -> list[str]:
    """Names of the imported pools, ours and foreign."""
    return [name for name in system.listdir(_POOLS) if system.is_dir(f"{_POOLS}/{name}")]


def pools(system: System) -> tuple[parse.Pool, ...]:
    """Every imported pool."""
    if not imported(system):
        return ()
    return parse.pools(system.run(["zpool", "status", "-j", "--json-int"], timeout_s=TIMEOUT_S, ok=(0, 1)).stdout)


def find_pool(system: System, name: str) -> parse.Pool | None:
    return next((pool for pool in pools(system) if pool.name == name), None)


def datasets(system: System, pool: str | None = None) -> tuple[parse.Dataset, ...]:
    """Roots, zvols and snapshots of all imported pools, or of one."""
    if pool not in (None, *imported(system)) or not imported(system):
        return ()
    words = ["zfs", "list", "-j", "-p", "-t", "filesystem,volume,snapshot", "-o", parse.FIELDS]
    return parse.datasets(system.run([*words, *(["-r", "--", pool] if pool else [])], timeout_s=TIMEOUT_S).stdout)


def root(system: System, pool: str) -> parse.Dataset | None:
    """The root of a pool alone, however much is in it; None if it is not imported."""
    if pool not in imported(system):
        return None
    words = ["zfs", "list", "-j", "-p", "-t", "filesystem", "-o", parse.FIELDS, "--", pool]
    return next(iter(parse.datasets(system.run(words, timeout_s=TIMEOUT_S).stdout)), None)


def observe_arrays(
    system: System, found: Sequence[parse.Dataset], disks: Sequence[ObservedDisk]
) -> tuple[ObservedArray, ...]:
    """The imported pools as arrays; one without our mark is shown as foreign."""
    roots = {dataset.name: dataset for dataset in found}
    return tuple(
        parse.array(
            pool, is_ours(roots.get(pool.name)), _size(roots.get(pool.name)), disks, system.now()
        )
        for pool in pools(system)
    )  # fmt: skip


def is_ours(root: parse.Dataset | None) -> bool:
    """True if a pool's root carries our mark."""
    return root is not None and MARK in root.marks


def _size(root: parse.Dataset | None) -> int:
    return root.available + root.used if root else 0
