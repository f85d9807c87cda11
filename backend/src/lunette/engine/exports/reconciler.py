"""Keeps the exports in the desired state (DESIGN R2): start-up, change and steady state are this one path.

It takes no input: every round builds the whole document from the database and lets the agent converge. What cannot be
served is shown as an alert and retried soon.
"""

import contextlib
import datetime as dt
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.agent_protocol import Amend, Converge
from lunette.domain.alerts import Severity
from lunette.domain.errors import AgentAway, LunetteError, Malformed
from lunette.domain.export_change import change_between
from lunette.domain.exports import ConvergeReport, ExportSet, ServingState, TargetReport
from lunette.domain.units import counted
from lunette.engine.alerts.board import AlertBoard, Cause
from lunette.engine.context.loop import Loop
from lunette.engine.exports import exportset, moves
from lunette.engine.exports.memo import Memo
from lunette.engine.exports.repairs import RepairReports
from lunette.store.database import Store
from lunette.store.resources import FcPort, Host, HostGroup, Portal, Target
from lunette.store.schema import utc_now
from lunette.system.agent_port import AgentPort

PERIOD_S = 10.0
BLOCKED_PERIOD_S = 2.0
GRACE_S = 10.0
"""A shorter outage is a restart or a change in progress, and no alert."""
FAMILIES = ("agent.away", "exports.", "target.", "subsystem.", "portal.", "fc_port.")


class Reconciler:
    """`report` and `report_at` are the result of the last round; None before the first answer."""

    def __init__(
        self, store: Store, agent: AgentPort, now: Callable[[], dt.datetime] = utc_now, *, pace: float = 1.0
    ) -> None:
        self._store = store
        self._agent = agent
        self._now = now
        self._board = AlertBoard(store, FAMILIES)
        self._last: tuple[ConvergeReport, dt.datetime] | None = None
        self._mapped: frozenset[str] | None = None
        self._built: ExportSet | None = None
        self._memo = Memo()
        self._accepted: tuple[ExportSet, ConvergeReport] | None = None
        """The last document that the agent accepted, and its report as it came; None once it may have another."""
        self._quiet: tuple[Cause, ...] = ()
        self._reported = RepairReports()
        self._turn = threading.Lock()
        self._loop = Loop("reconciler", self.round, pace)
        self.start, self.stop, self.wake = self._loop.start, self._loop.stop, self._loop.wake

    @property
    def last(self) -> tuple[ConvergeReport, dt.datetime] | None:
        """The last report, and its time."""
        return self._last

    @property
    def mapped(self) -> frozenset[str] | None:
        """IDs of the mappings in the last document that the agent accepted; None while it refuses documents, and
        before.
        """
        return self._mapped

    def round(self) -> float:
        """One round. Returns the seconds until the next if nothing wakes it."""
        with self._turn:
            return self._round()

    @contextmanager
    def held(self) -> Iterator[None]:
        """No document is being sent to the agent while the block runs."""
        with self._turn:
            yield

    def _round(self) -> float:
        try:
            wanted = self._wanted()
        except LunetteError as error:
            self._board.show((*self._quiet, _unbuilt_cause(error)), self._now())
            return PERIOD_S
        try:
            report = self._sent(wanted)
        except LunetteError as error:
            cause = _away_cause(error) if isinstance(error, AgentAway) else _failed_cause(error)
            self._board.show((*self._quiet, cause), self._now())
            return BLOCKED_PERIOD_S
        with self._store.read() as tx:
            self._last = (moves.by_portal(tx, report), self._now())
            has_moved = moves.has_moved(tx, report)
        self._mapped = wanted.mapping_ids if report.accepted else None
        self._accepted = (wanted, report) if report.accepted else None
        followed = report.accepted and report.unkept is None
        if followed and any(release.generation <= report.generation for release in wanted.released):
            with self._store.write() as tx:
                exportset.acknowledged(tx, report.generation)
            self._built = None
        if followed and has_moved:
            with self._store.write() as tx:
                moves.close_former(tx, report)
        if report.repaired:
            with self._store.write() as tx:
                self._reported.announce(tx, report.repaired, self._now())
        with self._store.read() as tx:
            causes = tuple(causes_of(tx, self._last[0]))
        self._board.show(causes, self._now())
        self._quiet = causes
        if followed and has_moved:
            return 0.0
        return BLOCKED_PERIOD_S if any(".blocked:" in cause.key for cause in causes) else PERIOD_S

    def _sent(self, wanted: ExportSet) -> ConvergeReport:
        """What the agent made of the document: sent as a change where it has the one before, otherwise whole. A round
        without a change sends it whole, so that what both sides hold cannot differ for long.
        """
        accepted, self._accepted = self._accepted, None
        before, report = accepted or (wanted, None)
        change = change_between(before, wanted) if before is not wanted else None
        if report is not None and change is not None:
            with contextlib.suppress(Malformed):  # an agent of another version
                asked = Amend(database_id=wanted.database_id, base=before.generation, change=change)
                if (reply := self._agent.ask(asked)) is not None:
                    return reply.completed(report, wanted)
        return self._agent.ask(Converge(wanted=wanted))

    def _wanted(self) -> ExportSet:
        """The document; rebuilt only when the generation changed, because 10,000 volumes take a while."""
        with self._store.read() as tx:
            if self._built is None or self._built.generation != exportset.generation(tx):
                self._built = exportset.build(tx, self._store.box, self._memo)
        return self._built


def _unbuilt_cause(error: LunetteError) -> Cause:
    return Cause(
        key="exports.unbuilt",
        severity=Severity.CRITICAL,
        message="Changes are not applied: the export configuration cannot be read from the database",
        cause=error.detail,
        fix="Existing exports stay unchanged. Correct the problem that the cause describes.",
    )


def _away_cause(error: AgentAway) -> Cause:
    return Cause(
        key="agent.away",
        severity=Severity.CRITICAL,
        message="The storage agent does not answer",
        cause=error.detail,
        fix="Existing exports continue. Check `systemctl status lunette-agent` and its journal.",
        grace_s=GRACE_S,
    )


def _failed_cause(error: LunetteError) -> Cause:
    return Cause(
        key="exports.failed",
        severity=Severity.CRITICAL,
        message="Changes may not have reached the hosts: the storage agent could not apply them",
        cause=error.detail,
        fix="This is retried every few seconds. Correct the problem that the cause describes.",
        grace_s=GRACE_S,
    )


def _unkept_cause(reason: str) -> Cause:
    return Cause(
        key="exports.unkept",
        severity=Severity.CRITICAL,
        message="The boot ledger does not contain the latest changes: after a restart, the exports wait for the API",
        cause=reason,
        fix="Free space on the system drive: the ledger is then written automatically. Avoid a restart until then.",
    )


def causes_of(tx: Session, report: ConvergeReport) -> Iterator[Cause]:
    """The alerts from one report."""
    if report.unkept:
        yield _unkept_cause(report.unkept)
    if not report.accepted:
        yield Cause(
            key="exports.refused",
            severity=Severity.CRITICAL,
            message="The agent refuses the current configuration, and hosts keep their previous access",
            cause=report.refusal or "The agent gave no reason.",
            fix=(
                "This happens after an older database was restored. Restore the newest one, or check the differences "
                "(`lunette drift`)."
            ),
        )
    if report.unexplained:
        served = counted(len(report.unexplained), "export")
        yield Cause(
            key="exports.unexplained",
            severity=Severity.CRITICAL,
            message=f"The agent serves {served} that the configuration does not contain",
            cause=f"No recorded request removes them, so they stay: {', '.join(report.unexplained[:10])}",
            fix="This happens after an older database was restored. Map the volumes again, or restore the newest one.",
        )
    owners = _target_owners(tx)
    for noun, targets in (("target", report.targets), ("subsystem", report.subsystems)):
        for target in targets:
            owner = owners.get(target.target_id, _UNKNOWN)
            if target.state is ServingState.BLOCKED:
                yield _blocked(noun, target.target_id, f"Host {owner.name}", target.reason, owner.deadline_s)
            elif target.missing:
                yield _partial(noun, target, owner.name)
    portals = {row.id: row.name for row in tx.scalars(select(Portal))}
    for portal in report.portals:
        if portal.state is ServingState.BLOCKED:
            yield _blocked("portal", portal.portal_id, f"Portal {portals.get(portal.portal_id, '?')}", portal.reason)
    names = {row.id: row.wwpn for row in tx.scalars(select(FcPort))}
    for port in report.fc_ports:
        if port.state is ServingState.BLOCKED:
            what = f"Fibre Channel port {names.get(port.port_id, '?')}"
            yield _blocked("fc_port", port.port_id, what, port.reason)


def _blocked(noun: str, ref: str, what: str, reason: str | None, deadline_s: int | None = None) -> Cause:
    words = {
        "target": "cannot reach its volumes",
        "subsystem": "cannot reach its NVMe volumes",
        "fc_port": "is not in its configured mode",
    }
    at_last = f", or without the missing volumes {deadline_s} s after it began to wait"
    return Cause(
        key=f"{noun}.blocked:{ref}",
        severity=Severity.CRITICAL,
        message=f"{what} {words.get(noun, 'is not listening')}",
        cause=reason or "The agent gave no reason.",
        fix=f"It opens automatically as soon as the cause is corrected{at_last if deadline_s else ''}.",
        grace_s=GRACE_S,
    )


def _partial(noun: str, target: TargetReport, name: str) -> Cause:
    count = len(target.missing)
    what = f"{count} of its {'NVMe ' if noun == 'subsystem' else ''}volumes"
    opened = (
        f" Its paths opened {target.opened_without_after_s} s after they began to wait, as configured for host {name}."
    )
    return Cause(
        key=f"{noun}.partial:{target.target_id}",
        severity=Severity.CRITICAL,
        message=f"Host {name} does not have {what}",
        cause=(target.reason or "The agent gave no reason.") + (opened if target.opened_without_after_s else ""),
        fix="They are added as soon as they are available. Then rescan the disks on the host.",
        grace_s=GRACE_S,
    )


class _Owner(NamedTuple):
    """A host or a host group."""

    name: str
    deadline_s: int | None


_UNKNOWN = _Owner("?", None)


def _target_owners(tx: Session) -> dict[str, _Owner]:
    found: dict[str, _Owner] = {}
    for table, owner in ((Host, Target.host_id), (HostGroup, Target.host_group_id)):
        query = select(Target.id, table.name, table.opens_without_missing_after_s).join(table, table.id == owner)
        found |= {id_: _Owner(name, deadline_s) for id_, name, deadline_s in tx.execute(query)}
    return found
