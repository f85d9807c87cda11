"""When the agent begins a self-test, of which drive, and what it makes of the result."""

import pytest

from backend.tests.fakemachine import FakeDisk, FakeSystem
from backend.tests.fakemachine.block.drives import Health
from lunette.agent.disk_health import AGAIN_S, DiskHealth
from lunette.domain.disk_health import DiskHealthState, findings, state_of
from lunette.domain.self_tests import SelfTestKind, SelfTestResult, SelfTests, SelfTestSchedule
from lunette.providers.disks.inventory import observe_disks

PERIOD_S = 600.0
WEEK = 7 * 24
NEVER = SelfTestSchedule(short_days=0, long_days=0)


class Rig:
    """Some drives, of which none is in an array."""

    def __init__(self, transport: str = "sata", drives: int = 1) -> None:
        self.machine = FakeSystem()
        self.disks = self.machine.add_disks(drives, transport)
        self.health = DiskHealth(self.machine)
        self.first = self.drive(0)
        self.first.self_tests = [("long", True, 1230)]

    def drive(self, number: int) -> Health:
        return self.machine.tools.drives.health(self.disks[number])

    def begun(self, after_s: float = PERIOD_S, schedule: SelfTestSchedule | None = None) -> list[tuple[str, str]]:
        """Which self-tests begin in one round, by the serials of the drives."""
        self.machine.advance(after_s)
        self.machine.tools.drives.tested.clear()
        self.health.round(PERIOD_S, schedule or SelfTestSchedule())
        return self.machine.tools.drives.tested[:]

    def tests(self, disk: FakeDisk) -> SelfTests:
        (found,) = (one for one in self.health.reported(observe_disks(self.machine)) if one.serial == disk.serial)
        assert found.health is not None
        assert found.health.self_tests is not None
        return found.health.self_tests


@pytest.mark.parametrize("transport", ["sata", "sas", "nvme"])
def test_a_drive_is_tested_when_its_own_log_says_that_it_is_time(transport: str) -> None:
    rig = Rig(transport)
    (disk,) = rig.disks
    assert rig.begun() == []
    rig.first.hours = 1230 + WEEK
    assert rig.begun() == [(disk.serial, "short")]
    assert rig.tests(disk).is_running
    assert rig.begun() == [], "it runs"
    assert rig.begun() == []
    assert rig.tests(disk).is_running is False
    newest = rig.tests(disk).log[0]
    assert (newest.kind, newest.result, newest.hours) == (SelfTestKind.SHORT, SelfTestResult.PASSED, 1230 + WEEK)
    rig.first.hours = 1230 + 30 * 24
    assert rig.begun(AGAIN_S) == [(disk.serial, "long")]


@pytest.mark.parametrize("transport", ["sata", "sas", "nvme"])
def test_a_drive_that_fails_its_test_is_failing_until_a_long_one_passes(transport: str) -> None:
    rig = Rig(transport)
    rig.first.self_tests, rig.first.test_fails = [], True
    for _ in range(3):
        rig.begun()
    (seen,) = rig.health.reported(observe_disks(rig.machine))
    assert seen.health is not None
    (found,) = findings(seen.health, {})
    assert (found.kind, found.words) == ("self_test", "failed its self-test")
    assert found.detail.startswith("Its long test at 1234 power-on hours: Completed: read failure")
    assert state_of(seen.health, (found,)) is DiskHealthState.FAILING
    rig.first.self_tests.insert(0, ("long", True, 1300))
    rig.begun()
    (seen,) = rig.health.reported(observe_disks(rig.machine))
    assert seen.health is not None
    assert findings(seen.health, {}) == ()


def test_disks_that_share_an_array_are_tested_one_after_the_other() -> None:
    rig = Rig("nvme", drives=3)
    for number in range(3):
        rig.drive(number).self_tests = []
    order = [serial for _ in range(9) for serial, _ in rig.begun()]
    assert sorted(order) == sorted(disk.serial for disk in rig.disks)
    assert all(len(rig.drive(number).self_tests) == 1 for number in range(2))


@pytest.mark.parametrize("change", ["is_asleep", "is_hanging"])
def test_a_disk_that_sleeps_or_hangs_in_its_test_does_not_delay_other_tests(change: str) -> None:
    rig = Rig(drives=2)
    for number in range(2):
        rig.drive(number).self_tests = []
    ((first, _),) = rig.begun()
    (number,) = (number for number, disk in enumerate(rig.disks) if disk.serial == first)
    setattr(rig.drive(number), change, True)
    begun = [serial for _ in range(2) for serial, _ in rig.begun()]
    assert begun == [rig.disks[1 - number].serial]


def test_a_drive_that_refuses_is_queried_once_a_day_with_its_reason() -> None:
    rig = Rig()
    rig.first.self_tests, rig.first.refuses_self_tests = [], True
    asked = []
    for _ in range(2):
        rig.begun()
        asked.append(rig.tests(rig.disks[0]).refused)
    assert asked == ["Self-tests not supported"] * 2
    rig.first.refuses_self_tests = False
    assert rig.begun() == []
    assert len(rig.begun(AGAIN_S)) == 1
    assert rig.tests(rig.disks[0]).refused is None


@pytest.mark.parametrize("change", [{"has_self_tests": False}, {"is_asleep": True}, {"is_hanging": True}])
def test_a_drive_that_sleeps_hangs_or_has_none_is_not_tested(change: dict[str, bool]) -> None:
    rig = Rig()
    rig.begun()
    rig.first.self_tests = []
    for name, value in change.items():
        setattr(rig.first, name, value)
    assert rig.begun() == []


def test_a_schedule_of_zero_days_is_never() -> None:
    rig = Rig()
    rig.first.self_tests = []
    assert rig.begun(schedule=NEVER) == []
    assert rig.begun(schedule=SelfTestSchedule(short_days=1, long_days=0)) == [(rig.disks[0].serial, "short")]
