"""Collects the records of the database and the last observation of the machine; the planner finds the differences."""

from sqlalchemy import literal, select, union_all
from sqlalchemy.orm import Session

from lunette.domain.arrays import ArrayEngine
from lunette.domain.drift import DriftReport
from lunette.domain.exports import ConvergeReport
from lunette.domain.observations import Observation
from lunette.engine.conditions.unread import is_hidden
from lunette.planner.diagnosis import drift as planner
from lunette.planner.diagnosis.drift import DriftFacts, Known
from lunette.planner.engines.volume_engines import hides_volumes
from lunette.store.resources import (
    Array,
    ArrayDisk,
    DeletedSnapshot,
    DeletedVolume,
    FcPort,
    Host,
    HostGroup,
    Portal,
    Snapshot,
    Target,
    Volume,
)


def report(tx: Session, seen: Observation | None, exports: ConvergeReport | None, away: str | None) -> DriftReport:
    """Every difference. `exports` is the agent's own comparison in the last round of the reconciler."""
    unseen = [f"arrays and volumes: {away}"] if seen is None else []
    unseen += [f"{one.part.value} {one.name}".rstrip() + f": {one.reason}" for one in (seen.unread if seen else ())]
    unseen += [] if exports is not None else ["exports: the agent has not answered since the API started"]
    return DriftReport(
        items=planner.find(_facts(tx, seen), seen, exports),
        complete=not unseen,
        unseen=tuple(unseen),
        repaired=exports.changed if exports is not None else None,
    )


def _facts(tx: Session, seen: Observation | None) -> DriftFacts:
    arrays = tx.execute(select(Array.id, Array.uuid, Array.name, Array.state)).all()
    disks: dict[str, tuple[str, ...]] = {}
    for array_id, disk_id in tx.execute(select(ArrayDisk.array_id, ArrayDisk.disk_id).order_by(ArrayDisk.disk_id)):
        disks[array_id] = (*disks.get(array_id, ()), disk_id)
    volumes = tx.execute(select(Volume.id, Volume.name, Volume.state)).all()
    deleted = tx.execute(select(DeletedVolume.id, DeletedVolume.name, literal("deleted"))).all()
    hidden = _hidden(tx, seen) if seen is not None and seen.unread else frozenset()
    portals = tx.execute(select(Portal.id, Portal.name)).all()
    ports = tx.execute(select(FcPort.id, FcPort.wwpn)).all()
    of_hosts = tx.execute(select(Target.id, Host.name).join(Host, Host.id == Target.host_id)).all()
    of_groups = tx.execute(
        select(Target.id, HostGroup.name).join(HostGroup, HostGroup.id == Target.host_group_id)
    ).all()
    names = dict(portals) | dict(ports) | dict(of_hosts) | dict(of_groups)
    names |= {id_: name for id_, name, _ in volumes} | {id_: name for id_, _, name, _ in arrays}
    return DriftFacts(
        arrays=[Known(uuid, name, state, uuid in hidden, disks.get(id_, ())) for id_, uuid, name, state in arrays],
        volumes=[Known(id_, name, state, id_ in hidden) for id_, name, state in (*volumes, *deleted)],
        snapshot_ids=frozenset(tx.scalars(union_all(select(Snapshot.id), select(DeletedSnapshot.id)))),
        names=names,
    )


def _hidden(tx: Session, seen: Observation) -> frozenset[str]:
    """UUIDs of arrays and IDs of volumes that may exist although they are not observed."""
    of_volumes = select(Volume.id, Array.engine, Array.group_name).join(Array, Array.id == Volume.array_id)
    of_deleted = select(DeletedVolume.id, Array.engine, Array.group_name).join(
        Array, Array.id == DeletedVolume.array_id
    )
    return frozenset(
        [row.uuid for row in tx.scalars(select(Array)) if is_hidden(row, seen)]
        + [
            id_
            for query in (of_volumes, of_deleted)
            for id_, engine, group in tx.execute(query)
            if hides_volumes(seen, ArrayEngine(engine), group)
        ]
    )
