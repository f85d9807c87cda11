"""Repairs of exports: objects that were correct before, and changed although no request asked for it.

A round that finds the same desired state and has the same result as the previous one has nothing to do, unless another
program removed or changed something. A round with another result already shows that by what it opens or blocks: a
device appeared, an address disappeared. So a repair in such a round is counted and not reported.
"""

import logging
from collections.abc import Hashable

from lunette.domain.exports import ConvergeReport, ExportSet

log = logging.getLogger(__name__)
MOST = 200
"""Maximum number of repairs retained while the control plane is unreachable."""


class Repairs:
    """Compares each round with the previous one, and retains repairs until they are reported."""

    def __init__(self) -> None:
        self._before: tuple[int, ConvergeReport] | None = None
        """The generation of the previous round, and its report."""
        self._unreported: list[str] = []

    def note(self, exports: ExportSet, report: ConvergeReport) -> None:
        """Called after each round; if something was found, its cost grows with the length of the report."""
        before, self._before = self._before, (exports.generation, report)
        if report.found and before and before[0] == exports.generation and _ends(before[1]) == _ends(report):
            log.warning("exports were changed by another program and repaired: %s", "; ".join(report.found))
            self._unreported = [*self._unreported, *report.found][-MOST:]

    def reported(self, report: ConvergeReport) -> ConvergeReport:
        """The report for the control plane, with the repairs since the last report."""
        repaired, self._unreported = tuple(self._unreported), []
        return report.model_copy(update={"found": (), "waiting": (), "repaired": repaired})


def _ends(report: ConvergeReport) -> Hashable:
    """The result for each exported object."""
    targets = (*report.targets, *report.subsystems)
    return (
        frozenset((one.target_id, one.state, one.reason) for one in targets),
        frozenset((one.volume_id, one.state, one.reason) for one in report.volumes),
        frozenset((one.portal_id, one.state, one.reason) for one in report.portals),
        frozenset((one.port_id, one.state, one.reason) for one in report.fc_ports),
    )
