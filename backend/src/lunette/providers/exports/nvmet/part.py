"""Removes what a difference between two desired states takes away, and looks at nothing else."""

from functools import partial

from lunette.providers.exports.configfs import attempt
from lunette.providers.exports.nvmet.adopted import Ours
from lunette.providers.exports.nvmet.configfs import NvmetConfigfs
from lunette.providers.exports.nvmet.stale import Sweeper
from lunette.providers.exports.nvmet.tree import Tree


def remove(files: NvmetConfigfs, before: Tree, wanted: Tree, ours: Ours) -> dict[str, str]:
    """Removes from the leaves up: paths before what they lead to. Returns what was refused, by path."""
    sweeper, nodes = Sweeper(files, wanted, ours), wanted.nodes()
    for node in before.port_links:
        if node.path not in nodes and files.points_to(node.path) is not None:
            attempt(sweeper.failed, node.path, partial(files.unlink, node.path))
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
    return sweeper.failed
