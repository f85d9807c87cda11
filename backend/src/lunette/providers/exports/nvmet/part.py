"""What a difference between two desired states consists of in configfs, and the removal of what it takes away. Nothing
else is looked at.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from lunette.providers.exports.configfs import attempt
from lunette.providers.exports.difference import Difference
from lunette.providers.exports.nvmet import tree
from lunette.providers.exports.nvmet.adopted import Ours
from lunette.providers.exports.nvmet.configfs import NvmetConfigfs
from lunette.providers.exports.nvmet.stale import Sweeper
from lunette.providers.exports.nvmet.tree import Tree


def trees(difference: Difference) -> tuple[Tree, Tree] | None:
    """What differs, before and after. If portals differ, subsystems that otherwise stay as they are have links in the
    ports that come and go, and nothing else.

    None if a port would get the directory that another one had, or another address in its own directory.
    """
    before, after = tree.build(difference.before), tree.build(difference.after)
    if not difference.portals_differ:
        return before, after
    gone, new = (_ports_only_in(one, other) for one, other in ((before, after), (after, before)))
    if gone.keys() & new.keys() or set(gone.values()) & {*after.port_paths.values()}:
        return None
    if set(new.values()) & {*before.port_paths.values()}:
        return None
    links = [tuple(tree.port_links(difference.same_subsystems, ports.values())) for ports in (gone, new)]
    old, wanted = (
        replace(one, port_links=(*one.port_links, *more)) for one, more in zip((before, after), links, strict=True)
    )
    return old, wanted


def _ports_only_in(one: Tree, other: Tree) -> dict[str, str]:
    """Paths by portal ID, of ports that are not in the other tree with the same path and address."""
    nodes = {node.path: node for node in other.ports}
    ports = {node.path: node for node in one.ports}
    return {
        id_: path
        for id_, path in one.port_paths.items()
        if other.port_paths.get(id_) != path or nodes[path] != ports[path]
    }


def remove(files: NvmetConfigfs, before: Tree, wanted: Tree, ours: Ours) -> dict[str, str]:
    """Removes from the leaves up: paths before what they lead to. Returns what was refused, by path."""
    sweeper, nodes = Sweeper(files, wanted, ours), wanted.nodes()
    _close(files, sweeper.failed, (node.path for node in before.port_links if node.path not in nodes))
    for node in before.allowed:
        if node.path not in nodes and files.points_to(node.path) is not None:
            subsystem = node.path.rsplit("/", 2)[0]
            attempt(sweeper.failed, node.path, partial(sweeper.release, subsystem, node.path))
    for namespace in before.namespaces:
        if files.exists(namespace.path) and not sweeper.stands(namespace.path):
            attempt(sweeper.failed, namespace.path, partial(sweeper.take_away, namespace.path))
    for node in before.subsystems:
        if node.path not in nodes and files.exists(node.path):
            attempt(sweeper.failed, node.path, partial(files.rmdir, node.path))
    for node in before.hosts:
        if files.exists(node.path):
            sweeper.host(node.path)
    for node in before.ports if before.port_paths != wanted.port_paths else ():
        sweeper.port(node.path)
    return sweeper.failed


def _close(files: NvmetConfigfs, failed: dict[str, str], links: Iterable[str]) -> None:
    for link in links:
        if files.points_to(link) is not None:
            attempt(failed, link, partial(files.unlink, link))
