"""When deleted snapshots are erased, and what is refused while a job has one of them, or their volume."""

import datetime as dt
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import select

from backend.tests.engine.scheduling import ADMIN, DAY, Rig
from lunette.domain.errors import Conflict, LunetteError, Stuck
from lunette.domain.jobs import ResourceState
from lunette.domain.settings import SettingsPatch
from lunette.domain.snapshots import SnapshotBatch, SnapshotClone, SnapshotCreate, SnapshotRecover
from lunette.domain.volumes import VolumeRecover, VolumeRollBack
from lunette.engine.background import eraser
from lunette.engine.changes import (
    deleted_snapshots,
    deleted_volumes,
    schedules,
    settings,
    snapshots,
    volume_batches,
    volumes,
)
from lunette.engine.context.outcome import Outcome
from lunette.engine.recovery import rebuilding
from lunette.store.database import Store
from lunette.store.journal import Job
from lunette.store.resources import DeletedSnapshot, DeletedVolume, Snapshot, Volume

STEP_S = 300.0


@pytest.fixture
def rig(sqlite_store: Store) -> Rig:
    return Rig(sqlite_store)


def take(rig: Rig, *names: str) -> None:
    for name in names:
        spec = SnapshotCreate(name=name, volume="t1")
        rig.do(lambda tx, spec=spec: snapshots.take(rig.control.change(tx, ADMIN), spec))


def delete(rig: Rig, name: str) -> None:
    rig.do(lambda tx: snapshots.delete(rig.control.change(tx, ADMIN), name))


def rows(rig: Rig, table: Any) -> list[str]:
    with rig.store.read() as tx:
        return list(tx.scalars(select(table.name).order_by(table.name)))


def test_what_a_schedule_lets_go_is_destroyed_at_once(rig: Rig) -> None:
    """The space of a day's snapshots is not held in the pool that all thin volumes share."""
    rig.schedule(keep={"last": 1})
    before = rig.lvs()
    for _day in range(3):
        rig.at(rig.now + DAY)
    assert len(rig.jobs("snapshot.delete")) == 2
    assert (rows(rig, DeletedSnapshot), len(rig.lvs() - before)) == ([], 1)


def test_one_is_erased_after_its_own_hours_though_its_volume_has_hours_left(rig: Rig) -> None:
    wall, ran = [rig.now], [0.0]
    erasing = eraser.Eraser(rig.store, rig.control.services, lambda: wall[0], lambda: ran[0])

    def pass_hours(hours: float) -> None:
        for _ in range(int(hours * 12)):
            ran[0] += STEP_S
            wall[0] += dt.timedelta(seconds=STEP_S)
            erasing.round()
            rig.drain()

    erasing.round()
    take(rig, "s1")
    delete(rig, "s1")
    pass_hours(12)
    rig.do(lambda tx: volumes.delete(rig.control.change(tx, ADMIN), "t1"))
    assert rows(rig, DeletedSnapshot) == ["s1"]
    pass_hours(12.2)
    assert (rows(rig, DeletedSnapshot), rows(rig, DeletedVolume)) == ([], ["t1"])
    pass_hours(12)
    assert rows(rig, DeletedVolume) == []


Change = Callable[[Rig, Any], Outcome]


def _recover_snapshot(rig: Rig, tx: Any) -> Outcome:
    row = tx.scalars(select(DeletedSnapshot)).one()
    return deleted_snapshots.recover(rig.control.change(tx, ADMIN), row.id, SnapshotRecover())


def _erase_snapshot(rig: Rig, tx: Any) -> Outcome:
    row = tx.scalars(select(DeletedSnapshot)).one()
    return deleted_snapshots.erase(rig.control.change(tx, ADMIN), row.id)


def _roll_back(rig: Rig, tx: Any) -> Outcome:
    return snapshots.roll_back(rig.control.change(tx, ADMIN), "t1", VolumeRollBack(snapshot="there"))


def _delete_snapshot(rig: Rig, tx: Any) -> Outcome:
    return snapshots.delete(rig.control.change(tx, ADMIN), "there")


def _delete_volume(rig: Rig, tx: Any) -> Outcome:
    return volumes.delete(rig.control.change(tx, ADMIN), "t1")


def _delete_volumes(rig: Rig, tx: Any) -> Outcome:
    return volume_batches.delete(rig.control.change(tx, ADMIN), ("t1", "t2"))


@pytest.mark.parametrize("change", [_recover_snapshot, _erase_snapshot, _delete_snapshot])
@pytest.mark.parametrize(("state", "error"), [(ResourceState.CHANGING, Conflict), (ResourceState.STUCK, Stuck)])
def test_no_snapshot_changes_its_place_while_a_job_has_its_volume(
    rig: Rig, change: Change, state: ResourceState, error: type[LunetteError]
) -> None:
    """On ZFS a snapshot has its place below its volume: what moves is not found there, and counts as gone."""
    take(rig, "deleted", "there")
    delete(rig, "deleted")
    with rig.store.write() as tx:
        tx.scalars(select(Volume).where(Volume.name == "t1")).one().state = state.value
    with pytest.raises(error, match="t1"), rig.store.write() as tx:
        change(rig, tx)


@pytest.mark.parametrize("change", [_roll_back, _delete_volume, _delete_volumes])
def test_no_volume_changes_its_place_while_a_job_has_one_of_its_deleted_snapshots(rig: Rig, change: Change) -> None:
    take(rig, "there", "deleted")
    delete(rig, "deleted")
    if change is not _roll_back:
        delete(rig, "there")
    with rig.store.write() as tx:
        tx.scalars(select(DeletedSnapshot).where(DeletedSnapshot.name == "deleted")).one().state = "deleting"
    with pytest.raises(Conflict, match="napshot deleted is deleting"), rig.store.write() as tx:
        change(rig, tx)


def test_no_volume_is_rolled_back_while_a_job_has_another_of_its_snapshots(rig: Rig) -> None:
    take(rig, "older", "there")
    with rig.store.write() as tx:
        tx.scalars(select(Snapshot).where(Snapshot.name == "older")).one().state = "deleting"
    with pytest.raises(Conflict, match="Snapshot older is deleting"), rig.store.write() as tx:
        _roll_back(rig, tx)


def _recover_volume(rig: Rig, tx: Any) -> Outcome:
    row = tx.scalars(select(DeletedVolume)).one()
    return deleted_volumes.recover(rig.control.change(tx, ADMIN), row.id, VolumeRecover())


def _erase_volume(rig: Rig, tx: Any) -> Outcome:
    return deleted_volumes.erase(rig.control.change(tx, ADMIN), tx.scalars(select(DeletedVolume)).one().id)


@pytest.mark.parametrize("change", [_recover_volume, _erase_volume])
def test_no_deleted_volume_changes_its_place_while_a_job_has_one_of_its_snapshots(rig: Rig, change: Change) -> None:
    take(rig, "s1")
    delete(rig, "s1")
    rig.do(lambda tx: volumes.delete(rig.control.change(tx, ADMIN), "t1"))
    with rig.store.write() as tx:
        tx.scalars(select(DeletedSnapshot)).one().state = "deleting"
    with pytest.raises(Conflict, match="napshot s1 is deleting"), rig.store.write() as tx:
        change(rig, tx)


def _rename(rig: Rig, old: str, new: str) -> None:
    (view,) = [view for view in rig.machine.lvm.lvs() if view.lv.name == old]
    rig.machine.lvm.rename(view, new)
    rig.control._cache.forget()


def _aside(rig: Rig, table: Any) -> str:
    with rig.store.read() as tx:
        id_: str = tx.scalars(select(table.id)).one()
    return f"d{id_.replace('-', '')[:12]}"


def _state(rig: Rig, outcome: Outcome) -> str:
    with rig.store.read() as tx:
        return tx.get_one(Job, outcome.job_id).state


def test_what_an_older_database_takes_for_deleted_is_not_erased_once_it_is_back(rig: Rig) -> None:
    """It stays in the list, where it can be recovered: a snapshot without a row would stay in the way forever."""
    take(rig, "s1")
    place = rig.backing_name(Snapshot, "s1")
    delete(rig, "s1")
    _rename(rig, _aside(rig, DeletedSnapshot), place)
    assert _state(rig, rig.do(lambda tx: _erase_snapshot(rig, tx))) in ("failed", "undone")
    assert (place in rig.lvs(), rows(rig, DeletedSnapshot)) == (True, ["s1"])
    rig.do(lambda tx: _recover_snapshot(rig, tx))
    assert (rows(rig, Snapshot), rows(rig, DeletedSnapshot)) == (["s1"], [])


def test_a_deleted_volume_that_is_back_is_not_forgotten_either(rig: Rig) -> None:
    place = rig.backing_name(Volume, "t1")
    rig.do(lambda tx: volumes.delete(rig.control.change(tx, ADMIN), "t1"))
    _rename(rig, _aside(rig, DeletedVolume), place)
    assert _state(rig, rig.do(lambda tx: _erase_volume(rig, tx))) in ("failed", "undone")
    assert (place in rig.lvs(), rows(rig, DeletedVolume)) == (True, ["t1"])
    rig.do(lambda tx: _recover_volume(rig, tx))
    assert "t1" in rows(rig, Volume)


def test_a_snapshot_in_an_older_database_is_erased_from_where_it_is_retained(rig: Rig) -> None:
    take(rig, "s1")
    with rig.store.read() as tx:
        id_ = tx.scalars(select(Snapshot.id)).one()
    before = rig.lvs()
    _rename(rig, rig.backing_name(Snapshot, "s1"), f"d{id_.replace('-', '')[:12]}")
    rig.do(lambda tx: settings.patch(rig.control.change(tx, ADMIN), SettingsPatch(deleted_keep_hours=0)))
    delete(rig, "s1")
    assert (rows(rig, Snapshot), len(before) - len(rig.lvs())) == ([], 1)


def test_a_snapshot_is_not_deleted_before_a_requested_clone_is_created(rig: Rig) -> None:
    """On ZFS it could never be erased then, and the machine does not show the clone yet."""
    take(rig, "s1")
    with rig.store.write() as tx:
        snapshots.clone(rig.control.change(tx, ADMIN), "s1", SnapshotClone(name="copy"))
    with pytest.raises(Conflict, match="copy is creating"), rig.store.write() as tx:
        snapshots.delete(rig.control.change(tx, ADMIN), "s1")


def test_a_job_whose_snapshot_is_already_retained_ends(rig: Rig) -> None:
    """Both rows can come from a backup."""
    take(rig, "s1")
    with rig.store.write() as tx:
        row = tx.scalars(select(Snapshot)).one()
        same = {name: getattr(row, name) for name in ("id", "name", "volume_id", "size_bytes", "backing_name")}
        tx.add(DeletedSnapshot(due_s=0, **same))
    delete(rig, "s1")
    assert (rows(rig, Snapshot), rows(rig, DeletedSnapshot)) == ([], ["s1"])


def test_the_dry_run_of_a_schedule_says_that_the_old_ones_are_lost(rig: Rig) -> None:
    rig.schedule(keep={"last": 1})
    rig.run()
    with rig.store.write() as tx:
        plan = schedules.run(rig.control.change(tx, ADMIN, dry_run=True), "nightly").plan
    assert not any("can be recovered" in change.detail for change in plan.changes)
    assert any(step.irreversible for step in plan.steps)


def test_an_erasure_prevents_no_snapshot_of_many(rig: Rig) -> None:
    take(rig, "s1")
    delete(rig, "s1")
    with rig.store.write() as tx:
        tx.scalars(select(DeletedSnapshot)).one().state = "deleting"
    spec = SnapshotBatch(volumes=("t1", "t2"), name="{volume}-again")
    rig.do(lambda tx: volume_batches.take_snapshots(rig.control.change(tx, ADMIN), spec))
    assert rows(rig, Snapshot) == ["t1-again", "t2-again"]


def test_nothing_is_erased_while_a_site_document_is_applied(rig: Rig) -> None:
    """It would stop at what the eraser has."""
    take(rig, "s1")
    delete(rig, "s1")
    with rig.store.write() as tx:
        tx.scalars(select(DeletedSnapshot)).one().due_s = 0
        tx.add(
            Job(
                id="site",
                kind="site.apply",
                title="",
                resource_kind="site",
                resource_ids=[],
                plan={},
                actor="",
                state="running",
                steps_total=0,
            )
        )
    erasing = eraser.Eraser(rig.store, rig.control.services)
    erasing.round()
    assert rig.jobs("snapshot.erase") == []
    with rig.store.write() as tx:
        tx.get_one(Job, "site").state = "succeeded"
    erasing.round()
    assert len(rig.jobs("snapshot.erase")) == 1


def test_a_row_whose_volume_is_nowhere_stops_no_erasure(rig: Rig) -> None:
    take(rig, "s1")
    delete(rig, "s1")
    with rig.store.write() as tx:
        tx.scalars(select(DeletedSnapshot)).one().volume_id = "nowhere"
    eraser.Eraser(rig.store, rig.control.services).round()
    assert rows(rig, DeletedSnapshot) == []


def test_a_copy_from_the_middle_of_a_recovery_gives_one_row_of_each() -> None:
    """What was being recovered is a deleted one again, as if the job had been undone."""
    rows: dict[str, list[dict[str, Any]]] = {
        "array": [{"id": "a", "uuid": "u"}],
        "array_disk": [],
        "volume": [_row("v1", array_id="a"), _row("v2", "stuck", array_id="a")],
        "deleted_volume": [_row("v2", "stuck", array_id="a"), _row("v3", array_id="a")],
        "snapshot": [_row("s1", volume_id="v1"), _row("s2", "changing", volume_id="v1")],
        "deleted_snapshot": [_row("s2", volume_id="v1"), _row("s3", volume_id="v3"), _row("s4", volume_id="elsewhere")],
        "mapping": [],
    }
    offer = SimpleNamespace(rows=rows, found=SimpleNamespace(array_uuid="u"))
    chosen = rebuilding._selected([offer])  # type: ignore[list-item]
    kinds = ("volume", "deleted_volume", "snapshot", "deleted_snapshot")
    found = [sorted(row["id"] for row in chosen[kind]) for kind in kinds]
    assert found == [["v1"], ["v2", "v3"], ["s1"], ["s2", "s3"]]


def _row(id_: str, state: str = "ready", **more: str) -> dict[str, Any]:
    return {"id": id_, "state": state, **more}
