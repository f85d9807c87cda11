"""An array is released: it stays on its disks with its data, no disk carries our mark, and it can be adopted again."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select

from backend.tests.engine.test_foreign_arrays import adopt, listed, run, shown, started
from backend.tests.fakemachine.block.devices import Device
from backend.tests.faults.asking import free_disks, release_array, unmap_volume
from backend.tests.faults.harness import bystanders
from backend.tests.faults.picture import differences
from backend.tests.faults.world import ACTOR, World, database_template, give_host, with_bystanders
from lunette.domain.agent_protocol import ObserveForeignArrays
from lunette.domain.array_changes import ArrayScrub
from lunette.domain.arrays import Level
from lunette.domain.errors import Conflict, InUse, Invalid, LunetteError, Stuck
from lunette.domain.foreign_arrays import ForeignArrayAdopt
from lunette.domain.jobs import JobState, Resolution
from lunette.domain.mappings import MappingCreate
from lunette.domain.plans import Action
from lunette.domain.volumes import Provisioning
from lunette.engine.changes import array_changes, foreign_arrays, mappings, volumes
from lunette.engine.jobs import resolving
from lunette.providers.arrays.md.plan import device_path
from lunette.store.journal import Event
from lunette.store.resources import Array, ArrayDisk, Snapshot, Volume


@pytest.fixture
def world(sqlite_template: Path, tmp_path: Path) -> Iterator[World]:
    made = World(database_template(sqlite_template, tmp_path))
    with_bystanders(made)
    yield made
    made.close()


def furnished(world: World) -> str:
    """Array `old` of two disks with a thick and a thin volume that hold data. Its UUID."""
    world.finish(world.create_array("old", Level.RAID1, free_disks(world)[:2]).job_id or "")
    world.machine.advance(40)
    for name, kind in (("k1", Provisioning.THICK), ("t1", Provisioning.THIN)):
        world.finish(world.create_volumes("old", name, kind=kind).job_id or "")
        world.machine.write_data(world.device_of(name), 0, f"of {name}")
    world.settle()
    with world.store.read() as tx:
        return tx.scalars(select(Array.uuid).where(Array.name == "old")).one()


def let_go(world: World, name: str) -> None:
    """The agent hears of it, as it does within a moment, and the job runs."""
    outcome = release_array(world, name)
    world.converge()
    run(world, outcome)


def scrub(world: World) -> None:
    run(world, world.change_array("old", array_changes.scrub, ArrayScrub()))


def counts(world: World) -> list[int]:
    with world.store.read() as tx:
        return [tx.scalar(select(func.count()).select_from(one)) or 0 for one in (Array, ArrayDisk, Volume, Snapshot)]


def test_it_is_forgotten_stopped_and_foreign_and_nothing_of_it_is_touched(world: World) -> None:
    uuid = furnished(world)
    with world.store.read() as tx:
        kept = tx.scalars(select(Array.group_name).where(Array.name == "tank")).one()
        name = tx.scalars(select(Volume.backing_name).where(Volume.name == "k1")).one()
    others = bystanders(world)
    let_go(world, "old")
    assert counts(world) == [1, 2, 3, 0]
    assert differences(others, bystanders(world)) == []
    assert not world.machine.exists(device_path(uuid)), "it is stopped"
    world.settle()
    world.pass_time(600)
    assert not world.machine.exists(device_path(uuid)), "and nothing starts it"
    (found,) = [one for one in listed(world) if one.id == uuid]
    assert (found.home_host, found.next, found.reason) == ("released", "start", None)
    which = foreign_arrays.Which(world.agent.ask(ObserveForeignArrays()), uuid)
    run(world, world.ask(lambda tx: foreign_arrays.start(world.control.change(tx, ACTOR), which)))
    (found,) = [one for one in listed(world) if one.id == uuid]
    reasons = {one.name: one.reason for one in found.volumes}
    assert (found.next, reasons[name]) == ("adopt", None)
    which = foreign_arrays.Which(world.agent.ask(ObserveForeignArrays()), uuid)
    spec = ForeignArrayAdopt(name="again")
    run(world, world.ask(lambda tx: foreign_arrays.adopt(world.control.change(tx, ACTOR), which, spec)))
    world.settle()
    world.pass_time(10)
    assert world.machine.read_data(world.device_of(name), 0) == "of k1"
    assert kept in {pool.group for pool in world.control.observation(0).groups if pool.ours}
    with world.store.read() as tx:
        assert "array.released" in set(tx.scalars(select(Event.kind)))


def test_no_mark_is_left_on_its_disks(world: World) -> None:
    furnished(world)
    media = group_of(world).media
    assert media
    assert media.pv
    assert media.pv.vg
    let_go(world, "old")
    vg = media.pv.vg
    tags = [*vg.tags, *(tag for lv in vg.lvs.values() for tag in lv.tags)]
    assert tags
    assert all(tag.startswith("released") for tag in tags)
    assert "sealed" not in vg.lvs, "what only Lunette reads goes"
    names = [disk.media.superblock and disk.media.superblock.geometry.name for disk in free_disks(world)[:2]]
    assert all(name and name.startswith("released:") for name in names)


def group_of(world: World) -> Device:
    """The device of array `old`, with its volume group."""
    with world.store.read() as tx:
        uuid = tx.scalars(select(Array.uuid).where(Array.name == "old")).one()
    device = world.machine.blocks.find(device_path(uuid))
    assert device
    return device


def test_an_adopted_one_keeps_running_and_can_be_restored_and_removed_again(world: World) -> None:
    started(world)
    run(world, adopt(world, ForeignArrayAdopt(volumes=("db",), name="archive")))
    for _ in range(2):
        let_go(world, "archive")
        found = shown(world)
        assert (found.home_host, found.next, found.read_only) == ("old", "adopt", False)
        assert [one.reason for one in found.volumes if one.name == "web"] == [None]
        world.machine.run(["lvchange", "-an", "srv/db"])
        run(world, adopt(world, ForeignArrayAdopt(volumes=("db",), name="archive")))
    assert counts(world) == [2, 4, 4, 0]


@pytest.mark.parametrize(
    ("spoil", "error", "words"),
    [
        (lambda world: give_host(world, "bob", ["k1"]), InUse, "mapped to bob: unmap it first"),
        (lambda world: world.machine.pull(free_disks(world)[1]), Conflict, "degraded"),
        (scrub, Conflict, "the kernel is running a check on it"),
        (lambda world: None, Invalid, "confirm must be the array's name"),
    ],
    ids=["mapped", "degraded", "at work", "another name"],
)
def test_what_prevents_it_is_named_and_nothing_changes(
    world: World, spoil: object, error: type[LunetteError], words: str
) -> None:
    furnished(world)
    spoil(world)  # type: ignore[operator]
    before, rows = world.machine_picture(), world.rows_picture()
    with pytest.raises(error, match=words):
        release_array(world, "old", confirm="tonk" if error is Invalid else None)
    assert differences(before, world.machine_picture()) == []
    assert differences(rows, world.rows_picture()) == []


def test_deleted_volumes_are_named_for_they_would_stay_without_their_names(world: World) -> None:
    furnished(world)
    world.do(lambda tx: volumes.delete(world.control.change(tx, ACTOR), "k1"))
    with pytest.raises(InUse, match=r"it contains deleted volumes or snapshots \(k1\)"):
        release_array(world, "old")


def test_during_its_release_its_volumes_cannot_be_mapped(world: World) -> None:
    furnished(world)
    give_host(world, "bob", ["mapped"])
    outcome = release_array(world, "old")
    with pytest.raises((Conflict, Stuck), match="k1 is changing"):
        world.ask(lambda tx: mappings.create(world.control.change(tx, ACTOR), [MappingCreate(volume="k1", host="bob")]))
    world.converge()
    run(world, outcome)


def test_an_open_volume_prevents_it_and_it_serves_as_before(world: World) -> None:
    furnished(world)
    device = world.device_of("k1")
    outcome = release_array(world, "old")
    world.converge()
    name = world.machine.blocks.open_exclusively(device, "fsck")
    assert world.finish(outcome.job_id or "") in (JobState.UNDONE, JobState.FAILED), world.story(outcome.job_id or "")
    world.machine.blocks.release(name, "fsck")
    world.settle()
    give_host(world, "bob", ["k1"])
    world.settle()
    assert world.machine.read_data(device, 0) == "of k1"
    unmap_volume(world, "k1")
    world.settle()
    let_go(world, "old")


def test_one_that_got_stuck_is_tried_again_to_its_end(world: World) -> None:
    """The array can neither be renamed nor started again, so taking it back fails too."""
    furnished(world)
    outcome = release_array(world, "old")
    world.converge()
    world.machine.faults.break_calls(lambda call: call.detail.startswith("mdadm --assemble"))
    assert world.finish(outcome.job_id or "") is JobState.STUCK
    plan = world.ask(
        lambda tx: resolving.resolve(
            world.control.change(tx, ACTOR, dry_run=True), outcome.job_id or "", Resolution.RETRY
        )
    ).plan
    assert {change.action for change in plan.changes} == {Action.CHANGE}, "nothing is destroyed by that"
    world.machine.faults.break_calls(None)
    assert world.retry(outcome.job_id or "") is JobState.SUCCEEDED, world.story(outcome.job_id or "")
    assert counts(world) == [1, 2, 3, 0]


def test_one_that_got_stuck_and_is_left_so_is_named_and_serves_again_if_it_can(world: World) -> None:
    furnished(world)
    outcome = release_array(world, "old")
    world.converge()
    world.machine.faults.break_calls(lambda call: "--addtag lunette" in call.detail or "--assemble" in call.detail)
    assert world.finish(outcome.job_id or "") is JobState.STUCK
    world.machine.faults.break_calls(None)
    world.ask(lambda tx: resolving.resolve(world.control.change(tx, ACTOR), outcome.job_id or "", Resolution.ABANDON))
    with world.store.read() as tx:
        assert set(tx.scalars(select(Volume.state))) == {"ready"}
    world.settle()
    world.pass_time(10)
    give_host(world, "bob", ["k1"])
    world.settle()
    assert world.machine.read_data(world.device_of("k1"), 0) == "of k1"
