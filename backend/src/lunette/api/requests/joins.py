"""Joins a page of stored rows with related names and with the observation, in a fixed number of queries."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from lunette.api.answers.arrays import Array, array_answer
from lunette.api.answers.hosts import Host, HostGroup, chap_users, dhchap_asked, initiator_names
from lunette.api.answers.mappings import Mapping
from lunette.api.answers.seen import Observed, ObservedSessions
from lunette.api.answers.volumes import MappedTo, Volume, volume_answer
from lunette.domain.hosts import OsType
from lunette.domain.mappings import Family
from lunette.engine.reads.host_connections import connections
from lunette.engine.reads.why import MachineState
from lunette.store.resources import Array as ArrayRow
from lunette.store.resources import DeletedVolume as DeletedVolumeRow
from lunette.store.resources import Host as HostRow
from lunette.store.resources import HostGroup as HostGroupRow
from lunette.store.resources import HostGroupMember, HostLogin, Target
from lunette.store.resources import Mapping as MappingRow
from lunette.store.resources import Volume as VolumeRow


def arrays(tx: Session, rows: Sequence[ArrayRow], seen: Observed) -> list[Array]:
    """Arrays with the number of volumes on each, and the space of deleted ones."""
    counted = select(VolumeRow.array_id, func.count()).where(VolumeRow.array_id.in_([row.id for row in rows]))
    counts = dict(tx.execute(counted.group_by(VolumeRow.array_id)).all())
    held = select(DeletedVolumeRow.array_id, func.sum(DeletedVolumeRow.held_bytes)).where(
        DeletedVolumeRow.array_id.in_([row.id for row in rows])
    )
    deleted = dict(tx.execute(held.group_by(DeletedVolumeRow.array_id)).all())
    return [array_answer(row, counts.get(row.id, 0), int(deleted.get(row.id, 0)), seen) for row in rows]


def volumes(tx: Session, rows: Sequence[VolumeRow], seen: Observed) -> list[Volume]:
    """Volumes with their array and their mappings."""
    cut_from = select(ArrayRow).where(ArrayRow.id.in_({row.array_id for row in rows}))
    by_id = {array.id: array for array in tx.scalars(cut_from)}
    found = tx.scalars(
        select(MappingRow).where(MappingRow.volume_id.in_([row.id for row in rows])).order_by(MappingRow.created_at)
    ).all()
    hosts = _names(tx, HostRow, (mapping.host_id for mapping in found))
    groups = _names(tx, HostGroupRow, (mapping.host_group_id for mapping in found))
    targets = _targets(tx, (mapping.host_id or mapping.host_group_id for mapping in found))
    owners: dict[str, list[MappedTo]] = {}
    for mapping in found:
        target = targets.get(mapping.host_id or mapping.host_group_id or "")
        family = Family(mapping.family)
        export = seen.mapping_export(mapping.id, mapping.volume_id, target.id if target else None, family)
        owners.setdefault(mapping.volume_id, []).append(
            MappedTo(
                mapping_id=mapping.id,
                host=hosts.get(mapping.host_id or ""),
                host_group=groups.get(mapping.host_group_id or ""),
                family=family,
                lun=mapping.lun,
                state=export.state,
                reason=export.reason,
            )
        )
    return [volume_answer(row, by_id[row.array_id], owners.get(row.id, ()), seen) for row in rows]


def mappings(tx: Session, rows: Sequence[MappingRow], seen: Observed) -> list[Mapping]:
    """Mappings with the names of volume and owner, and their target."""
    volume_names = _names(tx, VolumeRow, (row.volume_id for row in rows))
    host_names = _names(tx, HostRow, (row.host_id for row in rows))
    group_names = _names(tx, HostGroupRow, (row.host_group_id for row in rows))
    targets = _targets(tx, (row.host_id or row.host_group_id for row in rows))
    found = []
    for row in rows:
        target = targets.get(row.host_id or row.host_group_id or "")
        family = Family(row.family)
        export = seen.mapping_export(row.id, row.volume_id, target.id if target else None, family)
        found.append(
            Mapping(
                id=row.id,
                volume=volume_names[row.volume_id],
                volume_id=row.volume_id,
                host=host_names.get(row.host_id or ""),
                host_id=row.host_id,
                host_group=group_names.get(row.host_group_id or ""),
                host_group_id=row.host_group_id,
                family=family,
                lun=row.lun,
                shared=row.shared,
                target_iqn=target.iqn if target and family is Family.SCSI else None,
                subsystem_nqn=target.nqn if target and family is Family.NVME else None,
                state=export.state,
                reason=export.reason,
                created_at=row.created_at,
                updated_at=row.updated_at,
            )
        )
    return found


def hosts(tx: Session, rows: Sequence[HostRow], seen: Observed, sessions: ObservedSessions) -> list[Host]:
    """Hosts with their group, target, and the numbers of their mappings and sessions."""
    ids = [row.id for row in rows]
    memberships = tx.scalars(select(HostGroupMember).where(HostGroupMember.host_id.in_(ids)))
    members = {member.host_id: member.host_group_id for member in memberships}
    groups = _names(tx, HostGroupRow, members.values())
    targets = _targets(tx, ids)
    mapped = _mapping_ids(tx, MappingRow.host_id, ids)
    logins = {row.host_id: row.last_seen_at for row in tx.scalars(select(HostLogin).where(HostLogin.host_id.in_(ids)))}
    counts = {row.id: _sessions(row, sessions) for row in rows}
    look = MachineState(seen.observation, seen.report, sessions.observed)
    connected = connections(tx, rows, look, counts, logins.keys())
    found = []
    for row in rows:
        target, group = targets.get(row.id), members.get(row.id)
        iqns, wwpns, nqns = (initiator_names(row, kind) for kind in ("iqn", "wwpn", "nqn"))
        found.append(
            Host(
                id=row.id,
                name=row.name,
                description=row.description,
                os_type=OsType(row.os_type),
                iqns=iqns,
                wwpns=wwpns,
                nqns=nqns,
                chap=chap_users(row),
                dhchap=dhchap_asked(row),
                opens_without_missing_after_s=row.opens_without_missing_after_s,
                group=groups.get(group or ""),
                group_id=group,
                target_iqn=target.iqn if target else None,
                subsystem_nqn=target.nqn if target else None,
                export=seen.owner_export(target.id if target else None, mapped[row.id]),
                mappings=sum(map(len, mapped[row.id].values())),
                sessions=counts[row.id],
                connection=connected[row.id],
                last_seen_at=sessions.at if counts[row.id] else logins.get(row.id),
                created_at=row.created_at,
                updated_at=row.updated_at,
            )
        )
    return found


def host_groups(tx: Session, rows: Sequence[HostGroupRow], seen: Observed) -> list[HostGroup]:
    """Groups with the names of their hosts and their target."""
    ids = [row.id for row in rows]
    names = _names(tx, HostRow, (member.host_id for row in rows for member in row.members))
    targets = _targets(tx, ids)
    mapped = _mapping_ids(tx, MappingRow.host_group_id, ids)
    found = []
    for row in rows:
        target = targets.get(row.id)
        members = sorted((names[member.host_id], member.host_id) for member in row.members)
        found.append(
            HostGroup(
                id=row.id,
                name=row.name,
                description=row.description,
                hosts=tuple(name for name, _ in members),
                host_ids=tuple(host_id for _, host_id in members),
                opens_without_missing_after_s=row.opens_without_missing_after_s,
                target_iqn=target.iqn if target else None,
                subsystem_nqn=target.nqn if target else None,
                export=seen.owner_export(target.id if target else None, mapped[row.id]),
                mappings=sum(map(len, mapped[row.id].values())),
                created_at=row.created_at,
                updated_at=row.updated_at,
            )
        )
    return found


def _names(
    tx: Session, kind: type[ArrayRow | HostRow | HostGroupRow | VolumeRow], ids: Iterable[str | None]
) -> dict[str, str]:
    wanted = {one for one in ids if one}
    if not wanted:
        return {}
    return dict(tx.execute(select(kind.id, kind.name).where(kind.id.in_(wanted))).all())


def _targets(tx: Session, owners: Iterable[str | None]) -> dict[str, Target]:
    """By the ID of the host or group that owns it."""
    wanted = {one for one in owners if one}
    if not wanted:
        return {}
    rows = tx.scalars(select(Target).where(Target.host_id.in_(wanted) | Target.host_group_id.in_(wanted)))
    return {row.host_id or row.host_group_id or "": row for row in rows}


def _mapping_ids(
    tx: Session, owner: InstrumentedAttribute[str | None], ids: Sequence[str]
) -> dict[str, dict[Family, list[str]]]:
    """The mappings of each owner, by family."""
    found: dict[str, dict[Family, list[str]]] = defaultdict(dict)
    for owner_id, family, mapping_id in tx.execute(
        select(owner, MappingRow.family, MappingRow.id).where(owner.in_(ids))
    ):
        found[owner_id or ""].setdefault(Family(family), []).append(mapping_id)
    return found


def _sessions(host: HostRow, sessions: ObservedSessions) -> int | None:
    iqns, wwpns, nqns = (initiator_names(host, kind) for kind in ("iqn", "wwpn", "nqn"))
    spoken = {family for family, names in ((Family.SCSI, iqns + wwpns), (Family.NVME, nqns)) if names}
    return sessions.count((*iqns, *wwpns, *nqns), spoken)
