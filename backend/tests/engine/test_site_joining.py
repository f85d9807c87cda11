"""Documents that add disks to arrays and rename things: on the real engine and agent over a fake machine."""

from collections.abc import Callable
from functools import reduce
from typing import Any

import pytest
from sqlalchemy import select

from backend.tests.engine.test_site import applied, ask, document, there, world
from backend.tests.fakemachine import FakeSignature
from backend.tests.faults.world import ACTOR, World
from lunette.domain.array_changes import ArrayAddSpares, ArrayDiskChoice, ArrayReplace
from lunette.domain.arrays import ObservedArray
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import Conflict, Invalid, LunetteError
from lunette.domain.site import Site
from lunette.engine.background import array_care
from lunette.engine.changes import array_changes
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.planner.site.foresight import after
from lunette.store.journal import Job

__all__ = ["world"]


def disks(world: World) -> list[str]:
    return [disk.links()[0] for disk in world.machine.blocks.disks]


def holding(world: World, **lists: list[str]) -> Site:
    """The document of `test_site` with these lists of disks in its array."""
    return document(world, arrays=[{"name": "tank", "level": "raid1", **lists}])


def members(world: World) -> dict[str, str]:
    """State on the machine of each disk of the one array, by its first link."""
    (array,) = world.control.observation(0).arrays
    links = {link: disk.links()[0] for disk in world.machine.blocks.disks for link in disk.links()}
    return {links[one.disk_id]: one.state for one in array.members if one.disk_id}


def test_an_array_gets_spares_and_grows_while_its_volumes_are_served(world: World) -> None:
    applied(world, document(world))
    world.machine.advance(40)
    served, one = world.settle().targets, disks(world)
    wanted = holding(world, disks=one[:3], spares=[one[3]])
    plan = applied(world, wanted)
    assert [step.kind for step in plan.steps] == ["md.add", "md.add", "md.reshape"]
    assert (plan.hosts_interrupted, plan.leaving, plan.bytes_destroyed()) == ((), (), 0)
    world.machine.advance(400)
    assert sorted(members(world)) == sorted(one[:4])
    assert sorted(members(world).values()) == ["in_sync", "in_sync", "in_sync", "spare"]
    assert world.settle().targets == served
    assert ask(world, wanted).job_id is None
    with world.store.read() as tx:
        exported = world.control.site(tx)
    assert exported.arrays
    assert len(exported.arrays[0].spares) == 1


def test_a_pool_is_given_a_log_a_cache_and_a_spare(world: World) -> None:
    one = disks(world)
    pool = {"name": "tank", "engine": "zfs", "level": "mirror", "disks": one[:2], "log": one[2:3]}
    applied(world, document(world, arrays=[pool]))
    more = {**pool, "log": one[2:4], "cache": one[4:5], "spares": one[5:6]}
    plan = applied(world, document(world, arrays=[more]))
    assert [step.kind for step in plan.steps] == ["pool.add"] * 3
    assert len(members(world)) == 6
    assert ask(world, document(world, arrays=[more])).job_id is None


def changed(world: World, change: Callable[[ChangeContext, str, Any], Outcome], spec: object) -> None:
    """Changes the array as a request of its own does, and lets time go by until it is quiet."""
    world.do(lambda tx: change(world.control.change(tx, ACTOR), "tank", spec))
    world.machine.advance(400)


def exported(world: World) -> Site:
    with world.store.read() as tx:
        return Site(arrays=world.control.site(tx).arrays)


def test_a_lost_disk_that_returns_becomes_a_spare_and_the_array_does_not_grow(world: World) -> None:
    """Its place is taken by the spare: the document lists two members, and the array has two."""
    one, lost = disks(world), world.machine.blocks.disks[1]
    wanted = holding(world, disks=one[:2], spares=[one[2]])
    applied(world, wanted)
    world.machine.advance(400)
    changed(world, array_changes.fail, ArrayDiskChoice(disk=one[1]))
    changed(world, array_changes.remove, ArrayDiskChoice(disk=one[1]))
    assert members(world) == {one[0]: "in_sync", one[2]: "in_sync"}
    plan = applied(world, wanted)
    assert [step.kind for step in plan.steps if step.kind.startswith("md.")] == ["md.add"]
    assert members(world) == {one[0]: "in_sync", one[2]: "in_sync", lost.links()[0]: "spare"}
    assert ask(world, wanted).job_id is None


def test_a_document_written_while_a_disk_is_replaced_does_not_have_the_old_one(world: World) -> None:
    """Otherwise the array would grow by the disk that was taken out of it when the document is applied again."""
    one = disks(world)
    mirror = {"name": "tank", "level": "raid1", "disks": one[:2], "write_mostly": one[1:2]}
    applied(world, document(world, arrays=[mirror]))
    world.machine.advance(400)
    world.do(
        lambda tx: array_changes.replace(world.control.change(tx, ACTOR), "tank", ArrayReplace(disk=one[1], new=one[2]))
    )
    assert members(world)[one[2]] == "replacing"
    written = exported(world)
    assert written.arrays
    assert (written.arrays[0].disks, written.arrays[0].write_mostly) == ((one[0], one[2]), (one[2],))
    assert ask(world, written).job_id is None
    world.machine.advance(400)
    array_care.release_replaced(world.store, world.control.services, world.control.observation(0))
    with world.store.read() as tx:
        (job,) = tx.scalars(select(Job.id).where(Job.state == "pending")).all()
    world.control.run_job(job)
    assert one[1] not in members(world)
    assert ask(world, written).job_id is None


def test_a_disk_whose_replacement_is_lost_stays_in_the_document(world: World) -> None:
    applied(world, document(world))
    world.machine.advance(400)
    one = disks(world)
    world.do(
        lambda tx: array_changes.replace(world.control.change(tx, ACTOR), "tank", ArrayReplace(disk=one[1], new=one[2]))
    )
    world.machine.pull(world.machine.blocks.disks[2])
    changed(world, array_changes.remove, ArrayDiskChoice(disk=one[2]))
    written = exported(world)
    assert written.arrays
    assert written.arrays[0].disks == tuple(one[:2])
    assert ask(world, document(world)).job_id is None


def test_a_lost_disk_whose_place_is_taken_is_a_spare_in_the_document(world: World) -> None:
    """It becomes a spare once it is back: as another member it would make the array grow."""
    one = disks(world)
    applied(world, holding(world, disks=one[:2], spares=[one[2]]))
    world.machine.advance(400)
    changed(world, array_changes.fail, ArrayDiskChoice(disk=one[1]))
    written = exported(world)
    assert written.arrays
    assert (written.arrays[0].disks, written.arrays[0].spares) == ((one[0], one[2]), (one[1],))
    assert ask(world, written).job_id is None
    changed(world, array_changes.remove, ArrayDiskChoice(disk=one[1]))
    assert exported(world).arrays == (written.arrays[0].model_copy(update={"spares": ()}),)
    assert [step.kind for step in applied(world, written).steps] == ["md.add"]
    assert members(world) == {one[0]: "in_sync", one[2]: "in_sync", one[1]: "spare"}


def test_spares_that_are_left_out_stay(world: World) -> None:
    applied(world, document(world))
    world.machine.advance(400)
    changed(world, array_changes.add_spares, ArrayAddSpares(disks=(disks(world)[2],)))
    assert ask(world, document(world)).job_id is None
    with pytest.raises(Conflict, match="lunette array remove") as refusal:
        ask(world, holding(world, disks=disks(world)[:2], spares=[]))
    assert [problem.field for problem in refusal.value.errors] == ["arrays[0].spares"]


MIRROR = {"engine": "md", "level": "raid1"}
PARITY = {"engine": "md", "level": "raid5"}
POOL = {"engine": "zfs", "level": "mirror"}


@pytest.mark.parametrize(
    ("array", "lists"),
    [
        (MIRROR, {"spares": slice(3, 4)}),
        (MIRROR, {"disks": slice(0, 5)}),
        (MIRROR, {"disks": slice(0, 4), "spares": slice(4, 5)}),
        (PARITY, {"disks": slice(0, 4), "spares": slice(4, 5)}),
        (POOL, {"log": slice(3, 4), "cache": slice(4, 5), "spares": slice(5, 6)}),
        (POOL, {"special": slice(3, 6)}),
    ],
)
def test_what_is_foreseen_of_an_array_with_more_disks_is_what_happens(
    world: World, array: dict[str, str], lists: dict[str, slice]
) -> None:
    one = disks(world)
    before = {"name": "tank", **array, "disks": one[:3]}
    applied(world, document(world, arrays=[before]))
    world.machine.advance(400)
    seen = world.control.observation(0)
    more = {name: one[which] for name, which in lists.items()}
    plan = applied(world, document(world, arrays=[{**before, **more}]))
    foreseen, found = reduce(after, plan.steps, seen), world.control.observation(0)
    assert [place(one) for one in foreseen.arrays] == [place(one) for one in found.arrays] != []
    assert [is_blank(disk) for disk in foreseen.disks] == [is_blank(disk) for disk in found.disks]


def place(array: ObservedArray) -> tuple[Any, ...]:
    """What makes a difference for a change that follows."""
    members = sorted((one.disk_id, one.role, one.state) for one in array.members)
    state = array.state, array.is_reshaping, array.progress and array.progress.action
    return array.uuid, array.raid_disks, *state, array.write_hole, array.size_bytes, members


def is_blank(disk: ObservedDisk) -> bool:
    return not (disk.signatures or disk.partitions or disk.holders)


@pytest.mark.parametrize(
    ("lists", "error", "words"),
    [
        ({"disks": slice(0, 3), "spares": slice(2, 3)}, LunetteError, "belongs to array tank"),
        ({"disks": slice(1, 3)}, Conflict, "lunette array replace"),
    ],
)
def test_what_cannot_join_is_refused_and_nothing_is_changed(
    world: World, lists: dict[str, slice], error: type[Exception], words: str
) -> None:
    applied(world, document(world))
    world.machine.advance(40)
    before, now = there(world), members(world)
    with pytest.raises(error, match="nothing was changed") as refusal:
        ask(world, holding(world, **{name: disks(world)[which] for name, which in lists.items()}))
    assert words in str(refusal.value)
    assert (there(world), members(world)) == (before, now)


def test_a_disk_with_content_joins_only_if_it_is_named(world: World) -> None:
    applied(world, document(world))
    world.machine.advance(40)
    used = world.machine.blocks.disks[2]
    used.media.signatures.append(FakeSignature("ext4", 1080))
    world.machine.changed()
    wanted = holding(world, disks=disks(world)[:2], spares=[disks(world)[2]])
    with pytest.raises(LunetteError, match="nothing was changed") as refusal:
        ask(world, wanted)
    assert [problem.field for problem in refusal.value.errors] == ["arrays[0].spares"]
    plan = applied(world, wanted, f"disk/{disks(world)[2]}")
    assert [step.kind for step in plan.steps] == ["disk.wipe", "md.add"]
    assert members(world)[disks(world)[2]] == "spare"


def test_blocks_that_a_host_cannot_use_are_refused_before_the_volume_is_there(world: World) -> None:
    for disk in world.machine.blocks.disks[:2]:
        disk.logical_block_bytes = 4096
    world.machine.changed()
    owners = [{"name": name, "iqns": [f"iqn.2026-01.com.example:{name}"], "os_type": "esxi"} for name in ("h1", "h2")]
    before = there(world)
    with pytest.raises(Invalid, match="nothing was changed") as refusal:
        ask(world, document(world, hosts=owners))
    assert "volume v1 has a block size of 4096 bytes" in refusal.value.detail
    assert there(world) == before


def test_growth_waits_for_the_resync_of_the_array(world: World) -> None:
    applied(world, document(world))
    with pytest.raises(Conflict, match="is busy") as refusal:
        ask(world, holding(world, disks=disks(world)[:3]))
    assert [problem.field for problem in refusal.value.errors] == ["arrays[0].disks"]


def test_a_pool_does_not_grow_and_says_so(world: World) -> None:
    pool = {"name": "tank", "engine": "zfs", "level": "mirror", "disks": disks(world)[:2]}
    applied(world, document(world, arrays=[pool]))
    with pytest.raises(Invalid, match="create a second pool"):
        ask(world, document(world, arrays=[{**pool, "disks": disks(world)[:3]}]))


def renamed() -> dict[str, Any]:
    """Sections of the document of `test_site` under other names."""
    return {
        "volumes": [
            {"name": f"w{n}", "renamed_from": f"v{n}", "array": "tank", "size_bytes": "64MiB"} for n in (1, 2, 3)
        ],
        "hosts": [
            {"name": "k1", "renamed_from": "h1", "iqns": ["iqn.2026-01.com.example:h1"], "chap": {"user": "h1"}},
            {"name": "h2", "iqns": ["iqn.2026-01.com.example:h2"]},
        ],
        "host_groups": [{"name": "f", "renamed_from": "g", "hosts": ["h2"]}],
        "mappings": [
            {"volume": "w1", "host": "k1"},
            {"volume": "w2", "host": "k1", "lun": 7},
            {"volume": "w3", "host_group": "f"},
        ],
    }


def test_renaming_leaves_data_identity_and_paths_as_they_are(world: World) -> None:
    applied(world, document(world))
    served, volumes = world.settle().targets, world.control.observation(0).volumes
    plan = applied(world, document(world, **renamed()))
    assert (plan.steps, plan.hosts_interrupted, plan.leaving) == ((), (), ())
    assert {key for key in there(world) if key.startswith(("volume", "host", "mapping"))} == {
        "volume/w1",
        "volume/w2",
        "volume/w3",
        "host/k1",
        "host/h2",
        "host-group/f",
        "mapping/w1/host/k1",
        "mapping/w2/host/k1",
        "mapping/w3/host-group/f",
    }
    assert world.control.observation(0).volumes == volumes
    assert world.settle().targets == served
    again = ask(world, document(world, **renamed()))
    assert (again.job_id, again.plan.changes) == (None, ())
