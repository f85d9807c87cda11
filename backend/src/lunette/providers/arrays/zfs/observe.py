"""Which pools are imported, and their content. Costs nothing while the kernel has no pool."""

from collections.abc import Collection, Sequence

from lunette.domain.arrays import ObservedArray
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import ToolFailed
from lunette.providers.arrays.zfs import links, parse
from lunette.providers.arrays.zfs.datasets import FIELDS, Dataset
from lunette.providers.arrays.zfs.datasets import datasets as read_datasets
from lunette.providers.arrays.zfs.plan import MARK, is_pool_name
from lunette.system.system_port import CommandResult, System

_POOLS = "/proc/spl/kstat/zfs"
"""One folder per imported pool (module/os/linux/spl/spl-kstat.c)."""
TIMEOUT_S = 180.0
"""zpool is slow on an emulated CPU, and hangs forever on a disk that does not answer: then it is killed."""

SUSPENDED = (
    "it is suspended because it lost more disks than it tolerates. Reconnect them, then run `zpool clear` as root"
)


def imported(system: System) -> list[str]:
    """Names of the imported pools, Lunette's and foreign."""
    return [name for name in system.listdir(_POOLS) if system.is_dir(f"{_POOLS}/{name}")]


def pools(system: System, unread: dict[str, str]) -> tuple[parse.Pool, ...]:
    """Every imported pool; those that cannot be read go into `unread`, by name with the reason."""
    before = imported(system)
    if not before:
        return ()
    reported = system.run(["zpool", "status", "-j", "--json-int"], timeout_s=TIMEOUT_S, ok=(0, 1))
    found = parse.pools(reported.stdout, unread)
    _left_out(system, before, {pool.name for pool in found}, unread, reported)
    return found


def find_pool(system: System, name: str) -> parse.Pool | None:
    """The imported pool of this name; None if there is none. Raises ToolFailed if it cannot be read."""
    unread: dict[str, str] = {}
    found = next((pool for pool in pools(system, unread) if pool.name == name), None)
    if name in unread:
        raise ToolFailed(f"pool {name} cannot be read: {unread[name]}")
    return found


def datasets(system: System, pool: str) -> tuple[Dataset, ...]:
    """Root, zvols and snapshots of a pool. Raises ToolFailed if one of them cannot be read."""
    return read_datasets(_list(system, ["-r", "--", pool], (0,)).stdout) if pool in imported(system) else ()


def all_datasets(system: System, unread: dict[str, str]) -> tuple[Dataset, ...]:
    """Roots, zvols and snapshots of all imported pools; pools that cannot be read go into `unread`.

    A suspended pool is not queried: `zfs list` would wait for its disks.
    """
    suspended = {name for name in imported(system) if is_suspended(system, name)}
    unread |= dict.fromkeys(suspended, SUSPENDED)
    names = [name for name in imported(system) if name not in suspended]
    if not names:
        return ()
    reported = _list(system, ["-r", "--", *names], (0, 1))
    found = read_datasets(reported.stdout, unread)
    _left_out(system, names, {dataset.name for dataset in found}, unread, reported)
    return tuple(dataset for dataset in found if dataset.pool not in unread)


def is_suspended(system: System, pool: str) -> bool:
    """True if ZFS has stopped all access to a pool because it lost too many disks (spa_state_to_name, spa_misc.c)."""
    try:
        return system.read(f"{_POOLS}/{pool}/state").strip() == "SUSPENDED"
    except OSError:
        return False


def _list(system: System, words: list[str], ok: tuple[int, ...]) -> CommandResult:
    command = ["zfs", "list", "-j", "-p", "-t", "filesystem,volume,snapshot", "-o", FIELDS, *words]
    return system.run(command, timeout_s=TIMEOUT_S, ok=ok)


def _left_out(
    system: System, names: Sequence[str], reported: Collection[str], unread: dict[str, str], result: CommandResult
) -> None:
    """A pool that is imported before and after a command, and that the command did not show."""
    for name in imported(system):
        if name in names and name not in reported:
            words = result.stderr.strip().partition("\n")[0] or "nothing"
            unread.setdefault(name, f"{' '.join(result.argv[:2])} reported: {words}"[:300])


def root(system: System, pool: str) -> Dataset | None:
    """Only the root of a pool, whatever its content; None if it is not imported."""
    if pool not in imported(system):
        return None
    words = ["zfs", "list", "-j", "-p", "-t", "filesystem", "-o", FIELDS, "--", pool]
    return next(iter(read_datasets(system.run(words, timeout_s=TIMEOUT_S).stdout)), None)


def observe_arrays(
    system: System,
    found: Sequence[Dataset],
    disks: Sequence[ObservedDisk],
    unread: dict[str, str],
    *,
    all_disks: bool = True,
) -> tuple[ObservedArray, ...]:
    """The imported pools as arrays; one without Lunette's mark is shown as foreign.

    If the datasets of a pool are in `unread`, its mark is unknown and its name decides. `all_disks`: see parse.array.
    """
    roots = {dataset.name: dataset for dataset in found}
    unmarked = set(unread)
    arrays = []
    for reported in pools(system, unread):
        ours = is_ours(roots.get(reported.name)) or (reported.name in unmarked and is_pool_name(reported.name))
        pool, known = links.placed(system, reported, disks)
        size = _size(roots.get(reported.name))
        arrays.append(parse.array(pool, ours, size, known, system.now(), all_disks=all_disks))
    return tuple(arrays)


def is_ours(root: Dataset | None) -> bool:
    """True if a pool's root carries Lunette's mark."""
    return root is not None and MARK in root.marks


def _size(root: Dataset | None) -> int:
    return root.available + root.used if root else 0
