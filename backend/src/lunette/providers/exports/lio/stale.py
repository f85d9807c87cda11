"""Finds objects in configfs with Lunette's mark that are no longer desired, and removes them from the leaves up."""

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial

from lunette.providers.exports.configfs import attempt
from lunette.providers.exports.lio.configfs import LioConfigfs
from lunette.providers.exports.lio.tree import PREFIX, Node


def own_targets(files: LioConfigfs, prefix: str, adopted: Collection[str] = ()) -> list[str]:
    """IQNs under iscsi/ that start with our prefix, and those of these that are there."""
    return [name for name in files.names("iscsi") if name.startswith(prefix) or name in adopted]


def own_backstores(files: LioConfigfs) -> list[tuple[str, str]]:
    """(adapter, name) of every backstore with our mark."""
    adapters = [name for name in files.names("core") if name.startswith("iblock_")]
    return [(f"core/{hba}", name) for hba in adapters for name in files.names(f"core/{hba}") if name.startswith(PREFIX)]


def foreign(files: LioConfigfs, prefix: str, adopted: Collection[str] = ()) -> tuple[str, ...]:
    """Foreign targets and backstores: shown, never changed. `adopted` are paths of adopted ones."""
    names = [name for name in files.folders("iscsi", but=prefix) if name.startswith(("iqn.", "eui.", "naa."))]
    adapters = [name for name in files.folders("core") if name != "alua"]
    stores = [f"{hba}/{name}" for hba in adapters for name in files.folders(f"core/{hba}", but=PREFIX)]
    return (
        *(name for name in names if f"iscsi/{name}" not in adopted),
        *(store for store in stores if f"core/{store}" not in adopted),
    )


def close(files: LioConfigfs, targets: Iterable[str]) -> dict[str, str]:
    """Disable the groups of these targets, given by path, all before anything is removed. Returns what was refused, by
    path.
    """
    failed: dict[str, str] = {}
    for path in targets:
        for group in _children(files, path, "tpgt_"):
            if files.read(f"{group}/enable") == "1":
                attempt(failed, group, partial(files.write, f"{group}/enable", "0"))
    return failed


def remove_portals(files: LioConfigfs, targets: Iterable[str]) -> dict[str, str]:
    """Stop listening for these targets. Returns what was refused, by path."""
    failed: dict[str, str] = {}
    for iqn in targets:
        for group in _children(files, f"iscsi/{iqn}", "tpgt_"):
            for portal in _children(files, f"{group}/np", ""):
                attempt(failed, portal, partial(files.rmdir, portal))
    return failed


def stop_iser(files: LioConfigfs, wanted: Mapping[str, Node], unavailable: Collection[str]) -> dict[str, str]:
    """Remove the iSER side of these portals, by ID. Returns what was refused, by path.

    All targets share the kernel's listener of an address, so it is removed, and can be created again, only when none
    holds it.
    """
    failed: dict[str, str] = {}
    for path, node in wanted.items() if unavailable else ():
        if node.portal_id in unavailable and files.read(f"{path}/iser") == "1":
            attempt(failed, path, partial(files.write, f"{path}/iser", "0"))
    return failed


def remove(
    files: LioConfigfs,
    wanted: Mapping[str, Node],
    prefix: str,
    ports: Iterable[str] = (),
    adopted: Collection[str] = (),
    breathe: Callable[[], None] = lambda: None,
) -> tuple[dict[str, str], frozenset[str]]:
    """Remove every stale object, also in these Fibre Channel ports of Lunette. Returns what was refused, by path: the
    next run retries; and the paths that were found to lead where they should.

    `adopted` are paths of adopted targets and backstores, whose names do not show that they belong to Lunette.
    `breathe` is called before each target.
    """
    sweeper = _Sweeper(files, wanted)
    for port in ports:
        sweeper.target(port)
    for iqn in own_targets(files, prefix, _below(adopted, "iscsi/")):
        breathe()
        sweeper.target(f"iscsi/{iqn}")
    for hba, name in own_backstores(files):
        sweeper.folder(f"{hba}/{name}")
    for path in (f"core/{name}" for name in _below(adopted, "core/")):
        if files.exists(path):
            sweeper.folder(path)
    return sweeper.failed, frozenset(sweeper.right)


class _Sweeper:
    def __init__(self, files: LioConfigfs, wanted: Mapping[str, Node]) -> None:
        self.files, self.wanted = files, wanted
        self.failed: dict[str, str] = {}
        self.right: set[str] = set()

    def target(self, path: str) -> None:
        for group in _children(self.files, path, "tpgt_"):
            if group not in self.wanted:
                self.failed |= close(self.files, [path])
            luns = [lun for lun in _children(self.files, f"{group}/lun", "lun_") if not self._stands(lun)]
            for initiator in _children(self.files, f"{group}/acls", ""):
                self._mapped_luns(initiator, luns)
                self.folder(initiator)
            for portal in _children(self.files, f"{group}/np", ""):
                self.folder(portal)
            for lun in luns:
                self._linked(lun)
            self.folder(group)
        self.folder(path)

    def folder(self, path: str) -> None:
        """Remove a directory that is not desired."""
        if path not in self.wanted:
            attempt(self.failed, path, partial(self.files.rmdir, path))

    def _mapped_luns(self, initiator: str, going: list[str]) -> None:
        """A mapped LUN is also removed when the LUN behind it changes its volume, and before it."""
        for mapped in _children(self.files, initiator, "lun_"):
            adopted = mapped in self.wanted and self.wanted[mapped].adopted
            if not self._stands(mapped) or (going and self.files.follow(mapped, "lun", adopted=adopted) in going):
                self.right.discard(mapped)
                self._linked(mapped)

    def _stands(self, path: str) -> bool:
        """True if the directory is desired and leads where it should, or leads nowhere yet."""
        node = self.wanted.get(path)
        if node is None or node.link is None:
            return False
        found = self.files.follow(path, node.link[0], adopted=node.adopted)
        if found == node.link[1]:
            self.right.add(node.path)
        return found in (None, node.link[1])

    def _linked(self, path: str) -> None:
        attempt(self.failed, path, partial(self.files.remove_linked, path))


def _below(paths: Collection[str], folder: str) -> frozenset[str]:
    return frozenset(path.removeprefix(folder) for path in paths if path.startswith(folder))


def _children(files: LioConfigfs, path: str, prefix: str) -> list[str]:
    return [f"{path}/{name}" for name in files.names(path) if name.startswith(prefix)]
