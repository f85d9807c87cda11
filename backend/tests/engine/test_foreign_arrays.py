"""Arrays that others made become ours where they lie: what is written is marks, and what is refused writes nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.tests.fakemachine import When
from backend.tests.faults.asking import free_disks
from backend.tests.faults.foreign_targets import UUID, make_group, serial_of, store, target, two_targets
from backend.tests.faults.foreign_targets import restore as serve
from backend.tests.faults.harness import bystanders, changes
from backend.tests.faults.picture import differences
from backend.tests.faults.world import ACTOR, World, database_template, with_bystanders
from backend.tests.wiring_agent import Ending
from lunette.api.answers.foreign_arrays import ForeignArray, foreign_array_answer
from lunette.domain.adopting import AdoptRequest
from lunette.domain.agent_protocol import DoStep, ObserveForeign, ObserveForeignArrays, UndoStep
from lunette.domain.errors import Conflict, Invalid, NotFound
from lunette.domain.exports import ServingState
from lunette.domain.foreign_arrays import ForeignArrayAdopt
from lunette.domain.jobs import JobState
from lunette.domain.mappings import MappingCreate
from lunette.engine.changes import adopting, foreign_arrays, mappings
from lunette.engine.context.outcome import Outcome
from lunette.store.resources import Array, Host, Volume

NAMES = ("db", "web")
CHANGES = ("--readwrite", "lvmdevices", "vgchange --addtag", "srv/db", "srv/web")
"""The commands of an adoption that change something, in order."""


@pytest.fixture
def world(sqlite_template: Path, tmp_path: Path) -> Iterator[World]:
    made = World(database_template(sqlite_template, tmp_path))
    with_bystanders(made)
    yield made
    made.close()


def brought(world: World, names: tuple[str, ...] = NAMES) -> None:
    """Two disks come from another machine: a mirror with volume group `srv`, which nothing here has started."""
    machine = world.machine
    make_group(machine, free_disks(world)[:2], names)
    machine.run(["vgchange", "-an", "srv"])
    machine.run(["lvm", "lvmdevices", "-y", "--deldev", "/dev/md/0"])
    machine.run(["mdadm", "--stop", "/dev/md/0"])


def listed(world: World) -> list[ForeignArray]:
    world.control._cache.forget()
    with world.store.read() as tx:
        found = foreign_arrays.foreign(tx, world.control.services, world.agent.ask(ObserveForeignArrays()))
    return [foreign_array_answer(one) for one in found]


def shown(world: World) -> ForeignArray:
    return next(one for one in listed(world) if one.id == UUID)


def start(world: World, *, dry_run: bool = False) -> Outcome:
    which = foreign_arrays.Which(world.agent.ask(ObserveForeignArrays()), UUID)
    return world.ask(lambda tx: foreign_arrays.start(world.control.change(tx, ACTOR, dry_run=dry_run), which))


def adopt(world: World, spec: ForeignArrayAdopt | None = None, *, dry_run: bool = False) -> Outcome:
    which = foreign_arrays.Which(world.agent.ask(ObserveForeignArrays()), UUID)
    spec = spec or ForeignArrayAdopt()
    return world.ask(lambda tx: foreign_arrays.adopt(world.control.change(tx, ACTOR, dry_run=dry_run), which, spec))


def run(world: World, outcome: Outcome) -> None:
    assert outcome.job_id
    assert world.finish(outcome.job_id) is JobState.SUCCEEDED, world.story(outcome.job_id)


def started(world: World) -> None:
    brought(world)
    run(world, start(world))


def test_what_does_not_run_is_shown_from_its_superblocks_and_nothing_is_started(world: World) -> None:
    brought(world)
    since = len(world.machine.faults.calls)
    found = shown(world)
    assert (found.name, found.home_host, found.level, found.health) == ("0", "old", "raid1", "missing")
    assert (found.group, found.volumes, found.size_bytes, found.next.value) == (None, (), None, "start")
    names = [disk.kernel_name for disk in free_disks(world)[:2]]
    assert [(one.device or "").removeprefix("/dev/") for one in found.members] == names
    assert changes(world, since) == []


def test_a_start_writes_nothing_and_shows_what_is_on_it(world: World) -> None:
    brought(world)
    blocks = [disk.media.superblock.events for disk in free_disks(world)[:2] if disk.media.superblock]
    run(world, start(world))
    found = shown(world)
    assert found.read_only
    assert (found.group, found.next.value, found.reason) == ("srv", "adopt", None)
    assert [(one.name, one.open, one.reason) for one in found.volumes] == [(name, False, None) for name in NAMES]
    assert [disk.media.superblock.events for disk in free_disks(world)[:2] if disk.media.superblock] == blocks
    with pytest.raises(Conflict, match="was not started"):
        start(world)


def test_it_is_adopted_with_its_data_and_restored_after_a_boot(world: World) -> None:
    started(world)
    run(world, adopt(world, ForeignArrayAdopt(name="archive")))
    with world.store.read() as tx:
        array = tx.query(Array).filter_by(name="archive").one()
        assert (array.engine_name, array.group_name, array.state, len(array.disks)) == ("old:0", "srv", "ready", 2)
        volumes = {one.name: one for one in tx.query(Volume).filter_by(array_id=array.id)}
        assert set(volumes) == set(NAMES)
        assert len({one.naa for one in volumes.values()}) == 2
        volume_id, host_id = volumes["db"].id, tx.query(Host).first().id  # type: ignore[union-attr]
    assert UUID not in [one.id for one in listed(world)]
    spec = MappingCreate(volume=volume_id, host=host_id)
    world.do(lambda tx: mappings.create(world.control.change(tx, ACTOR), [spec]))
    world.settle()
    world.agent.kill()
    world.machine.reboot()
    for _ in range(12):
        world.pass_time(5)
    report = world.settle()
    assert all(one.state is ServingState.OPEN for one in report.targets)
    assert world.machine.read_data("/dev/srv/db", 0) == "data of db"
    assert world.machine.read_data("/dev/srv/web", 0) == "data of web"
    assert bystanders(world) == []


def test_a_dry_run_changes_nothing(world: World) -> None:
    brought(world)
    before, rows = world.machine_picture(), world.rows_picture()
    assert [step.kind for step in start(world, dry_run=True).plan.steps] == ["md.start"]
    assert (world.machine_picture(), world.rows_picture()) == (before, rows)
    run(world, start(world))
    before, rows = world.machine_picture(), world.rows_picture()
    assert [step.kind for step in adopt(world, dry_run=True).plan.steps] == ["md.open", "group.adopt"]
    assert (world.machine_picture(), world.rows_picture()) == (before, rows)


def test_volumes_that_are_left_out_stay_as_they_are(world: World) -> None:
    started(world)
    run(world, adopt(world, ForeignArrayAdopt(volumes=("web",))))
    with world.store.read() as tx:
        array = tx.query(Array).filter_by(engine_name="old:0").one()
        assert [one.name for one in tx.query(Volume).filter_by(array_id=array.id)] == ["web"]
    tags = {view.lv.name: view.lv.tags for view in world.machine.lvm.lvs() if view.vg.name == "srv"}
    assert tags["db"] == set()
    left = shown(world)
    assert (left.array, left.next.value, [one.name for one in left.volumes]) == ("md0", "adopt", ["db"])
    with pytest.raises(Invalid, match="keeps its name"):
        adopt(world, ForeignArrayAdopt(name="other"))
    outcome = adopt(world)
    assert [step.kind for step in outcome.plan.steps] == ["group.adopt"]
    run(world, outcome)
    assert UUID not in [one.id for one in listed(world)]
    with world.store.read() as tx:
        volumes = {one.name: one.array_id for one in tx.query(Volume) if one.backing_name in NAMES}
        assert (set(volumes), len(set(volumes.values()))) == (set(NAMES), 1)
    with pytest.raises(NotFound, match="no foreign array"):
        start(world)


def test_volumes_that_follow_later_are_given_back_alone_where_that_fails(world: World) -> None:
    started(world)
    run(world, adopt(world, ForeignArrayAdopt(volumes=("web",))))
    world.settle()
    world.pass_time(5)
    before, rows = world.machine_picture(), world.rows_picture()
    outcome = adopt(world)
    world.machine.faults.break_calls(lambda call: "--addtag" in call.detail and "srv/db" in call.detail)
    assert world.finish(outcome.job_id or "") in (JobState.FAILED, JobState.UNDONE)
    world.machine.faults.disarm()
    world.converge()
    assert differences(before, world.machine_picture()) == []
    assert differences(rows, world.rows_picture()) == []
    assert "srv" in {vg.name for vg, _ in world.machine.lvm.vgs()}


def test_a_target_on_an_adopted_array_is_taken_over_after_it(world: World) -> None:
    two_targets(world.machine, free_disks(world)[:2])
    run(world, adopt(world))
    assert [(one.name, one.open) for one in shown(world).volumes] == [
        ("disk0", True),
        ("disk1", True),
        ("shared", True),
    ]
    foreign = world.agent.ask(ObserveForeign())
    outcome = world.ask(lambda tx: adopting.adopt(world.control.change(tx, ACTOR), AdoptRequest(), foreign)[0])
    run(world, outcome)
    assert UUID not in [one.id for one in listed(world)]
    with world.store.read() as tx:
        volumes = {one.name: one for one in tx.query(Volume)}
        assert volumes["disk0"].serial == serial_of("disk0")
        assert volumes["disk0"].array_id == volumes["idle"].array_id


def test_a_volume_that_is_not_there_or_in_use_is_refused(world: World) -> None:
    make_group(world.machine, free_disks(world)[:2], NAMES)
    serve(world.machine, [store("db")], [target("iqn.2003-01.org.linux-iscsi.old:db", {1: "db"}, {})])
    assert [(one.name, one.open) for one in shown(world).volumes] == [("db", True), ("web", False)]
    with pytest.raises(Invalid, match="is in use"):
        adopt(world, ForeignArrayAdopt(volumes=("db",)))
    with pytest.raises(Invalid, match="was not found"):
        adopt(world, ForeignArrayAdopt(volumes=("away",)))
    outcome = adopt(world)
    assert any("not adopted as volumes: db in volume group srv" in words for words in outcome.plan.warnings)
    run(world, outcome)
    with world.store.read() as tx:
        assert [one.name for one in tx.query(Volume) if one.backing_name in NAMES] == ["web"]


def test_a_blank_array_gets_a_group_only_on_request(world: World) -> None:
    make_group(world.machine, free_disks(world)[:2], ())
    world.machine.run(["vgremove", "srv"])
    world.machine.run(["pvremove", "-y", "/dev/md/0"])
    found = shown(world)
    assert (found.group, found.next.value, found.carries) == (None, "adopt", ())
    with pytest.raises(Invalid, match="make_group"):
        adopt(world)
    run(world, adopt(world, ForeignArrayAdopt(make_group=True)))
    with world.store.read() as tx:
        array = tx.query(Array).filter_by(name="md0").one()
        assert array.group_name in {vg.name for vg, _ in world.machine.lvm.vgs()}


def test_a_missing_disk_is_not_started_without(world: World) -> None:
    brought(world)
    world.machine.pull(free_disks(world)[0])
    found = shown(world)
    assert (found.next.value, "has lost a disk" in (found.reason or "")) == ("none", True)
    with pytest.raises(Conflict, match="has lost a disk"):
        start(world)


def test_another_group_of_the_same_name_prevents_it(world: World) -> None:
    started(world)
    with world.store.write() as tx:
        tx.query(Array).first().group_name = "srv"  # type: ignore[union-attr]
    found = shown(world)
    assert found.next.value == "none"
    assert "rename this one with vgrename" in (found.reason or "")


def test_what_carries_the_mark_of_a_lost_database_is_rebuilt(world: World) -> None:
    started(world)
    run(world, adopt(world))
    world.settle()
    with world.store.write() as tx:
        array = tx.query(Array).filter_by(engine_name="old:0").one()
        tx.query(Volume).filter_by(array_id=array.id).delete()
        for disk in list(array.disks):
            tx.delete(disk)
        tx.delete(array)
    found = shown(world)
    assert found.next.value == "rebuild"
    with pytest.raises(Conflict, match="rebuild"):
        adopt(world)


def test_a_step_that_is_refused_leaves_everything_as_it_was(world: World) -> None:
    started(world)
    before, rows = world.machine_picture(), world.rows_picture()
    for words in CHANGES:
        outcome = adopt(world)
        world.machine.faults.break_calls(
            lambda call, words=words: words in call.detail and "--deltag" not in call.detail  # type: ignore[misc]
        )
        state = world.finish(outcome.job_id or "")
        world.machine.faults.disarm()
        story = world.story(outcome.job_id or "")
        world.converge()
        assert state in (JobState.FAILED, JobState.UNDONE), story
        assert differences(before, world.machine_picture()) == [], (words, story)
        assert differences(rows, world.rows_picture()) == [], (words, story)
    run(world, adopt(world))
    world.settle()
    world.pass_time(5)
    assert world.machine.read_data("/dev/srv/db", 0) == "data of db"


def test_a_start_that_is_refused_leaves_it_down(world: World) -> None:
    brought(world)
    before = world.machine_picture()
    world.machine.faults.break_calls(lambda call: "--assemble" in call.detail)
    outcome = start(world)
    assert world.finish(outcome.job_id or "") in (JobState.FAILED, JobState.UNDONE)
    world.machine.faults.disarm()
    assert differences(before, world.machine_picture()) == []
    run(world, start(world))


@pytest.fixture
def other(sqlite_template: Path, tmp_path: Path) -> Iterator[World]:
    """A world like the first, to count in."""
    (tmp_path / "other").mkdir()
    made = World(database_template(sqlite_template, tmp_path / "other"))
    with_bystanders(made)
    yield made
    made.close()


def number_of(world: World, outcome: Outcome, words: str) -> int:
    """Which call of a job this is, the first being 1."""
    since = len(world.machine.faults.calls)
    run(world, outcome)
    calls = [call.detail for call in world.machine.faults.calls[since:]]
    return next(number for number, call in enumerate(calls, 1) if words in call)


ENDINGS = (Ending.RESTART, Ending.REBOOT, Ending.POWER_CUT)


@pytest.mark.parametrize(
    ("words", "ending"),
    [
        # each kill once in `make test`, and each way back; the rest in the full matrix
        pytest.param(words, ending, marks=[] if (at + turn) % len(ENDINGS) == 0 else pytest.mark.slow)
        for at, words in enumerate(CHANGES)
        for turn, ending in enumerate(ENDINGS)
    ],
)
def test_an_agent_that_is_killed_midway_continues(world: World, other: World, words: str, ending: Ending) -> None:
    """Also where the whole machine went down: the array is then found by the superblocks of its disks."""
    started(other)
    number = number_of(other, adopt(other), words)
    started(world)
    outcome = adopt(world)
    world.agent.ending = ending
    world.machine.faults.crash_at(number, When.AFTER)
    assert world.finish(outcome.job_id or "") is JobState.SUCCEEDED, world.story(outcome.job_id or "")
    world.machine.faults.disarm()
    world.settle()
    world.pass_time(5)
    with world.store.read() as tx:
        assert {one.name for one in tx.query(Volume) if one.backing_name in NAMES} == set(NAMES)
    assert world.machine.read_data("/dev/srv/db", 0) == "data of db"
    assert bystanders(world) == []


@pytest.mark.parametrize(
    ("words", "ending"),
    [
        # each kill once in `make test`, and both commands
        pytest.param(words, ending, marks=[] if (at + turn) % 2 == 0 else pytest.mark.slow)
        for at, words in enumerate(("--examine", "--assemble"))
        for turn, ending in enumerate(ENDINGS)
    ],
)
def test_a_start_that_is_cut_short_ends_read_only(world: World, other: World, words: str, ending: Ending) -> None:
    brought(other)
    number = number_of(other, start(other), words)
    brought(world)
    events = [disk.media.superblock.events for disk in free_disks(world)[:2] if disk.media.superblock]
    outcome = start(world)
    world.agent.ending = ending
    world.machine.faults.crash_at(number, When.AFTER)
    assert world.finish(outcome.job_id or "") is JobState.SUCCEEDED, world.story(outcome.job_id or "")
    world.machine.faults.disarm()
    assert (shown(world).read_only, shown(world).next.value) == (True, "adopt")
    assert [disk.media.superblock.events for disk in free_disks(world)[:2] if disk.media.superblock] == events


def test_each_step_can_be_repeated_and_undone_twice(world: World) -> None:
    brought(world)
    (begin,) = start(world, dry_run=True).plan.steps
    down = world.machine_picture()
    assert not world.agent.ask(UndoStep(job_id="job", step=begin)).changed, "it never ran"
    assert world.agent.ask(DoStep(job_id="job", step=begin)).changed
    assert not world.agent.ask(DoStep(job_id="job", step=begin)).changed
    steps = adopt(world, dry_run=True).plan.steps
    pictures = []
    for step in steps:
        pictures.append(world.machine_picture())
        assert not world.agent.ask(UndoStep(job_id="job", step=step)).changed, "it never ran"
        assert world.agent.ask(DoStep(job_id="job", step=step)).changed
        after = world.machine_picture()
        assert not world.agent.ask(DoStep(job_id="job", step=step)).changed
        assert differences(after, world.machine_picture()) == []
    for step, picture in reversed(list(zip(steps, pictures, strict=True))):
        assert world.agent.ask(UndoStep(job_id="job", step=step)).changed
        assert not world.agent.ask(UndoStep(job_id="job", step=step)).changed
        assert differences(picture, world.machine_picture()) == []
    assert world.agent.ask(UndoStep(job_id="job", step=begin)).changed
    assert not world.agent.ask(UndoStep(job_id="job", step=begin)).changed
    assert differences(down, world.machine_picture()) == []
