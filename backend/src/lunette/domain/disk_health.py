"""Health of a drive as the drive reports it, and the findings that follow from the report."""

from collections.abc import Iterator, Mapping
from enum import StrEnum

from lunette.domain.alerts import Severity
from lunette.domain.base import Model
from lunette.domain.self_tests import SelfTests, failure

WEAR_WARNING_PERCENT, WEAR_CRITICAL_PERCENT = 80, 95
UNREADABLE = "unreadable"
"""The kind of the finding that nothing is known of a drive, for its answer cannot be read."""
SILENT_MISSES = 2
"""So many questions in a row that a drive left without an answer are worth an alert."""
HEALTH_PERIOD_S = 600
"""How often each drive is queried by default."""


class DiskHealthState(StrEnum):
    """Health of a disk in one word."""

    OK = "ok"
    """The drive reports good health, and no reading contradicts the report."""
    WARNING = "warning"
    """At least one reading needs attention."""
    FAILING = "failing"
    """The drive has failed or is about to fail, and must be replaced."""
    UNKNOWN = "unknown"
    """The drive does not report its health, or the report cannot be read."""


class CriticalWarning(StrEnum):
    """Bits of `Critical Warning` in the SMART log of NVMe (Base Specification 2.0, 5.16.1.3)."""

    SPARE = "spare"
    TEMPERATURE = "temperature"
    RELIABILITY = "reliability"
    READ_ONLY = "read_only"
    BACKUP = "backup"
    MEMORY_REGION = "memory_region"


class HealthValues(Model):
    """Health values that a drive reports. None for a value that the drive does not report."""

    temperature_c: int | None = None
    """Temperature in °C. None if not reported."""
    temperature_warning_c: int | None = None
    """Warning limit of the temperature in °C, set by the manufacturer. None if not reported."""
    temperature_critical_c: int | None = None
    """Critical limit of the temperature in °C, set by the manufacturer. None if not reported."""
    available_spare_percent: int | None = None
    """Spare capacity left, in percent (NVMe). None if not reported."""
    available_spare_threshold_percent: int | None = None
    """Minimum spare capacity in percent, set by the manufacturer (NVMe). None if not reported."""
    used_percent: int | None = None
    """Share of the rated lifetime used, in percent. The value can exceed 100. None if not reported."""
    power_on_hours: int | None = None
    """Number of hours for which the drive has been powered on. None if not reported."""
    unsafe_shutdowns: int | None = None
    """Number of times the drive lost power without a shutdown (NVMe). None if not reported."""
    written_bytes: int | None = None
    """Number of bytes written to the drive over its lifetime. None if not reported."""
    media_errors: int | None = None
    """Number of data errors that the drive could not correct (NVMe and SAS). None if not reported."""
    reallocated_sectors: int | None = None
    """Number of sectors that the drive has replaced with spare sectors (SATA). None if not reported."""
    pending_sectors: int | None = None
    """Number of unstable sectors that wait for reallocation (SATA). None if not reported."""
    uncorrectable_sectors: int | None = None
    """Number of sectors that the drive could not correct (SATA). None if not reported."""
    grown_defects: int | None = None
    """Number of defects that developed after manufacture (SAS). None if not reported."""
    interface_errors: int | None = None
    """Number of transmission errors between the appliance and a SATA or SAS drive, usually caused by a cable or
    backplane. SAS drives count from power-on. None if not reported."""
    error_log_entries: int | None = None
    """Number of commands that failed over the lifetime of the drive, including commands that the drive rightly refused
    (NVMe). None if not reported."""


class EraseMethod(StrEnum):
    """How a drive erases its data.

    Format and crypto are NVMe commands. NVMe, SATA and SAS each have their own sanitize command.
    """

    FORMAT = "format"
    CRYPTO = "crypto"
    SANITIZE_BLOCK = "sanitize_block"
    SANITIZE_CRYPTO = "sanitize_crypto"

    @property
    def is_sanitize(self) -> bool:
        return self in (EraseMethod.SANITIZE_BLOCK, EraseMethod.SANITIZE_CRYPTO)

    @property
    def setting(self) -> int:
        """What the command of NVMe calls it: Secure Erase Settings of Format NVM, else Sanitize Action (Base
        Specification 2.0, 5.14 and 5.24)."""
        return {EraseMethod.FORMAT: 1, EraseMethod.CRYPTO: 2, EraseMethod.SANITIZE_BLOCK: 2}.get(self, 4)


class EraseSupport(Model):
    """Erase methods that a drive supports.

    NVMe: from Identify Controller (Base Specification 2.0, 5.17.2.1: OACS, FNA and SANICAP). SATA: the feature set
    SANITIZE of IDENTIFY DEVICE (ACS-3, 7.12.7.17). SAS: the service actions of SANITIZE that REPORT SUPPORTED OPERATION
    CODES lists (SBC-4, 5.37).
    """

    format: bool = False
    crypto: bool = False
    reaches_all: bool = False
    """Whether a format, or an erase by a format, of one namespace affects all namespaces of the controller."""
    sanitize_block: bool = False
    sanitize_crypto: bool = False

    def offers(self, method: EraseMethod) -> bool:
        return bool(getattr(self, method.value))

    def reaches_siblings(self, method: EraseMethod) -> bool:
        """Whether other namespaces would go too: a sanitize is always one of the whole NVM subsystem."""
        return method.is_sanitize or self.reaches_all


class ErrorRecovery(Model):
    """How long a SATA drive tries to read a sector, and how long the kernel waits for the drive."""

    is_limitable: bool
    """Whether the drive supports SCT Error Recovery Control (ACS-3, 8.3)."""
    limit_s: float | None = None
    """Seconds after which the drive reports a sector as bad. None if the drive has no limit."""
    wait_s: int | None = None
    """Seconds after which the kernel aborts the command and resets the drive. None if unknown."""


class DriveReading(Model):
    """The last report of one drive. `values` remain from the last report while the drive sleeps or does not answer."""

    read_at: float | None = None
    """When the drive last answered, in seconds since the epoch. None if the drive has not answered yet."""
    passed: bool | None = None
    """The drive's own verdict. None if the drive reports no verdict."""
    warnings: tuple[CriticalWarning, ...] = ()
    values: HealthValues = HealthValues()
    is_asleep: bool = False
    refused_only: bool = False
    """Whether all entries in the error log of an NVMe drive are commands that the drive does not support, such as tools
    send. Such entries are no fault."""
    self_tests: SelfTests | None = None
    """Self-tests of the drive. None if the drive has no self-test log."""
    misses: int = 0
    """Number of consecutive queries that the drive did not answer in time."""
    problem: str | None = None
    """Why the report could not be read, or only in part. A drive with a problem is never healthy."""
    unreadable: tuple[str, ...] = ()
    """Parts of the report that cannot be read, by their place in the document."""
    erases: EraseSupport | None = None
    """Erase methods that the drive supports. None if not queried or not reported."""
    volatile_cache: bool | None = None
    """Whether the controller has a volatile write cache (Base Specification 2.0, 5.17.2.1: VWC, bit 0), active or not.
    None if the drive is not an NVMe drive or was not queried."""
    recovery: ErrorRecovery | None = None
    """Error recovery settings. None if the drive is not a SATA drive or was not queried."""


class Finding(Model):
    """A problem with a drive. `kind` identifies the problem and stays the same while the problem lasts."""

    kind: str
    severity: Severity
    is_failing: bool = False
    """Whether the drive is about to fail, and not only worn, hot or silent."""
    words: str
    """The problem as words that follow the name of the disk: 'predicts its own failure'."""
    detail: str
    """The values that were read."""


COUNTS = {
    "media_errors": "media errors",
    "reallocated_sectors": "reallocated sectors",
    "uncorrectable_sectors": "uncorrectable sectors",
    "pending_sectors": "pending sectors",
    "grown_defects": "grown defects",
    "interface_errors": "interface errors",
    "error_log_entries": "failed commands in its error log",
}
"""Counts that should not grow, by the name of their value."""
_CURRENT = ("pending_sectors", "uncorrectable_sectors")
"""Counts of what is wrong now: not a single one is well."""
TOO_MANY = {"media_errors": 10, "reallocated_sectors": 50, "grown_defects": 50}
"""Counts of past errors: from these values on a drive is not trusted, even if the growth was not observed."""
_BITS = {
    CriticalWarning.SPARE: (Severity.CRITICAL, True, "has used up its spare blocks"),
    CriticalWarning.TEMPERATURE: (Severity.WARNING, False, "is outside its temperature range"),
    CriticalWarning.RELIABILITY: (Severity.CRITICAL, True, "reports that it is no longer reliable"),
    CriticalWarning.READ_ONLY: (Severity.CRITICAL, True, "no longer accepts writes"),
    CriticalWarning.BACKUP: (Severity.CRITICAL, False, "can no longer protect its cache against power loss"),
    CriticalWarning.MEMORY_REGION: (Severity.WARNING, False, "has an unreliable persistent memory region"),
}


class Growth(Model):
    """A counter that increased recently."""

    before: int
    now: int


def findings(reading: DriveReading, growth: Mapping[str, Growth]) -> tuple[Finding, ...]:
    """What is wrong with a drive, the gravest first. `growth` is by the names of COUNTS."""
    found = [*_verdict(reading), *_of_values(reading), *_counts(reading, growth), *_silence(reading)]
    found += [*_self_test(reading), *_unread(reading)]
    order = tuple(reversed(Severity))
    return tuple(sorted(found, key=lambda one: (not one.is_failing, order.index(one.severity))))


def state_of(reading: DriveReading | None, found: tuple[Finding, ...]) -> DiskHealthState:
    """One word for all of it."""
    if any(one.is_failing for one in found):
        return DiskHealthState.FAILING
    if any(one.kind != UNREADABLE for one in found):
        return DiskHealthState.WARNING
    is_well = reading is not None and reading.passed and reading.problem is None and not reading.unreadable
    return DiskHealthState.OK if is_well else DiskHealthState.UNKNOWN


def _verdict(reading: DriveReading) -> Iterator[Finding]:
    for bit in reading.warnings:
        severity, failing, words = _BITS[bit]
        detail = f"The bit `{bit.value}` of its critical warning is set{_with_figures(bit, reading.values)}"
        yield Finding(kind=bit.value, severity=severity, is_failing=failing, words=words, detail=detail)
    if reading.passed is False and not reading.warnings:
        yield Finding(
            kind="predicted",
            severity=Severity.CRITICAL,
            is_failing=True,
            words="predicts its own failure",
            detail="Its SMART self-assessment is: failed",
        )


def _with_figures(bit: CriticalWarning, values: HealthValues) -> str:
    if bit is CriticalWarning.SPARE and values.available_spare_percent is not None:
        return f"; {values.available_spare_percent} % of its spare blocks are left"
    if bit is CriticalWarning.TEMPERATURE and values.temperature_c is not None:
        return f"; its temperature is {values.temperature_c} °C"
    return ""


def _of_values(reading: DriveReading) -> Iterator[Finding]:
    values = reading.values
    spare, least = values.available_spare_percent, values.available_spare_threshold_percent
    if spare is not None and least is not None and spare < least and CriticalWarning.SPARE not in reading.warnings:
        yield Finding(
            kind="spare",
            severity=Severity.CRITICAL,
            is_failing=True,
            words="has used up its spare blocks",
            detail=f"{spare} % of its spare blocks are left; the vendor's limit is {least} %",
        )
    used = values.used_percent
    if used is not None and used >= WEAR_WARNING_PERCENT:
        worst = used >= WEAR_CRITICAL_PERCENT
        yield Finding(
            kind="wear",
            severity=Severity.CRITICAL if worst else Severity.WARNING,
            words="is worn out" if worst else "is worn",
            detail=f"{used} % of its rated write endurance is used",
        )
    if CriticalWarning.TEMPERATURE not in reading.warnings:
        yield from _heat(values)


def _heat(values: HealthValues) -> Iterator[Finding]:
    warm, limit, end = values.temperature_c, values.temperature_warning_c, values.temperature_critical_c
    if warm is None or not any(warm >= most for most in (limit, end) if most):
        return
    critical = bool(end and warm >= end)
    most = end if critical else limit
    yield Finding(
        kind="temperature",
        severity=Severity.CRITICAL if critical else Severity.WARNING,
        words="is too hot" if critical else "is hot",
        detail=f"Its temperature is {warm} °C; its {'critical' if critical else 'warning'} limit is {most} °C",
    )


def _counts(reading: DriveReading, growth: Mapping[str, Growth]) -> Iterator[Finding]:
    for name, words in COUNTS.items():
        grown, count = growth.get(name), getattr(reading.values, name) or 0
        if name == "error_log_entries" and reading.refused_only:
            continue
        if grown:
            more, detail = f"has more {words} than before", f"{words}: {grown.before} before, {grown.now} now"
        elif name in _CURRENT and count:
            more, detail = f"has {words}", f"{words}: {count}"
        elif count >= TOO_MANY.get(name, count + 1):
            more, detail = f"has too many {words}", f"{words}: {count}, limit {TOO_MANY[name]}"
        else:
            continue
        yield Finding(kind=name, severity=Severity.WARNING, words=more, detail=detail[0].upper() + detail[1:])


def _silence(reading: DriveReading) -> Iterator[Finding]:
    if reading.misses >= SILENT_MISSES:
        yield Finding(
            kind="silent",
            severity=Severity.WARNING,
            words="does not report its health",
            detail=f"It did not answer {reading.misses} health queries in time",
        )


def _self_test(reading: DriveReading) -> Iterator[Finding]:
    failed = failure(reading.self_tests) if reading.self_tests else None
    if failed:
        when = "" if failed.hours is None else f" at {failed.hours} power-on hours"
        where = "" if failed.lba is None else f", first at block {failed.lba}"
        yield Finding(
            kind="self_test",
            severity=Severity.CRITICAL,
            is_failing=True,
            words="failed its self-test",
            detail=f"Its {failed.kind.value} test{when}: {failed.words or 'failed'}{where}",
        )


def _unread(reading: DriveReading) -> Iterator[Finding]:
    if reading.unreadable:
        yield Finding(
            kind=UNREADABLE,
            severity=Severity.WARNING,
            words="reports health data that cannot be read",
            detail=f"Not read: {', '.join(reading.unreadable)}"[:500],
        )
