"""Disks: what the machine shows, joined with the arrays of ours they belong to."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum

from lunette.api.answers.base import Answer
from lunette.api.answers.seen import Seen
from lunette.domain.alerts import Severity
from lunette.domain.disk_health import DiskHealthState, DriveReading, Growth, HealthValues, findings, state_of
from lunette.domain.disks import ObservedDisk, Transport
from lunette.domain.self_tests import SelfTestKind, SelfTestResult, failure
from lunette.store.resources import ArrayDisk, DiskReading

_NUMBERS = {DiskHealthState.OK: 0, DiskHealthState.WARNING: 1, DiskHealthState.FAILING: 2}
"""States as numbers, worse ones higher; one that is not known has none."""


class DiskState(StrEnum):
    """free: blank and ready for an array. member: in one of our arrays. system: carries the running system.

    occupied: carries data or is in use by something else. missing: in one of our arrays, and not seen any more.
    unknown: in one of our arrays, and the agent does not answer.
    """

    FREE = "free"
    MEMBER = "member"
    OCCUPIED = "occupied"
    SYSTEM = "system"
    MISSING = "missing"
    UNKNOWN = "unknown"


class DiskSignature(Answer):
    """Something recognised on a disk: a file system, a partition table, an md superblock, an LVM label."""

    type: str
    label: str | None
    uuid: str | None


class DiskSeat(Answer):
    """Where the drive sits; null is what the machine does not tell. `pci_address`: its own, if it is an NVMe drive,
    else its controller's. `bay`: what the enclosure calls it. `is_located`: whether the bay's light is on; null if
    there is none to switch."""

    pci_address: str | None
    pci_slot: str | None
    enclosure: str | None
    bay: str | None
    is_located: bool | None


class DiskHardware(Answer):
    """What the drive says about itself, and what is on it. `paths`: all devices it is reached over; each of them but
    `device` is listed as a disk of its own that cannot be used, or lies under the multipath device that `device` is.
    `power_loss_protection`: true if what it acknowledged is
    safe from a power cut, for it has no volatile write cache that is on; null if that is not known."""

    device: str
    paths: tuple[str, ...]
    wwn: str | None
    firmware: str | None
    rotational: bool
    logical_block_bytes: int
    physical_block_bytes: int
    write_cache: bool
    power_loss_protection: bool | None
    numa_node: int | None
    place: DiskSeat
    links: tuple[str, ...]
    partitions: int
    signatures: tuple[DiskSignature, ...]
    holders: tuple[str, ...]
    mounts: tuple[str, ...]
    fabric: bool


class DiskHealthReason(Answer):
    """One thing that is wrong with a disk; each is an alert as well."""

    kind: str
    severity: Severity
    message: str


class DiskHealthValues(Answer):
    """What the drive gives, each in the unit of its name; null is what it does not give. `used_percent` is of the life
    its maker gave it. `interface_errors`: on the way to a SATA or SAS drive, by its cable or backplane.
    `error_log_entries`: commands of an NVMe drive that failed in all its life, those it refused included."""

    temperature_c: int | None
    temperature_warning_c: int | None
    temperature_critical_c: int | None
    available_spare_percent: int | None
    available_spare_threshold_percent: int | None
    used_percent: int | None
    power_on_hours: int | None
    unsafe_shutdowns: int | None
    written_bytes: int | None
    media_errors: int | None
    reallocated_sectors: int | None
    pending_sectors: int | None
    uncorrectable_sectors: int | None
    grown_defects: int | None
    interface_errors: int | None
    error_log_entries: int | None


class DiskErrorRecovery(Answer):
    """How long a SATA drive tries to read a bad sector. `limit_s`: when it gives up and names the sector; null if it
    tries as long as it likes. `is_limitable`: whether it can be told when. `wait_s`: when the kernel gives the drive
    up; null if that is not known."""

    is_limitable: bool
    limit_s: float | None
    wait_s: int | None


class DiskSelfTest(Answer):
    """One self-test by the drive's own log. `hours`: its power-on hours then. `lba`: the first block that failed.
    `words`: what smartctl calls the result."""

    kind: SelfTestKind
    result: SelfTestResult
    hours: int | None
    lba: int | None
    words: str


class DiskSelfTests(Answer):
    """The newest first. `refused`: why the last one that was due did not begin."""

    is_running: bool
    refused: str | None
    log: tuple[DiskSelfTest, ...]


class DiskHealth(Answer):
    """What the drive says of itself. `read_at`: when it last said so; while it sleeps it is not woken for it.
    `problem`: why nothing could be read. `error_recovery`: of SATA drives alone. `self_tests`: null of a
    drive that has none."""

    state: DiskHealthState
    reasons: tuple[DiskHealthReason, ...]
    values: DiskHealthValues
    read_at: datetime | None
    is_asleep: bool
    problem: str | None
    error_recovery: DiskErrorRecovery | None
    self_tests: DiskSelfTests | None


class DiskDay(Answer):
    """What a drive told on one day of UTC: its last values, and the highest of its temperatures."""

    day: date
    serial: str
    state: DiskHealthState
    hottest_c: int | None
    read_at: datetime
    values: DiskHealthValues


class DiskHistory(Answer):
    """The health of a drive day by day, the newest first, for as long as history is kept."""

    disk: str
    days: tuple[DiskDay, ...]


class Disk(Answer):
    """One physical drive, by its stable id. `occupied_by` tells why it cannot be used without being wiped."""

    id: str
    state: DiskState
    serial: str
    model: str | None
    transport: Transport | None
    size_bytes: int | None
    array: str | None
    array_id: str | None
    slot: int | None
    occupied_by: str | None
    wipeable: bool
    """True if an explicit wipe in a request may clear what occupies it."""
    health: DiskHealth | None
    """Null while the machine does not show the disk."""
    observed: DiskHardware | None
    age_s: float | None


def observed_disk(
    disk: ObservedDisk, row: ArrayDisk | None, array: str | None, seen: Seen, growth: Mapping[str, Growth]
) -> Disk:
    """A disk the machine shows; `row` is its place in one of our arrays, `array` that array's name."""
    system = "it carries the running system" if disk.used_by_system else None
    occupation = disk.occupation() or system or disk.hindrance()
    if disk.fabric:
        occupation = "it is reached over a fabric: another array's volume"
    return Disk(
        id=disk.id,
        state=_state(disk, row, occupation),
        serial=disk.serial,
        model=disk.model,
        transport=disk.transport,
        size_bytes=disk.size_bytes,
        array=array,
        array_id=row.array_id if row else None,
        slot=row.slot if row else None,
        occupied_by=None if row else occupation,
        wipeable=bool(not row and occupation and not disk.is_busy() and disk.is_known),
        health=_health(disk, growth),
        observed=_hardware(disk),
        age_s=seen.age_s,
    )


def absent_disk(row: ArrayDisk, array: str, seen: Seen) -> Disk:
    """A member of one of our arrays that the machine does not show."""
    is_known = seen.observation is not None and not seen.observation.hides_disks()
    return Disk(
        id=row.disk_id,
        state=DiskState.MISSING if is_known else DiskState.UNKNOWN,
        serial=row.serial,
        model=None,
        transport=None,
        size_bytes=None,
        array=array,
        array_id=row.array_id,
        slot=row.slot,
        occupied_by=None,
        wipeable=False,
        health=None,
        observed=None,
        age_s=seen.age_s if seen.observation else None,
    )


def disk_day(row: DiskReading) -> DiskDay:
    """A row of the history as it is shown."""
    values = HealthValues.model_validate_json(row.told)
    return DiskDay(
        day=date.fromisoformat(row.day),
        serial=row.serial,
        state=DiskHealthState(row.state),
        hottest_c=row.hottest_c,
        read_at=row.read_at,
        values=DiskHealthValues(**values.model_dump()),
    )


def _health(disk: ObservedDisk, growth: Mapping[str, Growth]) -> DiskHealth:
    told = disk.health or DriveReading()
    found = findings(told, growth)
    return DiskHealth(
        state=state_of(disk.health, found),
        reasons=tuple(
            DiskHealthReason(kind=one.kind, severity=one.severity, message=f"It {one.words}. {one.detail}.")
            for one in found
        ),
        values=DiskHealthValues(**told.values.model_dump()),
        read_at=None if told.read_at is None else datetime.fromtimestamp(told.read_at, UTC),
        is_asleep=told.is_asleep,
        problem=told.problem or _unasked(disk),
        error_recovery=DiskErrorRecovery(**told.recovery.model_dump()) if told.recovery else None,
        self_tests=DiskSelfTests(**told.self_tests.model_dump()) if told.self_tests else None,
    )


@dataclass(frozen=True)
class HealthFigures:
    """What a monitoring system is told of a disk."""

    state: int | None
    read_at: float | None
    values: HealthValues
    self_test_failed: int | None


def health_figures(told: DriveReading, growth: Mapping[str, Growth]) -> HealthFigures:
    state = _NUMBERS.get(state_of(told, findings(told, growth)))
    failed = None if told.self_tests is None else int(failure(told.self_tests) is not None)
    return HealthFigures(state, told.read_at, told.values, failed)


def _unasked(disk: ObservedDisk) -> str | None:
    if not disk.tells_health:
        return "there is no drive here that could be asked"
    return "it was not asked yet" if disk.health is None else None


def _state(disk: ObservedDisk, row: ArrayDisk | None, occupation: str | None) -> DiskState:
    if row:
        return DiskState.MEMBER
    if disk.used_by_system:
        return DiskState.SYSTEM
    return DiskState.OCCUPIED if occupation else DiskState.FREE


def _hardware(disk: ObservedDisk) -> DiskHardware:
    return DiskHardware(
        device=disk.device,
        paths=disk.paths,
        wwn=disk.wwn,
        firmware=disk.firmware,
        rotational=disk.rotational,
        logical_block_bytes=disk.logical_block_bytes,
        physical_block_bytes=disk.physical_block_bytes,
        write_cache=disk.write_cache,
        power_loss_protection=disk.power_loss_protection(),
        numa_node=disk.numa_node,
        place=DiskSeat(**disk.place.model_dump()),
        links=disk.links,
        partitions=disk.partitions,
        signatures=tuple(DiskSignature(type=s.type, label=s.label, uuid=s.uuid) for s in disk.signatures),
        holders=disk.holders,
        mounts=disk.mounts,
        fabric=disk.fabric,
    )
