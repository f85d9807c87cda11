"""Everything to be exported, as one document: written by the reconciler, stored by the agent as its boot ledger.

The brake: an export in the ledger is removed only if a `Release` names it. A document that is older than the ledger, or
from another database, changes nothing.
"""

from enum import StrEnum
from typing import Self

from pydantic import SecretStr, field_serializer, model_validator

from lunette.domain import border
from lunette.domain.arrays import ArrayEngine
from lunette.domain.base import Lean, Model
from lunette.domain.dhchap import DhGroup, DhHash
from lunette.domain.disk_health import HEALTH_PERIOD_S
from lunette.domain.encryption import Encryption
from lunette.domain.fc import FcMode
from lunette.domain.firewall import DesiredFirewall
from lunette.domain.hosts import OsType
from lunette.domain.identity import VolumeIdentity
from lunette.domain.mappings import ExportEngine, Family, Protocol
from lunette.domain.self_tests import SelfTestSchedule
from lunette.domain.tuning import ArrayTuning


class ExportArray(Model):
    """An array to start at boot: by its UUID (a pool's GUID), from the disks recorded as its members.

    `group` contains the volumes of the array: the volume group on an MD array, or the pool itself.
    """

    array_id: border.Id
    name: border.Text
    engine: ArrayEngine
    uuid: border.ArrayUuid
    group: border.GroupName
    members: tuple[border.DiskId, ...]
    sync_speed_min_bytes_s: int | None = None
    """Minimum speed of resync, rebuild and scrub per disk, in bytes per second. None leaves the speed to the kernel."""
    sync_speed_max_bytes_s: int | None = None
    tuning: ArrayTuning = ArrayTuning()
    write_mostly: tuple[border.DiskId, ...] = ()
    """Members of a RAID 1 that are read only if no other member has the data."""
    health_command: border.HealthCommandName | None = None
    """For an external array: the command that reports its health."""
    encryption: Encryption | None = None


class AdoptedBackstore(Model):
    """A backstore that another system created. The path and all values shown to hosts stay the same."""

    path: border.BackstorePath
    """Path below /sys/kernel/config/target, such as core/iblock_0/disk1."""
    vendor: border.Text
    product: border.Text
    revision: border.Text
    attributes: tuple[tuple[border.BackstoreAttribute, border.AttributeValue], ...]
    """Names and values of `attrib`, as far as the values can be set and are visible to hosts."""


class AdoptedSubsystem(Model):
    """An NVMe subsystem that another system created. All values shown to hosts stay the same."""

    serial: border.Serial
    attributes: tuple[tuple[border.SubsystemAttribute, border.AttributeValue], ...]
    """Names and values of `attr_*`, as far as the values can be set and are visible to hosts, without the serial
    number."""


class ExportVolume(Lean):
    """Device and identity of a volume. The device appears once its array and group are active."""

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
            raise ValueError("the device does not belong to its volume group")
        return self


class ExportPortal(Model):
    """An address and port on which the appliance serves a protocol."""

    portal_id: border.Id
    protocol: Protocol
    engine: ExportEngine
    address: border.Address
    port: int
    adopted: border.Id | None = None
    """Folder in the `ports` of nvmet that another system created for the portal, used for as long as the folder
    exists."""


class ExportChap(Model):
    """CHAP secrets in plain text: sent only over the agent's socket, and stored only in root's ledger, sealed."""

    user: border.Text
    secret: SecretStr
    mutual_user: border.Text | None
    mutual_secret: SecretStr | None

    @field_serializer("secret", "mutual_secret", when_used="json")
    def _reveal(self, value: SecretStr | None) -> str | None:
        return value.get_secret_value() if value else None


class ExportInitiator(Lean):
    """One initiator name of a host, with the credentials that the host must present."""

    initiator_id: border.Id
    host: border.Text
    iqn: border.IscsiName
    chap: ExportChap | None


class ExportFcInitiator(Lean):
    """One WWPN of a host. Fibre Channel has no credentials: the zones of the fabric control access."""

    initiator_id: border.Id
    host: border.Text
    wwpn: border.PortName


class ExportFcPort(Model):
    """A managed FC port with its mode. The port has the WWPN of the adapter as its permanent name."""

    port_id: border.Id
    wwpn: border.PortName
    mode: FcMode


class ExportDhChap(Model):
    """DH-HMAC-CHAP keys in plain text, handled as the secrets in ExportChap."""

    secret: SecretStr
    mutual_secret: SecretStr | None
    hash: DhHash
    dh_group: DhGroup

    @field_serializer("secret", "mutual_secret", when_used="json")
    def _reveal(self, value: SecretStr | None) -> str | None:
        return value.get_secret_value() if value else None


class ExportNvmeHost(Lean):
    """One NQN of a host, with the key that the host must present."""

    initiator_id: border.Id
    host: border.Text
    nqn: border.NvmeName
    dhchap: ExportDhChap | None


class ExportLun(Lean):
    """A volume under the number that the hosts of a target see."""

    mapping_id: border.Id
    lun: int
    volume_id: border.Id


class ExportTarget(Model):
    """Target of a host or host group. It opens once all volumes are present, or when the time limit ends.

    A target that has waited `opens_without_missing_after_s` seconds for missing volumes opens with the volumes that are
    present. None waits without limit.
    """

    target_id: border.Id
    owner: border.Text
    iqn: border.IscsiName
    tag: int
    os_type: OsType
    """Operating system of the hosts, `other` if the hosts differ. The value does not affect what is served (decision
    0050)."""
    initiators: tuple[ExportInitiator, ...]
    fc_initiators: tuple[ExportFcInitiator, ...] = ()
    """WWPNs of the hosts. Over every FC port in target mode, the hosts see the same numbers."""
    luns: tuple[ExportLun, ...]
    opens_without_missing_after_s: int | None = None


class ExportSubsystem(Model):
    """NVMe subsystem of a host or host group. `target_id` is the row shared with the owner's target."""

    target_id: border.Id
    owner: border.Text
    nqn: border.NvmeName
    serial: border.Serial
    """Serial number of at most 20 characters (NVM Express Base 2.0, Identify Controller)."""
    hosts: tuple[ExportNvmeHost, ...]
    luns: tuple[ExportLun, ...]
    opens_without_missing_after_s: int | None = None
    """Time limit as for a target."""
    adopted: AdoptedSubsystem | None = None


class ReleaseKind(StrEnum):
    """Kind of an exported object."""

    ARRAY = "array"
    """An array that is started for its exports."""
    VOLUME = "volume"
    """A volume."""
    PORTAL = "portal"
    """A portal."""
    FC_PORT = "fc_port"
    """An FC port."""
    TARGET = "target"
    """The target of a host or host group."""
    SUBSYSTEM = "subsystem"
    """The NVMe subsystem of a host or host group."""
    INITIATOR = "initiator"
    """An initiator of a host."""
    MAPPING = "mapping"
    """A mapping."""


class Release(Lean):
    """Permission to stop serving one object, written in the transaction that removed the object."""

    kind: ReleaseKind
    id: border.Id
    generation: int


class Leftover(Model):
    """An adopted object that was released and still exists. Its name does not show that Lunette may remove it."""

    path: border.LeftoverPath
    """Path below /sys/kernel/config/target."""
    volume_id: border.Id | None = None
    serial: border.Serial | None = None
    """Serial number of a backstore, since another backstore may use the same path later."""


class NvmeLeftover(Model):
    """A leftover in nvmet: a subsystem, or a port with its address."""

    path: border.NvmeLeftoverPath
    """Path below /sys/kernel/config/nvmet."""
    place: border.Text = ""
    """Address of a port, since another port may use the same number later."""


class ExportSet(Model):
    """The complete desired state. `generation` increases with every change in the database `database_id`."""

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
    """Adopted objects that were released. Only the ledger contains this list."""
    nvme_leftovers: tuple[NvmeLeftover, ...] = ()
    firewall: DesiredFirewall = DesiredFirewall()
    discovery: ExportChap | None = None
    """CHAP that a host must present before discovery lists the iSCSI targets. None if discovery needs no CHAP."""
    disk_health_s: int = HEALTH_PERIOD_S
    """Seconds between two health queries of a drive."""
    self_tests: SelfTestSchedule = SelfTestSchedule()
    host_name: border.HostName | None = None
    """Host name of the machine. None leaves it as it is."""

    @property
    def mapping_ids(self) -> frozenset[str]:
        """Of all mappings that are to be served."""
        targets: tuple[ExportTarget | ExportSubsystem, ...] = (*self.targets, *self.subsystems)
        return frozenset(lun.mapping_id for target in targets for lun in target.luns)

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
                    target.model_copy(
                        update={"initiators": tuple(i.model_copy(update={"chap": None}) for i in target.initiators)}
                    )
                    for target in self.targets
                ),
                "subsystems": tuple(
                    target.model_copy(
                        update={"hosts": tuple(h.model_copy(update={"dhchap": None}) for h in target.hosts)}
                    )
                    for target in self.subsystems
                ),
            }
        )


class ServingState(StrEnum):
    """Whether an export is served."""

    OPEN = "open"
    """Served now."""
    BLOCKED = "blocked"
    """Desired, but not served because of the condition that the reason names."""


class TargetReport(Lean):
    """State of a target or NVMe subsystem."""

    target_id: str
    state: ServingState
    reason: str | None
    """What is missing, also for a target that is open."""
    missing: tuple[str, ...] = ()
    """IDs of the volumes for which the target waits or, if the target is open, of the volumes that its hosts do not
    have."""
    opened_without_after_s: int | None = None
    """Time limit in seconds after which the target opened without the volumes in `missing`."""


class VolumeReport(Lean):
    """State of an exported volume."""

    volume_id: str
    state: ServingState
    reason: str | None


class PortalReport(Model):
    """State of a portal."""

    portal_id: str
    state: ServingState
    reason: str | None


class FcPortReport(Model):
    """State of a managed FC port. The state is open if the port has its desired mode."""

    port_id: str
    state: ServingState
    reason: str | None


class ConvergeReport(Model):
    """Result of a converge run.

    `unexplained` lists exports that are served although nothing requires them any more (the brake).
    """

    generation: int
    """Generation of the ledger now."""
    accepted: bool
    """Whether the document was applied. False if the document was older than the ledger or from another database; then
    nothing was changed."""
    refusal: str | None
    unkept: str | None = None
    """Why the boot ledger does not contain this state. No release may be deleted then, since the next start needs
    it."""
    changed: int
    """Number of configfs writes, links and folders created or removed. 0 means that everything was as desired."""
    found: tuple[str, ...] = ()
    """Earlier states of some of the changed objects, in words. For use within the agent only."""
    waiting: tuple[str, ...] = ()
    """IQNs and NQNs of targets and subsystems that are closed to hosts because volumes are missing. For use within the
    agent only."""
    repaired: tuple[str, ...] = ()
    """Objects that were missing or changed although they had been correct and no change was requested: in words, each
    once."""
    targets: tuple[TargetReport, ...]
    subsystems: tuple[TargetReport, ...] = ()
    volumes: tuple[VolumeReport, ...]
    portals: tuple[PortalReport, ...]
    fc_ports: tuple[FcPortReport, ...] = ()
    unexplained: tuple[str, ...]
    foreign: tuple[str, ...]
    """Targets, backstores and subsystems that other systems created: shown, never changed."""


class ObservedSession(Lean):
    """An initiator that is logged in now. `since` is None if the kernel does not report the time."""

    target: str
    """IQN of the target, NQN of the subsystem, or WWPN of the FC port of the appliance."""
    initiator: str
    protocol: Protocol
    portal: str | None
    peer: str | None
    state: str
    since: float | None
    tag: int | None = None
    """Over iSCSI: tag of the portal group."""
    number: int | None = None
    """Over iSCSI: LIO's number of the login. A later login has another number."""
    isid: str | None = None
    """Over iSCSI: the initiator's part of the session ID, twelve hexadecimal digits."""
    queue_depth: int | None = None
    """Over iSCSI: number of commands that the initiator may have in progress in one session."""


class ObservedConnection(Model):
    """A TCP connection to an iSCSI portal. LIO does not report the initiator of a connection."""

    address: str
    port: int
    peer: str


class SessionCount(Model):
    """Number of sessions of a target over all its portals."""

    target: str
    sessions: int


class UnseenSessions(Model):
    """Sessions that may exist but cannot be listed. They must never be counted as none."""

    family: Family
    reason: str
