"""Creates, renames, grows and deletes volumes."""

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from lunette.domain.arrays import ArrayEngine
from lunette.domain.jobs import JobKind, ResourceState
from lunette.domain.observations import Observation
from lunette.domain.volumes import Provisioning, VolumeCreate, VolumePatch
from lunette.engine.changes import deleted_snapshots, deleted_volumes
from lunette.engine.context.desk import Desk
from lunette.engine.context.known_arrays import known as known_array
from lunette.engine.context.lookup import by_reference, must_be_ready, name_taken, need
from lunette.engine.context.outcome import Actor, Outcome
from lunette.engine.exports import exportset
from lunette.engine.journal.filing import file_job
from lunette.engine.records.recording import recorded
from lunette.planner.checks.checker import Bounds, check
from lunette.planner.engines.volume_engines import volume_planning
from lunette.planner.volumes import creation as planner
from lunette.planner.volumes import deletion
from lunette.planner.volumes.creation import KnownVolume, NewVolume, NewVolumes, VolumeFacts
from lunette.store.events import emit
from lunette.store.resources import Array, Host, HostGroup, Mapping, Snapshot, Volume
from lunette.store.schema import utc_now
from lunette.store.settings import read_settings


def create(tx: Session, desk: Desk, actor: Actor, wishes: Sequence[VolumeCreate], dry_run: bool) -> Outcome:
    """All or nothing, as one job."""
    seen = desk.seen()
    rows = by_reference(tx, Array, (wish.array for wish in wishes))
    taken = tx.scalars(select(Volume.name).where(Volume.name.in_([wish.name for wish in wishes])))
    promised = promised_bytes(tx, list(rows.values()), seen)
    facts = VolumeFacts(
        arrays={reference: known_array(row) for reference, row in rows.items()},
        taken_names=frozenset(taken),
        promised=promised,
        thin_bytes=_thin_bytes(tx, list(rows.values())),
        erasable_bytes=deleted_volumes.erasable_bytes(tx, set(rows.values())),
    )
    new = planner.plan_create(wishes, seen, facts, desk.identities)
    groups = {row.group_name: promised.get(row.id, 0) for row in rows.values()}
    check(new.plan, seen, Bounds(promised=groups))
    if dry_run:
        return Outcome(plan=new.plan)
    return file_new(tx, desk, actor, new)


def file_new(tx: Session, desk: Desk, actor: Actor, new: NewVolumes) -> Outcome:
    """Writes the rows and the job of new volumes."""
    tx.add_all(_row(volume) for volume in new.volumes)
    ids = tuple(volume.id for volume in new.volumes)
    emit(tx, "volume.creating", new.plan.title, actor=actor.name, data={"ids": list(ids)})
    return file_job(tx, desk, actor, JobKind.VOLUMES_CREATE, Outcome(plan=new.plan, ids=ids))


def _row(volume: NewVolume) -> Volume:
    return Volume(
        id=volume.id,
        name=volume.wish.name,
        array_id=volume.array_id,
        size_bytes=volume.wish.size_bytes,
        provisioning=volume.wish.provisioning.value,
        lv_name=volume.lv_name,
        description=volume.wish.description,
        **volume.identity.model_dump(),
    )


def promised_bytes(tx: Session, arrays: Sequence[Array], seen: Observation) -> dict[str, int]:
    """What thick volumes of ours that are not shown will take of each array id: they were not cut yet at that look."""
    shown = {volume.volume_id for volume in seen.volumes}
    by_id = {array.id: array for array in arrays}
    query = select(Volume.array_id, Volume.id, Volume.size_bytes).where(
        Volume.array_id.in_(list(by_id)),
        Volume.state != ResourceState.DELETING.value,
        Volume.provisioning == Provisioning.THICK.value,
    )
    promised = dict.fromkeys(by_id, 0)
    for array_id, volume_id, size in tx.execute(query):
        if volume_id not in shown:
            promised[array_id] += volume_planning(ArrayEngine(by_id[array_id].engine)).reserved_bytes(size)
    return promised


def _thin_bytes(tx: Session, arrays: Sequence[Array]) -> dict[str, int]:
    """What the thin volumes of each array id could hold together."""
    query = select(Volume.array_id, func.sum(Volume.size_bytes)).where(
        Volume.array_id.in_([array.id for array in arrays]), Volume.provisioning == Provisioning.THIN.value
    )
    return {array_id: int(total) for array_id, total in tx.execute(query.group_by(Volume.array_id))}


def patch(tx: Session, desk: Desk, actor: Actor, volume_id: str, wish: VolumePatch, dry_run: bool) -> Outcome:
    """Changes name and description; the identity hosts know it by stays."""
    volume = need(tx, Volume, volume_id)
    must_be_ready(volume)
    before = known(tx, volume)
    plan = planner.plan_patch(before, wish, name_taken(tx, Volume, wish.name, but=volume.id))
    if dry_run or not plan.changes:
        return Outcome(plan=plan, ids=() if dry_run else (volume.id,))
    with recorded(tx, actor, "volume.changed", plan, [volume.id]):
        volume.name = wish.name if wish.name is not None else volume.name
        volume.description = wish.description if wish.description is not None else volume.description
        if before.mapped_to and volume.name != before.name:
            exportset.changed(tx, desk)
    return Outcome(plan=plan, ids=(volume.id,))


def grow(tx: Session, desk: Desk, actor: Actor, volume_id: str, size_bytes: int, dry_run: bool) -> Outcome:
    """Makes a volume larger while hosts use it. The size it has already makes no job."""
    volume = need(tx, Volume, volume_id)
    must_be_ready(volume)
    seen = desk.seen()
    array = tx.get_one(Array, volume.array_id)
    promised = promised_bytes(tx, [array], seen)[array.id]
    plan = planner.plan_grow(known(tx, volume), size_bytes, seen, promised)
    check(plan, seen, Bounds(promised={array.group_name: promised}))
    if dry_run or not plan.steps:
        return Outcome(plan=plan, ids=() if dry_run else (volume.id,))
    volume.state = ResourceState.CHANGING.value
    emit(tx, "volume.growing", plan.title, actor=actor.name, ref=volume.id)
    return file_job(tx, desk, actor, JobKind.VOLUME_GROW, Outcome(plan=plan, ids=(volume.id,)))


def delete(tx: Session, desk: Desk, actor: Actor, volume_id: str, dry_run: bool) -> Outcome:
    """Keeps it for as long as the settings say. Refused while the volume is mapped or has snapshots."""
    volume = need(tx, Volume, volume_id)
    must_be_ready(volume)
    deleted_snapshots.must_be_settled(tx, [volume.id])
    seen, before = desk.seen(), known(tx, volume)
    kept = deletion.keeping(before, read_settings(tx).deleted_keep_hours, utc_now(), seen)
    plan = deletion.plan_delete(before, last_thin=deleted_volumes.is_last_thin(tx, volume), kept=kept)
    check(plan, seen, Bounds())
    if dry_run:
        return Outcome(plan=plan)
    volume.state = ResourceState.DELETING.value
    emit(tx, "volume.deleting", plan.title, actor=actor.name, ref=volume.id)
    return file_job(tx, desk, actor, JobKind.VOLUME_DELETE, Outcome(plan=plan, ids=(volume.id,)))


def known(tx: Session, volume: Volume) -> KnownVolume:
    """The row as the planner takes it."""
    return known_all(tx, [volume])[volume.id]


def known_all(tx: Session, volumes: Sequence[Volume]) -> dict[str, KnownVolume]:
    """The rows as the planner takes them, by id; so many questions for one as for all."""
    ids = [volume.id for volume in volumes]
    owners, snapshots = _owners(tx, ids), defaultdict[str, list[str]](list)
    of_volumes = select(Snapshot.volume_id, Snapshot.name).where(Snapshot.volume_id.in_(ids)).order_by(Snapshot.name)
    for volume_id, name in tx.execute(of_volumes):
        snapshots[volume_id].append(name)
    deleted = deleted_snapshots.of_volumes(tx, ids)
    arrays = {volume.array_id: tx.get_one(Array, volume.array_id) for volume in volumes}
    return {
        volume.id: KnownVolume(
            id=volume.id,
            name=volume.name,
            description=volume.description,
            array_engine=ArrayEngine(arrays[volume.array_id].engine),
            group=arrays[volume.array_id].group_name,
            size_bytes=volume.size_bytes,
            mapped_to=tuple(sorted(owners[volume.id])),
            provisioning=Provisioning(volume.provisioning),
            snapshots=tuple(snapshots[volume.id]),
            deleted_snapshots=deleted.get(volume.id, ()),
            lv_name=volume.lv_name,
        )
        for volume in volumes
    }


def _owners(tx: Session, volume_ids: Sequence[str]) -> dict[str, list[str]]:
    """Names of hosts and groups by the volume that is mapped to them."""
    found = defaultdict[str, list[str]](list)
    hosts = select(Mapping.volume_id, Host.name).join(Host, Mapping.host_id == Host.id)
    groups = select(Mapping.volume_id, HostGroup.name).join(HostGroup, Mapping.host_group_id == HostGroup.id)
    for query in (hosts, groups):
        for volume_id, name in tx.execute(query.where(Mapping.volume_id.in_(volume_ids))):
            found[volume_id].append(name)
    return found
