"""Results of a search over all objects."""

from enum import StrEnum

from lunette.api.answers.base import Answer


class SearchNoun(StrEnum):
    """Kind of object that a search finds."""

    ARRAY = "array"
    """Array."""
    DISK = "disk"
    """Disk, or missing member of an array."""
    VOLUME = "volume"
    """Volume."""
    SNAPSHOT = "snapshot"
    """Snapshot of a volume."""
    HOST = "host"
    """Host."""
    HOST_GROUP = "host_group"
    """Host group."""
    PORTAL = "portal"
    """Portal."""
    INTERFACE = "interface"
    """Network interface of the appliance."""
    FC_PORT = "fc_port"
    """FC port of the appliance."""
    SESSION = "session"
    """Session of an initiator that is logged in."""
    SCHEDULE = "schedule"
    """Schedule."""
    DELETED_VOLUME = "deleted_volume"
    """Deleted volume that can be recovered."""
    DELETED_SNAPSHOT = "deleted_snapshot"
    """Deleted snapshot that can be recovered."""
    JOB = "job"
    """Job, by its ID."""
    USER = "user"
    """User. Only administrators find users."""


class SearchField(StrEnum):
    """Property in which a search found the text."""

    NAME = "name"
    """Name of the object."""
    ADDRESS = "address"
    """IP address of a portal, an interface or the host of a session."""
    INITIATOR = "initiator"
    """IQN, WWPN or NQN of an initiator."""
    TARGET = "target"
    """IQN of a target, or NQN of a subsystem."""
    WWPN = "wwpn"
    """WWPN of an FC port of the appliance."""
    NAA = "naa"
    """NAA identifier of a volume."""
    SERIAL = "serial"
    """Serial number of a volume or a disk."""
    NGUID = "nguid"
    """NGUID of a volume."""
    EUI64 = "eui64"
    """EUI-64 of a volume."""
    UUID = "uuid"
    """UUID of a volume or an array."""
    WWN = "wwn"
    """World Wide Name of a disk."""
    DEVICE = "device"
    """Kernel name of a disk, or one of its names under `/dev/disk/by-id`."""
    MAC = "mac"
    """MAC address of an interface."""
    MODEL = "model"
    """Model of a disk."""
    DESCRIPTION = "description"
    """Description of the object."""
    ID = "id"
    """Unique ID of the object."""


class SearchMatch(StrEnum):
    """How the text matches the property, best first."""

    EXACT = "exact"
    """The property is the text."""
    PREFIX = "prefix"
    """The property starts with the text."""
    PART = "part"
    """The property contains the text."""


class SearchResult(Answer):
    """An object that matches a search."""

    noun: SearchNoun
    """Kind of the object."""
    id: str
    """Unique ID of the object."""
    name: str
    """Name of the object: of a session, the initiator; of a job, its title."""
    parent: str | None
    """Name of the array of a volume, of the volume of a snapshot, or of the host of a session. `null` for others."""
    field: SearchField
    """Property that matches best."""
    value: str
    """Value of this property."""
    match: SearchMatch
    """How the text matches the property."""


class SearchResults(Answer):
    """Objects that match a search, best matches first."""

    items: tuple[SearchResult, ...]
    """Objects found: exact matches first, then by prefix, then by part."""
    has_more: bool
    """Whether more objects match than are returned."""
    is_complete: bool
    """Whether all objects were searched. `false` while the agent is unavailable: disks, interfaces, sessions and
    unmanaged FC ports are then missing.
    """
