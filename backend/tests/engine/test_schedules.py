"""Schedules on the real agent over a fake machine: what runs, when, as whom, and what it may delete.

Jobs run in the test's own thread and the clock is the test's, so that every order of events can be had.
"""

import datetime as dt

import pytest
from sqlalchemy import select

from backend.tests.engine.scheduling import ADMIN, DAY, MINUTE, REBUILD_S, Rig
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
def rig(sqlite_store: Store) -> Rig:
    return Rig(sqlite_store)


@pytest.fixture
def both(store: Store) -> Rig:
    """On both databases."""
    return Rig(store)


def midnight(rig: Rig) -> dt.datetime:
    return rig.now.replace(hour=0, minute=0, second=0, microsecond=0) + DAY


def test_a_schedule_takes_snapshots_at_its_time_and_lets_the_oldest_go(both: Rig) -> None:
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


def test_only_what_the_schedule_took_itself_is_ever_deleted(rig: Rig) -> None:
    """A snapshot of a name that looks like one of the schedule's, and one of another schedule, stay."""
    for name in ("t1.20200101-030000", "t1.20990101-030000"):
        spec = SnapshotCreate(name=name, volume="t1")
        rig.do(lambda tx, spec=spec: snapshots_changes.take(rig.control.change(tx, ADMIN), spec))
    rig.schedule(keep={"last": 1})
    rig.schedule(name="other", keep={"last": 3})
    for _ in range(3):
        rig.run("nightly")
        rig.run("other")
    names = rig.snapshots()
    assert {"t1.20200101-030000", "t1.20990101-030000"} < set(names)
    assert len(names) == 2 + 1 + 3


def test_a_snapshot_with_clones_stays_and_an_event_says_so_until_the_clone_is_deleted(rig: Rig) -> None:
    rig.schedule(keep={"last": 1})
    rig.run()
    (first,) = rig.snapshots()
    clone = SnapshotClone(name="copy")
    rig.do(lambda tx: snapshots_changes.clone(rig.control.change(tx, ADMIN), first, clone))
    for _ in range(2):
        assert rig.run().state == "succeeded"
    assert first in rig.snapshots()
    assert len(rig.snapshots()) == 2
    assert all(first in words and "clones" in words for words in rig.events("schedule.kept"))
    assert rig.events("schedule.kept")
    rig.do(lambda tx: volumes.delete(rig.control.change(tx, ADMIN), "copy"))
    rig.run()
    assert first not in rig.snapshots()
    assert len(rig.snapshots()) == 1


def test_a_snapshot_that_was_deleted_by_hand_is_not_a_problem(rig: Rig) -> None:
    rig.schedule(keep={"last": 2})
    rig.run()
    rig.run()
    newest = rig.snapshots()[-1]
    rig.do(lambda tx: snapshots_changes.delete(rig.control.change(tx, ADMIN), newest))
    assert rig.run().state == "succeeded"
    assert len(rig.snapshots()) == 2, "the older one counts again, and is not deleted for one that is gone"


def test_a_snapshot_that_vanished_from_the_machine_does_not_stop_the_next_runs(rig: Rig) -> None:
    rig.schedule(keep={"last": 1})
    rig.run()
    mine = rig.backing_name(Snapshot, rig.snapshots()[0])
    (view,) = [view for view in rig.machine.lvm.lvs() if view.lv.name == mine]
    rig.machine.run(["lvremove", "--yes", f"{view.vg.name}/{mine}"])
    assert mine not in rig.lvs()
    assert rig.run().state == "succeeded"
    assert len(rig.snapshots()) == 1


def test_a_volume_that_has_a_snapshots_place_on_the_machine_is_not_taken_for_it(rig: Rig) -> None:
    """Renamed by hand, and another volume under its name: neither is deleted, and the run says what it met."""
    rig.schedule(keep={"last": 1})
    rig.run()
    mine, other = rig.backing_name(Snapshot, rig.snapshots()[0]), rig.backing_name(Volume, "thick")
    group = rig.machine.lvm.lvs()[0].vg.name
    rig.machine.run(["lvrename", group, mine, "kept-by-hand"])
    rig.machine.run(["lvrename", group, other, mine])
    failed = rig.run()
    assert (failed.state, "Delete snapshots" in failed.message) == ("failed", True)
    assert {"kept-by-hand", mine} < rig.lvs()
    assert rig.alerts() == ["The last run of schedule nightly failed"]


def test_a_failed_run_deletes_nothing_raises_an_alert_and_the_next_good_one_takes_it_back(rig: Rig) -> None:
    rig.schedule(volumes=["t1", "t2"], keep={"last": 1})
    rig.run()
    before = rig.snapshots("t1")
    of_t1 = rig.backing_name(Volume, "t1")
    rig.machine.faults.break_calls(lambda call: call.detail.startswith("lvcreate") and of_t1 in call.detail)
    failed = rig.run()
    rig.machine.faults.break_calls(None)
    assert (failed.state, "volume t1" in failed.message) == ("failed", True)
    assert rig.snapshots("t1") == before, "the old one is not given up where there is no new one"
    assert len(rig.snapshots("t2")) == 1
    assert rig.snapshots("t2") != [before[0].replace("t1", "t2")], "the other volume's run went on"
    assert rig.alerts() == ["The last run of schedule nightly failed"]
    assert rig.run().state == "succeeded"
    assert rig.alerts() == []
    assert len(rig.snapshots("t1")) == 1


def test_a_stuck_snapshot_takes_no_place_of_a_good_one(rig: Rig) -> None:
    rig.schedule(keep={"last": 2})
    rig.run()
    rig.run()
    first, second = rig.snapshots()
    with rig.store.write() as tx:
        tx.scalars(select(Snapshot).where(Snapshot.name == second)).one().state = ResourceState.STUCK.value
    rig.run()
    assert (len(rig.snapshots()), first in rig.snapshots()) == (3, True), "two good ones, and one for a person"


def test_less_to_keep_is_reported_in_the_plan_and_done_by_the_next_run(rig: Rig) -> None:
    rig.schedule(keep={"last": 3})
    for _ in range(3):
        rig.run()
    patch = SchedulePatch.model_validate({"keep": {"last": 1}})
    with rig.store.write() as tx:
        outcome = schedules.patch(rig.control.change(tx, ADMIN), "nightly", patch)
    assert "next run deletes" in outcome.plan.warnings[0]
    assert len(rig.snapshots()) == 3
    with rig.store.write() as tx:
        plan = schedules.run(rig.control.change(tx, ADMIN, dry_run=True), "nightly").plan
        tx.rollback()
    assert [change.action for change in plan.changes] == ["create", "destroy", "destroy", "destroy"]
    rig.run()
    assert len(rig.snapshots()) == 1


def test_a_schedule_ends_and_its_snapshots_stay(rig: Rig) -> None:
    rig.schedule()
    rig.run()
    with rig.store.write() as tx:
        assert "1 snapshots remain" in schedules.delete(rig.control.change(tx, ADMIN), "nightly").plan.changes[0].detail
    assert len(rig.snapshots()) == 1
    with rig.store.read() as tx:
        assert tx.scalars(select(ScheduledSnapshot)).all() == []
        assert tx.scalars(select(ScheduleState)).all() == []


def test_two_processes_file_one_run(rig: Rig) -> None:
    rig.schedule()
    other = Scheduler(rig.store, rig.control.services, now=lambda: rig.now)
    rig.now = midnight(rig) + dt.timedelta(hours=3, seconds=5)
    for scheduler in (rig.scheduler, other, rig.scheduler):
        scheduler.round()
    assert len(rig.jobs()) == 1
    rig.drain()
    assert len(rig.snapshots()) == 1


@pytest.mark.parametrize("step", range(6))
def test_a_restart_in_the_middle_of_a_run_neither_repeats_nor_forgets(rig: Rig, step: int) -> None:
    """The process ends after so many jobs had a turn; the next one finds everything in the database."""
    rig.schedule(keep={"last": 1})
    rig.run()
    with rig.store.write() as tx:
        schedules.run(rig.control.change(tx, ADMIN), "nightly")
    for _ in range(step):
        for job_id, kind, _version in rig._unfinished()[:1]:
            rig.runner.run(job_id) if kind == "schedule.run" else rig.control.run_job(job_id)
    rig.start()
    rig.scheduler.round()
    rig.drain()
    assert [job.state for job in rig.jobs()] == ["succeeded", "succeeded"]
    assert len(rig.snapshots()) == 1
    assert len(rig.jobs("snapshots.create")) == 2
    assert len(rig.jobs("snapshot.delete")) == 1
    (only,) = rig.snapshots()
    assert len(rig.lvs() - {"pool"}) == 3 + 1, "nothing is left on the machine that is not in the database"
    assert rig.backing_name(Snapshot, only) in rig.lvs()


def test_runs_missed_while_the_appliance_was_down_are_one_run(rig: Rig) -> None:
    rig.schedule(name="eager", when="0 * * * *", keep={"last": 50})
    rig.schedule(name="calm", when="0 * * * *", keep={"last": 50}, missed="skip")
    rig.at(rig.now + 5 * DAY)
    assert [job.title for job in rig.jobs()] == ["Run schedule eager"]
    assert len(rig.events("schedule.missed")) == 2
    rig.at(rig.now.replace(minute=0, second=1) + dt.timedelta(hours=1))
    assert sorted(job.title for job in rig.jobs()) == ["Run schedule calm", *["Run schedule eager"] * 2]


def test_a_run_is_not_started_while_the_one_before_is_not_over(rig: Rig) -> None:
    rig.schedule(when="* * * * *")
    rig.now = midnight(rig)
    rig.scheduler.round()
    rig.now += MINUTE
    rig.scheduler.round()
    assert len(rig.jobs()) == 1
    assert "has not finished" in rig.events("schedule.skipped")[0]
    with pytest.raises(Conflict, match="is running now"), rig.store.write() as tx:
        schedules.run(rig.control.change(tx, ADMIN), "nightly")
    rig.drain()
    rig.at(rig.now + MINUTE)
    assert len(rig.jobs()) == 2


def test_a_clock_that_was_years_ahead_does_not_silence_a_schedule(rig: Rig) -> None:
    rig.schedule()
    right = midnight(rig)
    rig.at(right + 3000 * DAY)
    assert len(rig.snapshots()) == 1
    rig.at(right)
    assert len(rig.snapshots()) == 1
    assert len(rig.events("schedule.clock_set_back")) == 1
    rig.at(right + dt.timedelta(hours=3, seconds=1))
    assert len(rig.snapshots()) == 2


def test_a_clock_set_back_a_little_repeats_nothing(rig: Rig) -> None:
    rig.schedule()
    first = midnight(rig) + dt.timedelta(hours=3)
    rig.at(first + dt.timedelta(seconds=1))
    for minutes in (-1, 0, 1):
        rig.at(first + minutes * MINUTE)
    assert len(rig.jobs()) == 1


def test_a_temporary_obstacle_is_waited_for(rig: Rig) -> None:
    rig.schedule()
    rig.now = midnight(rig) + dt.timedelta(hours=3, seconds=1)
    rig.agent.away = True
    rig.scheduler.round()
    (job,) = rig.jobs()
    rig.now = job.created_at
    rig.control._cache.forget()
    assert rig.runner.run(job.id) is JobState.RUNNING
    assert rig.alerts() == []
    assert "waiting" in rig.jobs()[0].message
    rig.agent.away = False
    rig.control._cache._failed = None
    rig.drain()
    assert len(rig.snapshots()) == 1


def test_a_lasting_obstacle_is_a_failure(rig: Rig) -> None:
    rig.schedule()
    rig.agent.away = True
    with rig.store.write() as tx:
        schedules.run(rig.control.change(tx, ADMIN), "nightly")
    rig.now = utc_now() + PATIENCE + MINUTE
    rig.control._cache.forget()
    rig.drain()
    (job,) = rig.jobs()
    assert (job.state, "does not answer" in job.message) == ("failed", True)
    assert rig.alerts() == ["The last run of schedule nightly failed"]


def test_a_volume_that_is_deleted_leaves_its_schedules(rig: Rig) -> None:
    rig.schedule(volumes=["t1", "t2"])
    rig.do(lambda tx: volumes.delete(rig.control.change(tx, ADMIN), "t2"))
    assert rig.run().state == "succeeded"
    rig.schedule(name="bare", volumes=["t1"])
    with rig.store.read() as tx:
        mine = select(Snapshot.id).join(Volume).where(Volume.name == "t1")
        snapshots = list(tx.scalars(mine))
    for snapshot in snapshots:
        rig.do(lambda tx, snapshot=snapshot: snapshots_changes.delete(rig.control.change(tx, ADMIN), snapshot))
    rig.do(lambda tx: volumes.delete(rig.control.change(tx, ADMIN), "t1"))
    empty = rig.run("bare")
    assert (empty.state, "nothing to do" in empty.message) == ("failed", True)
    assert rig.alerts() == ["The last run of schedule bare failed"]


def test_a_schedule_deleted_while_it_runs_ends_without_an_alert(rig: Rig) -> None:
    rig.schedule()
    with rig.store.write() as tx:
        schedules.run(rig.control.change(tx, ADMIN), "nightly")
    with rig.store.write() as tx:
        schedules.delete(rig.control.change(tx, ADMIN), "nightly")
    rig.drain()
    assert rig.jobs()[0].state == "failed"
    assert (rig.alerts(), rig.snapshots()) == ([], [])


def test_an_array_is_scrubbed(rig: Rig) -> None:
    rig.agent.bring_up()
    rig.machine.advance(REBUILD_S)
    rig.schedule(name="weekly", action="scrub", volumes=[], arrays=["tank"], keep=None, when="0 4 * * SUN")
    job = rig.run("weekly")
    part = rig.jobs("array.change")
    assert (job.state, [one.actor for one in part]) == ("succeeded", ["schedule weekly"])
    progress = rig.control.observation(0).arrays[0].progress
    assert progress is not None
    assert progress.action == "check"


def test_what_cannot_be_is_refused_when_it_is_made(rig: Rig) -> None:
    for wrong, words in (
        ({"volumes": ["thick"]}, "only thin volumes"),
        ({"volumes": ["nobody"]}, "volume nobody was not found"),
        ({"name": IdentitySource().id()}, "form of an ID"),
    ):
        with pytest.raises(Invalid, match=words):
            rig.schedule(**wrong)
    rig.schedule()
    with pytest.raises(Conflict, match="schedule nightly already exists"):
        rig.schedule()
    with rig.store.read() as tx:
        assert len(tx.scalars(select(Schedule)).all()) == 1
