"""Collects the facts on the way from a volume to its hosts; the planner finds the first broken link."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from lunette.domain.exports import ConvergeReport
from lunette.domain.mappings import Family
from lunette.domain.observations import Observation, SessionsObservation
from lunette.domain.why import VolumeWhy
from lunette.engine.context.known_arrays import known
from lunette.engine.context.lookup import need
from lunette.engine.exports import exportset
from lunette.planner.access.portals import KnownPortal
from lunette.planner.diagnosis import why as planner
from lunette.planner.diagnosis.why import ChainFacts, HostAccess, MappedHost
from lunette.store.resources import Array, Host, HostGroup, HostGroupMember, Mapping, Portal, Target, Volume


@dataclass(frozen=True)
class MachineState:
    """The machine now; None for what is unknown while the agent is down."""

    seen: Observation | None
    report: ConvergeReport | None
    sessions: SessionsObservation | None


def explain(tx: Session, volume: str, host: str | None, look: MachineState) -> VolumeWhy:
    """One chain for the given host, or for each host that the volume is mapped to. Raises NotFound."""
    row = need(tx, Volume, volume)
    mappings = tx.scalars(select(Mapping).where(Mapping.volume_id == row.id)).all()
    hosts = [need(tx, Host, host)] if host is not None else _mapped_hosts(tx, mappings)
    guests: list[MappedHost | None] = [_guest(tx, one, mappings) for one in hosts]
    owners = [
        (tx.get_one(Host, m.host_id) if m.host_id else tx.get_one(HostGroup, m.host_group_id)).name for m in mappings
    ]
    portals = [
        KnownPortal(
            id=one.id, name=one.name, protocol=one.protocol, address=one.address, port=one.port, engine=one.engine
        )
        for one in tx.scalars(select(Portal).order_by(Portal.name))
    ]
    array, wanted = known(tx.get_one(Array, row.array_id)), exportset.generation(tx)
    chains = [
        planner.why(
            ChainFacts(
                array=array,
                volume_id=row.id,
                volume=row.name,
                volume_state=row.state,
                owners=owners,
                guest=guest,
                portals=portals,
                wanted=wanted,
                seen=look.seen,
                report=look.report,
                sessions=look.sessions,
            )
        )
        for guest in guests or [None]
    ]
    return VolumeWhy(volume=row.name, chains=tuple(chains))


def _mapped_hosts(tx: Session, mappings: Sequence[Mapping]) -> Sequence[Host]:
    """The hosts that the volume is mapped to, directly or through a group, by name."""
    groups = [mapping.host_group_id for mapping in mappings if mapping.host_group_id]
    members = select(HostGroupMember.host_id).where(HostGroupMember.host_group_id.in_(groups))
    own = [mapping.host_id for mapping in mappings if mapping.host_id]
    return tx.scalars(select(Host).where(Host.id.in_(own) | Host.id.in_(members)).order_by(Host.name)).all()


def _guest(tx: Session, host: Host, mappings: Sequence[Mapping]) -> MappedHost:
    group = tx.scalar(select(HostGroup).join(HostGroupMember).where(HostGroupMember.host_id == host.id))
    initiators = frozenset((initiator.kind, initiator.name) for initiator in host.initiators)
    own = next((mapping for mapping in mappings if mapping.host_id == host.id), None)
    shared = next((mapping for mapping in mappings if group and mapping.host_group_id == group.id), None)
    way = None
    if own is not None:
        way = _way(tx, own, None, Target.host_id == host.id)
    elif shared is not None and group is not None:
        way = _way(tx, shared, group.name, Target.host_group_id == group.id)
    return MappedHost(name=host.name, initiators=initiators, group=group.name if group else None, way=way)


def _way(tx: Session, mapping: Mapping, group: str | None, owner: ColumnElement[bool]) -> HostAccess:
    target, family = tx.scalars(select(Target).where(owner)).one(), Family(mapping.family)
    name = target.iqn if family is Family.SCSI else target.nqn
    return HostAccess(lun=mapping.lun, target_id=target.id, target_name=name, group=group, family=family)
