"""Deletes many volumes, or takes a snapshot of each: one plan, one job, all or nothing."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.errors import LunetteError
from lunette.domain.jobs import JobKind, ResourceState
from lunette.domain.snapshots import SnapshotBatch
from lunette.domain.volumes import Provisioning
from lunette.engine.changes import deleted_snapshots, mappings, snapshots, volumes
from lunette.engine.changes.schedules import zone_of
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.lookup import by_reference, must_be_ready
from lunette.engine.context.outcome import Outcome
from lunette.engine.journal.filing import file_job
from lunette.planner.checks.checker import Bounds, check
from lunette.planner.system.schedules import snapshot_name
from lunette.planner.volumes import batches as planner
from lunette.planner.volumes.batches import Chosen, VolumeToDelete
from lunette.planner.volumes.deletion import retention
from lunette.store.resources import Array, DeletedVolume, Mapping, Snapshot, Volume
from lunette.store.schema import utc_now
from lunette.store.settings import read_settings


def delete(context: ChangeContext, references: Sequence[str], *, cascade: bool = False) -> Outcome:
    """Deletes many volumes, each retained for as long as the settings say. With `cascade`, also their mappings and
    snapshots; otherwise refused as a whole while one has any.
    """
    tx = context.tx
    seen, rows = context.services.seen(), by_reference(tx, Volume, references)
    snapshots_of = snapshots.of_volumes(tx, [row.id for row in rows.values()]) if cascade else {}
    hours, now = read_settings(tx).deleted_keep_hours, utc_now()
    shown = {volume.volume_id: volume for volume in seen.volumes}
    doomed = []
    for one in _chosen(tx, references, rows, must_be_settled=True):
        there = shown.get(one.volume.id) if one.volume else None
        seen_of_it = seen.model_copy(update={"volumes": (there,) if there else ()})
        kept = retention(one.volume, hours, now, seen_of_it) if one.volume else None
        if one.volume is None or not cascade:
            doomed.append(VolumeToDelete(one, kept))
            continue
        own = snapshots_of.get(one.volume.id, [])
        # The snapshots of a volume that no longer exists may be all that is left of its data.
        named = one.volume.snapshots if hours and kept is None else ()
        alone = replace(one.volume, mapped_to=(), snapshots=named)
        freed = replace(one, volume=alone, busy=one.busy or _settling(tx, own))
        doomed.append(VolumeToDelete(freed, kept, snapshots.doomed(tx, own, seen)))
    plan = planner.plan_delete(doomed, _emptied(tx, rows.values()))
    check(plan, seen, Bounds())
    ids = tuple(one.volume_id for one in plan.leaving)
    if cascade:
        plan = mappings.unmapped_first(context, Mapping.volume_id.in_(ids), plan)
    if context.dry_run:
        return Outcome(plan=plan)
    for row in rows.values():
        row.state = ResourceState.DELETING.value
    deleted_snapshots.begin(tx, plan)
    context.emit(
        "volume.deleting",
        plan.title,
        ref=ids[0] if len(ids) == 1 else None,
        data={"ids": list(ids)},
    )
    return file_job(context, JobKind.VOLUME_DELETE, Outcome(plan=plan, ids=ids))


def take_snapshots(context: ChangeContext, spec: SnapshotBatch) -> Outcome:
    """Creates a snapshot of each volume. Hosts can write meanwhile."""
    tx = context.tx
    seen, rows = context.services.seen(), by_reference(tx, Volume, spec.volumes)
    chosen, at = _chosen(tx, spec.volumes, rows), utc_now().astimezone(zone_of(tx))
    taken = set(tx.scalars(select(Snapshot.name)))
    names, used = list[str](), set(taken)
    for one in chosen:
        names.append(snapshot_name(spec.name, one.volume.name if one.volume else one.reference, at, used))
        used.add(names[-1])
    new = planner.plan_take(chosen, names, seen, taken, context.services.identities, atomic=spec.atomic)
    check(new.plan, seen, Bounds())
    if context.dry_run:
        return Outcome(plan=new.plan)
    for step, name, reference in zip(new.snapshots, names, spec.volumes, strict=True):
        row = rows[reference]
        tx.add(
            Snapshot(
                id=step.snapshot_id,
                name=name,
                volume_id=row.id,
                size_bytes=row.size_bytes,
                backing_name=step.backing_name,
                description=spec.description,
            )
        )
    ids = tuple(step.snapshot_id for step in new.snapshots)
    context.emit("snapshot.creating", new.plan.title, data={"ids": list(ids)})
    return file_job(context, JobKind.SNAPSHOTS_CREATE, Outcome(plan=new.plan, ids=ids))


def _chosen(
    tx: Session, references: Sequence[str], rows: dict[str, Volume], *, must_be_settled: bool = False
) -> list[Chosen]:
    """`must_be_settled`: also refuses if a job uses one of its deleted snapshots."""
    known = volumes.known_all(tx, list(rows.values()))
    return [
        Chosen(one, known[rows[one].id], _blocker(tx, rows[one], must_be_settled)) if one in rows else Chosen(one, None)
        for one in references
    ]


def _settling(tx: Session, own: Sequence[Snapshot]) -> str | None:
    """Why the snapshots of a volume cannot be deleted now; None if they can."""
    try:
        snapshots.must_be_settled(tx, own)
    except LunetteError as error:
        return error.detail.removesuffix(".")
    return None


def _blocker(tx: Session, row: Volume, must_be_settled: bool) -> str | None:
    try:
        must_be_ready(row)
        if must_be_settled:
            deleted_snapshots.must_be_settled(tx, [row.id])
    except LunetteError as error:
        return error.detail.removesuffix(".")
    return None


def _emptied(tx: Session, rows: Iterable[Volume]) -> set[str]:
    """The groups whose last thin volumes these are: no other exists, is retained, or is being created."""
    thin = [row for row in rows if row.provisioning == Provisioning.THIN.value]
    going, ids = ResourceState.DELETING.value, {row.id for row in thin}
    arrays = {row.array_id for row in thin}
    for table in (Volume, DeletedVolume):
        others = select(table.array_id, table.id).where(
            table.array_id.in_(arrays), table.provisioning == Provisioning.THIN.value, table.state != going
        )
        arrays -= {array_id for array_id, id_ in tx.execute(others) if id_ not in ids}
    return {tx.get_one(Array, array_id).group_name for array_id in arrays}
