"""The site document: the appliance by name, as a person keeps it in a file (decision 0010).

Every entry is the wish its noun is created with, so a field that a noun gains is a field of the document. A field that
is left out stays as it is on what exists, and takes its default on what is new. Ids do not occur, but for disks.
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
from lunette.domain.volumes import VolumeCreate

MAX_ENTRIES = 16384
_NAME = r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,62}"
"""Also a WWPN with its colons, which is how a Fibre Channel port is called."""


class SiteNoun(StrEnum):
    """What a document holds, in the order of its sections."""

    ARRAY = "array"
    VOLUME = "volume"
    HOST = "host"
    HOST_GROUP = "host-group"
    PORTAL = "portal"
    FC_PORT = "fc-port"
    MAPPING = "mapping"
    SCHEDULE = "schedule"
    SETTING = "setting"

    @property
    def section(self) -> str:
        """The field of the document that lists it."""
        return f"{self.value.replace('-', '_')}s"


Scope = Annotated[str, Field(pattern=rf"^(array|volume|host|host-group|portal|fc-port|schedule)/{_NAME}$")]
"""One thing and what hangs on it: `host/esx3`."""
Destroyable = Annotated[
    str,
    Field(
        max_length=300,
        pattern=rf"^((array|volume|host|host-group|portal|fc-port|schedule)/{_NAME}|mapping/{_NAME}/host(-group)?/{_NAME}|disk/[^/\s]+)$",
    ),
]
"""One thing that may go: `volume/lun03`, `mapping/lun03/host/esx3`, `disk/nvme-…` for what a disk carries."""


class SiteArray(ArrayCreate):
    wipe: tuple[()] = ()
    """Always empty: what may be wiped is named by the request, as `disk/ID`, not kept in a file."""

    @model_validator(mode="after")
    def _keyed(self) -> "SiteArray":
        if self.passphrase is not None:
            raise ValueError("a document tells that an array is encrypted, and holds no passphrase: leave it out")
        if self.encryption is None and self.keep_key:
            raise ValueError("keep_key is of encrypted arrays: set encryption too, or leave it out")
        return self


class _Renamed(Model):
    """An entry whose noun can be renamed."""

    renamed_from: Name | None = None
    """The name it had before. What has that name now is renamed, and keeps everything else: of a volume data, identity
    and mappings. Ignored once something has the new name; no export shows it."""

    @model_validator(mode="after")
    def _another(self) -> Self:
        if self.renamed_from is not None and self.renamed_from == getattr(self, "name", None):
            raise ValueError("renamed_from is the name itself: leave it out")
        return self


class SiteVolume(_Renamed, VolumeCreate):
    """A volume. A larger size grows it; a smaller one is refused."""


class SiteHostGroup(_Renamed, HostGroupCreate):
    """A host group."""


class SiteSchedule(_Renamed, ScheduleCreate):
    """A schedule."""


class SiteChap(Model):
    """CHAP of a host. A secret that is left out stays as the appliance keeps it; no export shows one."""

    user: ChapUser
    secret: ChapSecret | None = None
    mutual_user: ChapUser | None = None
    mutual_secret: ChapSecret | None = None


class SiteDhChap(Model):
    """DH-HMAC-CHAP of a host. A key that is left out stays as the appliance keeps it; no export shows one.

    `is_mutual` tells that the appliance proves itself too, with `mutual_secret`; false takes that key away. Left out
    where a `mutual_secret` is given, it is true.
    """

    secret: DhChapSecret | None = None
    is_mutual: bool | None = None
    mutual_secret: DhChapSecret | None = None
    hash: DhHash = DhHash.SHA256
    dh_group: DhGroup = DhGroup.FFDHE2048

    @model_validator(mode="after")
    def _one_meaning(self) -> "SiteDhChap":
        if self.mutual_secret is not None and self.is_mutual is False:
            raise ValueError("is_mutual is false and a mutual_secret is given: leave one of them out")
        return self


class SiteHost(_Renamed, HostCreate):
    """`chap: null` takes CHAP away, `dhchap: null` DH-HMAC-CHAP; without the field each stays as it is."""

    chap: SiteChap | None = None  # type: ignore[assignment]  # a document may leave the secrets out
    dhchap: SiteDhChap | None = None  # type: ignore[assignment]  # likewise


class Site(Model):
    """The document. A section that is left out is not looked at."""

    format: Literal[1] = 1
    arrays: Annotated[tuple[SiteArray, ...], Field(max_length=1024)] | None = None
    volumes: Annotated[tuple[SiteVolume, ...], Field(max_length=MAX_ENTRIES)] | None = None
    hosts: Annotated[tuple[SiteHost, ...], Field(max_length=MAX_ENTRIES)] | None = None
    host_groups: Annotated[tuple[SiteHostGroup, ...], Field(max_length=MAX_ENTRIES)] | None = None
    portals: Annotated[tuple[PortalCreate, ...], Field(max_length=1024)] | None = None
    fc_ports: Annotated[tuple[FcPortCreate, ...], Field(max_length=1024)] | None = None
    mappings: Annotated[tuple[MappingCreate, ...], Field(max_length=MAX_ENTRIES)] | None = None
    schedules: Annotated[tuple[SiteSchedule, ...], Field(max_length=1024)] | None = None
    settings: SettingsPatch | None = None

    def entries(self, noun: SiteNoun) -> tuple[Model, ...]:
        """The entries of one section; empty where it is left out."""
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
                    "all run a cluster file system: say shared: true at each of them if that is meant"
                )
        return mappings

    @model_validator(mode="after")
    def _each_once(self) -> "Site":
        """A name stands once in its section, and a number once under one owner."""
        for noun in SiteNoun:
            for key, uses in Counter(key_of(noun, entry) for entry in self.entries(noun)).items():
                if uses > 1:
                    raise ValueError(f"{key} stands {uses} times in {noun.section}; name it once")
        for number, uses in Counter(_numbers(self.mappings or ())).items():
            if uses > 1:
                raise ValueError(f"{number} is given to {uses} mappings; give each volume a number of its own")
        return self

    @model_validator(mode="after")
    def _renamed_once(self) -> "Site":
        """A former name means one thing: nothing else of the document goes by it, or came from it."""
        for noun in SiteNoun:
            keys = {key_of(noun, entry) for entry in self.entries(noun)}
            former = Counter(getattr(entry, "renamed_from", None) for entry in self.entries(noun))
            for name, uses in former.items():
                if name is not None and uses > 1:
                    raise ValueError(
                        f"{uses} entries of {noun.section} have renamed_from {name}; it becomes one of them"
                    )
                if f"{noun}/{name}" in keys:
                    raise ValueError(
                        f"{noun}/{name} is in the document and the renamed_from of another entry: rename first, then "
                        "leave renamed_from out"
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
    """A document to be compared or applied. Without `scope` all of it counts; nothing goes but what `destroy` names."""

    site: Site
    scope: Annotated[tuple[Scope, ...], Field(max_length=256)] = ()
    destroy: Annotated[tuple[Destroyable, ...], Field(max_length=MAX_ENTRIES)] = ()


def site_schema() -> dict[str, Any]:
    """The JSON Schema of the document, as it is published (draft 2020-12)."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Site.model_json_schema()}
