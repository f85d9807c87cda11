"""The appliance in one sentence: the most severe problem first."""

import datetime as dt

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from lunette.api.answers.arrays import ArrayHealth, array_health
from lunette.api.answers.seen import ObservedSessions
from lunette.api.answers.system import AgentStatus, Convergence, Counts, ExportsStatus, HealthState, Status
from lunette.api.requests.observed import MachineView
from lunette.domain.alerts import Severity
from lunette.domain.exports import ServingState
from lunette.domain.jobs import JobState
from lunette.store.journal import Alert, Job
from lunette.store.resources import Array, Host, HostGroup, Mapping, Meta, Portal, Volume
from lunette.store.schema import utc_now

_LOST = {ArrayHealth.FAILED, ArrayHealth.MISSING}
_WEAK = {ArrayHealth.DEGRADED, ArrayHealth.REBUILDING}


def status_answer(tx: Session, now: MachineView, sessions: ObservedSessions, *, name: str, version: str) -> Status:
    """The whole status, from the database and the last observation."""
    meta = {row.key: row.value for row in tx.scalars(select(Meta))}
    alerts = list(tx.scalars(select(Alert).where(Alert.resolved_at.is_(None)).order_by(Alert.raised_at)))
    exports = _exports(now, int(meta["export_generation"]))
    counts = _counts(tx, now, sessions, alerts)
    health, sentence = _sentence(tx, now, exports, alerts, counts)
    seen = now.seen
    return Status(
        health=health,
        sentence=sentence,
        name=name,
        version=version,
        appliance_id=meta["appliance_id"],
        addresses=seen.observation.addresses if seen.observation else (),
        exports=exports,
        agent=AgentStatus(answers=now.away is None, reason=now.away, age_s=seen.age_s if seen.observation else None),
        counts=counts,
    )


def _exports(now: MachineView, wanted: int) -> ExportsStatus:
    report = now.report
    reason: str | None
    if report is None:
        state, reason = Convergence.UNKNOWN, "the agent has not answered since the API started"
    elif not report.accepted:
        state, reason = Convergence.REFUSED, report.refusal
    elif report.unexplained:
        state, reason = Convergence.HELD, "exports that are no longer in the configuration remain in service"
    elif report.generation < wanted:
        state, reason = Convergence.PENDING, "the agent has not applied the last change yet"
    else:
        state, reason = Convergence.CONVERGED, None
    return ExportsStatus(
        state=state,
        wanted_generation=wanted,
        applied_generation=report.generation if report else None,
        reason=reason,
        unexplained=report.unexplained if report else (),
        foreign=report.foreign if report else (),
        age_s=_age(now.report_at),
    )


def _age(moment: dt.datetime | None) -> float | None:
    return max(0.0, (utc_now() - moment).total_seconds()) if moment else None


def _counts(tx: Session, now: MachineView, sessions: ObservedSessions, alerts: list[Alert]) -> Counts:
    def count(kind: type) -> int:
        return tx.scalar(select(func.count()).select_from(kind)) or 0

    def jobs(*states: JobState) -> int:
        return tx.scalar(select(func.count()).where(Job.state.in_([s.value for s in states]))) or 0

    critical = [one for one in alerts if one.severity == Severity.CRITICAL.value]
    warning = [one for one in alerts if one.severity == Severity.WARNING.value]
    return Counts(
        disks=len(now.seen.disks) if now.seen.observation else None,
        arrays=count(Array),
        volumes=count(Volume),
        hosts=count(Host),
        host_groups=count(HostGroup),
        portals=count(Portal),
        mappings=count(Mapping),
        sessions=sessions.total,
        running_jobs=jobs(JobState.PENDING, JobState.RUNNING),
        stuck_jobs=jobs(JobState.STUCK),
        alerts=len(alerts),
        critical_alerts=len(critical),
        warning_alerts=len(warning),
        unacknowledged_alerts=sum(one.acknowledged_at is None for one in (*critical, *warning)),
    )


def _sentence(
    tx: Session, now: MachineView, exports: ExportsStatus, alerts: list[Alert], counts: Counts
) -> tuple[HealthState, str]:
    """The most severe problem; or that everything is healthy."""
    health = {row.name: array_health(row, now.seen) for row in tx.scalars(select(Array).order_by(Array.name))}
    lost = [f"{name} is {state.value}" for name, state in health.items() if state in _LOST]
    weak = [f"{name} is {state.value}" for name, state in health.items() if state in _WEAK]
    blocked = sum(t.state is ServingState.BLOCKED for t in now.report.targets) if now.report else 0
    critical = [alert.message for alert in alerts if alert.severity == Severity.CRITICAL.value]
    other = [alert.message for alert in alerts if alert.severity == Severity.WARNING.value]
    grave = [
        *([f"Array {', '.join(lost)}."] if lost else []),
        *([f"{now.away[:1].upper()}{now.away[1:].rstrip('.')}."] if now.away else []),
        *critical,
        *(
            [f"{blocked} of {counts.hosts + counts.host_groups} hosts and groups are waiting for their volumes."]
            if blocked
            else []
        ),
    ]
    if grave:
        return HealthState.CRITICAL, grave[0]
    mild = [
        *([f"Array {', '.join(weak)}."] if weak else []),
        *([f"{counts.stuck_jobs} stuck job(s) need a decision."] if counts.stuck_jobs else []),
        *([f"Exports are {exports.state.value}: {exports.reason}."] if exports.state in _NOT_QUITE else []),
        *other,
    ]
    if mild:
        return HealthState.WARNING, mild[0]
    return HealthState.GOOD, "All is well."


_NOT_QUITE = {Convergence.HELD, Convergence.REFUSED}
