"""Tests the paths of a host by taking each one down in turn, as a job."""

from collections.abc import Iterator

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from lunette.domain.arrays import ArrayState
from lunette.domain.errors import Conflict
from lunette.domain.jobs import JobKind, JobState
from lunette.domain.paths import HostVerifyPaths
from lunette.engine.conditions.unread import is_hidden
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.lookup import need
from lunette.engine.context.outcome import Outcome
from lunette.engine.journal.filing import file_job
from lunette.engine.reads import host_access
from lunette.engine.reads.why import MachineState
from lunette.planner.diagnosis.path_trials import TrialFacts, plan_trial
from lunette.planner.diagnosis.paths import verify
from lunette.store.journal import Job
from lunette.store.resources import Array, Host, HostGroupMember, Mapping, Volume

_OPEN = (JobState.PENDING.value, JobState.RUNNING.value, JobState.STUCK.value)
_WHOLE = (ArrayState.CLEAN, ArrayState.RESYNCING, ArrayState.UNKNOWN)
"""During its first resync, an array is redundant where it was written, and the resync may take a day."""


def begin(context: ChangeContext, reference: str, spec: HostVerifyPaths) -> Outcome:
    """Raises NotFound, Invalid, or Conflict if the paths cannot be tested now, for example during another host's
    test.
    """
    tx, services = context.tx, context.services
    host = need(tx, Host, reference)
    under_way = tx.scalar(select(Job).where(Job.kind == JobKind.HOST_VERIFY_PATHS.value, Job.state.in_(_OPEN)))
    if under_way is not None:
        raise Conflict(
            f"Job {under_way.id} ({under_way.title}) is running: the paths of only one host can be tested at a time."
        )
    look = MachineState(services.seen(), services.exports(), services.sessions())
    paths = host_access.path_facts(tx, host, look)
    facts = TrialFacts(paths=paths, found=verify(paths), unfit=tuple(_unfit(tx, host, look)))
    plan = plan_trial(facts, spec, services.identities)
    if context.dry_run:
        return Outcome(plan=plan)
    return file_job(context, JobKind.HOST_VERIFY_PATHS, Outcome(plan=plan, ids=(host.id,)))


def _unfit(tx: Session, host: Host, look: MachineState) -> Iterator[str]:
    """Arrays of the host's volumes that are not healthy, with their state."""
    group = select(HostGroupMember.host_group_id).where(HostGroupMember.host_id == host.id)
    mapped = (
        select(Volume.array_id)
        .join(Mapping, Mapping.volume_id == Volume.id)
        .where(or_(Mapping.host_id == host.id, Mapping.host_group_id.in_(group)))
    )
    states = {array.uuid: array.state for array in look.seen.arrays} if look.seen else {}
    for array in tx.scalars(select(Array).where(Array.id.in_(mapped)).order_by(Array.name)):
        is_unknown = look.seen is not None and is_hidden(array, look.seen)
        state = states.get(array.uuid, ArrayState.UNKNOWN if is_unknown else ArrayState.MISSING)
        if state not in _WHOLE:
            yield f"array {array.name} is {state.value}"
