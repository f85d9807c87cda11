"""Restarts and shuts down the machine, as jobs that are done at its next start."""

from sqlalchemy import func, select

from lunette.domain.errors import Conflict
from lunette.domain.jobs import JobKind, JobState
from lunette.domain.power import PowerAction
from lunette.engine.context import connected
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.engine.journal.filing import file_job
from lunette.planner.checks.checker import Bounds, check
from lunette.planner.system import power as planner
from lunette.store.journal import Job

_KINDS = {PowerAction.RESTART: JobKind.SYSTEM_RESTART, PowerAction.OFF: JobKind.SYSTEM_POWER_OFF}
_STOPPING = (*(kind.value for kind in _KINDS.values()), JobKind.SYSTEM_UPDATE.value)
_UNDER_WAY = (JobState.PENDING.value, JobState.RUNNING.value)


def stop(context: ChangeContext, action: PowerAction) -> Outcome:
    """Shuts the machine down cleanly. Raises Conflict if that is not possible, or it is already shutting down."""
    tx = context.tx
    stopping = tx.scalar(select(Job.id).where(Job.kind.in_(_STOPPING), Job.state.in_(_UNDER_WAY)))
    if stopping is not None:
        raise Conflict(f"The appliance is already restarting or shutting down (job {stopping}): wait until it ends.")
    jobs = tx.scalar(select(func.count()).select_from(Job).where(Job.state.in_(_UNDER_WAY))) or 0
    seen = context.services.seen()
    plan = planner.plan_stop(action, seen, connected.all_hosts(tx, context.services), jobs)
    check(plan, seen, Bounds())
    if context.dry_run:
        return Outcome(plan=plan)
    return file_job(context, _KINDS[action], Outcome(plan=plan, ids=("system",)))
