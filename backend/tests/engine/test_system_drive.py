"""A system drive that fills is reported at 85 and at 95 %; the alert ends when there is space again."""

from pathlib import Path

import pytest

from backend.tests.engine.conftest import Appliance
from backend.tests.engine.test_reconciler import Clock, alerts
from lunette.domain.alerts import Severity
from lunette.engine.background.watcher import Watcher
from lunette.engine.conditions import system_drive, system_mirror
from lunette.engine.conditions.system_drive import DriveSpace
from lunette.engine.context.observing import ObservationCache


@pytest.mark.parametrize(
    ("used", "reported"),
    [
        (0, []),
        (84, []),
        (85, ["system.drive_filling"]),
        (94, ["system.drive_filling"]),
        (95, ["system.drive_filling", "system.drive_full"]),
        (100, ["system.drive_filling", "system.drive_full"]),
    ],
)
def test_it_is_reported_from_85_and_from_95_percent(used: int, reported: list[str]) -> None:
    causes = list(system_drive.causes_of(DriveSpace("/var/lib/lunette", used << 30, (100 - used) << 30)))
    assert [cause.key for cause in causes] == reported
    assert all(cause.key.startswith(system_mirror.FAMILY) for cause in causes)
    assert [cause.severity for cause in causes] == [Severity.WARNING, Severity.CRITICAL][: len(reported)]
    assert {cause.cause for cause in causes} <= {
        f"/var/lib/lunette is {used} % full: {100 - used} GiB are free",
        "/var/lib/lunette is 100 % full: 0 B are free",
    }


def test_a_missing_or_empty_file_system_raises_no_alert(tmp_path: Path) -> None:
    assert system_drive.look_at(tmp_path / "none")() is None
    assert list(system_drive.causes_of(None)) == list(system_drive.causes_of(DriveSpace("/", 0, 0))) == []
    room = system_drive.look_at(tmp_path)()
    assert room is not None
    assert 0 < room.used < 1


def test_the_watcher_raises_it_after_a_minute_and_it_is_over_once_there_is_room(lone: Appliance) -> None:
    clock, used = Clock(), 96

    def look(after_s: float) -> list[str]:
        clock.advance(after_s)
        watcher.round()
        return sorted(alerts(lone))

    cache = ObservationCache(lone.agent, monotonic=clock.seconds)
    watcher = Watcher(lone.store, cache, clock)
    watcher.room = lambda: DriveSpace("/", used << 30, (100 - used) << 30)
    assert look(10) == []
    assert look(system_drive.GRACE_S) == ["system.drive_filling", "system.drive_full"]
    used = 90
    assert look(10) == ["system.drive_filling"]
    used = 50
    assert look(10) == []
