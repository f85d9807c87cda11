"""Foreign arrays: listed, started read-only, and adopted by a job that marks them (decision 0042)."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from lunette.domain.errors import NotFound
from lunette.domain.foreign_arrays import ForeignArrayAdopt, FoundArray, Judged
from lunette.domain.jobs import JobKind
from lunette.engine.changes.adopting import facts_of, write
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.engine.context.services import Services
from lunette.engine.journal.filing import file_job
from lunette.planner.adopting import arrays as planner
from lunette.planner.adopting.facts import Facts
from lunette.planner.checks.checker import Bounds, check


def foreign(tx: Session, services: Services, found: Sequence[FoundArray]) -> tuple[Judged, ...]:
    """Every array that is unknown to the database, or has logical volumes that are unknown to it, with the verdict."""
    return _judged(facts_of(tx), services, found)


@dataclass(frozen=True)
class Which:
    """One of the arrays that the agent found."""

    found: Sequence[FoundArray]
    uuid: str


def start(context: ChangeContext, which: Which) -> Outcome:
    """Starts an array read-only, to inspect its content. Raises NotFound or Conflict."""
    plan = planner.plan_start(_one(_judged(facts_of(context.tx), context.services, which.found), which.uuid))
    check(plan, context.services.seen(), Bounds())
    if context.dry_run:
        return Outcome(plan=plan)
    return file_job(context, JobKind.ARRAY_START, Outcome(plan=plan, ids=(which.uuid,)))


def adopt(context: ChangeContext, which: Which, spec: ForeignArrayAdopt) -> Outcome:
    """Adopts an array, and the logical volumes in it. Raises NotFound, Conflict or Invalid."""
    services = context.services
    facts, seen = facts_of(context.tx), services.seen()
    rows, plan = planner.plan_adopt(
        _one(_judged(facts, services, which.found), which.uuid), spec, seen, facts, services.identities
    )
    check(plan, seen, Bounds())
    if context.dry_run:
        return Outcome(plan=plan)
    write(context.tx, rows, {disk.id: disk.serial for disk in seen.disks})
    context.emit("array.adopting", plan.title, data={"array": which.uuid})
    return file_job(context, JobKind.ARRAY_ADOPT, Outcome(plan=plan, ids=rows.ids()))


def _judged(facts: Facts, services: Services, found: Sequence[FoundArray]) -> tuple[Judged, ...]:
    seen = services.seen()
    judged = (planner.judge(one, seen, facts) for one in found)
    return tuple(one for one in judged if one.own is None or one.volumes)


def _one(judged: Sequence[Judged], uuid: str) -> Judged:
    found = next((one for one in judged if one.found.seen.uuid == uuid), None)
    if found is None:
        raise NotFound(f"There is no foreign array {uuid}; see the list of foreign arrays.")
    return found
