"""A host's paths: where it should be logged in, against where it is, in words."""

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from lunette.domain.base import Model
from lunette.domain.mappings import Family, Protocol
from lunette.domain.steps.paths import AWAY_LEAST_S, AWAY_MOST_S, AWAY_S


class PathState(StrEnum):
    """up: logged in now. down: nobody is. unknown: the kernel does not tell, or the agent does not answer."""

    UP = "up"
    DOWN = "down"
    UNKNOWN = "unknown"


class HostPath(Model):
    """One way from the host to one of its targets or subsystems."""

    target: str
    """The target's IQN, the subsystem's NQN, or over Fibre Channel the WWPN of our port."""
    protocol: Protocol
    portal: str
    """Name of the portal; over Fibre Channel the WWPN of our port."""
    address: str | None
    """Address and port of the portal; None over Fibre Channel."""
    initiator: str | None
    """The host's WWPN over Fibre Channel."""
    state: PathState
    words: str


class VolumePaths(Model):
    """One volume of the host: how many paths there should be, and how many are known to be there."""

    volume: str
    lun: int
    family: Family
    expected: int
    seen: int | None
    """None where nobody knows of some path whether it is there."""
    state: PathState
    """up: all of them. down: some are missing. unknown: nobody knows."""
    words: str


class HostVerifyPaths(Model):
    """Each path of the host is taken away in turn. `confirm`: the host's name."""

    confirm: str = Field(min_length=1, max_length=63)
    away_s: int = Field(default=AWAY_S, ge=AWAY_LEAST_S, le=AWAY_MOST_S)
    """For how long each path is away, in seconds."""


class PathVerification(Model):
    """What came of the last time that every path of the host was taken away in turn. `words`: path by path."""

    at: datetime
    is_passed: bool
    words: tuple[str, ...]
    job_id: str


class HostPaths(Model):
    """All paths of a host. `sentence` says the worst of it first."""

    host: str
    state: PathState
    sentence: str
    paths: tuple[HostPath, ...]
    volumes: tuple[VolumePaths, ...]
    verification: PathVerification | None
    """None if they were never tried."""
