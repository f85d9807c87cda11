"""Mappings give one host or host group access to a volume under one number. Portals are where hosts connect."""

import re
from enum import StrEnum
from ipaddress import ip_address
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from lunette.domain.base import Model
from lunette.domain.names import Name
from lunette.domain.volumes import MAX_BATCH


class Family(StrEnum):
    """Protocol family of a mapping. All mappings of a volume have the same family."""

    SCSI = "scsi"
    """SCSI, over iSCSI, iSER or Fibre Channel."""
    NVME = "nvme"
    """NVMe, over TCP, RDMA or Fibre Channel."""


Reference = Annotated[str, Field(min_length=1, max_length=63)]
"""ID or name of a resource."""

LunNumber = Annotated[int, Field(ge=0, le=255)]
"""A SCSI LUN with peripheral addressing reaches 255 (SAM-5 section 4.7.7). LUN 0 is assigned only on request."""


class MappingCreate(Model):
    """Request to map a volume to one host or one host group."""

    volume: Reference
    """ID or name of the volume to map."""
    host: Reference | None = None
    """ID or name of the host that receives access. Required unless `host_group` is set."""
    host_group: Reference | None = None
    """ID or name of the host group that receives access. Required unless `host` is set."""
    lun: LunNumber | None = None
    """LUN, or namespace ID over NVMe (from 1). If omitted, the lowest free number from 1 is assigned."""
    family: Family | None = None
    """Protocol family of the mapping. If omitted, NVMe for an owner that has only NQNs, and SCSI for any other owner.

    All mappings of a volume have the same family.
    """
    shared: bool = False
    """Whether the volume may be mapped although it has another owner.

    Several owners corrupt the data of the volume unless all of them use a cluster file system.
    """

    @model_validator(mode="after")
    def _one_owner(self) -> "MappingCreate":
        if (self.host is None) == (self.host_group is None):
            raise ValueError("specify either host or host_group")
        if self.family is Family.NVME and self.lun == 0:
            raise ValueError("NVMe namespace IDs start at 1")
        return self


class MappingBatch(Model):
    """Request to create many mappings in one transaction, all or nothing, from either `mappings` or `split`."""

    mappings: Annotated[tuple[MappingCreate, ...], Field(max_length=4096)] = ()
    """Mappings to create, listed one by one. Required unless `split` is set."""
    split: "Split | None" = None
    """Volumes to distribute evenly over hosts. Required unless `mappings` is set."""

    @model_validator(mode="after")
    def _one_form(self) -> "MappingBatch":
        if bool(self.mappings) == (self.split is not None):
            raise ValueError("specify either mappings or split")
        return self


class MappingDeleteBatch(Model):
    """Mappings to delete in one transaction, all or none."""

    mappings: Annotated[tuple[Reference, ...], Field(min_length=1, max_length=MAX_BATCH)]
    """IDs of the mappings. A mapping whose volume is being changed is refused."""


class Split(Model):
    """Distribution of volumes over hosts in equal, consecutive runs.

    With 32 volumes and 4 hosts, the first host receives the first 8 volumes, the second host the next 8, and so on.
    Each host receives the lowest free LUNs or namespace IDs from 1.
    """

    volumes: Annotated[tuple[Reference, ...], Field(min_length=1, max_length=4096)]
    """IDs or names of the volumes, in the order of distribution. Every host must receive the same number of volumes."""
    hosts: Annotated[tuple[Reference, ...], Field(min_length=1, max_length=1024)]
    """IDs or names of the hosts, in the order of distribution."""
    family: Family | None = None
    """Protocol family of all mappings. If omitted, NVMe for hosts that have only NQNs, and SCSI for all others."""

    @model_validator(mode="after")
    def _even(self) -> "Split":
        if len(self.volumes) % len(self.hosts):
            raise ValueError(f"{len(self.volumes)} volumes cannot be split evenly across {len(self.hosts)} hosts")
        if len(set(self.volumes)) != len(self.volumes) or len(set(self.hosts)) != len(self.hosts):
            raise ValueError("volumes and hosts must not contain duplicates")
        return self

    def expand(self) -> tuple[MappingCreate, ...]:
        """The single requests in order: host by host, volumes in the order given."""
        run = len(self.volumes) // len(self.hosts)
        return tuple(
            MappingCreate(volume=volume, host=self.hosts[index // run], family=self.family)
            for index, volume in enumerate(self.volumes)
        )


class Protocol(StrEnum):
    """Storage protocol by which hosts reach volumes."""

    ISCSI = "iscsi"
    """iSCSI: SCSI over TCP."""
    ISER = "iser"
    """iSER: iSCSI over RDMA."""
    NVME_TCP = "nvme-tcp"
    """NVMe over TCP."""
    NVME_RDMA = "nvme-rdma"
    """NVMe over RDMA."""
    NVME_FC = "nvme-fc"
    """NVMe over Fibre Channel."""
    FC = "fc"
    """SCSI over Fibre Channel. FC ports serve this protocol; portals do not."""

    @property
    def family(self) -> Family:
        """Protocol family of the mappings that hosts reach by this protocol."""
        return Family.NVME if self in NVME_PROTOCOLS else Family.SCSI

    @property
    def is_rdma(self) -> bool:
        """Whether the protocol needs an RDMA device."""
        return self in (Protocol.ISER, Protocol.NVME_RDMA)

    @property
    def listens_on(self) -> frozenset[str]:
        """Port number spaces in which a portal uses its port. For iSER, LIO listens over TCP too."""
        spaces = {Protocol.ISER: {"tcp", "rdma"}, Protocol.NVME_RDMA: {"rdma"}, Protocol.NVME_FC: {"fc"}}
        return frozenset(spaces.get(self, {"tcp"}))

    @property
    def usual_port(self) -> int:
        """Port assigned by IANA; for iSER the next port, because iSCSI listens on 3260. NO_PORT over Fibre Channel."""
        if self is Protocol.NVME_FC:
            return NO_PORT
        if self.family is Family.NVME:
            return 4420
        return 3261 if self is Protocol.ISER else 3260


NVME_PROTOCOLS = (Protocol.NVME_TCP, Protocol.NVME_RDMA, Protocol.NVME_FC)
NO_PORT = 0
"""Port of a portal over Fibre Channel: a WWPN is one listener and has no port numbers."""
_FC_ADDRESS = re.compile(r"^nn-0x[0-9a-f]{16}:pn-0x[0-9a-f]{16}$")


def is_fc_address(address: str) -> bool:
    """Whether the address names an FC port by WWNN and WWPN, as nvme-cli and nvmet write it (FC-NVME TRADDR)."""
    return _FC_ADDRESS.match(address) is not None


def is_everywhere(address: str) -> bool:
    """Whether the address is a wildcard, `0.0.0.0` or `::`."""
    return not is_fc_address(address) and ip_address(address).is_unspecified


def check_portal_address(value: str) -> str:
    """Return the address as it is compared and shown, or raise ValueError with the expected forms."""
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
    """Software that serves volumes to hosts."""

    LIO = "lio"
    """LIO, the SCSI target of the kernel: iSCSI, iSER and Fibre Channel."""
    NVMET = "nvmet"
    """The NVMe target of the kernel, nvmet: NVMe over TCP, RDMA and Fibre Channel."""
    SPDK = "spdk"
    """SPDK, an NVMe target in user space: NVMe over TCP."""


class PortalCreate(Model):
    """Request to create a portal."""

    name: Name
    """Unique name of the portal."""
    protocol: Protocol = Protocol.ISCSI
    """Protocol that the portal serves. SCSI over Fibre Channel (`fc`) has no portals."""
    address: PortalAddress
    """IP address of the appliance to listen on, or `0.0.0.0` or `::` for all addresses.

    The RDMA protocols need an address of an RDMA device, SPDK needs a specific address. For `nvme-fc`, the WWNN and
    WWPN of an FC port, as in `nn-0x20000024ff000001:pn-0x21000024ff000001`.
    """
    port: Annotated[int, Field(ge=1, le=65535)] | None = None
    """Port number to listen on. If omitted, 3260 for iSCSI, 3261 for iSER, and 4420 for NVMe over TCP or RDMA.

    Must be omitted for `nvme-fc`.
    """
    engine: ExportEngine | None = None
    """Export engine of the portal. If omitted, the engine of the kernel. All NVMe portals have the same engine."""

    @property
    def wanted_port(self) -> int:
        """Port to listen on."""
        return self.port if self.port is not None else self.protocol.usual_port


class PortalPatch(Model):
    """Changes to a portal. An omitted field does not change, and `null` is refused.

    The protocol and the engine cannot be changed.
    """

    name: Name | None = None
    """New name of the portal. Hosts do not notice it."""
    address: PortalAddress | None = None
    """New address of the appliance to listen on, or `0.0.0.0` or `::` for all addresses.

    The portal listens at its new place before it stops listening at the old one, unless both overlap. For `nvme-fc`,
    the WWNN and WWPN of an FC port.
    """
    port: Annotated[int, Field(ge=1, le=65535)] | None = None
    """New port number to listen on. Must be omitted for `nvme-fc`."""

    @model_validator(mode="after")
    def _says_what_cannot_be_without(self) -> "PortalPatch":
        self._refuse_null()
        return self
