"""The shapes of what the API takes and answers. Made from backend/openapi.json by `make generate`; do not edit."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

from lunette.client.generated.enums import (
    Action,
    AlertFamily,
    ArrayEngine,
    ArrayHealth,
    ArrayVerb,
    BondMode,
    Channel,
    Convergence,
    DhGroup,
    DhHash,
    DiskHealthState,
    DiskState,
    DriftKind,
    Encryption,
    EventOutcome,
    ExportEngine,
    ExportFormat,
    ExportState,
    Family,
    FcMode,
    FirewallMode,
    FirewallState,
    HealthState,
    InitiatorKind,
    InterfaceKind,
    InterfaceRole,
    JobKind,
    JobState,
    KitProof,
    LacpRate,
    Level,
    LinkState,
    MailSecurity,
    Measured,
    MemberRole,
    MissedRuns,
    NextStep,
    OsType,
    Part,
    PathState,
    PortProtocol,
    ProblemType,
    Protocol,
    Provisioning,
    Raid10Layout,
    ReleaseKind,
    Resolution,
    ResourceState,
    Role,
    RowChange,
    ScheduleAction,
    Scheduler,
    ScrubAction,
    SelfTestKind,
    SelfTestResult,
    Severity,
    StepState,
    SyslogTransport,
    Transport,
    TrialState,
    TuningName,
    WipeMethod,
    WriteHole,
)

__all__ = [
    "Action",
    "ActiveLogin",
    "ActiveLoginPage",
    "AdoptRequest",
    "AdoptionAnswer",
    "AgentStatus",
    "Alert",
    "AlertAcknowledge",
    "AlertFamily",
    "AlertPage",
    "AlertSilence",
    "AlertTest",
    "Array",
    "ArrayAddDisks",
    "ArrayAddSpares",
    "ArrayCreate",
    "ArrayDiskChoice",
    "ArrayEngine",
    "ArrayForceStart",
    "ArrayForget",
    "ArrayGrow",
    "ArrayHealth",
    "ArrayKeyChange",
    "ArrayMember",
    "ArrayObserved",
    "ArrayPage",
    "ArrayPatch",
    "ArrayProgress",
    "ArrayRelease",
    "ArrayReplace",
    "ArrayReshape",
    "ArrayScrub",
    "ArrayTuningValue",
    "ArrayUnlock",
    "ArrayVerb",
    "BackupRequest",
    "BondMode",
    "Certificate",
    "CertificateFacts",
    "CertificateReplace",
    "Channel",
    "ChannelTest",
    "Chap",
    "ChapUsers",
    "Convergence",
    "Counts",
    "DeletedSnapshot",
    "DeletedSnapshotPage",
    "DeletedVolume",
    "DeletedVolumePage",
    "DeliveryState",
    "DhChap",
    "DhChapAsked",
    "DhGroup",
    "DhHash",
    "Difference",
    "DiscoveryAuth",
    "DiscoveryLogin",
    "Disk",
    "DiskDay",
    "DiskErrorRecovery",
    "DiskHardware",
    "DiskHealth",
    "DiskHealthReason",
    "DiskHealthState",
    "DiskHealthValues",
    "DiskHistory",
    "DiskLocateWish",
    "DiskPage",
    "DiskSeat",
    "DiskSelfTest",
    "DiskSelfTests",
    "DiskSignature",
    "DiskState",
    "DiskWipeWish",
    "Drift",
    "DriftKind",
    "DriftReport",
    "Encryption",
    "Engine",
    "EngineLevel",
    "EnginePage",
    "Event",
    "EventDetail",
    "EventOutcome",
    "EventPage",
    "Export",
    "ExportEngine",
    "ExportFormat",
    "ExportState",
    "ExportsStatus",
    "FactorConfirm",
    "FactorProof",
    "Family",
    "FcHardware",
    "FcMode",
    "FcPort",
    "FcPortCreate",
    "FcPortPage",
    "FcPortPatch",
    "FcRemote",
    "Finding",
    "Firewall",
    "FirewallMode",
    "FirewallOpening",
    "FirewallState",
    "ForeignArray",
    "ForeignArrayAdopt",
    "ForeignArrayPage",
    "ForeignMember",
    "ForeignVolume",
    "Health",
    "HealthState",
    "Host",
    "HostCreate",
    "HostGroup",
    "HostGroupCreate",
    "HostGroupPage",
    "HostGroupPatch",
    "HostKit",
    "HostPage",
    "HostPatch",
    "HostPath",
    "HostPaths",
    "HostVerifyPaths",
    "Initiator",
    "InitiatorKind",
    "InitiatorPage",
    "InspectRequest",
    "Inspection",
    "Interface",
    "InterfaceAddress",
    "InterfaceChange",
    "InterfaceConfig",
    "InterfaceCreate",
    "InterfaceKind",
    "InterfaceMade",
    "InterfacePage",
    "InterfaceRole",
    "Job",
    "JobError",
    "JobKind",
    "JobResolve",
    "JobState",
    "JobStep",
    "JobSummary",
    "JobSummaryPage",
    "Kept",
    "KitCommand",
    "KitFile",
    "KitProof",
    "LacpRate",
    "LastRun",
    "Layout",
    "LayoutDisk",
    "Layouts",
    "LeftOut",
    "Level",
    "LinkState",
    "Login",
    "Mail",
    "MailSecurity",
    "MailSettings",
    "MappedTo",
    "Mapping",
    "MappingBatch",
    "MappingCreate",
    "MappingList",
    "MappingPage",
    "Me",
    "Measured",
    "MemberRole",
    "MissedRuns",
    "NewToken",
    "NextStep",
    "OsType",
    "OutdatedProblem",
    "Part",
    "PasswordChange",
    "PathState",
    "PathVerification",
    "Performance",
    "PerformanceHistory",
    "PerformancePage",
    "PerformancePoint",
    "Plan",
    "PlanChange",
    "PlanReuse",
    "PlanStep",
    "PlanVolume",
    "PortProtocol",
    "Portal",
    "PortalCreate",
    "PortalPage",
    "Problem",
    "ProblemField",
    "ProblemType",
    "Protocol",
    "Provisioning",
    "Raid10Layout",
    "RdmaAddress",
    "RdmaDevice",
    "RdmaDevicePage",
    "RebuildArray",
    "RebuildFound",
    "RebuildRequest",
    "RecoveryCodes",
    "ReleaseKind",
    "Resolution",
    "ResourceState",
    "RestoreFound",
    "RestoreRequest",
    "Retention",
    "Role",
    "RowChange",
    "Saveconfig",
    "SavedAcl",
    "SavedAluaGroup",
    "SavedConfig",
    "SavedFabric",
    "SavedGroup",
    "SavedLun",
    "SavedMappedLun",
    "SavedPortal",
    "SavedStore",
    "SavedTarget",
    "Schedule",
    "ScheduleAction",
    "ScheduleCreate",
    "SchedulePage",
    "SchedulePatch",
    "Scheduler",
    "ScrubAction",
    "SecondFactorOffer",
    "SelfTestKind",
    "SelfTestResult",
    "Session",
    "SessionPage",
    "Settings",
    "SettingsPatch",
    "Severity",
    "Site",
    "SiteArray",
    "SiteChap",
    "SiteDhChap",
    "SiteHost",
    "SiteHostGroup",
    "SiteRequest",
    "SiteSchedule",
    "SiteVolume",
    "Snapshot",
    "SnapshotBatch",
    "SnapshotClone",
    "SnapshotCreate",
    "SnapshotPage",
    "SnapshotRecover",
    "Split",
    "Status",
    "StepState",
    "StillServed",
    "Syslog",
    "SyslogSettings",
    "SyslogTransport",
    "ThinPool",
    "Token",
    "TokenCreate",
    "TokenPage",
    "Transport",
    "TrialState",
    "TuningName",
    "Undo",
    "Unseen",
    "Update",
    "UpdateBundle",
    "UpdateCreate",
    "UpdateFetch",
    "UpdateSlot",
    "UpdateTrial",
    "User",
    "UserCreate",
    "UserPage",
    "UserPatch",
    "Volume",
    "VolumeBatch",
    "VolumeCreate",
    "VolumeDeleteBatch",
    "VolumeGrow",
    "VolumeObserved",
    "VolumePage",
    "VolumePatch",
    "VolumePaths",
    "VolumeRecover",
    "VolumeRollBack",
    "VolumeWhy",
    "Webhook",
    "WebhookSettings",
    "WhyChain",
    "WhyLink",
    "WipeMethod",
    "WriteHole",
]


class ActiveLogin(TypedDict):
    """A browser in which somebody is logged in. `address` is where the login came from, null if that is
    not known.
    """

    id: str
    username: str
    role: Role
    address: str | None
    is_own: bool
    created_at: str
    expires_at: str


class ActiveLoginPage(TypedDict):
    """ActiveLoginPage"""

    items: list[ActiveLogin]
    next_cursor: str | None
    total: int


class AdoptRequest(TypedDict):
    """What to take over: targets by their IQNs, NVMe subsystems by their NQNs; none named means all that
    can be.
    """

    targets: NotRequired[list[str]]


class AdoptionAnswer(TypedDict):
    """The plan, and a verdict on every object. Nothing has been changed."""

    title: str
    changes: list[PlanChange]
    steps: list[PlanStep]
    devices: list[str]
    bytes_destroyed: int
    hosts_interrupted: list[str]
    warnings: list[str]
    volumes: list[PlanVolume]
    reused: list[PlanReuse]
    targets: list[str]
    findings: list[Finding]


class AgentStatus(TypedDict):
    """Whether the root agent answers; `age_s` is the age of its last observation."""

    answers: bool
    reason: str | None
    age_s: float | None


class Alert(TypedDict):
    """What a person must look at: what it is, where it comes from, what to do."""

    id: str
    key: str
    family: AlertFamily | None
    severity: str
    message: str
    cause: str
    fix: str
    raised_at: str
    resolved_at: str | None
    acknowledged_at: str | None
    acknowledged_by: str | None
    note: str
    silenced_until: str | None


class AlertAcknowledge(TypedDict):
    """That somebody knows of an alert and sees to it. `note` says what is done, or by whom."""

    note: NotRequired[str]


class AlertPage(TypedDict):
    """AlertPage"""

    items: list[Alert]
    next_cursor: str | None
    total: int


class AlertSilence(TypedDict):
    """The wish that an alert is told to nobody for `duration_s` seconds, a minute to a year, also if it
    comes back.
    """

    duration_s: int


class AlertTest(TypedDict):
    """One result for each channel that is set up."""

    results: list[ChannelTest]


class Array(TypedDict):
    """Redundancy over disks. `state` is its life here, `health` what the kernel sees."""

    id: str
    name: str
    engine: ArrayEngine
    level: Level
    state: ResourceState
    health: ArrayHealth
    uuid: str
    usable_bytes: int
    free_bytes: int | None
    thin_pool: ThinPool | None
    chunk_bytes: int | None
    layout: Raid10Layout | None
    write_mostly: list[str]
    group_data_disks: int | None
    distributed_spares: int | None
    write_hole: WriteHole
    growing: bool
    sync_speed_min_bytes_s: int | None
    sync_speed_max_bytes_s: int | None
    group_thread_cnt: int | None
    stripe_cache_size: int | None
    skip_copy: bool | None
    scheduler: Scheduler | None
    spare_group: str | None
    health_command: str | None
    integrity: bool
    encryption: Encryption | None
    keep_key: bool
    locked: bool | None
    tuning: list[ArrayTuningValue]
    members: list[ArrayMember]
    volumes: int
    deleted_bytes: int
    observed: ArrayObserved | None
    created_at: str
    updated_at: str


class ArrayAddDisks(TypedDict):
    """Disks that stand beside the data disks of a pool. Log and special disks join the mirror that is
    there.
    """

    role: Literal["log", "cache", "special"]
    disks: list[str]
    wipe: NotRequired[list[str]]


class ArrayAddSpares(TypedDict):
    """Disks that stand by: the first takes the place of a member that is lost. `wipe` as at creation."""

    disks: list[str]
    wipe: NotRequired[list[str]]


class ArrayCreate(TypedDict):
    """The wish for a new array. `disks` are stable disk ids; `wipe` names those whose signatures may be
    destroyed.
    """

    name: str
    engine: NotRequired[ArrayEngine]
    level: Level
    disks: list[str]
    chunk_bytes: NotRequired[int | None]
    layout: NotRequired[Raid10Layout | None]
    write_hole: NotRequired[WriteHole | None]
    wipe: NotRequired[list[str]]
    write_mostly: NotRequired[list[str]]
    spares: NotRequired[list[str]]
    spare_group: NotRequired[str | None]
    log: NotRequired[list[str]]
    cache: NotRequired[list[str]]
    special: NotRequired[list[str]]
    group_data_disks: NotRequired[int | None]
    distributed_spares: NotRequired[int | None]
    sync_speed_min_bytes_s: NotRequired[int | None]
    sync_speed_max_bytes_s: NotRequired[int | None]
    group_thread_cnt: NotRequired[int | None]
    stripe_cache_size: NotRequired[int | None]
    skip_copy: NotRequired[bool | None]
    scheduler: NotRequired[Scheduler | None]
    health_command: NotRequired[str | None]
    integrity: NotRequired[bool]
    encryption: NotRequired[Encryption | None]
    passphrase: NotRequired[str | None]
    keep_key: NotRequired[bool]


class ArrayDiskChoice(TypedDict):
    """One disk of the array, by its id; one that is gone is named by the id it had."""

    disk: str


class ArrayForceStart(TypedDict):
    """Starts an array that was being written to when it stopped, and that lacks a disk. `confirm`: its
    name.
    """

    confirm: str


class ArrayForget(TypedDict):
    """Forgets an array whose disks are lost for good, with all that was on it. `confirm`: its name."""

    confirm: str


class ArrayGrow(TypedDict):
    """Disks that become members: of a mirror further copies, of any other level more room. `wipe` as at
    creation.
    """

    disks: list[str]
    wipe: NotRequired[list[str]]


class ArrayKeyChange(TypedDict):
    """Changes who opens an encrypted array. `passphrase` opens it now; what is left out stays as it is."""

    passphrase: str
    new_passphrase: NotRequired[str | None]
    keep_old: NotRequired[bool]
    keep_key: NotRequired[bool | None]


class ArrayMember(TypedDict):
    """A disk of an array. `state`: in_sync, rebuilding, replacing, spare, faulty, missing, or unknown."""

    disk_id: str
    serial: str
    role: MemberRole
    slot: int | None
    state: str
    leaving: bool


class ArrayObserved(TypedDict):
    """What the machine says about an array, and how old that is."""

    age_s: float
    device: str | None
    level: str
    write_hole: WriteHole
    layout: str | None
    survives_disks: int | None
    free_distributed_spares: int | None
    progress: ArrayProgress | None
    mismatch_count: int | None
    last_scrub: str | None
    health_words: str | None
    dirty_degraded: bool


class ArrayPage(TypedDict):
    """ArrayPage"""

    items: list[Array]
    next_cursor: str | None
    total: int


class ArrayPatch(TypedDict):
    """How fast a resync, rebuild or scrub runs, per disk, how the array is tuned, and what tells its
    health.
    """

    group_thread_cnt: NotRequired[int | None]
    stripe_cache_size: NotRequired[int | None]
    skip_copy: NotRequired[bool | None]
    scheduler: NotRequired[Scheduler | None]
    sync_speed_min_bytes_s: NotRequired[int | None]
    sync_speed_max_bytes_s: NotRequired[int | None]
    write_mostly: NotRequired[list[str] | None]
    spare_group: NotRequired[str | None]
    health_command: NotRequired[str | None]


class ArrayProgress(TypedDict):
    """A running resync, rebuild, check or reshape; speed and time left as the kernel estimates them."""

    action: str
    percent: float
    rate_bytes_s: int | None
    left_s: float | None


class ArrayRelease(TypedDict):
    """Lets go of an array: it stays on its disks with its volumes and their data, and is Lunette's no
    more. `confirm`: its name.
    """

    confirm: str


class ArrayReplace(TypedDict):
    """Put the disk `new` in the place of `disk`, which may be working, faulty or gone."""

    disk: str
    new: str
    wipe: NotRequired[list[str]]


class ArrayReshape(TypedDict):
    """Another level, with a disk more. `wipe` as at creation."""

    level: Level
    disks: NotRequired[list[str]]
    wipe: NotRequired[list[str]]


class ArrayScrub(TypedDict):
    """ArrayScrub"""

    action: NotRequired[ScrubAction]


class ArrayTuningValue(TypedDict):
    """One value of an array's tuning, in the kernel's notation. `value` is kept: set now and after every
    start.
    """

    name: TuningName
    value: str | None
    automatic: bool
    why: str
    observed: str | None


class ArrayUnlock(TypedDict):
    """Opens an encrypted array until it is stopped or the appliance restarts."""

    passphrase: str


class BackupRequest(TypedDict):
    """The passphrase is not kept anywhere: without it the file is of no use. `certificate`: with its
    private key.
    """

    passphrase: str
    certificate: NotRequired[bool]


class Certificate(TypedDict):
    """The certificate of the web page and the API."""

    subject: str
    issuer: str
    names: list[str]
    not_before: str
    not_after: str
    fingerprint: str
    self_signed: bool
    chain: int
    replaceable: bool
    previous: CertificateFacts | None


class CertificateFacts(TypedDict):
    """What a certificate says of itself."""

    subject: str
    issuer: str
    names: list[str]
    not_before: str
    not_after: str
    fingerprint: str
    self_signed: bool
    chain: int


class CertificateReplace(TypedDict):
    """The wish for another certificate: the server's own first, then each that signed the one before it."""

    certificate: str
    private_key: str


class ChannelTest(TypedDict):
    """Whether a test was taken over one channel; `detail` is what the server said, or why nothing could be
    sent.
    """

    channel: Channel
    accepted: bool
    detail: str


class Chap(TypedDict):
    """CHAP the host must answer, and with `mutual_*` the answer the host asks of us. The two secrets must
    differ.
    """

    user: str
    secret: str
    mutual_user: NotRequired[str | None]
    mutual_secret: NotRequired[str | None]


class ChapUsers(TypedDict):
    """That CHAP is asked for, and under which names. The secrets are never answered."""

    user: str
    mutual_user: str | None


class Counts(TypedDict):
    """How many there are. Disks and sessions are null while the agent does not answer, or cannot see all
    of them.
    """

    disks: int | None
    arrays: int
    volumes: int
    hosts: int
    host_groups: int
    portals: int
    mappings: int
    sessions: int | None
    running_jobs: int
    stuck_jobs: int
    alerts: int


class DeletedSnapshot(TypedDict):
    """A snapshot that was deleted, with the id that it gets back when it is recovered."""

    id: str
    name: str
    description: str
    volume: str
    volume_id: str
    volume_deleted: bool
    size_bytes: int
    state: ResourceState
    deleted_at: str
    erase_at: str
    created_at: str
    updated_at: str


class DeletedSnapshotPage(TypedDict):
    """DeletedSnapshotPage"""

    items: list[DeletedSnapshot]
    next_cursor: str | None
    total: int


class DeletedVolume(TypedDict):
    """A volume that was deleted, with the id and identity that it gets back when it is recovered."""

    id: str
    name: str
    description: str
    array: str
    array_id: str
    size_bytes: int
    held_bytes: int
    provisioning: Provisioning
    state: ResourceState
    uuid: str
    serial: str
    naa: str
    nguid: str
    eui64: str
    deleted_at: str
    erase_at: str
    created_at: str
    updated_at: str


class DeletedVolumePage(TypedDict):
    """DeletedVolumePage"""

    items: list[DeletedVolume]
    next_cursor: str | None
    total: int


class DeliveryState(TypedDict):
    """How telling goes over one channel. `trouble` says why the oldest message that waits was not taken."""

    channel: Channel
    waiting: int
    trouble: str | None
    last_told_at: str | None


class DhChap(TypedDict):
    """What an NVMe host must show, and with `mutual_secret` what it asks of us. The two must differ."""

    secret: str
    mutual_secret: NotRequired[str | None]
    hash: NotRequired[DhHash]
    dh_group: NotRequired[DhGroup]


class DhChapAsked(TypedDict):
    """That DH-HMAC-CHAP is asked for, and how. The keys are never answered."""

    hash: DhHash
    dh_group: DhGroup
    is_mutual: bool


class Difference(TypedDict):
    """One thing that restoring would bring back, change or forget. `name` is for people."""

    noun: str
    name: str
    change: RowChange


class DiscoveryAuth(TypedDict):
    """What a host shows by CHAP before it is told the iSCSI targets, and with `mutual_user` what the
    appliance answers. The secrets are never shown; left out, those that are kept stay, as long as their
    users are the same.
    """

    user: str
    secret: NotRequired[str | None]
    mutual_user: NotRequired[str | None]
    mutual_secret: NotRequired[str | None]


class DiscoveryLogin(TypedDict):
    """What a host shows before it is told the iSCSI targets."""

    user: str
    has_secret: bool
    mutual_user: str | None
    has_mutual_secret: bool


class Disk(TypedDict):
    """One physical drive, by its stable id. `occupied_by` tells why it cannot be used without being wiped."""

    id: str
    state: DiskState
    serial: str
    model: str | None
    transport: Transport | None
    size_bytes: int | None
    array: str | None
    array_id: str | None
    slot: int | None
    occupied_by: str | None
    wipeable: bool
    health: DiskHealth | None
    observed: DiskHardware | None
    age_s: float | None


class DiskDay(TypedDict):
    """What a drive told on one day of UTC: its last values, and the highest of its temperatures."""

    day: str
    serial: str
    state: DiskHealthState
    hottest_c: int | None
    read_at: str
    values: DiskHealthValues


class DiskErrorRecovery(TypedDict):
    """How long a SATA drive tries to read a bad sector. `limit_s`: when it gives up and names the sector;
    null if it tries as long as it likes. `is_limitable`: whether it can be told when. `wait_s`: when
    the kernel gives the drive up; null if that is not known.
    """

    is_limitable: bool
    limit_s: float | None
    wait_s: int | None


class DiskHardware(TypedDict):
    """What the drive says about itself, and what is on it. `paths`: all devices it is reached over; each
    of them but `device` is listed as a disk of its own that cannot be used, or lies under the multipath
    device that `device` is. `power_loss_protection`: true if what it acknowledged is safe from a power
    cut, for it has no volatile write cache that is on; null if that is not known.
    """

    device: str
    paths: list[str]
    wwn: str | None
    firmware: str | None
    rotational: bool
    logical_block_bytes: int
    physical_block_bytes: int
    write_cache: bool
    power_loss_protection: bool | None
    numa_node: int | None
    place: DiskSeat
    links: list[str]
    partitions: int
    signatures: list[DiskSignature]
    holders: list[str]
    mounts: list[str]
    fabric: bool


class DiskHealth(TypedDict):
    """What the drive says of itself. `read_at`: when it last said so; while it sleeps it is not woken for
    it. `problem`: why nothing could be read. `error_recovery`: of SATA drives alone. `self_tests`: null
    of a drive that has none.
    """

    state: DiskHealthState
    reasons: list[DiskHealthReason]
    values: DiskHealthValues
    read_at: str | None
    is_asleep: bool
    problem: str | None
    error_recovery: DiskErrorRecovery | None
    self_tests: DiskSelfTests | None


class DiskHealthReason(TypedDict):
    """One thing that is wrong with a disk; each is an alert as well."""

    kind: str
    severity: Severity
    message: str


class DiskHealthValues(TypedDict):
    """What the drive gives, each in the unit of its name; null is what it does not give. `used_percent` is
    of the life its maker gave it. `interface_errors`: on the way to a SATA or SAS drive, by its cable
    or backplane. `error_log_entries`: commands of an NVMe drive that failed in all its life, those it
    refused included.
    """

    temperature_c: int | None
    temperature_warning_c: int | None
    temperature_critical_c: int | None
    available_spare_percent: int | None
    available_spare_threshold_percent: int | None
    used_percent: int | None
    power_on_hours: int | None
    unsafe_shutdowns: int | None
    written_bytes: int | None
    media_errors: int | None
    reallocated_sectors: int | None
    pending_sectors: int | None
    uncorrectable_sectors: int | None
    grown_defects: int | None
    interface_errors: int | None
    error_log_entries: int | None


class DiskHistory(TypedDict):
    """The health of a drive day by day, the newest first, for as long as history is kept."""

    disk: str
    days: list[DiskDay]


class DiskLocateWish(TypedDict):
    """The light of the bay the disk sits in is switched on, or with `off` off again."""

    off: NotRequired[bool]


class DiskPage(TypedDict):
    """DiskPage"""

    items: list[Disk]
    next_cursor: str | None
    total: int


class DiskSeat(TypedDict):
    """Where the drive sits; null is what the machine does not tell. `pci_address`: its own, if it is an
    NVMe drive, else its controller's. `bay`: what the enclosure calls it. `is_located`: whether the
    bay's light is on; null if there is none to switch.
    """

    pci_address: str | None
    pci_slot: str | None
    enclosure: str | None
    bay: str | None
    is_located: bool | None


class DiskSelfTest(TypedDict):
    """One self-test by the drive's own log. `hours`: its power-on hours then. `lba`: the first block that
    failed. `words`: what smartctl calls the result.
    """

    kind: SelfTestKind
    result: SelfTestResult
    hours: int | None
    lba: int | None
    words: str


class DiskSelfTests(TypedDict):
    """The newest first. `refused`: why the last one that was due did not begin."""

    is_running: bool
    refused: str | None
    log: list[DiskSelfTest]


class DiskSignature(TypedDict):
    """Something recognised on a disk: a file system, a partition table, an md superblock, an LVM label."""

    type: str
    label: str | None
    uuid: str | None


class DiskWipeWish(TypedDict):
    """The disk is emptied for good. `confirm`: its serial. `signatures`: types of those that are part of
    somebody's array, pool or volume group and may be destroyed, such as linux_raid_member.
    """

    method: WipeMethod
    confirm: str
    signatures: NotRequired[list[str]]


class Drift(TypedDict):
    """One difference. `is_repaired` is true for what the appliance tries again by itself until it is as
    wanted.
    """

    kind: DriftKind
    noun: str
    name: str
    words: str
    fix: str
    is_repaired: bool


class DriftReport(TypedDict):
    """Every difference, what needs a person first. `complete` is false where a part could not be looked
    at.
    """

    items: list[Drift]
    complete: bool
    unseen: list[str]
    repaired: int | None


class Engine(TypedDict):
    """What an engine can do on this machine; where it is not available, why, and what would bring it."""

    engine: str
    kind: str
    available: bool
    reason: str | None
    levels: list[EngineLevel]
    can_grow: bool
    can_thin: bool
    can_snapshot: bool
    can_snapshot_thick: bool
    can_snapshot_together: bool
    can_qos: bool
    reservations: bool
    compare_and_write: bool
    protocols: list[str]
    lacking: list[str]
    encryption: list[Encryption]
    health_commands: list[str]
    needs: list[str]


class EngineLevel(TypedDict):
    """One level an engine offers: how many disks it takes, how many losses it survives, the cost of a
    small write.
    """

    level: Level
    min_disks: int
    max_disks: int
    survives_failures: str
    small_write_ios: float
    write_hole: list[WriteHole]
    verbs: list[ArrayVerb]
    layouts: list[Raid10Layout]
    roles: list[MemberRole]
    becomes: list[Level]
    options: list[str]


class EnginePage(TypedDict):
    """EnginePage"""

    items: list[Engine]
    next_cursor: str | None
    total: int


class Event(TypedDict):
    """One line of the log; `noun` and `ref` name what it is about."""

    seq: int
    at: str
    kind: str
    noun: str
    ref: str | None
    actor: str
    message: str
    outcome: EventOutcome


class EventDetail(TypedDict):
    """One line of the log in full: what the plan of the change said, and whether it can be undone."""

    seq: int
    at: str
    kind: str
    noun: str
    ref: str | None
    actor: str
    message: str
    outcome: EventOutcome
    changes: list[PlanChange]
    hosts_interrupted: list[str]
    warnings: list[str]
    undo: Undo


class EventPage(TypedDict):
    """EventPage"""

    items: list[Event]
    next_cursor: str | None
    total: int


class Export(TypedDict):
    """Whether it is served to hosts now, and if not, why."""

    state: ExportState
    reason: str | None


class ExportsStatus(TypedDict):
    """How far the machine's exports are what the database wants."""

    state: Convergence
    wanted_generation: int
    applied_generation: int | None
    reason: str | None
    unexplained: list[str]
    foreign: list[str]
    age_s: float | None


class FactorConfirm(TypedDict):
    """A code of the authenticator app that is being set up."""

    code: str


class FactorProof(TypedDict):
    """The own password, and a code of the second factor where there is one."""

    current_password: str
    code: NotRequired[str | None]


class FcHardware(TypedDict):
    """What the port says of itself now. Null is what its driver does not tell."""

    wwnn: str
    driver: str
    model: str | None
    firmware: str | None
    symbolic_name: str | None
    link: str
    speed: str | None
    topology: str | None
    mode: FcMode
    modes: list[FcMode]
    target_reason: str | None
    remotes: list[FcRemote]
    reaches: int


class FcPort(TypedDict):
    """A Fibre Channel port. `id` and `mode` are null while nobody manages it: then it is left as its
    driver made it.
    """

    wwpn: str
    id: str | None
    mode: FcMode | None
    state: ExportState
    reason: str | None
    observed: FcHardware | None
    age_s: float | None


class FcPortCreate(TypedDict):
    """The wish to manage an HBA port; until then Lunette leaves it as its driver made it."""

    wwpn: str
    mode: NotRequired[FcMode]


class FcPortPage(TypedDict):
    """FcPortPage"""

    items: list[FcPort]
    next_cursor: str | None
    total: int


class FcPortPatch(TypedDict):
    """Another mode; an absent field stays."""

    mode: NotRequired[FcMode | None]


class FcRemote(TypedDict):
    """A port on the fabric that is logged in to ours. `host` is whose initiator it is entered as."""

    wwpn: str
    wwnn: str
    roles: list[str]
    state: str
    host: str | None


class Finding(TypedDict):
    """One object of the configuration: what it would be in Lunette, or why it does not fit and what to do
    about it.
    """

    path: str
    fits: bool
    words: str


class Firewall(TypedDict):
    """What is let in to the machine, and whether the kernel keeps to it."""

    mode: FirewallMode
    is_default: bool
    state: FirewallState
    reason: str | None
    openings: list[FirewallOpening]
    closed_on: list[str]
    kept_open_on: list[str]
    repaired: str | None
    repaired_at: str | None
    age_s: float


class FirewallOpening(TypedDict):
    """One port that is let in. `address` is one of this machine's, null every one. `portals` are those
    that need it.
    """

    protocol: PortProtocol
    port: int
    address: str | None
    management: bool
    portals: list[str]


class ForeignArray(TypedDict):
    """An array that others made, or one of Lunette with logical volumes that others made. Nothing of that
    is written before it is adopted.
    """

    id: str
    name: str
    home_host: str | None
    engine: ArrayEngine
    level: str
    health: str
    size_bytes: int | None
    read_only: bool
    members: list[ForeignMember]
    carries: list[str]
    group: str | None
    free_bytes: int | None
    volumes: list[ForeignVolume]
    array: str | None
    next: NextStep
    reason: str | None


class ForeignArrayAdopt(TypedDict):
    """How an array becomes ours."""

    name: NotRequired[str | None]
    volumes: NotRequired[list[str] | None]
    make_group: NotRequired[bool]


class ForeignArrayPage(TypedDict):
    """ForeignArrayPage"""

    items: list[ForeignArray]
    next_cursor: str | None
    total: int


class ForeignMember(TypedDict):
    """A disk of it. `disk_id` is null for what is no whole disk, and for one that is missing."""

    disk_id: str | None
    device: str | None
    state: str


class ForeignVolume(TypedDict):
    """A logical volume in its group, or a zvol of the pool."""

    name: str
    size_bytes: int
    open: bool
    reason: str | None


class Health(TypedDict):
    """That the API answers; nothing more is told without credentials."""

    status: str


class Host(TypedDict):
    """A client server. `export` tells whether all that is mapped to itself is served; its group has its
    own.
    """

    id: str
    name: str
    description: str
    os_type: OsType
    iqns: list[str]
    wwpns: list[str]
    nqns: list[str]
    chap: ChapUsers | None
    dhchap: DhChapAsked | None
    opens_without_missing_after_s: int | None
    group: str | None
    group_id: str | None
    target_iqn: str | None
    subsystem_nqn: str | None
    export: Export
    mappings: int
    sessions: int | None
    created_at: str
    updated_at: str


class HostCreate(TypedDict):
    """The wish for a host. An initiator name belongs to one host only."""

    name: str
    os_type: NotRequired[OsType]
    iqns: NotRequired[list[str]]
    wwpns: NotRequired[list[str]]
    nqns: NotRequired[list[str]]
    chap: NotRequired[Chap | None]
    dhchap: NotRequired[DhChap | None]
    description: NotRequired[str]
    opens_without_missing_after_s: NotRequired[int | None]


class HostGroup(TypedDict):
    """A cluster of hosts that share volumes."""

    id: str
    name: str
    description: str
    hosts: list[str]
    host_ids: list[str]
    opens_without_missing_after_s: int | None
    target_iqn: str | None
    subsystem_nqn: str | None
    export: Export
    mappings: int
    created_at: str
    updated_at: str


class HostGroupCreate(TypedDict):
    """A cluster of hosts that share volumes. Hosts by id or name; a host is in one group at most."""

    name: str
    hosts: NotRequired[list[str]]
    description: NotRequired[str]
    opens_without_missing_after_s: NotRequired[int | None]


class HostGroupPage(TypedDict):
    """HostGroupPage"""

    items: list[HostGroup]
    next_cursor: str | None
    total: int


class HostGroupPatch(TypedDict):
    """Changes of a group; an absent field stays. `opens_without_missing_after_s: null` takes the deadline
    away.
    """

    name: NotRequired[str | None]
    hosts: NotRequired[list[str] | None]
    description: NotRequired[str | None]
    opens_without_missing_after_s: NotRequired[int | None]


class HostKit(TypedDict):
    """A kit. Files first, then the commands in order; `check` is the command that tells whether all is
    well.
    """

    host: str
    os_type: OsType
    proof: KitProof
    files: list[KitFile]
    commands: list[KitCommand]
    check: str | None
    needs_secrets: bool
    has_secrets: bool
    warnings: list[str]
    notes: list[str]


class HostPage(TypedDict):
    """HostPage"""

    items: list[Host]
    next_cursor: str | None
    total: int


class HostPatch(TypedDict):
    """Changes of a host; an absent field stays. `chap: null` takes CHAP away, `dhchap: null` DH-HMAC-CHAP."""

    name: NotRequired[str | None]
    os_type: NotRequired[OsType | None]
    iqns: NotRequired[list[str] | None]
    wwpns: NotRequired[list[str] | None]
    nqns: NotRequired[list[str] | None]
    chap: NotRequired[Chap | None]
    dhchap: NotRequired[DhChap | None]
    description: NotRequired[str | None]
    opens_without_missing_after_s: NotRequired[int | None]


class HostPath(TypedDict):
    """One way from the host to one of its targets or subsystems."""

    target: str
    protocol: Protocol
    portal: str
    address: str | None
    initiator: str | None
    state: PathState
    words: str


class HostPaths(TypedDict):
    """All paths of a host. `sentence` says the worst of it first."""

    host: str
    state: PathState
    sentence: str
    paths: list[HostPath]
    volumes: list[VolumePaths]
    verification: PathVerification | None


class HostVerifyPaths(TypedDict):
    """Each path of the host is taken away in turn. `confirm`: the host's name."""

    confirm: str
    away_s: NotRequired[int]


class Initiator(TypedDict):
    """One that is on the fabric, logged in, or was turned away at a login over iSCSI. `words` say where it
    was seen.
    """

    name: str
    kind: InitiatorKind
    peer: str | None
    words: str
    refused_at: str | None


class InitiatorPage(TypedDict):
    """InitiatorPage"""

    items: list[Initiator]
    next_cursor: str | None
    total: int


class InspectRequest(TypedDict):
    """A targetcli configuration to be read. Nothing of it is kept."""

    saveconfig: SavedConfig


class Inspection(TypedDict):
    """Every object of a configuration with its verdict, in the order of the file."""

    fits: int
    refused: int
    findings: list[Finding]


class Interface(TypedDict):
    """A network interface. Null is what nobody tells."""

    name: str
    mac: str | None
    kind: str
    parent: str | None
    vlan_id: int | None
    master: str | None
    link: bool
    state: str
    speed_mbit_s: int | None
    mtu_bytes: int
    addresses: list[InterfaceAddress]
    configured_by: str | None
    wanted: InterfaceConfig | None
    reason: str | None
    trial_left_s: float | None
    age_s: float


class InterfaceAddress(TypedDict):
    """An address with its prefix; `dynamic`: DHCP or a router gave it. `portals` are those that listen on
    it.
    """

    address: str
    dynamic: bool
    portals: list[str]


class InterfaceChange(TypedDict):
    """Another way for an interface to be; an absent field stays. The first one says where its addresses
    come from.
    """

    role: NotRequired[InterfaceRole | None]
    dhcp: NotRequired[bool | None]
    addresses: NotRequired[list[str] | None]
    gateway: NotRequired[str | None]
    dns: NotRequired[list[str] | None]
    ntp: NotRequired[list[str] | None]
    mtu_bytes: NotRequired[int | None]
    members: NotRequired[list[str] | None]
    portals: NotRequired[list[str]]


class InterfaceConfig(TypedDict):
    """How Lunette configures it: on trial while `trial_left_s` is not null, else kept."""

    role: InterfaceRole
    dhcp: bool
    addresses: list[str]
    gateway: str | None
    dns: list[str]
    ntp: list[str]
    mtu_bytes: int | None
    made: InterfaceMade | None


class InterfaceCreate(TypedDict):
    """The wish for a VLAN or a bond."""

    role: NotRequired[InterfaceRole]
    dhcp: NotRequired[bool]
    addresses: NotRequired[list[str]]
    gateway: NotRequired[str | None]
    dns: NotRequired[list[str]]
    ntp: NotRequired[list[str]]
    mtu_bytes: NotRequired[int | None]
    name: str
    kind: InterfaceKind
    parent: NotRequired[str | None]
    vlan_id: NotRequired[int | None]
    members: NotRequired[list[str]]
    mode: NotRequired[BondMode | None]
    lacp_rate: NotRequired[LacpRate | None]
    miimon_ms: NotRequired[int | None]


class InterfaceMade(TypedDict):
    """What a VLAN or a bond of Lunette's consists of."""

    kind: InterfaceKind
    parent: str | None
    vlan_id: int | None
    members: list[str]
    mode: BondMode | None
    lacp_rate: LacpRate | None
    miimon_ms: int | None


class InterfacePage(TypedDict):
    """InterfacePage"""

    items: list[Interface]
    next_cursor: str | None
    total: int


class Job(TypedDict):
    """Long work with all its steps."""

    id: str
    kind: str
    title: str
    state: JobState
    progress_percent: float
    steps_total: int
    steps_done: int
    message: str
    resource_kind: str
    resource_ids: list[str]
    actor: str
    error: JobError | None
    undo: Undo
    created_at: str
    started_at: str | None
    finished_at: str | None
    steps: list[JobStep]


class JobError(TypedDict):
    """Why a job or a step failed."""

    type: ProblemType
    detail: str


class JobResolve(TypedDict):
    """The decision about a stuck job: retry, or abandon and leave the machine as it is."""

    how: Resolution


class JobStep(TypedDict):
    """One journaled step, in words."""

    index: int
    kind: str
    description: str
    devices: list[str]
    irreversible: bool
    state: StepState
    detail: str
    error: JobError | None
    started_at: str | None
    finished_at: str | None


class JobSummary(TypedDict):
    """Long work: `failed` changed nothing, `undone` was taken back, `stuck` needs a decision."""

    id: str
    kind: str
    title: str
    state: JobState
    progress_percent: float
    steps_total: int
    steps_done: int
    message: str
    resource_kind: str
    resource_ids: list[str]
    actor: str
    error: JobError | None
    undo: Undo
    created_at: str
    started_at: str | None
    finished_at: str | None


class JobSummaryPage(TypedDict):
    """JobSummaryPage"""

    items: list[JobSummary]
    next_cursor: str | None
    total: int


class Kept(TypedDict):
    """How many snapshots of each volume stay."""

    last: int
    hourly: int
    daily: int
    weekly: int
    monthly: int


class KitCommand(TypedDict):
    """One command for the superuser's shell. It can be repeated; where `unless` succeeds there is nothing
    to do.
    """

    run: str
    unless: str | None
    purpose: str


class KitFile(TypedDict):
    """One file to write, owned by the superuser. `mode` is octal; `is_secret`: it holds, or has room for,
    secrets.
    """

    path: str
    mode: str
    content: str
    purpose: str
    is_secret: bool


class LastRun(TypedDict):
    """The newest run: its job, and how it went."""

    job_id: str
    state: JobState
    message: str
    started_at: str
    finished_at: str | None


class Layout(TypedDict):
    """One level of one engine with these disks, in one of its layouts."""

    engine: ArrayEngine
    level: Level
    layout: Raid10Layout | None
    groups: str | None
    possible: bool
    problem: str | None
    usable_bytes: int | None
    usable_percent: float | None
    survives: str
    survives_disks: int | None
    small_write_ios: float | None
    write_hole: list[WriteHole]
    integrity_usable_bytes: int | None
    min_rebuild_s: float | None
    warnings: list[str]


class LayoutDisk(TypedDict):
    """A disk that was asked about. `problem` says why it cannot be used as it is; None if it is blank and
    free.
    """

    id: str
    size_bytes: int
    problem: str | None
    needs_wipe: bool


class Layouts(TypedDict):
    """The answer for one set of disks. `block_bytes` is the block size (volblocksize) the ZFS figures are
    for.
    """

    disks: list[LayoutDisk]
    total_bytes: int
    block_bytes: int
    layouts: list[Layout]


class LeftOut(TypedDict):
    """Something of the backup that is not restored, because hosts use what is in its way."""

    noun: str
    id: str
    words: str


class Login(TypedDict):
    """A person's credentials. `code` is of the authenticator app or a recovery code, for who has a second
    factor.
    """

    username: str
    password: str
    code: NotRequired[str | None]


class Mail(TypedDict):
    """Mail through one server."""

    server: str
    port: int
    security: MailSecurity
    user: str | None
    has_password: bool
    sender: str
    recipients: list[str]


class MailSettings(TypedDict):
    """Mail through one server. The certificate of the server is always checked. The password is never
    shown; left out, the one that is kept stays, as long as server, port and user are the same.
    """

    server: str
    port: NotRequired[int | None]
    security: NotRequired[MailSecurity]
    user: NotRequired[str | None]
    password: NotRequired[str | None]
    sender: str
    recipients: list[str]


class MappedTo(TypedDict):
    """One owner of a volume: a host or a host group, by name, and the number it sees the volume under."""

    mapping_id: str
    host: str | None
    host_group: str | None
    family: Family
    lun: int


class Mapping(TypedDict):
    """`state` tells whether the owner is served it now, `reason` why not."""

    id: str
    volume: str
    volume_id: str
    host: str | None
    host_id: str | None
    host_group: str | None
    host_group_id: str | None
    family: Family
    lun: int
    shared: bool
    target_iqn: str | None
    subsystem_nqn: str | None
    state: ExportState
    reason: str | None
    created_at: str
    updated_at: str


class MappingBatch(TypedDict):
    """Many mappings in one transaction, all or nothing."""

    mappings: NotRequired[list[MappingCreate]]
    split: NotRequired[Split | None]


class MappingCreate(TypedDict):
    """The wish to give a volume to one host or one host group. `lun` None takes the lowest free number
    from 1.
    """

    volume: str
    host: NotRequired[str | None]
    host_group: NotRequired[str | None]
    lun: NotRequired[int | None]
    family: NotRequired[Family | None]
    shared: NotRequired[bool]


class MappingList(TypedDict):
    """The mappings a batch made, in the order asked for."""

    items: list[Mapping]


class MappingPage(TypedDict):
    """MappingPage"""

    items: list[Mapping]
    next_cursor: str | None
    total: int


class Me(TypedDict):
    """Who is asking. A browser sends `csrf_token` back in X-CSRF-Token with every change; null for an API
    token.
    """

    username: str
    role: Role
    password_change_required: bool
    has_second_factor: bool
    second_factor_required: bool
    csrf_token: str | None


class NewToken(TypedDict):
    """A token just made. `token` is shown this once: send it as `Authorization: Bearer …`."""

    id: str
    name: str
    username: str
    role: Role
    expires_at: str | None
    last_used_at: str | None
    created_at: str
    token: str


class OutdatedProblem(TypedDict):
    """As a problem, and the resource as it is now, as GET answers it; null where it cannot be shown."""

    type: ProblemType
    title: str
    status: int
    detail: str
    instance: str
    errors: list[ProblemField]
    current: dict[str, Any] | None


class PasswordChange(TypedDict):
    """The own password, old and new, and a code of the second factor where there is one."""

    current_password: str
    code: NotRequired[str | None]
    new_password: str
    keep_tokens: NotRequired[bool]


class PathVerification(TypedDict):
    """What came of the last time that every path of the host was taken away in turn. `words`: path by
    path.
    """

    at: str
    is_passed: bool
    words: list[str]
    job_id: str


class Performance(TypedDict):
    """What one thing does. Times are in milliseconds; null: the kernel does not count it, or there was no
    I/O.
    """

    of: Measured
    id: str
    name: str
    host: str | None
    protocol: Protocol | None
    target: str | None
    iops: float
    read_iops: float | None
    write_iops: float | None
    read_bytes_s: float
    write_bytes_s: float
    latency_ms: float | None
    read_latency_ms: float | None
    write_latency_ms: float | None
    in_flight: int | None
    busy_percent: float | None


class PerformanceHistory(TypedDict):
    """`now` is null where nothing is measured now. The last hour at most, oldest first; without gaps
    filled.
    """

    of: Measured
    id: str
    name: str
    now: Performance | None
    points: list[PerformancePoint]


class PerformancePage(TypedDict):
    """`seconds` is the span the rates are over, null while there was only one pass. `unseen`: what is not
    counted.
    """

    items: list[Performance]
    next_cursor: str | None
    total: int
    at: str
    seconds: float | None
    unseen: list[Unseen]


class PerformancePoint(TypedDict):
    """One span of 10 s, by its end."""

    at: str
    iops: float
    read_bytes_s: float
    write_bytes_s: float
    latency_ms: float | None


class Plan(TypedDict):
    """Everything a request would do. Nothing has been changed."""

    title: str
    changes: list[PlanChange]
    steps: list[PlanStep]
    devices: list[str]
    bytes_destroyed: int
    hosts_interrupted: list[str]
    warnings: list[str]
    volumes: list[PlanVolume]
    reused: list[PlanReuse]


class PlanChange(TypedDict):
    """One line of the plan in words."""

    action: Action
    noun: str
    name: str
    detail: str


class PlanReuse(TypedDict):
    """A number that another volume had, whose device a host may still have: it would write into the new
    one.
    """

    number: str
    owner: str
    volume: str
    former: str


class PlanStep(TypedDict):
    """One step: what it does, on which devices, what is lost, and whether it can be taken back."""

    kind: str
    description: str
    devices: list[str]
    bytes_destroyed: int
    irreversible: bool


class PlanVolume(TypedDict):
    """A volume that a host loses or that is deleted, and how much it is used. Null: not counted, which is
    not zero.
    """

    name: str
    iops: float | None
    last_io_at: str | None
    busy: bool


class Portal(TypedDict):
    """A listening address. `state` tells whether it listens now, `reason` why not. Fibre Channel has no
    `port`.
    """

    id: str
    name: str
    protocol: Protocol
    engine: ExportEngine
    address: str
    port: int | None
    state: ExportState
    reason: str | None
    created_at: str
    updated_at: str


class PortalCreate(TypedDict):
    """The wish to listen on an address. `0.0.0.0` or `::` listens on every address of its family."""

    name: str
    protocol: NotRequired[Protocol]
    address: str
    port: NotRequired[int | None]
    engine: NotRequired[ExportEngine | None]


class PortalPage(TypedDict):
    """PortalPage"""

    items: list[Portal]
    next_cursor: str | None
    total: int


class Problem(TypedDict):
    """What was refused, why, and what to do next. `type` is of a closed set; `errors` names the wrong
    fields.
    """

    type: ProblemType
    title: str
    status: int
    detail: str
    instance: str
    errors: list[ProblemField]


class ProblemField(TypedDict):
    """One wrong field: where it stands in the request, what it held, which rule it broke."""

    field: str
    value: str | None
    message: str


class RdmaAddress(TypedDict):
    """An IP address that a portal over RDMA can have; `kind` is the RoCE version as the kernel says it."""

    address: str
    gid_index: int
    gid: str
    kind: str
    interface: str | None


class RdmaDevice(TypedDict):
    """One port of an RDMA device. `reason` tells why nobody gets through it; null if nothing speaks
    against it.
    """

    id: str
    interface: str | None
    link_layer: str
    state: str
    physical_state: str
    rate: str | None
    mtu_bytes: int | None
    firmware: str | None
    node_guid: str | None
    addresses: list[RdmaAddress]
    reason: str | None
    lossless: list[int] | None
    hint: str | None
    age_s: float


class RdmaDevicePage(TypedDict):
    """RdmaDevicePage"""

    items: list[RdmaDevice]
    next_cursor: str | None
    total: int


class RebuildArray(TypedDict):
    """An array with our mark that the database does not know, and what its copy would bring back."""

    name: str
    uuid: str
    appliance: str | None
    appliance_id: str | None
    generation: int | None
    written_at: str | None
    volumes: int
    mappings: int
    sealed_here: bool
    chosen: bool
    problem: str | None


class RebuildFound(TypedDict):
    """What was found on the disks, and what rebuilding from it changes."""

    arrays: list[RebuildArray]
    hosts: list[str]
    secrets_missing: list[str]
    warnings: list[str]
    changes: list[str]
    digest: str
    rebuilt: bool


class RebuildRequest(TypedDict):
    """`arrays` are names or UUIDs of arrays that were found; none: all, if all are of one appliance."""

    arrays: NotRequired[list[str]]
    degraded: NotRequired[bool]
    adopt: NotRequired[bool]
    digest: NotRequired[str | None]


class RecoveryCodes(TypedDict):
    """Codes for the loss of the authenticator app, each good for one login. They are not shown again."""

    recovery_codes: list[str]


class RestoreFound(TypedDict):
    """What is in a backup, and what restoring it changes."""

    appliance: str
    appliance_id: str
    made_at: str
    version: str
    schema_revision: str
    has_certificate: bool
    differences: list[Difference]
    still_served: list[StillServed]
    left_out: list[LeftOut]
    warnings: list[str]
    restored: bool
    kept: str | None


class RestoreRequest(TypedDict):
    """`content` is the file, as base64. `give_up` names, by id, what is served now and the backup does not
    know: it is not served any more then. Without its name nothing that is served is taken away.
    """

    content: str
    passphrase: str
    certificate: NotRequired[bool]
    give_up: NotRequired[list[str]]


class Retention(TypedDict):
    """How many snapshots of each volume stay: the newest `last`, and the newest of each of so many hours,
    days, ISO weeks and months in which there is one. Nothing is deleted by age, so a clock that is
    wrong deletes nothing.
    """

    last: NotRequired[int]
    hourly: NotRequired[int]
    daily: NotRequired[int]
    weekly: NotRequired[int]
    monthly: NotRequired[int]


class Saveconfig(TypedDict):
    """All that LIO serves for us as `targetctl restore` and targetcli read it (rtslib-fb 2.1 and later)."""

    document: dict[str, Any]
    has_secrets: bool
    left_out: list[str]


class SavedAcl(TypedDict):
    """SavedAcl"""

    node_wwn: str
    attributes: NotRequired[dict[str, Any]]
    mapped_luns: NotRequired[list[SavedMappedLun]]
    chap_userid: NotRequired[str | None]
    chap_password: NotRequired[str | None]
    chap_mutual_userid: NotRequired[str | None]
    chap_mutual_password: NotRequired[str | None]


class SavedAluaGroup(TypedDict):
    """SavedAluaGroup"""

    name: str
    alua_access_state: NotRequired[int | None]


class SavedConfig(TypedDict):
    """A `saveconfig.json` as targetcli and targetctl write it."""

    storage_objects: NotRequired[list[SavedStore]]
    targets: NotRequired[list[SavedTarget]]
    fabric_modules: NotRequired[list[SavedFabric]]


class SavedFabric(TypedDict):
    """SavedFabric"""

    name: str
    discovery_enable_auth: NotRequired[bool | None]


class SavedGroup(TypedDict):
    """A target portal group."""

    tag: NotRequired[int]
    enable: NotRequired[bool | None]
    attributes: NotRequired[dict[str, Any]]
    luns: NotRequired[list[SavedLun]]
    portals: NotRequired[list[SavedPortal]]
    node_acls: NotRequired[list[SavedAcl]]


class SavedLun(TypedDict):
    """SavedLun"""

    index: int
    storage_object: str
    alua_tg_pt_gp_name: NotRequired[str | None]


class SavedMappedLun(TypedDict):
    """`index` is the number the host sees, `tpg_lun` that of the portal group."""

    index: int
    tpg_lun: int
    write_protect: NotRequired[bool | None]


class SavedPortal(TypedDict):
    """SavedPortal"""

    ip_address: str
    port: int
    iser: NotRequired[bool | None]
    offload: NotRequired[bool | None]


class SavedStore(TypedDict):
    """A backstore."""

    name: str
    plugin: str
    dev: NotRequired[str | None]
    wwn: NotRequired[str | None]
    readonly: NotRequired[bool | None]
    exclusive: NotRequired[bool | None]
    attributes: NotRequired[dict[str, Any]]
    alua_tpgs: NotRequired[list[SavedAluaGroup]]


class SavedTarget(TypedDict):
    """SavedTarget"""

    wwn: str
    fabric: str
    tpgs: NotRequired[list[SavedGroup]]


class Schedule(TypedDict):
    """What is done by the clock. `when` is in `time_zone`; `next_runs` are empty while it is disabled."""

    id: str
    name: str
    description: str
    action: ScheduleAction
    volumes: list[str]
    volume_ids: list[str]
    arrays: list[str]
    array_ids: list[str]
    when: str
    time_zone: str
    keep: Kept | None
    snapshot_name: str
    missed: MissedRuns
    enabled: bool
    snapshots: int
    next_runs: list[str]
    last_run: LastRun | None
    created_at: str
    updated_at: str


class ScheduleCreate(TypedDict):
    """The wish for a schedule. Volumes and arrays are named by id or name; `when` is in the appliance's
    time zone.
    """

    name: str
    action: ScheduleAction
    volumes: NotRequired[list[str]]
    arrays: NotRequired[list[str]]
    when: str
    keep: NotRequired[Retention | None]
    snapshot_name: NotRequired[str]
    missed: NotRequired[MissedRuns]
    enabled: NotRequired[bool]
    description: NotRequired[str]


class SchedulePage(TypedDict):
    """SchedulePage"""

    items: list[Schedule]
    next_cursor: str | None
    total: int


class SchedulePatch(TypedDict):
    """Changes of a schedule; an absent field stays. What it does (`action`) is fixed."""

    name: NotRequired[str | None]
    volumes: NotRequired[list[str] | None]
    arrays: NotRequired[list[str] | None]
    when: NotRequired[str | None]
    keep: NotRequired[Retention | None]
    snapshot_name: NotRequired[str | None]
    missed: NotRequired[MissedRuns | None]
    enabled: NotRequired[bool | None]
    description: NotRequired[str | None]


class SecondFactorOffer(TypedDict):
    """A second factor that begins to be asked for once a code of it is shown. It is not shown again."""

    secret: str
    address: str


class Session(TypedDict):
    """An initiator logged in now."""

    id: str
    host: str | None
    host_id: str | None
    initiator: str
    protocol: Protocol
    target_iqn: str | None
    target_wwpn: str | None
    subsystem_nqn: str | None
    portal: str | None
    peer: str | None
    state: str
    since: str | None
    read_bytes: int | None
    write_bytes: int | None
    commands: int | None
    queue_depth: int | None
    can_disconnect: bool
    stays_because: str | None
    age_s: float


class SessionPage(TypedDict):
    """`unseen` tells what the list leaves out: it is never to be taken for no sessions."""

    items: list[Session]
    next_cursor: str | None
    total: int
    unseen: list[Unseen]


class Settings(TypedDict):
    """All settings. `name` is null where the host name is used."""

    name: str | None
    time_zone: str
    session_hours: int
    second_factor_required: bool
    history_days: int
    deleted_keep_hours: int
    number_held_hours: int
    disk_health_minutes: int
    short_test_days: int
    long_test_days: int
    mail: Mail | None
    webhook: Webhook | None
    syslog: Syslog | None
    heartbeat: str | None
    trusted_ca: str | None
    firewall: FirewallMode | None
    discovery_auth: DiscoveryLogin | None
    deliveries: list[DeliveryState]
    updated_at: str


class SettingsPatch(TypedDict):
    """Changes of the settings; an absent field stays, and null takes away what can be without."""

    name: NotRequired[str | None]
    time_zone: NotRequired[str | None]
    session_hours: NotRequired[int | None]
    second_factor_required: NotRequired[bool | None]
    history_days: NotRequired[int | None]
    deleted_keep_hours: NotRequired[int | None]
    number_held_hours: NotRequired[int | None]
    disk_health_minutes: NotRequired[int | None]
    short_test_days: NotRequired[int | None]
    long_test_days: NotRequired[int | None]
    mail: NotRequired[MailSettings | None]
    webhook: NotRequired[WebhookSettings | None]
    syslog: NotRequired[SyslogSettings | None]
    heartbeat: NotRequired[str | None]
    trusted_ca: NotRequired[str | None]
    firewall: NotRequired[FirewallMode | None]
    discovery_auth: NotRequired[DiscoveryAuth | None]


class Site(TypedDict):
    """The document. A section that is left out is not looked at."""

    format: NotRequired[Literal[1]]
    arrays: NotRequired[list[SiteArray] | None]
    volumes: NotRequired[list[SiteVolume] | None]
    hosts: NotRequired[list[SiteHost] | None]
    host_groups: NotRequired[list[SiteHostGroup] | None]
    portals: NotRequired[list[PortalCreate] | None]
    fc_ports: NotRequired[list[FcPortCreate] | None]
    mappings: NotRequired[list[MappingCreate] | None]
    schedules: NotRequired[list[SiteSchedule] | None]
    settings: NotRequired[SettingsPatch | None]


class SiteArray(TypedDict):
    """SiteArray"""

    name: str
    engine: NotRequired[ArrayEngine]
    level: Level
    disks: list[str]
    chunk_bytes: NotRequired[int | None]
    layout: NotRequired[Raid10Layout | None]
    write_hole: NotRequired[WriteHole | None]
    wipe: NotRequired[list[Any]]
    write_mostly: NotRequired[list[str]]
    spares: NotRequired[list[str]]
    spare_group: NotRequired[str | None]
    log: NotRequired[list[str]]
    cache: NotRequired[list[str]]
    special: NotRequired[list[str]]
    group_data_disks: NotRequired[int | None]
    distributed_spares: NotRequired[int | None]
    sync_speed_min_bytes_s: NotRequired[int | None]
    sync_speed_max_bytes_s: NotRequired[int | None]
    group_thread_cnt: NotRequired[int | None]
    stripe_cache_size: NotRequired[int | None]
    skip_copy: NotRequired[bool | None]
    scheduler: NotRequired[Scheduler | None]
    health_command: NotRequired[str | None]
    integrity: NotRequired[bool]
    encryption: NotRequired[Encryption | None]
    passphrase: NotRequired[str | None]
    keep_key: NotRequired[bool]


class SiteChap(TypedDict):
    """CHAP of a host. A secret that is left out stays as the appliance keeps it; no export shows one."""

    user: str
    secret: NotRequired[str | None]
    mutual_user: NotRequired[str | None]
    mutual_secret: NotRequired[str | None]


class SiteDhChap(TypedDict):
    """DH-HMAC-CHAP of a host. A key that is left out stays as the appliance keeps it; no export shows one."""

    secret: NotRequired[str | None]
    is_mutual: NotRequired[bool | None]
    mutual_secret: NotRequired[str | None]
    hash: NotRequired[DhHash]
    dh_group: NotRequired[DhGroup]


class SiteHost(TypedDict):
    """`chap: null` takes CHAP away, `dhchap: null` DH-HMAC-CHAP; without the field each stays as it is."""

    name: str
    os_type: NotRequired[OsType]
    iqns: NotRequired[list[str]]
    wwpns: NotRequired[list[str]]
    nqns: NotRequired[list[str]]
    chap: NotRequired[SiteChap | None]
    dhchap: NotRequired[SiteDhChap | None]
    description: NotRequired[str]
    opens_without_missing_after_s: NotRequired[int | None]
    renamed_from: NotRequired[str | None]


class SiteHostGroup(TypedDict):
    """A host group."""

    name: str
    hosts: NotRequired[list[str]]
    description: NotRequired[str]
    opens_without_missing_after_s: NotRequired[int | None]
    renamed_from: NotRequired[str | None]


class SiteRequest(TypedDict):
    """A document to be compared or applied. Without `scope` all of it counts; nothing goes but what
    `destroy` names.
    """

    site: Site
    scope: NotRequired[list[str]]
    destroy: NotRequired[list[str]]


class SiteSchedule(TypedDict):
    """A schedule."""

    name: str
    action: ScheduleAction
    volumes: NotRequired[list[str]]
    arrays: NotRequired[list[str]]
    when: str
    keep: NotRequired[Retention | None]
    snapshot_name: NotRequired[str]
    missed: NotRequired[MissedRuns]
    enabled: NotRequired[bool]
    description: NotRequired[str]
    renamed_from: NotRequired[str | None]


class SiteVolume(TypedDict):
    """A volume. A larger size grows it; a smaller one is refused."""

    name: str
    array: str
    size_bytes: int | str
    provisioning: NotRequired[Provisioning]
    description: NotRequired[str]
    renamed_from: NotRequired[str | None]


class Snapshot(TypedDict):
    """A volume as it was. `size_bytes` is what the volume had then."""

    id: str
    name: str
    description: str
    volume: str
    volume_id: str
    size_bytes: int
    state: ResourceState
    created_at: str
    updated_at: str


class SnapshotBatch(TypedDict):
    """A snapshot of each of many volumes, all or nothing."""

    volumes: list[str]
    name: NotRequired[str]
    description: NotRequired[str]
    atomic: NotRequired[bool]


class SnapshotClone(TypedDict):
    """Writable volumes that begin as a snapshot, all or nothing: one by `name`, or `count` by
    `name_pattern`.
    """

    name: NotRequired[str | None]
    name_pattern: NotRequired[str | None]
    count: NotRequired[int]
    first: NotRequired[int]
    description: NotRequired[str]


class SnapshotCreate(TypedDict):
    """The wish for a snapshot of one volume, named by the volume's id or name."""

    name: str
    volume: str
    description: NotRequired[str]


class SnapshotPage(TypedDict):
    """SnapshotPage"""

    items: list[Snapshot]
    next_cursor: str | None
    total: int


class SnapshotRecover(TypedDict):
    """The wish to have a deleted snapshot back; under another name where its own was given to a snapshot
    since.
    """

    name: NotRequired[str | None]


class Split(TypedDict):
    """The split template of a batch. The number of volumes must be a multiple of the number of hosts."""

    volumes: list[str]
    hosts: list[str]
    family: NotRequired[Family | None]


class Status(TypedDict):
    """The appliance at a glance."""

    health: HealthState
    sentence: str
    name: str
    version: str
    appliance_id: str
    addresses: list[str]
    exports: ExportsStatus
    agent: AgentStatus
    counts: Counts


class StillServed(TypedDict):
    """Something that is served now and unknown to the backup: it stays served, unless `give_up` names its
    id.
    """

    kind: ReleaseKind
    id: str
    words: str


class Syslog(TypedDict):
    """A log server, or the own log."""

    transport: SyslogTransport
    server: str | None
    port: int | None


class SyslogSettings(TypedDict):
    """A log server (RFC 5424), or the appliance's own log. The certificate of a TLS server is always
    checked.
    """

    transport: NotRequired[SyslogTransport]
    server: NotRequired[str | None]
    port: NotRequired[int | None]


class ThinPool(TypedDict):
    """What thin volumes and snapshots share. Used sizes are null while the array is down."""

    size_bytes: int
    used_bytes: int | None
    metadata_bytes: int
    metadata_used_bytes: int | None
    volumes: int


class Token(TypedDict):
    """An API token for automation; its secret was shown once, when it was made."""

    id: str
    name: str
    username: str
    role: Role
    expires_at: str | None
    last_used_at: str | None
    created_at: str


class TokenCreate(TypedDict):
    """The wish for an API token. `role` None takes the own one."""

    name: str
    role: NotRequired[Role | None]
    expires_days: NotRequired[int | None]


class TokenPage(TypedDict):
    """TokenPage"""

    items: list[Token]
    next_cursor: str | None
    total: int


class Undo(TypedDict):
    """Whether a change can be undone, and why not. Today's state may still be in the way: a dry run says
    so.
    """

    possible: bool
    reason: str | None
    undone_by: int | None


class Unseen(TypedDict):
    """Sessions over one family that may be there and cannot be listed, with the reason."""

    family: Family
    reason: str


class Update(TypedDict):
    """What runs and what would be started next. `reason`: why there are no updates here."""

    available: bool
    reason: str | None
    on_trial: bool
    slots: list[UpdateSlot]
    last: UpdateTrial | None
    trusts: str | None
    outage_s: float | None


class UpdateBundle(TypedDict):
    """A bundle that was uploaded, and is signed by somebody who is trusted."""

    id: str
    version: str
    size_bytes: int
    is_older: bool


class UpdateCreate(TypedDict):
    """An update to the bundle that was uploaded."""

    bundle: str
    downgrade: NotRequired[bool]


class UpdateFetch(TypedDict):
    """A bundle that a web server has. Its signature is what is trusted, not the server."""

    url: str


class UpdateSlot(TypedDict):
    """One slot. Null is an empty one, or one that was not written to its end."""

    name: Literal["a", "b"]
    version: str | None
    running: bool
    next: bool


class UpdateTrial(TypedDict):
    """The last time the other slot was to be started. `reason`: why it failed."""

    version: str
    slot: Literal["a", "b"]
    state: TrialState
    reason: str | None


class User(TypedDict):
    """A person who may log in."""

    id: str
    username: str
    role: Role
    password_change_required: bool
    has_second_factor: bool
    created_at: str
    updated_at: str


class UserCreate(TypedDict):
    """The wish for a user. The password given here must be changed at the first login."""

    username: str
    password: str
    role: NotRequired[Literal["viewer", "operator", "administrator"]]


class UserPage(TypedDict):
    """UserPage"""

    items: list[User]
    next_cursor: str | None
    total: int


class UserPatch(TypedDict):
    """Changes of a user; an absent field stays."""

    role: NotRequired[Literal["viewer", "operator", "administrator"] | None]
    password: NotRequired[str | None]
    keep_tokens: NotRequired[bool]
    remove_second_factor: NotRequired[bool]


class Volume(TypedDict):
    """A slice of an array. `export` tells whether hosts are served from it now."""

    id: str
    name: str
    description: str
    array: str
    array_id: str
    size_bytes: int
    provisioning: Provisioning
    can_snapshot: bool
    state: ResourceState
    uuid: str
    serial: str
    naa: str
    nguid: str
    eui64: str
    mapped_to: list[MappedTo]
    export: Export
    observed: VolumeObserved | None
    created_at: str
    updated_at: str


class VolumeBatch(TypedDict):
    """Many volumes in one transaction, all or nothing. Names follow a printf pattern: `lun%02d` -> lun01,
    lun02 …
    """

    array: str
    name_pattern: str
    count: int
    first: NotRequired[int]
    size_bytes: int | str
    provisioning: NotRequired[Provisioning]
    description: NotRequired[str]


class VolumeCreate(TypedDict):
    """The wish for one volume on an array, named by the array's id or name."""

    name: str
    array: str
    size_bytes: int | str
    provisioning: NotRequired[Provisioning]
    description: NotRequired[str]


class VolumeDeleteBatch(TypedDict):
    """The wish to delete many volumes in one plan, all or nothing."""

    volumes: list[str]


class VolumeGrow(TypedDict):
    """The wish to make a volume larger. Hosts keep using it meanwhile; a volume never gets smaller."""

    size_bytes: int | str


class VolumeObserved(TypedDict):
    """What the machine says about a volume, and how old that is."""

    age_s: float
    device: str
    size_bytes: int
    active: bool
    open: bool | None
    sealed: bool
    used_bytes: int | None
    block_bytes: int | None


class VolumePage(TypedDict):
    """VolumePage"""

    items: list[Volume]
    next_cursor: str | None
    total: int


class VolumePatch(TypedDict):
    """Changes of a volume that touch no data."""

    name: NotRequired[str | None]
    description: NotRequired[str | None]


class VolumePaths(TypedDict):
    """One volume of the host: how many paths there should be, and how many are known to be there."""

    volume: str
    lun: int
    family: Family
    expected: int
    seen: int | None
    state: PathState
    words: str


class VolumeRecover(TypedDict):
    """The wish to have a deleted volume back; under another name where its own was given to a volume
    since.
    """

    name: NotRequired[str | None]


class VolumeRollBack(TypedDict):
    """The wish to have a volume as it was in one of its snapshots, by id or name."""

    snapshot: str
    keep: NotRequired[bool]


class VolumeWhy(TypedDict):
    """Why a volume is or is not where it should be: one chain for each host asked about."""

    volume: str
    chains: list[WhyChain]


class Webhook(TypedDict):
    """An address that is sent JSON; signed where it has a secret. `url` is scheme, host and port;
    `has_path` tells that the address has a path or a query, which are never shown.
    """

    url: str
    has_path: bool
    has_secret: bool


class WebhookSettings(TypedDict):
    """An address that is sent each message as JSON by POST. Its path and query are secrets, for they often
    hold a token: only scheme, host and port are shown. Given like that, without a slash at the end, the
    stored address stays if it is of the same server. With a secret, each message is signed with it
    (HMAC-SHA256). The secret is never shown; left out, the one that is kept stays, as long as the
    address is the same.
    """

    url: str
    secret: NotRequired[str | None]


class WhyChain(TypedDict):
    """The way to one host. `sentence` names the first broken link; `host` is null where the volume is for
    nobody.
    """

    host: str | None
    sentence: str
    links: list[WhyLink]


class WhyLink(TypedDict):
    """One link, and in `words` what it is like or what is wrong and what to do."""

    part: Part
    state: LinkState
    words: str
