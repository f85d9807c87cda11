"""Everything that is to be exported, as one document: the reconciler makes it, the agent keeps it as its boot ledger.

The brake (DESIGN R2): something that the ledger serves leaves only if a `Release` names it. A document that is older
than the ledger, or from another database, changes nothing.
"""

from enum import StrEnum
from typing import Self

from pydantic import SecretStr, field_serializer, model_validator

from lunette.domain import border
from lunette.domain.arrays import ArrayEngine
from lunette.domain.base import Model
from lunette.domain.dhchap import DhGroup, DhHash
from lunette.domain.disk_health import HEALTH_PERIOD_S
from lunette.domain.encryption import Encryption
from lunette.domain.fc import FcMode
from lunette.domain.firewall import FirewallWish
from lunette.domain.hosts import OsType
from lunette.domain.identity import VolumeIdentity
from lunette.domain.mappings import ExportEngine, Family, Protocol
from lunette.domain.self_tests import SelfTestSchedule
from lunette.domain.tuning import ArrayTuning


class ExportArray(Model):
    """An array to bring up at boot: by its UUID (a pool's guid), from the disks recorded as its members.

    `group` is what its volumes are cut from: the volume group on an md array, or the pool itself.
    """

    array_id: border.Id
    name: border.Text
    engine: ArrayEngine
    uuid: border.ArrayUuid
    group: border.GroupName
    members: tuple[border.DiskId, ...]
    sync_speed_min_bytes_s: int | None = None
    """Pace of resync, rebuild and scrub per disk; None leaves it to the kernel."""
    sync_speed_max_bytes_s: int | None = None
    tuning: ArrayTuning = ArrayTuning()
    write_mostly: tuple[border.DiskId, ...] = ()
    """Members of a raid1 that are read only if no other holds the data."""
    health_command: border.HealthCommandName | None = None
    """Of an external array: which command tells its health."""
    encryption: Encryption | None = None


class AdoptedBackstore(Model):
    """A backstore that others made: it stays where it is, and shows hosts what it showed them."""

    path: border.BackstorePath
    """Below /sys/kernel/config/target, such as core/iblock_0/disk1."""
    vendor: border.Text
    product: border.Text
    revision: border.Text
    attributes: tuple[tuple[border.BackstoreAttribute, border.AttributeValue], ...]
    """Names and values of its `attrib`, as far as they can be set and hosts may see them."""


class AdoptedSubsystem(Model):
    """An NVMe subsystem that others made goes on showing hosts what it showed them."""

    serial: border.Serial
    attributes: tuple[tuple[border.SubsystemAttribute, border.AttributeValue], ...]
    """Names and values of its `attr_*`, as far as they can be set and hosts may see them; without the serial."""


class ExportVolume(Model):
    """A volume's device and identity. The device appears once its array and group are active."""

    volume_id: border.Id
    name: border.Text
    array_id: border.Id
    group: border.GroupName
    device: border.DevicePath
    size_bytes: int
    identity: VolumeIdentity
    adopted: AdoptedBackstore | None = None

    @model_validator(mode="after")
    def _is_of_its_group(self) -> Self:
        if self.device.rpartition("/")[0] not in {f"/dev/{self.group}", f"/dev/zvol/{self.group}"}:
            raise ValueError("the device is none of its volume group")
        return self


class ExportPortal(Model):
    portal_id: border.Id
    protocol: Protocol
    engine: ExportEngine
    address: border.Address
    port: int
    adopted: border.Id | None = None
    """The folder in nvmet's `ports` that others made for it, which it keeps while that stands."""


class ExportChap(Model):
    """Plain secrets: this leaves the API only over the agent's socket and lies only in root's ledger, sealed."""

    user: border.Text
    secret: SecretStr
    mutual_user: border.Text | None
    mutual_secret: SecretStr | None

    @field_serializer("secret", "mutual_secret", when_used="json")
    def _reveal(self, value: SecretStr | None) -> str | None:
        return value.get_secret_value() if value else None


class ExportInitiator(Model):
    """One initiator name of a host, with the credentials it must show."""

    initiator_id: border.Id
    host: border.Text
    iqn: border.IscsiName
    chap: ExportChap | None


class ExportFcInitiator(Model):
    """One WWPN of a host. Fibre Channel has no credentials: the fabric's zones say who may come."""

    initiator_id: border.Id
    host: border.Text
    wwpn: border.PortName


class ExportFcPort(Model):
    """A port that an administrator manages, and what it is to be. It is named as the HBA is, for life."""

    port_id: border.Id
    wwpn: border.PortName
    mode: FcMode


class ExportDhChap(Model):
    """Plain keys, as in ExportChap."""

    secret: SecretStr
    mutual_secret: SecretStr | None
    hash: DhHash
    dh_group: DhGroup

    @field_serializer("secret", "mutual_secret", when_used="json")
    def _reveal(self, value: SecretStr | None) -> str | None:
        return value.get_secret_value() if value else None


class ExportNvmeHost(Model):
    """One NQN of a host, with the key it must show."""

    initiator_id: border.Id
    host: border.Text
    nqn: border.NvmeName
    dhchap: ExportDhChap | None


class ExportLun(Model):
    mapping_id: border.Id
    lun: int
    volume_id: border.Id


class ExportTarget(Model):
    """The target of one host or host group: it opens only when every volume behind it is present, or by its deadline.

    A target that has waited for missing volumes for `opens_without_missing_after_s` seconds opens with those that are
    there; None waits for ever.
    """

    target_id: border.Id
    owner: border.Text
    iqn: border.IscsiName
    tag: int
    os_type: OsType
    """What its hosts run, `other` where they differ. Nothing that is served depends on it (decision 0050)."""
    initiators: tuple[ExportInitiator, ...]
    fc_initiators: tuple[ExportFcInitiator, ...] = ()
    """Over every Fibre Channel port in target mode they see the same numbers."""
    luns: tuple[ExportLun, ...]
    opens_without_missing_after_s: int | None = None


class ExportSubsystem(Model):
    """The NVMe subsystem of one host or host group; `target_id` is the row it shares with the owner's target."""

    target_id: border.Id
    owner: border.Text
    nqn: border.NvmeName
    serial: border.Serial
    """20 characters at most (NVM Express Base 2.0, Identify Controller)."""
    hosts: tuple[ExportNvmeHost, ...]
    luns: tuple[ExportLun, ...]
    opens_without_missing_after_s: int | None = None
    """As of a target."""
    adopted: AdoptedSubsystem | None = None


class ReleaseKind(StrEnum):
    ARRAY = "array"
    VOLUME = "volume"
    PORTAL = "portal"
    FC_PORT = "fc_port"
    TARGET = "target"
    SUBSYSTEM = "subsystem"
    INITIATOR = "initiator"
    MAPPING = "mapping"


class Release(Model):
    """The permission to stop serving one thing, written in the transaction that took it away."""

    kind: ReleaseKind
    id: border.Id
    generation: int


class Leftover(Model):
    """Something adopted that was given up and still stands: its name does not tell that it is ours to remove."""

    path: border.LeftoverPath
    """Below /sys/kernel/config/target."""
    volume_id: border.Id | None = None
    serial: border.Serial | None = None
    """Of a backstore: another one may come to have its path."""


class NvmeLeftover(Model):
    """The same in nvmet: a subsystem, or a port with its address."""

    path: border.NvmeLeftoverPath
    """Below /sys/kernel/config/nvmet."""
    place: border.Text = ""
    """Of a port: another one may come to have its number."""


class ExportSet(Model):
    """The whole wish. `generation` grows with every change in the database `database_id`."""

    database_id: border.Id
    appliance_id: border.Id
    generation: int
    arrays: tuple[ExportArray, ...]
    volumes: tuple[ExportVolume, ...]
    portals: tuple[ExportPortal, ...]
    targets: tuple[ExportTarget, ...]
    subsystems: tuple[ExportSubsystem, ...] = ()
    fc_ports: tuple[ExportFcPort, ...] = ()
    released: tuple[Release, ...] = ()
    leftovers: tuple[Leftover, ...] = ()
    """Known to the ledger alone."""
    nvme_leftovers: tuple[NvmeLeftover, ...] = ()
    firewall: FirewallWish = FirewallWish()
    discovery: ExportChap | None = None
    """What a host shows before it is told the iSCSI targets; None: nothing is asked for."""
    disk_health_s: int = HEALTH_PERIOD_S
    """How often each drive is asked for its health."""
    self_tests: SelfTestSchedule = SelfTestSchedule()

    @property
    def mapping_ids(self) -> frozenset[str]:
        """Of all mappings that are to be served."""
        doors: tuple[ExportTarget | ExportSubsystem, ...] = (*self.targets, *self.subsystems)
        return frozenset(lun.mapping_id for door in doors for lun in door.luns)

    @property
    def is_empty(self) -> bool:
        """True if nothing is served or brought up."""
        return not (self.arrays or self.volumes or self.portals or self.targets or self.subsystems or self.fc_ports)

    def without_secrets(self) -> "ExportSet":
        """The same, as if no host had to show a credential."""
        return self.model_copy(
            update={
                "discovery": None,
                "targets": tuple(
                    door.model_copy(
                        update={"initiators": tuple(i.model_copy(update={"chap": None}) for i in door.initiators)}
                    )
                    for door in self.targets
                ),
                "subsystems": tuple(
                    door.model_copy(update={"hosts": tuple(h.model_copy(update={"dhchap": None}) for h in door.hosts)})
                    for door in self.subsystems
                ),
            }
        )


class ServingState(StrEnum):
    """open: served now. blocked: wanted, and waiting for something named in the reason."""

    OPEN = "open"
    BLOCKED = "blocked"


class TargetReport(Model):
    target_id: str
    state: ServingState
    reason: str | None
    """What is missing, also behind a door that is open."""
    missing: tuple[str, ...] = ()
    """Ids of the volumes it waits for or, if it is open, of those that its hosts do not have."""
    opened_without_after_s: int | None = None
    """It is open without `missing` because it had waited so many seconds, which is its deadline."""


class VolumeReport(Model):
    volume_id: str
    state: ServingState
    reason: str | None


class PortalReport(Model):
    portal_id: str
    state: ServingState
    reason: str | None


class FcPortReport(Model):
    """open: the port is what it is to be."""

    port_id: str
    state: ServingState
    reason: str | None


class ConvergeReport(Model):
    """What converging came to. `unexplained` lists what is served though nobody asks for it any more (the brake)."""

    generation: int
    """The ledger's generation now."""
    accepted: bool
    """False if the document was older than the ledger or from another database: nothing was changed."""
    refusal: str | None
    unkept: str | None = None
    """Why the boot ledger does not hold this; then no release may be forgotten, for the next start needs it."""
    changed: int
    """Number of configfs writes, links and folders made or removed; 0 means all was as wanted."""
    found: tuple[str, ...] = ()
    """How some of these were before, in words; within the agent only."""
    waiting: tuple[str, ...] = ()
    """IQNs and NQNs of targets and subsystems that keep hosts out because volumes are missing; within the agent
    only."""
    repaired: tuple[str, ...] = ()
    """What was missing or other than wanted though it had been right and nobody had asked for anything else; in words,
    and each once."""
    targets: tuple[TargetReport, ...]
    subsystems: tuple[TargetReport, ...] = ()
    volumes: tuple[VolumeReport, ...]
    portals: tuple[PortalReport, ...]
    fc_ports: tuple[FcPortReport, ...] = ()
    unexplained: tuple[str, ...]
    foreign: tuple[str, ...]
    """Targets, backstores and subsystems that are not ours: shown, never touched."""


class ObservedSession(Model):
    """An initiator logged in now. `since` is None where the kernel does not tell it."""

    target: str
    """The target's IQN, the subsystem's NQN, or the WWPN of our port."""
    initiator: str
    protocol: Protocol
    portal: str | None
    peer: str | None
    state: str
    since: float | None
    tag: int | None = None
    """Over iSCSI: the tag of the portal group."""
    number: int | None = None
    """Over iSCSI: LIO's own number of the login, which the next one does not have."""
    isid: str | None = None
    """Over iSCSI: the initiator's part of the session's name, twelve hexadecimal digits."""
    queue_depth: int | None = None
    """Over iSCSI: how many commands the initiator may have under way in one session."""


class ObservedConnection(Model):
    """A TCP connection to one of our iSCSI portals. LIO does not tell whose it is."""

    address: str
    port: int
    peer: str


class SessionCount(Model):
    """How many sessions a target has over all its portals."""

    target: str
    sessions: int


class UnseenSessions(Model):
    """Sessions that may be there and cannot be listed: never to be taken for none."""

    family: Family
    reason: str
