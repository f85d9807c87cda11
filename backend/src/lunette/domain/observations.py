"""What the machine is, as one snapshot with its age (DESIGN R1). Never stored as if true."""

from collections.abc import Sequence
from enum import StrEnum

from lunette.domain.arrays import EngineCapability, ObservedArray
from lunette.domain.base import Model
from lunette.domain.disks import UNIDENTIFIED, ObservedDisk
from lunette.domain.exports import ObservedConnection, ObservedSession, SessionCount, UnseenSessions
from lunette.domain.fc import ObservedFcPort
from lunette.domain.firewall import ObservedFirewall
from lunette.domain.interfaces import ObservedInterface
from lunette.domain.power import ObservedPower
from lunette.domain.rdma import RdmaDevice
from lunette.domain.spdk import SpdkEnded
from lunette.domain.updates import ObservedSlots
from lunette.domain.volumes import ObservedGroup, ObservedVolume


class Part(StrEnum):
    """A separately read part of the machine: from one tool, or one tree of the kernel's."""

    DISKS = "disks"
    MD = "md"
    LVM = "lvm"
    ZFS = "zfs"
    EXTERNAL = "external"
    NETWORK = "network"
    FIBRE_CHANNEL = "fibre_channel"
    RDMA = "rdma"
    UPDATES = "updates"


class Unread(Model):
    """What could not be read: a whole part (`name` is empty), or one pool, group, array or disk of it.

    What is seen of that part is right; what is not seen may be there all the same.
    """

    part: Part
    name: str
    reason: str


class Observation(Model):
    """A snapshot. `taken_at` is seconds since the epoch on the agent's clock."""

    taken_at: float
    hostname: str
    kernel: str
    disks: tuple[ObservedDisk, ...]
    arrays: tuple[ObservedArray, ...]
    groups: tuple[ObservedGroup, ...]
    volumes: tuple[ObservedVolume, ...]
    engines: tuple[EngineCapability, ...]
    fc_ports: tuple[ObservedFcPort, ...] = ()
    addresses: tuple[str, ...]
    """IP addresses of the machine's interfaces, for portals and hints."""
    rdma_devices: tuple[RdmaDevice, ...] = ()
    interfaces: tuple[ObservedInterface, ...] = ()
    firewall: ObservedFirewall | None = None
    """None until the agent has looked at it."""
    slots: ObservedSlots | None = None
    """Slots of an installed system; None on any other server, and if started from the ISO."""
    power: ObservedPower | None = None
    """None of an agent that does not know it yet."""
    clock_is_set: bool | None = None
    """Whether a time server has set the clock since the start; None where systemd-timesyncd does not run."""
    spdk_ended: SpdkEnded | None = None
    """The last time SPDK's program hung; None if it has not since the agent started."""

    unread: tuple[Unread, ...] = ()

    def hides_disks(self) -> bool:
        """True while a disk that is not seen may be there all the same."""
        return any(one.part is Part.DISKS for one in self.unread)

    def hides(self, parts: Sequence[Part], *names: str) -> bool:
        """True while an object with one of these names, which these parts contain, may exist although it is not
        observed.
        """
        return any(one.part in parts and (one.part is Part.DISKS or one.name in ("", *names)) for one in self.unread)

    def disk(self, disk_id: str) -> ObservedDisk | None:
        """The disk with this ID, or with this link under /dev/disk/by-id; with `unidentified:` before its ID one that
        nothing distinguishes from others.
        """
        if disk_id.startswith(UNIDENTIFIED):
            name = disk_id.removeprefix(UNIDENTIFIED)
            return next((d for d in self.disks if d.id == name and not d.is_known), None)
        return next((d for d in self.disks if d.id == disk_id or disk_id in d.links), None)


class SessionsObservation(Model):
    """`sessions` holds the newest one of each initiator and target; `counts` and `connections` include the others."""

    taken_at: float
    sessions: tuple[ObservedSession, ...]
    unseen: tuple[UnseenSessions, ...] = ()
    counts: tuple[SessionCount, ...] = ()
    connections: tuple[ObservedConnection, ...] = ()


class RefusedLogin(Model):
    """An initiator that no host has was turned away over iSCSI; `at` is when, last, in seconds since the epoch."""

    initiator: str
    at: float
