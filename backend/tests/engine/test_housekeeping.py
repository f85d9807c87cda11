"""History goes when it is old, in small transactions, and a clock that is wrong takes nothing away at once."""

import datetime as dt

from sqlalchemy import select

from lunette.engine.background import housekeeping
from lunette.engine.background.housekeeping import Housekeeper
from lunette.store.database import Store
from lunette.store.events import emit
from lunette.store.journal import Alert, Event, Job, JobStep
from lunette.store.resources import DiskReading
from lunette.store.schema import utc_now
from lunette.store.undo import KeptState

NOW = utc_now().replace(microsecond=0)
DAY = dt.timedelta(days=1)


class Clocks:
    """What the wall says, and how long the process runs."""

    def __init__(self) -> None:
        self.wall, self.ran_s = NOW, 0.0

    def housekeeper(self, store: Store) -> Housekeeper:
        return Housekeeper(store, lambda: self.wall, lambda: self.ran_s)


def event(store: Store, kind: str, age: dt.timedelta) -> None:
    with store.write() as tx:
        emit(tx, kind, f"{kind} {age.days}").at = NOW - age


def events(store: Store) -> list[str]:
    with store.read() as tx:
        return [row.message for row in tx.scalars(select(Event).order_by(Event.at))]


def job(store: Store, name: str, state: str, age: dt.timedelta) -> None:
    with store.write() as tx:
        shape = {"kind": "array.create", "resource_kind": "array", "resource_ids": [], "plan": {}, "actor": "admin"}
        at = NOW - age
        tx.add(Job(id=name, title=name, state=state, steps_total=1, created_at=at, finished_at=at, **shape))
        tx.flush()
        tx.add(JobStep(job_id=name, index=0, kind="md.create", title="one", payload={}))


def test_what_is_older_than_the_settings_allow_is_deleted_and_nothing_else(store: Store) -> None:
    for kind, age in (("host.created", 401 * DAY), ("host.created", 399 * DAY), ("job.progress", 8 * DAY)):
        event(store, kind, age)
    event(store, "job.progress", 6 * DAY)
    for name, state, days in (("old", "succeeded", 401), ("stuck", "stuck", 401), ("young", "failed", 399)):
        job(store, name, state, days * DAY)
    with store.write() as tx:
        shape = {"severity": "warning", "message": "m", "cause": "c", "fix": "f", "raised_at": NOW - 500 * DAY}
        tx.add_all(
            [
                Alert(id="1", key="gone", resolved_at=NOW - 401 * DAY, **shape),
                Alert(id="2", key="stands", resolved_at=None, **shape),
            ]
        )
        oldest = tx.scalars(select(Event).order_by(Event.at)).first()
        assert oldest is not None
        tx.add(KeptState(event_seq=oldest.seq, noun="host", sealed="x"))
        for days in (401, 399):
            at = NOW - days * DAY
            reported = {"serial": "S", "state": "ok", "told": "{}", "read_at": at, "day": at.date().isoformat()}
            tx.add(DiskReading(disk_id=f"d{days}", **reported))
    Clocks().housekeeper(store).round()
    assert events(store) == ["host.created 399", "job.progress 6"]
    with store.read() as tx:
        assert set(tx.scalars(select(Job.id))) == {"stuck", "young"}
        assert set(tx.scalars(select(JobStep.job_id))) == {"stuck", "young"}
        assert tx.scalars(select(Alert.key)).all() == ["stands"]
        assert tx.scalars(select(DiskReading.disk_id)).all() == ["d399"]
        assert tx.scalars(select(KeptState.event_seq)).all() == []


def test_more_than_a_batch_is_deleted_in_one_round(sqlite_store: Store) -> None:
    with sqlite_store.write() as tx:
        for number in range(2 * housekeeping.BATCH + 1):
            emit(tx, "host.created", str(number)).at = NOW - 500 * DAY
        emit(tx, "host.created", "young")
    Clocks().housekeeper(sqlite_store).round()
    assert events(sqlite_store) == ["young"]


def test_a_clock_that_leaps_ahead_takes_nothing_away_at_once(sqlite_store: Store) -> None:
    clocks = Clocks()
    keeper = clocks.housekeeper(sqlite_store)
    event(sqlite_store, "host.created", 399 * DAY)
    keeper.round()
    clocks.wall += 3650 * DAY
    clocks.ran_s += 3600
    keeper.round()
    assert events(sqlite_store) == ["host.created 399"]
    clocks.wall = NOW + DAY  # the clock was corrected
    clocks.ran_s += 3600
    keeper.round()
    assert events(sqlite_store) == ["host.created 399"]
    clocks.wall, clocks.ran_s = NOW + 2 * DAY, clocks.ran_s + DAY.total_seconds()
    keeper.round()
    assert events(sqlite_store) == []


def test_a_clock_that_is_set_back_takes_nothing_back(sqlite_store: Store) -> None:
    clocks = Clocks()
    keeper = clocks.housekeeper(sqlite_store)
    keeper.round()
    clocks.wall -= 900 * DAY
    event(sqlite_store, "host.created", 600 * DAY)
    keeper.round()
    assert events(sqlite_store) == ["host.created 600"]


def test_a_clock_that_was_far_back_for_an_hour_makes_nothing_stay(sqlite_store: Store) -> None:
    clocks = Clocks()
    keeper = clocks.housekeeper(sqlite_store)
    keeper.round()
    event(sqlite_store, "host.created", 401 * DAY)
    for wall, hours in ((NOW - 9000 * DAY, 1), (NOW, 1)):
        clocks.wall, clocks.ran_s = wall, clocks.ran_s + hours * 3600
        keeper.round()
    assert events(sqlite_store) == []
