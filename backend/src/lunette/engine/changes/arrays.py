"""Creates and deletes arrays: rows and a job."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.arrays import ArrayCreate
from lunette.domain.encryption import KeyLend
from lunette.domain.exports import ReleaseKind
from lunette.domain.jobs import JobKind, ResourceState
from lunette.domain.observations import Observation
from lunette.engine.changes import deleted_volumes
from lunette.engine.context.desk import Desk
from lunette.engine.context.known_arrays import known
from lunette.engine.context.lookup import must_be_ready, name_taken, need
from lunette.engine.context.outcome import Actor, Outcome
from lunette.engine.exports import exportset
from lunette.engine.journal.filing import file_job
from lunette.planner.arrays import creation as planner
from lunette.planner.arrays.creation import NewArray
from lunette.planner.checks.checker import Bounds, check
from lunette.store.events import emit
from lunette.store.resources import Array, ArrayDisk, Volume


def create(tx: Session, desk: Desk, actor: Actor, wish: ArrayCreate, dry_run: bool) -> Outcome:
    seen = desk.seen()
    owners = disk_owners(tx, seen, [disk for ids in wish.by_role().values() for disk in ids])
    new = planner.plan_create(wish, seen, name_taken(tx, Array, wish.name), owners, desk.identities)
    named = frozenset(disk.id for disk in map(seen.disk, wish.wipe) if disk)
    check(new.plan, seen, Bounds(wipe=named))
    if dry_run:
        return Outcome(plan=new.plan)
    if wish.passphrase is not None:
        desk.use_key(KeyLend(array_id=new.id, passphrase=wish.passphrase))
    tx.add(_row(wish, new))
    emit(tx, "array.creating", new.plan.title, actor=actor.name, ref=new.id)
    return file_job(tx, desk, actor, JobKind.ARRAY_CREATE, Outcome(plan=new.plan, ids=(new.id,)))


def _row(wish: ArrayCreate, new: NewArray) -> Array:
    return Array(
        id=new.id,
        name=wish.name,
        engine=wish.engine.value,
        level=wish.level.value,
        uuid=new.made.uuid,
        md_name=new.made.own_name,
        group_name=new.made.group_name,
        chunk_bytes=new.made.chunk_bytes,
        layout=new.made.layout.value if new.made.layout else None,
        write_hole=new.made.write_hole.value,
        member_bytes=new.made.member_bytes,
        size_bytes=new.made.size_bytes,
        sync_speed_min_bytes_s=wish.sync_speed_min_bytes_s,
        sync_speed_max_bytes_s=wish.sync_speed_max_bytes_s,
        group_thread_cnt=wish.group_thread_cnt,
        stripe_cache_size=wish.stripe_cache_size,
        skip_copy=wish.skip_copy,
        scheduler=wish.scheduler,
        health_command=wish.health_command,
        spare_group=wish.spare_group,
        integrity=wish.integrity,
        encryption=wish.encryption.value if wish.encryption else None,
        keep_key=wish.keep_key,
        group_data_disks=wish.group_data_disks,
        distributed_spares=wish.distributed_spares,
        disks=[
            ArrayDisk(
                disk_id=member.disk_id,
                serial=member.serial,
                slot=slot,
                role=role.value,
                write_mostly=slot < len(wish.disks) and wish.disks[slot] in wish.write_mostly,
            )
            for slot, (member, role) in enumerate(zip(new.members, new.roles, strict=True))
        ],
    )


def disk_owners(tx: Session, seen: Observation, references: Sequence[str]) -> dict[str, str]:
    """The names of the arrays these disks belong to, by disk id."""
    ids = [disk.id for disk in map(seen.disk, references) if disk]
    query = select(ArrayDisk.disk_id, Array.name).join(Array).where(ArrayDisk.disk_id.in_(ids))
    return dict(tx.execute(query).all())


def delete(tx: Session, desk: Desk, actor: Actor, array_id: str, dry_run: bool) -> Outcome:
    """Refused while the array has volumes; deleted ones go with it.

    From the commit on, the agent no longer brings it up.
    """
    array = need(tx, Array, array_id)
    must_be_ready(array)
    seen = desk.seen()
    volumes = tuple(tx.scalars(select(Volume.name).where(Volume.array_id == array.id).order_by(Volume.name)))
    plan = planner.plan_delete(known(array, volumes), seen, deleted_volumes.on_array(tx, array))
    check(plan, seen, Bounds())
    if dry_run:
        return Outcome(plan=plan)
    array.state = ResourceState.DELETING.value
    exportset.changed(tx, desk, [(ReleaseKind.ARRAY, array.id)])
    emit(tx, "array.deleting", plan.title, actor=actor.name, ref=array.id)
    return file_job(tx, desk, actor, JobKind.ARRAY_DELETE, Outcome(plan=plan, ids=(array.id,)))
