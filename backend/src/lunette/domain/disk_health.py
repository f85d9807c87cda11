"""What a drive says of its own health, and what a person is to think of it."""

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
"""How often each drive is asked where nothing else was said."""


class DiskHealthState(StrEnum):
    """ok: the drive says so and nothing speaks against it. warning: a person should look. failing: replace it.

    unknown: it does not tell, or what it tells cannot be read.
    """

    OK = "ok"
    WARNING = "warning"
    FAILING = "failing"
    UNKNOWN = "unknown"


class CriticalWarning(StrEnum):
    """The bits of `Critical Warning` in the SMART log of NVMe (Base Specification 2.0, 5.16.1.3)."""

    SPARE = "spare"
    TEMPERATURE = "temperature"
    RELIABILITY = "reliability"
    READ_ONLY = "read_only"
    BACKUP = "backup"
    MEMORY_REGION = "memory_region"


class HealthValues(Model):
    """What the drive gives, each in the unit of its name; None is what it does not give."""

    temperature_c: int | None = None
    temperature_warning_c: int | None = None
    temperature_critical_c: int | None = None
    available_spare_percent: int | None = None
    available_spare_threshold_percent: int | None = None
    used_percent: int | None = None
    """Of the life its maker gave it; it may pass 100."""
    power_on_hours: int | None = None
    unsafe_shutdowns: int | None = None
    written_bytes: int | None = None
    media_errors: int | None = None
    reallocated_sectors: int | None = None
    pending_sectors: int | None = None
    uncorrectable_sectors: int | None = None
    grown_defects: int | None = None
    interface_errors: int | None = None
    """Of the way to a SATA or SAS drive: damaged frames and words, lost synchronisation. SAS counts since power-on."""
    error_log_entries: int | None = None
    """Of an NVMe drive: how many commands failed in all its life, those that it refused with good reason included."""


class EraseMethod(StrEnum):
    """How a drive erases itself. Format and crypto are commands of NVMe; NVMe, SATA and SAS have a sanitize each."""

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
    """What a drive can erase by itself. NVMe: from Identify Controller (Base Specification 2.0, 5.17.2.1: OACS, FNA and
    SANICAP). SATA: the feature set SANITIZE of IDENTIFY DEVICE (ACS-3, 7.12.7.17). SAS: the service actions of SANITIZE
    that REPORT SUPPORTED OPERATION CODES lists (SBC-4, 5.37)."""

    format: bool = False
    crypto: bool = False
    reaches_all: bool = False
    """A format, or an erase by it, of one namespace is one of all namespaces of the controller."""
    sanitize_block: bool = False
    sanitize_crypto: bool = False

    def offers(self, method: EraseMethod) -> bool:
        return bool(getattr(self, method.value))

    def reaches_siblings(self, method: EraseMethod) -> bool:
        """Whether other namespaces would go too: a sanitize is always one of the whole NVM subsystem."""
        return method.is_sanitize or self.reaches_all


class ErrorRecovery(Model):
    """How long a SATA drive tries to read a sector by itself, and how long the kernel waits for its answer."""

    is_limitable: bool
    """Whether it has SCT Error Recovery Control (ACS-3, 8.3)."""
    limit_s: float | None = None
    """When it gives a sector up; None if it tries as long as it likes."""
    wait_s: int | None = None
    """When the kernel gives the command up and resets the drive; None if that is not known."""


class DriveReading(Model):
    """What one drive said last. `values` stay from the last answer while it sleeps or does not answer."""

    read_at: float | None = None
    """Seconds since the epoch of the last answer; None if there was none yet."""
    passed: bool | None = None
    """The drive's own verdict; None if it has none."""
    warnings: tuple[CriticalWarning, ...] = ()
    values: HealthValues = HealthValues()
    is_asleep: bool = False
    refused_only: bool = False
    """NVMe: all that its error log still holds are commands it does not know, such as tools try: no fault."""
    self_tests: SelfTests | None = None
    """None of a drive that has no log of them."""
    misses: int = 0
    """How many questions in a row it left without an answer in time."""
    problem: str | None = None
    """Why nothing could be read, or not all of it, in words. A drive that has one is never well."""
    unreadable: tuple[str, ...] = ()
    """What its answer has and nobody can read, by its place in the document."""
    erases: EraseSupport | None = None
    """None where it was not asked, or did not tell."""
    volatile_cache: bool | None = None
    """Whether its controller has a volatile write cache (Base Specification 2.0, 5.17.2.1: VWC, bit 0), switched on or
    not. None where it is no NVMe drive, or was not asked."""
    recovery: ErrorRecovery | None = None
    """None where it is no SATA drive, or was not asked."""


class Finding(Model):
    """One thing that is wrong with a drive. `kind` tells it from others and stays the same as long as it lasts."""

    kind: str
    severity: Severity
    is_failing: bool = False
    """The drive is about to fail, not only worn, hot or silent."""
    words: str
    """What follows the name of the disk: 'predicts its own failure'."""
    detail: str
    """What was read, with figures."""


COUNTS = {
    "media_errors": "errors of its medium",
    "reallocated_sectors": "reallocated sectors",
    "uncorrectable_sectors": "uncorrectable sectors",
    "pending_sectors": "sectors that wait to be reallocated",
    "grown_defects": "defects that grew",
    "interface_errors": "errors on the way to it",
    "error_log_entries": "failed commands in its log",
}
"""Counts that should not grow, by the name of their value."""
_CURRENT = ("pending_sectors", "uncorrectable_sectors")
"""Counts of what is wrong now: not a single one is well."""
TOO_MANY = {"media_errors": 10, "reallocated_sectors": 50, "grown_defects": 50}
"""Counts of what is past: from here on a drive is not trusted, even if nobody saw them grow."""
_BITS = {
    CriticalWarning.SPARE: (Severity.CRITICAL, True, "has used up its spare blocks"),
    CriticalWarning.TEMPERATURE: (Severity.WARNING, False, "is warmer or colder than it may be"),
    CriticalWarning.RELIABILITY: (Severity.CRITICAL, True, "says that it is no longer reliable"),
    CriticalWarning.READ_ONLY: (Severity.CRITICAL, True, "takes no more writes"),
    CriticalWarning.BACKUP: (Severity.CRITICAL, False, "cannot keep its cache over a power cut any more"),
    CriticalWarning.MEMORY_REGION: (Severity.WARNING, False, "has an unreliable persistent memory region"),
}


class Growth(Model):
    """A count that grew not long ago."""

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
        detail = f"The bit `{bit.value}` of its critical warning is set{_beside(bit, reading.values)}"
        yield Finding(kind=bit.value, severity=severity, is_failing=failing, words=words, detail=detail)
    if reading.passed is False and not reading.warnings:
        yield Finding(
            kind="predicted",
            severity=Severity.CRITICAL,
            is_failing=True,
            words="predicts its own failure",
            detail="Its own SMART verdict is: failed",
        )


def _beside(bit: CriticalWarning, values: HealthValues) -> str:
    if bit is CriticalWarning.SPARE and values.available_spare_percent is not None:
        return f"; {values.available_spare_percent} % of its spare blocks are left"
    if bit is CriticalWarning.TEMPERATURE and values.temperature_c is not None:
        return f"; it has {values.temperature_c} °C"
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
            detail=f"{spare} % of its spare blocks are left, its maker wants {least} %",
        )
    used = values.used_percent
    if used is not None and used >= WEAR_WARNING_PERCENT:
        worst = used >= WEAR_CRITICAL_PERCENT
        yield Finding(
            kind="wear",
            severity=Severity.CRITICAL if worst else Severity.WARNING,
            words="is worn out" if worst else "is worn",
            detail=f"{used} % of the writes its maker planned for are used up",
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
        detail=f"It has {warm} °C; its own {'critical' if critical else 'warning'} limit is {most} °C",
    )


def _counts(reading: DriveReading, growth: Mapping[str, Growth]) -> Iterator[Finding]:
    for name, words in COUNTS.items():
        grown, count = growth.get(name), getattr(reading.values, name) or 0
        if name == "error_log_entries" and reading.refused_only:
            continue
        if grown:
            more, detail = f"has more {words} than before", f"{words}: {grown.before} before, {grown.now} now"
        elif name in _CURRENT and count:
            more, detail = f"has {words}", f"There are {count} {words}"
        elif count >= TOO_MANY.get(name, count + 1):
            more, detail = f"has too many {words}", f"There are {count} {words}; {TOO_MANY[name]} are too many"
        else:
            continue
        yield Finding(kind=name, severity=Severity.WARNING, words=more, detail=detail[0].upper() + detail[1:])


def _silence(reading: DriveReading) -> Iterator[Finding]:
    if reading.misses >= SILENT_MISSES:
        yield Finding(
            kind="silent",
            severity=Severity.WARNING,
            words="does not say how it is",
            detail=f"It left {reading.misses} questions for its health without an answer in time",
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
            words="answers in a way that cannot be read",
            detail=f"Not read: {', '.join(reading.unreadable)}"[:500],
        )
