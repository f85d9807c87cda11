"""Alerts about drives: raised with cause and way out, resolved by themselves, and not for want of news."""

import pytest
from sqlalchemy import select

from backend.tests import seen
from backend.tests.engine.conftest import Appliance
from backend.tests.engine.test_reconciler import Clock
from lunette.domain.arrays import ArrayState, ObservedMember
from lunette.domain.disk_health import CriticalWarning, DriveReading, HealthValues
from lunette.domain.self_tests import SelfTest, SelfTestKind, SelfTestResult, SelfTests
from lunette.engine.background.watcher import Watcher
from lunette.engine.conditions import disk_health
from lunette.engine.context.observing import ObservationCache
from lunette.store.journal import Alert

WELL = DriveReading(read_at=1.0, passed=True, values=HealthValues(available_spare_percent=100, media_errors=0))
DAY_S = 86400.0


class Drives:
    """An appliance with array `tank` of disks 1 to 4; disk 5 is free."""

    def __init__(self, lone: Appliance, clock: Clock) -> None:
        self.lone, self.clock = lone, clock
        lone.array()
        self.restart()
        for number in range(1, 6):
            self.says(number, WELL)

    def restart(self) -> None:
        """Another process of the API."""
        self.watcher = Watcher(self.lone.store, ObservationCache(self.lone.agent, self.clock.seconds), self.clock)

    def says(self, number: int, reading: DriveReading | None) -> None:
        disk = self.lone.agent.machine.disk(f"nvme-D{number}") or seen.disk(number)
        self.lone.agent.insert(disk.model_copy(update={"tells_health": True, "health": reading}))

    def is_(self, number: int, **facts: object) -> None:
        """The disk is otherwise than blank and free."""
        self.lone.agent.insert(seen.disk(number, **facts))

    def alerts(self, after_s: float = 10.0) -> dict[str, Alert]:
        """What stands about drives, by the kind of the finding."""
        self.clock.advance(after_s)
        self.watcher.round(0.0)
        with self.lone.store.read() as tx:
            rows = tx.scalars(select(Alert).where(Alert.resolved_at.is_(None))).all()
        return {row.key.removeprefix("disk.").partition(":")[0]: row for row in rows if row.key.startswith("disk.")}


@pytest.fixture
def drives(lone: Appliance) -> Drives:
    return Drives(lone, Clock())


def bit(*bits: CriticalWarning) -> DriveReading:
    return WELL.model_copy(update={"passed": False, "warnings": bits})


def counted(media_errors: int) -> DriveReading:
    return WELL.model_copy(update={"values": HealthValues(media_errors=media_errors)})


def test_a_failing_member_names_its_array_and_how_to_replace_it_until_it_is_well(drives: Drives) -> None:
    assert drives.alerts() == {}
    drives.says(2, bit(CriticalWarning.RELIABILITY))
    alert = drives.alerts()["reliability"]
    assert alert.severity == "critical"
    assert alert.message == "Disk nvme-D2 (serial D2) of array tank reports that it is no longer reliable"
    assert "while array tank is redundant: `lunette array replace tank nvme-D2 NEW`" in alert.fix
    drives.says(2, WELL)
    assert drives.alerts() == {}


def test_two_things_are_two_alerts_and_each_ends_by_itself(drives: Drives) -> None:
    drives.says(2, bit(CriticalWarning.SPARE, CriticalWarning.TEMPERATURE))
    assert sorted(drives.alerts()) == ["spare", "temperature"]
    drives.says(2, bit(CriticalWarning.SPARE))
    assert sorted(drives.alerts()) == ["spare"]


def test_a_degraded_array_comes_first(drives: Drives) -> None:
    drives.lone.agent.show_arrays(state=ArrayState.DEGRADED)
    drives.says(2, bit(CriticalWarning.READ_ONLY))
    assert "is not healthy: correct that first" in drives.alerts()["read_only"].fix


def test_a_free_disk_that_fails_is_to_be_taken_out(drives: Drives) -> None:
    drives.says(5, bit(CriticalWarning.SPARE))
    assert "remove it, and do not use it for an array" in drives.alerts()["spare"].fix


def test_a_disk_with_foreign_data_is_copied_first(drives: Drives) -> None:
    drives.is_(5, signatures=(seen.EXT4,))
    drives.says(5, bit(CriticalWarning.SPARE))
    assert "have that data copied elsewhere" in drives.alerts()["spare"].fix


def test_a_failing_single_system_disk_advises_a_backup_and_never_an_array(drives: Drives) -> None:
    drives.is_(5, used_by_system=True, mounts=("/",))
    drives.says(5, bit(CriticalWarning.SPARE))
    fix = drives.alerts()["spare"].fix
    assert "on this disk only: create a backup now (`lunette backup`)" in fix
    assert "belongs to no array" not in fix


@pytest.mark.parametrize(
    ("other", "words"), [("in_sync", "and on the other system disk"), ("faulty", "on this disk only")]
)
def test_a_system_disk_with_a_mirror_names_what_the_other_one_saves(other: str, words: str) -> None:
    ill = seen.disk(5, used_by_system=True, holders=("md1",), health=bit(CriticalWarning.SPARE))
    members = tuple(
        ObservedMember(disk_id=f"nvme-D{number}", device=None, state=state)
        for number, state in ((5, "in_sync"), (6, other))
    )
    system = seen.array("f" * 32, (), level="raid1", system=True).model_copy(update={"members": members})
    machine = seen.machine(disks=(ill, seen.disk(6, used_by_system=True)), arrays=(system,))
    (cause,) = disk_health.causes_of(machine, (), {})
    assert words in cause.fix
    assert "create a backup now" in cause.fix.lower()


def test_errors_on_the_way_that_grow_speak_of_the_cable(drives: Drives) -> None:
    for count in (3, 5):
        drives.says(2, WELL.model_copy(update={"values": HealthValues(interface_errors=count)}))
        alerts = drives.alerts()
    assert alerts["interface_errors"].cause == "Interface errors: 3 before, 5 now"
    assert "replace its cable or move it to another bay" in alerts["interface_errors"].fix


def test_many_errors_are_reported_at_first_sight(drives: Drives) -> None:
    drives.says(3, counted(5000))
    alert = drives.alerts()["media_errors"]
    assert alert.message == "Disk nvme-D3 (serial D3) of array tank has too many media errors"
    assert alert.cause == "Media errors: 5000, limit 10"


def test_an_agent_that_has_not_read_a_drive_yet_ends_no_alert(drives: Drives) -> None:
    drives.says(2, bit(CriticalWarning.SPARE))
    raised = drives.alerts()["spare"].raised_at
    drives.says(2, None)
    assert drives.alerts()["spare"].raised_at == raised
    drives.restart()
    assert drives.alerts()["spare"].raised_at == raised
    drives.says(2, WELL)
    assert drives.alerts() == {}


def test_a_silent_drive_that_turns_out_to_have_no_smart_raises_no_alert(drives: Drives) -> None:
    drives.says(5, DriveReading(misses=2, problem="smartctl did not finish"))
    assert "silent" in drives.alerts()
    drives.says(5, DriveReading(problem="the drive has no SMART"))
    assert drives.alerts() == {}


def test_the_alert_of_a_drive_that_was_taken_out_ends(drives: Drives) -> None:
    drives.says(5, bit(CriticalWarning.SPARE))
    assert "spare" in drives.alerts()
    drives.lone.agent.pull("nvme-D5")
    assert drives.alerts() == {}


def test_errors_that_grow_are_reported_for_a_week_over_a_restart_and_old_ones_are_not(drives: Drives) -> None:
    drives.says(3, counted(7))
    assert drives.alerts() == {}, "they were there when the drive was first read"
    drives.says(3, counted(9))
    assert drives.alerts()["media_errors"].cause == "Media errors: 7 before, 9 now"
    drives.restart()
    assert "media_errors" in drives.alerts(6 * DAY_S)
    assert drives.alerts(2 * DAY_S) == {}
    drives.says(3, counted(10))
    assert drives.alerts()["media_errors"].cause == "Media errors: 9 before, 10 now"


def test_a_failed_self_test_is_reported_until_one_passes(drives: Drives) -> None:
    failed = SelfTest(kind=SelfTestKind.SHORT, result=SelfTestResult.FAILED, hours=9, lba=77, words="read failure")
    drives.says(2, WELL.model_copy(update={"self_tests": SelfTests(log=(failed,))}))
    alert = drives.alerts()["self_test"]
    assert (alert.severity, alert.message) == (
        "critical",
        "Disk nvme-D2 (serial D2) of array tank failed its self-test",
    )
    assert alert.cause == "Its short test at 9 power-on hours: read failure, first at block 77"
    assert "Replace it now" in alert.fix
    passed = failed.model_copy(update={"result": SelfTestResult.PASSED})
    drives.says(2, WELL.model_copy(update={"self_tests": SelfTests(log=(passed, failed))}))
    assert drives.alerts() == {}


def test_a_drive_whose_answer_cannot_be_read_is_reported(drives: Drives) -> None:
    drives.says(5, WELL.model_copy(update={"unreadable": ("smart_status",), "problem": "it cannot be read"}))
    alert = drives.alerts()["unreadable"]
    assert (alert.severity, alert.cause) == ("warning", "Not read: smart_status")
    assert "smartctl --all" in alert.fix
    drives.says(5, WELL)
    assert drives.alerts() == {}


def test_another_drive_with_more_errors_under_the_same_name_did_not_grow(drives: Drives) -> None:
    drives.says(3, counted(1))
    drives.alerts()
    (disk,) = [disk for disk in drives.lone.agent.machine.disks if disk.id == "nvme-D3"]
    drives.lone.agent.insert(disk.model_copy(update={"serial": "OTHER", "health": counted(9)}))
    assert drives.alerts() == {}
