"""System updates, as jobs that continue after the restart in whichever system started, and the alert about a failed
one.
"""

from collections.abc import Iterator

from sqlalchemy import select

from lunette.domain.alerts import Severity
from lunette.domain.errors import Conflict
from lunette.domain.jobs import JobKind, JobState
from lunette.domain.observations import Observation
from lunette.domain.plans import Plan
from lunette.domain.updates import BundleFacts, ObservedSlots, TrialState, UpdateCreate
from lunette.engine.alerts.board import Cause
from lunette.engine.context import connected
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.engine.journal.filing import file_job
from lunette.planner.checks.checker import Bounds, check
from lunette.planner.system import updates as planner
from lunette.store.journal import Job

_OPEN = (JobState.PENDING.value, JobState.RUNNING.value, JobState.STUCK.value)


def update(context: ChangeContext, spec: UpdateCreate, bundle: BundleFacts) -> Outcome:
    """Writes an update bundle to the idle slot and restarts into it, as a job."""
    services = context.services
    slots, there = services.seen().slots, connected.all_hosts(context.tx, services)
    return _filed(context, planner.plan_update(slots, spec, bundle, there, services.identities.id()))


def roll_back(context: ChangeContext) -> Outcome:
    """Restarts into the other slot as it is, as a job."""
    services = context.services
    slots, there = services.seen().slots, connected.all_hosts(context.tx, services)
    return _filed(context, planner.plan_back(slots, there, services.identities.id()))


def ready(slots: ObservedSlots | None) -> ObservedSlots:
    """The slots of an appliance that can be updated now. Raises Conflict."""
    return planner.ready(slots)


def causes_of(seen: Observation) -> Iterator[Cause]:
    """An alert if the last update did not prove healthy."""
    trial = seen.slots.trial if seen.slots else None
    if seen.slots is None or trial is None or trial.state is not TrialState.FAILED:
        return
    yield Cause(
        key="system.update",
        severity=Severity.WARNING,
        message=(
            f"The update to version {trial.version} failed; version {seen.slots.version(seen.slots.running)} is running"
        ),
        cause=trial.reason or "no reason was reported",
        fix=(
            "Hosts are not affected. Download a support bundle (`lunette support`), then retry or use another update "
            "bundle."
        ),
    )


def _filed(context: ChangeContext, plan: Plan) -> Outcome:
    """Raises Conflict while another update is running."""
    under_way = context.tx.scalar(select(Job.id).where(Job.kind == JobKind.SYSTEM_UPDATE.value, Job.state.in_(_OPEN)))
    if under_way is not None:
        raise Conflict(f"An update is already running (job {under_way}): wait until the job ends, or resolve it.")
    check(plan, context.services.seen(), Bounds())
    if context.dry_run:
        return Outcome(plan=plan)
    return file_job(context, JobKind.SYSTEM_UPDATE, Outcome(plan=plan, ids=("system",)))
