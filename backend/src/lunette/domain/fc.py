"""Fibre Channel ports: what the machine shows of an HBA port, and the mode an administrator gives it."""

from enum import StrEnum

from lunette.domain.base import Model
from lunette.domain.names import Wwpn


class FcMode(StrEnum):
    """target: serves volumes. initiator: reaches other arrays. disabled: neither. dual is seen, and never asked for."""

    TARGET = "target"
    INITIATOR = "initiator"
    DUAL = "dual"
    DISABLED = "disabled"


class FcPortCreate(Model):
    """The wish to manage an HBA port; until then Lunette leaves it as its driver made it."""

    wwpn: Wwpn
    mode: FcMode = FcMode.TARGET

    @property
    def name(self) -> str:
        """A port is called by its WWPN."""
        return self.wwpn


class FcPortPatch(Model):
    """Another mode; an absent field stays."""

    mode: FcMode | None = None


class ObservedFcRemote(Model):
    """A port that is logged in to ours over the fabric, whatever it may do here."""

    wwpn: str
    wwnn: str
    roles: tuple[str, ...]
    """As the kernel puts it: FCP Initiator, FCP Target, …; empty where it says unknown."""
    state: str


class ObservedFcPort(Model):
    """A port of an HBA, or of a software fabric. None is what its driver does not tell."""

    wwpn: str
    wwnn: str
    host: str
    """Name of its SCSI host in sysfs; it may be another after a boot."""
    driver: str
    model: str | None
    firmware: str | None
    symbolic_name: str | None
    state: str
    """Online, Linkdown, Offline, …"""
    speed: str | None
    topology: str | None
    mode: FcMode
    modes: tuple[FcMode, ...]
    """What it can be asked to be while the machine runs."""
    reason: str | None
    """Why it cannot serve as a target here."""
    remotes: tuple[ObservedFcRemote, ...]
    disks: int
    """SCSI targets of others that this machine reaches through it."""
