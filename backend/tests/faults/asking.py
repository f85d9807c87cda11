"""What the cases of every engine ask for."""

from backend.tests.fakemachine import FakeDisk
from backend.tests.faults.world import ACTOR, World
from lunette.domain.array_changes import ArrayRelease
from lunette.domain.volumes import VolumeRecover
from lunette.engine.changes import arrays, deleted_volumes, mappings, volumes
from lunette.engine.changes.array_release import release
from lunette.engine.context.outcome import Outcome
from lunette.store.resources import Array, DeletedVolume, Mapping, Volume


def free_disks(world: World) -> list[FakeDisk]:
    """The four blank drives: the first two of eight carry the bystanders' array, the last two a foreign one."""
    return [disk for disk in world.machine.blocks.disks if disk.transport == "nvme"][2:6]


def delete_array(world: World, name: str) -> Outcome:
    with world.store.read() as tx:
        array_id = tx.query(Array).filter_by(name=name).one().id
    return world.ask(lambda tx: arrays.delete(world.control.change(tx, ACTOR), array_id))


def release_array(world: World, name: str, confirm: str | None = None) -> Outcome:
    spec = ArrayRelease(confirm=confirm or name)
    with world.store.read() as tx:
        array_id = tx.query(Array).filter_by(name=name).one().id
    return world.ask(lambda tx: release(world.control.change(tx, ACTOR), array_id, spec))


def unmap_volume(world: World, name: str) -> None:
    with world.store.read() as tx:
        volume_id = tx.query(Volume).filter_by(name=name).one().id
        mapping_id = tx.query(Mapping).filter_by(volume_id=volume_id).one().id
    world.ask(lambda tx: mappings.delete(world.control.change(tx, ACTOR), mapping_id))


def delete_volume(world: World, name: str) -> Outcome:
    with world.store.read() as tx:
        volume_id = tx.query(Volume).filter_by(name=name).one().id
    return world.ask(lambda tx: volumes.delete(world.control.change(tx, ACTOR), volume_id))


def recover(world: World, name: str) -> Outcome:
    with world.store.read() as tx:
        row = tx.query(DeletedVolume).filter_by(name=name).one()
    return world.ask(lambda tx: deleted_volumes.recover(world.control.change(tx, ACTOR), row.id, VolumeRecover()))


def erase(world: World, name: str) -> Outcome:
    with world.store.read() as tx:
        row = tx.query(DeletedVolume).filter_by(name=name).one()
    return world.ask(lambda tx: deleted_volumes.erase(world.control.change(tx, ACTOR), row.id))


def disk_id(world: World, number: int) -> str:
    return free_disks(world)[number].links()[0]
