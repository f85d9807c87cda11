"""Lends spares within spare groups automatically: one move at a time in each group, as a job."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.jobs import JobKind, ResourceState
from lunette.domain.observations import Observation
from lunette.engine.background.array_growth import has_just_failed
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.known_arrays import known
from lunette.engine.context.outcome import Actor, Outcome
from lunette.engine.context.services import Services
from lunette.engine.journal.filing import file_job
from lunette.planner.arrays.spare_groups import Move, plan_move
from lunette.planner.checks.checker import Bounds, check
from lunette.store.database import Store
from lunette.store.resources import Array

ACTOR = Actor(name="lunette")


def tend(store: Store, services: Services, seen: Observation) -> None:
    """Files a job for each group in which a spare is needed and available. A failed one is not retried immediately."""
    with store.read() as tx:
        names = tx.scalars(select(Array.spare_group).where(Array.spare_group.is_not(None)).distinct()).all()
        due = [name for name in names if name and plan(tx, name, seen)]
    for name in due:
        with store.write() as tx:
            lend(tx, services, name)


def lend(tx: Session, services: Services, group: str) -> Outcome | None:
    """The next possible job according to a new observation; None if there is none."""
    seen = services.seen()
    move = plan(tx, group, seen)
    if move is None:
        return None
    recipient, donor = tx.get_one(Array, move.recipient), tx.get_one(Array, move.donor)
    if has_just_failed(tx, recipient, move.plan.title):
        return None
    check(move.plan, seen, Bounds())
    context = ChangeContext(tx, services, ACTOR)
    for array in (recipient, donor):
        array.state = ResourceState.CHANGING.value
        context.emit("array.changing", move.plan.title, ref=array.id)
    return file_job(context, JobKind.ARRAY_CHANGE, Outcome(plan=move.plan, ids=(recipient.id, donor.id)))


def plan(tx: Session, group: str, seen: Observation) -> Move | None:
    """The move to make; None while a job runs on an array of the group."""
    rows = tx.scalars(select(Array).where(Array.spare_group == group).order_by(Array.name)).all()
    if any(row.state == ResourceState.CHANGING for row in rows):
        return None
    observed = {array.uuid: array for array in seen.arrays}
    free = [row for row in rows if row.state == ResourceState.READY and not row.growing and row.uuid in observed]
    return plan_move(group, [(known(row), observed[row.uuid]) for row in free], seen)
