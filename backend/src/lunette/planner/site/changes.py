"""The single changes that a site document leads to, their requests, and their order."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum

from lunette.domain.array_changes import ArrayAddDisks, ArrayAddSpares, ArrayGrow, ArrayPatch
from lunette.domain.arrays import ArrayCreate
from lunette.domain.base import Model
from lunette.domain.fc import FcPortCreate, FcPortPatch
from lunette.domain.hosts import HostCreate, HostGroupCreate, HostGroupPatch, HostPatch
from lunette.domain.mappings import MappingCreate, PortalCreate, PortalPatch
from lunette.domain.schedules import ScheduleCreate, SchedulePatch
from lunette.domain.settings import SettingsPatch
from lunette.domain.site import SiteNoun
from lunette.domain.volumes import VolumeCreate, VolumeGrow, VolumePatch

CREATES: Mapping[SiteNoun, type[Model]] = {
    SiteNoun.ARRAY: ArrayCreate,
    SiteNoun.VOLUME: VolumeCreate,
    SiteNoun.HOST: HostCreate,
    SiteNoun.HOST_GROUP: HostGroupCreate,
    SiteNoun.PORTAL: PortalCreate,
    SiteNoun.FC_PORT: FcPortCreate,
    SiteNoun.MAPPING: MappingCreate,
    SiteNoun.SCHEDULE: ScheduleCreate,
}
PATCHES: Mapping[SiteNoun, type[Model]] = {
    SiteNoun.ARRAY: ArrayPatch,
    SiteNoun.VOLUME: VolumePatch,
    SiteNoun.HOST: HostPatch,
    SiteNoun.HOST_GROUP: HostGroupPatch,
    SiteNoun.PORTAL: PortalPatch,
    SiteNoun.FC_PORT: FcPortPatch,
    SiteNoun.SCHEDULE: SchedulePatch,
    SiteNoun.SETTING: SettingsPatch,
}
"""What can change in an existing object of each noun: the fields its patch shares with its spec. All others are
fixed.
"""


class Verb(StrEnum):
    CREATE = "create"
    PATCH = "patch"
    DELETE = "delete"
    GROW = "grow"
    ADD_SPARES = "add_spares"
    ADD_DISKS = "add_disks"


SPECS: Mapping[Verb, Mapping[SiteNoun, type[Model]]] = {
    Verb.CREATE: CREATES,
    Verb.PATCH: PATCHES,
    Verb.DELETE: {},
    Verb.GROW: {SiteNoun.VOLUME: VolumeGrow, SiteNoun.ARRAY: ArrayGrow},
    Verb.ADD_SPARES: {SiteNoun.ARRAY: ArrayAddSpares},
    Verb.ADD_DISKS: {SiteNoun.ARRAY: ArrayAddDisks},
}
"""What each change requests. Sizes never shrink, and arrays never lose disks."""


class Phase(IntEnum):
    """The order of changes: removals make space first; paths of what stays are closed late and opened last."""

    RENAME = 0
    DELETE_SCHEDULES = 1
    UNMAP_LEAVING = 2
    DELETE_VOLUMES = 3
    DELETE_ARRAYS = 4
    CREATE_ARRAYS = 5
    ADD_TO_ARRAYS = 6
    GROW_ARRAYS = 7
    PATCH_ARRAYS = 8
    CREATE_VOLUMES = 9
    GROW_VOLUMES = 10
    PATCH_VOLUMES = 11
    UNMAP_STAYING = 12
    SHRINK_GROUPS = 13
    DELETE_GROUPS = 14
    SHRINK_HOSTS = 15
    DELETE_HOSTS = 16
    CREATE_HOSTS = 17
    PATCH_HOSTS = 18
    CREATE_GROUPS = 19
    PATCH_GROUPS = 20
    DELETE_PORTALS = 21
    PATCH_PORTALS = 22
    CREATE_PORTALS = 23
    DELETE_FC_PORTS = 24
    CREATE_FC_PORTS = 25
    PATCH_FC_PORTS = 26
    CREATE_MAPPINGS = 27
    CREATE_SCHEDULES = 28
    PATCH_SCHEDULES = 29
    PATCH_SETTINGS = 30


CREATE_PHASE = {
    SiteNoun.ARRAY: Phase.CREATE_ARRAYS,
    SiteNoun.VOLUME: Phase.CREATE_VOLUMES,
    SiteNoun.HOST: Phase.CREATE_HOSTS,
    SiteNoun.HOST_GROUP: Phase.CREATE_GROUPS,
    SiteNoun.PORTAL: Phase.CREATE_PORTALS,
    SiteNoun.FC_PORT: Phase.CREATE_FC_PORTS,
    SiteNoun.MAPPING: Phase.CREATE_MAPPINGS,
    SiteNoun.SCHEDULE: Phase.CREATE_SCHEDULES,
}
PATCH_PHASE = {
    SiteNoun.ARRAY: Phase.PATCH_ARRAYS,
    SiteNoun.VOLUME: Phase.PATCH_VOLUMES,
    SiteNoun.HOST: Phase.PATCH_HOSTS,
    SiteNoun.HOST_GROUP: Phase.PATCH_GROUPS,
    SiteNoun.PORTAL: Phase.PATCH_PORTALS,
    SiteNoun.FC_PORT: Phase.PATCH_FC_PORTS,
    SiteNoun.SCHEDULE: Phase.PATCH_SCHEDULES,
    SiteNoun.SETTING: Phase.PATCH_SETTINGS,
}
JOIN_PHASE: Mapping[type[Model], tuple[Phase, Verb]] = {
    ArrayAddSpares: (Phase.ADD_TO_ARRAYS, Verb.ADD_SPARES),
    ArrayAddDisks: (Phase.ADD_TO_ARRAYS, Verb.ADD_DISKS),
    ArrayGrow: (Phase.GROW_ARRAYS, Verb.GROW),
}
SHRINK_PHASE = {SiteNoun.HOST: Phase.SHRINK_HOSTS, SiteNoun.HOST_GROUP: Phase.SHRINK_GROUPS}
DELETE_PHASE = {
    SiteNoun.ARRAY: Phase.DELETE_ARRAYS,
    SiteNoun.VOLUME: Phase.DELETE_VOLUMES,
    SiteNoun.HOST: Phase.DELETE_HOSTS,
    SiteNoun.HOST_GROUP: Phase.DELETE_GROUPS,
    SiteNoun.PORTAL: Phase.DELETE_PORTALS,
    SiteNoun.FC_PORT: Phase.DELETE_FC_PORTS,
    SiteNoun.MAPPING: Phase.UNMAP_STAYING,
    SiteNoun.SCHEDULE: Phase.DELETE_SCHEDULES,
}


@dataclass(frozen=True)
class SiteChange:
    """One change that could be requested from the API. `specs` are what to create, or the one patch; `keys` name what
    changes.

    `places` give the place of each spec in the document, such as `volumes[3]`.
    """

    verb: Verb
    noun: SiteNoun
    keys: tuple[str, ...]
    specs: tuple[Model, ...] = ()
    places: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the object to patch or delete."""
        return self.keys[0].partition("/")[2]
