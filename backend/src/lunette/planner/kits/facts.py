"""Facts from which a kit is built: the host, its targets with their volumes, and the portals of the appliance."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address

from pydantic import SecretStr

from lunette.domain.hosts import OsType
from lunette.domain.mappings import Family, Protocol, is_everywhere, is_fc_address

CHAP_SECRET, CHAP_MUTUAL = "@LUNETTE-CHAP-SECRET@", "@LUNETTE-CHAP-MUTUAL-SECRET@"
DISCOVERY_SECRET, DISCOVERY_MUTUAL = "@LUNETTE-DISCOVERY-SECRET@", "@LUNETTE-DISCOVERY-MUTUAL-SECRET@"
DHCHAP_KEY, DHCHAP_MUTUAL = "@LUNETTE-DHCHAP-KEY@", "@LUNETTE-DHCHAP-MUTUAL-KEY@"
"""Placeholders for secrets that were not requested. The scripts of the kit refuse to run with one."""
REPLACEMENT_S = 15
"""Seconds without its path after which I/O moves to another path: section 8.1.2 of open-iscsi's README gives 15 for
dm-multipath.
"""
NOOP_S = 5
"""Interval between two pings of a path, and the timeout of the answer: open-iscsi's defaults in iscsid.conf, and Red
Hat's "Configuring device mapper multipath" for RHEL 9, chapter on iSCSI settings.
"""

KEEP_S = 600
"""Minimum time for which a host retains a disk without paths, so that it survives a restart of the appliance."""
GUEST_S = 180
"""Minimum timeout for a request of a virtual machine: the timeout that VMware Tools set for disks of Linux guests."""
RESTARTS = 2
"""An update that does not prove healthy costs two restarts (docs/decisions/0037)."""


@dataclass(frozen=True)
class KitPortal:
    """One address that the host connects to. A portal on every address of the appliance becomes one of these for each
    address.
    """

    name: str
    protocol: Protocol
    address: str
    port: int

    @property
    def shown(self) -> str:
        """Address and port in the notation of tools; over Fibre Channel, the names of the port."""
        if is_fc_address(self.address):
            return self.address
        return (
            f"[{self.address}]:{self.port}" if ip_address(self.address).version == 6 else f"{self.address}:{self.port}"
        )


@dataclass(frozen=True)
class KitVolume:
    """A volume as the host identifies it. `naa` and `uuid` as in domain/identity."""

    name: str
    lun: int
    naa: str
    uuid: str


@dataclass(frozen=True)
class KitTarget:
    """A target or subsystem that serves the host: its own, or that of its group. `name` is its IQN or NQN."""

    family: Family
    name: str
    tag: int
    volumes: tuple[KitVolume, ...]


@dataclass(frozen=True)
class KitChap:
    """`secret` and `mutual_secret` are None if not requested. `mutual_user` None: one-way authentication."""

    user: str
    mutual_user: str | None
    secret: SecretStr | None = None
    mutual_secret: SecretStr | None = None


@dataclass(frozen=True)
class KitDhChap:
    is_mutual: bool
    secret: SecretStr | None = None
    mutual_secret: SecretStr | None = None


@dataclass(frozen=True)
class KitFacts:
    """`portals` are those of the host's initiators; `fc_ports` are the appliance's WWPNs in target mode."""

    host: str
    os_type: OsType
    iqns: tuple[str, ...]
    wwpns: tuple[str, ...]
    nqns: tuple[str, ...]
    targets: tuple[KitTarget, ...]
    portals: tuple[KitPortal, ...]
    fc_ports: tuple[str, ...]
    chap: KitChap | None = None
    dhchap: KitDhChap | None = None
    discovery: KitChap | None = None
    """Credentials that discovery requires."""
    has_secrets: bool = False
    warnings: tuple[str, ...] = ()
    outage_s: float | None = None
    """How long the last restart interrupted the exports, in seconds; None if not measured yet."""

    def targets_of(self, family: Family) -> tuple[KitTarget, ...]:
        return tuple(target for target in self.targets if target.family is family)

    def portals_of(self, *protocols: Protocol) -> tuple[KitPortal, ...]:
        return tuple(portal for portal in self.portals if portal.protocol in protocols)

    def wait_s(self, least: int) -> int:
        """Seconds that a host has to wait for its paths: twice the last interruption, as after a failed update, and at
        least `least`.
        """
        return max(least, math.ceil(RESTARTS * (self.outage_s or 0)))

    @property
    def measured(self) -> str:
        """The basis of the timeouts, as a sentence."""
        if self.outage_s is None:
            return (
                "The duration of a restart has not been measured yet: download the kit again after the first restart."
            )
        return (
            f"At the last restart, hosts could not access their volumes for {self.outage_s:.0f} s; an update that "
            "fails takes twice as long. Download the kit again if restarts take longer."
        )

    @property
    def over_iscsi(self) -> bool:
        """True for iSCSI and iSER."""
        reached = self.portals_of(Protocol.ISCSI, Protocol.ISER)
        return bool(self.iqns and reached and self.targets_of(Family.SCSI))

    @property
    def over_fc(self) -> bool:
        return bool(self.wwpns and self.fc_ports and self.targets_of(Family.SCSI))

    @property
    def over_nvme(self) -> bool:
        """True if the protocol runs over a network, so that a kit names the address."""
        reached = self.portals_of(Protocol.NVME_TCP, Protocol.NVME_RDMA)
        return bool(self.nqns and reached and self.targets_of(Family.NVME))

    @property
    def over_nvme_fc(self) -> bool:
        """True for Fibre Channel, where ports discover each other."""
        return bool(self.nqns and self.portals_of(Protocol.NVME_FC) and self.targets_of(Family.NVME))

    @property
    def needs_secrets(self) -> bool:
        over_iscsi = self.over_iscsi and (self.chap or self.discovery)
        return bool(over_iscsi or (self.over_nvme and self.dhchap))


def plain(secret: SecretStr | None, placeholder: str) -> str:
    """The secret, or its placeholder."""
    return secret.get_secret_value() if secret else placeholder


def reached(listening: Sequence[KitPortal], addresses: Sequence[str], rdma: Sequence[str]) -> list[KitPortal]:
    """The portals, with portals on all addresses listed once for each reachable address; RDMA only where it is
    available.
    """
    found = []
    for portal in listening:
        if not is_everywhere(portal.address):
            found.append(portal)
            continue
        wanted = ip_address(portal.address)
        for text in rdma if portal.protocol.is_rdma else addresses:
            one = ip_address(text)
            if one.version == wanted.version and not (one.is_loopback or one.is_link_local):
                found.append(KitPortal(portal.name, portal.protocol, str(one), portal.port))
    return list(dict.fromkeys(found))
