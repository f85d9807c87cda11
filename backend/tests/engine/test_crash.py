"""The API process is killed with SIGKILL in the middle of a job; the next one finishes it. Two real processes.

The agent lives on in this process, behind its real socket, on the fake machine, as the root agent outlives the API.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import select

from backend.tests.fakemachine import FakeSystem
from lunette.agent.core import Agent
from lunette.agent.server import Server, listen
from lunette.domain.agent_protocol import StepReply, StepsReply
from lunette.domain.arrays import ArrayCreate, Level
from lunette.domain.jobs import JobState, ResourceState, StepState
from lunette.domain.sizes import MIB
from lunette.domain.steps import AnyManyStep, AnyStep
from lunette.domain.volumes import VolumeCreate
from lunette.engine.changes import arrays, volumes
from lunette.engine.context.outcome import Actor, Outcome
from lunette.engine.control import Control
from lunette.store.database import Store
from lunette.store.journal import Job, JobStep
from lunette.store.resources import Array, Volume
from lunette.store.secrets import SecretBox

ADMIN = Actor(name="admin")
NAMES = tuple(f"v{number}" for number in range(1, 5))
RUN_S = 50


class KillingAgent(Agent):
    """Kills the API process at the n-th request for steps (from 1): before they run, or after, before it answers."""

    def __init__(self, system: FakeSystem) -> None:
        super().__init__(system)
        self.victim: subprocess.Popen[str] | None = None
        self.strike_at, self.strike_after = 0, False
        self.asked = 0

    def do_step(self, job_id: str | None, step: AnyStep) -> StepReply:
        with self._striking():
            return super().do_step(job_id, step)

    def do_steps(self, job_id: str, steps: tuple[AnyManyStep, ...]) -> StepsReply:
        with self._striking():
            return super().do_steps(job_id, steps)

    @contextmanager
    def _striking(self) -> Iterator[None]:
        self.asked += 1
        strikes = self.asked == self.strike_at
        if strikes and not self.strike_after:
            self._strike()
        yield
        if strikes and self.strike_after:
            self._strike()

    def _strike(self) -> None:
        assert self.victim
        os.kill(self.victim.pid, signal.SIGKILL)
        self.victim.wait(10)


class Machine:
    """The appliance's machine with its agent, and its database."""

    def __init__(self, folder: Path, url: str) -> None:
        self.system = FakeSystem()
        self.system.add_disks(6)
        self.system.advance(60)
        self.agent = KillingAgent(self.system)
        self.url, self.key, self.socket = url, folder / "secret.key", f"{folder}/agent.sock"
        self._server = Server(self.agent, listen(self.socket), frozenset({os.getuid()}))
        self._thread = threading.Thread(target=self._server.serve, daemon=True)
        self._thread.start()
        self.store = Store.open(url, SecretBox.at(self.key))
        self.control = Control(self.store, self.agent)
        disks = self.control.observation().disks
        self.array = ArrayCreate(name="tank", level=Level.RAID5, disks=tuple(disk.id for disk in disks[:4]))

    def ask_array(self) -> Outcome:
        self.control.observation(0)
        with self.store.write() as tx:
            return arrays.create(self.control.change(tx, ADMIN), self.array)

    def ask_volumes(self) -> Outcome:
        self.control.observation(0)
        with self.store.write() as tx:
            specs = [VolumeCreate(name=name, array="tank", size_bytes=64 * MIB) for name in NAMES]
            return volumes.create(self.control.change(tx, ADMIN), specs)

    def run_in_a_process(self, job_id: str | None, strike_at: int, *, after: bool) -> int:
        """Runs the job in a process of its own that is killed at a step. Returns its exit code."""
        assert job_id
        self.agent.asked = 0
        self.agent.strike_at, self.agent.strike_after = strike_at, after
        script = Path(__file__).with_name("crashing_api.py")
        arguments = [sys.executable, str(script), self.url, str(self.key), self.socket, job_id]
        self.agent.victim = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, text=True)
        return self.agent.victim.wait(RUN_S)

    def close(self) -> None:
        self.store.close()
        self._server.stop()
        self._thread.join(10)


@pytest.fixture
def machine(tmp_path: Path, database_url: str) -> Iterator[Machine]:
    made = Machine(tmp_path, database_url)
    yield made
    made.close()


def states(machine: Machine, job_id: str | None) -> list[str]:
    with machine.store.read() as tx:
        return list(tx.scalars(select(JobStep.state).where(JobStep.job_id == job_id).order_by(JobStep.index)))


@pytest.mark.parametrize(
    ("strike_at", "after"),
    [
        pytest.param(1, False, marks=pytest.mark.slow),
        (1, True),
        (2, False),
        pytest.param(2, True, marks=pytest.mark.slow),
    ],
)
def test_a_batch_whose_process_was_killed_is_complete_after_the_next_start(
    machine: Machine, strike_at: int, after: bool
) -> None:
    assert machine.control.runner.run(machine.ask_array().job_id or "") is JobState.SUCCEEDED
    outcome = machine.ask_volumes()
    assert machine.run_in_a_process(outcome.job_id, strike_at, after=after) == -signal.SIGKILL
    of_the_volumes, of_the_seal = states(machine, outcome.job_id)[:-1], states(machine, outcome.job_id)[-1]
    assert of_the_volumes == [StepState.STARTED if strike_at == 1 else StepState.DONE] * len(NAMES)
    assert of_the_seal == (StepState.PENDING if strike_at == 1 else StepState.STARTED)
    with machine.store.read() as tx:
        assert set(tx.scalars(select(Volume.state))) == {ResourceState.CREATING}

    again = Control(machine.store, machine.agent)
    again.start()
    try:
        finished = threading.Event()
        stop = machine.store.subscribe(finished.set)
        while not _is_over(machine, outcome.job_id):
            assert finished.wait(RUN_S)
            finished.clear()
        stop()
    finally:
        again.stop()
    with machine.store.read() as tx:
        assert tx.get_one(Job, outcome.job_id).state == JobState.SUCCEEDED
        assert sorted(tx.scalars(select(Volume.name).where(Volume.state == "ready"))) == list(NAMES)
        wanted = sorted(tx.scalars(select(Volume.backing_name)))
    seen = machine.control.observation(0).volumes
    assert sorted(volume.name for volume in seen) == wanted
    assert all(volume.sealed for volume in seen)


def _is_over(machine: Machine, job_id: str | None) -> bool:
    with machine.store.read() as tx:
        return JobState(tx.get_one(Job, job_id).state).is_over


@pytest.mark.parametrize("strike_at", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_an_array_whose_process_was_killed_is_complete_after_the_next_start(machine: Machine, strike_at: int) -> None:
    outcome = machine.ask_array()
    assert machine.run_in_a_process(outcome.job_id, strike_at, after=True) == -signal.SIGKILL
    assert machine.control.runner.run(outcome.job_id or "") is JobState.SUCCEEDED
    with machine.store.read() as tx:
        array = tx.scalars(select(Array)).one()
    assert array.state == ResourceState.READY
    seen = machine.control.observation(0)
    assert [(pool.group, pool.array_uuid) for pool in seen.groups] == [(array.group_name, array.uuid)]
