"""The history of drives: a row a day with the last values and the highest temperature, retained as other history is."""

import pytest
from sqlalchemy import select

from backend.tests import seen
from backend.tests.engine.conftest import Appliance
from backend.tests.engine.test_disk_health import DAY_S, Drives
from backend.tests.engine.test_reconciler import Clock
from lunette.domain.disk_health import CriticalWarning, DriveReading, HealthValues
from lunette.engine.conditions import disk_readings
from lunette.store.resources import DiskReading

NOON = 20_000 * DAY_S + DAY_S / 2
"""Seconds since the epoch: 2024-10-04 12:00 UTC."""
FIRST = "nvme-D1"


@pytest.fixture
def drives(lone: Appliance) -> Drives:
    return Drives(lone, Clock())


def hot(at: float, celsius: int, **values: int) -> DriveReading:
    return DriveReading(read_at=at, passed=True, values=HealthValues(temperature_c=celsius, **values))


def rows(drives: Drives, disk_id: str = FIRST) -> list[tuple[str, int | None, int | None]]:
    """Day, highest temperature and wear, the newest first."""
    with drives.lone.store.read() as tx:
        found = disk_readings.of_disk(tx, disk_id)
        return [(row.day, row.hottest_c, HealthValues.model_validate_json(row.told).used_percent) for row in found]


def test_a_day_has_its_last_values_and_its_highest_temperature(drives: Drives) -> None:
    for at, celsius, wear in ((NOON, 40, 3), (NOON + 600, 61, 3), (NOON + 1200, 39, 4), (NOON + DAY_S, 38, 5)):
        drives.says(1, hot(at, celsius, used_percent=wear))
        drives.alerts()
    assert rows(drives) == [("2024-10-05", 38, 5), ("2024-10-04", 61, 4)]


def test_what_was_noted_is_not_written_again_and_another_process_continues_the_day(drives: Drives) -> None:
    drives.says(1, hot(NOON, 61))
    drives.alerts()
    with drives.lone.store.write() as tx:
        (row,) = disk_readings.of_disk(tx, FIRST)
        row.hottest_c = 70
    drives.alerts()
    drives.restart()
    drives.alerts()
    assert rows(drives) == [("2024-10-04", 70, None)]


def test_another_drive_under_the_same_name_begins_its_day_again(drives: Drives) -> None:
    drives.says(1, hot(NOON, 61))
    drives.alerts()
    changed = seen.disk(1).model_copy(update={"serial": "OTHER", "tells_health": True, "health": hot(NOON + 600, 40)})
    drives.lone.agent.insert(changed)
    drives.alerts()
    assert rows(drives) == [("2024-10-04", 40, None)]


def test_the_state_is_stored_and_a_drive_without_a_temperature_has_none(drives: Drives) -> None:
    failing = DriveReading(read_at=NOON, passed=False, warnings=(CriticalWarning.READ_ONLY,))
    drives.says(1, failing)
    drives.alerts()
    with drives.lone.store.read() as tx:
        (row,) = disk_readings.of_disk(tx, FIRST)
        assert (row.state, row.hottest_c) == ("failing", None)


def test_neither_a_second_path_nor_a_drive_that_was_not_read_has_a_history(drives: Drives) -> None:
    second = seen.disk(2).model_copy(update={"other_path_of": FIRST, "tells_health": True, "health": hot(NOON, 40)})
    drives.lone.agent.insert(second)
    drives.says(3, DriveReading(problem="it sleeps", is_asleep=True))
    drives.alerts()
    with drives.lone.store.read() as tx:
        found = set(tx.scalars(select(DiskReading.disk_id)))
    assert not found & {"nvme-D2", "nvme-D3"}
