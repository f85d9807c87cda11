"""Ownership and use of volumes in a volume group: the checks before every step."""

from collections.abc import Sequence

from lunette.domain.errors import Conflict, InUse, NoSpace, NotFound
from lunette.domain.sizes import format_size
from lunette.providers.disks.inventory import settle
from lunette.providers.volumes.lvm import observe, parse
from lunette.providers.volumes.lvm.plan import TAG
from lunette.system.system_port import System

TIMEOUT_S = 180.0


def own_group(system: System, name: str) -> parse.Group:
    """The group with its volumes. Raises NotFound while it is down, Conflict if it is not Lunette's."""
    group = observe.find_group(system, name)
    if group is None:
        raise NotFound(f"volume group {name} is not available: start its array, then try again")
    if TAG not in group.tags:
        raise Conflict(f"volume group {name} does not carry the mark of this appliance and was not changed")
    return group


def check_own(volume: parse.Volume, tag: str, group: str) -> None:
    """Raises Conflict unless the volume carries Lunette's mark and this tag."""
    if TAG not in volume.tags or tag not in volume.tags:
        raise Conflict(f"{group}/{volume.name} does not carry the mark {tag} and was not changed")


def check_space(group: parse.Group, what: str, needed: int) -> None:
    """Raises NoSpace if the group has less than `needed` bytes left."""
    if needed > group.free_bytes:
        raise NoSpace(
            f"{what} needs {format_size(needed)} and {group.name} has {format_size(group.free_bytes)} free: delete "
            "volumes, or choose a smaller size"
        )


def remove(system: System, group: parse.Group, volume: parse.Volume) -> None:
    """Remove a volume or snapshot. Raises InUse while it is open."""
    if volume.open:  # udev opens what has just changed
        settle(system)
        volume = own_group(system, group.name).volume(volume.name) or volume
    system.run(removal(group, volume), timeout_s=TIMEOUT_S)


def removal(group: parse.Group, volume: parse.Volume) -> Sequence[str]:
    """The command that removes a volume or snapshot. Raises InUse while it is open."""
    check_closed(group, volume)
    # -y confirms the removal of an active volume; LVM still refuses one that is open.
    return ["lvremove", "-y", "--", f"{group.name}/{volume.name}"]


def check_closed(group: parse.Group, volume: parse.Volume) -> None:
    """Raises InUse while a volume is open."""
    if volume.open:
        raise InUse(f"volume {group.name}/{volume.name} is open: unmap it first")


def open_volumes(system: System, group: parse.Group, names: Sequence[str]) -> list[str]:
    """Which of these volumes are open. udev opens what has just changed, so it is checked again after udev has
    finished.
    """
    for again in (False, True):
        if again:
            settle(system)
            group = observe.find_group(system, group.name) or group
        found = [volume.name for volume in group.volumes if volume.name in names and volume.open]
        if not found:
            break
    return found


def device_bytes(system: System, path: str) -> int:
    """The kernel's size of an active device: a killed tool may not have set a new one."""
    device = system.realpath(path).rpartition("/")[2]
    return int(system.read(f"/sys/class/block/{device}/size")) * 512
