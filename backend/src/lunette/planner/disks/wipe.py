"""Plans wiping one disk. Pure. Refuses a disk that is in use, and a wipe that would affect other disks."""

from typing import NoReturn

from lunette.domain.disk_health import EraseMethod, EraseSupport
from lunette.domain.disks import DiskWipeRequest, ObservedDisk, Transport, WipeMethod
from lunette.domain.errors import Conflict, FieldProblem, InUse, Invalid
from lunette.domain.identity import IdentitySource
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.domain.steps import DiskErase, DiskWipe

OF_OTHERS = (
    "linux_raid_member",
    "ddf_raid_member",
    "isw_raid_member",
    "LVM2_member",
    "zfs_member",
    "bcache",
    "crypto_LUKS",
    "btrfs",
    "drbd",
)
"""Signatures of content that may span several disks, or be locked: the request must name them."""

_CANNOT_BE_STOPPED = "It cannot be stopped after it has started, and can take minutes."
_SANITIZES_ITSELF = (
    "It cannot be stopped after it has started, not even by a power failure: the drive continues, performs no other "
    "I/O until it has finished, and can take hours."
)


def plan_wipe(
    disk: ObservedDisk, spec: DiskWipeRequest, seen: Observation, owner: str | None, identities: IdentitySource
) -> Plan:
    """`owner` is the array of Lunette that contains the disk."""
    _refuse_use(disk, owner)
    _check_names(disk, spec)
    lost = "all signatures are lost" if spec.method is WipeMethod.SIGNATURES else "all data is lost"
    change = PlannedChange(action=Action.DESTROY, noun="disk", name=disk.id, detail=f"{_carries(disk)}: {lost}")
    if spec.method is WipeMethod.SIGNATURES:
        wipe = DiskWipe(disk_id=disk.id, serial=disk.serial, size_bytes=disk.size_bytes, signatures=disk.signatures)
        warning = (
            "The data itself stays on the disk and can be read by anyone who has the disk: only its signatures are "
            "removed."
        )
        return Plan(title=f"Wipe disk {disk.id}", changes=(change,), steps=(wipe,), warnings=(warning,))
    method = EraseMethod(spec.method.value)
    _check_erase(disk, method, seen)
    erase = DiskErase(
        erase_id=identities.id(),
        disk_id=disk.id,
        serial=disk.serial,
        size_bytes=disk.size_bytes,
        signatures=disk.signatures,
        method=method,
    )
    warning = _SANITIZES_ITSELF if method.is_sanitize else _CANNOT_BE_STOPPED
    return Plan(title=f"Erase disk {disk.id}", changes=(change,), steps=(erase,), warnings=(warning,))


def _refuse_use(disk: ObservedDisk, owner: str | None) -> None:
    if owner is not None:
        raise InUse(f"Disk {disk.id} belongs to array {owner}: delete the array or remove the disk from it first.")
    if disk.used_by_system:
        raise InUse(f"Disk {disk.id} carries the running system and cannot be wiped.")
    if disk.fabric:
        raise InUse(f"Disk {disk.id} is attached over a fabric: it is a volume of another array and cannot be wiped.")
    if not disk.is_known and not disk.is_busy():
        raise Conflict(f"Disk {disk.id} cannot be wiped: {disk.blocker()}.")
    if disk.is_busy():
        raise InUse(f"Disk {disk.id} cannot be wiped: {disk.occupation()}. Free it first.")


def _check_names(disk: ObservedDisk, spec: DiskWipeRequest) -> None:
    if not disk.serial:
        raise Conflict(f"Disk {disk.id} reports no serial to confirm it by, so it cannot be wiped.")
    if spec.confirm != disk.serial:
        _invalid("confirm", spec.confirm, f"it must be the serial of the disk, {disk.serial}")
    unnamed = [one.type for one in disk.signatures if one.type in OF_OTHERS and one.type not in spec.signatures]
    if unnamed:
        _invalid(
            "signatures",
            ", ".join(spec.signatures) or None,
            f"the disk can be part of something larger: it carries {', '.join(dict.fromkeys(unnamed))}. List these "
            "signatures to destroy them",
        )


def _check_erase(disk: ObservedDisk, method: EraseMethod, seen: Observation) -> None:
    support: EraseSupport | None = disk.health.erases if disk.health else None
    if support is None:
        _invalid("method", method.value, "the drive has not reported that it can erase itself, or was not queried yet")
    if not support.offers(method):
        _invalid("method", method.value, "the drive does not support it")
    siblings = [one.id for one in seen.disks if one.id != disk.id and _is_of_one_drive(one, disk)]
    if support.reaches_siblings(method) and siblings:
        raise Conflict(
            f"Disk {disk.id} is one drive with {', '.join(siblings)}, and the drive can only erase all of them: disk "
            f"{disk.id} was not erased. Wipe its signatures instead."
        )


def _is_of_one_drive(one: ObservedDisk, other: ObservedDisk) -> bool:
    """Namespaces of one controller (nvme0 of nvme0n1), or of two controllers of one NVM subsystem.

    Of other drives: units with one serial, such as two actuators, for which the reach of a sanitize is unknown.
    """
    if one.transport is Transport.NVME and other.transport is Transport.NVME:
        controllers = {disk.kernel_name.rpartition("n")[0] for disk in (one, other)}
        if len(controllers) == 1:
            return True
    return one.transport == other.transport and one.serial == other.serial


def _carries(disk: ObservedDisk) -> str:
    return disk.occupation() or "it has no signatures, but can contain data"


def _invalid(field: str, value: str | None, message: str) -> NoReturn:
    problem = FieldProblem(field=field, value=value, message=message)
    raise Invalid(f"The disk was not wiped: {field}: {message}.", errors=(problem,))
