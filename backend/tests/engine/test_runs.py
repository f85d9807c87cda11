"""Steps of one kind that follow one another are requested together: fewer requests, and the same journal."""

from collections import Counter

import pytest
from sqlalchemy import select

from backend.tests.engine.conftest import ADMIN, Appliance
from lunette.domain.agent_protocol import MOST_STEPS, StepsReply
from lunette.domain.errors import Conflict, ToolFailed
from lunette.domain.jobs import JobState, StepState
from lunette.domain.settings import SettingsPatch
from lunette.domain.sizes import MIB
from lunette.domain.steps import AnyManyStep, AnyStep, ExportsGone, VolumeCut, VolumeDelete, VolumesSeal
from lunette.domain.volumes import VolumeEngine
from lunette.engine.changes import settings, volume_batches
from lunette.engine.jobs.runs import runs
from lunette.store.journal import Job, JobStep
from lunette.store.resources import Volume


def cut(number: int, group: str = "lunette-a", engine: VolumeEngine = VolumeEngine.LVM) -> VolumeCut:
    return VolumeCut(volume_id=f"v{number}", group=group, backing_name=f"v{number}", size_bytes=4096, engine=engine)


def test_a_run_has_one_kind_one_group_one_engine_and_a_limit() -> None:
    seal = VolumesSeal.of([cut(1)])
    steps: list[AnyStep] = [
        ExportsGone(volume_ids=("v",), deadline_s=1.0),
        *(cut(1), cut(2)),
        *(cut(3, "lunette-b"), cut(4, "lunette-b", VolumeEngine.ZVOL)),
        *(seal, seal),
    ]
    assert runs(steps, range(len(steps))) == [(0,), (1, 2), (3,), (4,), (5,), (6,)]
    assert runs(steps, [1, 5]) == [(1,), (5,)]
    assert runs(steps, []) == []
    many = [cut(number) for number in range(2 * MOST_STEPS + 1)]
    assert [len(run) for run in runs(many, range(len(many)))] == [MOST_STEPS, MOST_STEPS, 1]


def journal(appliance: Appliance, job_id: str | None) -> list[JobStep]:
    with appliance.store.read() as tx:
        return list(tx.scalars(select(JobStep).where(JobStep.job_id == job_id).order_by(JobStep.index)))


def run(appliance: Appliance, job_id: str | None) -> JobState:
    assert job_id
    return appliance.control.runner.run(job_id)


def test_a_batch_takes_few_requests_and_every_volume_has_its_step(appliance: Appliance) -> None:
    appliance.array()
    asked = Counter(appliance.agent.requests)
    names = [f"v{number}" for number in range(MOST_STEPS + 10)]
    outcome = appliance.ask_volumes(*names, size=4 * MIB)
    assert run(appliance, outcome.job_id) is JobState.SUCCEEDED
    made = Counter(appliance.agent.requests) - asked
    assert (made["do_steps"], made["do_step"]) == (2, 1), "two runs of volumes, and the seal"
    steps = journal(appliance, outcome.job_id)
    assert len(steps) == len(names) + 1
    assert {step.state for step in steps} == {StepState.DONE}
    assert len(appliance.agent.machine.volumes) == len(names)


def test_the_refused_step_of_a_run_is_named_and_the_whole_job_is_rolled_back(appliance: Appliance) -> None:
    appliance.array()
    outcome = appliance.ask_volumes("v1", "v2", "v3", "v4")
    third = outcome.plan.steps[2]

    def refuse(verb: str, step: AnyStep) -> None:
        if verb == "do" and step == third:
            raise Conflict("its name is taken")

    appliance.agent.before = refuse
    assert run(appliance, outcome.job_id) is JobState.UNDONE
    steps = journal(appliance, outcome.job_id)
    assert [step.error and step.error["detail"] for step in steps] == [None, None, "its name is taken", None, None]
    assert [step.state for step in steps] == [*[StepState.UNDONE] * 4, StepState.PENDING]
    assert appliance.agent.machine.volumes == ()
    with appliance.store.read() as tx:
        assert tx.scalars(select(Volume)).all() == []


def ask_to_delete(appliance: Appliance, *names: str) -> str:
    with appliance.store.write() as tx:
        settings.patch(appliance.control.change(tx, ADMIN), SettingsPatch(deleted_keep_hours=0))
    with appliance.store.write() as tx:
        outcome = volume_batches.delete(appliance.control.change(tx, ADMIN), names)
    assert outcome.job_id
    return outcome.job_id


def test_a_tool_that_fails_amid_a_deletion_is_asked_again_for_what_is_left(appliance: Appliance) -> None:
    appliance.array()
    appliance.volumes("v1", "v2", "v3", "v4")
    job_id = ask_to_delete(appliance, "v1", "v2", "v3", "v4")
    asked = list[str]()

    def fails_once(verb: str, step: AnyStep) -> None:
        if isinstance(step, VolumeDelete):
            asked.append(step.volume_id)
            if len(asked) == 3:
                raise ToolFailed("lvm refused")

    appliance.agent.before = fails_once
    appliance.control.runner._wait = lambda _seconds: False
    assert run(appliance, job_id) is JobState.SUCCEEDED
    assert Counter(Counter(asked).values()) == {1: 3, 2: 1}, "only the refused one was asked for twice"
    assert appliance.agent.machine.volumes == ()


def test_a_deletion_that_cannot_go_on_forgets_what_is_gone_and_keeps_the_rest(appliance: Appliance) -> None:
    appliance.array()
    ids = appliance.volumes("v1", "v2", "v3", "v4")
    job_id = ask_to_delete(appliance, "v1", "v2", "v3", "v4")

    def fails(verb: str, step: AnyStep) -> None:
        if isinstance(step, VolumeDelete) and step.volume_id == ids[2]:
            raise ToolFailed("lvm refused")

    appliance.agent.before = fails
    appliance.control.runner._wait = lambda _seconds: False
    assert run(appliance, job_id) is JobState.UNDONE
    with appliance.store.read() as tx:
        assert {row.id: row.state for row in tx.scalars(select(Volume))} == dict.fromkeys(ids[2:], "ready")
        assert "irreversible steps" in tx.get_one(Job, job_id).message


@pytest.mark.parametrize("answered", [0, 2])
def test_an_agent_that_leaves_steps_out_fails_the_job(
    appliance: Appliance, answered: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    appliance.array()
    outcome = appliance.ask_volumes("v1", "v2", "v3", "v4")
    whole = appliance.agent.do_steps

    def leaves_out(job_id: str, steps: tuple[AnyManyStep, ...]) -> StepsReply:
        return StepsReply(replies=whole(job_id, steps).replies[:answered])

    monkeypatch.setattr(appliance.agent, "do_steps", leaves_out)
    assert run(appliance, outcome.job_id) is (JobState.UNDONE if answered else JobState.FAILED)
    failed = journal(appliance, outcome.job_id)[answered]
    assert failed.error
    assert "did not answer for this step" in failed.error["detail"]
    assert appliance.agent.machine.volumes == ()
