"""Switches the locate light of a drive's bay, so that the right drive is pulled."""

from lunette.domain.errors import Conflict, ToolFailed
from lunette.domain.steps import DiskLocate
from lunette.providers.disks import place
from lunette.providers.disks.inventory import observe_disks, same_disk
from lunette.system.system_port import System


def locate(system: System, step: DiskLocate) -> str | None:
    """Set the light as the step says; None if it was so. Raises Conflict for another drive or one without a light."""
    return _switch(system, step, is_on=step.is_on)


def undo_locate(system: System, step: DiskLocate) -> str | None:
    """Restore the previous state of the light."""
    return _switch(system, step, is_on=step.was_on)


def _switch(system: System, step: DiskLocate, *, is_on: bool) -> str | None:
    disk = same_disk(observe_disks(system), step.disk_id, step.serial)
    bay = place.bay_of(system, disk.kernel_name)
    lit = place.is_lit(system, bay[1]) if bay else None
    if bay is None or lit is None:
        raise Conflict(f"disk {step.disk_id} is not in a bay with a locate light that the kernel can control")
    if lit is is_on:
        return None
    words = f"the locate light of bay {bay[0]} is {'on' if is_on else 'off'}"
    try:
        system.write(f"{bay[1]}/locate", str(int(is_on)))
    except OSError as error:
        raise ToolFailed(f"the enclosure refused to switch the locate light of bay {bay[0]}: {error}") from error
    if place.is_lit(system, bay[1]) is not is_on:
        raise ToolFailed(f"the enclosure accepted the command, but does not report that {words}")
    return words
