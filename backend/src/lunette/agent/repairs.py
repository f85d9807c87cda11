"""What of the exports was put right though it had been right before and nobody had asked for anything else.

A round that finds the same desired and comes to the same end as the one before has nothing to do, unless somebody else
took something away or altered it. A round that ends otherwise tells that by what opens or is blocked: a device came, an
address went. So a repair that falls into such a round is counted and not told.
"""

import logging
from collections.abc import Hashable

from lunette.domain.exports import ConvergeReport, ExportSet

log = logging.getLogger(__name__)
MOST = 200
"""So much is kept for a control plane that is away."""


class Repairs:
    """Compares each round with the one before, and keeps what was put right until it is told."""

    def __init__(self) -> None:
        self._before: Hashable = None
        self._untold: list[str] = []

    def note(self, exports: ExportSet, report: ConvergeReport) -> None:
        """After each round; it costs as much as the report is long."""
        now = (exports.generation, _ends(report))
        if now == self._before and report.found:
            log.warning("exports were changed by somebody else and put right: %s", "; ".join(report.found))
            self._untold = [*self._untold, *report.found][-MOST:]
        self._before = now

    def told(self, report: ConvergeReport) -> ConvergeReport:
        """The report as it goes to the control plane: with what was put right since the last."""
        repaired, self._untold = tuple(self._untold), []
        return report.model_copy(update={"found": (), "waiting": (), "repaired": repaired})


def _ends(report: ConvergeReport) -> Hashable:
    """What each thing that is exported came to."""
    doors = (*report.targets, *report.subsystems)
    return (
        tuple((one.target_id, one.state, one.reason) for one in doors),
        tuple((one.volume_id, one.state, one.reason) for one in report.volumes),
        tuple((one.portal_id, one.state, one.reason) for one in report.portals),
        tuple((one.port_id, one.state, one.reason) for one in report.fc_ports),
    )
