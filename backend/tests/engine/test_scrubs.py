"""What a scrub found is an event and an alert, which only a whole scrub that finds nothing ends."""

import pytest
from sqlalchemy import select

from backend.tests import seen
from backend.tests.engine.conftest import Appliance
from backend.tests.engine.test_reconciler import Clock, alerts
from backend.tests.engine.test_watcher import look, reported
from lunette.domain.arrays import ArrayEngine, Level, ScrubOutcome
from lunette.engine.background.watcher import Watcher
from lunette.engine.conditions import scrubs
from lunette.engine.context.observing import ObservationCache
from lunette.store.journal import Alert
from lunette.store.resources import Array

CLEAN = ScrubOutcome(mismatches=0, repaired=False, is_whole=True)
FOUND = CLEAN.model_copy(update={"mismatches": 128})
MESSAGE = "A scrub of array tank found 128 sectors with mismatched parity"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def watcher(lone: Appliance, clock: Clock) -> Watcher:
    return Watcher(lone.store, ObservationCache(lone.agent, monotonic=clock.seconds), clock)


def scrubbed(lone: Appliance, watcher: Watcher, clock: Clock, outcome: ScrubOutcome | None) -> dict[str, str]:
    """The alerts once this is seen of the last scrub."""
    lone.agent.show_arrays(scrubbed=outcome)
    look(watcher, clock)
    return alerts(lone)


def test_mismatches_are_an_alert_and_an_event_until_a_scrub_finds_none(
    lone: Appliance, watcher: Watcher, clock: Clock
) -> None:
    lone.array()
    assert scrubbed(lone, watcher, clock, None) == {}
    assert scrubbed(lone, watcher, clock, FOUND) == {"array.scrub": MESSAGE}
    with lone.store.read() as tx:
        row = tx.scalars(select(Alert)).one()
    assert row.severity == "warning"
    assert "wrong data" in row.cause
    assert "`lunette array scrub tank --action repair`" in row.fix
    assert scrubbed(lone, watcher, clock, CLEAN) == {}
    assert reported(lone, "array")[-2:] == [MESSAGE, "A scrub of array tank found no errors"]


@pytest.mark.parametrize(
    "outcome", [None, CLEAN.model_copy(update={"is_whole": False})], ids=["forgotten or running", "stopped early"]
)
def test_what_does_not_say_that_all_is_right_ends_no_alert(
    lone: Appliance, watcher: Watcher, clock: Clock, outcome: ScrubOutcome | None
) -> None:
    lone.array()
    assert scrubbed(lone, watcher, clock, FOUND) == {"array.scrub": MESSAGE}
    assert scrubbed(lone, watcher, clock, outcome) == {"array.scrub": MESSAGE}
    restarted = Watcher(lone.store, ObservationCache(lone.agent, monotonic=clock.seconds), clock)
    assert scrubbed(lone, restarted, clock, outcome) == {"array.scrub": MESSAGE}
    assert scrubbed(lone, restarted, clock, CLEAN) == {}


def test_a_repair_says_that_it_wrote_and_advises_another_scrub(lone: Appliance, watcher: Watcher, clock: Clock) -> None:
    lone.array()
    shown = scrubbed(lone, watcher, clock, FOUND.model_copy(update={"repaired": True}))
    assert shown == {"array.scrub": f"{MESSAGE}, and overwrote them"}
    with lone.store.read() as tx:
        assert "Then scrub again" in tx.scalars(select(Alert)).one().fix


def test_the_other_alerts_of_an_array_end_while_no_scrub_is_known(
    lone: Appliance, watcher: Watcher, clock: Clock
) -> None:
    lone.array()
    lone.agent.show_arrays(dirty_without=(1,))
    assert list(scrubbed(lone, watcher, clock, FOUND) | alerts(lone)) == ["array.scrub"]
    look(watcher, clock, 31)
    assert sorted(alerts(lone)) == ["array.health", "array.scrub"]
    lone.agent.show_arrays(dirty_without=())
    assert list(scrubbed(lone, watcher, clock, None)) == ["array.scrub"]


def test_an_array_that_was_missing_does_not_report_its_scrub_again(
    lone: Appliance, watcher: Watcher, clock: Clock
) -> None:
    lone.array()
    scrubbed(lone, watcher, clock, FOUND)
    kept = lone.agent.machine.arrays
    lone.agent.show(arrays=())
    look(watcher, clock)
    lone.agent.show(arrays=kept)
    look(watcher, clock)
    assert [words for words in reported(lone, "array") if "scrub" in words] == []


def row(engine: ArrayEngine, level: Level) -> Array:
    return Array(id="a1", name="tank", engine=engine.value, level=level.value)


def test_a_mirror_says_where_a_mismatch_is_harmless_and_parity_does_not() -> None:
    array = seen.array("f" * 32, ("nvme-D1",), scrubbed=FOUND)
    (mirror,) = scrubs.causes_of(row(ArrayEngine.MD, Level.RAID10), array)
    (parity,) = scrubs.causes_of(row(ArrayEngine.MD, Level.RAID6), array)
    assert ("swap" in mirror.cause, "swap" in parity.cause) == (True, False)
    assert "with mismatched copies" in mirror.message


@pytest.mark.parametrize(("engine", "label"), [(ArrayEngine.MD, "MD RAID"), (ArrayEngine.LVM, "LVM RAID")])
@pytest.mark.parametrize("level", [Level.RAID1, Level.RAID6])
def test_what_a_scrub_found_names_the_engine_of_the_array(engine: ArrayEngine, label: str, level: Level) -> None:
    (cause,) = scrubs.causes_of(row(engine, level), seen.array("f" * 32, ("nvme-D1",), scrubbed=FOUND))
    assert f"{label} keeps" in cause.fix
    assert not {"md", "lvm"} & set(f"{cause.cause} {cause.fix}".lower().replace(label.lower(), "").split())


@pytest.mark.parametrize(
    ("outcome", "severity", "words"),
    [
        (ScrubOutcome(mismatches=1024**2, repaired=True, is_whole=True), "warning", "repaired 1 MiB"),
        (
            ScrubOutcome(mismatches=0, lost=2, repaired=True, is_whole=True),
            "critical",
            "found 2 errors that could not be repaired",
        ),
    ],
)
def test_a_pool_reports_corrected_and_permanent_errors(outcome: ScrubOutcome, severity: str, words: str) -> None:
    array = seen.array("f" * 32, ("nvme-D1",), scrubbed=outcome)
    (cause,) = scrubs.causes_of(row(ArrayEngine.ZFS, Level.RAIDZ1), array)
    assert (cause.severity, cause.message) == (severity, f"A scrub of array tank {words}")
    assert ("restore them from a backup" in cause.fix) == bool(outcome.lost)
