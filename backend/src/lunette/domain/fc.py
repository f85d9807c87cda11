"""FC ports: the ports that the machine reports, and the mode that an administrator gives them."""

from enum import StrEnum

from lunette.domain.base import Model
from lunette.domain.names import Wwpn


class FcMode(StrEnum):
    """Mode of an FC port."""

    TARGET = "target"
    """The port serves volumes to hosts."""
    INITIATOR = "initiator"
    """The port connects to other storage systems."""
    DUAL = "dual"
    """The port is target and initiator at once. This mode can be observed but not requested."""
    DISABLED = "disabled"
    """The port is neither target nor initiator."""


class FcPortCreate(Model):
    """A request to manage an FC port. An unmanaged port stays as its driver configured it."""

    wwpn: Wwpn
    """WWPN of the FC port: 16 hexadecimal digits, with or without colons."""
    mode: FcMode = FcMode.TARGET
    """Mode of the FC port. `dual` is refused."""

    @property
    def name(self) -> str:
        """A port is called by its WWPN."""
        return self.wwpn


class FcPortPatch(Model):
    """Changes to an FC port. Fields that are omitted stay unchanged."""

    mode: FcMode | None = None
    """New mode of the FC port; `dual` is refused. If omitted or `null`, the mode stays unchanged."""


class ObservedFcRemote(Model):
    """A port on the fabric that is logged in to an FC port of the appliance, with or without access."""

    wwpn: str
    wwnn: str
    roles: tuple[str, ...]
    """Roles as reported by the kernel: FCP Initiator, FCP Target, …; empty if unknown."""
    state: str


class ObservedFcPort(Model):
    """A port of an FC adapter, or of a software fabric. None for a value that the driver does not report."""

    wwpn: str
    wwnn: str
    host: str
    """Name of the SCSI host in sysfs, which can change at a restart."""
    driver: str
    model: str | None
    firmware: str | None
    symbolic_name: str | None
    state: str
    """State of the link: Online, Linkdown, Offline, …"""
    speed: str | None
    topology: str | None
    mode: FcMode
    modes: tuple[FcMode, ...]
    """Modes that can be set while the machine runs."""
    reason: str | None
    """Why the port cannot serve as a target on this machine."""
    remotes: tuple[ObservedFcRemote, ...]
    disks: int
    """Number of SCSI targets of other systems that the machine reaches through the port."""
