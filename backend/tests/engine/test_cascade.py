"""A deletion with what prevents it: power cuts between its steps, and what changed before it was rolled back."""

import pytest
from sqlalchemy import select

from backend.tests.engine.conftest import ADMIN, Appliance
from backend.tests.engine.test_jobs import REFUSED, run, step_states
from lunette.domain.jobs import JobState, ResourceState
from lunette.domain.mappings import MappingCreate
from lunette.domain.steps import AnyStep
from lunette.engine.changes import arrays, hosts, volume_batches
from lunette.engine.context.outcome import Outcome
from lunette.engine.control import Control
from lunette.store.journal import Event
from lunette.store.resources import Array, DeletedVolume, Mapping, Volume


@pytest.fixture
def shared(lone: Appliance) -> Appliance:
    """Volumes `a` and `b`, both mapped to `h1`, `a` to `h2` too."""
    lone.array()
    lone.volumes("a", "b")
    lone.host("h1")
    lone.host("h2")
    lone.map(
        MappingCreate(volume="a", host="h1"),
        MappingCreate(volume="b", host="h1"),
        MappingCreate(volume="a", host="h2", shared=True),
    )
    lone.converge()
    return lone


def delete_volumes(appliance: Appliance, *names: str) -> Outcome:
    with appliance.store.write() as tx:
        outcome = volume_batches.delete(appliance.control.change(tx, ADMIN), names, cascade=True)
    appliance.converge()
    return outcome


def delete_array(appliance: Appliance) -> Outcome:
    with appliance.store.write() as tx:
        ref = tx.scalars(select(Array.id)).one()
        outcome = arrays.delete(appliance.control.change(tx, ADMIN), ref, cascade=True)
    appliance.converge()
    return outcome


def mapped(appliance: Appliance) -> set[tuple[str, str | None, int]]:
    with appliance.store.read() as tx:
        return {(row.id, row.host_id, row.lun) for row in tx.scalars(select(Mapping))}


def kinds(appliance: Appliance) -> set[str]:
    with appliance.store.read() as tx:
        return set(tx.scalars(select(Event.kind)))


def die_at(appliance: Appliance, verb: str, number: int) -> None:
    """The power fails as the agent is asked for this step, counted from 1."""
    asked = list[str]()

    def before(which: str, _step: AnyStep) -> None:
        asked.append(which)
        if asked.count(verb) == number and which == verb:
            raise KeyboardInterrupt

    appliance.agent.before = before


def restarted(appliance: Appliance, outcome: Outcome) -> JobState:
    appliance.agent.before = lambda _verb, _step: None
    return Control(appliance.store, appliance.agent).runner.run(outcome.job_id or "")


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_power_cut_at_any_step_and_the_deletion_goes_on(shared: Appliance, number: int) -> None:
    outcome = delete_volumes(shared, "a", "b")
    die_at(shared, "do", number)
    with pytest.raises(KeyboardInterrupt):
        run(shared, outcome.job_id)
    assert restarted(shared, outcome) is JobState.SUCCEEDED
    with shared.store.read() as tx:
        assert set(tx.scalars(select(DeletedVolume.name))) == {"a", "b"}
        assert tx.scalars(select(Volume.id)).all() == []
    assert mapped(shared) == set()
    assert "mapping.restored" not in kinds(shared)


@pytest.mark.parametrize("number", [1, 2])
def test_a_power_cut_while_it_is_rolled_back_and_every_mapping_is_restored(shared: Appliance, number: int) -> None:
    before = mapped(shared)
    outcome = delete_volumes(shared, "a", "b")
    assert mapped(shared) == set()
    done = list[AnyStep]()

    def refuse_the_second(verb: str, step: AnyStep) -> None:
        done.append(step)
        if verb == "do" and step.kind == "volume.set_aside" and len(done) == 3:
            raise REFUSED
        if verb == "undo" and len(done) == 3 + number:
            raise KeyboardInterrupt

    shared.agent.before = refuse_the_second
    with pytest.raises(KeyboardInterrupt):
        run(shared, outcome.job_id)
    assert mapped(shared) == set()
    assert restarted(shared, outcome) is JobState.UNDONE
    assert mapped(shared) == before
    with shared.store.read() as tx:
        assert set(tx.scalars(select(Volume.state))) == {ResourceState.READY.value}
    shared.converge()
    assert shared.agent.wanted
    assert len(shared.agent.wanted.volumes) == 2


def test_what_is_gone_before_the_roll_back_is_not_mapped_again(shared: Appliance) -> None:
    outcome = delete_volumes(shared, "a")
    with shared.store.write() as tx:
        h2 = "h2"
        hosts.delete(shared.control.change(tx, ADMIN), h2)
    shared.agent.failures["do", "volume.set_aside"] = REFUSED
    assert run(shared, outcome.job_id) is JobState.UNDONE
    assert len(mapped(shared)) == 2
    assert {"mapping.restored", "mapping.restore_failed"} <= kinds(shared)


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_a_power_cut_at_any_step_and_an_array_goes_with_its_volumes(shared: Appliance, number: int) -> None:
    outcome = delete_array(shared)
    die_at(shared, "do", number)
    with pytest.raises(KeyboardInterrupt):
        run(shared, outcome.job_id)
    assert "started" in step_states(shared, outcome.job_id)
    assert restarted(shared, outcome) is JobState.SUCCEEDED
    with shared.store.read() as tx:
        for table in (Array, Volume, DeletedVolume, Mapping):
            assert tx.scalars(select(table.__table__.c.id)).all() == []


def test_an_array_that_is_not_destroyed_has_its_volumes_and_mappings_again(shared: Appliance) -> None:
    before = mapped(shared)
    outcome = delete_array(shared)
    shared.agent.failures["do", "group.erase"] = REFUSED
    shared.control.runner._wait = lambda _seconds: False
    assert run(shared, outcome.job_id) is JobState.UNDONE
    assert mapped(shared) == before
    with shared.store.read() as tx:
        assert {*tx.scalars(select(Volume.state)), *tx.scalars(select(Array.state))} == {ResourceState.READY.value}
        assert tx.scalars(select(DeletedVolume.id)).all() == []
