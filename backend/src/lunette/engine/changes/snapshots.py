"""Creates, deletes and clones snapshots, and rolls volumes back to them."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.arrays import ArrayEngine
from lunette.domain.jobs import JobKind, ResourceState
from lunette.domain.observations import Observation
from lunette.domain.snapshots import SnapshotClone, SnapshotCreate
from lunette.domain.volumes import Provisioning, VolumeRollBack
from lunette.engine.changes import deleted_snapshots, volumes
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.lookup import must_be_ready, name_taken, need
from lunette.engine.context.outcome import Outcome
from lunette.engine.journal.filing import file_job
from lunette.planner.checks.checker import Bounds, check
from lunette.planner.engines.volume_engines import thick_snapshot_reason
from lunette.planner.volumes import snapshots as planner
from lunette.planner.volumes.deletion import retention
from lunette.planner.volumes.snapshots import KnownSnapshot
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
    must_be_ready(snapshot)
    must_be_ready(tx.get_one(Volume, snapshot.volume_id))
    clones = select(Volume).join(CloneOrigin, CloneOrigin.volume_id == Volume.id)
    for clone in tx.scalars(clones.where(CloneOrigin.snapshot_id == snapshot.id)):
        if clone.state == ResourceState.CREATING:
            must_be_ready(clone)  # the machine does not show yet that the snapshot is needed
    seen, before = context.services.seen(), _known(tx, snapshot)
    hours = read_settings(tx).deleted_keep_hours if keep else 0
    kept = planner.retention(before, hours, utc_now(), seen)
    plan = planner.plan_delete(before, _bound_to(tx, snapshot, seen), kept)
    check(plan, seen, Bounds())
    if context.dry_run:
        return Outcome(plan=plan)
    snapshot.state = ResourceState.DELETING.value
    context.emit("snapshot.deleting", plan.title, ref=snapshot.id)
    return file_job(context, JobKind.SNAPSHOT_DELETE, Outcome(plan=plan, ids=(snapshot.id,)))


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
    for other in tx.scalars(select(Snapshot).where(Snapshot.volume_id == volume.id)):
        must_be_ready(other)  # on ZFS they move with the volume
    deleted_snapshots.must_be_settled(tx, [volume.id])
    newer = _newer(tx, snapshot)
    before, array = volumes.known(tx, volume), tx.get_one(Array, volume.array_id)
    hours = read_settings(tx).deleted_keep_hours if spec.keep else 0
    to = planner.RollBack(
        before,
        _known(tx, snapshot),
        newer,
        retention(before, hours, utc_now(), seen),
        volumes.promised_bytes(tx, [array], seen)[array.id],
    )
    plan = planner.plan_roll_back(to, seen, context.services.identities)
    check(plan, seen, Bounds())
    if context.dry_run:
        return Outcome(plan=plan)
    volume.state = ResourceState.CHANGING.value
    context.emit("volume.rolling_back", plan.title, ref=volume.id)
    return file_job(context, JobKind.VOLUME_ROLL_BACK, Outcome(plan=plan, ids=(volume.id,)))


def _newer(tx: Session, snapshot: Snapshot) -> list[str]:
    """Names of later snapshots of the same volume, including deleted ones."""
    later = [
        select(table.name)
        .where(table.volume_id == snapshot.volume_id, table.created_at > snapshot.created_at)
        .order_by(table.created_at)
        for table in (Snapshot, DeletedSnapshot)
    ]
    return [*tx.scalars(later[0]), *(f"{name} (deleted)" for name in tx.scalars(later[1]))]


def _bound_to(tx: Session, snapshot: Snapshot, seen: Observation) -> list[str]:
    """Volumes, including deleted ones, that depend on the snapshot according to the machine."""
    group = volumes.known(tx, tx.get_one(Volume, snapshot.volume_id)).group
    ids = [one.volume_id for one in seen.volumes if (one.group, one.source) == (group, snapshot.backing_name)]
    there = tx.scalars(select(Volume.name).where(Volume.id.in_(ids)).order_by(Volume.name))
    gone = tx.scalars(select(DeletedVolume.name).where(DeletedVolume.id.in_(ids)).order_by(DeletedVolume.name))
    return [*(f"volume {name}" for name in there), *(f"deleted volume {name}" for name in gone)]


def _known(tx: Session, snapshot: Snapshot) -> KnownSnapshot:
    volume = tx.get_one(Volume, snapshot.volume_id)
    array = tx.get_one(Array, volume.array_id)
    return KnownSnapshot(
        id=snapshot.id,
        name=snapshot.name,
        volume=volumes.known(tx, volume),
        size_bytes=snapshot.size_bytes,
        array=array.name,
        array_id=array.id,
    )
