"""Taking over what LIO and nvmet serve for others: what the agent finds, what is answered (decisions 0033, 0051)."""

from typing import Annotated

from pydantic import Field, SecretStr, field_serializer

from lunette.domain.base import Model
from lunette.domain.exports import AdoptedBackstore, AdoptedSubsystem
from lunette.domain.targetcli import Finding, SavedConfig

MAX_TARGETS = 4096


class ForeignBackstore(Model):
    """A backstore over a block device, beyond what a saveconfig says of it."""

    reference: str
    """How LUNs name it in the configuration."""
    company_id: str
    """The IEEE company its NAA is made with, in hex."""
    group: str | None
    """The volume group and the logical volume it serves; None: it serves none that LVM shows."""
    lv_name: str | None
    kept: AdoptedBackstore
    """What stays as it is."""


class ForeignVolume(Model):
    name: str
    size_bytes: int
    is_open: bool
    is_plain: bool
    """False for thin volumes and pools, snapshots, caches and LVM's own RAID: they lean on others."""
    is_ours: bool


class ForeignGroup(Model):
    """A volume group with what it lies on."""

    name: str
    uuid: str
    extent_bytes: int
    arrays: tuple[str, ...]
    """UUIDs of the md arrays it lies on."""
    devices: int
    """How many devices it lies on, arrays or not."""
    marked_for: str | None
    """The UUID of the array it was made on or taken over for by Lunette; None: it carries no mark."""
    md_name: str
    """What the array calls itself, with its home host; empty where it is not on exactly one."""
    volumes: tuple[ForeignVolume, ...]
    size_bytes: int = 0
    free_bytes: int = 0
    closed: str | None = None
    """Why nobody but its owner may change it."""
    is_listed: bool = True
    """LVM's devices file lets it see the group."""

    def volume(self, name: str) -> ForeignVolume | None:
        return next((volume for volume in self.volumes if volume.name == name), None)


class ForeignNamespace(Model):
    """A namespace of an NVMe subsystem: its number, and the path that was written there."""

    number: int
    device: str
    group: str | None
    """As of a backstore."""
    lv_name: str | None
    uuid: str = ""
    nguid: str = ""
    """Both as UUIDs; zero where hosts are shown none."""
    enabled: bool = True
    ana_group: str = "1"
    unusual: tuple[str, ...] = ()
    """Attributes that are on and that Lunette keeps off: buffered_io, resv_enable."""
    held: bool = False
    """Somebody on this machine claims the device: nvmet does not."""


class ForeignSubsystem(Model):
    """A subsystem that the kernel's NVMe target serves for others. `ports` are names of folders."""

    nqn: str
    any_host: bool
    hosts: tuple[str, ...]
    ports: tuple[str, ...]
    namespaces: tuple[ForeignNamespace, ...]
    kept: AdoptedSubsystem
    """What stays as it is."""
    unusual: tuple[str, ...] = ()
    """What is on and Lunette keeps off: attr_pi_enable, passthru."""
    odd_links: tuple[str, ...] = ()
    """Links to its hosts, and to it, that are not called as what they lead to."""


class ForeignNvmePort(Model):
    """A port of nvmet that serves subsystems of others. The fields are its attributes `addr_*`."""

    name: str
    """Of its folder."""
    transport: str
    family: str
    address: str
    service: str
    unusual: tuple[str, ...] = ()
    """What Lunette does not keep: TLS, ANA groups and states, referrals of others."""
    is_ours: bool = False
    """Lunette serves its own subsystems there already."""

    @property
    def where(self) -> str:
        """In words."""
        return f"{self.transport} {self.address} port {self.service}"


class ForeignNvmeHost(Model):
    """A host that subsystems of others name, with its keys."""

    nqn: str
    key: SecretStr | None
    mutual_key: SecretStr | None
    hash: str
    """As nvmet shows it, such as hmac(sha256)."""
    dh_group: str

    @field_serializer("key", "mutual_key", when_used="json")
    def _reveal(self, value: SecretStr | None) -> str | None:
        return value.get_secret_value() if value else None


class Foreign(Model):
    """What LIO and nvmet serve and Lunette does not, with the secrets of its hosts, and what lies beneath it."""

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
    """What to take over: targets by their IQNs, NVMe subsystems by their NQNs; none named means all that can be."""

    targets: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=223)], ...], Field(max_length=MAX_TARGETS)
    ] = ()


class Verdict(Model):
    """Every object that is served for others: what it becomes, or why it stays as it is and what to do about it."""

    targets: tuple[str, ...]
    """Names of the targets and subsystems that are taken over, each with all that is in it."""
    findings: tuple[Finding, ...]
