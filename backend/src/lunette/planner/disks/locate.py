"""Plans switching the locate light of a disk's bay. Pure."""

from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import Conflict
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.domain.steps import DiskLocate


def plan_locate(disk: ObservedDisk, *, is_on: bool) -> Plan:
    """Raises Conflict for a disk without a switchable light."""
    was_on = disk.place.is_located
    if was_on is None:
        where = f"bay {disk.place.bay}, which has no light" if disk.place.bay else "no bay of a SCSI enclosure (SES)"
        at = f" It is at PCI address {disk.place.pci_address}." if disk.place.pci_address else ""
        raise Conflict(
            f"Disk {disk.id} has no locate light that Lunette can control: the kernel reports it in {where}.{at} "
            f"Find it by its serial, {disk.serial or 'which it does not report'}."
        )
    words = f"the locate light of bay {disk.place.bay} is turned {'on' if is_on else 'off'}"
    step = DiskLocate(disk_id=disk.id, serial=disk.serial, is_on=is_on, was_on=was_on)
    change = PlannedChange(action=Action.CHANGE, noun="disk", name=disk.id, detail=words)
    return Plan(
        title=f"Turn {'on' if is_on else 'off'} the locate light of disk {disk.id}", changes=(change,), steps=(step,)
    )
