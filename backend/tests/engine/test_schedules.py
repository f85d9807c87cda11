"""Schedules on the real agent over a fake machine: what runs, when, as whom, and what it may delete.

Jobs run in the test's own thread and the clock is the test's, so that every order of events can be had.
"""

import datetime as dt

import pytest
from sqlalchemy import select

from backend.tests.engine.scheduling import ADMIN, DAY, MINUTE, REBUILD_S, Bench
from lunette.domain.errors import Conflict, Invalid
from lunette.domain.identity import IdentitySource
from lunette.domain.jobs import JobState, ResourceState
from lunette.domain.schedules import SchedulePatch
from lunette.domain.snapshots import SnapshotClone, SnapshotCreate
from lunette.engine.background.scheduler import Scheduler
from lunette.engine.changes import schedules, volumes
from lunette.engine.changes import snapshots as snapshots_changes
from lunette.engine.jobs.schedule_run import PATIENCE
from lunette.store.database import Store
from lunette.store.resources import Snapshot, Volume
from lunette.store.schedules import Schedule, ScheduledSnapshot, ScheduleState
from lunette.store.schema import utc_now


@pytest.fixture
def bench(sqlite_store: Store) -> Bench:
    return Bench(sqlite_store)


@pytest.fixture
def both(store: Store) -> Bench:
    """On both databases."""
    return Bench(store)


def midnight(bench: Bench) -> dt.datetime:
    return bench.now.replace(hour=0, minute=0, second=0, microsecond=0) + DAY


def test_a_schedule_takes_snapshots_at_its_time_and_lets_the_oldest_go(both: Bench) -> None:
    first = both.now.replace(minute=0, second=0, microsecond=0) + dt.timedelta(hours=6)
    both.schedule(volumes=["t1", "t2"], when=f"0 {first.hour} * * *")
    both.at(first - MINUTE)
    assert both.snapshots() == []
    for day in range(4):
        both.at(first + day * DAY)
        both.at(first + day * DAY + MINUTE)
    assert (len(both.snapshots("t1")), len(both.snapshots("t2"))) == (2, 2)
    jobs = both.jobs()
    assert [(job.state, job.actor) for job in jobs] == [("succeeded", "schedule nightly")] * 4
    assert {job.actor for kind in ("snapshots.create", "snapshot.delete") for job in both.jobs(kind)} == {
        "schedule nightly"
    }
    assert (len(both.jobs("snapshots.create")), len(both.jobs("snapshot.delete"))) == (8, 4)


def test_only_what_the_schedule_took_itself_is_ever_deleted(bench: Bench) -> None:
    """A snapshot of a name that looks like one of the schedule's, and one of another schedule, stay."""
    for name in ("t1.20200101-030000", "t1.20990101-030000"):
        spec = SnapshotCreate(name=name, volume="t1")
        bench.do(lambda tx, spec=spec: snapshots_changes.take(bench.control.change(tx, ADMIN), spec))
    bench.schedule(keep={"last": 1})
    bench.schedule(name="other", keep={"last": 3})
    for _ in range(3):
        bench.run("nightly")
        bench.run("other")
    names = bench.snapshots()
    assert {"t1.20200101-030000", "t1.20990101-030000"} < set(names)
    assert len(names) == 2 + 1 + 3


def test_a_snapshot_with_clones_stays_and_an_event_says_so_until_the_clone_is_deleted(bench: Bench) -> None:
    bench.schedule(keep={"last": 1})
    bench.run()
    (first,) = bench.snapshots()
    clone = SnapshotClone(name="copy")
    bench.do(lambda tx: snapshots_changes.clone(bench.control.change(tx, ADMIN), first, clone))
    for _ in range(2):
        assert bench.run().state == "succeeded"
    assert first in bench.snapshots()
    assert len(bench.snapshots()) == 2
    assert all(first in words and "clones" in words for words in bench.events("schedule.kept"))
    assert bench.events("schedule.kept")
    bench.do(lambda tx: volumes.delete(bench.control.change(tx, ADMIN), "copy"))
    bench.run()
    assert first not in bench.snapshots()
    assert len(bench.snapshots()) == 1


def test_a_snapshot_that_was_deleted_by_hand_is_not_a_problem(bench: Bench) -> None:
    bench.schedule(keep={"last": 2})
    bench.run()
    bench.run()
    newest = bench.snapshots()[-1]
    bench.do(lambda tx: snapshots_changes.delete(bench.control.change(tx, ADMIN), newest))
    assert bench.run().state == "succeeded"
    assert len(bench.snapshots()) == 2, "the older one counts again, and is not deleted for one that is gone"


def test_a_snapshot_that_vanished_from_the_machine_does_not_stop_the_next_runs(bench: Bench) -> None:
    bench.schedule(keep={"last": 1})
    bench.run()
    mine = bench.backing_name(Snapshot, bench.snapshots()[0])
    (view,) = [view for view in bench.machine.lvm.lvs() if view.lv.name == mine]
    bench.machine.run(["lvremove", "--yes", f"{view.vg.name}/{mine}"])
    assert mine not in bench.lvs()
    assert bench.run().state == "succeeded"
    assert len(bench.snapshots()) == 1


def test_a_volume_that_has_a_snapshots_place_on_the_machine_is_not_taken_for_it(bench: Bench) -> None:
    """Renamed by hand, and another volume under its name: neither is deleted, and the run says what it met."""
    bench.schedule(keep={"last": 1})
    bench.run()
    mine, other = bench.backing_name(Snapshot, bench.snapshots()[0]), bench.backing_name(Volume, "thick")
    group = bench.machine.lvm.lvs()[0].vg.name
    bench.machine.run(["lvrename", group, mine, "kept-by-hand"])
    bench.machine.run(["lvrename", group, other, mine])
    failed = bench.run()
    assert (failed.state, "Delete snapshots" in failed.message) == ("failed", True)
    assert {"kept-by-hand", mine} < bench.lvs()
    assert bench.alerts() == ["The last run of schedule nightly failed"]


def test_a_failed_run_deletes_nothing_raises_an_alert_and_the_next_good_one_takes_it_back(bench: Bench) -> None:
    bench.schedule(volumes=["t1", "t2"], keep={"last": 1})
    bench.run()
    before = bench.snapshots("t1")
    of_t1 = bench.backing_name(Volume, "t1")
    bench.machine.faults.break_calls(lambda call: call.detail.startswith("lvcreate") and of_t1 in call.detail)
    failed = bench.run()
    bench.machine.faults.break_calls(None)
    assert (failed.state, "volume t1" in failed.message) == ("failed", True)
    assert bench.snapshots("t1") == before, "the old one is not given up where there is no new one"
    assert len(bench.snapshots("t2")) == 1
    assert bench.snapshots("t2") != [before[0].replace("t1", "t2")], "the other volume's run went on"
    assert bench.alerts() == ["The last run of schedule nightly failed"]
    assert bench.run().state == "succeeded"
    assert bench.alerts() == []
    assert len(bench.snapshots("t1")) == 1


def test_a_stuck_snapshot_takes_no_place_of_a_good_one(bench: Bench) -> None:
    bench.schedule(keep={"last": 2})
    bench.run()
    bench.run()
    first, second = bench.snapshots()
    with bench.store.write() as tx:
        tx.scalars(select(Snapshot).where(Snapshot.name == second)).one().state = ResourceState.STUCK.value
    bench.run()
    assert (len(bench.snapshots()), first in bench.snapshots()) == (3, True), "two good ones, and one for a person"


def test_less_to_keep_is_reported_in_the_plan_and_done_by_the_next_run(bench: Bench) -> None:
    bench.schedule(keep={"last": 3})
    for _ in range(3):
        bench.run()
    patch = SchedulePatch.model_validate({"keep": {"last": 1}})
    with bench.store.write() as tx:
        outcome = schedules.patch(bench.control.change(tx, ADMIN), "nightly", patch)
    assert "next run deletes" in outcome.plan.warnings[0]
    assert len(bench.snapshots()) == 3
    with bench.store.write() as tx:
        plan = schedules.run(bench.control.change(tx, ADMIN, dry_run=True), "nightly").plan
        tx.rollback()
    assert [change.action for change in plan.changes] == ["create", "destroy", "destroy", "destroy"]
    bench.run()
    assert len(bench.snapshots()) == 1


def test_a_schedule_ends_and_its_snapshots_stay(bench: Bench) -> None:
    bench.schedule()
    bench.run()
    with bench.store.write() as tx:
        assert (
            "1 snapshots remain" in schedules.delete(bench.control.change(tx, ADMIN), "nightly").plan.changes[0].detail
        )
    assert len(bench.snapshots()) == 1
    with bench.store.read() as tx:
        assert tx.scalars(select(ScheduledSnapshot)).all() == []
        assert tx.scalars(select(ScheduleState)).all() == []


def test_two_processes_file_one_run(bench: Bench) -> None:
    bench.schedule()
    other = Scheduler(bench.store, bench.control.services, now=lambda: bench.now)
    bench.now = midnight(bench) + dt.timedelta(hours=3, seconds=5)
    for scheduler in (bench.scheduler, other, bench.scheduler):
        scheduler.round()
    assert len(bench.jobs()) == 1
    bench.drain()
    assert len(bench.snapshots()) == 1


@pytest.mark.parametrize("step", range(6))
def test_a_restart_in_the_middle_of_a_run_neither_repeats_nor_forgets(bench: Bench, step: int) -> None:
    """The process ends after so many jobs had a turn; the next one finds everything in the database."""
    bench.schedule(keep={"last": 1})
    bench.run()
    with bench.store.write() as tx:
        schedules.run(bench.control.change(tx, ADMIN), "nightly")
    for _ in range(step):
        for job_id, kind, _version in bench._unfinished()[:1]:
            bench.runner.run(job_id) if kind == "schedule.run" else bench.control.run_job(job_id)
    bench.start()
    bench.scheduler.round()
    bench.drain()
    assert [job.state for job in bench.jobs()] == ["succeeded", "succeeded"]
    assert len(bench.snapshots()) == 1
    assert len(bench.jobs("snapshots.create")) == 2
    assert len(bench.jobs("snapshot.delete")) == 1
    (only,) = bench.snapshots()
    assert len(bench.lvs() - {"pool"}) == 3 + 1, "nothing is left on the machine that is not in the database"
    assert bench.backing_name(Snapshot, only) in bench.lvs()


def test_runs_missed_while_the_appliance_was_down_are_one_run(bench: Bench) -> None:
    bench.schedule(name="eager", when="0 * * * *", keep={"last": 50})
    bench.schedule(name="calm", when="0 * * * *", keep={"last": 50}, missed="skip")
    bench.at(bench.now + 5 * DAY)
    assert [job.title for job in bench.jobs()] == ["Run schedule eager"]
    assert len(bench.events("schedule.missed")) == 2
    bench.at(bench.now.replace(minute=0, second=1) + dt.timedelta(hours=1))
    assert sorted(job.title for job in bench.jobs()) == ["Run schedule calm", *["Run schedule eager"] * 2]


def test_a_run_is_not_started_while_the_one_before_is_not_over(bench: Bench) -> None:
    bench.schedule(when="* * * * *")
    bench.now = midnight(bench)
    bench.scheduler.round()
    bench.now += MINUTE
    bench.scheduler.round()
    assert len(bench.jobs()) == 1
    assert "has not finished" in bench.events("schedule.skipped")[0]
    with pytest.raises(Conflict, match="is running now"), bench.store.write() as tx:
        schedules.run(bench.control.change(tx, ADMIN), "nightly")
    bench.drain()
    bench.at(bench.now + MINUTE)
    assert len(bench.jobs()) == 2


def test_a_clock_that_was_years_ahead_does_not_silence_a_schedule(bench: Bench) -> None:
    bench.schedule()
    right = midnight(bench)
    bench.at(right + 3000 * DAY)
    assert len(bench.snapshots()) == 1
    bench.at(right)
    assert len(bench.snapshots()) == 1
    assert len(bench.events("schedule.clock_set_back")) == 1
    bench.at(right + dt.timedelta(hours=3, seconds=1))
    assert len(bench.snapshots()) == 2


def test_a_clock_set_back_a_little_repeats_nothing(bench: Bench) -> None:
    bench.schedule()
    first = midnight(bench) + dt.timedelta(hours=3)
    bench.at(first + dt.timedelta(seconds=1))
    for minutes in (-1, 0, 1):
        bench.at(first + minutes * MINUTE)
    assert len(bench.jobs()) == 1


def test_a_temporary_obstacle_is_waited_for(bench: Bench) -> None:
    bench.schedule()
    bench.now = midnight(bench) + dt.timedelta(hours=3, seconds=1)
    bench.agent.away = True
    bench.scheduler.round()
    (job,) = bench.jobs()
    bench.now = job.created_at
    bench.control._cache.forget()
    assert bench.runner.run(job.id) is JobState.RUNNING
    assert bench.alerts() == []
    assert "waiting" in bench.jobs()[0].message
    bench.agent.away = False
    bench.control._cache._failed = None
    bench.drain()
    assert len(bench.snapshots()) == 1


def test_a_lasting_obstacle_is_a_failure(bench: Bench) -> None:
    bench.schedule()
    bench.agent.away = True
    with bench.store.write() as tx:
        schedules.run(bench.control.change(tx, ADMIN), "nightly")
    bench.now = utc_now() + PATIENCE + MINUTE
    bench.control._cache.forget()
    bench.drain()
    (job,) = bench.jobs()
    assert (job.state, "does not answer" in job.message) == ("failed", True)
    assert bench.alerts() == ["The last run of schedule nightly failed"]


def test_a_volume_that_is_deleted_leaves_its_schedules(bench: Bench) -> None:
    bench.schedule(volumes=["t1", "t2"])
    bench.do(lambda tx: volumes.delete(bench.control.change(tx, ADMIN), "t2"))
    assert bench.run().state == "succeeded"
    bench.schedule(name="bare", volumes=["t1"])
    with bench.store.read() as tx:
        mine = select(Snapshot.id).join(Volume).where(Volume.name == "t1")
        snapshots = list(tx.scalars(mine))
    for snapshot in snapshots:
        bench.do(lambda tx, snapshot=snapshot: snapshots_changes.delete(bench.control.change(tx, ADMIN), snapshot))
    bench.do(lambda tx: volumes.delete(bench.control.change(tx, ADMIN), "t1"))
    empty = bench.run("bare")
    assert (empty.state, "nothing to do" in empty.message) == ("failed", True)
    assert bench.alerts() == ["The last run of schedule bare failed"]


def test_a_schedule_deleted_while_it_runs_ends_without_an_alert(bench: Bench) -> None:
    bench.schedule()
    with bench.store.write() as tx:
        schedules.run(bench.control.change(tx, ADMIN), "nightly")
    with bench.store.write() as tx:
        schedules.delete(bench.control.change(tx, ADMIN), "nightly")
    bench.drain()
    assert bench.jobs()[0].state == "failed"
    assert (bench.alerts(), bench.snapshots()) == ([], [])


def test_an_array_is_scrubbed(bench: Bench) -> None:
    bench.agent.bring_up()
    bench.machine.advance(REBUILD_S)
    bench.schedule(name="weekly", action="scrub", volumes=[], arrays=["tank"], keep=None, when="0 4 * * SUN")
    job = bench.run("weekly")
    part = bench.jobs("array.change")
    assert (job.state, [one.actor for one in part]) == ("succeeded", ["schedule weekly"])
    progress = bench.control.observation(0).arrays[0].progress
    assert progress is not None
    assert progress.action == "check"


def test_what_cannot_be_is_refused_when_it_is_made(bench: Bench) -> None:
    for wrong, words in (
        ({"volumes": ["thick"]}, "only thin volumes"),
        ({"volumes": ["nobody"]}, "volume nobody was not found"),
        ({"name": IdentitySource().id()}, "form of an ID"),
    ):
        with pytest.raises(Invalid, match=words):
            bench.schedule(**wrong)
    bench.schedule()
    with pytest.raises(Conflict, match="schedule nightly already exists"):
        bench.schedule()
    with bench.store.read() as tx:
        assert len(tx.scalars(select(Schedule)).all()) == 1
