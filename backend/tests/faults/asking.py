"""What the cases of every engine ask for."""

from backend.tests.fakemachine import FakeDisk
from backend.tests.faults.world import ACTOR, World
from lunette.domain.array_changes import ArrayRelease
from lunette.domain.volumes import VolumeRecover
from lunette.engine.changes.array_release import release
from lunette.engine.context.outcome import Outcome
from lunette.store.resources import Array, DeletedVolume, Mapping, Volume


def free_disks(world: World) -> list[FakeDisk]:
    """Four blank drives: the first two carry the array everybody lives on, the last two somebody else's."""
    return [disk for disk in world.machine.blocks.disks if disk.transport == "nvme"][2:6]


def delete_array(world: World, name: str) -> Outcome:
    with world.store.read() as tx:
        array_id = tx.query(Array).filter_by(name=name).one().id
    return world.ask(lambda tx: world.control.delete_array(tx, ACTOR, array_id))


def release_array(world: World, name: str, confirm: str | None = None) -> Outcome:
    wish = ArrayRelease(confirm=confirm or name)
    with world.store.read() as tx:
        array_id = tx.query(Array).filter_by(name=name).one().id
    return world.ask(lambda tx: release(tx, world.control.desk, ACTOR, array_id, wish, False))


def unmap_volume(world: World, name: str) -> None:
    with world.store.read() as tx:
        volume_id = tx.query(Volume).filter_by(name=name).one().id
        mapping_id = tx.query(Mapping).filter_by(volume_id=volume_id).one().id
    world.ask(lambda tx: world.control.delete_mapping(tx, ACTOR, mapping_id))


def delete_volume(world: World, name: str) -> Outcome:
    with world.store.read() as tx:
        volume_id = tx.query(Volume).filter_by(name=name).one().id
    return world.ask(lambda tx: world.control.delete_volume(tx, ACTOR, volume_id))


def recover(world: World, name: str) -> Outcome:
    with world.store.read() as tx:
        row = tx.query(DeletedVolume).filter_by(name=name).one()
    return world.ask(lambda tx: world.control.recover_volume(tx, ACTOR, row.id, VolumeRecover()))


def erase(world: World, name: str) -> Outcome:
    with world.store.read() as tx:
        row = tx.query(DeletedVolume).filter_by(name=name).one()
    return world.ask(lambda tx: world.control.erase_volume(tx, ACTOR, row.id))


def disk_id(world: World, number: int) -> str:
    return free_disks(world)[number].links()[0]
