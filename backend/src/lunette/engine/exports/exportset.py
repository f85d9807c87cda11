"""The document of everything to be exported, built from rows, and the generation that counts its changes.

Code that changes an export calls `changed` in the same transaction, naming what is removed: without its release the
agent continues to serve it (the brake, DESIGN R2).
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import SecretStr
from sqlalchemy import ColumnElement, and_, delete, or_, select
from sqlalchemy.orm import Session

from lunette.domain.arrays import ArrayEngine
from lunette.domain.dhchap import DhGroup, DhHash
from lunette.domain.encryption import Encryption
from lunette.domain.errors import Unavailable
from lunette.domain.exports import (
    AdoptedSubsystem,
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
from lunette.engine.exports.memo import Memo, digest
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
    HostInitiator,
    Mapping,
    Meta,
    Portal,
    ReleaseRow,
    Target,
    Volume,
    adopted_of,
    identity_of,
)
from lunette.store.schema import UtcTime
from lunette.store.secrets import SecretBox
from lunette.store.settings import read_settings, settings_of, settings_row

Leaving = Iterable[tuple[ReleaseKind, str]]
MOST_NAMED = 500
_ROWS_AT_ONCE = 500


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


def build(tx: Session, box: SecretBox, memo: Memo | None = None) -> ExportSet:
    """Everything that is to be exported: all running arrays, and the volumes mapped from them. With the `memo` of
    earlier calls, only what differs is made again.

    A volume without a mapping is not served, so nothing holds it open. One that is still being adopted is left to the
    system that serves it. A target or subsystem without a mapping does not exist.
    """
    memo = memo or Memo()
    owners = _owners(tx, box, memo)
    releases = tx.scalars(select(ReleaseRow).order_by(ReleaseRow.kind, ReleaseRow.ref)).all()
    settings = read_settings(tx)
    found = ExportSet(
        database_id=meta(tx, "database_id"),
        appliance_id=meta(tx, "appliance_id"),
        generation=generation(tx),
        arrays=_arrays(tx),
        volumes=_volumes(tx, memo),
        portals=_portals(tx),
        targets=tuple(_targets(owners, memo)),
        subsystems=tuple(_subsystems(owners, memo)),
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
    memo.forget()
    return found


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


_VOLUME = [column for column in Volume.__table__.columns if not isinstance(column.type, UtcTime)]
"""Everything about a volume but when it was changed."""


def _volumes(tx: Session, memo: Memo) -> tuple[ExportVolume, ...]:
    mapped = select(Mapping.volume_id).where(~_is_coming()).distinct()
    query = (
        select(*_VOLUME, Array.group_name, Array.engine)
        .join(Array, Array.id == Volume.array_id)
        .where(Volume.id.in_(mapped))
        .order_by(Volume.id)
    )
    with tx.execute(query.execution_options(yield_per=_ROWS_AT_ONCE)) as rows:
        return tuple(memo.volumes.of(row.id, digest(row), partial(_volume, row)) for row in rows)


def _volume(row: Any) -> ExportVolume:
    backing_name = row.lv_name  # the column of Volume.backing_name
    return ExportVolume(
        volume_id=row.id,
        name=row.name,
        array_id=row.array_id,
        group=row.group_name,
        device=volume_planning(ArrayEngine(row.engine)).device_path(row.group_name, backing_name),
        size_bytes=row.size_bytes,
        identity=identity_of(row),
        adopted=adopted_of(row),
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
class _Names:
    """What a host presents in each family, with its credentials."""

    os_type: OsType
    deadline_s: int | None
    initiators: tuple[ExportInitiator, ...]
    fc_initiators: tuple[ExportFcInitiator, ...]
    nvme_hosts: tuple[ExportNvmeHost, ...]


@dataclass(frozen=True)
class _Owner:
    """A host or a group with its names, its hosts, and its mappings in each family."""

    id: str
    row: Target
    hosts: tuple[_Names, ...]
    luns: dict[Family, list[ExportLun]]
    deadline_s: int | None

    def sorted_luns(self, family: Family) -> tuple[ExportLun, ...]:
        return tuple(sorted(self.luns[family], key=lambda lun: lun.lun))


def _owners(tx: Session, box: SecretBox, memo: Memo) -> list[_Owner]:
    luns: dict[str, dict[Family, list[ExportLun]]] = defaultdict(lambda: defaultdict(list))
    columns = (Mapping.id, Mapping.lun, Mapping.volume_id, Mapping.host_id, Mapping.host_group_id, Mapping.family)
    query = select(*columns).where(~_is_coming()).order_by(Mapping.id)
    with tx.execute(query.execution_options(yield_per=_ROWS_AT_ONCE)) as rows:
        for row in rows:
            lun = memo.luns.of(row.id, (row.lun, row.volume_id), partial(_lun, row))
            luns[row.host_id or row.host_group_id or ""][Family(row.family)].append(lun)
    deadlines = dict(tx.execute(select(HostGroup.id, HostGroup.opens_without_missing_after_s)).all())
    members: dict[str, list[str]] = defaultdict(list)
    families: dict[str, set[Family]] = defaultdict(set)
    for id_, mapped in luns.items():
        families[id_].update(mapped)
    for member in tx.scalars(select(HostGroupMember).order_by(HostGroupMember.host_id)):
        members[member.host_group_id].append(member.host_id)
        families[member.host_id] |= families[member.host_group_id]
    hosts = _hosts(tx, box, memo, families)
    found = []
    for target in tx.scalars(select(Target).order_by(Target.id)):
        owner = target.host_id or target.host_group_id or ""
        served = tuple(hosts[host_id] for host_id in ([owner] if target.host_id else members[owner]))
        deadline_s = hosts[owner].deadline_s if target.host_id else deadlines[owner]
        found.append(_Owner(owner, target, served, luns[owner], deadline_s))
    return found


def _lun(row: Any) -> ExportLun:
    return ExportLun(mapping_id=row.id, lun=row.lun, volume_id=row.volume_id)


_HOST = [column for column in Host.__table__.columns if not isinstance(column.type, UtcTime)]
_INITIATOR = (HostInitiator.id, HostInitiator.host_id, HostInitiator.kind, HostInitiator.name)


def _hosts(tx: Session, box: SecretBox, memo: Memo, families: dict[str, set[Family]]) -> dict[str, _Names]:
    names: dict[str, list[Any]] = defaultdict(list)
    for one in tx.execute(select(*_INITIATOR).order_by(HostInitiator.name)):
        names[one.host_id].append(tuple(one))
    rows = {row.id: (tuple(row), names[row.id], frozenset(families[row.id])) for row in tx.execute(select(*_HOST))}
    changed = _loaded(tx, [id_ for id_, source in rows.items() if memo.hosts.lacks(id_, source)])
    return {
        id_: memo.hosts.of(id_, source, partial(_names, id_, changed, box, source[2])) for id_, source in rows.items()
    }


def _loaded(tx: Session, ids: Sequence[str]) -> dict[str, Host]:
    """The hosts with these IDs; all hosts if the IDs are too many to be named."""
    if not ids:
        return {}
    query = select(Host) if len(ids) > MOST_NAMED else select(Host).where(Host.id.in_(ids))
    return {row.id: row for row in tx.scalars(query)}


def _names(host_id: str, loaded: dict[str, Host], box: SecretBox, families: frozenset[Family]) -> _Names:
    """Secrets are opened only of families in which the host has volumes."""
    host = loaded[host_id]
    return _Names(
        os_type=OsType(host.os_type),
        deadline_s=host.opens_without_missing_after_s,
        initiators=tuple(_initiators(host, box)) if Family.SCSI in families else (),
        fc_initiators=tuple(_fc_initiators(host)) if Family.SCSI in families else (),
        nvme_hosts=tuple(_nvme_hosts(host, box)) if Family.NVME in families else (),
    )


def _targets(owners: Iterable[_Owner], memo: Memo) -> Iterable[ExportTarget]:
    for owner in owners:
        if luns := owner.sorted_luns(Family.SCSI):
            row = owner.row
            source = (owner.id, row.iqn, row.tag, owner.hosts, luns, owner.deadline_s)
            yield memo.targets.of(row.id, source, partial(_target, owner, luns))


def _target(owner: _Owner, luns: tuple[ExportLun, ...]) -> ExportTarget:
    return ExportTarget(
        target_id=owner.row.id,
        owner=owner.id,
        iqn=owner.row.iqn,
        tag=owner.row.tag,
        os_type=_common_os(owner.hosts),
        initiators=tuple(one for host in owner.hosts for one in host.initiators),
        fc_initiators=tuple(one for host in owner.hosts for one in host.fc_initiators),
        luns=luns,
        opens_without_missing_after_s=owner.deadline_s,
    )


def _common_os(hosts: Iterable[_Names]) -> OsType:
    kinds = {host.os_type for host in hosts}
    return kinds.pop() if len(kinds) == 1 else OsType.OTHER


def _subsystems(owners: Iterable[_Owner], memo: Memo) -> Iterable[ExportSubsystem]:
    for owner in owners:
        if luns := owner.sorted_luns(Family.NVME):
            kept = owner.row.adopted()
            source = (owner.id, owner.row.nqn, kept, owner.hosts, luns, owner.deadline_s)
            yield memo.subsystems.of(owner.row.id, source, partial(_subsystem, owner, luns, kept))


def _subsystem(owner: _Owner, luns: tuple[ExportLun, ...], kept: AdoptedSubsystem | None) -> ExportSubsystem:
    return ExportSubsystem(
        target_id=owner.row.id,
        owner=owner.id,
        nqn=owner.row.nqn,
        serial=kept.serial if kept else subsystem_serial(owner.row.id),
        hosts=tuple(one for host in owner.hosts for one in host.nvme_hosts),
        luns=luns,
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
