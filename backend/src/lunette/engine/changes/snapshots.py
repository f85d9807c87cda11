"""Creates, deletes and clones snapshots, and rolls volumes back to them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.arrays import ArrayEngine
from lunette.domain.errors import Blocker
from lunette.domain.jobs import JobKind, ResourceState
from lunette.domain.observations import Observation
from lunette.domain.plans import Plan
from lunette.domain.snapshots import SnapshotClone, SnapshotCreate
from lunette.domain.volumes import Provisioning, VolumeRollBack
from lunette.engine.changes import deleted_snapshots, volumes
from lunette.engine.context.batch import chosen
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.lookup import by_reference, must_be_ready, name_taken, need
from lunette.engine.context.outcome import Outcome
from lunette.engine.journal.filing import file_for_all, file_job
from lunette.planner.checks.checker import Bounds, check
from lunette.planner.engines.volume_engines import thick_snapshot_reason
from lunette.planner.volumes import snapshots as planner
from lunette.planner.volumes.deletion import DoomedSnapshot, retention
from lunette.planner.volumes.snapshots import KnownSnapshot, SnapshotToDelete
from lunette.store.resources import Array, DeletedSnapshot, DeletedVolume, Snapshot, Volume
from lunette.store.schedules import CloneOrigin
from lunette.store.schema import utc_now
from lunette.store.settings import read_settings


def can_snapshot(volume: Volume, array: Array) -> bool:
    """False for a thick volume of an engine that supports snapshots of thin volumes only."""
    return thick_snapshot_reason(ArrayEngine(array.engine), Provisioning(volume.provisioning)) is None


def take(context: ChangeContext, spec: SnapshotCreate) -> Outcome:
    """Creates a snapshot of a volume, as a job. Hosts can write meanwhile."""
    tx = context.tx
    volume = need(tx, Volume, spec.volume)
    must_be_ready(volume)
    seen = context.services.seen()
    taken = name_taken(tx, Snapshot, spec.name)
    new = planner.plan_take(spec, volumes.known(tx, volume), seen, taken, context.services.identities)
    check(new.plan, seen, Bounds())
    if context.dry_run:
        return Outcome(plan=new.plan)
    tx.add(
        Snapshot(
            id=new.id,
            name=spec.name,
            volume_id=volume.id,
            size_bytes=volume.size_bytes,
            backing_name=new.step.backing_name,
            description=spec.description,
        )
    )
    context.emit("snapshot.creating", new.plan.title, ref=new.id)
    return file_job(context, JobKind.SNAPSHOTS_CREATE, Outcome(plan=new.plan, ids=(new.id,)))


def delete(context: ChangeContext, snapshot_id: str, *, keep: bool = True) -> Outcome:
    """Deletes a snapshot: it is retained for as long as the settings say, or erased immediately. Refused while a job
    uses its volume.
    """
    tx = context.tx
    snapshot = need(tx, Snapshot, snapshot_id)
    _must_be_free(tx, snapshot)
    seen = context.services.seen()
    (doomed,) = _to_delete(tx, [snapshot], seen, keep=keep).values()
    return _file_deletion(context, [snapshot], planner.plan_delete(doomed), seen)


def delete_batch(context: ChangeContext, references: Sequence[str]) -> Outcome:
    """Deletes many snapshots as one job, all or none; each is retained or erased like a single one."""
    tx = context.tx
    seen, rows = context.services.seen(), by_reference(tx, Snapshot, references)
    doomed = _to_delete(tx, list(dict.fromkeys(rows.values())), seen)
    picked = chosen(references, rows, lambda row: doomed[row.id], lambda row: _must_be_free(tx, row))
    plan = planner.plan_delete_batch(picked)
    return _file_deletion(context, [rows[one] for one in references], plan, seen)


def _file_deletion(context: ChangeContext, rows: Sequence[Snapshot], plan: Plan, seen: Observation) -> Outcome:
    check(plan, seen, Bounds())
    if context.dry_run:
        return Outcome(plan=plan)
    for row in rows:
        row.state = ResourceState.DELETING.value
    return file_for_all(context, JobKind.SNAPSHOT_DELETE, "snapshot.deleting", plan, [row.id for row in rows])


def _must_be_free(tx: Session, row: Snapshot) -> None:
    must_be_ready(tx.get_one(Volume, row.volume_id))
    must_be_settled(tx, [row])


def _to_delete(
    tx: Session, rows: Sequence[Snapshot], seen: Observation, *, keep: bool = True
) -> dict[str, SnapshotToDelete]:
    clones, known, now = _bound_to(tx, rows, seen), _known_all(tx, rows), utc_now()
    hours = read_settings(tx).deleted_keep_hours if keep else 0
    return {
        id_: SnapshotToDelete(one, clones[id_], planner.retention(one, hours, now, seen)) for id_, one in known.items()
    }


def must_be_settled(tx: Session, rows: Sequence[Snapshot]) -> None:
    """Raises Conflict or Stuck while a job uses one of these snapshots, or creates a clone of it."""
    for row in rows:
        must_be_ready(row)
    clones = select(Volume).join(CloneOrigin, CloneOrigin.volume_id == Volume.id)
    for clone in tx.scalars(clones.where(CloneOrigin.snapshot_id.in_([row.id for row in rows]))):
        if clone.state == ResourceState.CREATING:
            must_be_ready(clone)  # the machine does not show yet that the snapshot is needed


def of_volumes(tx: Session, volume_ids: Iterable[str]) -> dict[str, list[Snapshot]]:
    """The snapshots of each volume."""
    found = defaultdict[str, list[Snapshot]](list)
    query = select(Snapshot).where(Snapshot.volume_id.in_(list(volume_ids)))
    for row in tx.scalars(query.order_by(Snapshot.created_at, Snapshot.id)):
        found[row.volume_id].append(row)
    return found


def doomed(tx: Session, rows: Sequence[Snapshot], seen: Observation) -> tuple[DoomedSnapshot, ...]:
    """Snapshots of one volume that are deleted with others."""
    clones, known, now = _bound_to(tx, rows, seen), _known_all(tx, rows), utc_now()
    return tuple(
        DoomedSnapshot(
            row.id, row.name, clones[row.id], is_missing=planner.retention(known[row.id], 1, now, seen) is None
        )
        for row in rows
    )


def clone(context: ChangeContext, snapshot_id: str, spec: SnapshotClone) -> Outcome:
    """Creates volumes from a snapshot, all or none, as one job."""
    tx = context.tx
    snapshot = need(tx, Snapshot, snapshot_id)
    must_be_ready(snapshot)
    seen = context.services.seen()
    taken = frozenset(tx.scalars(select(Volume.name).where(Volume.name.in_(spec.names()))))
    new = planner.plan_clone(_known(tx, snapshot), spec, seen, taken, context.services.identities)
    check(new.plan, seen, Bounds())
    if context.dry_run:
        return Outcome(plan=new.plan)
    filed = volumes.file_new(context, new)
    tx.flush()
    tx.add_all(CloneOrigin(volume_id=volume_id, snapshot_id=snapshot.id) for volume_id in filed.ids)
    return filed


def roll_back(context: ChangeContext, volume_id: str, spec: VolumeRollBack) -> Outcome:
    """Rolls a volume back to one of its snapshots, as a job. Refused while it is mapped.

    The present content is retained for as long as a deleted volume, unless the spec says otherwise.
    """
    tx = context.tx
    volume = need(tx, Volume, volume_id)
    must_be_ready(volume)
    snapshot = need(tx, Snapshot, spec.snapshot)
    must_be_ready(snapshot)
    seen = context.services.seen()
    must_be_settled(tx, of_volumes(tx, [volume.id])[volume.id])  # on ZFS they move with the volume
    deleted_snapshots.must_be_settled(tx, [volume.id])
    newer, newer_deleted = _newer(tx, snapshot)
    before, array = volumes.known(tx, volume), tx.get_one(Array, volume.array_id)
    hours = read_settings(tx).deleted_keep_hours if spec.keep else 0
    to = planner.RollBack(
        before,
        _known(tx, snapshot),
        (*doomed(tx, newer, seen), *newer_deleted),
        retention(before, hours, utc_now(), seen),
        volumes.promised_bytes(tx, [array], seen)[array.id],
        spec.delete_newer_snapshots,
    )
    plan = planner.plan_roll_back(to, seen, context.services.identities)
    check(plan, seen, Bounds())
    if context.dry_run:
        return Outcome(plan=plan)
    volume.state = ResourceState.CHANGING.value
    deleted_snapshots.begin(tx, plan)
    context.emit("volume.rolling_back", plan.title, ref=volume.id)
    return file_job(context, JobKind.VOLUME_ROLL_BACK, Outcome(plan=plan, ids=(volume.id,)))


def _newer(tx: Session, snapshot: Snapshot) -> tuple[list[Snapshot], list[DoomedSnapshot]]:
    """Later snapshots of the same volume, and the deleted ones among them."""
    of, at = snapshot.volume_id, snapshot.created_at
    live = select(Snapshot).where(Snapshot.volume_id == of, Snapshot.created_at > at)
    deleted = select(DeletedSnapshot).where(DeletedSnapshot.volume_id == of, DeletedSnapshot.created_at > at)
    return list(tx.scalars(live.order_by(Snapshot.created_at))), [
        DoomedSnapshot(row.id, row.name, is_deleted=True)
        for row in tx.scalars(deleted.order_by(DeletedSnapshot.created_at))
    ]


def _bound_to(tx: Session, snapshots: Sequence[Snapshot], seen: Observation) -> dict[str, tuple[Blocker, ...]]:
    """By snapshot, the volumes that depend on it according to the machine, including deleted ones."""
    arrays = select(Volume.id, Array.group_name).join(Array, Array.id == Volume.array_id)
    groups = dict(tx.execute(arrays.where(Volume.id.in_([row.volume_id for row in snapshots]))).all())
    sources = {(groups[row.volume_id], row.backing_name): row.id for row in snapshots}
    bound = {
        one.volume_id: sources[one.group, one.source]
        for one in seen.volumes
        if one.source and (one.group, one.source) in sources
    }
    found = {row.id: tuple[Blocker, ...]() for row in snapshots}
    for noun, table in (("volume", Volume), ("deleted_volume", DeletedVolume)):
        for id_, name in tx.execute(select(table.id, table.name).where(table.id.in_(bound)).order_by(table.name)):
            found[bound[id_]] += (Blocker(noun=noun, id=id_, name=name),)
    return found


def _known(tx: Session, snapshot: Snapshot) -> KnownSnapshot:
    return _known_all(tx, [snapshot])[snapshot.id]


def _known_all(tx: Session, snapshots: Sequence[Snapshot]) -> dict[str, KnownSnapshot]:
    """The rows in the form that the planner uses, by ID."""
    of = {row.id: row for row in tx.scalars(select(Volume).where(Volume.id.in_([one.volume_id for one in snapshots])))}
    arrays, known = (
        {id_: tx.get_one(Array, row.array_id) for id_, row in of.items()},
        volumes.known_all(tx, [*of.values()]),
    )
    return {
        one.id: KnownSnapshot(
            id=one.id,
            name=one.name,
            volume=known[one.volume_id],
            size_bytes=one.size_bytes,
            array=arrays[one.volume_id].name,
            array_id=arrays[one.volume_id].id,
        )
        for one in snapshots
    }
