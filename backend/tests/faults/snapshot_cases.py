"""Jobs on deleted snapshots, and on volumes and arrays that have some."""

from backend.tests.faults.asking import delete_volume, erase
from backend.tests.faults.harness import Case
from backend.tests.faults.pool_cases import zvol_snapshot
from backend.tests.faults.thin_cases import delete_thin, one_snapshot
from backend.tests.faults.world import ACTOR, World
from lunette.domain.settings import SettingsPatch
from lunette.domain.snapshots import SnapshotRecover
from lunette.engine.changes import deleted_snapshots, settings, snapshots
from lunette.engine.context.outcome import Outcome
from lunette.store.resources import DeletedSnapshot


def delete_snapshot(world: World, name: str) -> Outcome:
    return world.ask(lambda tx: snapshots.delete(world.control.change(tx, ACTOR), name))


def _recover(world: World, name: str) -> Outcome:
    id_ = _id(world, name)
    return world.ask(lambda tx: deleted_snapshots.recover(world.control.change(tx, ACTOR), id_, SnapshotRecover()))


def _erase(world: World, name: str) -> Outcome:
    id_ = _id(world, name)
    return world.ask(lambda tx: deleted_snapshots.erase(world.control.change(tx, ACTOR), id_))


def _id(world: World, name: str) -> str:
    with world.store.read() as tx:
        return tx.query(DeletedSnapshot).filter_by(name=name).one().id


def _keep_nothing(world: World) -> None:
    world.ask(lambda tx: settings.patch(world.control.change(tx, ACTOR), SettingsPatch(deleted_keep_hours=0)))


def _for_good(world: World) -> None:
    one_snapshot(world)
    _keep_nothing(world)


def _deleted(world: World) -> None:
    one_snapshot(world)
    world.finish(delete_snapshot(world, "s1").job_id or "")


def _with_its_volume(world: World) -> None:
    _deleted(world)
    world.finish(delete_thin(world).job_id or "")


def _of_a_zvol(world: World) -> None:
    zvol_snapshot(world)
    world.finish(delete_snapshot(world, "zs").job_id or "")


def _with_its_zvol(world: World) -> None:
    _of_a_zvol(world)
    world.finish(delete_volume(world, "z1").job_id or "")


SNAPSHOT_CASES = (
    Case("delete a snapshot", one_snapshot, lambda world: delete_snapshot(world, "s1")),
    Case("delete a snapshot for good", _for_good, lambda world: delete_snapshot(world, "s1")),
    Case("recover a snapshot", _deleted, lambda world: _recover(world, "s1")),
    Case("erase a snapshot", _deleted, lambda world: _erase(world, "s1")),
    Case("delete a thin volume with a deleted snapshot", _deleted, delete_thin),
    Case("erase the last thin volume with a deleted snapshot", _with_its_volume, lambda world: erase(world, "t1")),
    Case("delete a snapshot of a zvol", zvol_snapshot, lambda world: delete_snapshot(world, "zs")),
    Case("recover a snapshot of a zvol", _of_a_zvol, lambda world: _recover(world, "zs")),
    Case("erase a snapshot of a zvol", _of_a_zvol, lambda world: _erase(world, "zs")),
    Case("delete a zvol with a deleted snapshot", _of_a_zvol, lambda world: delete_volume(world, "z1")),
    Case("erase a zvol with a deleted snapshot", _with_its_zvol, lambda world: erase(world, "z1")),
    Case("erase a snapshot of a deleted zvol", _with_its_zvol, lambda world: _erase(world, "zs")),
)
