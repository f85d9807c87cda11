"""Why an array is missing, as far as its disks show: they are gone, are present without the array, or it does not
start.
"""

from lunette.domain.arrays import ArrayEngine
from lunette.domain.observations import Observation
from lunette.planner.arrays.absent import describe, strangers
from lunette.store.resources import Array

_OVERWRITTEN = (
    "These disks were emptied or overwritten, or other drives have their identifiers. Do not write to them until you "
    "know which: `lunette event list` shows what Lunette did. If they are other drives, attach the right ones. "
    "Overwritten data is lost and can be restored only from your own backup."
)


def words(row: Array, seen: Observation) -> tuple[str, str]:
    """Reason, and what to do."""
    gone = sum(seen.disk(disk.disk_id) is None for disk in row.disks)
    others = strangers(ArrayEngine(row.engine), row.uuid, [disk.disk_id for disk in row.disks], seen)
    given_up = f" Only if it is permanently lost: `lunette array forget {row.name} --confirm {row.name}`."
    if others:
        return describe(others, gone), _OVERWRITTEN + given_up
    if gone:
        return "its disks are not detected", "Check the cables and the power supply of its disks." + given_up
    reason = f"`lunette why` for a volume of {row.name} shows the reason, as does the journal of lunette-agent."
    return "its disks are present, but it does not start", reason
