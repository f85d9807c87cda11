"""Collects the facts for the kit of a host and the status of its paths: its targets with their volumes, and the portals
that it can reach.
"""

import io
import tarfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.exports import ServingState
from lunette.domain.fc import FcMode
from lunette.domain.hosts import OsType
from lunette.domain.kits import HostKit
from lunette.domain.mappings import Family, Protocol
from lunette.domain.observations import Observation
from lunette.domain.paths import HostPaths
from lunette.engine.context.lookup import need
from lunette.engine.reads import path_verdicts
from lunette.engine.reads.why import MachineState
from lunette.planner.diagnosis.paths import PathFacts, verify
from lunette.planner.diagnosis.why import KIND_OF
from lunette.planner.kits.build import build
from lunette.planner.kits.bundle import members
from lunette.planner.kits.facts import KitChap, KitDhChap, KitFacts, KitPortal, KitTarget, KitVolume, reached
from lunette.store.database import store_of
from lunette.store.resources import FcPort, Host, HostGroupMember, HostInitiator, Portal, Target, Volume
from lunette.store.resources import Mapping as MappingRow
from lunette.store.settings import read_settings, with_secrets

AWAY = (
    "The agent does not answer, so the addresses of the appliance are not known: portals on all addresses and Fibre "
    "Channel ports are omitted. Get the kit again when the agent answers."
)


def kit(tx: Session, reference: str, seen: Observation | None, *, secrets: bool) -> HostKit:
    """The kit of a host, by ID or name; `secrets` includes them, in a write transaction only. Raises NotFound."""
    return build(facts(tx, need(tx, Host, reference), seen, secrets=secrets))


def archive(kit: HostKit) -> bytes:
    """The kit as a tar file, with all files owned by root."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for member in members(kit):
            content = member.content.encode()
            entry = tarfile.TarInfo(member.path)
            entry.size, entry.mode, entry.mtime = len(content), member.mode, int(time.time())
            entry.uname = entry.gname = "root"
            tar.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def paths(tx: Session, reference: str, look: MachineState) -> HostPaths:
    """The paths of a host, and the result of the last path test. Raises NotFound."""
    host = need(tx, Host, reference)
    return verify(path_facts(tx, host, look)).model_copy(update={"verification": path_verdicts.last(tx, host.id)})


def path_facts(tx: Session, host: Host, look: MachineState) -> PathFacts:
    """The facts from which paths are judged."""
    group = select(HostGroupMember.host_group_id).where(HostGroupMember.host_id == host.id).scalar_subquery()
    others = (
        select(HostInitiator.name)
        .join(HostGroupMember, HostGroupMember.host_id == HostInitiator.host_id)
        .where(HostGroupMember.host_group_id == group, HostInitiator.host_id != host.id)
    )
    return PathFacts(
        host=facts(tx, host, look.seen, secrets=False),
        blocked=blocked(tx, look),
        others=frozenset(tx.scalars(others)),
        sessions=look.sessions,
        fc_ports=look.seen.fc_ports if look.seen else (),
    )


def blocked(tx: Session, look: MachineState) -> dict[str, str]:
    """Why portals do not listen, by name."""
    names = dict(tx.execute(select(Portal.id, Portal.name)).all())
    return {
        names[one.portal_id]: one.reason or "the agent gave no reason"
        for one in (look.report.portals if look.report else ())
        if one.state is ServingState.BLOCKED and one.portal_id in names
    }


def facts(tx: Session, host: Host, seen: Observation | None, *, secrets: bool) -> KitFacts:
    """What is known of a host and its access. Without `seen`, the warnings say what is omitted."""
    kinds, ways = names_of(host), tuple(targets(tx, host))
    return KitFacts(
        host=host.name,
        os_type=OsType(host.os_type),
        iqns=kinds["iqn"],
        wwpns=kinds["wwpn"],
        nqns=kinds["nqn"],
        targets=ways,
        portals=tuple(fitting(portals(tx, seen), kinds, ways)),
        fc_ports=tuple(fc_ports(tx, seen)),
        chap=_chap(tx, host, secrets=secrets),
        dhchap=_dhchap(tx, host, secrets=secrets),
        discovery=_discovery(tx, secrets=secrets),
        has_secrets=secrets,
        warnings=() if seen else (AWAY,),
        outage_s=seen.power.outage_s if seen and seen.power else None,
    )


def names_of(host: Host) -> dict[str, tuple[str, ...]]:
    """The initiators of a host, by kind."""
    return {kind: tuple(one.name for one in host.initiators if one.kind == kind) for kind in ("iqn", "wwpn", "nqn")}


def fitting(
    portals: Iterable[KitPortal], names: Mapping[str, Sequence[str]], ways: Iterable[KitTarget]
) -> Iterator[KitPortal]:
    """The portals over which initiators of these names reach these targets."""
    spoken = {KIND_OF[protocol]: protocol.family for protocol in Protocol}
    families = {target.family for target in ways}
    used = {kind for kind, found in names.items() if found and spoken[kind] in families}
    return (one for one in portals if KIND_OF[one.protocol] in used)


def targets(tx: Session, host: Host) -> Iterator[KitTarget]:
    """The targets and subsystems that serve a host: its own, then those of its group; only those with volumes."""
    group = tx.scalar(select(HostGroupMember.host_group_id).where(HostGroupMember.host_id == host.id))
    for owner, owned in ((Target.host_id, MappingRow.host_id), (Target.host_group_id, MappingRow.host_group_id)):
        wanted = host.id if owner is Target.host_id else group
        target = tx.scalar(select(Target).where(owner == wanted)) if wanted else None
        if target is None:
            continue
        query = select(MappingRow, Volume).join(Volume, Volume.id == MappingRow.volume_id).where(owned == wanted)
        rows = tx.execute(query.order_by(MappingRow.lun)).all()
        for family, name in ((Family.SCSI, target.iqn), (Family.NVME, target.nqn)):
            volumes = tuple(
                KitVolume(name=volume.name, lun=mapping.lun, naa=volume.naa, uuid=volume.uuid)
                for mapping, volume in rows
                if mapping.family == family
            )
            if volumes:
                yield KitTarget(family=family, name=name, tag=target.tag, volumes=volumes)


def portals(tx: Session, seen: Observation | None) -> list[KitPortal]:
    """The portals of the appliance, one for each address."""
    rows = tx.scalars(select(Portal).order_by(Portal.name))
    listening = [KitPortal(row.name, Protocol(row.protocol), row.address, row.port) for row in rows]
    rdma = [one.address for device in seen.rdma_devices for one in device.addresses] if seen else []
    return reached(listening, seen.addresses if seen else (), rdma)


def fc_ports(tx: Session, seen: Observation | None) -> Iterator[str]:
    """Fibre Channel ports of the appliance that are configured as targets and present."""
    there = {port.wwpn for port in seen.fc_ports} if seen else set()
    for port in tx.scalars(select(FcPort).where(FcPort.mode == FcMode.TARGET.value).order_by(FcPort.wwpn)):
        if port.wwpn in there:
            yield port.wwpn


def _chap(tx: Session, host: Host, *, secrets: bool) -> KitChap | None:
    if host.chap_user is None or host.chap_secret_sealed is None:
        return None
    if not secrets:
        return KitChap(user=host.chap_user, mutual_user=host.chap_mutual_user)
    box, mutual = store_of(tx).box, host.chap_mutual_secret_sealed
    return KitChap(
        user=host.chap_user,
        mutual_user=host.chap_mutual_user,
        secret=box.open_if_known(host.chap_secret_sealed),
        mutual_secret=box.open_if_known(mutual) if mutual else None,
    )


def _discovery(tx: Session, *, secrets: bool) -> KitChap | None:
    asked = (with_secrets(tx) if secrets else read_settings(tx)).discovery_auth
    if asked is None:
        return None
    return KitChap(
        user=asked.user, mutual_user=asked.mutual_user, secret=asked.secret, mutual_secret=asked.mutual_secret
    )


def _dhchap(tx: Session, host: Host, *, secrets: bool) -> KitDhChap | None:
    if host.dhchap_secret_sealed is None:
        return None
    mutual = host.dhchap_mutual_secret_sealed
    if not secrets:
        return KitDhChap(is_mutual=mutual is not None)
    box = store_of(tx).box
    return KitDhChap(
        is_mutual=mutual is not None,
        secret=box.open_if_known(host.dhchap_secret_sealed),
        mutual_secret=box.open_if_known(mutual) if mutual else None,
    )
