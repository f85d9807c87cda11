"""Parts of the machine that cannot be read: an alert for each, and the alerts that cannot be judged meanwhile."""

from collections.abc import Iterable, Iterator

from lunette.domain.alerts import Severity
from lunette.domain.arrays import ArrayEngine
from lunette.domain.observations import Observation, Part, Unread
from lunette.engine.alerts.board import Cause
from lunette.engine.conditions import disk_health, links, system_mirror
from lunette.engine.exports import sharing
from lunette.planner.engines.array_engines import hides_array
from lunette.store.resources import Array

FAMILY = "agent.unread"
GRACE_S = 15.0
"""A pool that is just being imported, or a volume group that is just being changed, is no alert."""
_WHOLE = {
    Part.DISKS: "The drives",
    Part.MD: "The md arrays",
    Part.LVM: "Some volume groups of LVM",
    Part.ZFS: "The ZFS pools",
    Part.EXTERNAL: "The external arrays",
    Part.NETWORK: "The network interfaces",
    Part.FIBRE_CHANNEL: "The Fibre Channel ports",
    Part.RDMA: "The RDMA devices",
    Part.UPDATES: "The system slots",
}
_ONE = {
    Part.DISKS: "Drive",
    Part.LVM: "Volume group",
    Part.ZFS: "Pool",
    Part.EXTERNAL: "External array",
    Part.NETWORK: "Network interface",
}
_LOOK = {
    Part.DISKS: "Run `lsblk` as root, and check `journalctl -k` for a failing drive.",
    Part.MD: "Run `cat /proc/mdstat` and `mdadm --detail --scan` as root.",
    Part.LVM: "Run `vgs` and `lvs` as root: they report what they omit, and why.",
    Part.ZFS: "Run `zpool status` and `zfs list` as root.",
    Part.EXTERNAL: "Run `pvs` as root, and check the device and the path to it.",
    Part.NETWORK: "Run `ip address` and `networkctl` as root.",
    Part.FIBRE_CHANNEL: "Check /sys/class/fc_host, and the driver in `journalctl -k`.",
    Part.RDMA: "Check /sys/class/infiniband, and the driver in `journalctl -k`.",
    Part.UPDATES: "Run `lsblk` as root, and check the EFI partitions of the system disks.",
}
_MEANWHILE = (
    "Exports continue, and objects that cannot be read are neither changed nor deleted until then. If the tool reports "
    "no problem, `lunette support` collects the information needed to correct Lunette."
)
_FAMILIES = {
    Part.DISKS: (disk_health.FAMILY,),
    Part.NETWORK: (links.FAMILY,),
    Part.MD: (system_mirror.FAMILY,),
    Part.UPDATES: (system_mirror.FAMILY,),
    Part.LVM: (sharing.FAMILY,),
    Part.ZFS: (sharing.FAMILY,),
}
"""The alerts that follow from what each part reports."""


def causes_of(seen: Observation) -> Iterator[Cause]:
    """One alert for each part, pool, group or drive that cannot be read."""
    for one in seen.unread:
        yield Cause(
            key=f"{FAMILY}:{one.part.value}:{one.name}"[:255],
            severity=Severity.WARNING,
            message=f"{_subject(one)} cannot be read: the state is not known",
            cause=one.reason,
            fix=f"{_LOOK[one.part]} {_MEANWHILE}",
            grace_s=GRACE_S,
        )


def _subject(one: Unread) -> str:
    return f"{_ONE.get(one.part, _WHOLE[one.part])} {one.name}" if one.name else _WHOLE[one.part]


def unknown(seen: Observation, arrays: Iterable[Array]) -> frozenset[str]:
    """What cannot be judged: families of alerts, and objects named after the colon of a key."""
    found = {family for one in seen.unread for family in _FAMILIES.get(one.part, ())}
    for row in arrays:
        if is_hidden(row, seen):
            found |= {row.id, *(f"{row.id}:{disk.disk_id}" for disk in row.disks)}
    return frozenset(found)


def is_hidden(row: Array, seen: Observation) -> bool:
    """True if the array may exist although it is not observed."""
    is_seen = any(array.uuid == row.uuid for array in seen.arrays)
    return not is_seen and hides_array(seen, ArrayEngine(row.engine), row.uuid, row.group_name)
