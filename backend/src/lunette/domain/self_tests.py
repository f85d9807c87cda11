"""Self-tests of drives: the entries of their logs, when the next test is due, and which failure still counts."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from lunette.domain.base import Model

Days = Annotated[int, Field(ge=0, le=365)]
"""0 is never."""
SHORT_DAYS, LONG_DAYS = 7, 30
"""The default."""
MOST_TESTS = 21
"""What the longest log of a drive holds (SATA)."""
_HOURS_WRAP = 1 << 16
"""SATA and SAS write the hour of a test in 16 bits."""


class SelfTestKind(StrEnum):
    """Kind of a self-test."""

    SHORT = "short"
    """Short test, which takes a few minutes."""
    LONG = "long"
    """Long test, which reads the whole medium and takes hours."""
    OTHER = "other"
    """Any other test, such as a test specific to the manufacturer."""


class SelfTestResult(StrEnum):
    """Result of a self-test."""

    PASSED = "passed"
    """The drive passed the test."""
    FAILED = "failed"
    """The drive failed the test."""
    ABORTED = "aborted"
    """A host, a reset or another command aborted the test. The result says nothing about the drive."""


class SelfTest(Model):
    """One entry of a drive's self-test log."""

    kind: SelfTestKind
    result: SelfTestResult
    hours: int | None = None
    """Power-on hours of the drive at the time of the test."""
    lba: int | None = None
    """Address (LBA) of the first block that failed."""
    words: str = ""
    """Result in the words of smartctl."""


class SelfTests(Model):
    """Self-tests that a drive reports, newest first."""

    log: tuple[SelfTest, ...] = ()
    is_running: bool = False
    refused: str | None = None
    """Why the last requested test did not start."""


class SelfTestSchedule(Model):
    """Number of days of operation after which a drive is tested again."""

    short_days: Days = SHORT_DAYS
    long_days: Days = LONG_DAYS


def due(tests: SelfTests, hours_on: int | None, schedule: SelfTestSchedule) -> SelfTestKind | None:
    """The test to begin now. A long one counts as a short one too; one that was aborted does not count."""
    if tests.is_running or hours_on is None:
        return None
    for kind, days in ((SelfTestKind.LONG, schedule.long_days), (SelfTestKind.SHORT, schedule.short_days)):
        ages = [
            _age(test, hours_on)
            for test in tests.log
            if test.kind in (kind, SelfTestKind.LONG) and test.result is not SelfTestResult.ABORTED
        ]
        if days and min(ages, default=days * 24) >= days * 24:
            return kind
    return None


def failure(tests: SelfTests) -> SelfTest | None:
    """The newest test that failed, unless one of its kind or a long one passed later."""
    passed: set[SelfTestKind] = set()
    for test in tests.log:
        if test.result is SelfTestResult.FAILED and not passed & {test.kind, SelfTestKind.LONG}:
            return test
        if test.result is SelfTestResult.PASSED:
            passed.add(test.kind)
    return None


def _age(test: SelfTest, hours_on: int) -> int:
    return 0 if test.hours is None else (hours_on - test.hours) % _HOURS_WRAP
