"""Counts how long doors have waited for missing volumes, and tells which may open without them.

A door is the target or the subsystem of one host or host group, named by its IQN or NQN. It is counted from when this
process first saw it closed because volumes are missing: after a restart of the agent the time begins anew, so a host
waits longer, never shorter. Whether a deadline is over is decided in a pass that has just looked at the arrays, so what
came back in time is served whole. A door that opened so stays open until nothing is missing any more, also if its
deadline is taken away; one that was open before is never counted.
"""

import logging
from collections.abc import Callable

from lunette.domain.base import Model
from lunette.domain.exports import ConvergeReport, ExportSet, TargetReport

log = logging.getLogger(__name__)


class _Wait(Model):
    """`since` is on the monotonic clock; `deadline_s` as the last document said; `opened_after_s` once it opened."""

    since: float
    deadline_s: int | None = None
    opened_after_s: int | None = None


class Deadlines:
    """Whoever calls holds the lock of the exports, but for `due_in_s`. `monotonic` tells seconds."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._waits: dict[str, _Wait] = {}
        self._over: dict[str, int] = {}
        """The deadline, by name of a door that had waited so long at the last look at the arrays."""

    def judge(self, exports: ExportSet) -> None:
        """Decide whose deadline is over. Right after the arrays were looked at."""
        now, deadlines = self._monotonic(), _deadlines(exports)
        self._over = {
            name: deadlines[name]
            for name, wait in self._waits.items()
            if name in deadlines and now - wait.since >= deadlines[name]
        }

    def overdue(self, exports: ExportSet) -> frozenset[str]:
        """Doors that are to be open without what is missing. A deadline that changed counts from the next look."""
        deadlines = _deadlines(exports)
        over = {name for name, deadline_s in self._over.items() if deadlines.get(name) == deadline_s}
        return frozenset(over | {name for name, wait in self._waits.items() if wait.opened_after_s is not None})

    def told(self, exports: ExportSet, report: ConvergeReport) -> ConvergeReport:
        """Note what a round came to. The report, telling of each door that opened without what is missing."""
        names = {door.target_id: door.iqn for door in exports.targets}
        nqns = {door.target_id: door.nqn for door in exports.subsystems}
        deadlines, overdue, waiting = _deadlines(exports), self.overdue(exports), frozenset(report.waiting)
        waits: dict[str, _Wait] = {}

        def note(name: str, one: TargetReport) -> TargetReport:
            known, is_open = self._waits.get(name), name not in waiting
            if is_open and not (one.missing and known and name in overdue):
                return one
            wait = (known or _Wait(since=self._monotonic())).model_copy(update={"deadline_s": deadlines.get(name)})
            if is_open and wait.opened_after_s is None:
                wait = wait.model_copy(update={"opened_after_s": wait.deadline_s})
                log.warning("%s opened after %s s without what is missing: %s", name, wait.deadline_s, one.reason)
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
        """Seconds until the next deadline is over; None if none is to come. Needs no lock."""
        now = self._monotonic()
        coming = (
            wait.since + wait.deadline_s - now
            for wait in self._waits.values()
            if wait.deadline_s is not None and wait.opened_after_s is None
        )
        return min((left for left in coming if left > 0), default=None)


def _deadlines(exports: ExportSet) -> dict[str, int]:
    """By IQN and NQN, of the doors that have one."""
    found = {door.iqn: door.opens_without_missing_after_s for door in exports.targets}
    found |= {door.nqn: door.opens_without_missing_after_s for door in exports.subsystems}
    return {name: deadline_s for name, deadline_s in found.items() if deadline_s is not None}
