"""Describes the present state as a site document."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Any, TypeVar

from pydantic import SecretStr
from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.arrays import MemberRole, ObservedArray
from lunette.domain.base import Model
from lunette.domain.dhchap import DhGroup, DhHash
from lunette.domain.fc import FcPortCreate
from lunette.domain.jobs import ResourceState
from lunette.domain.mappings import MappingCreate, PortalCreate
from lunette.domain.observations import Observation
from lunette.domain.settings import SECRETS, DiscoveryAuth, SettingsPatch
from lunette.domain.site import Site, SiteArray, SiteChap, SiteDhChap, SiteHost, SiteHostGroup, SiteNoun, SiteVolume
from lunette.engine.changes import schedules
from lunette.planner.access.hosts import KINDS
from lunette.planner.engines.array_engines import ARRAY_ENGINES
from lunette.planner.site.difference import KnownSite
from lunette.store.resources import Array, ArrayDisk, FcPort, Host, HostGroup, Mapping, Portal, Volume
from lunette.store.schedules import Schedule
from lunette.store.schema import Base
from lunette.store.secrets import SecretBox
from lunette.store.settings import read_settings, with_secrets

NAMING_DISKS = (*(role.field for role in MemberRole), "write_mostly")
"""The fields of an array that name disks."""
_FILLED = frozenset({"replacing", "rebuilding"})
Entry = TypeVar("Entry", bound=Model)


def known(tx: Session, box: SecretBox | None) -> KnownSite:
    """Everything by name, sorted by name. Without a `box` the secrets are omitted, as in every export."""
    arrays = tx.scalars(select(Array).order_by(Array.name)).all()
    volumes = tx.scalars(select(Volume).order_by(Volume.name)).all()
    hosts = tx.scalars(select(Host).order_by(Host.name)).all()
    groups = tx.scalars(select(HostGroup).order_by(HostGroup.name)).all()
    array_names = {row.id: row.name for row in arrays}
    host_names = {row.id: row.name for row in hosts}
    names = host_names | {row.id: row.name for row in volumes} | {row.id: row.name for row in groups}
    site = Site(
        arrays=tuple(_entry(SiteArray, row, **_disks(row)) for row in arrays),
        volumes=tuple(_entry(SiteVolume, row, array=array_names[row.array_id]) for row in volumes),
        hosts=tuple(_host(row, box) for row in hosts),
        host_groups=tuple(
            _entry(SiteHostGroup, row, hosts=tuple(sorted(host_names[member.host_id] for member in row.members)))
            for row in groups
        ),
        portals=tuple(
            _entry(PortalCreate, row, port=row.port or None) for row in tx.scalars(select(Portal).order_by(Portal.name))
        ),
        fc_ports=tuple(_entry(FcPortCreate, row) for row in tx.scalars(select(FcPort).order_by(FcPort.wwpn))),
        mappings=_mappings(tx, names),
        settings=_settings(tx, box),
    )
    # Not validated: a schedule whose volumes or arrays are all deleted could not be created, but it exists.
    planned = tuple(schedules.known(tx, row) for row in tx.scalars(select(Schedule).order_by(Schedule.name)))
    site = site.model_copy(update={"schedules": planned})
    return KnownSite(site, dict(_busy(SiteNoun.ARRAY, arrays)) | dict(_busy(SiteNoun.VOLUME, volumes)))


def as_seen(tx: Session, site: Site, seen: Observation) -> Site:
    """The site with the disks of each array as observed on the machine. A spare of md takes a lost disk's place
    automatically: unused ones are spares, and so is a lost disk whose place is taken. A disk that is being replaced is
    omitted.
    """
    leaving = set(tx.scalars(select(ArrayDisk.disk_id).where(ArrayDisk.leaving)))
    uuids = dict(tx.execute(select(Array.name, Array.uuid)).all())
    observed = {array.uuid: array for array in seen.arrays}
    arrays = tuple(_as_seen(array, observed.get(uuids[array.name]), leaving) for array in site.arrays or ())
    return site.model_copy(update={"arrays": arrays})


def _as_seen(array: SiteArray, found: ObservedArray | None, leaving: AbstractSet[str]) -> SiteArray:
    states = {member.disk_id: member.state for member in found.members} if found else {}
    if not _FILLED.intersection(states.values()):
        leaving = {disk for disk in leaving if states.get(disk) != "in_sync"}  # the copy failed: the disk stays
    left = {field: tuple(disk for disk in getattr(array, field) if disk not in leaving) for field in NAMING_DISKS}
    lost = _without_place(found, left["disks"]) if found else frozenset()
    if spares := tuple(disk for disk in left["disks"] if disk in lost or states.get(disk) == "spare"):
        left["disks"] = tuple(disk for disk in left["disks"] if disk not in spares)
        left["spares"] += spares
    changed = {field: disks for field, disks in left.items() if disks != getattr(array, field)}
    return array.model_copy(update=changed) if changed else array


def _without_place(found: ObservedArray, disks: Iterable[str]) -> AbstractSet[str]:
    """The disks of an md array that have no slot in it, because others have them all."""
    places = {member.disk_id: member.slot for member in found.members if member.disk_id and member.slot is not None}
    is_full = ARRAY_ENGINES[found.engine].fills_lost_places and len({*places.values()}) == found.raid_disks
    return {disk for disk in disks if disk not in places} if is_full else frozenset()


def members(tx: Session, seen: Observation) -> dict[str, int]:
    """Number of members of each md array, by name."""
    names = dict(tx.execute(select(Array.uuid, Array.name)).all())
    return {
        names[array.uuid]: array.raid_disks
        for array in seen.arrays
        if ARRAY_ENGINES[array.engine].fills_lost_places and array.uuid in names and array.raid_disks
    }


def _settings(tx: Session, box: SecretBox | None) -> SettingsPatch:
    """All settings; secrets only with a box."""
    held = with_secrets(tx, box) if box is not None else read_settings(tx)
    document = held.model_dump(mode="json")
    for name, field in SECRETS.values():
        if document[name] is not None:
            del document[name][field]
            if (secret := getattr(getattr(held, name), field)) is not None:
                document[name][field] = secret
    if asked := document["discovery_auth"]:
        document["discovery_auth"] = DiscoveryAuth.model_construct(**asked)  # as for a host
    return SettingsPatch.model_validate(document)


def _entry(kind: type[Entry], row: Base, **own: object) -> Entry:
    """The spec that would create this row: the columns with the names of its fields, and what is `own` to the noun."""
    columns = {name: getattr(row, name) for name in kind.model_fields if name not in own and hasattr(row, name)}
    return kind.model_validate(columns | own)


def _disks(row: Array) -> dict[str, tuple[str, ...]]:
    """The disks of an array, under the field of each role."""
    return {role.field: tuple(disk.disk_id for disk in row.disks if disk.role == role) for role in MemberRole}


def _host(row: Host, box: SecretBox | None) -> SiteHost:
    names: dict[str, list[str]] = defaultdict(list)
    for initiator in row.initiators:
        names[f"{initiator.kind}s"].append(initiator.name)
    initiators = {f"{kind}s": tuple(names[f"{kind}s"]) for kind in KINDS}
    return _entry(SiteHost, row, chap=_chap(row, box), dhchap=_dhchap(row, box), **initiators)


def _chap(row: Host, box: SecretBox | None) -> SiteChap | None:
    if row.chap_user is None:
        return None
    values: dict[str, Any] = {"user": row.chap_user, "mutual_user": row.chap_mutual_user}
    sealed = {"secret": row.chap_secret_sealed, "mutual_secret": row.chap_mutual_secret_sealed}
    return SiteChap.model_construct(**(values | _opened(box, sealed)))  # an older version accepted more


def _dhchap(row: Host, box: SecretBox | None) -> SiteDhChap | None:
    if row.dhchap_secret_sealed is None:
        return None
    sealed = {"secret": row.dhchap_secret_sealed, "mutual_secret": row.dhchap_mutual_secret_sealed}
    values: dict[str, object] = {"is_mutual": row.dhchap_mutual_secret_sealed is not None}
    values |= {"hash": row.dhchap_hash or DhHash.SHA256, "dh_group": row.dhchap_group or DhGroup.NULL}
    return SiteDhChap.model_validate(values | _opened(box, sealed))


def _opened(box: SecretBox | None, sealed: dict[str, str | None]) -> dict[str, SecretStr]:
    """The stored secrets that were not lost with the appliance or the key they were sealed with."""
    found = {name: box.open_if_known(text) for name, text in sealed.items() if text} if box is not None else {}
    return {name: secret for name, secret in found.items() if secret is not None}


def _mappings(tx: Session, names: dict[str, str]) -> tuple[MappingCreate, ...]:
    """`shared` means that a volume has several owners now, so that the document can be applied in any order."""
    rows = tx.scalars(select(Mapping)).all()
    owners = Counter(row.volume_id for row in rows)
    found = [
        _entry(
            MappingCreate,
            row,
            volume=names[row.volume_id],
            shared=owners[row.volume_id] > 1,
            **({"host": names[row.host_id]} if row.host_id else {"host_group": names[row.host_group_id or ""]}),
        )
        for row in rows
    ]
    return tuple(sorted(found, key=lambda one: (one.host_group or "", one.host or "", one.lun, one.volume)))


def _busy(noun: SiteNoun, rows: Iterable[Array | Volume]) -> Iterable[tuple[str, str]]:
    return ((f"{noun}/{row.name}", row.state) for row in rows if row.state != ResourceState.READY)
