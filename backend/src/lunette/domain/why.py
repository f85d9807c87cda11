"""The way a volume reaches a host, link by link: disk, array, volume, export, portal, session."""

from enum import StrEnum

from lunette.domain.base import Model


class Part(StrEnum):
    """The links, in the order in which each stands on the one before."""

    DISK = "disk"
    ARRAY = "array"
    VOLUME = "volume"
    EXPORT = "export"
    PORTAL = "portal"
    SESSION = "session"


class LinkState(StrEnum):
    """unknown: the agent does not answer, so nobody can say."""

    OK = "ok"
    BROKEN = "broken"
    UNKNOWN = "unknown"


class WhyLink(Model):
    """One link, and in `words` what it is like or what is wrong and what to do."""

    part: Part
    state: LinkState
    words: str


class WhyChain(Model):
    """The way to one host. `sentence` names the first broken link; `host` is null where the volume is for nobody."""

    host: str | None
    sentence: str
    links: tuple[WhyLink, ...]


class VolumeWhy(Model):
    """Why a volume is or is not where it should be: one chain for each host asked about."""

    volume: str
    chains: tuple[WhyChain, ...]
