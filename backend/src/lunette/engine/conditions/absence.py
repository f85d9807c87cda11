"""Why an array is not there, as far as its disks tell: gone, or there without it, or there and it does not start."""

from lunette.domain.arrays import ArrayEngine
from lunette.domain.observations import Observation
from lunette.planner.arrays.absent import strangers, told
from lunette.store.resources import Array

_OVERWRITTEN = (
    "Something emptied or overwrote these disks, or other drives answer to their names. Write nothing to them before "
    "you know which: `lunette event list` has what Lunette did. If they are others, attach the right ones; what was "
    "overwritten is lost, and comes back from a backup of yours alone."
)


def words(row: Array, seen: Observation) -> tuple[str, str]:
    """Why, and what to do."""
    gone = sum(seen.disk(disk.disk_id) is None for disk in row.disks)
    others = strangers(ArrayEngine(row.engine), row.uuid, [disk.disk_id for disk in row.disks], seen)
    given_up = f" Only if it is lost for good: `lunette array forget {row.name} --confirm {row.name}`."
    if others:
        return told(others, gone), _OVERWRITTEN + given_up
    if gone:
        return "its disks do not show", "Check cables and power of its disks." + given_up
    reason = f"`lunette why` for a volume of {row.name} has the reason, and so has the journal of lunette-agent."
    return "its disks are there, and it does not start", reason
