"""The site document: a file that describes the desired state of the appliance by name.

An entry has the same fields as the request that creates its object, so a new field of a request is a new field of the
document. An omitted field stays unchanged on an existing object, and has its default on a new one. IDs occur for disks
only.
"""

from collections import Counter
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from lunette.domain.arrays import ArrayCreate
from lunette.domain.base import Model
from lunette.domain.dhchap import DhChapSecret, DhGroup, DhHash
from lunette.domain.fc import FcPortCreate
from lunette.domain.hosts import ChapSecret, ChapUser, HostCreate, HostGroupCreate
from lunette.domain.mappings import MappingCreate, PortalCreate
from lunette.domain.names import Name
from lunette.domain.schedules import ScheduleCreate
from lunette.domain.settings import SettingsPatch
from lunette.domain.texts import add_member_texts
from lunette.domain.volumes import VolumeCreate

MAX_ENTRIES = 16384
_NAME = r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,62}"
"""Also a WWPN with its colons, which is how a Fibre Channel port is called."""


class SiteNoun(StrEnum):
    """Kind of an object in a site document, in the order of the sections."""

    ARRAY = "array"
    """Array."""
    VOLUME = "volume"
    """Volume."""
    HOST = "host"
    """Host."""
    HOST_GROUP = "host-group"
    """Host group."""
    PORTAL = "portal"
    """Portal."""
    FC_PORT = "fc-port"
    """FC port."""
    MAPPING = "mapping"
    """Mapping."""
    SCHEDULE = "schedule"
    """Schedule."""
    SETTING = "setting"
    """Settings."""

    @property
    def section(self) -> str:
        """The field of the document that lists it."""
        return f"{self.value.replace('-', '_')}s"


_NAMED = rf"({'|'.join(noun for noun in SiteNoun if noun not in (SiteNoun.MAPPING, SiteNoun.SETTING))})/{_NAME}"
Scope = Annotated[str, Field(pattern=rf"^{_NAMED}$")]
"""One thing and what hangs on it: `host/esx3`."""
Destroyable = Annotated[
    str,
    Field(
        max_length=300,
        pattern=rf"^({_NAMED}|mapping/{_NAME}/host(-group)?/{_NAME}|disk/[^/\s]+)$",
    ),
]
"""One thing that may go: `volume/lun03`, `mapping/lun03/host/esx3`, `disk/nvme-…` for what a disk carries."""


class SiteArray(ArrayCreate):
    """An array in a site document. Disks that the document adds join an existing array; no document removes a disk.

    A document cannot create an encrypted array and must not contain a passphrase.
    """

    wipe: tuple[()] = ()
    """Always empty. Disks to wipe are named in `destroy` of the request, as `disk/ID`."""

    @model_validator(mode="after")
    def _keyed(self) -> "SiteArray":
        if self.passphrase is not None:
            raise ValueError("a site document contains no passphrases: omit it")
        if self.encryption is None and self.keep_key:
            raise ValueError("keep_key applies to encrypted arrays only: set encryption too, or omit it")
        return self


class _Renamed(Model):
    """An entry of an object that can be renamed."""

    renamed_from: Name | None = None
    """Former name of the object. The object with this name is renamed and retains everything else, such as data,
    identity and mappings. Ignored if an object with the new name exists. Exported documents do not contain this
    field."""

    @model_validator(mode="after")
    def _another(self) -> Self:
        if self.renamed_from is not None and self.renamed_from == getattr(self, "name", None):
            raise ValueError("renamed_from is the same as name: omit it")
        return self


class SiteVolume(_Renamed, VolumeCreate):
    """A volume in a site document. A larger size grows the volume; a smaller size is refused."""


class SiteHostGroup(_Renamed, HostGroupCreate):
    """A host group in a site document."""


class SiteSchedule(_Renamed, ScheduleCreate):
    """A schedule in a site document."""


class SiteChap(Model):
    """CHAP credentials of a host in a site document. Exported documents contain no secrets."""

    user: ChapUser
    """User name that the host must present."""
    secret: ChapSecret | None = None
    """Secret that the host must present, 12 to 16 printable ASCII characters. If omitted or `null`, the stored secret
    stays unchanged."""
    mutual_user: ChapUser | None = None
    """User name that the appliance presents to the host. `null` removes mutual CHAP. If omitted, the user name stays
    unchanged."""
    mutual_secret: ChapSecret | None = None
    """Secret that the appliance presents to the host, 12 to 16 printable ASCII characters. Must differ from `secret`.
    If omitted, the stored secret stays unchanged."""


class SiteDhChap(Model):
    """DH-HMAC-CHAP keys of a host in a site document. Exported documents contain no keys."""

    secret: DhChapSecret | None = None
    """Key of the host in the form `DHHC-1:…`. If omitted or `null`, the stored key stays unchanged."""
    is_mutual: bool | None = None
    """Whether the appliance also authenticates itself to the host, with `mutual_secret`. `false` removes the key of the
    appliance. If omitted or `null`, `true` if `mutual_secret` is set, and unchanged otherwise."""
    mutual_secret: DhChapSecret | None = None
    """Key of the appliance, in the same form. Must differ from `secret`. If omitted, the stored key stays unchanged."""
    hash: DhHash = DhHash.SHA256
    """Hash of the exchange. If omitted, unchanged on an existing host. Has no effect with the export engine `spdk`,
    which negotiates the hash."""
    dh_group: DhGroup = DhGroup.FFDHE2048
    """Diffie-Hellman group of the exchange. If omitted, unchanged on an existing host. Has no effect with the export
    engine `spdk`, which negotiates the group."""

    @model_validator(mode="after")
    def _one_meaning(self) -> "SiteDhChap":
        if self.mutual_secret is not None and self.is_mutual is False:
            raise ValueError("is_mutual is false, but mutual_secret is set: omit one of them")
        return self


class SiteHost(_Renamed, HostCreate):
    """A host in a site document."""

    chap: SiteChap | None = None  # type: ignore[assignment]  # a document may leave the secrets out
    """CHAP credentials that the host must present over iSCSI and iSER. `null` removes CHAP. If omitted, CHAP stays
    unchanged."""
    dhchap: SiteDhChap | None = None  # type: ignore[assignment]  # likewise
    """DH-HMAC-CHAP keys that the host must present over NVMe. `null` removes DH-HMAC-CHAP. If omitted, DH-HMAC-CHAP
    stays unchanged."""


class Site(Model):
    """Site document: the desired state of the appliance, by name.

    Objects of an omitted section stay unchanged, unless `destroy` names them. An omitted field stays unchanged on an
    existing object, and has its default on a new one. The order of entries has no meaning.
    """

    format: Literal[1] = 1
    """Version of the document format."""
    arrays: Annotated[tuple[SiteArray, ...], Field(max_length=1024)] | None = None
    """Arrays. If omitted or `null`, existing arrays stay unchanged."""
    volumes: Annotated[tuple[SiteVolume, ...], Field(max_length=MAX_ENTRIES)] | None = None
    """Volumes. If omitted or `null`, existing volumes stay unchanged."""
    hosts: Annotated[tuple[SiteHost, ...], Field(max_length=MAX_ENTRIES)] | None = None
    """Hosts. If omitted or `null`, existing hosts stay unchanged."""
    host_groups: Annotated[tuple[SiteHostGroup, ...], Field(max_length=MAX_ENTRIES)] | None = None
    """Host groups. If omitted or `null`, existing host groups stay unchanged."""
    portals: Annotated[tuple[PortalCreate, ...], Field(max_length=1024)] | None = None
    """Portals. If omitted or `null`, existing portals stay unchanged."""
    fc_ports: Annotated[tuple[FcPortCreate, ...], Field(max_length=1024)] | None = None
    """FC ports with their modes. If omitted or `null`, managed FC ports stay unchanged."""
    mappings: Annotated[tuple[MappingCreate, ...], Field(max_length=MAX_ENTRIES)] | None = None
    """Mappings. If omitted or `null`, existing mappings stay unchanged. All mappings of a volume with several owners
    must have `shared` set to `true`."""
    schedules: Annotated[tuple[SiteSchedule, ...], Field(max_length=1024)] | None = None
    """Schedules. If omitted or `null`, existing schedules stay unchanged."""
    settings: SettingsPatch | None = None
    """Settings. If omitted or `null`, the settings stay unchanged."""

    def entries(self, noun: SiteNoun) -> tuple[Model, ...]:
        """The entries of one section; empty if it is omitted."""
        found: tuple[Model, ...] | Model | None = getattr(self, noun.section)
        return (found,) if isinstance(found, Model) else found or ()

    @field_validator("mappings")
    @classmethod
    def _shared_is_meant(cls, mappings: tuple[MappingCreate, ...] | None) -> tuple[MappingCreate, ...] | None:
        owners = Counter(mapping.volume for mapping in mappings or ())
        for mapping in mappings or ():
            if owners[mapping.volume] > 1 and not mapping.shared:
                raise ValueError(
                    f"volume {mapping.volume} is mapped to {owners[mapping.volume]} owners, which corrupts data unless "
                    "all run a cluster file system: set shared: true for each of them if this is intended"
                )
        return mappings

    @model_validator(mode="after")
    def _each_once(self) -> "Site":
        """A name is unique in its section, and a number is unique under one owner."""
        for noun in SiteNoun:
            for key, uses in Counter(key_of(noun, entry) for entry in self.entries(noun)).items():
                if uses > 1:
                    raise ValueError(f"{key} appears {uses} times in {noun.section}; list it once")
        for number, uses in Counter(_numbers(self.mappings or ())).items():
            if uses > 1:
                raise ValueError(f"{number} is assigned to {uses} mappings; assign a different number to each volume")
        return self

    @model_validator(mode="after")
    def _renamed_once(self) -> "Site":
        """A former name means one thing: nothing else in the document has it, or had it."""
        for noun in SiteNoun:
            keys = {key_of(noun, entry) for entry in self.entries(noun)}
            former = Counter(getattr(entry, "renamed_from", None) for entry in self.entries(noun))
            for name, uses in former.items():
                if name is not None and uses > 1:
                    raise ValueError(
                        f"{uses} entries of {noun.section} have renamed_from {name}; only one entry can have it"
                    )
                if f"{noun}/{name}" in keys:
                    raise ValueError(
                        f"{noun}/{name} is in the document and is the renamed_from of another entry: apply the rename "
                        "first, then omit renamed_from"
                    )
        return self


def _numbers(mappings: tuple[MappingCreate, ...]) -> Iterator[str]:
    for mapping in mappings:
        if mapping.lun is not None:
            yield f"LUN {mapping.lun} of {owner_of(mapping)}"


def owner_of(mapping: MappingCreate) -> str:
    """The key of the host or group a mapping is for."""
    if mapping.host is not None:
        return f"{SiteNoun.HOST}/{mapping.host}"
    return f"{SiteNoun.HOST_GROUP}/{mapping.host_group}"


def key_of(noun: SiteNoun, entry: Model) -> str:
    """How requests and plans name an entry: `volume/lun03`, `mapping/lun03/host/esx3`."""
    if isinstance(entry, MappingCreate):
        return f"{noun}/{entry.volume}/{owner_of(entry)}"
    if isinstance(entry, SettingsPatch):
        return f"{noun}/appliance"
    name: str = getattr(entry, "name")  # noqa: B009 every other entry has one
    return f"{noun}/{name}"


class SiteRequest(Model):
    """Site document to compare with the appliance, or to apply. Only objects that `destroy` names are deleted."""

    site: Site
    """Site document with the desired state."""
    scope: Annotated[tuple[Scope, ...], Field(max_length=256)] = ()
    """Objects to which the request is limited, such as `host/esx3`, each with what belongs to it: volumes of an array,
    mappings of a volume, mappings and mapped volumes of a host or host group, and hosts of a host group. If empty, the
    request applies to the whole document."""
    destroy: Annotated[tuple[Destroyable, ...], Field(max_length=MAX_ENTRIES)] = ()
    """Objects that may be deleted, such as `volume/lun03` or `mapping/lun03/host/esx3`, and disks that may be wiped,
    such as `disk/ID`. A portal or mapping that is named here is replaced if it cannot be changed. Nothing else is
    deleted or wiped."""


def site_schema() -> dict[str, Any]:
    """The JSON Schema of the document, as it is published (draft 2020-12)."""
    schema = Site.model_json_schema()
    for name, inner in schema["$defs"].items():
        add_member_texts(name, inner)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
