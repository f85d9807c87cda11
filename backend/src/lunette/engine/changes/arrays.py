"""Creates and deletes arrays: rows and a job."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.arrays import ArrayCreate
from lunette.domain.encryption import KeyLend
from lunette.domain.errors import Blocker
from lunette.domain.exports import ReleaseKind
from lunette.domain.jobs import JobKind, ResourceState
from lunette.domain.observations import Observation
from lunette.engine.changes import deleted_snapshots, deleted_volumes, mappings, snapshots, volumes
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.known_arrays import known
from lunette.engine.context.lookup import must_be_ready, name_taken, need
from lunette.engine.context.outcome import Outcome
from lunette.engine.exports import exportset
from lunette.engine.journal.filing import file_job
from lunette.planner.arrays import creation as planner
from lunette.planner.arrays.creation import NewArray, VolumeToErase
from lunette.planner.checks.checker import Bounds, check
from lunette.planner.volumes.retained import RetainedSnapshot
from lunette.store.resources import Array, ArrayDisk, Mapping, Volume


def create(context: ChangeContext, spec: ArrayCreate) -> Outcome:
    tx, services = context.tx, context.services
    seen = services.seen()
    owners = disk_owners(tx, seen, [disk for ids in spec.by_role().values() for disk in ids])
    new = planner.plan_create(spec, seen, name_taken(tx, Array, spec.name), owners, services.identities)
    named = frozenset(disk.id for disk in map(seen.disk, spec.wipe) if disk)
    check(new.plan, seen, Bounds(wipe=named))
    if context.dry_run:
        return Outcome(plan=new.plan)
    if spec.passphrase is not None:
        services.use_key(KeyLend(array_id=new.id, passphrase=spec.passphrase))
    tx.add(_row(spec, new))
    context.emit("array.creating", new.plan.title, ref=new.id)
    return file_job(context, JobKind.ARRAY_CREATE, Outcome(plan=new.plan, ids=(new.id,)))


def _row(spec: ArrayCreate, new: NewArray) -> Array:
    return Array(
        id=new.id,
        name=spec.name,
        engine=spec.engine.value,
        level=spec.level.value,
        uuid=new.made.uuid,
        engine_name=new.made.engine_name,
        group_name=new.made.group_name,
        chunk_bytes=new.made.chunk_bytes,
        layout=new.made.layout.value if new.made.layout else None,
        write_hole=new.made.write_hole.value,
        member_bytes=new.made.member_bytes,
        size_bytes=new.made.size_bytes,
        sync_speed_min_bytes_s=spec.sync_speed_min_bytes_s,
        sync_speed_max_bytes_s=spec.sync_speed_max_bytes_s,
        group_thread_cnt=spec.group_thread_cnt,
        stripe_cache_size=spec.stripe_cache_size,
        skip_copy=spec.skip_copy,
        scheduler=spec.scheduler,
        health_command=spec.health_command,
        spare_group=spec.spare_group,
        integrity=spec.integrity,
        encryption=spec.encryption.value if spec.encryption else None,
        keep_key=spec.keep_key,
        group_data_disks=spec.group_data_disks,
        distributed_spares=spec.distributed_spares,
        disks=[
            ArrayDisk(
                disk_id=member.disk_id,
                serial=member.serial,
                slot=slot,
                role=role.value,
                write_mostly=slot < len(spec.disks) and spec.disks[slot] in spec.write_mostly,
            )
            for slot, (member, role) in enumerate(zip(new.members, new.roles, strict=True))
        ],
    )


def disk_owners(tx: Session, seen: Observation, references: Sequence[str]) -> dict[str, str]:
    """Names of the arrays that these disks belong to, by disk ID."""
    ids = [disk.id for disk in map(seen.disk, references) if disk]
    query = select(ArrayDisk.disk_id, Array.name).join(Array).where(ArrayDisk.disk_id.in_(ids))
    return dict(tx.execute(query).all())


def delete(context: ChangeContext, array_id: str, *, cascade: bool = False) -> Outcome:
    """Deletes an array; deleted volumes are erased with it. With `cascade`, also its volumes, with their mappings and
    snapshots; otherwise refused while it has any.

    From the commit on, the agent no longer brings it up.
    """
    tx = context.tx
    array = need(tx, Array, array_id)
    must_be_ready(array)
    seen = context.services.seen()
    rows = tx.scalars(select(Volume).where(Volume.array_id == array.id).order_by(Volume.name)).all()
    remaining = () if cascade else tuple(Blocker(noun="volume", id=row.id, name=row.name) for row in rows)
    erased = _to_erase(tx, rows) if cascade else []
    plan = planner.plan_delete(known(array, remaining), seen, deleted_volumes.on_array(tx, array), erased)
    check(plan, seen, Bounds())
    if cascade:
        plan = mappings.unmapped_first(context, Mapping.volume_id.in_([row.id for row in rows]), plan)
    if context.dry_run:
        return Outcome(plan=plan)
    array.state = ResourceState.DELETING.value
    for row in rows:
        row.state = ResourceState.DELETING.value
    deleted_snapshots.begin(tx, plan)
    exportset.changed(tx, context.services, [(ReleaseKind.ARRAY, array.id)])
    context.emit("array.deleting", plan.title, ref=array.id)
    return file_job(context, JobKind.ARRAY_DELETE, Outcome(plan=plan, ids=(array.id,)))


def _to_erase(tx: Session, rows: Sequence[Volume]) -> list[VolumeToErase]:
    """The volumes of an array with everything below them. Raises Conflict or Stuck while a job uses any of it."""
    ids = [row.id for row in rows]
    below = snapshots.of_volumes(tx, ids)
    for row in rows:
        must_be_ready(row)
        snapshots.must_be_settled(tx, below[row.id])
    deleted_snapshots.must_be_settled(tx, ids)
    return [
        VolumeToErase(one, tuple(RetainedSnapshot(row.id, row.name) for row in below[one.id]))
        for one in volumes.known_all(tx, rows).values()
    ]
