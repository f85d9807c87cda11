"""The document of everything to be exported, built from rows, and the generation that counts its changes.

Code that changes an export calls `changed` in the same transaction, naming what is removed: without its release the
agent continues to serve it (the brake, DESIGN R2).
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import SecretStr
from sqlalchemy import ColumnElement, and_, delete, or_, select
from sqlalchemy.orm import Session

from lunette.domain.arrays import ArrayEngine
from lunette.domain.dhchap import DhGroup, DhHash
from lunette.domain.encryption import Encryption
from lunette.domain.errors import Unavailable
from lunette.domain.exports import (
    ExportArray,
    ExportChap,
    ExportDhChap,
    ExportFcInitiator,
    ExportFcPort,
    ExportInitiator,
    ExportLun,
    ExportNvmeHost,
    ExportPortal,
    ExportSet,
    ExportSubsystem,
    ExportTarget,
    ExportVolume,
    Release,
    ReleaseKind,
)
from lunette.domain.fc import FcMode
from lunette.domain.hosts import OsType, is_cleared
from lunette.domain.identity import subsystem_serial
from lunette.domain.jobs import JobKind, JobState, ResourceState
from lunette.domain.mappings import ExportEngine, Family, Protocol
from lunette.domain.sealed_copies import LOST
from lunette.domain.self_tests import SelfTestSchedule
from lunette.engine.context.services import Services
from lunette.engine.exports import firewall
from lunette.planner.engines.volume_engines import volume_planning
from lunette.store.database import after_commit
from lunette.store.journal import Job
from lunette.store.resources import (
    Array,
    DeletedVolume,
    FcPort,
    Host,
    HostGroup,
    HostGroupMember,
    Mapping,
    Meta,
    Portal,
    ReleaseRow,
    Target,
    Volume,
)
from lunette.store.secrets import SecretBox
from lunette.store.settings import read_settings, settings_of, settings_row

Leaving = Iterable[tuple[ReleaseKind, str]]


def meta(tx: Session, key: str) -> str:
    return tx.scalars(select(Meta.value).where(Meta.key == key)).one()


def generation(tx: Session) -> int:
    """Number of changes of the exports in this database."""
    return int(meta(tx, "export_generation"))


def changed(tx: Session, services: Services, leaving: Leaving = ()) -> None:
    """Counts a change, releases what is removed, and wakes the reconciler after the commit."""
    released(tx, leaving)
    after_commit(tx, services.wake_reconciler)


def released(tx: Session, leaving: Leaving) -> None:
    """Counts a change and releases what is removed."""
    number = counted(tx)
    for kind, ref in leaving:
        tx.merge(ReleaseRow(kind=kind.value, ref=ref, generation=number))


def counted(tx: Session) -> int:
    """Counts a change, for the reconciler to find. Returns its number."""
    row = tx.get_one(Meta, "export_generation")
    row.value = str(int(row.value) + 1)
    return int(row.value)


def acknowledged(tx: Session, up_to: int) -> int:
    """Deletes the releases that the agent has applied. Returns how many."""
    gone = tx.scalars(delete(ReleaseRow).where(ReleaseRow.generation <= up_to).returning(ReleaseRow.ref)).all()
    return len(gone)


def build(tx: Session, box: SecretBox) -> ExportSet:
    """Everything that is to be exported: all running arrays, and the volumes mapped from them.

    A volume without a mapping is not served, so nothing holds it open. One that is still being adopted is left to the
    system that serves it. A target or subsystem without a mapping does not exist.
    """
    mappings = tx.scalars(select(Mapping).where(~_is_coming()).order_by(Mapping.id)).all()
    owners = _owners(tx, mappings)
    releases = tx.scalars(select(ReleaseRow).order_by(ReleaseRow.kind, ReleaseRow.ref)).all()
    settings = read_settings(tx)
    return ExportSet(
        database_id=meta(tx, "database_id"),
        appliance_id=meta(tx, "appliance_id"),
        generation=generation(tx),
        arrays=_arrays(tx),
        volumes=_volumes(tx),
        portals=_portals(tx),
        targets=tuple(_targets(owners, box)),
        subsystems=tuple(_subsystems(owners, box)),
        fc_ports=tuple(
            ExportFcPort(port_id=row.id, wwpn=row.wwpn, mode=FcMode(row.mode))
            for row in tx.scalars(select(FcPort).order_by(FcPort.id))
        ),
        firewall=firewall.spec(tx),
        discovery=_discovery(tx, box),
        disk_health_s=settings.disk_health_minutes * 60,
        self_tests=SelfTestSchedule(short_days=settings.short_test_days, long_days=settings.long_test_days),
        host_name=settings.host_name,
        released=tuple(Release(kind=ReleaseKind(r.kind), id=r.ref, generation=r.generation) for r in releases),
    )


def _is_coming() -> ColumnElement[bool]:
    """Mappings of volumes that a job is adopting."""
    return Mapping.volume_id.in_(select(Volume.id).where(Volume.state == ResourceState.CREATING.value))


def is_served() -> ColumnElement[bool]:
    """Arrays to bring up. A stuck array is included if the stuck job changed it: only those have volumes."""
    kept = select(DeletedVolume.id).where(DeletedVolume.array_id == Array.id).exists()
    holds = or_(select(Volume.id).where(Volume.array_id == Array.id).exists(), kept)
    standing = Array.state.in_([ResourceState.READY.value, ResourceState.CHANGING.value])
    return or_(standing, and_(Array.state == ResourceState.STUCK.value, holds))


def _arrays(tx: Session) -> tuple[ExportArray, ...]:
    rows = tx.scalars(select(Array).where(is_served()).order_by(Array.id))
    return tuple(
        ExportArray(
            array_id=row.id,
            name=row.name,
            engine=ArrayEngine(row.engine),
            uuid=row.uuid,
            group=row.group_name,
            members=tuple(disk.disk_id for disk in row.disks),
            sync_speed_min_bytes_s=row.sync_speed_min_bytes_s,
            sync_speed_max_bytes_s=row.sync_speed_max_bytes_s,
            tuning=row.tuning(),
            write_mostly=row.write_mostly,
            health_command=row.health_command,
            encryption=Encryption(row.encryption) if row.encryption else None,
        )
        for row in rows
    )


def _volumes(tx: Session) -> tuple[ExportVolume, ...]:
    mapped = select(Mapping.volume_id).where(~_is_coming()).distinct()
    query = (
        select(Volume, Array.group_name, Array.engine)
        .join(Array, Array.id == Volume.array_id)
        .where(Volume.id.in_(mapped))
        .order_by(Volume.id)
    )
    return tuple(
        ExportVolume(
            volume_id=row.id,
            name=row.name,
            array_id=row.array_id,
            group=group,
            device=volume_planning(ArrayEngine(engine)).device_path(group, row.backing_name),
            size_bytes=row.size_bytes,
            identity=row.identity(),
            adopted=row.adopted(),
        )
        for row, group, engine in tx.execute(query)
    )


def _portals(tx: Session) -> tuple[ExportPortal, ...]:
    """The listeners of all portals: of one that is moving also those at its former places."""
    coming = _coming_portals(tx)
    return tuple(
        ExportPortal(
            portal_id=place.id,
            protocol=Protocol(row.protocol),
            engine=ExportEngine(row.engine),
            address=place.address,
            port=place.port,
            adopted=place.adopted,
        )
        for row in tx.scalars(select(Portal).order_by(Portal.id))
        if row.id not in coming
        for place in row.listeners
    )


def _coming_portals(tx: Session) -> frozenset[str]:
    """Ports of nvmet that a job is adopting: until it is done they are left to the system that created them."""
    if tx.scalars(select(Portal.id).where(Portal.adopted.is_not(None)).limit(1)).first() is None:
        return frozenset()
    open_ = (JobState.PENDING.value, JobState.RUNNING.value, JobState.STUCK.value)
    jobs = select(Job.resource_ids).where(Job.kind == JobKind.SITE_ADOPT.value, Job.state.in_(open_))
    return frozenset(id_ for ids in tx.scalars(jobs) for id_ in ids)


@dataclass(frozen=True)
class _Owner:
    """A host or a group with its names, its hosts, and its mappings in each family."""

    id: str
    row: Target
    hosts: list[Host]
    luns: dict[Family, list[ExportLun]]
    deadline_s: int | None

    def sorted_luns(self, family: Family) -> tuple[ExportLun, ...]:
        return tuple(sorted(self.luns[family], key=lambda lun: lun.lun))


def _owners(tx: Session, mappings: Iterable[Mapping]) -> list[_Owner]:
    luns: dict[str, dict[Family, list[ExportLun]]] = defaultdict(lambda: defaultdict(list))
    for mapping in mappings:
        lun = ExportLun(mapping_id=mapping.id, lun=mapping.lun, volume_id=mapping.volume_id)
        luns[mapping.host_id or mapping.host_group_id or ""][Family(mapping.family)].append(lun)
    hosts = {row.id: row for row in tx.scalars(select(Host))}
    groups = {row.id: row for row in tx.scalars(select(HostGroup))}
    members: dict[str, list[str]] = defaultdict(list)
    for member in tx.scalars(select(HostGroupMember).order_by(HostGroupMember.host_id)):
        members[member.host_group_id].append(member.host_id)
    found = []
    for target in tx.scalars(select(Target).order_by(Target.id)):
        owner = target.host_id or target.host_group_id or ""
        served = [hosts[host_id] for host_id in ([owner] if target.host_id else members[owner])]
        deadline_s = (hosts if target.host_id else groups)[owner].opens_without_missing_after_s
        found.append(_Owner(owner, target, served, luns[owner], deadline_s))
    return found


def _targets(owners: Iterable[_Owner], box: SecretBox) -> Iterable[ExportTarget]:
    for owner in owners:
        if owner.luns[Family.SCSI]:
            yield ExportTarget(
                target_id=owner.row.id,
                owner=owner.id,
                iqn=owner.row.iqn,
                tag=owner.row.tag,
                os_type=_common_os(owner.hosts),
                initiators=tuple(i for host in owner.hosts for i in _initiators(host, box)),
                fc_initiators=tuple(i for host in owner.hosts for i in _fc_initiators(host)),
                luns=owner.sorted_luns(Family.SCSI),
                opens_without_missing_after_s=owner.deadline_s,
            )


def _common_os(hosts: list[Host]) -> OsType:
    kinds = {OsType(host.os_type) for host in hosts}
    return kinds.pop() if len(kinds) == 1 else OsType.OTHER


def _subsystems(owners: Iterable[_Owner], box: SecretBox) -> Iterable[ExportSubsystem]:
    for owner in owners:
        if owner.luns[Family.NVME]:
            yield ExportSubsystem(
                target_id=owner.row.id,
                owner=owner.id,
                nqn=owner.row.nqn,
                serial=kept.serial if (kept := owner.row.adopted()) else subsystem_serial(owner.row.id),
                hosts=tuple(nvme_host for host in owner.hosts for nvme_host in _nvme_hosts(host, box)),
                luns=owner.sorted_luns(Family.NVME),
                opens_without_missing_after_s=owner.deadline_s,
                adopted=kept,
            )


def _nvme_hosts(host: Host, box: SecretBox) -> Iterable[ExportNvmeHost]:
    if host.dhchap_secret_sealed == LOST:
        return  # without its key it is not admitted
    dhchap = _dhchap(host, box)
    for initiator in host.initiators:
        if initiator.kind == "nqn":
            yield ExportNvmeHost(initiator_id=initiator.id, host=host.name, nqn=initiator.name, dhchap=dhchap)


def _dhchap(host: Host, box: SecretBox) -> ExportDhChap | None:
    if host.dhchap_secret_sealed is None:
        return None
    mutual = host.dhchap_mutual_secret_sealed
    return ExportDhChap(
        secret=_opened(box, host.dhchap_secret_sealed, f"the DH-CHAP key of host {host.name}"),
        mutual_secret=_opened(box, mutual, f"the mutual DH-CHAP key of host {host.name}") if mutual else None,
        hash=DhHash(host.dhchap_hash or DhHash.SHA256),
        dh_group=DhGroup(host.dhchap_group or DhGroup.NULL),
    )


def _initiators(host: Host, box: SecretBox) -> Iterable[ExportInitiator]:
    if host.chap_secret_sealed == LOST:
        return  # without its secret it is not admitted
    chap = _chap(host, box)
    if chap is not None and _is_cleared(chap):
        return  # an older version accepted what the kernel treats as unset
    for initiator in host.initiators:
        if initiator.kind == "iqn":
            yield ExportInitiator(initiator_id=initiator.id, host=host.name, iqn=initiator.name, chap=chap)


def _discovery(tx: Session, box: SecretBox) -> ExportChap | None:
    row = settings_row(tx)
    asked = settings_of(row).discovery_auth
    if asked is None:
        return None
    secret, mutual = (row.sealed.get(key) for key in ("discovery_auth", "discovery_auth.mutual"))
    chap = ExportChap(
        user=asked.user,
        secret=_opened(box, secret, "the secret of the discovery login") if secret else SecretStr(""),
        mutual_user=asked.mutual_user,
        mutual_secret=_opened(box, mutual, "the mutual secret of the discovery login") if mutual else None,
    )
    # Still required, but no host can present it: an older version accepted what the kernel treats as unset.
    cleared = ExportChap(user="", secret=SecretStr(""), mutual_user=None, mutual_secret=None)
    return cleared if _is_cleared(chap) else chap


def _is_cleared(chap: ExportChap) -> bool:
    return is_cleared((chap.user, chap.mutual_user), (chap.secret, chap.mutual_secret))


def _opened(box: SecretBox, sealed: str, what: str) -> SecretStr:
    """Raises Unavailable naming what was sealed with another key: no host is rejected for that."""
    found = box.open_if_known(sealed)
    if found is None:
        raise Unavailable(
            f"{what[0].upper()}{what[1:]} was sealed with a different key: restore the key file, or enter it again."
        )
    return found


def _fc_initiators(host: Host) -> Iterable[ExportFcInitiator]:
    for initiator in host.initiators:
        if initiator.kind == "wwpn":
            yield ExportFcInitiator(initiator_id=initiator.id, host=host.name, wwpn=initiator.name)


def _chap(host: Host, box: SecretBox) -> ExportChap | None:
    if host.chap_user is None or host.chap_secret_sealed is None:
        return None
    mutual = host.chap_mutual_secret_sealed
    return ExportChap(
        user=host.chap_user,
        secret=_opened(box, host.chap_secret_sealed, f"the CHAP secret of host {host.name}"),
        mutual_user=host.chap_mutual_user,
        mutual_secret=_opened(box, mutual, f"the mutual CHAP secret of host {host.name}") if mutual else None,
    )
