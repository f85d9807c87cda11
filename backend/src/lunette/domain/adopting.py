"""Adoption of exports that LIO and nvmet serve for another system: findings of the agent, and the result."""

from typing import Annotated

from pydantic import Field, SecretStr, field_serializer

from lunette.domain.base import Model
from lunette.domain.exports import AdoptedBackstore, AdoptedSubsystem
from lunette.domain.targetcli import Finding, SavedConfig

MAX_TARGETS = 4096


class ForeignBackstore(Model):
    """A backstore over a block device, with facts that a saveconfig does not contain."""

    reference: str
    """Name of the backstore in LUNs of the configuration."""
    company_id: str
    """IEEE company ID of the NAA, in hexadecimal."""
    group: str | None
    """Volume group of the served logical volume. None, like `lv_name`, if LVM shows no such volume."""
    lv_name: str | None
    kept: AdoptedBackstore
    """Properties that stay unchanged."""


class ForeignVolume(Model):
    """A logical volume of a foreign volume group, or a zvol of a foreign ZFS pool."""

    name: str
    size_bytes: int
    is_open: bool
    is_plain: bool
    """False for thin volumes and thin pools, snapshots, caches and RAID volumes of LVM, which depend on other
    volumes."""
    is_ours: bool


class ForeignGroup(Model):
    """A volume group, with the devices below it."""

    name: str
    uuid: str
    extent_bytes: int
    arrays: tuple[str, ...]
    """UUIDs of the MD RAID arrays below the group."""
    devices: int
    """Number of devices below the group, arrays or not."""
    marked_for: str | None
    """UUID of the array for which Lunette created or adopted the group. None if the group carries no mark."""
    engine_name: str
    """Name of the array in its engine (MD RAID: with its home host); empty unless the group is on exactly one array."""
    volumes: tuple[ForeignVolume, ...]
    size_bytes: int = 0
    free_bytes: int = 0
    closed: str | None = None
    """Why only the owner may change the group."""
    is_listed: bool = True
    """Whether the devices file of LVM allows access to the group."""

    def volume(self, name: str) -> ForeignVolume | None:
        return next((volume for volume in self.volumes if volume.name == name), None)


class ForeignNamespace(Model):
    """A namespace of an NVMe subsystem, with its number and its configured device path."""

    number: int
    device: str
    group: str | None
    """Volume group, as for a backstore."""
    lv_name: str | None
    uuid: str = ""
    nguid: str = ""
    """NGUID in the form of a UUID; zero if hosts see none."""
    enabled: bool = True
    ana_group: str = "1"
    unusual: tuple[str, ...] = ()
    """Attributes that are on and that Lunette does not use: buffered_io, resv_enable."""
    held: bool = False
    """Whether another user on this machine claims the device, which nvmet does not do."""


class ForeignSubsystem(Model):
    """A subsystem that the NVMe target of the kernel serves for another system. `ports` are names of directories."""

    nqn: str
    any_host: bool
    hosts: tuple[str, ...]
    ports: tuple[str, ...]
    namespaces: tuple[ForeignNamespace, ...]
    kept: AdoptedSubsystem
    """Properties that stay unchanged."""
    unusual: tuple[str, ...] = ()
    """Attributes that are on and that Lunette does not use: attr_pi_enable, passthru."""
    odd_links: tuple[str, ...] = ()
    """Links to hosts and to the subsystem whose name differs from the name of their destination."""


class ForeignNvmePort(Model):
    """A port of nvmet that serves subsystems of another system. The fields are its attributes `addr_*`."""

    name: str
    """Name of its directory."""
    transport: str
    family: str
    address: str
    service: str
    unusual: tuple[str, ...] = ()
    """Properties that Lunette does not support: TLS, ANA groups and states, referrals of other systems."""
    is_ours: bool = False
    """Whether Lunette already serves its own subsystems on the port."""

    @property
    def where(self) -> str:
        """In words."""
        return f"{self.transport} {self.address} port {self.service}"


class ForeignNvmeHost(Model):
    """A host of a foreign subsystem, with its keys."""

    nqn: str
    key: SecretStr | None
    mutual_key: SecretStr | None
    hash: str
    """Hash as nvmet shows it, such as hmac(sha256)."""
    dh_group: str

    @field_serializer("key", "mutual_key", when_used="json")
    def _reveal(self, value: SecretStr | None) -> str | None:
        return value.get_secret_value() if value else None


class Foreign(Model):
    """Exports that LIO and nvmet serve for another system, with the secrets of the hosts and the devices below."""

    saved: SavedConfig
    backstores: tuple[ForeignBackstore, ...]
    groups: tuple[ForeignGroup, ...]
    subsystems: tuple[ForeignSubsystem, ...] = ()
    nvme_ports: tuple[ForeignNvmePort, ...] = ()
    nvme_hosts: tuple[ForeignNvmeHost, ...] = ()

    def backstore(self, reference: str) -> ForeignBackstore | None:
        return next((one for one in self.backstores if one.reference == reference), None)

    def subsystem_of(self, group: str | None, lv_name: str | None) -> str | None:
        """The NVMe subsystem that serves a logical volume too."""
        if group is None or lv_name is None:
            return None
        spaces = ((one.nqn, space) for one in self.subsystems for space in one.namespaces)
        return next((nqn for nqn, space in spaces if (space.group, space.lv_name) == (group, lv_name)), None)

    def group(self, name: str | None) -> ForeignGroup | None:
        return next((group for group in self.groups if group.name == name), None)


class AdoptRequest(Model):
    """Running iSCSI targets and NVMe subsystems to adopt."""

    targets: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=223)], ...], Field(max_length=MAX_TARGETS)
    ] = ()
    """IQNs of the targets and NQNs of the subsystems to adopt. If omitted or empty, all that can be adopted."""


class Verdict(Model):
    """Result for every export of another system: the object in Lunette, or the reason and the action to take."""

    targets: tuple[str, ...]
    """Names of the targets and subsystems that are adopted, each with all that belongs to it."""
    findings: tuple[Finding, ...]
