"""Mappings: a volume under one number for one host or one host group. And portals, where hosts knock."""

import re
from enum import StrEnum
from ipaddress import ip_address
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from lunette.domain.base import Model
from lunette.domain.names import Name


class Family(StrEnum):
    """Over which fabrics a mapping goes. Never both: a host would take the paths for two disks (DESIGN R13)."""

    SCSI = "scsi"
    NVME = "nvme"


Reference = Annotated[str, Field(min_length=1, max_length=63)]
"""A resource by id or by name."""

LunNumber = Annotated[int, Field(ge=0, le=255)]
"""SCSI LUN with peripheral addressing reaches 255 (SAM-5 section 4.7.7). 0 only on request (DESIGN R12)."""


class MappingCreate(Model):
    """The wish to give a volume to one host or one host group. `lun` None takes the lowest free number from 1.

    Over NVMe the number is the namespace id. `family` None takes what the owner's initiators speak; SCSI if both.
    """

    volume: Reference
    host: Reference | None = None
    host_group: Reference | None = None
    lun: LunNumber | None = None
    family: Family | None = None
    shared: bool = False
    """Allows a further mapping of a volume that is mapped already: two owners of one disk must be meant."""

    @model_validator(mode="after")
    def _one_owner(self) -> "MappingCreate":
        if (self.host is None) == (self.host_group is None):
            raise ValueError("name either host or host_group")
        if self.family is Family.NVME and self.lun == 0:
            raise ValueError("there is no NVMe namespace 0: take a number from 1")
        return self


class MappingBatch(Model):
    """Many mappings in one transaction, all or nothing.

    Either `mappings` one by one, or the split template: `volumes` in order are dealt out in equal runs to `hosts`,
    so that 32 volumes over 4 hosts gives the first 8 to the first host, and so on, numbered from 1 on each host.
    """

    mappings: Annotated[tuple[MappingCreate, ...], Field(max_length=4096)] = ()
    split: "Split | None" = None

    @model_validator(mode="after")
    def _one_form(self) -> "MappingBatch":
        if bool(self.mappings) == (self.split is not None):
            raise ValueError("give either mappings or split")
        return self


class Split(Model):
    """The split template of a batch. The number of volumes must be a multiple of the number of hosts."""

    volumes: Annotated[tuple[Reference, ...], Field(min_length=1, max_length=4096)]
    hosts: Annotated[tuple[Reference, ...], Field(min_length=1, max_length=1024)]
    family: Family | None = None

    @model_validator(mode="after")
    def _even(self) -> "Split":
        if len(self.volumes) % len(self.hosts):
            raise ValueError(f"{len(self.volumes)} volumes cannot be split evenly over {len(self.hosts)} hosts")
        if len(set(self.volumes)) != len(self.volumes) or len(set(self.hosts)) != len(self.hosts):
            raise ValueError("volumes and hosts must not repeat")
        return self

    def expand(self) -> tuple[MappingCreate, ...]:
        """The single wishes in order: host by host, volumes in the order given."""
        run = len(self.volumes) // len(self.hosts)
        return tuple(
            MappingCreate(volume=volume, host=self.hosts[index // run], family=self.family)
            for index, volume in enumerate(self.volumes)
        )


class Protocol(StrEnum):
    ISCSI = "iscsi"
    ISER = "iser"
    NVME_TCP = "nvme-tcp"
    NVME_RDMA = "nvme-rdma"
    NVME_FC = "nvme-fc"
    FC = "fc"
    """SCSI over Fibre Channel has ports of HBAs and no portals."""

    @property
    def family(self) -> Family:
        """Which mappings are reached through it."""
        return Family.NVME if self in NVME_PROTOCOLS else Family.SCSI

    @property
    def is_rdma(self) -> bool:
        """Whether it needs an RDMA device."""
        return self in (Protocol.ISER, Protocol.NVME_RDMA)

    @property
    def listens_on(self) -> frozenset[str]:
        """In which spaces of port numbers its portal takes one: LIO listens over TCP too where it does over iSER."""
        spaces = {Protocol.ISER: {"tcp", "rdma"}, Protocol.NVME_RDMA: {"rdma"}, Protocol.NVME_FC: {"fc"}}
        return frozenset(spaces.get(self, {"tcp"}))

    @property
    def usual_port(self) -> int:
        """The port IANA assigned; for iSER the next one, because on 3260 iSCSI listens. Over Fibre Channel NO_PORT."""
        if self is Protocol.NVME_FC:
            return NO_PORT
        if self.family is Family.NVME:
            return 4420
        return 3261 if self is Protocol.ISER else 3260


NVME_PROTOCOLS = (Protocol.NVME_TCP, Protocol.NVME_RDMA, Protocol.NVME_FC)
NO_PORT = 0
"""What a portal over Fibre Channel has for a port: a WWPN is one listener and has no numbers."""
_FC_ADDRESS = re.compile(r"^nn-0x[0-9a-f]{16}:pn-0x[0-9a-f]{16}$")


def is_fc_address(address: str) -> bool:
    """Whether it names a Fibre Channel port, by WWNN and WWPN, as nvme-cli and nvmet write it (FC-NVME TRADDR)."""
    return _FC_ADDRESS.match(address) is not None


def is_everywhere(address: str) -> bool:
    """Whether it stands for every address of its family."""
    return not is_fc_address(address) and ip_address(address).is_unspecified


def check_portal_address(value: str) -> str:
    """Return the address as it is compared and shown, or raise ValueError telling the expected forms."""
    text = value.strip().lower()
    if is_fc_address(text):
        return text
    try:
        return str(ip_address(text))
    except ValueError:
        raise ValueError(
            "expected an IPv4 or IPv6 address, or for nvme-fc the names of a port such as "
            "nn-0x20000024ff000001:pn-0x21000024ff000001 (16 hex digits each)"
        ) from None


PortalAddress = Annotated[str, Field(max_length=64), AfterValidator(check_portal_address)]


class ExportEngine(StrEnum):
    LIO = "lio"
    NVMET = "nvmet"
    SPDK = "spdk"


class PortalCreate(Model):
    """The wish to listen on an address. `0.0.0.0` or `::` listens on every address of its family.

    `port` None takes the protocol's own: 3260 for iSCSI, 3261 for iSER, 4420 for NVMe. The RDMA protocols need an
    address of an RDMA device. NVMe over Fibre Channel takes a port of an HBA, written as its WWNN and WWPN
    (`nn-0x…:pn-0x…`), and no port number. `engine` None takes the kernel's; `spdk` serves NVMe/TCP on one address of
    the appliance. All portals for NVMe have the same engine.
    """

    name: Name
    protocol: Protocol = Protocol.ISCSI
    address: PortalAddress
    port: Annotated[int, Field(ge=1, le=65535)] | None = None
    engine: ExportEngine | None = None

    @property
    def wanted_port(self) -> int:
        """The port to listen on."""
        return self.port if self.port is not None else self.protocol.usual_port
