"""Deletes many volumes, or takes a snapshot of each: one plan, one job, all or nothing."""

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import select

from lunette.domain.jobs import JobKind, ResourceState
from lunette.domain.snapshots import SnapshotBatch
from lunette.engine.changes import deleted_snapshots, deleted_volumes, mappings, snapshots, volumes
from lunette.engine.changes.schedules import zone_of
from lunette.engine.context.batch import chosen
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.lookup import by_reference, must_be_ready
from lunette.engine.context.outcome import Outcome
from lunette.engine.journal.filing import file_for_all, file_job
from lunette.planner.checks.checker import Bounds, check
from lunette.planner.system.schedules import snapshot_name
from lunette.planner.volumes import batches as planner
from lunette.planner.volumes.batches import VolumeToDelete, VolumeToTake
from lunette.planner.volumes.deletion import retention
from lunette.store.resources import Mapping, Snapshot, Volume
from lunette.store.schema import utc_now
from lunette.store.settings import read_settings


def delete(context: ChangeContext, references: Sequence[str], *, cascade: bool = False) -> Outcome:
    """Deletes many volumes, each retained for as long as the settings say. With `cascade`, also their mappings and
    snapshots; otherwise refused as a whole while one has any.
    """
    tx = context.tx
    seen, rows = context.services.seen(), by_reference(tx, Volume, references)
    known = volumes.known_all(tx, list(rows.values()))
    snapshots_of = snapshots.of_volumes(tx, list(known)) if cascade else {}
    hours, now = read_settings(tx).deleted_keep_hours, utc_now()
    shown = {volume.volume_id: volume for volume in seen.volumes}

    def doomed(row: Volume) -> VolumeToDelete:
        there = shown.get(row.id)
        kept = retention(known[row.id], hours, now, seen.model_copy(update={"volumes": (there,) if there else ()}))
        if not cascade:
            return VolumeToDelete(known[row.id], kept)
        # The snapshots of a volume that no longer exists may be all that is left of its data.
        named = known[row.id].snapshots if hours and kept is None else ()
        alone = replace(known[row.id], mapped_to=(), snapshots=named)
        return VolumeToDelete(alone, kept, snapshots.doomed(tx, snapshots_of.get(row.id, []), seen))

    def must_be_free(row: Volume) -> None:
        must_be_ready(row)
        deleted_snapshots.must_be_settled(tx, [row.id])
        if own := snapshots_of.get(row.id):
            snapshots.must_be_settled(tx, own)

    plan = planner.plan_delete(
        chosen(references, rows, doomed, must_be_free), deleted_volumes.emptied(tx, rows.values())
    )
    check(plan, seen, Bounds())
    ids = [one.volume_id for one in plan.leaving]
    if cascade:
        plan = mappings.unmapped_first(context, Mapping.volume_id.in_(ids), plan)
    if context.dry_run:
        return Outcome(plan=plan)
    for row in rows.values():
        row.state = ResourceState.DELETING.value
    deleted_snapshots.begin(tx, plan)
    return file_for_all(context, JobKind.VOLUME_DELETE, "volume.deleting", plan, ids)


def take_snapshots(context: ChangeContext, spec: SnapshotBatch) -> Outcome:
    """Creates a snapshot of each volume. Hosts can write meanwhile."""
    tx = context.tx
    seen, rows = context.services.seen(), by_reference(tx, Volume, spec.volumes)
    known, at = volumes.known_all(tx, list(rows.values())), utc_now().astimezone(zone_of(tx))
    used, names = set(tx.scalars(select(Snapshot.name))), dict[str, str]()
    for row in dict.fromkeys(rows[one] for one in spec.volumes if one in rows):
        names[row.id] = snapshot_name(spec.name, row.name, at, used)
        used.add(names[row.id])
    picked = chosen(spec.volumes, rows, lambda row: VolumeToTake(known[row.id], names[row.id]), must_be_ready)
    new = planner.plan_take(picked, seen, context.services.identities, atomic=spec.atomic)
    check(new.plan, seen, Bounds())
    if context.dry_run:
        return Outcome(plan=new.plan)
    for step, reference in zip(new.snapshots, spec.volumes, strict=True):
        row = rows[reference]
        tx.add(
            Snapshot(
                id=step.snapshot_id,
                name=names[row.id],
                volume_id=row.id,
                size_bytes=row.size_bytes,
                backing_name=step.backing_name,
                description=spec.description,
            )
        )
    ids = tuple(step.snapshot_id for step in new.snapshots)
    context.emit("snapshot.creating", new.plan.title, data={"ids": list(ids)})
    return file_job(context, JobKind.SNAPSHOTS_CREATE, Outcome(plan=new.plan, ids=ids))
