"""When everything that is served was last looked at, what was found, and how soon that is due again."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from lunette.agent.exports_turn import Superseded
from lunette.domain.exports import ConvergeReport, ExportSet

QUIET_S, MOST_QUIET_S = 30.0, 55.0
REST = 20.0
"""A look at everything is followed by this many times its duration without one, up to MOST_QUIET_S."""
LONG_S = 1.0
MOST_SUPERSEDED = 5
"""So many looks in a row may end early; the next one lets no document in, and is completed."""


def is_whole(report: ConvergeReport) -> bool:
    """True if everything in the report is served."""
    parts = (report.targets, report.subsystems, report.volumes, report.portals, report.fc_ports)
    return all(one.reason is None for part in parts for one in part)


class Looks:
    """Durations are in seconds, on the clock `monotonic`."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self.last: ConvergeReport | None = None
        """About everything in the ledger, after the last round that ended. None while a document is served, and if that
        failed.
        """
        self._ended, self._took_s, self._superseded = -math.inf, 0.0, 0

    @contextmanager
    def look(self) -> Iterator[None]:
        """The block looks at everything. One that raises was no look; what it found wrong is unknown, unless it only
        gave way.
        """
        began = self._monotonic()
        try:
            yield
        except BaseException as error:
            if not isinstance(error, Superseded):
                self.last = None
            raise
        self._ended, self._superseded = self._monotonic(), 0
        self._took_s = self._ended - began

    @property
    def quiet_s(self) -> float:
        """Time between two looks while everything is served: a long look is rarer."""
        return min(MOST_QUIET_S, max(QUIET_S, self._took_s * REST))

    @property
    def may_end_early(self) -> bool:
        return self._superseded < MOST_SUPERSEDED

    def ended_early(self) -> None:
        self._superseded += 1

    def known(self, served: ExportSet) -> ConvergeReport | None:
        """The last report, where all was served, and another look would take long and is not due yet."""
        last, due = self.last, self._ended + self.quiet_s
        if last is None or last.generation != served.generation or not is_whole(last):
            return None
        if self._took_s < LONG_S or self._monotonic() > due:
            return None
        return last.model_copy(update={"changed": 0, "found": ()})
