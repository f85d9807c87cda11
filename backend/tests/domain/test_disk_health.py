"""What is wrong with a drive, judged from what it says: pure."""

import pytest

from lunette.domain.alerts import Severity
from lunette.domain.disk_health import (
    CriticalWarning,
    DiskHealthState,
    DriveReading,
    Growth,
    HealthValues,
    findings,
    state_of,
)


def judged(
    passed: bool | None = True, warnings: tuple[CriticalWarning, ...] = (), misses: int = 0, **values: int
) -> tuple[DiskHealthState, list[str], list[Severity]]:
    reading = DriveReading(read_at=1.0, passed=passed, warnings=warnings, misses=misses, values=HealthValues(**values))
    found = findings(reading, {})
    return state_of(reading, found), [one.kind for one in found], [one.severity for one in found]


def test_a_drive_that_finds_nothing_is_well() -> None:
    assert judged(available_spare_percent=100, available_spare_threshold_percent=10) == (DiskHealthState.OK, [], [])


def test_an_unread_drive_is_unknown_and_raises_no_finding() -> None:
    assert state_of(None, ()) is DiskHealthState.UNKNOWN
    assert state_of(DriveReading(problem="no SMART"), ()) is DiskHealthState.UNKNOWN


def test_what_was_not_read_is_never_well() -> None:
    reported = DriveReading(read_at=1.0, passed=True, values=HealthValues(used_percent=3))
    assert state_of(reported, ()) is DiskHealthState.OK
    for change in ({"problem": "No such device"}, {"unreadable": ("smart_status",)}, {"passed": None}):
        odd = reported.model_copy(update=change)
        assert state_of(odd, findings(odd, {})) is DiskHealthState.UNKNOWN


def test_a_drive_that_reports_nothing_is_unknown() -> None:
    assert judged(passed=None)[0] is DiskHealthState.UNKNOWN


@pytest.mark.parametrize("bit", CriticalWarning)
def test_each_bit_of_the_critical_warning_is_reported_in_words_of_its_own(bit: CriticalWarning) -> None:
    state, kinds, _ = judged(passed=False, warnings=(bit,))
    assert kinds == [bit.value]
    fails = bit in (CriticalWarning.SPARE, CriticalWarning.RELIABILITY, CriticalWarning.READ_ONLY)
    assert state is (DiskHealthState.FAILING if fails else DiskHealthState.WARNING)


def test_a_drive_of_sata_that_predicts_its_failure_is_critical() -> None:
    assert judged(passed=False) == (DiskHealthState.FAILING, ["predicted"], [Severity.CRITICAL])


@pytest.mark.parametrize(
    ("used", "severities"),
    [
        (79, []),
        (80, [Severity.WARNING]),
        (94, [Severity.WARNING]),
        (95, [Severity.CRITICAL]),
        (140, [Severity.CRITICAL]),
    ],
)
def test_wear_is_reported_from_80_percent_and_is_critical_from_95(used: int, severities: list[Severity]) -> None:
    assert judged(used_percent=used)[2] == severities


@pytest.mark.parametrize(("warm", "severities"), [(69, []), (70, [Severity.WARNING]), (80, [Severity.CRITICAL])])
def test_a_temperature_is_judged_by_the_drives_own_limits(warm: int, severities: list[Severity]) -> None:
    assert judged(temperature_c=warm, temperature_warning_c=70, temperature_critical_c=80)[2] == severities
    assert judged(temperature_c=warm)[2] == []


def test_spare_below_its_threshold_is_reported_once_whether_or_not_the_bit_is_set() -> None:
    values = HealthValues(available_spare_percent=5, available_spare_threshold_percent=10)
    for warnings in ((), (CriticalWarning.SPARE,)):
        found = findings(DriveReading(read_at=1.0, warnings=warnings, values=values), {})
        assert [one.kind for one in found] == ["spare"]


def test_sectors_that_wait_are_wrong_from_the_first_and_old_ones_elsewhere_are_not() -> None:
    assert judged(pending_sectors=1, reallocated_sectors=12, media_errors=3)[1] == ["pending_sectors"]


@pytest.mark.parametrize(("name", "most"), [("media_errors", 9), ("reallocated_sectors", 49), ("grown_defects", 49)])
def test_a_count_that_is_high_when_it_is_first_seen_is_reported(name: str, most: int) -> None:
    for count, kinds in ((most, []), (most + 1, [name])):
        reading = DriveReading(read_at=1.0, passed=True, values=HealthValues.model_validate({name: count}))
        found = findings(reading, {})
        assert [one.kind for one in found] == kinds
        assert state_of(reading, found) is (DiskHealthState.WARNING if kinds else DiskHealthState.OK)


def test_many_errors_on_the_way_are_reported_only_when_they_grow() -> None:
    """It is unknown when they occurred: the cable may have been replaced long ago."""
    assert judged(interface_errors=5000, error_log_entries=90_000)[1] == []
    reading = DriveReading(read_at=1.0, passed=True, values=HealthValues(interface_errors=8))
    (found,) = findings(reading, {"interface_errors": Growth(before=7, now=8)})
    assert (found.words, found.detail) == (
        "has more interface errors than before",
        "Interface errors: 7 before, 8 now",
    )


def test_failed_commands_that_grow_are_reported_unless_the_drive_only_refused_them() -> None:
    reading = DriveReading(read_at=1.0, passed=True, values=HealthValues(error_log_entries=8))
    growth = {"error_log_entries": Growth(before=7, now=8)}
    assert [one.kind for one in findings(reading, growth)] == ["error_log_entries"]
    assert findings(reading.model_copy(update={"refused_only": True}), growth) == ()


def test_a_count_that_grew_is_reported_with_both_numbers() -> None:
    reading = DriveReading(read_at=1.0, passed=True, values=HealthValues(media_errors=5))
    (found,) = findings(reading, {"media_errors": Growth(before=2, now=5)})
    assert (found.kind, found.detail) == ("media_errors", "Media errors: 2 before, 5 now")


def test_a_drive_that_does_not_answer_is_reported_from_the_second_time_on() -> None:
    assert judged(misses=1)[1] == []
    assert judged(misses=2)[1] == ["silent"]
