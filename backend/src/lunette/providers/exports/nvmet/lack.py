"""What is missing behind a subsystem of nvmet, and what a subsystem whose deadline has passed opens without.

Excused is only a namespace whose volume cannot be served. One that serves something all the same, such as a wrong
device that could not be removed, would show hosts the wrong disk.
"""

from collections.abc import Collection, Iterator, Mapping

from lunette.providers.exports.nvmet.configfs import NvmetConfigfs
from lunette.providers.exports.nvmet.tree import Namespace, SubsystemGate, Tree


class Lack:
    """Checks one run: `failed` are the results of its nodes so far, by path, and `before` what had failed before any
    namespace was checked.
    """

    def __init__(self, files: NvmetConfigfs, wanted: Tree, failed: Mapping[str, str], before: Collection[str]) -> None:
        self._files, self._gates, self._failed, self._before = files, wanted.subsystem_gates, failed, before
        self._namespaces = {node.path: node for node in wanted.namespaces}

    def of(self, subsystem: SubsystemGate) -> Iterator[Namespace]:
        """The namespaces of a subsystem whose volumes cannot be served."""
        if subsystem.path in self._failed:
            return
        for path in subsystem.needs:
            came = path in self._namespaces and path in self._failed and path not in self._before
            if came and self._files.read(f"{path}/enable") != "1":
                yield self._namespaces[path]

    def excused(self, overdue: frozenset[str]) -> frozenset[str]:
        """Paths that the subsystems with these NQNs open without; a host must not see an empty one."""
        found: set[str] = set()
        for subsystem in self._gates:
            namespaces = [path for path in subsystem.needs if path in self._namespaces]
            if subsystem.nqn in overdue and any(path not in self._failed for path in namespaces):
                found.update(node.path for node in self.of(subsystem))
        return frozenset(found)
