"""Disks as observed on the machine, joined with the arrays to which they belong."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum

from lunette.api.answers.base import Answer
from lunette.api.answers.seen import Observed
from lunette.domain.alerts import Severity
from lunette.domain.disk_health import DiskHealthState, DriveReading, Growth, HealthValues, findings, state_of
from lunette.domain.disks import ObservedDisk, Transport
from lunette.domain.self_tests import SelfTestKind, SelfTestResult, failure
from lunette.store.resources import ArrayDisk, DiskReading

_NUMBERS = {DiskHealthState.OK: 0, DiskHealthState.WARNING: 1, DiskHealthState.FAILING: 2}
"""States as numbers, worse ones higher; one that is not known has none."""


class DiskState(StrEnum):
    """How a disk is used."""

    FREE = "free"
    """Blank and ready for use in an array."""
    MEMBER = "member"
    """Part of an array of the appliance."""
    OCCUPIED = "occupied"
    """Carries data, is used otherwise, or cannot be used for an array."""
    SYSTEM = "system"
    """System disk, from which the appliance itself runs."""
    MISSING = "missing"
    """Part of an array of the appliance, but not present in the machine."""
    UNKNOWN = "unknown"
    """Part of an array of the appliance, but the presence of the disk is unknown: the agent does not answer or cannot
    read all disks."""


class DiskSignature(Answer):
    """A signature on a disk, such as a file system, a partition table, an MD superblock or an LVM label."""

    type: str
    """Type of the signature, such as `ext4` or `linux_raid_member`. `unreadable` if the disk cannot be read."""
    label: str | None
    """Label in the signature. `null` if the signature has no label."""
    uuid: str | None
    """UUID in the signature. `null` if the signature has no UUID."""


class DiskSeat(Answer):
    """Physical location of a drive."""

    pci_address: str | None
    """PCI address of an NVMe drive, or of the controller of any other drive. `null` if not reported."""
    pci_slot: str | None
    """Mainboard slot with this PCI address. `null` if not reported."""
    enclosure: str | None
    """ID of the SCSI enclosure of the drive. `null` if the drive is in no known enclosure."""
    bay: str | None
    """Name of the enclosure bay of the drive. `null` if the drive is in no known enclosure."""
    is_located: bool | None
    """Whether the locate light of the bay is on. `null` if the bay has no light that Lunette can switch."""


class DiskHardware(Answer):
    """Hardware properties and content of a disk, as observed on the machine."""

    device: str
    """Kernel device of the disk, such as `/dev/sda`. The device can change at a restart."""
    paths: tuple[str, ...]
    """Kernel devices through which the drive is reached. Devices other than `device` are listed as separate disks that
    cannot be used, or belong to the multipath device in `device`."""
    wwn: str | None
    """WWN, EUI-64 or NGUID of the disk. `null` if not reported."""
    firmware: str | None
    """Firmware version of the drive. `null` if not reported."""
    rotational: bool
    """Whether the drive has rotating media."""
    logical_block_bytes: int
    """Logical block size in bytes."""
    physical_block_bytes: int
    """Physical block size in bytes."""
    write_cache: bool
    """Whether the drive has an active volatile write cache according to the kernel."""
    power_loss_protection: bool | None
    """Whether acknowledged writes survive a power cut, because no volatile write cache is active. `null` if unknown."""
    numa_node: int | None
    """NUMA node to which the drive is attached. `null` if unknown."""
    place: DiskSeat
    """Physical location of the drive."""
    links: tuple[str, ...]
    """All names of the disk below `/dev/disk/by-id`."""
    partitions: int
    """Number of partitions on the disk."""
    signatures: tuple[DiskSignature, ...]
    """Signatures on the disk."""
    holders: tuple[str, ...]
    """Kernel devices built on the disk, such as `md127`."""
    mounts: tuple[str, ...]
    """Mount points of the disk and its partitions."""
    fabric: bool
    """Whether the disk is a volume of another system, reached over a fabric. Lunette never uses such a disk."""


class DiskHealthReason(Answer):
    """A problem with the health of a disk. Each problem also raises an alert."""

    kind: str
    """Kind of the problem, such as `wear` or `temperature`. The kind stays the same while the problem lasts."""
    severity: Severity
    """Severity of the problem."""
    message: str
    """Description of the problem with the values that were read."""


class DiskHealthValues(Answer):
    """Health values that a drive reports."""

    temperature_c: int | None
    """Temperature in °C. `null` if not reported."""
    temperature_warning_c: int | None
    """Warning limit of the temperature in °C, set by the manufacturer. `null` if not reported."""
    temperature_critical_c: int | None
    """Critical limit of the temperature in °C, set by the manufacturer. `null` if not reported."""
    available_spare_percent: int | None
    """Spare capacity left, in percent (NVMe). `null` if not reported."""
    available_spare_threshold_percent: int | None
    """Minimum spare capacity in percent, set by the manufacturer (NVMe). `null` if not reported."""
    used_percent: int | None
    """Share of the rated lifetime used, in percent. The value can exceed 100. `null` if not reported."""
    power_on_hours: int | None
    """Number of hours for which the drive has been powered on. `null` if not reported."""
    unsafe_shutdowns: int | None
    """Number of times the drive lost power without a shutdown (NVMe). `null` if not reported."""
    written_bytes: int | None
    """Number of bytes written to the drive over its lifetime. `null` if not reported."""
    media_errors: int | None
    """Number of data errors that the drive could not correct (NVMe and SAS). `null` if not reported."""
    reallocated_sectors: int | None
    """Number of sectors that the drive has replaced with spare sectors (SATA). `null` if not reported."""
    pending_sectors: int | None
    """Number of unstable sectors that wait for reallocation (SATA). `null` if not reported."""
    uncorrectable_sectors: int | None
    """Number of sectors that the drive could not correct (SATA). `null` if not reported."""
    grown_defects: int | None
    """Number of defects that developed after manufacture (SAS). `null` if not reported."""
    interface_errors: int | None
    """Number of transmission errors between the appliance and a SATA or SAS drive, usually caused by a cable or
    backplane. SAS drives count from power-on. `null` if not reported."""
    error_log_entries: int | None
    """Number of commands that failed over the lifetime of the drive, including commands that the drive rightly refused
    (NVMe). `null` if not reported."""


class DiskErrorRecovery(Answer):
    """How long a SATA drive tries to read a bad sector."""

    is_limitable: bool
    """Whether the drive accepts a time limit for error recovery (SCT Error Recovery Control)."""
    limit_s: float | None
    """Seconds after which the drive stops trying and reports the bad sector. `null` if the drive has no limit."""
    wait_s: int | None
    """Seconds after which the kernel aborts a command and resets the drive. `null` if unknown."""


class DiskSelfTest(Answer):
    """An entry in the self-test log of a drive."""

    kind: SelfTestKind
    """Kind of the self-test."""
    result: SelfTestResult
    """Result of the self-test."""
    hours: int | None
    """Power-on hours of the drive at the time of the self-test. `null` if not reported."""
    lba: int | None
    """Address (LBA) of the first block that failed. `null` if not reported."""
    words: str
    """Result of the self-test in the words of smartctl."""


class DiskSelfTests(Answer):
    """Self-tests of a drive."""

    is_running: bool
    """Whether a self-test is running now."""
    refused: str | None
    """Why the last self-test that was due did not start. `null` if no self-test was refused."""
    log: tuple[DiskSelfTest, ...]
    """Entries of the self-test log, newest first."""


class DiskHealth(Answer):
    """Health of a disk, as reported by the drive."""

    state: DiskHealthState
    """Health of the disk in one word."""
    reasons: tuple[DiskHealthReason, ...]
    """Problems with the health of the disk, most serious first."""
    values: DiskHealthValues
    """Health values that the drive last reported."""
    read_at: datetime | None
    """When the drive last reported its health, in UTC. `null` if no report has been read yet."""
    is_asleep: bool
    """Whether the drive was asleep at the last query. Health queries do not wake a drive."""
    problem: str | None
    """Why the health could not be read, or only in part. `null` if the health was read completely."""
    error_recovery: DiskErrorRecovery | None
    """Error recovery settings of a SATA drive. `null` for other drives and if unknown."""
    self_tests: DiskSelfTests | None
    """Self-tests of the drive. `null` if the drive has no self-test log."""


class DiskDay(Answer):
    """Health of a drive on one day in UTC."""

    day: date
    """Day of the readings, in UTC."""
    serial: str
    """Serial number of the drive."""
    state: DiskHealthState
    """Health of the drive at the last reading of the day."""
    hottest_c: int | None
    """Highest temperature of the day in °C. `null` if not reported."""
    read_at: datetime
    """When the last reading of the day was taken, in UTC."""
    values: DiskHealthValues
    """Health values of the last reading of the day."""


class DiskHistory(Answer):
    """Health of a drive day by day."""

    disk: str
    """Stable ID of the disk."""
    days: tuple[DiskDay, ...]
    """Daily records, newest first, for the retention period of the history."""


class Disk(Answer):
    """A physical drive, identified by its stable ID."""

    id: str
    """Stable ID of the disk."""
    state: DiskState
    """How the disk is used."""
    serial: str
    """Serial number of the disk. Empty if not reported."""
    model: str | None
    """Manufacturer and model of the disk. `null` if the disk is missing."""
    transport: Transport | None
    """How the disk is attached. `null` if the disk is missing."""
    size_bytes: int | None
    """Size of the disk in bytes. `null` if the disk is missing."""
    array: str | None
    """Name of the array to which the disk belongs. `null` if the disk belongs to no array."""
    array_id: str | None
    """Unique ID of the array to which the disk belongs. `null` if the disk belongs to no array."""
    slot: int | None
    """Position of the disk in the order in which disks were added to the array. `null` if the disk belongs to no
    array."""
    occupied_by: str | None
    """Why the disk cannot be used as it is. `null` if the disk is free or belongs to an array."""
    wipeable: bool
    """Whether an explicit wipe can free the disk for use. A wipe destroys what the disk carries."""
    health: DiskHealth | None
    """Health of the disk. `null` if the disk is missing."""
    observed: DiskHardware | None
    """Hardware properties and content of the disk. `null` if the disk is missing."""
    age_s: float | None
    """Age of the observation in seconds. `null` if nothing has been observed."""


def observed_disk(
    disk: ObservedDisk, row: ArrayDisk | None, array: str | None, seen: Observed, growth: Mapping[str, Growth]
) -> Disk:
    """A disk the machine shows; `row` is its place in one of our arrays, `array` that array's name."""
    system = "it carries the running system" if disk.used_by_system else None
    occupation = disk.occupation() or system or disk.blocker()
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


def absent_disk(row: ArrayDisk, array: str, seen: Observed) -> Disk:
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
    """A row of the history in its response form."""
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
        problem=told.problem or _why_not_asked(disk),
        error_recovery=DiskErrorRecovery(**told.recovery.model_dump()) if told.recovery else None,
        self_tests=DiskSelfTests(**told.self_tests.model_dump()) if told.self_tests else None,
    )


@dataclass(frozen=True)
class HealthFigures:
    """Health figures of a disk for a monitoring system."""

    state: int | None
    read_at: float | None
    values: HealthValues
    self_test_failed: int | None


def health_figures(told: DriveReading, growth: Mapping[str, Growth]) -> HealthFigures:
    state = _NUMBERS.get(state_of(told, findings(told, growth)))
    failed = None if told.self_tests is None else int(failure(told.self_tests) is not None)
    return HealthFigures(state, told.read_at, told.values, failed)


def _why_not_asked(disk: ObservedDisk) -> str | None:
    if not disk.tells_health:
        return "the disk is not a drive that can be queried"
    return "it has not been queried yet" if disk.health is None else None


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
