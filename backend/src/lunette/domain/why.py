"""The chain from a volume to a host, link by link: disk, array, volume, export, portal, session."""

from enum import StrEnum

from lunette.domain.base import Model


class Part(StrEnum):
    """Part of the chain from the disks to the host; each part depends on the one before."""

    DISK = "disk"
    """The disks of the array."""
    ARRAY = "array"
    """The array of the volume."""
    VOLUME = "volume"
    """The volume on its array."""
    EXPORT = "export"
    """The mapping of the volume and its export."""
    PORTAL = "portal"
    """The portal or FC port that the host can use."""
    SESSION = "session"
    """The session of the host."""


class LinkState(StrEnum):
    """State of one link of the chain."""

    OK = "ok"
    """The link works."""
    DEGRADED = "degraded"
    """The link works, but with reduced redundancy: another fault may break it."""
    BROKEN = "broken"
    """The link does not work."""
    UNKNOWN = "unknown"
    """The state is not known, because the agent does not answer or cannot read it."""


class WhyLink(Model):
    """One link of the chain, with its state."""

    part: Part
    """Part of the chain."""
    state: LinkState
    """State of the link."""
    words: str
    """Description of the state; for a broken or degraded link with the action to take."""


class WhyChain(Model):
    """The chain from the disks of a volume to one host."""

    host: str | None
    """Name of the host; `null` if the volume is not mapped to any host."""
    sentence: str
    """Summary in one sentence, which names the first broken link, or else the first degraded one."""
    links: tuple[WhyLink, ...]
    """Links of the chain, from disk to session."""


class VolumeWhy(Model):
    """Why hosts can or cannot use a volume."""

    volume: str
    """Name of the volume."""
    chains: tuple[WhyChain, ...]
    """One chain for the requested host, or for each host that the volume is mapped to."""
