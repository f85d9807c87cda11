"""Explains the loss of a disk without user data: log and cache disks of a pool, spares.

Behavior of OpenZFS 2.3: without its log it writes synchronously to the data disks (a lost log only degrades the root,
vdev_propagate_state in module/zfs/vdev.c), and everything in the log is in memory too: it is read only after a power
failure. A lost cache disk is dropped silently. Neither is ever replaced by a spare (spa_vdev_attach, spa.c).
"""

from collections.abc import Iterator, Sequence

from lunette.domain.alerts import Severity
from lunette.domain.arrays import MemberRole
from lunette.domain.units import counted
from lunette.engine.alerts.board import Cause
from lunette.store.resources import Array, ArrayDisk

_AUXILIARY = (MemberRole.LOG, MemberRole.CACHE, MemberRole.SPARE)
_SAFE = "No data is in danger: "


def is_auxiliary(disk: ArrayDisk) -> bool:
    """True for a disk without which the array is as redundant as before. This does not apply to special disks."""
    return disk.role in _AUXILIARY


def words(disk: ArrayDisk) -> str:
    """A disk, named by its role."""
    return "disk" if disk.role == MemberRole.DATA else f"{disk.role} disk"


def causes_of(row: Array, lost: Sequence[ArrayDisk]) -> Iterator[Cause]:
    """An alert for each lost disk other than data disks, saying that no data is in danger and why."""
    logs = sum(disk.role == MemberRole.LOG for disk in row.disks if not disk.leaving)
    left = logs - sum(disk.role == MemberRole.LOG for disk in lost)
    for disk in lost:
        role = MemberRole(disk.role)
        meaning, cause = _meaning(role, left)
        without = f"remove it with `lunette array remove {row.name} {disk.disk_id}`"
        fix = f"Replace it with `lunette array replace {row.name} {disk.disk_id} NEW`, or {without}."
        if role is not MemberRole.LOG:
            verb = "add-spares" if role is MemberRole.SPARE else "add-disks"
            fix = f"Attach it again, or {without} and add another with `lunette array {verb}`."
        yield Cause(
            key=f"array.disk:{row.id}:{disk.disk_id}"[:255],
            severity=Severity.WARNING,
            message=f"Array {row.name} {meaning}: {role.value} disk {disk.disk_id} (serial {disk.serial}) is lost",
            cause=_SAFE + cause,
            fix=fix,
        )


def _meaning(role: MemberRole, logs_left: int) -> tuple[str, str]:
    """What the array lacks, and why no data is in danger."""
    if role is MemberRole.CACHE:
        return "reads more slowly", "a cache disk contains only copies of data on the data disks"
    if role is MemberRole.SPARE:
        return "has one spare less", "a spare contains no data until it replaces a disk"
    if logs_left > 0:
        left = f"has {counted(logs_left, 'log disk')} left"
        return left, "the other log disks contain the whole log"
    return (
        "runs without its log",
        "the content of the log is also in memory and goes to the data disks; so do synchronous writes, more slowly",
    )
