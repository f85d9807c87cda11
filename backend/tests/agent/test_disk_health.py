"""When the agent asks which drive for its health, and what it keeps."""

from itertools import pairwise

import pytest

from backend.tests.fakemachine import FakeDisk, FakeSystem
from lunette.agent.disk_health import SLOWEST, DiskHealth
from lunette.domain.disk_health import DiskHealthState, DriveReading, findings, state_of
from lunette.domain.disks import ObservedDisk
from lunette.providers.disks import smart_parse
from lunette.providers.disks.inventory import observe_disks

PERIOD_S = 600.0


class Watched:
    """Two SAS drives, and what the agent knows of them."""

    def __init__(self) -> None:
        self.machine = FakeSystem()
        self.disks = self.machine.add_disks(2, "sas")
        self.health = DiskHealth(self.machine)

    def asked(self, after_s: float = 0.0) -> list[str]:
        """The serials of those that are asked in one round."""
        self.machine.advance(after_s)
        self.machine.tools.drives.asked.clear()
        self.changed = self.health.round(PERIOD_S)
        return self.machine.tools.drives.asked[:]

    def reported(self, disk: FakeDisk) -> ObservedDisk:
        found = {one.serial: one for one in self.health.reported(observe_disks(self.machine))}
        return found[disk.serial]


@pytest.fixture
def watched() -> Watched:
    return Watched()


def test_every_drive_is_queried_at_once_and_then_once_a_period(watched: Watched) -> None:
    assert watched.reported(watched.disks[0]).health is None
    assert len(watched.asked()) == 2
    assert watched.changed
    assert watched.asked(PERIOD_S / 2) == []
    assert len(watched.asked(PERIOD_S / 2)) == 2
    reported = watched.reported(watched.disks[0])
    assert reported.tells_health
    assert reported.health is not None
    assert reported.health.values.temperature_c == 35


def test_a_new_drive_is_read_at_once_and_a_removed_one_is_forgotten(watched: Watched) -> None:
    watched.asked()
    (late,) = watched.machine.add_disks(1, "nvme")
    watched.reported(late)
    assert watched.asked(1) == [late.serial]
    watched.machine.pull(late)
    watched.health.reported(observe_disks(watched.machine))
    watched.asked(1)
    watched.machine.insert(late)
    assert watched.reported(late).health is None


def test_a_drive_that_hangs_is_queried_more_and_more_rarely_and_the_other_as_before(watched: Watched) -> None:
    bad, good = watched.disks
    watched.machine.tools.drives.health(bad).is_hanging = True
    rounds = [watched.asked(PERIOD_S) for _ in range(50)]
    assert all(good.serial in asked for asked in rounds)
    times = [number for number, asked in enumerate(rounds) if bad.serial in asked]
    assert [later - sooner for sooner, later in pairwise(times)] == [2, 4, 8, SLOWEST, SLOWEST]


def test_another_drive_under_an_old_name_begins_again(watched: Watched) -> None:
    watched.asked()
    watched.disks[0].serial = "OTHER"
    assert watched.reported(watched.disks[0]).health is None


def test_drives_are_found_also_without_requests(watched: Watched) -> None:
    assert len(watched.asked()) == 2
    watched.machine.add_disks(1, "sas")
    assert len(watched.asked(PERIOD_S)) == 3


def test_an_unchanged_reading_wakes_no_one(watched: Watched) -> None:
    watched.asked()
    assert len(watched.asked(PERIOD_S)) == 2
    assert not watched.changed
    watched.machine.tools.drives.health(watched.disks[0]).temperature_c = 36
    watched.asked(PERIOD_S)
    assert watched.changed


@pytest.mark.parametrize(
    "odd", [{"smart_status": None}, {"scsi_error_counter_log": [1]}, {"scsi_grown_defect_list": {}}]
)
def test_a_drive_that_answers_oddly_has_a_problem_and_those_behind_it_are_read(
    watched: Watched, odd: dict[str, object]
) -> None:
    bad, good = watched.disks
    watched.machine.tools.drives.health(bad).odd = odd
    assert watched.asked() == [bad.serial, good.serial]
    reported = watched.reported(bad).health
    assert reported is not None
    assert f"cannot be read at {next(iter(odd))}" in (reported.problem or "")
    assert state_of(reported, findings(reported, {})) is DiskHealthState.UNKNOWN
    assert watched.reported(good).health is not None
    watched.machine.tools.drives.health(bad).odd = {}
    watched.asked(PERIOD_S)
    repaired = watched.reported(bad).health
    assert repaired is not None
    assert state_of(repaired, findings(repaired, {})) is DiskHealthState.OK


def test_a_fault_of_the_reader_affects_one_drive_and_retains_its_last_reading(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched.asked()
    bad, good = watched.disks
    watched.machine.tools.drives.health(bad).temperature_c = 99
    read = smart_parse.reading

    def fails(text: str, now: float, exit_status: int = 0) -> DriveReading:
        if bad.serial in text:
            raise KeyError("raw")
        return read(text, now, exit_status)

    monkeypatch.setattr(smart_parse, "reading", fails)
    assert watched.asked(PERIOD_S) == [bad.serial, good.serial]
    reported, other = watched.reported(bad).health, watched.reported(good).health
    assert reported is not None
    assert other is not None
    assert "KeyError" in (reported.problem or "")
    assert reported.values.temperature_c == 35
    assert state_of(reported, findings(reported, {})) is DiskHealthState.UNKNOWN
    assert other.problem is None
    assert watched.asked() == [], "it is asked again with the others"
