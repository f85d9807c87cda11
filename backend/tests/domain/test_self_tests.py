"""When a self-test is due, and which failure still counts: pure."""

import pytest

from lunette.domain.self_tests import SelfTest, SelfTestKind, SelfTestResult, SelfTests, SelfTestSchedule, due, failure

SHORT, LONG, OTHER = SelfTestKind.SHORT, SelfTestKind.LONG, SelfTestKind.OTHER
PASSED, FAILED, ABORTED = SelfTestResult.PASSED, SelfTestResult.FAILED, SelfTestResult.ABORTED
SCHEDULE = SelfTestSchedule(short_days=7, long_days=30)


def logged(*found: tuple[SelfTestKind, SelfTestResult, int]) -> SelfTests:
    return SelfTests(log=tuple(SelfTest(kind=kind, result=result, hours=hours) for kind, result, hours in found))


@pytest.mark.parametrize(
    ("log", "hours_on", "next_one"),
    [
        (logged(), 0, LONG),
        (logged((LONG, PASSED, 1000)), 1000 + 167, None),
        (logged((LONG, PASSED, 1000)), 1000 + 168, SHORT),
        (logged((SHORT, PASSED, 1500), (LONG, PASSED, 1000)), 1000 + 719, SHORT),
        (logged((SHORT, PASSED, 1600), (LONG, PASSED, 1000)), 1000 + 719, None),
        (logged((SHORT, PASSED, 1600), (LONG, FAILED, 1000)), 1000 + 720, LONG),
        (logged((LONG, ABORTED, 1700), (SHORT, PASSED, 1700)), 1701, LONG),
        (logged((LONG, PASSED, 65530)), 65530 + 200, SHORT),
        (logged((LONG, PASSED, 65530)), 65536 + 20, None),
        (logged((LONG, PASSED, 5)), 65536 + 20, None),
        (logged((OTHER, PASSED, 1000)), 1000, LONG),
        (logged(), None, None),
        (SelfTests(is_running=True), 1000, None),
    ],
)
def test_the_next_test_follows_from_the_drives_own_log(
    log: SelfTests, hours_on: int | None, next_one: SelfTestKind | None
) -> None:
    assert due(log, hours_on, SCHEDULE) is next_one


@pytest.mark.parametrize(
    ("log", "fails"),
    [
        (logged((SHORT, PASSED, 3), (LONG, FAILED, 2)), True),
        (logged((LONG, PASSED, 3), (SHORT, FAILED, 2)), False),
        (logged((SHORT, PASSED, 3), (SHORT, FAILED, 2)), False),
        (logged((LONG, ABORTED, 3), (LONG, FAILED, 2), (LONG, PASSED, 1)), True),
        (logged((OTHER, FAILED, 3), (LONG, PASSED, 2)), True),
        (logged((LONG, ABORTED, 3)), False),
        (logged(), False),
    ],
)
def test_a_failure_counts_until_a_later_test_passes_that_covers_it(log: SelfTests, fails: bool) -> None:
    assert (failure(log) is not None) is fails
