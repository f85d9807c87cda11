"""Wipes an unused disk, as a job."""

from sqlalchemy import select

from lunette.domain.disks import DiskWipeRequest
from lunette.domain.errors import Conflict
from lunette.domain.jobs import JobKind, JobState
from lunette.engine.changes.disk_locate import find_disk
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.engine.journal.filing import file_job
from lunette.planner.checks.checker import Bounds, check
from lunette.planner.disks import wipe as planner
from lunette.store.journal import Job
from lunette.store.resources import Array, ArrayDisk

_OPEN = (JobState.PENDING.value, JobState.RUNNING.value, JobState.STUCK.value)


def wipe(context: ChangeContext, reference: str, spec: DiskWipeRequest) -> Outcome:
    """Raises NotFound, Invalid, InUse, or Conflict while another job wipes this disk."""
    seen = context.services.seen()
    disk = find_disk(seen, reference)
    under_way = context.tx.scalars(select(Job).where(Job.kind == JobKind.DISK_WIPE.value, Job.state.in_(_OPEN)))
    for job in under_way:
        if disk.id in job.resource_ids:
            raise Conflict(f"Disk {disk.id} is already being wiped by job {job.id}: wait until the job ends.")
    owned = select(Array.name).join(ArrayDisk, ArrayDisk.array_id == Array.id)
    owner = context.tx.scalar(owned.where(ArrayDisk.disk_id.in_((disk.id, *disk.links))))
    plan = planner.plan_wipe(disk, spec, seen, owner, context.services.identities)
    check(plan, seen, Bounds(wipe=frozenset((disk.id,))))
    if context.dry_run:
        return Outcome(plan=plan)
    return file_job(context, JobKind.DISK_WIPE, Outcome(plan=plan, ids=(disk.id,)))
