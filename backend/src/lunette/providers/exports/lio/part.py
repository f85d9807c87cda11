"""What a difference between two desired states takes away, and the portals that it adds or removes. Nothing else is
looked at.
"""

from collections.abc import Collection, Mapping
from functools import partial

from lunette.providers.exports.configfs import attempt
from lunette.providers.exports.difference import Difference
from lunette.providers.exports.lio import reservations, stale, tree
from lunette.providers.exports.lio.configfs import LioConfigfs
from lunette.providers.exports.lio.tree import Node, Tree


class Listening:
    """Portals that are added to targets that otherwise stay as they are, and portals that are removed from them."""

    def __init__(self, difference: Difference) -> None:
        before, after = difference.before.portals, difference.after.portals
        targets = difference.same_targets if difference.portals_differ else ()
        old = {node.path: node for node in tree.portal_nodes(targets, before)}
        wanted = {node.path: node for node in tree.portal_nodes(targets, after)}
        self.new: dict[str, Node] = {path: node for path, node in wanted.items() if path not in old}
        """By path."""
        self._gone = [path for path in old if path not in wanted]

    def stop(self, files: LioConfigfs) -> dict[str, str]:
        """Removes the portals to be removed. Returns what was refused, by path."""
        failed: dict[str, str] = {}
        for path in self._gone:
            if files.exists(path):
                attempt(failed, path, partial(files.rmdir, path))
        return failed


def remove(files: LioConfigfs, before: Tree, wanted: Mapping[str, Node], mapped: Collection[str]) -> dict[str, str]:
    """Removes from the leaves up. `mapped` are the IDs of volumes whose backstores stay. Returns what was refused, by
    path.
    """
    _, backstores, targets, groups, luns, initiators, mapped_luns, portals = before.levels
    moved = {node.path for node in (*luns, *mapped_luns) if not _stands(files, node.path, wanted)}
    # A mapped LUN is also removed when the LUN behind it changes its volume, and before it.
    moved |= {node.path for node in mapped_luns if node.link and node.link[1] in moved}
    failed = stale.close(files, [node.path for node in targets if node.path not in wanted])
    for node in (*mapped_luns, *initiators, *portals, *luns, *groups, *targets):
        if not files.exists(node.path):
            continue
        if node.path in moved:
            attempt(failed, node.path, partial(files.remove_linked, node.path))
        elif node.path not in wanted:
            attempt(failed, node.path, partial(files.rmdir, node.path))
    for node in backstores:
        if node.volume_id not in mapped and files.exists(node.path):
            serial = files.read(f"{node.path}/wwn/vpd_unit_serial").rpartition(": ")[2]
            attempt(failed, node.path, partial(files.rmdir, node.path))
            if node.path not in failed:
                reservations.forget(files.system, serial)
    return failed


def _stands(files: LioConfigfs, path: str, wanted: Mapping[str, Node]) -> bool:
    """True if the directory is still desired and leads where it should, or leads nowhere yet."""
    node = wanted.get(path)
    if node is None or node.link is None:
        return False
    return files.follow(path, node.link[0], adopted=node.adopted) in (None, node.link[1])
