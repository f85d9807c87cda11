"""Keeps the exports as wanted, for ever (DESIGN R2): start-up, change and steady state are this one path.

It takes no input: every round builds the whole document from the database and lets the agent converge. What cannot
be served shows as an alert and is tried again soon.
"""

import datetime as dt
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.alerts import Severity
from lunette.domain.errors import LunetteError
from lunette.domain.exports import ConvergeReport, ExportSet, ServingState
from lunette.engine import exportset
from lunette.engine.alerts import AlertBoard, Cause
from lunette.engine.loop import Loop
from lunette.store.database import Store
from lunette.store.resources import FcPort, Host, HostGroup, Portal, Target
from lunette.store.schema import utc_now
from lunette.system.agent_port import AgentPort

PERIOD_S = 10.0
BLOCKED_PERIOD_S = 2.0
GRACE_S = 10.0
"""Something that is blocked or away for less is a restart or a change under way, and no alert."""
FAMILIES = ("agent.", "exports.", "target.", "subsystem.", "portal.", "fc_port.")


class Reconciler:
    """`report` and `report_at` are what the last round came to; None before the first answer."""

    def __init__(
        self, store: Store, agent: AgentPort, now: Callable[[], dt.datetime] = utc_now, *, pace: float = 1.0
    ) -> None:
        self._store = store
        self._agent = agent
        self._now = now
        self._board = AlertBoard(store, FAMILIES)
        self._last: tuple[ConvergeReport, dt.datetime] | None = None
        self._built: ExportSet | None = None
        self._quiet: tuple[Cause, ...] = ()
        self._turn = threading.Lock()
        self._loop = Loop("reconciler", self.round, pace)
        self.start, self.stop, self.wake = self._loop.start, self._loop.stop, self._loop.wake

    @property
    def last(self) -> tuple[ConvergeReport, dt.datetime] | None:
        """The last report and when it came."""
        return self._last

    def round(self) -> float:
        """One round. Returns the seconds until the next if nobody wakes it."""
        with self._turn:
            return self._round()

    @contextmanager
    def held(self) -> Iterator[None]:
        """No document is on its way to the agent, and none is sent, while the block runs."""
        with self._turn:
            yield

    def _round(self) -> float:
        try:
            wanted = self._wanted()
        except LunetteError as error:
            self._board.show((*self._quiet, _unbuilt_cause(error)), self._now())
            return PERIOD_S
        try:
            report = self._agent.converge(wanted)
        except LunetteError as error:
            self._board.show((*self._quiet, _agent_cause(error)), self._now())
            return BLOCKED_PERIOD_S
        self._last = (report, self._now())
        if report.accepted and any(release.generation <= report.generation for release in wanted.released):
            with self._store.write() as tx:
                exportset.acknowledged(tx, report.generation)
            self._built = None
        with self._store.read() as tx:
            causes = tuple(causes_of(tx, report))
        self._board.show(causes, self._now())
        self._quiet = causes
        return BLOCKED_PERIOD_S if any(".blocked:" in cause.key for cause in causes) else PERIOD_S

    def _wanted(self) -> ExportSet:
        """The document; built anew only when the generation moved, for 10,000 volumes take a while."""
        with self._store.read() as tx:
            if self._built is None or self._built.generation != exportset.generation(tx):
                self._built = exportset.build(tx, self._store.box)
        return self._built


def _unbuilt_cause(error: LunetteError) -> Cause:
    return Cause(
        key="exports.unbuilt",
        severity=Severity.CRITICAL,
        message="Changes do not reach the hosts: what is to be exported cannot be read from the database",
        cause=error.detail,
        fix="Exports that are open stay open as they were. Put right what the cause names.",
    )


def _agent_cause(error: LunetteError) -> Cause:
    return Cause(
        key="agent.away",
        severity=Severity.CRITICAL,
        message="The storage agent does not answer",
        cause=error.detail,
        fix="Exports that are open stay open. Look at `systemctl status lunette-agent` and its journal.",
        grace_s=GRACE_S,
    )


def causes_of(tx: Session, report: ConvergeReport) -> Iterator[Cause]:
    """What a person must look at, from one report."""
    if not report.accepted:
        yield Cause(
            key="exports.refused",
            severity=Severity.CRITICAL,
            message="The agent refuses this database's exports and keeps serving the earlier ones",
            cause=report.refusal or "It gave no reason.",
            fix="This happens after an older database was restored. Restore the newest one, or look at the difference.",
        )
    if report.unexplained:
        yield Cause(
            key="exports.unexplained",
            severity=Severity.CRITICAL,
            message=f"{len(report.unexplained)} exports are served though nothing asks for them any more",
            cause=f"No release names them, so they stay: {', '.join(report.unexplained[:10])}",
            fix="This happens after an older database was restored. Map the volumes again, or restore the newest one.",
        )
    owners = _target_owners(tx)
    for noun, doors in (("target", report.targets), ("subsystem", report.subsystems)):
        for door in doors:
            if door.state is ServingState.BLOCKED:
                yield _blocked(noun, door.target_id, f"Host {owners.get(door.target_id, '?')}", door.reason)
    portals = {row.id: row.name for row in tx.scalars(select(Portal))}
    for portal in report.portals:
        if portal.state is ServingState.BLOCKED:
            yield _blocked("portal", portal.portal_id, f"Portal {portals.get(portal.portal_id, '?')}", portal.reason)
    names = {row.id: row.wwpn for row in tx.scalars(select(FcPort))}
    for port in report.fc_ports:
        if port.state is ServingState.BLOCKED:
            what = f"Fibre Channel port {names.get(port.port_id, '?')}"
            yield _blocked("fc_port", port.port_id, what, port.reason)


def _blocked(noun: str, ref: str, what: str, reason: str | None) -> Cause:
    words = {"target": "cannot reach its volumes", "subsystem": "cannot reach its NVMe volumes",
             "fc_port": "is not what it is to be"}  # fmt: skip
    return Cause(
        key=f"{noun}.blocked:{ref}",
        severity=Severity.CRITICAL,
        message=f"{what} {words.get(noun, 'does not listen')}",
        cause=reason or "The agent gave no reason.",
        fix="It opens by itself as soon as the cause is gone.",
        grace_s=GRACE_S,
    )


def _target_owners(tx: Session) -> dict[str, str]:
    hosts = tx.execute(select(Target.id, Host.name).join(Host, Host.id == Target.host_id)).all()
    groups = tx.execute(select(Target.id, HostGroup.name).join(HostGroup, HostGroup.id == Target.host_group_id))
    return dict(hosts) | dict(groups.all())
