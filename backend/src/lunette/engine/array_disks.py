"""Which disks belong to an array: rows follow what a job's steps did. A new disk has its row from the request on."""

from collections.abc import Iterable

from sqlalchemy import delete
from sqlalchemy.orm import Session

from lunette.domain.plans import Plan
from lunette.domain.steps import MdAdd, MdMember, MdRemove, MdReplace
from lunette.store.journal import Job
from lunette.store.resources import Array, ArrayDisk


def joining(plan: Plan) -> tuple[MdMember, ...]:
    """The disks that the plan brings into an array."""
    added = [step.member for step in plan.steps if isinstance(step, MdAdd) and not step.returns]
    return (*added, *(step.new for step in plan.steps if isinstance(step, MdReplace)))


def claim(array: Array, plan: Plan) -> None:
    """Gives the array the disks that join it, so that no other request takes them meanwhile."""
    first = max((disk.slot for disk in array.disks), default=-1) + 1
    for slot, member in enumerate(joining(plan), first):
        array.disks.append(ArrayDisk(disk_id=member.disk_id, serial=member.serial, slot=slot))


def changed(tx: Session, job: Job) -> None:
    """The job succeeded: who was removed has left, and who is being copied leaves later."""
    plan = Plan.model_validate(job.plan)
    _drop(tx, job, (step.member for step in plan.steps if isinstance(step, MdRemove)))
    for step in plan.steps:
        if isinstance(step, MdReplace):
            tx.get_one(ArrayDisk, step.old.disk_id).leaving = True


def unchanged(tx: Session, job: Job) -> None:
    """The job was taken back: who was to join does not belong to the array."""
    _drop(tx, job, joining(Plan.model_validate(job.plan)))


def _drop(tx: Session, job: Job, members: Iterable[MdMember]) -> None:
    ids = [member.disk_id for member in members]
    tx.execute(delete(ArrayDisk).where(ArrayDisk.array_id.in_(job.resource_ids), ArrayDisk.disk_id.in_(ids)))
