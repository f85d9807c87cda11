"""Fails, repeats and kills every call of a job, and checks whether the world is clean or complete afterward.

clean: the job ended as failed or undone, and everything is as it was before it was asked for.
complete: the job succeeded, and everything is as after a run without faults.
Anything in between, and any change to foreign data, is a violation.
"""

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from backend.tests.fakemachine import Call, FakeSystem, When
from backend.tests.faults.branches import in_a_branch
from backend.tests.faults.picture import Picture, differences
from backend.tests.faults.world import FOREIGN_UUID, MIB, PORTAL, EngineCrash, World, with_bystanders
from backend.tests.wiring_agent import Ending
from lunette.domain.agent_protocol import DoStep
from lunette.domain.errors import LunetteError
from lunette.domain.jobs import JobState
from lunette.domain.plans import Plan
from lunette.domain.steps import DiskErase, DiskWipe, MdAdd, VolumeCut
from lunette.engine.context.outcome import Outcome
from lunette.store.resources import Host, Target

SECRET, SECRET_AT = "somebody's secret", 5 * MIB
"""What a host left in a volume that is gone, and where."""


@dataclass(frozen=True)
class Case:
    """A kind of job: what is there before, and the request that starts it."""

    name: str
    prepare: Callable[[World], None]
    ask: Callable[[World], Outcome]
    lead_in: Callable[[World], None] = lambda world: None
    """A change just before the request: its effects may still be under way, and stay whatever becomes of the job."""
    again: Callable[[World], None] = lambda world: None
    """Provides again what the job was given in addition to its plan, and has used up."""
    passes: bool = False
    """Its effects end on their own and leave no trace in a picture."""


@dataclass(frozen=True)
class Fault:
    """What strikes at which call of the job, counted from 1. `ending` is how a killed agent comes back."""

    number: int
    when: When
    ending: Ending | None = None
    """None: the call fails, and the agent lives."""
    point: int = 1

    def __str__(self) -> str:
        what = f"kill, {self.ending}" if self.ending else "fail"
        return f"{what} {self.when} call {self.number}"


@dataclass(frozen=True)
class Reference:
    """A run of the case without faults."""

    plan: Plan
    before: Picture
    before_rows: Picture
    after: Picture
    after_rows: Picture
    calls: Sequence[Call]
    commits: int


Mutate = Callable[[World], None]
"""Puts a fault of the product into a world, to see whether the harness finds it."""


class Harness:
    """Runs one case in fresh worlds. `template` is a database that has its ids already: all worlds share them."""

    def __init__(self, case: Case, template: Path, mutate: Mutate | None = None) -> None:
        self.case, self._template = case, template
        self._mutate: Mutate | None = None
        self._worlds = ExitStack()
        self._started: tuple[World, str] | None = None
        self.reference = self._run_without_faults()
        self._mutate = mutate

    @contextmanager
    def world(self) -> Iterator[World]:
        """A world in which the case is prepared, but not asked for."""
        with world_from(self._template) as world:
            self.case.prepare(world)
            world.settle()
            if self._mutate:
                self._mutate(world)
            yield world

    def close(self) -> None:
        """Throw the world away whose branches were struck."""
        self._worlds.close()

    def _run_without_faults(self) -> Reference:
        with self.world() as world:
            self.case.lead_in(world)
            world.settle()
            before, before_rows = world.machine_picture(), world.rows_picture()
        with self.world() as world:
            outcome, job_id = self.start(world)
            first, world.store.commits = len(world.machine.faults.calls), 0
            state = world.finish(job_id)
            calls = counted(world.machine.faults.calls, first)
            commits = world.store.commits
            assert state is JobState.SUCCEEDED, world.story(job_id)
            world.settle()
            after, after_rows = world.machine_picture(), world.rows_picture()
            changed = differences(before_rows, after_rows) or differences(before, after)
            assert changed or self.case.passes, "the case changes nothing"
            return Reference(outcome.plan, before, before_rows, after, after_rows, calls, commits)

    def start(self, world: World) -> tuple[Outcome, str]:
        """Ask for the job, and let the reconciler have its round before the job runs. The job's id too."""
        self.case.lead_in(world)
        outcome = self.case.ask(world)
        world.converge()
        return outcome, outcome.job_id or ""

    def strike(self, work: Callable[[World, str], list[str]]) -> list[str]:
        """Do something to a branch of the world in which the job is asked for and has not run yet."""
        if self._started is None:
            world = self._worlds.enter_context(self.world())
            _, job_id = self.start(world)
            self._started = world, job_id
        world, job_id = self._started
        return in_a_branch(world, lambda branch: work(branch, job_id))

    def calls(self) -> list[Call]:
        """The calls of a job that nothing disturbs, as this product makes them, mutant or not."""
        with self.world() as world:
            _, job_id = self.start(world)
            first = len(world.machine.faults.calls)
            world.finish(job_id)
            return counted(world.machine.faults.calls, first)

    def violations(self, faults: Iterable[Fault]) -> list[str]:
        """Every fault in a branch of its own; what was wrong afterward, one line each."""
        found = []
        for fault in faults:

            def work(world: World, job_id: str, fault: Fault = fault) -> list[str]:
                arm(world, fault)
                return self.ends_well(world, job_id)

            found += [f"{fault} ({self._call(fault)}): {line}" for line in self.strike(work)]
        return found

    def _call(self, fault: Fault) -> str:
        if fault.number > len(self.reference.calls):
            return "after its end"
        call = self.reference.calls[fault.number - 1]
        return f"{call.name} {call.detail}"[:100]

    def ends_well(self, world: World, job_id: str) -> list[str]:
        """Run the job to its end and judge the world."""
        try:
            state = world.finish(job_id)
        except AssertionError as error:
            return [f"{error}\n{world.story(job_id)}"]
        return self.judge(world, job_id, state)

    def judge(self, world: World, job_id: str, state: JobState) -> list[str]:
        """What is wrong with a world whose job ended in this state, the machine working again."""
        world.machine.faults.disarm()
        story = world.story(job_id)
        if state is JobState.STUCK:
            return [f"stuck though the machine works:\n{story}"]
        try:
            world.settle()
        except AssertionError as error:
            return [f"{error}\n{story}"]
        reference = self.reference
        if state is JobState.SUCCEEDED:
            wanted, rows = reference.after, reference.after_rows
        else:
            wanted, rows = self._cleaned(world), reference.before_rows
        found = differences(wanted, world.machine_picture(), "machine")
        found += differences(rows, world.rows_picture(), "database")
        found += bystanders(world)
        return [f"{state}: {line}" for line in found] + ([story] if found else [])

    def _cleaned(self, world: World) -> Picture:
        """As before, but a disk that was named to be wiped may carry less, as may one that returns to its array.

        Neither can be undone; what a returning disk carried is outdated, and it would be filled again.
        """
        found = world.machine_picture()["disks"]
        disks = self.reference.before["disks"]
        assert isinstance(found, dict)
        assert isinstance(disks, dict)
        steps = self.reference.plan.steps
        wiped = {step.serial for step in steps if isinstance(step, DiskWipe | DiskErase)}
        wiped |= {step.member.serial for step in steps if isinstance(step, MdAdd) and step.returns}
        less = {serial: found[serial] for serial in wiped if set(found[serial]) <= set(disks[serial])}
        return self.reference.before | {"disks": disks | less}

    def repeat_violations(self) -> list[str]:
        """Every step done twice: the second time must be recognized and change nothing."""
        found = []
        with self.world() as world:
            self.start(world)
            for step in self.reference.plan.steps:
                world.agent.ask(DoStep(job_id="job", step=step))
                picture, since = world.machine_picture(), len(world.machine.faults.calls)
                try:
                    reply = world.agent.ask(DoStep(job_id="job", step=step))
                except LunetteError as error:
                    found.append(f"{step.describe()}: {error} ({error.log})")
                    break
                found += differences(picture, world.machine_picture(), step.describe())
                # A cut cannot know whether its wipe was finished, and wipes again until the volume is sealed.
                if not isinstance(step, VolumeCut):
                    found += [f"{step.describe()}: it says that it changed something"] if reply.changed else []
                    found += [f"{step.describe()}: {line}" for line in changes(world, since)]
            return found + bystanders(world)

    def engine_crash_violations(self, commits: Iterable[int], *, after: bool) -> list[str]:
        """The API process is killed at a commit of the journal, and started again."""
        found = []
        for commit in commits:

            def work(world: World, job_id: str, commit: int = commit) -> list[str]:
                world.store.crash_at(commit, after=after)
                with suppress(EngineCrash):
                    world.finish(job_id)
                world.restart_engine()
                return self.ends_well(world, job_id)

            found += [f"commit {commit}: {line}" for line in self.strike(work)]
        return found


@contextmanager
def world_from(template: Path) -> Iterator[World]:
    """A world of its own with the bystanders in it."""
    memory = Path("/dev/shm")  # only to be quick: every commit is an fsync
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        shutil.copy(template, f"{folder}/lunette.db")
        world = World(Path(folder) / "lunette.db")
        try:
            with_bystanders(world)
            yield world
        finally:
            world.close()


def counted(calls: Sequence[Call], first: int) -> list[Call]:
    """The calls after the first `first`, counted from 1."""
    return [Call(call.number - first, call.name, call.detail, call.changes) for call in calls[first:]]


def arm(world: World, fault: Fault) -> None:
    """Let a fault strike at a call from now on."""
    world.agent.ending = fault.ending or Ending.RESTART
    if fault.ending:
        world.machine.faults.crash_at(fault.number, fault.when, fault.point)
    else:
        world.machine.faults.fail_at(fault.number, fault.when, fault.point)


def bystanders(world: World) -> list[str]:
    """What happened to data that has nothing to do with the job."""
    machine, found = world.machine, []
    foreign = machine.blocks.disks[-1].media
    media = next(iter(foreign.below.values()))
    vg = media.pv.vg if media.pv else None
    is_whole = foreign.superblock and foreign.superblock.geometry.uuid == FOREIGN_UUID
    if not is_whole or vg is None or "home" not in vg.lvs or "not ours" not in media.data.values():
        found.append("somebody else's array or its volume was touched")
    with world.store.read() as tx:
        iqn = tx.query(Target).join(Host, Host.id == Target.host_id).filter(Host.name == "alice").one().iqn
    try:
        session = machine.login("iqn.2026-01.com.example:alice", iqn, PORTAL, ("alice", "secret-of-alice0"))
        if machine.read_data(machine.lun_device(session, 1), 0) != "kept by alice":
            found.append("the host does not find its data")
    except (ConnectionError, PermissionError) as error:
        found.append(f"the host cannot log in: {error}")
    return found + leaks(machine)


def leaks(machine: FakeSystem) -> list[str]:
    """Volumes that show what an earlier volume's host wrote, though they are sealed and could be mapped."""
    return [
        f"volume {view.lv.name} shows what an earlier host wrote"
        for view in machine.lvm.lvs()
        if view.lv.segtype == "linear"
        and "lunette.fresh" not in view.lv.tags
        and view.pv.media.data.get(machine.lvm.locate(view, SECRET_AT)) == SECRET
    ]


def changes(world: World, since: int) -> list[str]:
    """The calls that changed something since the log had `since` entries."""
    return [f"{call.name} {call.detail}" for call in world.machine.faults.calls[since:] if call.changes]


def sample(calls: Sequence[Call], looks: int) -> list[int]:
    """Numbers of all calls that change something, and of about `looks` of the others, spread evenly."""
    others = [call.number for call in calls if not call.changes]
    every = max(1, len(others) // looks) if looks else len(others) + 1
    return sorted({call.number for call in calls if call.changes} | set(others[every - 1 :: every]))


def every(calls: Sequence[Call], when: When, *, kills: bool) -> list[int]:
    """Numbers of all calls at which a fault of this kind can make a difference.

    A look has no middle and no effect: it fails or it does not, so it is struck before. And a process that is killed
    forgets what it saw: between two changes all kills are the same one.
    """
    changing = [call.number for call in calls if call.changes]
    if when is not When.BEFORE:
        return changing
    if not kills:
        return [call.number for call in calls]
    after_a_change = {number + 1 for number in changing} & {call.number for call in calls}
    return sorted({1, *changing, *after_a_change})
