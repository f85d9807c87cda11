"""Finds a disk by any of its names, and switches the locate light of its bay, as a job."""

from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import Conflict, NotFound
from lunette.domain.jobs import JobKind
from lunette.domain.observations import Observation
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.engine.journal.filing import file_job
from lunette.planner.disks.locate import plan_locate


def locate(context: ChangeContext, reference: str, *, is_on: bool) -> Outcome:
    """Switches the light of a disk's bay. Raises NotFound, or Conflict if there is no light."""
    disk = find_disk(context.services.seen(), reference)
    plan = plan_locate(disk, is_on=is_on)
    if context.dry_run:
        return Outcome(plan=plan)
    return file_job(context, JobKind.DISK_LOCATE, Outcome(plan=plan, ids=(disk.id,)))


def find_disk(seen: Observation, reference: str) -> ObservedDisk:
    """By ID, by another of its links, or by a serial that only one disk has."""
    found = [disk for disk in seen.disks if reference in (disk.id, *disk.links)]
    found = found or [disk for disk in seen.disks if disk.serial == reference]
    if not found:
        raise NotFound(f"There is no disk {reference!r}; see the list of disks.")
    if len(found) > 1:
        raise Conflict(
            f"Several disks have the serial {reference}: {', '.join(disk.id for disk in found)}. Specify the ID of one."
        )
    return found[0]
