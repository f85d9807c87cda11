"""Self-tests of drives: what their logs say, when the next one is due, and which failure still counts."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from lunette.domain.base import Model

Days = Annotated[int, Field(ge=0, le=365)]
"""0 is never."""
SHORT_DAYS, LONG_DAYS = 7, 30
"""Where nothing else was said."""
MOST_TESTS = 21
"""What the longest log of a drive holds (SATA)."""
_HOURS_WRAP = 1 << 16
"""SATA and SAS write the hour of a test in 16 bits."""


class SelfTestKind(StrEnum):
    """short: a few minutes. long: all of the medium is read, in hours. other: what only its maker knows."""

    SHORT = "short"
    LONG = "long"
    OTHER = "other"


class SelfTestResult(StrEnum):
    """aborted: by a host, a reset or another command; it says nothing of the drive."""

    PASSED = "passed"
    FAILED = "failed"
    ABORTED = "aborted"


class SelfTest(Model):
    """One entry of a drive's log."""

    kind: SelfTestKind
    result: SelfTestResult
    hours: int | None = None
    """The drive's power-on hours then."""
    lba: int | None = None
    """The first block that failed."""
    words: str = ""
    """smartctl's own."""


class SelfTests(Model):
    """What a drive tells of its self-tests, the newest first."""

    log: tuple[SelfTest, ...] = ()
    is_running: bool = False
    refused: str | None = None
    """Why the last one that was asked for did not begin."""


class SelfTestSchedule(Model):
    """After how many days of being on a drive is tested again."""

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
