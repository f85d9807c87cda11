"""The watcher turns array health into alerts and events, and tells of drives that come and go."""

import threading

import pytest
from sqlalchemy import select

from backend.tests import seen
from backend.tests.engine.conftest import Appliance
from backend.tests.engine.test_reconciler import Clock, alerts
from lunette.domain.agent_protocol import Request, Result
from lunette.domain.arrays import ArrayState, ObservedMember
from lunette.domain.disks import Signature
from lunette.domain.errors import AgentAway
from lunette.engine.alerts.board import Cause
from lunette.engine.background.watcher import Watcher, causes_of
from lunette.engine.context.observing import ObservationCache
from lunette.store.journal import Alert, Event
from lunette.store.resources import Array


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def watcher(lone: Appliance, clock: Clock) -> Watcher:
    return Watcher(lone.store, ObservationCache(lone.agent, monotonic=clock.seconds), clock)


def look(watcher: Watcher, clock: Clock, after_s: float = 10) -> None:
    clock.advance(after_s)
    watcher.round()


def reported(lone: Appliance, noun: str) -> list[str]:
    with lone.store.read() as tx:
        return list(tx.scalars(select(Event.message).where(Event.noun == noun).order_by(Event.seq)))


def test_a_degraded_array_is_a_warning_until_it_is_whole_again(lone: Appliance, watcher: Watcher, clock: Clock) -> None:
    lone.array()
    look(watcher, clock)
    assert alerts(lone) == {}
    lone.agent.show_arrays(state=ArrayState.DEGRADED)
    look(watcher, clock)
    assert alerts(lone) == {"array.health": "Array tank is degraded: it runs without some of its disks"}
    lone.agent.show_arrays(state=ArrayState.FAILED)
    look(watcher, clock)
    with lone.store.read() as tx:
        assert tx.scalars(select(Alert.severity)).all() == ["critical"]
    lone.agent.show_arrays(state=ArrayState.CLEAN)
    look(watcher, clock)
    assert alerts(lone) == {}
    assert reported(lone, "array")[-3:] == [
        "Array tank is degraded (was clean)",
        "Array tank is failed (was degraded)",
        "Array tank is clean (was failed)",
    ]


@pytest.mark.parametrize(("left", "severity"), [(1, "warning"), (None, "warning"), (0, "critical")])
@pytest.mark.parametrize("state", [ArrayState.DEGRADED, ArrayState.REBUILDING])
def test_an_array_without_redundancy_is_critical_where_that_is_known(
    lone: Appliance, left: int | None, severity: str, state: ArrayState
) -> None:
    lone.array()
    works: dict[str, tuple[int | None, str]] = {"nvme-D1": (0, IN), "nvme-D3": (2, IN), "nvme-D4": (3, IN)}
    (cause,) = causes(lone, state, works, survives_disks=left)
    assert cause.severity == severity
    assert ("has no redundancy left" in cause.message) == (left == 0)


def causes(
    lone: Appliance, state: ArrayState, members: dict[str, tuple[int | None, str]], **changes: object
) -> list[Cause]:
    """The alerts for array `tank` with these members, by disk, each with its slot and state."""
    with lone.store.read() as tx:
        row = tx.scalars(select(Array)).one()
        places = [
            ObservedMember(disk_id=disk_id, device=None, state=word, slot=slot)
            for disk_id, (slot, word) in members.items()
        ]
        found = seen.array(row.uuid, (), state).model_copy(update={"members": tuple(places), **changes})
        return list(causes_of(row, found, seen.machine(arrays=(found,))))


IN = "in_sync"


@pytest.mark.parametrize(
    ("members", "named"),
    [
        pytest.param(
            {"nvme-D1": (0, IN), "nvme-D2": (1, IN), "nvme-D5": (2, "rebuilding"), "x": (3, "missing")},
            "disk nvme-D3 (serial D3)",
            id="one of two lost slots is filled",
        ),
        pytest.param(
            {"nvme-D1": (0, IN), "nvme-D2": (1, IN), "nvme-D5": (2, "rebuilding"), "nvme-D6": (3, "replacing")},
            "disk nvme-D3 (serial D3), disk nvme-D4 (serial D4)",
            id="both are",
        ),
        pytest.param(
            {"nvme-D1": (1, IN), "nvme-D2": (0, IN), "nvme-D5": (2, "rebuilding"), "x": (3, "missing")},
            "a lost or replaced disk",
            id="the slots that were written down are wrong",
        ),
        pytest.param(
            {
                "nvme-D1": (0, IN),
                "nvme-D2": (1, IN),
                "nvme-D3": (2, "missing"),
                "nvme-D5": (2, "rebuilding"),
                "nvme-D4": (3, "missing"),
            },
            "disk nvme-D3 (serial D3)",
            id="ZFS tells the slots of lost disks",
        ),
        pytest.param(
            {"nvme-D1": (0, IN), "nvme-D2": (1, IN), "nvme-D5": (2, "rebuilding")},
            "disk nvme-D3 (serial D3)",
            id="a spare is lost too",
        ),
    ],
)
def test_a_rebuild_names_the_disks_in_whose_slots_others_are_filled(
    lone: Appliance, members: dict[str, tuple[int | None, str]], named: str
) -> None:
    lone.array()
    (cause,) = causes(lone, ArrayState.REBUILDING, members)
    assert cause.message == f"Array tank is rebuilding to replace {named}"
    assert all(f"nvme-D{number}" in cause.cause for number in (3, 4)), "what is lost is told all the same"


def test_a_dirty_degraded_array_is_reported_as_such_and_with_the_way_out(
    lone: Appliance, watcher: Watcher, clock: Clock
) -> None:
    lone.array()
    lone.agent.show_arrays(state=ArrayState.MISSING, dirty_without=(1,))
    look(watcher, clock)
    look(watcher, clock, 31)
    with lone.store.read() as tx:
        row = tx.scalars(select(Alert)).one()
    assert (row.severity, row.message) == ("critical", "Array tank remains stopped: it is dirty and degraded")
    assert "`lunette array force-start tank --confirm tank`" in row.fix
    lone.agent.show_arrays(state=ArrayState.DEGRADED, dirty_without=())
    look(watcher, clock)
    assert alerts(lone) == {"array.health": "Array tank is degraded: it runs without some of its disks"}


def test_a_resync_raises_no_alert(lone: Appliance, watcher: Watcher, clock: Clock) -> None:
    lone.array()
    lone.agent.show_arrays(state=ArrayState.RESYNCING)
    look(watcher, clock)
    assert alerts(lone) == {}


def test_an_array_that_stays_away_is_critical_and_names_its_disks(
    lone: Appliance, watcher: Watcher, clock: Clock
) -> None:
    lone.array()
    kept = lone.agent.machine.arrays
    lone.agent.show(arrays=())
    look(watcher, clock)
    assert alerts(lone) == {}, "at boot an array may still be on its way"
    look(watcher, clock, 31)
    with lone.store.read() as tx:
        row = tx.scalars(select(Alert)).one()
    assert row.severity == "critical"
    assert all(f"disk nvme-D{number} (serial D{number})" in row.cause for number in range(1, 5))
    lone.agent.show(arrays=kept)
    look(watcher, clock)
    assert alerts(lone) == {}


def test_an_array_whose_disks_are_there_without_it_says_so(lone: Appliance) -> None:
    """Blank, with something else, with another array; a disk that cannot be read may carry it."""
    lone.array()
    lone.agent.insert(seen.disk(1))
    lone.agent.insert(seen.disk(2, signatures=(seen.EXT4,)))
    lone.agent.insert(seen.disk(3, signatures=(seen.MD_MEMBER,), array_uuid="0" * 32))
    lone.agent.pull("nvme-D4")
    message, is_overwritten = away(lone)
    assert is_overwritten
    assert message == (
        "Array tank is missing: disk nvme-D1 is present but blank; disk nvme-D2 is present, but it carries an ext4 "
        "signature (label data); disk nvme-D3 is present, but it carries a linux_raid_member signature (label "
        "lunette:a1); 1 of its disks is not detected"
    )
    unreadable = Signature(type="unreadable", label=None, uuid=None)
    for number in range(1, 5):
        lone.agent.insert(seen.disk(number, signatures=(unreadable,)))
    assert away(lone) == ("Array tank is missing: its disks are present, but it does not start", False)
    for number in range(1, 5):
        lone.agent.pull(f"nvme-D{number}")
    assert away(lone) == ("Array tank is missing: its disks are not detected", False)


def away(lone: Appliance) -> tuple[str, bool]:
    """What is said of array `tank` while it is not there, and whether that its disks were overwritten."""
    machine = seen.machine(disks=lone.agent.machine.disks)
    with lone.store.read() as tx:
        (cause,) = causes_of(tx.scalars(select(Array)).one(), None, machine)
    return cause.message, "emptied or overwritten" in cause.fix


def test_while_the_agent_is_away_nothing_is_raised_or_resolved(lone: Appliance, watcher: Watcher, clock: Clock) -> None:
    lone.array()
    lone.agent.show_arrays(state=ArrayState.DEGRADED)
    look(watcher, clock)
    lone.agent.away = True
    look(watcher, clock, 100)
    assert list(alerts(lone)) == ["array.health"]


def test_drives_that_come_and_go_are_reported(lone: Appliance, watcher: Watcher, clock: Clock) -> None:
    look(watcher, clock)
    lone.agent.insert(seen.disk(9))
    look(watcher, clock)
    lone.agent.pull("nvme-D1")
    look(watcher, clock)
    assert reported(lone, "disk") == ["Disk nvme-D9 appeared", "Disk nvme-D1 disappeared"]


def test_callers_within_the_age_share_one_request_and_a_change_sends_another(lone: Appliance) -> None:
    now = [0.0]
    cache = ObservationCache(lone.agent, monotonic=lambda: now[0])
    cache.get(2)
    now[0] = 1.9
    cache.get(2)
    assert lone.agent.observed == 1
    now[0] = 2.1
    cache.get(2)
    assert lone.agent.observed == 2
    cache.forget()
    cache.get(2)
    assert lone.agent.observed == 3


def test_a_change_never_plans_on_an_observation_that_began_before_it(lone: Appliance) -> None:
    """The look under way when it asks is not taken: what it passed already may have changed since."""
    cache = ObservationCache(lone.agent, monotonic=lambda: 0.0)
    looking, go_on = threading.Event(), threading.Event()
    original = lone.agent.ask

    class Slow:
        def ask(self, request: Request[Result]) -> Result:
            found = original(request)
            looking.set()
            assert go_on.wait(10)
            return found

    cache._agent = Slow()
    reader = threading.Thread(target=cache.get)
    reader.start()
    assert looking.wait(10)
    answers: list[object] = []
    change = threading.Thread(target=lambda: answers.append(cache.get(0).disk("nvme-D9")))
    change.start()
    lone.agent.insert(seen.disk(9))
    go_on.set()
    reader.join(10)
    change.join(10)
    assert answers == [seen.disk(9)]


def test_an_agent_that_did_not_answer_is_left_alone_for_a_moment(lone: Appliance) -> None:
    now = [0.0]
    cache = ObservationCache(lone.agent, monotonic=lambda: now[0])
    lone.agent.away = True
    with pytest.raises(AgentAway):
        cache.get(2)
    lone.agent.away = False
    with pytest.raises(AgentAway):
        cache.get(2)
    now[0] = 2.1
    assert cache.get(2).disks


def test_an_observation_taken_while_the_machine_changed_is_not_stored(lone: Appliance) -> None:
    cache = ObservationCache(lone.agent, monotonic=lambda: 0.0)
    original = lone.agent.ask

    class Changing:
        def ask(self, request: Request[Result]) -> Result:
            cache.forget()
            return original(request)

    cache._agent = Changing()
    cache.get(2)
    cache.get(2)
    assert lone.agent.observed == 2


def test_watching_a_job_does_not_slow_it_and_shows_all_of_it_at_its_end(lone: Appliance) -> None:
    now = [0.0]
    cache = ObservationCache(lone.agent, monotonic=lambda: now[0])
    original = lone.agent.ask

    class Slow:
        def ask(self, request: Request[Result]) -> Result:
            now[0] += 3.0
            return original(request)

    cache._agent = Slow()
    cache.get(2)
    cache.stepped()
    now[0] += 11.9
    cache.get(2, amid_steps=True)
    assert lone.agent.observed == 1
    now[0] += 0.2
    cache.get(2, amid_steps=True)
    assert lone.agent.observed == 2
    cache.stepped()
    cache.get(2)  # a plan
    assert lone.agent.observed == 3
    cache.stepped()
    cache.forget()  # the job is over
    cache.get(2, amid_steps=True)
    assert lone.agent.observed == 4
