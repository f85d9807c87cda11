"""Whether hosts are connected, for a page of them in a fixed number of queries."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from lunette.domain.hosts import HostConnection, OsType
from lunette.domain.mappings import Family
from lunette.engine.reads import host_access
from lunette.engine.reads.why import MachineState
from lunette.planner.diagnosis.paths import Logins, PathFacts, connection
from lunette.planner.kits.facts import KitFacts, KitTarget
from lunette.store.resources import Host, HostGroupMember, HostInitiator, Target
from lunette.store.resources import Mapping as MappingRow


def connections(
    tx: Session, hosts: Sequence[Host], look: MachineState, sessions: Mapping[str, int | None], known: Collection[str]
) -> dict[str, HostConnection]:
    """By ID. `sessions` gives the number of sessions of each; `known` are those that have been logged in."""
    ids = [host.id for host in hosts if sessions[host.id]]
    members = select(HostGroupMember.host_id, HostGroupMember.host_group_id)
    groups = dict(tx.execute(members.where(HostGroupMember.host_id.in_(ids))).all())
    ways = _ways(tx, {*ids, *groups.values()})
    mates = _mates(tx, set(groups.values()))
    portals, fc_ports = host_access.portals(tx, look.seen), tuple(host_access.fc_ports(tx, look.seen))
    blocked, logins = host_access.blocked(tx, look), Logins(look.sessions) if look.sessions else None
    found = {}
    for host in hosts:
        group, names = groups.get(host.id), host_access.names_of(host)
        targets = (*ways.get(host.id, ()), *ways.get(group or "", ()))
        kit = KitFacts(
            host=host.name,
            os_type=OsType(host.os_type),
            iqns=names["iqn"],
            wwpns=names["wwpn"],
            nqns=names["nqn"],
            targets=targets,
            portals=tuple(host_access.fitting(portals, names, targets)),
            fc_ports=fc_ports,
        )
        others = frozenset(name for host_id, name in mates.get(group or "", ()) if host_id != host.id)
        seen = look.seen.fc_ports if look.seen else ()
        facts = PathFacts(kit, blocked, others, look.sessions, seen, logins)
        found[host.id] = connection(facts, sessions[host.id], was_seen=host.id in known)
    return found


def _ways(tx: Session, owner_ids: Collection[str]) -> dict[str, list[KitTarget]]:
    """The targets of each host or group under which it has volumes. The volumes themselves do not matter here."""
    owner = func.coalesce(MappingRow.host_id, MappingRow.host_group_id)
    mapped = tx.execute(select(owner, MappingRow.family).where(owner.in_(owner_ids)).distinct()).all()
    rows = tx.scalars(select(Target).where(Target.host_id.in_(owner_ids) | Target.host_group_id.in_(owner_ids)))
    targets = {row.host_id or row.host_group_id: row for row in rows}
    found: dict[str, list[KitTarget]] = defaultdict(list)
    for owner_id, family in sorted(mapped):
        row, spoken = targets[owner_id], Family(family)
        name = row.iqn if spoken is Family.SCSI else row.nqn
        found[owner_id].append(KitTarget(family=spoken, name=name, tag=row.tag, volumes=()))
    return found


def _mates(tx: Session, group_ids: Collection[str]) -> dict[str, list[tuple[str, str]]]:
    """The initiators of each group, with the ID of their host."""
    query = select(HostGroupMember.host_group_id, HostInitiator.host_id, HostInitiator.name)
    query = query.join(HostInitiator, HostInitiator.host_id == HostGroupMember.host_id)
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for group_id, host_id, name in tx.execute(query.where(HostGroupMember.host_group_id.in_(group_ids))):
        found[group_id].append((host_id, name))
    return found
