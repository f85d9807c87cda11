"""Starts an external array after a boot: finds its device by its stable ID, and uses it only if it carries the
array.
"""

from lunette.domain.errors import Conflict
from lunette.domain.exports import ExportArray
from lunette.providers.arrays.external.device import is_there, path
from lunette.providers.volumes.lvm import group, observe
from lunette.providers.volumes.lvm.plan import TAG, array_tag
from lunette.system.system_port import System


def is_up(system: System, array: ExportArray) -> bool:
    """True if its device is present; its content is checked before its volumes are brought up."""
    return any(is_there(system, id_) for id_ in array.members)


def start(system: System, array: ExportArray, *, allow_degraded: bool) -> str | None:  # noqa: ARG001 - it has one disk
    """None once the device is present, otherwise what the array waits for, in words: it cannot be started from here."""
    if is_up(system, array):
        return None
    return f"waiting for array {array.name}: its device {', '.join(array.members)} is not present"


def activate(system: System, array: ExportArray) -> None:
    """Bring up its volumes. Raises Conflict if the device with its ID does not carry the array."""
    device = path(system, array.members[0])
    known = observe.physical_volume(system, device)
    if known is None or known.group != array.group or not {TAG, array_tag(array.uuid)} <= known.tags:
        raise Conflict(
            f"disk {array.members[0]} does not contain array {array.name} and was not changed; attach the disk that "
            "does"
        )
    _drop_stale(system, array.group, system.realpath(device).rpartition("/")[2])
    group.activate(system, array.group, device)


def _drop_stale(system: System, name: str, kernel_name: str) -> None:
    """Take down volumes that still depend on the device as it was before it disappeared and returned under another
    name.
    """
    found = observe.find_group(system, name)
    for volume in found.volumes if found else ():
        node = system.realpath(f"/dev/{name}/{volume.name}").rpartition("/")[2]
        if volume.active and _leaves(system, node) != {kernel_name}:
            group.deactivate(system, name)
            return


def _leaves(system: System, kernel_name: str) -> set[str]:
    """The device below a mapped device; None if it has disappeared."""
    below = system.listdir(f"/sys/block/{kernel_name}/slaves")
    found: set[str] = set()
    for one in below:
        found |= _leaves(system, one) if system.listdir(f"/sys/block/{one}/slaves") else {one}
    return found
