"""What a kit is made from: the host, the doors its volumes are behind, and where the appliance listens."""

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address

from pydantic import SecretStr

from lunette.domain.hosts import OsType
from lunette.domain.mappings import Family, Protocol

CHAP_SECRET, CHAP_MUTUAL = "@LUNETTE-CHAP-SECRET@", "@LUNETTE-CHAP-MUTUAL-SECRET@"
DHCHAP_KEY, DHCHAP_MUTUAL = "@LUNETTE-DHCHAP-KEY@", "@LUNETTE-DHCHAP-MUTUAL-KEY@"
"""Stand where secrets go if nobody asked for them. The kit's scripts refuse to work with one in place."""
REPLACEMENT_S = 15
"""After that many seconds without its path, I/O moves on to another one: open-iscsi's README section 8.1.2 gives 15 for
dm-multipath."""
NOOP_S = 5
"""Between two pings of a path, and how long the answer may take: open-iscsi's own values in iscsid.conf, and Red Hat's
"Configuring device mapper multipath" for RHEL 9, chapter on iSCSI settings."""


@dataclass(frozen=True)
class KitPortal:
    """One address the host knocks at. A portal on every address of the appliance is one of these for each of them."""

    name: str
    protocol: Protocol
    address: str
    port: int

    @property
    def shown(self) -> str:
        """Address and port as tools write them."""
        return (
            f"[{self.address}]:{self.port}" if ip_address(self.address).version == 6 else f"{self.address}:{self.port}"
        )


@dataclass(frozen=True)
class KitVolume:
    """A volume as the host will know it. `naa` and `uuid` as in domain/identity."""

    name: str
    lun: int
    naa: str
    uuid: str


@dataclass(frozen=True)
class KitDoor:
    """A target or subsystem that serves the host: its own, or that of its group. `name` is its IQN or NQN."""

    family: Family
    name: str
    tag: int
    volumes: tuple[KitVolume, ...]


@dataclass(frozen=True)
class KitChap:
    """`secret` and `mutual_secret` are None where nobody asked for them. `mutual_user` None: one way."""

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
    """`portals` are those of the host's initiators; `fc_ports` our WWPNs in target mode."""

    host: str
    os_type: OsType
    iqns: tuple[str, ...]
    wwpns: tuple[str, ...]
    nqns: tuple[str, ...]
    doors: tuple[KitDoor, ...]
    portals: tuple[KitPortal, ...]
    fc_ports: tuple[str, ...]
    chap: KitChap | None = None
    dhchap: KitDhChap | None = None
    has_secrets: bool = False
    warnings: tuple[str, ...] = ()

    def doors_of(self, family: Family) -> tuple[KitDoor, ...]:
        return tuple(door for door in self.doors if door.family is family)

    def portals_of(self, *protocols: Protocol) -> tuple[KitPortal, ...]:
        return tuple(portal for portal in self.portals if portal.protocol in protocols)

    @property
    def over_iscsi(self) -> bool:
        """Whether it comes over iSCSI or iSER."""
        reached = self.portals_of(Protocol.ISCSI, Protocol.ISER)
        return bool(self.iqns and reached and self.doors_of(Family.SCSI))

    @property
    def over_fc(self) -> bool:
        return bool(self.wwpns and self.fc_ports and self.doors_of(Family.SCSI))

    @property
    def over_nvme(self) -> bool:
        reached = self.portals_of(Protocol.NVME_TCP, Protocol.NVME_RDMA)
        return bool(self.nqns and reached and self.doors_of(Family.NVME))

    @property
    def needs_secrets(self) -> bool:
        return bool((self.over_iscsi and self.chap) or (self.over_nvme and self.dhchap))


def plain(secret: SecretStr | None, placeholder: str) -> str:
    """The secret, or what stands for it."""
    return secret.get_secret_value() if secret else placeholder


def reached(listening: Sequence[KitPortal], addresses: Sequence[str], rdma: Sequence[str]) -> list[KitPortal]:
    """The portals with those that listen everywhere told by each address a host can reach; RDMA only where it is."""
    found = []
    for portal in listening:
        wanted = ip_address(portal.address)
        if not wanted.is_unspecified:
            found.append(portal)
            continue
        for text in rdma if portal.protocol.is_rdma else addresses:
            one = ip_address(text)
            if one.version == wanted.version and not (one.is_loopback or one.is_link_local):
                found.append(KitPortal(portal.name, portal.protocol, str(one), portal.port))
    return list(dict.fromkeys(found))
