"""Kinds of jobs on external arrays."""

from backend.tests.fakemachine import FakeSignature
from backend.tests.faults.asking import delete_array, delete_volume, free_disks
from backend.tests.faults.harness import Case
from backend.tests.faults.world import World
from lunette.domain.arrays import ArrayEngine, Level
from lunette.engine.context.outcome import Outcome


def _external(world: World, *, wipe: bool = False) -> Outcome:
    disks = free_disks(world)[:1]
    return world.create_array("raid", Level.EXTERNAL, disks, disks if wipe else (), engine=ArrayEngine.EXTERNAL)


def _used_device(world: World) -> None:
    free_disks(world)[0].media.signatures = [FakeSignature("ext4", 1080, "old", "u1")]
    world.machine.changed()


def _taken(world: World) -> None:
    world.finish(_external(world).job_id or "")


def _taken_with_deleted(world: World) -> None:
    _taken(world)
    world.finish(world.create_volumes("raid", "x1").job_id or "")
    world.finish(delete_volume(world, "x1").job_id or "")


EXTERNAL_CASES = (
    Case("take a device", lambda _world: None, _external),
    Case("take a device that is wiped", _used_device, lambda world: _external(world, wipe=True)),
    Case("create volumes on a device", _taken, lambda world: world.create_volumes("raid", "e1", "e2")),
    Case("delete an external array", _taken, lambda world: delete_array(world, "raid")),
    Case("delete an external array with a deleted volume", _taken_with_deleted, lambda w: delete_array(w, "raid")),
)
