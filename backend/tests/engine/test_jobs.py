"""Jobs: forward, back, waiting, taken up again, stuck and resolved."""

from contextlib import _GeneratorContextManager

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.tests import seen
from backend.tests.engine.conftest import ADMIN, DISKS, Appliance
from lunette.domain.arrays import ArrayCreate, Level
from lunette.domain.errors import Conflict, Stuck, ToolFailed, Unavailable
from lunette.domain.jobs import JobState, Resolution, ResourceState, StepState
from lunette.domain.sizes import GIB
from lunette.domain.steps import AnyStep
from lunette.engine.changes import arrays, volumes
from lunette.engine.control import Control
from lunette.engine.jobs import resolving
from lunette.store.database import Store
from lunette.store.journal import Alert, Event, Job, JobStep
from lunette.store.resources import Array, ArrayDisk, Volume

REFUSED = ToolFailed("mdadm refused.", log="mdadm: device busy")


def job_of(appliance: Appliance, job_id: str | None) -> Job:
    with appliance.store.read() as tx:
        return tx.get_one(Job, job_id)


def step_states(appliance: Appliance, job_id: str | None) -> list[str]:
    with appliance.store.read() as tx:
        return list(tx.scalars(select(JobStep.state).where(JobStep.job_id == job_id).order_by(JobStep.index)))


def state_of(appliance: Appliance, table: type[Array | Volume], ref: str) -> str | None:
    with appliance.store.read() as tx:
        return tx.scalar(select(table.state).where(table.id == ref))


def run(appliance: Appliance, job_id: str | None) -> JobState:
    assert job_id is not None
    return appliance.control.runner.run(job_id)


def test_a_job_that_succeeds_makes_its_array_ready(appliance: Appliance) -> None:
    outcome = appliance.ask_array()
    assert state_of(appliance, Array, outcome.ids[0]) == ResourceState.CREATING
    assert run(appliance, outcome.job_id) is JobState.SUCCEEDED
    assert state_of(appliance, Array, outcome.ids[0]) == ResourceState.READY
    job = job_of(appliance, outcome.job_id)
    assert (job.steps_done, job.steps_total, job.error) == (2, 2, None)
    assert job.started_at
    assert job.finished_at
    assert step_states(appliance, outcome.job_id) == ["done", "done"]


def test_every_step_reports_its_progress(appliance: Appliance) -> None:
    outcome = appliance.ask_array()
    run(appliance, outcome.job_id)
    with appliance.store.read() as tx:
        reported = [
            event.data for event in tx.scalars(select(Event).where(Event.ref == outcome.job_id).order_by(Event.seq))
        ]
    assert [(data["state"], data["done"]) for data in reported[1:]] == [
        ("running", 0),
        ("running", 1),
        ("running", 2),
        ("succeeded", 2),
    ]


def test_a_refused_first_step_fails_the_job_and_leaves_no_row(appliance: Appliance) -> None:
    appliance.agent.failures["do", "md.create"] = REFUSED
    outcome = appliance.ask_array()
    assert run(appliance, outcome.job_id) is JobState.FAILED
    assert state_of(appliance, Array, outcome.ids[0]) is None
    job = job_of(appliance, outcome.job_id)
    assert job.error is not None
    assert (job.error["type"], job.error["log"]) == ("tool-failed", "mdadm: device busy")
    assert job.message == "the failed step was rolled back"
    appliance.agent.failures.clear()
    assert appliance.array("tank"), "the name and the disks are free again"


def test_a_refused_later_step_is_undone_in_reverse_order(appliance: Appliance) -> None:
    appliance.agent.failures["do", "group.create"] = REFUSED
    outcome = appliance.ask_array()
    assert run(appliance, outcome.job_id) is JobState.UNDONE
    assert appliance.agent.calls == [
        ("do", "md.create"),
        ("do", "group.create"),
        ("undo", "group.create"),
        ("undo", "md.create"),
    ]
    assert appliance.agent.is_clean()
    assert step_states(appliance, outcome.job_id) == ["undone", "undone"]
    with appliance.store.read() as tx:
        assert tx.scalars(select(ArrayDisk)).all() == []


def test_what_was_wiped_stays_wiped_and_the_job_says_so(lone: Appliance) -> None:
    lone.agent.insert(seen.disk(1, signatures=(seen.EXT4,)))
    lone.agent.failures["do", "md.create"] = REFUSED
    with lone.store.write() as tx:
        spec = ArrayCreate(name="tank", level=Level.RAID5, disks=DISKS[:3], wipe=DISKS[:1])
        outcome = arrays.create(lone.control.change(tx, ADMIN), spec)
    assert run(lone, outcome.job_id) is JobState.UNDONE
    job = job_of(lone, outcome.job_id)
    assert "except for irreversible steps: wipe ext4 from disk nvme-D1" in job.message
    assert lone.agent.machine.disks[0].signatures == ()


def test_a_batch_is_rolled_back_whole(appliance: Appliance) -> None:
    appliance.array()
    appliance.agent.failures["do", "volumes.seal"] = REFUSED
    outcome = appliance.ask_volumes("v1", "v2", "v3")
    assert run(appliance, outcome.job_id) is JobState.UNDONE
    assert appliance.agent.machine.volumes == ()
    with appliance.store.read() as tx:
        assert tx.scalars(select(Volume)).all() == []


def test_a_job_waits_while_the_agent_is_away_and_then_continues(lone: Appliance) -> None:
    outcome = lone.ask_array()
    waited: list[float] = []

    def comes_back(seconds: float) -> bool:
        waited.append(seconds)
        assert "waiting for the agent" in job_of(lone, outcome.job_id).message
        lone.agent.away = len(waited) < 3
        return False

    lone.agent.away = True
    lone.control.runner._wait = comes_back
    assert run(lone, outcome.job_id) is JobState.SUCCEEDED
    assert len(waited) == 3


def test_a_database_that_is_busy_makes_no_job_turn_round(lone: Appliance) -> None:
    """The refusal is the database's, not the agent's: the job stays as journaled and is taken up again."""
    outcome = lone.ask_array()

    class BusyOnce(Store):
        is_busy = True

        def write(self) -> _GeneratorContextManager[Session]:
            if self.is_busy and lone.agent.away:
                raise Unavailable("The database is busy with another writer.")
            return super().write()

    busy = BusyOnce(lone.store.engine, lone.store.box)
    control = Control(busy, lone.agent)
    lone.agent.before = lambda _verb, _step: setattr(lone.agent, "away", True)
    with pytest.raises(Unavailable):
        control.runner.run(outcome.job_id or "")
    lone.agent.before, lone.agent.away, busy.is_busy = lambda _verb, _step: None, False, False
    assert control.runner.run(outcome.job_id or "") is JobState.SUCCEEDED


def test_a_missing_tool_is_not_an_absent_agent(lone: Appliance) -> None:
    lone.agent.failures["do", "md.create"] = Unavailable("mdadm is not installed.")
    assert run(lone, lone.ask_array().job_id) is JobState.FAILED


def test_a_stopping_process_leaves_the_job_to_the_next_start(appliance: Appliance) -> None:
    outcome = appliance.ask_array()
    appliance.agent.away = True
    appliance.control.runner._wait = lambda _seconds: True
    assert run(appliance, outcome.job_id) is JobState.RUNNING
    assert step_states(appliance, outcome.job_id) == ["started", "pending"]
    appliance.agent.away = False
    again = Control(appliance.store, appliance.agent)
    assert outcome.job_id
    assert again.runner.run(outcome.job_id) is JobState.SUCCEEDED
    assert state_of(appliance, Array, outcome.ids[0]) == ResourceState.READY


def test_the_started_step_is_journaled_before_the_agent_is_called(appliance: Appliance) -> None:
    outcome = appliance.ask_array()
    at_the_call: list[list[str]] = []

    def look(_verb: str, _step: AnyStep) -> None:
        at_the_call.append(step_states(appliance, outcome.job_id))

    appliance.agent.before = look
    run(appliance, outcome.job_id)
    assert at_the_call == [["started", "pending"], ["done", "started"]]


def test_a_rollback_continues_after_a_restart(appliance: Appliance) -> None:
    outcome = appliance.ask_array()
    appliance.agent.failures["do", "group.create"] = REFUSED

    def die(verb: str, _step: AnyStep) -> None:
        if verb == "undo":
            raise KeyboardInterrupt

    appliance.agent.before = die
    with pytest.raises(KeyboardInterrupt):
        run(appliance, outcome.job_id)
    assert step_states(appliance, outcome.job_id) == ["done", "undoing"]
    appliance.agent.before = lambda _verb, _step: None
    assert run(appliance, outcome.job_id) is JobState.UNDONE
    assert appliance.agent.is_clean()


def make_stuck(appliance: Appliance) -> tuple[str, str]:
    """A creation whose undo fails: (job id, array id)."""
    outcome = appliance.ask_array()
    appliance.agent.failures["do", "group.create"] = REFUSED
    appliance.agent.failures["undo", "md.create"] = ToolFailed("The array is busy.")
    assert run(appliance, outcome.job_id) is JobState.STUCK
    assert outcome.job_id
    return outcome.job_id, outcome.ids[0]


def open_alerts(appliance: Appliance) -> list[str]:
    with appliance.store.read() as tx:
        return list(tx.scalars(select(Alert.key).where(Alert.resolved_at.is_(None))))


def test_a_failed_undo_makes_the_array_stuck_and_raises_an_alert(appliance: Appliance) -> None:
    job_id, array_id = make_stuck(appliance)
    assert state_of(appliance, Array, array_id) == ResourceState.STUCK
    assert step_states(appliance, job_id) == [StepState.UNDO_FAILED, StepState.UNDONE]
    assert open_alerts(appliance) == [f"job.stuck:{job_id}"]
    with pytest.raises(Stuck, match="resolve it"), appliance.store.write() as tx:
        arrays.delete(appliance.control.change(tx, ADMIN), array_id)


def test_retry_continues_the_rollback(appliance: Appliance) -> None:
    job_id, array_id = make_stuck(appliance)
    appliance.agent.failures.clear()
    with appliance.store.write() as tx:
        resolving.resolve(appliance.control.change(tx, ADMIN), job_id, Resolution.RETRY)
    assert run(appliance, job_id) is JobState.UNDONE
    assert appliance.agent.is_clean()
    assert state_of(appliance, Array, array_id) is None
    assert open_alerts(appliance) == []


def test_abandon_forgets_what_was_being_made(appliance: Appliance) -> None:
    job_id, array_id = make_stuck(appliance)
    with appliance.store.write() as tx:
        plan = resolving.resolve(appliance.control.change(tx, ADMIN, dry_run=True), job_id, Resolution.ABANDON).plan
    assert "manually remove" in plan.warnings[0]
    assert state_of(appliance, Array, array_id) == ResourceState.STUCK
    with appliance.store.write() as tx:
        resolving.resolve(appliance.control.change(tx, ADMIN), job_id, Resolution.ABANDON)
    assert state_of(appliance, Array, array_id) is None
    assert job_of(appliance, job_id).state == JobState.FAILED
    assert open_alerts(appliance) == []


def test_a_job_that_is_not_stuck_cannot_be_resolved(lone: Appliance) -> None:
    outcome = lone.finish(lone.ask_array())
    assert outcome.job_id
    with pytest.raises(Conflict, match="only a stuck job"), lone.store.write() as tx:
        resolving.resolve(lone.control.change(tx, ADMIN), outcome.job_id, Resolution.RETRY)


def test_a_failed_deletion_makes_the_array_ready_again(appliance: Appliance) -> None:
    array_id = appliance.array()
    appliance.agent.failures["do", "md.destroy"] = REFUSED
    with appliance.store.write() as tx:
        outcome = arrays.delete(appliance.control.change(tx, ADMIN), "tank")
    assert run(appliance, outcome.job_id) is JobState.UNDONE
    assert state_of(appliance, Array, array_id) == ResourceState.READY
    assert appliance.agent.machine.groups, "the group was made again"


def test_a_stuck_deletion_that_is_retried_finishes_the_deletion(appliance: Appliance) -> None:
    array_id = appliance.array()
    appliance.agent.failures["do", "md.destroy"] = REFUSED
    appliance.agent.failures["undo", "group.remove"] = REFUSED
    with appliance.store.write() as tx:
        outcome = arrays.delete(appliance.control.change(tx, ADMIN), array_id)
    assert run(appliance, outcome.job_id) is JobState.STUCK
    appliance.agent.failures.clear()
    with appliance.store.write() as tx:
        resolving.resolve(appliance.control.change(tx, ADMIN), outcome.job_id or "", Resolution.RETRY)
    assert run(appliance, outcome.job_id) is JobState.SUCCEEDED
    assert appliance.agent.is_clean()
    assert state_of(appliance, Array, array_id) is None


def test_deleting_a_volume_waits_for_its_export_then_retains_it(appliance: Appliance) -> None:
    appliance.array()
    (volume_id,) = appliance.volumes("v1", size=2 * GIB)
    with appliance.store.write() as tx:
        outcome = volumes.delete(appliance.control.change(tx, ADMIN), "v1")
    assert [step.kind for step in outcome.plan.steps] == ["exports.gone", "volume.set_aside"]
    assert outcome.plan.bytes_destroyed() == 0
    assert run(appliance, outcome.job_id) is JobState.SUCCEEDED
    assert [volume.name[0] for volume in appliance.agent.machine.volumes] == ["d"]
    assert state_of(appliance, Volume, volume_id) is None
