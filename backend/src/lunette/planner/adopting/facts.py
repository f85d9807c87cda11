"""Records of the database with which an adoption must not collide."""

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
    """Names that are taken, and the known arrays and portals."""

    appliance_id: str
    arrays: Mapping[str, OwnArray]
    """By UUID."""
    engine_names: frozenset[str]
    volumes: frozenset[str]
    hosts: frozenset[str]
    host_groups: frozenset[str]
    portal_names: frozenset[str]
    portals: tuple[KnownPortal, ...]
    serials: frozenset[str]
    naas: frozenset[str]
    """Serial numbers of volumes, including deleted ones."""
    uuids: frozenset[str]
    nguids: frozenset[str]
    initiators: Mapping[str, str]
    """Names of hosts by initiator."""
    targets: frozenset[str]
    """Names of targets, over SCSI and over NVMe."""
    disks: Mapping[str, str]
    """Names of arrays by disk ID."""
