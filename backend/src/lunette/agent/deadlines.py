"""Counts how long targets have waited for missing volumes, and decides which may open without them.

"Target" here includes NVMe subsystems: that of one host or host group, identified by its IQN or NQN.

The time counts from when this process first saw the target closed because volumes are missing: after a restart of the
agent the time starts again, so a host waits longer, never shorter. Whether a deadline has passed is decided in a pass
that has just checked the arrays, so what returned in time is served completely. A target opened this way stays open
until nothing is missing any more, even if its deadline is removed; a target that was already open is never counted.
"""

import logging
from collections.abc import Callable

from lunette.domain.base import Model
from lunette.domain.exports import ConvergeReport, ExportSet, TargetReport

log = logging.getLogger(__name__)


class _Wait(Model):
    """`since` is on the monotonic clock; `deadline_s` is from the last document; `opened_after_s` is set once it
    opened.
    """

    since: float
    deadline_s: int | None = None
    opened_after_s: int | None = None


class Deadlines:
    """The caller holds the lock of the exports, except for `due_in_s`. `monotonic` returns seconds."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._waits: dict[str, _Wait] = {}
        self._over: dict[str, int] = {}
        """Deadlines, by name of the targets that had waited that long when the arrays were last checked."""

    def judge(self, exports: ExportSet) -> None:
        """Decide which deadlines have passed. Called immediately after the arrays were checked."""
        now, deadlines = self._monotonic(), _deadlines(exports) if self._waits else {}
        self._over = {
            name: deadlines[name]
            for name, wait in self._waits.items()
            if name in deadlines and now - wait.since >= deadlines[name]
        }

    def overdue(self, exports: ExportSet) -> frozenset[str]:
        """Targets to open without what is missing. A changed deadline counts from the next check."""
        deadlines = _deadlines(exports) if self._over else {}
        over = {name for name, deadline_s in self._over.items() if deadlines.get(name) == deadline_s}
        return frozenset(over | {name for name, wait in self._waits.items() if wait.opened_after_s is not None})

    def reported(self, exports: ExportSet, report: ConvergeReport) -> ConvergeReport:
        """Record the result of a round. Returns the report, with a note on each target that opened without what is
        missing.
        """
        if not self._waits and not report.waiting:
            self._over = {}
            return report
        names = {target.target_id: target.iqn for target in exports.targets}
        nqns = {target.target_id: target.nqn for target in exports.subsystems}
        deadlines, overdue, waiting = _deadlines(exports), self.overdue(exports), frozenset(report.waiting)
        waits: dict[str, _Wait] = {}

        def note(name: str, one: TargetReport) -> TargetReport:
            known, is_open = self._waits.get(name), name not in waiting
            if is_open and not (one.missing and known and name in overdue):
                return one
            wait = (known or _Wait(since=self._monotonic())).model_copy(update={"deadline_s": deadlines.get(name)})
            if is_open and wait.opened_after_s is None:
                wait = wait.model_copy(update={"opened_after_s": wait.deadline_s})
                log.warning("%s opened after %s s without its missing volumes: %s", name, wait.deadline_s, one.reason)
            waits[name] = wait
            return one.model_copy(update={"opened_without_after_s": wait.opened_after_s}) if is_open else one

        noted = {
            "targets": tuple(note(names[one.target_id], one) for one in report.targets),
            "subsystems": tuple(note(nqns[one.target_id], one) for one in report.subsystems),
        }
        self._waits = waits
        self._over = {name: deadline_s for name, deadline_s in self._over.items() if name in waits}
        return report.model_copy(update=noted)

    def due_in_s(self) -> float | None:
        """Seconds until the next deadline passes; None if there is none. Needs no lock."""
        now = self._monotonic()
        coming = (
            wait.since + wait.deadline_s - now
            for wait in self._waits.values()
            if wait.deadline_s is not None and wait.opened_after_s is None
        )
        return min((left for left in coming if left > 0), default=None)


def _deadlines(exports: ExportSet) -> dict[str, int]:
    """Deadlines by IQN and NQN, of the targets that have one."""
    found = {target.iqn: target.opens_without_missing_after_s for target in exports.targets}
    found |= {target.nqn: target.opens_without_missing_after_s for target in exports.subsystems}
    return {name: deadline_s for name, deadline_s in found.items() if deadline_s is not None}
