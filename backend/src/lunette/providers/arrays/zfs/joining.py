"""Disks that are being added to a pool, and that a start without a record of them would miss.

A pool does not start without its log and special disks. The power may fail between `zpool add` and the record of the
new members; so they are written down before, and checked in addition to the members until they are recorded.
"""

from lunette.domain.errors import LunetteError
from lunette.domain.exports import ExportArray
from lunette.providers.arrays.zfs import labels
from lunette.system.system_port import System

_FILE = "/var/lib/lunette/agent/joining-{}"


def announce(system: System, guid: str, disk_ids: list[str]) -> None:
    """Write them down, durably."""
    system.write_durably(_FILE.format(guid), "\n".join(disk_ids).encode())


def unrecorded(system: System, array: ExportArray) -> list[str]:
    """Disks that are not recorded members yet, and whose own label says that they are in the pool."""
    return [
        id_ for id_ in _announced(system, array.uuid) if id_ not in array.members and _is_in(system, id_, array.uuid)
    ]


def forget(system: System, array: ExportArray) -> None:
    """Called once all of them are recorded."""
    announced = _announced(system, array.uuid)
    if announced and set(announced) <= set(array.members):
        give_up(system, array.uuid)


def give_up(system: System, guid: str) -> None:
    """They are no longer being added; harmless if none were."""
    if _announced(system, guid):
        system.unlink(_FILE.format(guid))


def _announced(system: System, guid: str) -> list[str]:
    return (system.read_file(_FILE.format(guid)) or b"").decode(errors="replace").split()


def _is_in(system: System, disk_id: str, guid: str) -> bool:
    try:
        label = labels.read(system, disk_id)
    except LunetteError:
        return False
    return label is not None and label.guid == guid
