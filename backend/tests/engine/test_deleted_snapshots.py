"""When deleted snapshots are erased, and what is refused while a job has one of them, or their volume."""

import datetime as dt
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import select

from backend.tests.engine.scheduling import ADMIN, DAY, Bench
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
def bench(sqlite_store: Store) -> Bench:
    return Bench(sqlite_store)


def take(bench: Bench, *names: str) -> None:
    for name in names:
        spec = SnapshotCreate(name=name, volume="t1")
        bench.do(lambda tx, spec=spec: snapshots.take(bench.control.change(tx, ADMIN), spec))


def delete(bench: Bench, name: str) -> None:
    bench.do(lambda tx: snapshots.delete(bench.control.change(tx, ADMIN), name))


def rows(bench: Bench, table: Any) -> list[str]:
    with bench.store.read() as tx:
        return list(tx.scalars(select(table.name).order_by(table.name)))


def test_what_a_schedule_lets_go_is_destroyed_at_once(bench: Bench) -> None:
    """The space of a day's snapshots is not held in the pool that all thin volumes share."""
    bench.schedule(keep={"last": 1})
    before = bench.lvs()
    for _day in range(3):
        bench.at(bench.now + DAY)
    assert len(bench.jobs("snapshot.delete")) == 2
    assert (rows(bench, DeletedSnapshot), len(bench.lvs() - before)) == ([], 1)


def test_one_is_erased_after_its_own_hours_though_its_volume_has_hours_left(bench: Bench) -> None:
    wall, ran = [bench.now], [0.0]
    erasing = eraser.Eraser(bench.store, bench.control.services, lambda: wall[0], lambda: ran[0])

    def pass_hours(hours: float) -> None:
        for _ in range(int(hours * 12)):
            ran[0] += STEP_S
            wall[0] += dt.timedelta(seconds=STEP_S)
            erasing.round()
            bench.drain()

    erasing.round()
    take(bench, "s1")
    delete(bench, "s1")
    pass_hours(12)
    bench.do(lambda tx: volumes.delete(bench.control.change(tx, ADMIN), "t1"))
    assert rows(bench, DeletedSnapshot) == ["s1"]
    pass_hours(12.2)
    assert (rows(bench, DeletedSnapshot), rows(bench, DeletedVolume)) == ([], ["t1"])
    pass_hours(12)
    assert rows(bench, DeletedVolume) == []


Change = Callable[[Bench, Any], Outcome]


def _recover_snapshot(bench: Bench, tx: Any) -> Outcome:
    row = tx.scalars(select(DeletedSnapshot)).one()
    return deleted_snapshots.recover(bench.control.change(tx, ADMIN), row.id, SnapshotRecover())


def _erase_snapshot(bench: Bench, tx: Any) -> Outcome:
    row = tx.scalars(select(DeletedSnapshot)).one()
    return deleted_snapshots.erase(bench.control.change(tx, ADMIN), row.id)


def _roll_back(bench: Bench, tx: Any) -> Outcome:
    return snapshots.roll_back(bench.control.change(tx, ADMIN), "t1", VolumeRollBack(snapshot="there"))


def _delete_snapshot(bench: Bench, tx: Any) -> Outcome:
    return snapshots.delete(bench.control.change(tx, ADMIN), "there")


def _delete_volume(bench: Bench, tx: Any) -> Outcome:
    return volumes.delete(bench.control.change(tx, ADMIN), "t1")


def _delete_volumes(bench: Bench, tx: Any) -> Outcome:
    return volume_batches.delete(bench.control.change(tx, ADMIN), ("t1", "t2"))


@pytest.mark.parametrize("change", [_recover_snapshot, _erase_snapshot, _delete_snapshot])
@pytest.mark.parametrize(("state", "error"), [(ResourceState.CHANGING, Conflict), (ResourceState.STUCK, Stuck)])
def test_no_snapshot_changes_its_place_while_a_job_has_its_volume(
    bench: Bench, change: Change, state: ResourceState, error: type[LunetteError]
) -> None:
    """On ZFS a snapshot has its place below its volume: what moves is not found there, and counts as gone."""
    take(bench, "deleted", "there")
    delete(bench, "deleted")
    with bench.store.write() as tx:
        tx.scalars(select(Volume).where(Volume.name == "t1")).one().state = state.value
    with pytest.raises(error, match="t1"), bench.store.write() as tx:
        change(bench, tx)


@pytest.mark.parametrize("change", [_roll_back, _delete_volume, _delete_volumes])
def test_no_volume_changes_its_place_while_a_job_has_one_of_its_deleted_snapshots(bench: Bench, change: Change) -> None:
    take(bench, "there", "deleted")
    delete(bench, "deleted")
    if change is not _roll_back:
        delete(bench, "there")
    with bench.store.write() as tx:
        tx.scalars(select(DeletedSnapshot).where(DeletedSnapshot.name == "deleted")).one().state = "deleting"
    with pytest.raises(Conflict, match="napshot deleted is deleting"), bench.store.write() as tx:
        change(bench, tx)


def test_no_volume_is_rolled_back_while_a_job_has_another_of_its_snapshots(bench: Bench) -> None:
    take(bench, "older", "there")
    with bench.store.write() as tx:
        tx.scalars(select(Snapshot).where(Snapshot.name == "older")).one().state = "deleting"
    with pytest.raises(Conflict, match="Snapshot older is deleting"), bench.store.write() as tx:
        _roll_back(bench, tx)


def _recover_volume(bench: Bench, tx: Any) -> Outcome:
    row = tx.scalars(select(DeletedVolume)).one()
    return deleted_volumes.recover(bench.control.change(tx, ADMIN), row.id, VolumeRecover())


def _erase_volume(bench: Bench, tx: Any) -> Outcome:
    return deleted_volumes.erase(bench.control.change(tx, ADMIN), tx.scalars(select(DeletedVolume)).one().id)


@pytest.mark.parametrize("change", [_recover_volume, _erase_volume])
def test_no_deleted_volume_changes_its_place_while_a_job_has_one_of_its_snapshots(bench: Bench, change: Change) -> None:
    take(bench, "s1")
    delete(bench, "s1")
    bench.do(lambda tx: volumes.delete(bench.control.change(tx, ADMIN), "t1"))
    with bench.store.write() as tx:
        tx.scalars(select(DeletedSnapshot)).one().state = "deleting"
    with pytest.raises(Conflict, match="napshot s1 is deleting"), bench.store.write() as tx:
        change(bench, tx)


def _rename(bench: Bench, old: str, new: str) -> None:
    (view,) = [view for view in bench.machine.lvm.lvs() if view.lv.name == old]
    bench.machine.lvm.rename(view, new)
    bench.control._cache.forget()


def _aside(bench: Bench, table: Any) -> str:
    with bench.store.read() as tx:
        id_: str = tx.scalars(select(table.id)).one()
    return f"d{id_.replace('-', '')[:12]}"


def _state(bench: Bench, outcome: Outcome) -> str:
    with bench.store.read() as tx:
        return tx.get_one(Job, outcome.job_id).state


def test_what_an_older_database_takes_for_deleted_is_not_erased_once_it_is_back(bench: Bench) -> None:
    """It stays in the list, where it can be recovered: a snapshot that nobody knows would be in the way for ever."""
    take(bench, "s1")
    place = bench.backing_name(Snapshot, "s1")
    delete(bench, "s1")
    _rename(bench, _aside(bench, DeletedSnapshot), place)
    assert _state(bench, bench.do(lambda tx: _erase_snapshot(bench, tx))) in ("failed", "undone")
    assert (place in bench.lvs(), rows(bench, DeletedSnapshot)) == (True, ["s1"])
    bench.do(lambda tx: _recover_snapshot(bench, tx))
    assert (rows(bench, Snapshot), rows(bench, DeletedSnapshot)) == (["s1"], [])


def test_a_deleted_volume_that_is_back_is_not_forgotten_either(bench: Bench) -> None:
    place = bench.backing_name(Volume, "t1")
    bench.do(lambda tx: volumes.delete(bench.control.change(tx, ADMIN), "t1"))
    _rename(bench, _aside(bench, DeletedVolume), place)
    assert _state(bench, bench.do(lambda tx: _erase_volume(bench, tx))) in ("failed", "undone")
    assert (place in bench.lvs(), rows(bench, DeletedVolume)) == (True, ["t1"])
    bench.do(lambda tx: _recover_volume(bench, tx))
    assert "t1" in rows(bench, Volume)


def test_a_snapshot_in_an_older_database_is_erased_from_where_it_is_retained(bench: Bench) -> None:
    take(bench, "s1")
    with bench.store.read() as tx:
        id_ = tx.scalars(select(Snapshot.id)).one()
    before = bench.lvs()
    _rename(bench, bench.backing_name(Snapshot, "s1"), f"d{id_.replace('-', '')[:12]}")
    bench.do(lambda tx: settings.patch(bench.control.change(tx, ADMIN), SettingsPatch(deleted_keep_hours=0)))
    delete(bench, "s1")
    assert (rows(bench, Snapshot), len(before) - len(bench.lvs())) == ([], 1)


def test_a_snapshot_is_not_deleted_before_a_requested_clone_is_created(bench: Bench) -> None:
    """On ZFS it could never be erased then, and the machine does not show the clone yet."""
    take(bench, "s1")
    with bench.store.write() as tx:
        snapshots.clone(bench.control.change(tx, ADMIN), "s1", SnapshotClone(name="copy"))
    with pytest.raises(Conflict, match="copy is creating"), bench.store.write() as tx:
        snapshots.delete(bench.control.change(tx, ADMIN), "s1")


def test_a_job_whose_snapshot_is_already_retained_ends(bench: Bench) -> None:
    """Both rows can come from a backup."""
    take(bench, "s1")
    with bench.store.write() as tx:
        row = tx.scalars(select(Snapshot)).one()
        same = {name: getattr(row, name) for name in ("id", "name", "volume_id", "size_bytes", "backing_name")}
        tx.add(DeletedSnapshot(due_s=0, **same))
    delete(bench, "s1")
    assert (rows(bench, Snapshot), rows(bench, DeletedSnapshot)) == ([], ["s1"])


def test_the_dry_run_of_a_schedule_says_that_the_old_ones_are_lost(bench: Bench) -> None:
    bench.schedule(keep={"last": 1})
    bench.run()
    with bench.store.write() as tx:
        plan = schedules.run(bench.control.change(tx, ADMIN, dry_run=True), "nightly").plan
    assert not any("can be recovered" in change.detail for change in plan.changes)
    assert any(step.irreversible for step in plan.steps)


def test_an_erasure_prevents_no_snapshot_of_many(bench: Bench) -> None:
    take(bench, "s1")
    delete(bench, "s1")
    with bench.store.write() as tx:
        tx.scalars(select(DeletedSnapshot)).one().state = "deleting"
    spec = SnapshotBatch(volumes=("t1", "t2"), name="{volume}-again")
    bench.do(lambda tx: volume_batches.take_snapshots(bench.control.change(tx, ADMIN), spec))
    assert rows(bench, Snapshot) == ["t1-again", "t2-again"]


def test_nothing_is_erased_while_a_site_document_is_applied(bench: Bench) -> None:
    """It would stop at what the eraser has."""
    take(bench, "s1")
    delete(bench, "s1")
    with bench.store.write() as tx:
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
    erasing = eraser.Eraser(bench.store, bench.control.services)
    erasing.round()
    assert bench.jobs("snapshot.erase") == []
    with bench.store.write() as tx:
        tx.get_one(Job, "site").state = "succeeded"
    erasing.round()
    assert len(bench.jobs("snapshot.erase")) == 1


def test_a_row_whose_volume_is_nowhere_stops_no_erasure(bench: Bench) -> None:
    take(bench, "s1")
    delete(bench, "s1")
    with bench.store.write() as tx:
        tx.scalars(select(DeletedSnapshot)).one().volume_id = "nowhere"
    eraser.Eraser(bench.store, bench.control.services).round()
    assert rows(bench, DeletedSnapshot) == []


def test_a_copy_from_the_middle_of_a_recovery_gives_one_row_of_each() -> None:
    """What was being recovered is kept as it was, as if the job had been taken back."""
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
