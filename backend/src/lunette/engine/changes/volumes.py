"""Creates, renames, grows and deletes volumes."""

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from lunette.domain.arrays import ArrayEngine
from lunette.domain.errors import Blocker
from lunette.domain.jobs import JobKind, ResourceState
from lunette.domain.observations import Observation
from lunette.domain.volumes import Provisioning, VolumeCreate, VolumeGrow, VolumePatch
from lunette.engine.changes import deleted_snapshots, deleted_volumes
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.known_arrays import known as known_array
from lunette.engine.context.lookup import by_reference, must_be_ready, name_taken, need
from lunette.engine.context.outcome import Outcome
from lunette.engine.exports import exportset
from lunette.engine.journal.filing import file_job
from lunette.engine.records.recording import recorded
from lunette.planner.checks.checker import Bounds, check
from lunette.planner.engines.volume_engines import volume_planning
from lunette.planner.volumes import creation as planner
from lunette.planner.volumes import deletion
from lunette.planner.volumes.creation import KnownVolume, NewVolume, NewVolumes, VolumeFacts
from lunette.store.resources import Array, Host, HostGroup, Mapping, Snapshot, Volume
from lunette.store.schema import utc_now
from lunette.store.settings import read_settings


def create(context: ChangeContext, specs: Sequence[VolumeCreate]) -> Outcome:
    """Creates volumes, all or none, as one job."""
    tx = context.tx
    seen = context.services.seen()
    rows = by_reference(tx, Array, (spec.array for spec in specs))
    taken = tx.scalars(select(Volume.name).where(Volume.name.in_([spec.name for spec in specs])))
    promised = promised_bytes(tx, list(rows.values()), seen)
    facts = VolumeFacts(
        arrays={reference: known_array(row) for reference, row in rows.items()},
        taken_names=frozenset(taken),
        promised=promised,
        thin_bytes=_thin_bytes(tx, list(rows.values())),
        erasable_bytes=deleted_volumes.erasable_bytes(tx, set(rows.values())),
    )
    new = planner.plan_create(specs, seen, facts, context.services.identities)
    groups = {row.group_name: promised.get(row.id, 0) for row in rows.values()}
    check(new.plan, seen, Bounds(promised=groups))
    if context.dry_run:
        return Outcome(plan=new.plan)
    return file_new(context, new)


def file_new(context: ChangeContext, new: NewVolumes) -> Outcome:
    """Writes the rows and the job of new volumes."""
    context.tx.add_all(_row(volume) for volume in new.volumes)
    ids = tuple(volume.id for volume in new.volumes)
    context.emit("volume.creating", new.plan.title, data={"ids": list(ids)})
    return file_job(context, JobKind.VOLUMES_CREATE, Outcome(plan=new.plan, ids=ids))


def _row(volume: NewVolume) -> Volume:
    return Volume(
        id=volume.id,
        name=volume.spec.name,
        array_id=volume.array_id,
        size_bytes=volume.spec.size_bytes,
        provisioning=volume.spec.provisioning.value,
        backing_name=volume.backing_name,
        description=volume.spec.description,
        **volume.identity.model_dump(),
    )


def promised_bytes(tx: Session, arrays: Sequence[Array], seen: Observation) -> dict[str, int]:
    """Space that thick volumes which are not observed yet will use, by array ID: they did not exist at that
    observation.
    """
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
    """The total virtual size of thin volumes, by array ID."""
    query = select(Volume.array_id, func.sum(Volume.size_bytes)).where(
        Volume.array_id.in_([array.id for array in arrays]), Volume.provisioning == Provisioning.THIN.value
    )
    return {array_id: int(total) for array_id, total in tx.execute(query.group_by(Volume.array_id))}


def patch(context: ChangeContext, volume_id: str, spec: VolumePatch) -> Outcome:
    """Changes name and description; the identity that hosts see stays."""
    tx = context.tx
    volume = need(tx, Volume, volume_id)
    must_be_ready(volume)
    before = known(tx, volume)
    plan = planner.plan_patch(before, spec, name_taken(tx, Volume, spec.name, but=volume.id))
    if context.dry_run or not plan.changes:
        return Outcome(plan=plan, ids=() if context.dry_run else (volume.id,))
    with recorded(context, "volume.changed", plan, [volume.id]):
        volume.name = spec.name if spec.name is not None else volume.name
        volume.description = spec.description if spec.description is not None else volume.description
        if before.mapped_to and volume.name != before.name:
            exportset.changed(tx, context.services)
    return Outcome(plan=plan, ids=(volume.id,))


def grow(context: ChangeContext, volume_id: str, spec: VolumeGrow) -> Outcome:
    """Grows a volume while hosts use it. No job if it already has that size."""
    tx = context.tx
    volume = need(tx, Volume, volume_id)
    must_be_ready(volume)
    seen = context.services.seen()
    array = tx.get_one(Array, volume.array_id)
    promised = promised_bytes(tx, [array], seen)[array.id]
    plan = planner.plan_grow(known(tx, volume), spec.size_bytes, seen, promised)
    check(plan, seen, Bounds(promised={array.group_name: promised}))
    if context.dry_run or not plan.steps:
        return Outcome(plan=plan, ids=() if context.dry_run else (volume.id,))
    volume.state = ResourceState.CHANGING.value
    context.emit("volume.growing", plan.title, ref=volume.id)
    return file_job(context, JobKind.VOLUME_GROW, Outcome(plan=plan, ids=(volume.id,)))


def delete(context: ChangeContext, volume_id: str) -> Outcome:
    """Deletes a volume, which is retained for as long as the settings say. Refused while it is mapped or has
    snapshots.
    """
    tx = context.tx
    volume = need(tx, Volume, volume_id)
    must_be_ready(volume)
    deleted_snapshots.must_be_settled(tx, [volume.id])
    seen, before = context.services.seen(), known(tx, volume)
    kept = deletion.retention(before, read_settings(tx).deleted_keep_hours, utc_now(), seen)
    plan = deletion.plan_delete(before, last_thin=deleted_volumes.is_last_thin(tx, volume), kept=kept)
    check(plan, seen, Bounds())
    if context.dry_run:
        return Outcome(plan=plan)
    volume.state = ResourceState.DELETING.value
    context.emit("volume.deleting", plan.title, ref=volume.id)
    return file_job(context, JobKind.VOLUME_DELETE, Outcome(plan=plan, ids=(volume.id,)))


def known(tx: Session, volume: Volume) -> KnownVolume:
    """The row in the form that the planner uses."""
    return known_all(tx, [volume])[volume.id]


def known_all(tx: Session, volumes: Sequence[Volume]) -> dict[str, KnownVolume]:
    """The rows in the form that the planner uses, by ID; the number of queries does not grow with the number of
    rows.
    """
    ids = [volume.id for volume in volumes]
    owners, snapshots = _owners(tx, ids), defaultdict[str, list[Blocker]](list)
    of_volumes = select(Snapshot.volume_id, Snapshot.id, Snapshot.name).where(Snapshot.volume_id.in_(ids))
    for volume_id, id_, name in tx.execute(of_volumes.order_by(Snapshot.name)):
        snapshots[volume_id].append(Blocker(noun="snapshot", id=id_, name=name))
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
            mapped_to=tuple(one.name for one in owners[volume.id]),
            provisioning=Provisioning(volume.provisioning),
            snapshots=tuple(one.name for one in snapshots[volume.id]),
            deleted_snapshots=deleted.get(volume.id, ()),
            backing_name=volume.backing_name,
            blockers=(*owners[volume.id], *snapshots[volume.id]),
        )
        for volume in volumes
    }


def _owners(tx: Session, volume_ids: Sequence[str]) -> dict[str, list[Blocker]]:
    """Hosts and groups in the order of their names, by the volume that is mapped to them."""
    found = defaultdict[str, list[Blocker]](list)
    hosts = select(Mapping.volume_id, Host.id, Host.name).join(Host, Mapping.host_id == Host.id)
    groups = select(Mapping.volume_id, HostGroup.id, HostGroup.name).join(
        HostGroup, Mapping.host_group_id == HostGroup.id
    )
    for noun, query in (("host", hosts), ("host_group", groups)):
        for volume_id, id_, name in tx.execute(query.where(Mapping.volume_id.in_(volume_ids))):
            found[volume_id].append(Blocker(noun=noun, id=id_, name=name))
    for owners in found.values():
        owners.sort(key=lambda one: one.name)
    return found
