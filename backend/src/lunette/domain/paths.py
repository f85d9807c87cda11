"""The paths of a host: the expected ones in comparison with the sessions that exist, with explanations."""

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from lunette.domain.base import Model
from lunette.domain.mappings import Family, Protocol
from lunette.domain.steps.paths import AWAY_LEAST_S, AWAY_MOST_S, AWAY_S


class PathState(StrEnum):
    """State of one path, or of all paths of a volume or a host."""

    UP = "up"
    """The host is logged in; over all paths in the case of a volume or a host."""
    DOWN = "down"
    """The host is not logged in; over at least one path in the case of a volume or a host."""
    UNKNOWN = "unknown"
    """The state is not known, because the kernel does not report it or the agent does not answer."""


class HostPath(Model):
    """One path from a host to one of its targets or subsystems."""

    target: str
    """IQN of the target, NQN of the subsystem, or over Fibre Channel the WWPN of the appliance's FC port; empty if the
    initiator is on no port's fabric."""
    protocol: Protocol
    """Protocol of the path."""
    portal: str
    """Name of the portal; over Fibre Channel the same WWPN as `target`."""
    address: str | None
    """Address and port of the portal; `null` for SCSI over Fibre Channel."""
    initiator: str | None
    """WWPN of the host for SCSI over Fibre Channel; `null` for other protocols, and if no WWPN of the host is on the
    port's fabric."""
    state: PathState
    """State of the path."""
    words: str
    """Description of the state, with the reason."""


class VolumePaths(Model):
    """The paths of a host to one of its volumes."""

    volume: str
    """Name of the volume."""
    lun: int
    """LUN of the volume; over NVMe the namespace ID."""
    family: Family
    """Protocol family of the mapping."""
    expected: int
    """Number of paths that the host should have."""
    seen: int | None
    """Number of paths over which the host is logged in; `null` if the state of any path is not known."""
    state: PathState
    """State of all paths: `down` if any is missing or none is expected, `unknown` if any is not known, else `up`."""
    words: str
    """Description of the state, with the missing paths."""


class HostVerifyPaths(Model):
    """Request to interrupt each path of a host in turn and check that I/O continues."""

    confirm: str = Field(min_length=1, max_length=63)
    """Name of the host, as confirmation."""
    away_s: int = Field(default=AWAY_S, ge=AWAY_LEAST_S, le=AWAY_MOST_S)
    """Duration in seconds for which each path is interrupted."""


class PathVerification(Model):
    """Result of the last job that interrupted each path of a host in turn."""

    at: datetime
    """When the job ended, in UTC."""
    is_passed: bool
    """Whether I/O continued during every interruption."""
    words: tuple[str, ...]
    """Results of the single paths; the reason if the test was not passed."""
    job_id: str
    """Unique ID of the job."""


class HostPaths(Model):
    """All paths of a host to its volumes."""

    host: str
    """Name of the host."""
    state: PathState
    """State of all paths: `down` if some are missing; `unknown` if no volume is mapped to the host."""
    sentence: str
    """Summary in one sentence, which names the most serious problem."""
    paths: tuple[HostPath, ...]
    """Paths that the host should have."""
    volumes: tuple[VolumePaths, ...]
    """Volumes that are mapped to the host or its host group."""
    verification: PathVerification | None
    """Result of the last path test; `null` if the paths were never tested."""
