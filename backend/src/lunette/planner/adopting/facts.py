"""What the database knows that an adoption must not collide with."""

from collections.abc import Mapping
from dataclasses import dataclass

from lunette.planner.access.portals import KnownPortal


@dataclass(frozen=True)
class OwnArray:
    id: str
    name: str
    state: str
    group: str


@dataclass(frozen=True)
class Facts:
    """Names are those that are taken."""

    appliance_id: str
    arrays: Mapping[str, OwnArray]
    """By UUID."""
    md_names: frozenset[str]
    volumes: frozenset[str]
    hosts: frozenset[str]
    host_groups: frozenset[str]
    portal_names: frozenset[str]
    portals: tuple[KnownPortal, ...]
    serials: frozenset[str]
    naas: frozenset[str]
    """Of volumes, also of deleted ones."""
    uuids: frozenset[str]
    nguids: frozenset[str]
    initiators: Mapping[str, str]
    """Name of the host by initiator."""
    targets: frozenset[str]
    """Names of targets, over SCSI and over NVMe."""
    disks: Mapping[str, str]
    """Name of the array by disk id."""
