"""Which disks an array may use, and what is destroyed on them. Pure."""

from collections.abc import Mapping, Sequence

from lunette.domain.disks import UNIDENTIFIED, ObservedDisk
from lunette.domain.errors import Conflict, InUse, Invalid
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, PlannedChange
from lunette.domain.steps import DiskWipe
from lunette.planner.checks.findings import Findings


def take_disks(
    findings: Findings,
    fields: Mapping[str, str],
    wipe: Sequence[str],
    seen: Observation,
    owners: Mapping[str, str],
    *,
    any_disk: bool,
) -> tuple[list[ObservedDisk | None], frozenset[str]]:
    """The named disks, by field, and which of them may be wiped.

    Every reason against a disk becomes a finding; a disk that does not exist is None. `any_disk`: also accepts a disk
    that nothing distinguishes from others.
    """
    disks = _find_disks(findings, fields, seen)
    wiped = _find_wipe(findings, wipe, seen, disks)
    for (field, reference), disk in zip(fields.items(), disks, strict=True):
        if disk:
            _check_disk(findings, field, disk, reference, owners.get(disk.id), disk.id in wiped)
        if disk and not disk.is_known and not any_disk:
            message = f"disk {disk.id} can only be a member of md arrays, which recognize it by its superblock"
            findings.add(Invalid, field, reference, message)
    return disks, wiped


def _find_disks(findings: Findings, fields: Mapping[str, str], seen: Observation) -> list[ObservedDisk | None]:
    found: list[ObservedDisk | None] = []
    first_use: dict[str, str] = {}
    for field, reference in fields.items():
        disk = seen.disk(reference)
        if disk is None:
            message = f"disk {reference} was not found; use an ID from the list of disks"
            if seen.hides_disks():
                message = f"disk {reference} was not found, but some disks cannot be read now: see the alerts"
            findings.add(Invalid, field, reference, message)
        elif disk.id in first_use:
            message = f"disk {reference} is listed twice (also as {first_use[disk.id]}); list each disk once"
            findings.add(Invalid, field, reference, message)
        else:
            first_use[disk.id] = field
        found.append(disk)
    return found


def _find_wipe(
    findings: Findings, wipe: Sequence[str], seen: Observation, disks: list[ObservedDisk | None]
) -> frozenset[str]:
    members = {disk.id for disk in disks if disk}
    wiped = set()
    for index, reference in enumerate(wipe):
        disk = seen.disk(reference)
        if disk is None or disk.id not in members:
            message = f"disk {reference} is listed in wipe but not among the disks; list it in both or in neither"
            findings.add(Invalid, f"wipe[{index}]", reference, message)
        else:
            wiped.add(disk.id)
    return frozenset(wiped)


def _check_disk(
    findings: Findings, field: str, disk: ObservedDisk, reference: str, owner: str | None, may_wipe: bool
) -> None:
    """Why a disk cannot be used. System disks and disks of a fabric never can, not even with a wipe."""
    content = "; ".join(disk.occupations())
    if disk.fabric:
        message = f"disk {disk.id} is attached over a fabric: an array is never built on another appliance's volume"
        findings.add(Invalid, field, disk.id, message)
    elif disk.used_by_system:
        why = f" ({content})" if content else ""
        message = f"disk {disk.id} carries the running system{why} and cannot be used; choose another disk"
        findings.add(InUse, field, disk.id, message)
    elif owner is not None:
        findings.add(Conflict, field, disk.id, f"disk {disk.id} belongs to array {owner}; choose another disk")
    elif blocker := disk.blocker(reference):
        anyway = f", or specify it as {UNIDENTIFIED}{disk.id}" if not (disk.is_known or disk.is_busy()) else ""
        message = f"disk {disk.id} cannot be used: {blocker}; choose another disk{anyway}"
        findings.add(InUse, field, disk.id, message)
    elif disk.is_busy():
        message = f"disk {disk.id} is in use: {content}. Free it first; it cannot be wiped while it is in use"
        findings.add(InUse, field, disk.id, message)
    elif content and not disk.is_known:
        message = (
            f"disk {disk.id} is not blank: {content}. Wipe it manually, because nothing distinguishes it from other "
            "disks"
        )
        findings.add(InUse, field, disk.id, message)
    elif content and not may_wipe:
        message = (
            f"disk {disk.id} is not blank: {content}. List it in wipe to destroy this content, or choose another disk"
        )
        findings.add(InUse, field, disk.id, message)


def wiping(disks: Sequence[ObservedDisk], wipe: frozenset[str]) -> tuple[tuple[DiskWipe, ...], list[PlannedChange]]:
    """The wipes of disks that may be wiped and need it, and the data they destroy."""
    used = [disk for disk in disks if disk.id in wipe and disk.occupations()]
    steps = tuple(
        DiskWipe(disk_id=disk.id, serial=disk.serial, size_bytes=disk.size_bytes, signatures=disk.signatures)
        for disk in used
    )
    lost = [
        PlannedChange(
            action=Action.DESTROY,
            noun="disk",
            name=disk.id,
            detail=f"{'; '.join(disk.occupations())}: all data is lost",
        )
        for disk in used
    ]
    return steps, lost
