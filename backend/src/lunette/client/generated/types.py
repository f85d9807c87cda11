"""The shapes of what the API takes and answers. Made from backend/openapi.json by `make generate`; do not edit."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

from lunette.client.generated.enums import (
    Action,
    AlertFamily,
    AlertNoun,
    ArrayEngine,
    ArrayHealth,
    ArrayVerb,
    BondMode,
    CapacityTrend,
    Channel,
    Convergence,
    DhGroup,
    DhHash,
    DiskHealthState,
    DiskState,
    DriftKind,
    Encryption,
    EngineAbility,
    EventOutcome,
    ExportEngine,
    ExportFormat,
    ExportState,
    Family,
    FcMode,
    FirewallMode,
    FirewallState,
    HealthState,
    HistoryRange,
    HostConnection,
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
    RemedyAction,
    Resolution,
    ResourceState,
    Role,
    RowChange,
    ScheduleAction,
    Scheduler,
    ScrubAction,
    SearchField,
    SearchMatch,
    SearchNoun,
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
    "AlertNoun",
    "AlertObject",
    "AlertPage",
    "AlertSilence",
    "AlertTest",
    "Array",
    "ArrayAddDisks",
    "ArrayAddSpares",
    "ArrayCapacity",
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
    "BackupSettings",
    "BackupState",
    "BackupTarget",
    "BondMode",
    "CapacityDay",
    "CapacityTrend",
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
    "DeletedSnapshotBatch",
    "DeletedSnapshotPage",
    "DeletedVolume",
    "DeletedVolumeBatch",
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
    "DiskLocateRequest",
    "DiskPage",
    "DiskSeat",
    "DiskSelfTest",
    "DiskSelfTests",
    "DiskSignature",
    "DiskState",
    "DiskWipeRequest",
    "Drift",
    "DriftKind",
    "DriftReport",
    "Encryption",
    "Engine",
    "EngineAbility",
    "EngineLacking",
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
    "FormerPlace",
    "Health",
    "HealthState",
    "HistoryRange",
    "Host",
    "HostConnection",
    "HostCreate",
    "HostDeleteBatch",
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
    "MappingDeleteBatch",
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
    "PerformanceCourse",
    "PerformanceHistory",
    "PerformancePage",
    "Plan",
    "PlanChange",
    "PlanReuse",
    "PlanStep",
    "PlanVolume",
    "PortProtocol",
    "Portal",
    "PortalCreate",
    "PortalPage",
    "PortalPatch",
    "Problem",
    "ProblemBlocker",
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
    "Remedy",
    "RemedyAction",
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
    "SchedulePreview",
    "Scheduler",
    "ScrubAction",
    "SearchField",
    "SearchMatch",
    "SearchNoun",
    "SearchResult",
    "SearchResults",
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
    "SnapshotDeleteBatch",
    "SnapshotPage",
    "SnapshotRecover",
    "Split",
    "Status",
    "StepState",
    "StillServed",
    "StoredBackup",
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
    """Browser login that has not expired."""

    id: str
    """Unique ID of the login."""
    username: str
    """Username of the user that is logged in."""
    role: Role
    """Role of the user that is logged in."""
    address: str | None
    """IP address from which the user logged in. `null` if the address is not known."""
    is_own: bool
    """Whether the request itself uses this login."""
    created_at: str
    """When the user logged in, in UTC."""
    expires_at: str
    """When the login expires, in UTC."""


class ActiveLoginPage(TypedDict):
    """One page of a list."""

    items: list[ActiveLogin]
    """Entries on this page."""
    next_cursor: str | None
    """Cursor of the next page. `null` on the last page."""
    total: int
    """Number of entries on all pages."""


class AdoptRequest(TypedDict):
    """Running iSCSI targets and NVMe subsystems to adopt."""

    targets: NotRequired[list[str]]
    """IQNs of the targets and NQNs of the subsystems to adopt. If omitted or empty, all that can be
        adopted.
        """


class AdoptionAnswer(TypedDict):
    """Plan of an adoption, and the result for every object. Nothing has been changed."""

    title: str
    """Title of the change."""
    changes: list[PlanChange]
    """Objects that the request creates, changes, interrupts or destroys."""
    steps: list[PlanStep]
    """Steps in the order in which they run."""
    devices: list[str]
    """IDs of all disks that the steps act on."""
    bytes_destroyed: int
    """Amount of data that all steps destroy, in bytes."""
    hosts_interrupted: list[str]
    """Names of the hosts whose access is interrupted."""
    warnings: list[str]
    """Warnings about risks and side effects."""
    volumes: list[PlanVolume]
    """Volumes that are deleted or that hosts lose, with their current use."""
    reused: list[PlanReuse]
    """LUNs and namespace IDs under which hosts may still have the devices of other volumes."""
    targets: list[str]
    """IQNs of the targets and NQNs of the subsystems that are adopted, each with all that belongs to it."""
    findings: list[Finding]
    """Result for every object. Objects that fit are adopted; for the others, the finding gives the reason
        and the action to take.
        """


class AgentStatus(TypedDict):
    """Whether the storage agent answers."""

    answers: bool
    """Whether the agent answers."""
    reason: str | None
    """Why the agent does not answer; `null` if it does."""
    age_s: float | None
    """Age of the agent's last observation in seconds; `null` if there is none."""


class Alert(TypedDict):
    """A condition that needs attention, with its cause and the action to take."""

    id: str
    """Unique ID of the alert."""
    key: str
    """Unique key of the condition, such as `array.health:<id>`. The same condition always has the same
        alert.
        """
    family: AlertFamily | None
    """Area of the alert, which is the first part of its key; `null` for an alert that only an earlier
        release raises.
        """
    about: AlertObject | None
    """Object that the alert is about; `null` if it is about the whole appliance, or if the object no
        longer exists.
        """
    severity: Severity
    """Severity of the alert: `info`, `warning` or `critical`."""
    message: str
    """Short description of the condition."""
    cause: str
    """Cause of the condition."""
    fix: str
    """Recommended action."""
    remedy: Remedy | None
    """The recommended action as data. `null` if none is known, if the alert is resolved, or if several are
        possible.
        """
    raised_at: str
    """When the alert was last raised, in UTC."""
    resolved_at: str | None
    """When the condition ended, in UTC; `null` while the alert is active."""
    acknowledged_at: str | None
    """When the alert was acknowledged, in UTC; `null` if the alert is not acknowledged."""
    acknowledged_by: str | None
    """User or API token that acknowledged the alert; `null` if the alert is not acknowledged."""
    note: str
    """Note of the acknowledgement; empty if there is none."""
    silenced_until: str | None
    """Time until which no notifications of the alert are sent, in UTC; `null` if the alert is not
        silenced.
        """


class AlertAcknowledge(TypedDict):
    """Acknowledgement of an active alert, valid until the alert is resolved or its severity rises."""

    note: NotRequired[str]
    """Note on the acknowledgement, such as the person in charge or the planned action. If omitted, the
        note is empty.
        """


class AlertObject(TypedDict):
    """The object that an alert is about."""

    noun: AlertNoun
    """Kind of the object."""
    id: str
    """ID of the object, by which `ref` of the list finds its alerts."""
    name: str
    """Name of the object; the ID of a disk, the WWPN of an FC port and the title of a job."""


class AlertPage(TypedDict):
    """One page of a list."""

    items: list[Alert]
    """Entries on this page."""
    next_cursor: str | None
    """Cursor of the next page. `null` on the last page."""
    total: int
    """Number of entries on all pages."""


class AlertSilence(TypedDict):
    """Suppression of the notifications of an alert for a limited time."""

    duration_s: int
    """Duration in seconds, from one minute to 365 days. Also applies if the condition recurs, and ends
        early if the severity rises.
        """


class AlertTest(TypedDict):
    """Results of a test message over every configured channel."""

    results: list[ChannelTest]
    """One result per configured channel."""


class Array(TypedDict):
    """Redundancy over disks, created by an array engine."""

    id: str
    """Unique ID of the array."""
    name: str
    """Unique name of the array."""
    engine: ArrayEngine
    """Array engine that runs the array."""
    level: Level
    """Level of the array. During a change of the level, the previous level."""
    state: ResourceState
    """State of the array in Lunette."""
    health: ArrayHealth
    """Observed health of the array."""
    uuid: str
    """UUID of the array on its disks; for a ZFS pool, the GUID of the pool."""
    usable_bytes: int
    """Capacity of the array for volumes in bytes: without redundancy, the padding of ZFS and the space
        that the engine reserves.
        """
    used_bytes: int | None
    """Part of `usable_bytes` that volumes, snapshots and the thin pool use; `null` if unknown."""
    free_bytes: int | None
    """Rest of `usable_bytes`, free for volumes; `null` if unknown."""
    thin_pool: ThinPool | None
    """Thin pool of an LVM-based array. `null` on ZFS pools, before the first thin volume is created, and
        if unknown.
        """
    chunk_bytes: int | None
    """Chunk size in bytes; `null` for an array without chunks, such as a mirror or a ZFS pool."""
    layout: Raid10Layout | None
    """Arrangement of the copies of an MD RAID `raid10`; `null` for any other array."""
    write_mostly: list[str]
    """IDs of the disks of an MD RAID `raid1` that are read only if no other disk has the data."""
    group_data_disks: int | None
    """dRAID only: requested number of data disks in each group; `null` if automatic. The observed `layout`
        shows the number in effect.
        """
    distributed_spares: int | None
    """dRAID only: requested number of distributed spares; `null` if automatic, which is one for every 20
        disks, rounded up.
        """
    write_hole: WriteHole
    """Desired protection against the write hole. The observed `write_hole` shows the protection in effect:
        `bitmap` instead of `ppl` while a disk has an active volatile write cache.
        """
    growing: bool
    """Whether a growth or a change of the level is not complete yet, because the reshape, the protection
        against the write hole or the new space for volumes is pending.
        """
    sync_speed_min_bytes_s: int | None
    """Minimum speed of a resync, rebuild or scrub in bytes per second and disk, even under load; `null`
        for the default of the kernel.
        """
    sync_speed_max_bytes_s: int | None
    """Maximum speed of a resync, rebuild or scrub in bytes per second and disk, even without load; `null`
        for the default of the kernel.
        """
    group_thread_cnt: int | None
    """Number of threads per NUMA node that compute parity, as set for the array; `null` if automatic."""
    stripe_cache_size: int | None
    """Number of stripes in the stripe cache, as set for the array; `null` if automatic."""
    skip_copy: bool | None
    """Whether full pages are written directly from the memory of the request, as set for the array; `null`
        if automatic.
        """
    scheduler: Scheduler | None
    """I/O scheduler of the member disks, as set for the array; `null` if automatic."""
    spare_group: str | None
    """Spare group of the array; `null` if the array is in no spare group."""
    health_command: str | None
    """Name of the command that reports the health of an external array; `null` if there is none."""
    integrity: bool
    """Whether every disk has checksums, so that corrupt blocks are repaired from the other disks."""
    encryption: Encryption | None
    """Method of encryption of all data on the array; `null` if the array is not encrypted."""
    keep_key: bool
    """Whether the appliance stores a key of its own and unlocks the array at every start."""
    locked: bool | None
    """Whether the encrypted array waits for its key, so that its volumes are not served. `null` if the
        array is not encrypted, or if unknown.
        """
    tuning: list[ArrayTuningValue]
    """All tuning values of the array, set or automatic; empty while the array does not run."""
    members: list[ArrayMember]
    """Disks of the array, including spares and log, cache and special disks."""
    volumes: int
    """Number of volumes on the array."""
    deleted_bytes: int
    """Space in bytes that deleted volumes use on the array until they are erased."""
    observed: ArrayObserved | None
    """Array as observed on the machine; `null` if the machine does not report the array."""
    created_at: str
    """When the array was created or adopted, in UTC."""
    updated_at: str
    """When the record of the array was last changed, in UTC."""


class ArrayAddDisks(TypedDict):
    """Log, cache or special disks to add to a ZFS pool."""

    role: Literal["log", "cache", "special"]
    """Role of the new disks."""
    disks: list[str]
    """IDs of the disks to add. Log and special disks join the existing mirror of their role, which has 4
        disks at most.
        """
    wipe: NotRequired[list[str]]
    """IDs of those `disks` that may be wiped, which destroys their data. A disk with signatures that is
        not listed is refused.
        """


class ArrayAddSpares(TypedDict):
    """Spares to add to an MD RAID array or a ZFS pool."""

    disks: list[str]
    """IDs of the disks to add as spares. On a degraded array, the rebuild onto the first disk starts
        immediately.
        """
    wipe: NotRequired[list[str]]
    """IDs of those `disks` that may be wiped, which destroys their data. A disk with signatures that is
        not listed is refused.
        """


class ArrayCapacity(TypedDict):
    """Capacity of an array from day to day, and its trend."""

    days: list[CapacityDay]
    """Recorded days, at most 730, oldest first. Days on which the array was not observed are omitted."""
    trend: CapacityTrend
    """Direction of the used space over the last 30 days: a straight line by least squares."""
    bytes_per_day: int | None
    """Mean growth of the used space in bytes per day, negative if it shrinks. `null` if unknown."""
    full_on: str | None
    """Day on which the array is full if the growth continues. `null` unless the used space grows and the
        array is full within 10 years.
        """


class ArrayCreate(TypedDict):
    """Array to create."""

    name: str
    """Unique name of the array."""
    engine: NotRequired[ArrayEngine]
    """Array engine that runs the array."""
    level: Level
    """Level of the array. The list of engines shows the levels of each engine."""
    disks: list[str]
    """IDs of the data disks, as the list of disks shows them."""
    chunk_bytes: NotRequired[int | str | None]
    """MD RAID and LVM RAID, except `raid1`: chunk size in bytes, a power of two. If omitted, 64 KiB."""
    layout: NotRequired[Raid10Layout | None]
    """MD RAID `raid10` only: arrangement of the copies. If omitted, `n2`. An array with a far layout
        (`f2`, `f3`) cannot grow.
        """
    write_hole: NotRequired[WriteHole | None]
    """Protection against the write hole. If omitted, `ppl` for MD RAID `raid5` with up to 64 disks of
        which none has an active volatile write cache, `bitmap` for any other redundant array of MD RAID and
        for LVM RAID. ZFS pools always have `copy_on_write`.
        """
    wipe: NotRequired[list[str]]
    """IDs of those disks in this request that may be wiped, which destroys their data. A disk with
        signatures that is not listed is refused.
        """
    write_mostly: NotRequired[list[str]]
    """MD RAID `raid1` only: IDs of those `disks` that are read only if no other disk has the data, such as
        slower or remote disks.
        """
    spares: NotRequired[list[str]]
    """MD RAID and ZFS, except levels without redundancy: IDs of the spares. The first spare replaces a
        failed data disk automatically.
        """
    spare_group: NotRequired[str | None]
    """MD RAID only, except `raid0`: name of the spare group. A degraded array without a spare receives a
        spare of another array in the group.
        """
    log: NotRequired[list[str]]
    """ZFS pools only: IDs of the log disks, which receive synchronous writes first. Several log disks form
        one mirror.
        """
    cache: NotRequired[list[str]]
    """ZFS pools only: IDs of the cache disks, which store copies of frequently read data. Each disk adds
        capacity. The loss of a cache disk loses no data.
        """
    special: NotRequired[list[str]]
    """ZFS pools only: IDs of the special disks, which store the metadata of the pool in one mirror. The
        mirror must survive as many disk failures as the data disks. The pool needs special disks as long as
        the pool exists.
        """
    group_data_disks: NotRequired[int | None]
    """dRAID only: number of data disks in each group. If omitted, the number that suits blocks of 16 KiB:
        4 on disks with 4 KiB sectors, fewer if the array has few disks.
        """
    distributed_spares: NotRequired[int | None]
    """dRAID only: number of distributed spares, whose space is spread over all disks. If omitted, one for
        every 20 disks, rounded up.
        """
    sync_speed_min_bytes_s: NotRequired[int | str | None]
    """MD RAID only, except `raid0`: minimum speed of a resync, rebuild or scrub in bytes per second and
        disk, even under load. If omitted, the default of the kernel.
        """
    sync_speed_max_bytes_s: NotRequired[int | str | None]
    """MD RAID only, except `raid0`: maximum speed of a resync, rebuild or scrub in bytes per second and
        disk, even without load. If omitted, the default of the kernel.
        """
    group_thread_cnt: NotRequired[int | None]
    """MD RAID 4, 5 and 6 only: number of threads per NUMA node that compute parity, in addition to the
        thread of the array. If omitted, an automatic value.
        """
    stripe_cache_size: NotRequired[int | None]
    """MD RAID 4, 5 and 6 only: number of stripes in the stripe cache, each 4 KiB of memory for each disk.
        If omitted, an automatic value.
        """
    skip_copy: NotRequired[bool | None]
    """MD RAID 4, 5 and 6 only: whether full pages are written directly from the memory of the request
        instead of from a copy. If omitted, an automatic value.
        """
    scheduler: NotRequired[Scheduler | None]
    """MD RAID only: I/O scheduler of the member disks. If omitted, the automatic scheduler for each disk."""
    health_command: NotRequired[str | None]
    """External arrays only: name of the command on the appliance that reports the health of the array. If
        omitted, the health is unknown.
        """
    integrity: NotRequired[bool]
    """LVM RAID only: whether every disk has checksums (dm-integrity with a journal). Corrupt blocks on a
        disk are then repaired from the other disks. Checksums do not detect corruption on the way to the
        disk, and every write is written twice.
        """
    encryption: NotRequired[Encryption | None]
    """MD RAID only: method of encryption of all data on the array. Requires `passphrase`. Encryption
        cannot be enabled or disabled later. If omitted, the array is not encrypted.
        """
    passphrase: NotRequired[str | None]
    """Encrypted arrays only: passphrase that unlocks the array, here and on any Linux machine; 12 to 512
        printable characters. Lunette does not store the passphrase. Without the passphrase and without a
        stored key, the data is lost.
        """
    keep_key: NotRequired[bool]
    """Encrypted arrays only: whether the appliance stores a key of its own and unlocks the array at every
        start. The data on removed disks stays protected, but not the data on a stolen appliance.
        """


class ArrayDiskChoice(TypedDict):
    """One disk of an array."""

    disk: str
    """ID of the disk. A missing disk has the ID that the array shows for it."""


class ArrayForceStart(TypedDict):
    """Confirmation to start an MD RAID array that is dirty and degraded."""

    confirm: str
    """Name of the array, as confirmation. Blocks can be corrupt afterward, and nothing shows which ones."""


class ArrayForget(TypedDict):
    """Confirmation to delete the records of a permanently lost array and of its volumes, snapshots and
    mappings.
    """

    confirm: str
    """Name of the array, as confirmation. The records cannot be restored."""


class ArrayGrow(TypedDict):
    """Disks to add to an MD RAID array as members."""

    disks: list[str]
    """IDs of the disks to add. A mirror gains copies; any other level gains capacity."""
    wipe: NotRequired[list[str]]
    """IDs of those `disks` that may be wiped, which destroys their data. A disk with signatures that is
        not listed is refused.
        """


class ArrayKeyChange(TypedDict):
    """Changes the keys of an encrypted array. Fields that are omitted change nothing."""

    passphrase: str
    """Current passphrase of the array."""
    new_passphrase: NotRequired[str | None]
    """New passphrase of the array, 12 to 512 printable characters. If omitted or `null`, the passphrase
        stays unchanged.
        """
    keep_old: NotRequired[bool]
    """Whether the current passphrase remains valid as a second passphrase, for recovery. Requires
        `new_passphrase`.
        """
    keep_key: NotRequired[bool | None]
    """Whether the appliance stores a key of its own and unlocks the array at every start. If omitted or
        `null`, the setting stays unchanged.
        """


class ArrayMember(TypedDict):
    """A disk of an array."""

    disk_id: str
    """ID of the disk."""
    serial: str
    """Serial number of the disk; empty if the disk has none."""
    role: MemberRole
    """Role of the disk in the array."""
    slot: int | None
    """Number of the slot of a data disk. `null` for a disk without a slot, such as a spare, a log disk or
        a lost disk.
        """
    state: str
    """State of the disk in the array: `in_sync`, `rebuilding`, `replacing` (filled while the disk to be
        replaced still works), `spare`, `faulty`, `missing` or `unknown`.
        """
    leaving: bool
    """Whether the disk is being replaced. The disk becomes free when its replacement is complete."""


class ArrayObserved(TypedDict):
    """An array as observed on the machine, with the age of the observation."""

    age_s: float
    """Age of the observation in seconds."""
    device: str | None
    """Block device of the array; `null` for a ZFS pool, and while the array does not run."""
    level: str
    """Current level. During a change of the level, the `level` of the array itself is still the previous
        one.
        """
    write_hole: WriteHole
    """Protection against the write hole that is in effect. The partial parity log is off while an array
        grows.
        """
    layout: str | None
    """Layout in effect: the arrangement of the copies of a `raid10`, or the dRAID layout in the notation
        of zpool, such as `draid2:4d:11c:1s`. `left-symmetric-6` or similar for a `raid6` that was a `raid5`
        and has all of the second parity on one disk. `null` for any other array.
        """
    survives_disks: int | None
    """Number of further disks that the array can lose, whichever they are. `null` if unknown: while the
        array does not run, has failed or is being synchronized, and for an external array.
        """
    free_distributed_spares: int | None
    """dRAID only: number of distributed spares that are not in use. `null` for any other array."""
    progress: ArrayProgress | None
    """Progress of the running resync, rebuild, scrub or reshape; `null` if none runs."""
    mismatch_count: int | None
    """Number of sectors that differed in the last scrub; for ZFS, and LVM RAID with checksums, the number
        of checksum errors. `null` if unknown.
        """
    last_scrub: str | None
    """Last scrub, resync or rebuild: `check`, `repair`, `resync` or `recover`. A scrub of a ZFS pool is a
        `check`, which also repairs errors. `null` if unknown.
        """
    health_words: str | None
    """Message of the health command of an external array, or the reason why there is none. `null` without
        a health command.
        """
    dirty_degraded: bool
    """Whether the array is dirty and degraded, and therefore stays stopped: the array was being written to
        when it stopped, lacks a disk, and has no partial parity log.
        """


class ArrayPage(TypedDict):
    """One page of a list."""

    items: list[Array]
    """Entries on this page."""
    next_cursor: str | None
    """Cursor of the next page. `null` on the last page."""
    total: int
    """Number of entries on all pages."""


class ArrayPatch(TypedDict):
    """Changes to the speed limits, the tuning and other settings of an array. Fields that are omitted stay
    unchanged.
    """

    group_thread_cnt: NotRequired[int | None]
    """Number of threads per NUMA node that compute parity, in addition to the thread of the array. RAID 4,
        5 and 6 only. `null` selects the automatic value.
        """
    stripe_cache_size: NotRequired[int | None]
    """Number of stripes in the stripe cache, each 4 KiB of memory for each disk. RAID 4, 5 and 6 only.
        `null` selects the automatic value.
        """
    skip_copy: NotRequired[bool | None]
    """Whether full pages are written directly from the memory of the request instead of from a copy. RAID
        4, 5 and 6 only. `null` selects the automatic value.
        """
    scheduler: NotRequired[Scheduler | None]
    """I/O scheduler of the member disks. `null` selects the automatic scheduler for each disk."""
    sync_speed_min_bytes_s: NotRequired[int | str | None]
    """MD RAID only: minimum speed of a resync, rebuild or scrub in bytes per second and disk, even under
        load. `null` restores the default of the kernel.
        """
    sync_speed_max_bytes_s: NotRequired[int | str | None]
    """MD RAID only: maximum speed of a resync, rebuild or scrub in bytes per second and disk, even without
        load. `null` restores the default of the kernel.
        """
    write_mostly: NotRequired[list[str] | None]
    """MD RAID `raid1` only: IDs of all disks of the array that are read only if no other disk has the
        data. Replaces the current list; `null` or an empty list clears the list.
        """
    spare_group: NotRequired[str | None]
    """MD RAID only, except `raid0`: name of the spare group, whose arrays share their spares. `null`
        removes the array from its spare group.
        """
    health_command: NotRequired[str | None]
    """External arrays only: name of the command on the appliance that reports the health of the array.
        With `null`, the health is unknown.
        """


class ArrayProgress(TypedDict):
    """Progress of a running resync, rebuild, scrub or reshape. Speed and remaining time are estimates of
    the kernel.
    """

    action: str
    """Running action: `resync`, `recover` (rebuild), `check` or `repair` (scrub), `reshape`, or
        `integrity` (first computation of checksums).
        """
    percent: float
    """Completed part of the action in percent."""
    rate_bytes_s: int | None
    """Speed in bytes per second; `null` if unknown."""
    left_s: float | None
    """Estimated remaining time in seconds; `null` if unknown."""


class ArrayRelease(TypedDict):
    """Confirmation to release an MD RAID array, without changing its data."""

    confirm: str
    """Name of the array, as confirmation. Hosts cannot access the volumes of the array afterward."""


class ArrayReplace(TypedDict):
    """Replacement of a disk of an array by another disk."""

    disk: str
    """ID of the disk to replace. The disk can be working, faulty or missing."""
    new: str
    """ID of the new disk."""
    wipe: NotRequired[list[str]]
    """ID of the new disk if it may be wiped, which destroys its data. A disk with signatures that is not
        listed is refused.
        """


class ArrayReshape(TypedDict):
    """Change of an MD RAID array to another level, with one more disk."""

    level: Level
    """New level of the array. `raid5` can be changed to `raid6`; the list of engines shows the possible
        levels (`becomes`).
        """
    disks: NotRequired[list[str]]
    """ID of the disk that the new level needs in addition. If omitted, a spare of the array is used."""
    wipe: NotRequired[list[str]]
    """IDs of those `disks` that may be wiped, which destroys their data. A disk with signatures that is
        not listed is refused.
        """


class ArrayScrub(TypedDict):
    """Scrub of an array to start or stop."""

    action: NotRequired[ScrubAction]
    """Whether to start a check or a repair, or to stop the running scrub."""


class ArrayTuningValue(TypedDict):
    """One tuning value of an array, in the notation of the kernel."""

    name: TuningName
    """Name of the tuning value."""
    value: str | None
    """Desired value, which is set now and at every start; `null` if the kernel decides."""
    automatic: bool
    """Whether the value is automatic. If `false`, the value was set for the array."""
    why: str
    """Reason for the value."""
    observed: str | None
    """Value in effect; `null` if the kernel does not report a value."""


class ArrayUnlock(TypedDict):
    """Unlocks an encrypted array until the array stops or the appliance restarts."""

    passphrase: str
    """Passphrase of the array. A wrong passphrase is refused and changes nothing."""


class BackupRequest(TypedDict):
    """Request for a backup of the appliance's configuration."""

    passphrase: str
    """Passphrase that encrypts the backup, of 12 to 256 characters."""
    certificate: NotRequired[bool]
    """Whether the backup includes the certificate with its private key."""


class BackupSettings(TypedDict):
    """Settings of scheduled backups, which are stored on a WebDAV server over HTTPS."""

    url: str
    """HTTPS address of an existing folder on the WebDAV server. It is shown to every user, so it must not
        be secret.
        """
    user: NotRequired[str | None]
    """User name for the login to the server (HTTP basic authentication). If omitted, requests have no
        login.
        """
    password: NotRequired[str | None]
    """Password of the user. Never returned."""
    passphrase: NotRequired[str | None]
    """Passphrase that encrypts the backups, of 12 to 256 characters. Never returned."""
    when: NotRequired[str]
    """Cron expression with minute, hour, day of month, month and weekday, in the time zone of the
        appliance.
        """
    keep: NotRequired[int]
    """Number of backups to retain on the server."""
    certificate: NotRequired[bool]
    """Whether the backups include the certificate with its private key."""


class BackupState(TypedDict):
    """State of the scheduled backups."""

    next_run_at: str
    """When the next backup is created, in UTC. A failed backup is repeated every 15 minutes."""
    last_tried_at: str | None
    """When the last backup was attempted, in UTC. `null` if none was attempted."""
    trouble: str | None
    """Reason why the last backup was not stored. `null` if it was stored."""
    untidy: str | None
    """Reason why older backups could not be deleted. `null` if they could."""
    stored: list[StoredBackup]
    """Backups that the appliance stored in this folder and has not deleted, the newest first."""


class BackupTarget(TypedDict):
    """Settings of scheduled backups. Password and passphrase are never returned."""

    url: str
    """HTTPS address of the folder on the WebDAV server."""
    user: str | None
    """User name for the login to the server. `null` if requests have no login."""
    has_password: bool
    """Whether a password for the server is stored."""
    has_passphrase: bool
    """Whether the passphrase that encrypts the backups is stored."""
    when: str
    """Cron expression with minute, hour, day of month, month and weekday, in the time zone of the
        appliance.
        """
    keep: int
    """Number of backups to retain on the server."""
    certificate: bool
    """Whether the backups include the certificate with its private key."""


class CapacityDay(TypedDict):
    """Capacity of an array on one day."""

    day: str
    """Day in UTC."""
    used_bytes: int
    """Space given to volumes, snapshots and thin pools in bytes, at the last measurement of the day."""
    usable_bytes: int
    """Capacity of the array for volumes in bytes."""


class Certificate(TypedDict):
    """Certificate of the web page and the API."""

    subject: str
    """Distinguished name of the subject (RFC 4514)."""
    issuer: str
    """Distinguished name of the issuer (RFC 4514)."""
    names: list[str]
    """Host names and IP addresses for which the certificate is valid."""
    not_before: str
    """When the certificate becomes valid, in UTC."""
    not_after: str
    """When the certificate expires, in UTC."""
    fingerprint: str
    """SHA-256 fingerprint, as the console and browsers show it."""
    self_signed: bool
    """Whether issuer and subject are the same."""
    chain: int
    """Number of issuer certificates that the server sends with the certificate."""
    replaceable: bool
    """Whether the certificate can be replaced over the API."""
    previous: CertificateFacts | None
    """Previous certificate, which a revert restores. `null` if there is none."""


class CertificateFacts(TypedDict):
    """Contents of a certificate."""

    subject: str
    """Distinguished name of the subject (RFC 4514)."""
    issuer: str
    """Distinguished name of the issuer (RFC 4514)."""
    names: list[str]
    """Host names and IP addresses for which the certificate is valid."""
    not_before: str
    """When the certificate becomes valid, in UTC."""
    not_after: str
    """When the certificate expires, in UTC."""
    fingerprint: str
    """SHA-256 fingerprint, as the console and browsers show it."""
    self_signed: bool
    """Whether issuer and subject are the same."""
    chain: int
    """Number of issuer certificates that the server sends with the certificate."""


class CertificateReplace(TypedDict):
    """Replacement of the certificate of the web page and the API."""

    certificate: str
    """Certificates in PEM form: the server's own first, then the certificate of each issuer in order."""
    private_key: str
    """Unencrypted private key of the server's certificate in PEM form. Never returned."""


class ChannelTest(TypedDict):
    """Result of a test message over one channel."""

    channel: Channel
    """Channel of the test message."""
    accepted: bool
    """Whether the test message was accepted. For syslog, only sending is checked: servers send no reply."""
    detail: str
    """Response of the server, or the reason why the test message was not accepted."""


class Chap(TypedDict):
    """CHAP credentials of a host. With `mutual_*`, the appliance also authenticates itself to the host."""

    user: str
    """User name that the host must present."""
    secret: str
    """Secret that the host must present, 12 to 16 printable ASCII characters."""
    mutual_user: NotRequired[str | None]
    """User name that the appliance presents to the host. Required together with `mutual_secret`. If
        omitted or `null`, the appliance does not authenticate itself.
        """
    mutual_secret: NotRequired[str | None]
    """Secret that the appliance presents to the host, 12 to 16 printable ASCII characters. Must differ
        from `secret`. Required together with `mutual_user`.
        """


class ChapUsers(TypedDict):
    """CHAP user names of a host. The secrets are never returned."""

    user: str
    """User name that the host must present."""
    mutual_user: str | None
    """User name that the appliance presents to the host. `null` if the appliance does not authenticate
        itself.
        """


class Counts(TypedDict):
    """Number of objects of each kind."""

    disks: int | None
    """Number of disks; `null` while the agent does not answer."""
    arrays: int
    """Number of arrays."""
    volumes: int
    """Number of volumes."""
    hosts: int
    """Number of hosts."""
    host_groups: int
    """Number of host groups."""
    portals: int
    """Number of portals."""
    mappings: int
    """Number of mappings."""
    sessions: int | None
    """Number of sessions; `null` while the agent does not answer or cannot list all sessions."""
    running_jobs: int
    """Number of jobs that are pending or running."""
    stuck_jobs: int
    """Number of stuck jobs."""
    alerts: int
    """Number of active alerts."""
    critical_alerts: int
    """Number of active alerts of severity `critical`."""
    warning_alerts: int
    """Number of active alerts of severity `warning`."""
    unacknowledged_alerts: int
    """Number of active alerts of severity `critical` or `warning` that are not acknowledged."""


class DeletedSnapshot(TypedDict):
    """A deleted snapshot. A recovery restores the snapshot with its data and ID."""

    id: str
    """Unique ID of the snapshot, which the snapshot retains when it is recovered."""
    name: str
    """Name of the snapshot when it was deleted."""
    description: str
    """Description of the snapshot."""
    volume: str
    """Name of the volume of the snapshot, or the former name if the volume is deleted too."""
    volume_id: str
    """Unique ID of the volume of the snapshot."""
    volume_deleted: bool
    """Whether the volume is deleted too. The volume must then be recovered before the snapshot."""
    size_bytes: int
    """Size in bytes that the volume had when the snapshot was taken."""
    state: ResourceState
    """State of the deleted snapshot: `ready`, `changing` (being recovered), `deleting` (being erased) or
        `stuck`.
        """
    deleted_at: str
    """When the snapshot was deleted, in UTC."""
    erase_at: str
    """When the snapshot is erased, in UTC, unless its volume is erased earlier. Time while the appliance
        does not run does not count, so the snapshot may be erased later.
        """
    created_at: str
    """When the snapshot was taken, in UTC."""
    updated_at: str
    """When the record of the deleted snapshot was last changed, in UTC."""


class DeletedSnapshotBatch(TypedDict):
    """Deleted snapshots to recover or erase as one job, all or none."""

    deleted_snapshots: list[str]
    """IDs of the deleted snapshots, or their names if the names are unique."""


class DeletedSnapshotPage(TypedDict):
    """One page of a list."""

    items: list[DeletedSnapshot]
    """Entries on this page."""
    next_cursor: str | None
    """Cursor of the next page. `null` on the last page."""
    total: int
    """Number of entries on all pages."""


class DeletedVolume(TypedDict):
    """A deleted volume. A recovery restores the volume with its data, ID and identity."""

    id: str
    """Unique ID of the volume, which the volume retains when it is recovered."""
    name: str
    """Name of the volume when it was deleted. Several deleted volumes can have the same name."""
    description: str
    """Description of the volume."""
    array: str
    """Name of the array."""
    array_id: str
    """Unique ID of the array."""
    size_bytes: int
    """Size of the volume in bytes."""
    held_bytes: int
    """Space that the deleted volume uses on the array, in bytes."""
    provisioning: Provisioning
    """Whether the volume is `thick` or `thin`."""
    state: ResourceState
    """State of the deleted volume: `ready`, `changing` (being recovered), `deleting` (being erased) or
        `stuck`.
        """
    uuid: str
    """UUID of the volume. NVMe hosts see the UUID."""
    serial: str
    """Unit serial number of the volume. SCSI hosts see the serial number."""
    naa: str
    """NAA identifier of the volume, derived from the serial number. SCSI hosts see the NAA."""
    nguid: str
    """NGUID of the volume. NVMe hosts see the NGUID. All zeros if hosts see none, because the volume was
        adopted from a subsystem that showed none.
        """
    eui64: str
    """EUI-64 of the volume. Hosts do not see the EUI-64."""
    deleted_at: str
    """When the volume was deleted, in UTC."""
    erase_at: str
    """When the volume is erased, in UTC. Time while the appliance does not run does not count, so the
        volume may be erased later.
        """
    created_at: str
    """When the volume was created, in UTC."""
    updated_at: str
    """When the record of the deleted volume was last changed, in UTC."""


class DeletedVolumeBatch(TypedDict):
    """Deleted volumes to recover or erase as one job, all or none."""

    deleted_volumes: list[str]
    """IDs of the deleted volumes, or their names if the names are unique."""


class DeletedVolumePage(TypedDict):
    """One page of a list."""

    items: list[DeletedVolume]
    """Entries on this page."""
    next_cursor: str | None
    """Cursor of the next page. `null` on the last page."""
    total: int
    """Number of entries on all pages."""


class DeliveryState(TypedDict):
    """State of the delivery of messages over one channel."""

    channel: Channel
    """Channel of the messages."""
    waiting: int
    """Number of messages that wait for delivery."""
    trouble: str | None
    """Reason why the last attempt to deliver the oldest waiting message failed."""
    last_told_at: str | None
    """When a message was last delivered, in UTC."""


class DhChap(TypedDict):
    """DH-HMAC-CHAP keys of an NVMe host and, optionally, of the appliance."""

    secret: str
    """Key of the host in the form `DHHC-1:…`, as `nvme gen-dhchap-key` prints it."""
    mutual_secret: NotRequired[str | None]
    """Key of the appliance, in the same form. Must differ from `secret`."""
    hash: NotRequired[DhHash]
    """Hash of the exchange. Has no effect with the export engine `spdk`, which negotiates the hash."""
    dh_group: NotRequired[DhGroup]
    """Diffie-Hellman group of the exchange. Has no effect with the export engine `spdk`, which negotiates
        the group.
        """


class DhChapAsked(TypedDict):
    """DH-HMAC-CHAP settings of a host. The keys are never returned."""

    hash: DhHash
    """Hash function of the authentication."""
    dh_group: DhGroup
    """Diffie-Hellman group of the authentication. The group named `null` is authentication without key
        exchange.
        """
    is_mutual: bool
    """Whether the appliance also authenticates itself to the host."""


class Difference(TypedDict):
    """Object that a restore returns, changes or forgets."""

    noun: str
    """Kind of the object, such as `volume`."""
    name: str
    """Name of the object."""
    change: RowChange
    """Change to the object."""


class DiscoveryAuth(TypedDict):
    """CHAP login that a host must pass before the appliance lists its iSCSI targets."""

    user: str
    """CHAP user name with which hosts authenticate."""
    secret: NotRequired[str | None]
    """CHAP secret of the hosts, of 12 to 16 characters. Not returned with the settings."""
    mutual_user: NotRequired[str | None]
    """CHAP user name with which the appliance authenticates. If omitted, only hosts authenticate."""
    mutual_secret: NotRequired[str | None]
    """CHAP secret of the appliance, of 12 to 16 characters. Must differ from `secret`. Not returned with
        the settings.
        """


class DiscoveryLogin(TypedDict):
    """CHAP login that a host must pass before the appliance lists its iSCSI targets."""

    user: str
    """CHAP user name with which hosts authenticate."""
    has_secret: bool
    """Whether the CHAP secret of the hosts is stored."""
    mutual_user: str | None
    """CHAP user name with which the appliance authenticates. `null` if only hosts authenticate."""
    has_mutual_secret: bool
    """Whether the CHAP secret of the appliance is stored."""


class Disk(TypedDict):
    """A physical drive, identified by its stable ID."""

    id: str
    """Stable ID of the disk."""
    state: DiskState
    """How the disk is used."""
    serial: str
    """Serial number of the disk. Empty if not reported."""
    model: str | None
    """Manufacturer and model of the disk. `null` if the disk is missing."""
    transport: Transport | None
    """How the disk is attached. `null` if the disk is missing."""
    size_bytes: int | None
    """Size of the disk in bytes. `null` if the disk is missing."""
    array: str | None
    """Name of the array to which the disk belongs. `null` if the disk belongs to no array."""
    array_id: str | None
    """Unique ID of the array to which the disk belongs. `null` if the disk belongs to no array."""
    slot: int | None
    """Position of the disk in the order in which disks were added to the array. `null` if the disk belongs
        to no array.
        """
    occupied_by: str | None
    """Why the disk cannot be used as it is. `null` if the disk is free or belongs to an array."""
    wipeable: bool
    """Whether an explicit wipe can free the disk for use. A wipe destroys what the disk carries."""
    health: DiskHealth | None
    """Health of the disk. `null` if the disk is missing."""
    observed: DiskHardware | None
    """Hardware properties and content of the disk. `null` if the disk is missing."""
    age_s: float | None
    """Age of the observation in seconds. `null` if nothing has been observed."""


class DiskDay(TypedDict):
    """Health of a drive on one day in UTC."""

    day: str
    """Day of the readings, in UTC."""
    serial: str
    """Serial number of the drive."""
    state: DiskHealthState
    """Health of the drive at the last reading of the day."""
    hottest_c: int | None
    """Highest temperature of the day in °C. `null` if not reported."""
    read_at: str
    """When the last reading of the day was taken, in UTC."""
    values: DiskHealthValues
    """Health values of the last reading of the day."""


class DiskErrorRecovery(TypedDict):
    """How long a SATA drive tries to read a bad sector."""

    is_limitable: bool
    """Whether the drive accepts a time limit for error recovery (SCT Error Recovery Control)."""
    limit_s: float | None
    """Seconds after which the drive stops trying and reports the bad sector. `null` if the drive has no
        limit.
        """
    wait_s: int | None
    """Seconds after which the kernel aborts a command and resets the drive. `null` if unknown."""


class DiskHardware(TypedDict):
    """Hardware properties and content of a disk, as observed on the machine."""

    device: str
    """Kernel device of the disk, such as `/dev/sda`. The device can change at a restart."""
    paths: list[str]
    """Kernel devices through which the drive is reached. Devices other than `device` are listed as
        separate disks that cannot be used, or belong to the multipath device in `device`.
        """
    wwn: str | None
    """WWN, EUI-64 or NGUID of the disk. `null` if not reported."""
    firmware: str | None
    """Firmware version of the drive. `null` if not reported."""
    rotational: bool
    """Whether the drive has rotating media."""
    logical_block_bytes: int
    """Logical block size in bytes."""
    physical_block_bytes: int
    """Physical block size in bytes."""
    write_cache: bool
    """Whether the drive has an active volatile write cache according to the kernel."""
    power_loss_protection: bool | None
    """Whether acknowledged writes survive a power cut, because no volatile write cache is active. `null`
        if unknown.
        """
    numa_node: int | None
    """NUMA node to which the drive is attached. `null` if unknown."""
    place: DiskSeat
    """Physical location of the drive."""
    links: list[str]
    """All names of the disk below `/dev/disk/by-id`."""
    partitions: int
    """Number of partitions on the disk."""
    signatures: list[DiskSignature]
    """Signatures on the disk."""
    holders: list[str]
    """Kernel devices built on the disk, such as `md127`."""
    mounts: list[str]
    """Mount points of the disk and its partitions."""
    fabric: bool
    """Whether the disk is a volume of another system, reached over a fabric. Lunette never uses such a
        disk.
        """


class DiskHealth(TypedDict):
    """Health of a disk, as reported by the drive."""

    state: DiskHealthState
    """Health of the disk in one word."""
    reasons: list[DiskHealthReason]
    """Problems with the health of the disk, most serious first."""
    values: DiskHealthValues
    """Health values that the drive last reported."""
    read_at: str | None
    """When the drive last reported its health, in UTC. `null` if no report has been read yet."""
    is_asleep: bool
    """Whether the drive was asleep at the last query. Health queries do not wake a drive."""
    problem: str | None
    """Why the health could not be read, or only in part. `null` if the health was read completely."""
    error_recovery: DiskErrorRecovery | None
    """Error recovery settings of a SATA drive. `null` for other drives and if unknown."""
    self_tests: DiskSelfTests | None
    """Self-tests of the drive. `null` if the drive has no self-test log."""


class DiskHealthReason(TypedDict):
    """A problem with the health of a disk. Each problem also raises an alert."""

    kind: str
    """Kind of the problem, such as `wear` or `temperature`. The kind stays the same while the problem
        lasts.
        """
    severity: Severity
    """Severity of the problem."""
    message: str
    """Description of the problem with the values that were read."""


class DiskHealthValues(TypedDict):
    """Health values that a drive reports."""

    temperature_c: int | None
    """Temperature in °C. `null` if not reported."""
    temperature_warning_c: int | None
    """Warning limit of the temperature in °C, set by the manufacturer. `null` if not reported."""
    temperature_critical_c: int | None
    """Critical limit of the temperature in °C, set by the manufacturer. `null` if not reported."""
    available_spare_percent: int | None
    """Spare capacity left, in percent (NVMe). `null` if not reported."""
    available_spare_threshold_percent: int | None
    """Minimum spare capacity in percent, set by the manufacturer (NVMe). `null` if not reported."""
    used_percent: int | None
    """Share of the rated lifetime used, in percent. The value can exceed 100. `null` if not reported."""
    power_on_hours: int | None
    """Number of hours for which the drive has been powered on. `null` if not reported."""
    unsafe_shutdowns: int | None
    """Number of times the drive lost power without a shutdown (NVMe). `null` if not reported."""
    written_bytes: int | None
    """Number of bytes written to the drive over its lifetime. `null` if not reported."""
    media_errors: int | None
    """Number of data errors that the drive could not correct (NVMe and SAS). `null` if not reported."""
    reallocated_sectors: int | None
    """Number of sectors that the drive has replaced with spare sectors (SATA). `null` if not reported."""
    pending_sectors: int | None
    """Number of unstable sectors that wait for reallocation (SATA). `null` if not reported."""
    uncorrectable_sectors: int | None
    """Number of sectors that the drive could not correct (SATA). `null` if not reported."""
    grown_defects: int | None
    """Number of defects that developed after manufacture (SAS). `null` if not reported."""
    interface_errors: int | None
    """Number of transmission errors between the appliance and a SATA or SAS drive, usually caused by a
        cable or backplane. SAS drives count from power-on. `null` if not reported.
        """
    error_log_entries: int | None
    """Number of commands that failed over the lifetime of the drive, including commands that the drive
        rightly refused (NVMe). `null` if not reported.
        """


class DiskHistory(TypedDict):
    """Health of a drive day by day."""

    disk: str
    """Stable ID of the disk."""
    days: list[DiskDay]
    """Daily records, newest first, for the retention period of the history."""


class DiskLocateRequest(TypedDict):
    """A request to switch the locate light of the disk's bay on or off."""

    off: NotRequired[bool]
    """Whether the light is switched off. If omitted, the light is switched on."""


class DiskPage(TypedDict):
    """One page of a list."""

    items: list[Disk]
    """Entries on this page."""
    next_cursor: str | None
    """Cursor of the next page. `null` on the last page."""
    total: int
    """Number of entries on all pages."""


class DiskSeat(TypedDict):
    """Physical location of a drive."""

    pci_address: str | None
    """PCI address of an NVMe drive, or of the controller of any other drive. `null` if not reported."""
    pci_slot: str | None
    """Mainboard slot with this PCI address. `null` if not reported."""
    enclosure: str | None
    """ID of the SCSI enclosure of the drive. `null` if the drive is in no known enclosure."""
    bay: str | None
    """Name of the enclosure bay of the drive. `null` if the drive is in no known enclosure."""
    is_located: bool | None
    """Whether the locate light of the bay is on. `null` if the bay has no light that Lunette can switch."""


class DiskSelfTest(TypedDict):
    """An entry in the self-test log of a drive."""

    kind: SelfTestKind
    """Kind of the self-test."""
    result: SelfTestResult
    """Result of the self-test."""
    hours: int | None
    """Power-on hours of the drive at the time of the self-test. `null` if not reported."""
    lba: int | None
    """Address (LBA) of the first block that failed. `null` if not reported."""
    words: str
    """Result of the self-test in the words of smartctl."""


class DiskSelfTests(TypedDict):
    """Self-tests of a drive."""

    is_running: bool
    """Whether a self-test is running now."""
    refused: str | None
    """Why the last self-test that was due did not start. `null` if no self-test was refused."""
    log: list[DiskSelfTest]
    """Entries of the self-test log, newest first."""


class DiskSignature(TypedDict):
    """A signature on a disk, such as a file system, a partition table, an MD superblock or an LVM label."""

    type: str
    """Type of the signature, such as `ext4` or `linux_raid_member`. `unreadable` if the disk cannot be
        read.
        """
    label: str | None
    """Label in the signature. `null` if the signature has no label."""
    uuid: str | None
    """UUID in the signature. `null` if the signature has no UUID."""


class DiskWipeRequest(TypedDict):
    """A request to wipe or erase a disk. This is irreversible."""

    method: WipeMethod
    """How the disk is wiped or erased."""
    confirm: str
    """Serial number of the disk, as confirmation."""
    signatures: NotRequired[list[str]]
    """Types of signatures to destroy although the disk may be part of an array, pool or volume group or be
        encrypted, such as `linux_raid_member`. A disk with such a signature that is not listed is refused.
        """


class Drift(TypedDict):
    """One difference between desired and observed state."""

    kind: DriftKind
    """Kind of the difference."""
    noun: str
    """Kind of the object, such as `array`."""
    name: str
    """Name of the object."""
    words: str
    """Description of the difference."""
    fix: str
    """Recommended action."""
    is_repaired: bool
    """Whether the appliance corrects the difference automatically, and retries until it succeeds."""


class DriftReport(TypedDict):
    """All differences between desired and observed state."""

    items: list[Drift]
    """Differences, the most serious kinds first."""
    complete: bool
    """Whether all parts of the machine could be inspected."""
    unseen: list[str]
    """Parts that could not be inspected, each with the reason."""
    repaired: int | None
    """Number of kernel objects that the agent changed in its last comparison; 0 if all exports were
        correct. `null` if there was no comparison yet.
        """


class Engine(TypedDict):
    """Capabilities of one engine on this machine."""

    engine: str
    """Name of the engine, such as `md` or `nvmet`."""
    kind: str
    """Kind of the engine: `array`, `volume` or `export`."""
    available: bool
    """Whether the engine can be used on this machine."""
    reason: str | None
    """Why the engine is not available; `null` if it is."""
    levels: list[EngineLevel]
    """Levels that an array engine offers; empty for other engines."""
    can_grow: bool
    """Whether a volume engine can grow volumes."""
    can_thin: bool
    """Whether a volume engine can create thin volumes."""
    can_snapshot: bool
    """Whether a volume engine can create snapshots."""
    can_snapshot_thick: bool
    """Whether thick volumes can have snapshots, in addition to thin volumes."""
    can_snapshot_together: bool
    """Whether snapshots of several volumes of one array can be taken at the same moment."""
    can_qos: bool
    """Whether the engine can limit the I/O of single volumes."""
    reservations: bool
    """Whether an export engine supports persistent reservations, which cluster nodes use to lock shared
        volumes.
        """
    compare_and_write: bool
    """Whether an export engine supports atomic compare-and-write, which ESXi uses to lock shared
        datastores.
        """
    protocols: list[str]
    """Protocols that an export engine can serve on this machine now; empty for other engines."""
    lacking: list[EngineLacking]
    """Abilities that the engine does not have on this machine, each with the reason."""
    encryption: list[Encryption]
    """Encryption methods that an array engine offers for new arrays on this machine."""
    health_commands: list[str]
    """Names of the commands on this machine that report the health of arrays of this engine."""
    needs: list[str]
    """Tools and kernel modules that the engine uses."""


class EngineLacking(TypedDict):
    """An ability that an engine does not have on this machine."""

    ability: EngineAbility
    """The ability that is not available."""
    reason: str
    """Why the ability is not available, and what to do."""


class EngineLevel(TypedDict):
    """One level that an array engine offers, with its limits and costs."""

    level: Level
    """Name of the level."""
    min_disks: int
    """Minimum number of disks."""
    max_disks: int
    """Maximum number of disks."""
    survives_failures: str
    """Number of failed disks that an array of this level survives, in words, such as `one disk`."""
    small_write_ios: float
    """Number of disk I/Os that one random write of 4 KiB causes, for the smallest array of this level."""
    write_hole: list[WriteHole]
    """Available protections against a power loss between data and parity writes, the default first."""
    verbs: list[ArrayVerb]
    """Changes that an existing array of this level supports, other than deletion."""
    layouts: list[Raid10Layout]
    """Available arrangements of the copies, the default first; empty if there is no choice."""
    roles: list[MemberRole]
    """Roles that disks can have in addition to the role of data disks."""
    becomes: list[Level]
    """Levels to which an existing array of this level can be changed."""
    options: list[str]
    """Request fields that apply to the creation of an array of this level, in addition to name, engine,
        level, disks and wipe.
        """


class EnginePage(TypedDict):
    """One page of a list."""

    items: list[Engine]
    """Entries on this page."""
    next_cursor: str | None
    """Cursor of the next page. `null` on the last page."""
    total: int
    """Number of entries on all pages."""


class Event(TypedDict):
    """One entry of the numbered event log."""

    seq: int
    """Number of the event; later events have higher numbers."""
    at: str
    """When the event was recorded, in UTC."""
    kind: str
    """Kind of the event as noun and verb, such as `volume.created`."""
    noun: str
    """Kind of the resource that the event is about, such as `volume`."""
    ref: str | None
    """ID of the resource that the event is about; `null` if the event is about none or several."""
    actor: str
    """User, API token or schedule that caused the event, such as `admin` or `token:backup`; `system` for
        automatic events.
        """
    message: str
    """Description of the event."""
    outcome: EventOutcome
    """Outcome of the change that the event reports."""
    job_id: str | None
    """Unique ID of the job whose start, result or objects the event reports; `null` for other events."""


class EventDetail(TypedDict):
    """One entry of the event log, with the plan of its change and whether the change can be undone."""

    seq: int
    """Number of the event; later events have higher numbers."""
    at: str
    """When the event was recorded, in UTC."""
    kind: str
    """Kind of the event as noun and verb, such as `volume.created`."""
    noun: str
    """Kind of the resource that the event is about, such as `volume`."""
    ref: str | None
    """ID of the resource that the event is about; `null` if the event is about none or several."""
    actor: str
    """User, API token or schedule that caused the event, such as `admin` or `token:backup`; `system` for
        automatic events.
        """
    message: str
    """Description of the event."""
    outcome: EventOutcome
    """Outcome of the change that the event reports."""
    job_id: str | None
    """Unique ID of the job whose start, result or objects the event reports; `null` for other events."""
    changes: list[PlanChange]
    """Changes in the plan; empty if the event has no plan."""
    hosts_interrupted: list[str]
    """Names of the hosts that the change interrupted, according to the plan."""
    warnings: list[str]
    """Warnings of the plan."""
    undo: Undo
    """Whether the change can be undone."""


class EventPage(TypedDict):
    """One page of a list."""

    items: list[Event]
    """Entries on this page."""
    next_cursor: str | None
    """Cursor of the next page. `null` on the last page."""
    total: int
    """Number of entries on all pages."""


class Export(TypedDict):
    """Whether an object is served to hosts now, and the reason if it is not."""

    state: ExportState
    """State of the export."""
    reason: str | None
    """Explanation of the state, such as the volumes that are missing. `null` if no explanation is needed."""


class ExportsStatus(TypedDict):
    """How far the served exports match the desired state."""

    state: Convergence
    """State of the exports in comparison with the desired state."""
    wanted_generation: int
    """Generation number of the desired state."""
    applied_generation: int | None
    """Generation number that the agent applied last; `null` if the agent has not reported yet."""
    reason: str | None
    """Why the state is not `converged`; `null` if it is."""
    unexplained: list[str]
    """Exports that are served although the desired state no longer contains them. The brake retains them
        until an administrator decides.
        """
    foreign: list[str]
    """Exports that Lunette does not manage. Lunette never changes them."""
    age_s: float | None
    """Age of the agent's last report in seconds; `null` if there is none."""


class FactorConfirm(TypedDict):
    """Proof that the new authenticator app works."""

    code: str
    """Six-digit code from the authenticator app that is being set up."""


class FactorProof(TypedDict):
    """Current password of the user and, if set up, a code of the second factor."""

    current_password: str
    """Current password of the user."""
    code: NotRequired[str | None]
    """Six-digit code of the authenticator app, or a recovery code. Required if the user has a second
        factor.
        """


class FcHardware(TypedDict):
    """Observed properties of an FC port."""

    wwnn: str
    """WWNN of the FC port. Empty if the kernel reports no valid name."""
    driver: str
    """Kernel driver of the FC port, such as `qla2xxx`."""
    model: str | None
    """Model of the adapter, or null if the driver does not report one."""
    firmware: str | None
    """Firmware version of the adapter, or null if the driver does not report one."""
    symbolic_name: str | None
    """Symbolic name of the FC port on the fabric, or null if the driver does not report one."""
    link: str
    """Link state as the kernel reports it, such as `Online`, `Linkdown` or `Offline`."""
    speed: str | None
    """Link speed as the kernel reports it, such as `16 Gbit`, or null if unknown."""
    topology: str | None
    """Port type as the kernel reports it, which shows the topology, or null if unknown."""
    mode: FcMode
    """Current mode of the FC port."""
    modes: list[FcMode]
    """Modes that the FC port can take while the appliance runs."""
    target_reason: str | None
    """Reason why the FC port cannot be a target, or null if the port can."""
    remotes: list[FcRemote]
    """Remote ports with a login to the FC port."""
    reaches: int
    """Number of SCSI targets of other systems that the appliance reaches through the FC port."""


class FcPort(TypedDict):
    """A port of a Fibre Channel adapter in the appliance."""

    wwpn: str
    """WWPN of the FC port."""
    id: str | None
    """Unique ID of the FC port, or null if Lunette does not manage the port."""
    mode: FcMode | None
    """Desired mode of the FC port, or null if Lunette does not manage the port and leaves the driver's
        mode.
        """
    state: ExportState
    """Whether the FC port is in its desired mode now; `none` if Lunette does not manage the port."""
    reason: str | None
    """Reason why the FC port is not in its desired mode, or why initiators have no access. Null if there
        is none.
        """
    observed: FcHardware | None
    """Observed properties of the FC port, or null if the port is missing or the agent does not answer."""
    age_s: float | None
    """Age of the observed state in seconds, or null if the agent does not answer."""


class FcPortCreate(TypedDict):
    """A request to manage an FC port. An unmanaged port stays as its driver configured it."""

    wwpn: str
    """WWPN of the FC port: 16 hexadecimal digits, with or without colons."""
    mode: NotRequired[FcMode]
    """Mode of the FC port. `dual` is refused."""


class FcPortPage(TypedDict):
    """One page of a list."""

    items: list[FcPort]
    """Entries on this page."""
    next_cursor: str | None
    """Cursor of the next page. `null` on the last page."""
    total: int
    """Number of entries on all pages."""


class FcPortPatch(TypedDict):
    """Changes to an FC port. Fields that are omitted stay unchanged."""

    mode: NotRequired[FcMode | None]
    """New mode of the FC port; `dual` is refused. If omitted or `null`, the mode stays unchanged."""


class FcRemote(TypedDict):
    """A remote port on the fabric with a login to an FC port of the appliance."""

    wwpn: str
    """WWPN of the remote port. Empty if the kernel reports no valid name."""
    wwnn: str
    """WWNN of the remote port. Empty if the kernel reports no valid name."""
    roles: list[str]
    """Roles of the remote port as the kernel reports them, such as `FCP Initiator`. Empty if unknown."""
    state: str
    """State of the remote port as the kernel reports it, such as `Online` or `Blocked`."""
    host: str | None
    """Name of the host that has the WWPN as an initiator, or null if no host has."""


class Finding(TypedDict):
    """Result for one object of a targetcli configuration."""

    path: str
    """Path of the object in targetcli."""
    fits: bool
    """Whether Lunette can serve the object without any difference for hosts."""
    words: str
    """What the object becomes in Lunette, or why Lunette cannot serve the object and what action to take."""


class Firewall(TypedDict):
    """Mode and state of the firewall, and the ports that are open."""

    mode: FirewallMode
    """Mode of the firewall."""
    is_default: bool
    """Whether the mode follows from how the appliance was installed, because the settings do not set one."""
    state: FirewallState
    """State of the firewall rules in the kernel."""
    reason: str | None
    """Reason why the firewall is unavailable or failed, or why `managed` is not possible. Null if there is
        none.
        """
    openings: list[FirewallOpening]
    """Ports on which the firewall accepts traffic. Empty while the firewall is off, unavailable or failed."""
    closed_on: list[str]
    """Interfaces with the role storage, on which the web page, API and SSH are blocked."""
    kept_open_on: list[str]
    """Interfaces with the role storage on which the web page, API and SSH stay open, because no other
        interface has an address.
        """
    repaired: str | None
    """Description of the last unexpected change of the rules that the agent corrected, or null if there
        was none.
        """
    repaired_at: str | None
    """When the agent last corrected the rules, in UTC. Null if the agent never did."""
    age_s: float
    """Age of the observed state in seconds."""


class FirewallOpening(TypedDict):
    """A port on which the firewall accepts traffic."""

    protocol: PortProtocol
    """Transport protocol of the port."""
    port: int
    """Port number."""
    address: str | None
    """IP address of the appliance on which the port is open, or null for all addresses."""
    management: bool
    """Whether the port serves the web page, API or SSH. Management ports are blocked on interfaces in
        `closed_on`.
        """
    portals: list[str]
    """Names of the portals that need the port. Empty for management ports and foreign exports."""


class ForeignArray(TypedDict):
    """An array that another system created, or an array of Lunette with logical volumes that another
    system created.
    """

    id: str
    """UUID of the array; for a ZFS pool, the GUID of the pool."""
    name: str
    """Name of the array in MD RAID, without the home host, or name of the ZFS pool."""
    home_host: str | None
    """Machine on which the array was created, according to its superblock; `null` if unknown."""
    engine: ArrayEngine
    """Array engine of the array."""
    level: str
    """Level of the array; `pool` for a ZFS pool that is not imported."""
    health: str
    """Health of the array as the kernel reports it, such as `clean` or `degraded`; `missing` if the array
        does not run.
        """
    size_bytes: int | None
    """Size of the array in bytes; `null` while the array does not run."""
    read_only: bool
    """Whether the array runs read-only."""
    members: list[ForeignMember]
    """Disks of the array."""
    carries: list[str]
    """Signatures on the array other than a volume group, such as `ext4`."""
    group: str | None
    """Name of the volume group on the array, or of the ZFS pool. `null` if there is none, and while the
        array does not run.
        """
    free_bytes: int | None
    """Free space in the volume group or pool, in bytes; `null` if `group` is `null`."""
    volumes: list[ForeignVolume]
    """Logical volumes in the volume group, or zvols in the pool. For an array of Lunette, only those that
        Lunette does not know.
        """
    array: str | None
    """Name of the array in Lunette, if the array belongs to Lunette and has logical volumes that do not;
        `null` otherwise.
        """
    next: NextStep
    """Next possible step."""
    reason: str | None
    """Why no step is possible, or why the array must be rebuilt instead of adopted; `null` otherwise."""


class ForeignArrayAdopt(TypedDict):
    """Adoption of a foreign array, and of its logical volumes as volumes."""

    name: NotRequired[str | None]
    """Name of the array in Lunette. If omitted or `null`, the name in MD RAID, changed if another array
        has this name.
        """
    volumes: NotRequired[list[str] | None]
    """Names of the logical volumes to adopt as volumes. If omitted or `null`, all that can be adopted.
        Other logical volumes stay unchanged.
        """
    make_group: NotRequired[bool]
    """Whether a volume group is created on an array that has none. Data at the beginning of the array
        without a known signature is overwritten.
        """


class ForeignArrayPage(TypedDict):
    """One page of a list."""

    items: list[ForeignArray]
    """Entries on this page."""
    next_cursor: str | None
    """Cursor of the next page. `null` on the last page."""
    total: int
    """Number of entries on all pages."""


class ForeignMember(TypedDict):
    """A disk of a foreign array."""

    disk_id: str | None
    """ID of the disk; `null` if the member is missing or is not a whole disk."""
    device: str | None
    """Device of the member; `null` if the member is missing."""
    state: str
    """State of the member: `in_sync`, `rebuilding`, `replacing`, `spare`, `faulty` or `missing`. While the
        array does not run, every member that is present has the state `spare`.
        """


class ForeignVolume(TypedDict):
    """A logical volume in the volume group of a foreign array, or a zvol in a foreign ZFS pool."""

    name: str
    """Name of the logical volume or zvol."""
    size_bytes: int
    """Size in bytes."""
    open: bool
    """Whether the logical volume or zvol is in use now."""
    reason: str | None
    """Why the logical volume or zvol cannot be adopted even if its array can; `null` otherwise."""


class FormerPlace(TypedDict):
    """An address and port that a portal has left and where it still listens."""

    address: str
    """IP address; for `nvme-fc`, WWNN and WWPN of an FC port."""
    port: int | None
    """Port number, or null over Fibre Channel."""


class Health(TypedDict):
    """Confirmation that the API answers. It contains no other information, because no credentials are
    needed.
    """

    status: str
    """Always `ok`."""


class Host(TypedDict):
    """A client server, with its initiators and credentials."""

    id: str
    """Unique ID of the host."""
    name: str
    """Name of the host."""
    description: str
    """Description of the host."""
    os_type: OsType
    """Operating system of the host."""
    iqns: list[str]
    """iSCSI initiator names (IQNs) of the host."""
    wwpns: list[str]
    """Fibre Channel port names (WWPNs) of the host."""
    nqns: list[str]
    """NVMe qualified names (NQNs) of the host."""
    chap: ChapUsers | None
    """CHAP user names of the host. `null` if the host logs in without CHAP."""
    dhchap: DhChapAsked | None
    """DH-HMAC-CHAP settings of the host. `null` if the host connects without DH-HMAC-CHAP."""
    opens_without_missing_after_s: int | None
    """Seconds after which the paths of the host open without missing volumes. If `null`, the paths stay
        closed until all volumes are present.
        """
    group: str | None
    """Name of the host group to which the host belongs. `null` if the host is in no group."""
    group_id: str | None
    """Unique ID of the host group to which the host belongs. `null` if the host is in no group."""
    target_iqn: str | None
    """IQN of the target that serves the host over iSCSI and iSER. `null` if the host has no target."""
    subsystem_nqn: str | None
    """NQN of the NVMe subsystem that serves the host. `null` if the host has no subsystem."""
    export: Export
    """Whether all volumes mapped to the host itself are served now. Volumes of the host group are not
        included.
        """
    mappings: int
    """Number of mappings to the host itself, not counting the mappings of its host group."""
    sessions: int | None
    """Number of sessions of the host now. `null` if the agent does not answer or cannot list sessions of
        the host's protocols.
        """
    connection: HostConnection
    """Connection of the host to the appliance now, over the paths to its own volumes and those of its host
        group.
        """
    last_seen_at: str | None
    """When the host was last logged in, in UTC. `null` if it never was, or not since the appliance records
        this.
        """
    created_at: str
    """When the host was created, in UTC."""
    updated_at: str
    """When the host was last changed, in UTC."""


class HostCreate(TypedDict):
    """A host to create. An initiator name belongs to one host only."""

    name: str
    """Name of the host."""
    os_type: NotRequired[OsType]
    """Operating system of the host."""
    iqns: NotRequired[list[str]]
    """iSCSI initiator names (IQNs) of the host."""
    wwpns: NotRequired[list[str]]
    """Fibre Channel port names (WWPNs) of the host: 16 hexadecimal digits each, with or without colons."""
    nqns: NotRequired[list[str]]
    """NVMe qualified names (NQNs) of the host."""
    chap: NotRequired[Chap | None]
    """CHAP credentials that the host must present over iSCSI and iSER. If `null`, the host logs in without
        CHAP.
        """
    dhchap: NotRequired[DhChap | None]
    """DH-HMAC-CHAP keys that the host must present over NVMe. If `null`, the host connects without DH-
        HMAC-CHAP.
        """
    description: NotRequired[str]
    """Description of the host."""
    opens_without_missing_after_s: NotRequired[int | None]
    """Seconds, from 30 to 86400, after which the paths of the host open without missing volumes. Hosts
        then treat the missing volumes as lost. If `null`, the paths stay closed until all volumes are
        present.
        """


class HostDeleteBatch(TypedDict):
    """Hosts to delete in one transaction, all or none."""

    hosts: list[str]
    """Names or IDs of the hosts. Unless `cascade` is set, a host with mappings or in a host group is
        refused.
        """
    cascade: NotRequired[bool]
    """Whether the mappings of the hosts are deleted too, and the hosts leave their host groups."""


class HostGroup(TypedDict):
    """Hosts, usually the nodes of a cluster, that share volumes."""

    id: str
    """Unique ID of the host group."""
    name: str
    """Name of the host group."""
    description: str
    """Description of the host group."""
    hosts: list[str]
    """Names of the hosts in the group."""
    host_ids: list[str]
    """Unique IDs of the hosts in the group, in the order of `hosts`."""
    opens_without_missing_after_s: int | None
    """Seconds after which the paths to the volumes of the group open without missing volumes. If `null`,
        the paths stay closed until all volumes are present.
        """
    target_iqn: str | None
    """IQN of the target that serves the group over iSCSI and iSER. `null` if the group has no target."""
    subsystem_nqn: str | None
    """NQN of the NVMe subsystem that serves the group. `null` if the group has no subsystem."""
    export: Export
    """Whether all volumes mapped to the group are served now."""
    mappings: int
    """Number of mappings to the group."""
    created_at: str
    """When the host group was created, in UTC."""
    updated_at: str
    """When the host group was last changed, in UTC."""


class HostGroupCreate(TypedDict):
    """A host group to create: hosts, usually the nodes of a cluster, that share volumes."""

    name: str
    """Name of the host group."""
    hosts: NotRequired[list[str]]
    """Names or IDs of the hosts in the group. A host belongs to one group at most."""
    description: NotRequired[str]
    """Description of the host group."""
    opens_without_missing_after_s: NotRequired[int | None]
    """Seconds, from 30 to 86400, after which the paths to the volumes of the group open without missing
        volumes. Hosts then treat the missing volumes as lost. If `null`, the paths stay closed until all
        volumes are present.
        """


class HostGroupPage(TypedDict):
    """One page of a list."""

    items: list[HostGroup]
    """Entries on this page."""
    next_cursor: str | None
    """Cursor of the next page. `null` on the last page."""
    total: int
    """Number of entries on all pages."""


class HostGroupPatch(TypedDict):
    """Changes to a host group. Fields that are omitted stay unchanged."""

    name: NotRequired[str | None]
    """New name of the host group. If omitted or `null`, the name stays unchanged."""
    hosts: NotRequired[list[str] | None]
    """Names or IDs of all hosts in the group. Hosts that are not in the list leave the group and lose
        access to its volumes. If omitted or `null`, the hosts stay unchanged.
        """
    description: NotRequired[str | None]
    """New description of the host group. If omitted or `null`, the description stays unchanged."""
    opens_without_missing_after_s: NotRequired[int | None]
    """New number of seconds, from 30 to 86400, after which the paths to the volumes of the group open
        without missing volumes. `null` removes the limit; open paths stay open. If omitted, the limit stays
        unchanged.
        """


class HostKit(TypedDict):
    """Setup kit of a host: the files are written first, then the commands run in order."""

    host: str
    """Name of the host."""
    os_type: OsType
    """Operating system of the host."""
    proof: KitProof
    """How the setup kit was verified."""
    files: list[KitFile]
    """Files to write on the host."""
    commands: list[KitCommand]
    """Commands to run on the host, in order."""
    check: str | None
    """Command that checks whether the host sees its volumes; `null` if there is nothing to set up."""
    needs_secrets: bool
    """Whether the setup kit needs secrets."""
    has_secrets: bool
    """Whether the setup kit contains its secrets. If secrets are needed but not included, placeholders
        replace them.
        """
    warnings: list[str]
    """Problems that need attention, with the action to take."""
    notes: list[str]
    """Additional information."""


class HostPage(TypedDict):
    """One page of a list."""

    items: list[Host]
    """Entries on this page."""
    next_cursor: str | None
    """Cursor of the next page. `null` on the last page."""
    total: int
    """Number of entries on all pages."""


class HostPatch(TypedDict):
    """Changes to a host. Fields that are omitted stay unchanged."""

    name: NotRequired[str | None]
    """New name of the host. If omitted or `null`, the name stays unchanged."""
    os_type: NotRequired[OsType | None]
    """New operating system of the host. If omitted or `null`, the operating system stays unchanged."""
    iqns: NotRequired[list[str] | None]
    """New complete list of iSCSI initiator names (IQNs). Initiators that are not in the list are removed
        and lose their sessions. If omitted or `null`, the list stays unchanged.
        """
    wwpns: NotRequired[list[str] | None]
    """New complete list of Fibre Channel port names (WWPNs). Initiators that are not in the list are
        removed and lose their sessions. If omitted or `null`, the list stays unchanged.
        """
    nqns: NotRequired[list[str] | None]
    """New complete list of NVMe qualified names (NQNs). Initiators that are not in the list are removed
        and lose their sessions. If omitted or `null`, the list stays unchanged.
        """
    chap: NotRequired[Chap | None]
    """New CHAP credentials, required from the next login. `null` removes CHAP. If omitted, CHAP stays
        unchanged.
        """
    dhchap: NotRequired[DhChap | None]
    """New DH-HMAC-CHAP keys, required from the next connection. `null` removes DH-HMAC-CHAP. If omitted,
        DH-HMAC-CHAP stays unchanged.
        """
    description: NotRequired[str | None]
    """New description of the host. If omitted or `null`, the description stays unchanged."""
    opens_without_missing_after_s: NotRequired[int | None]
    """New number of seconds, from 30 to 86400, after which the paths of the host open without missing
        volumes. `null` removes the limit; open paths stay open. If omitted, the limit stays unchanged.
        """


class HostPath(TypedDict):
    """One path from a host to one of its targets or subsystems."""

    target: str
    """IQN of the target, NQN of the subsystem, or over Fibre Channel the WWPN of the appliance's FC port;
        empty if the initiator is on no port's fabric.
        """
    protocol: Protocol
    """Protocol of the path."""
    portal: str
    """Name of the portal; over Fibre Channel the same WWPN as `target`."""
    address: str | None
    """Address and port of the portal; `null` for SCSI over Fibre Channel."""
    initiator: str | None
    """WWPN of the host for SCSI over Fibre Channel; `null` for other protocols, and if no WWPN of the host
        is on the port's fabric.
        """
    state: PathState
    """State of the path."""
    words: str
    """Description of the state, with the reason."""


class HostPaths(TypedDict):
    """All paths of a host to its volumes."""

    host: str
    """Name of the host."""
    state: PathState
    """State of all paths: `down` if some are missing; `unknown` if no volume is mapped to the host."""
    sentence: str
    """Summary in one sentence, which names the most serious problem."""
    paths: list[HostPath]
    """Paths that the host should have."""
    volumes: list[VolumePaths]
    """Volumes that are mapped to the host or its host group."""
    verification: PathVerification | None
    """Result of the last path test; `null` if the paths were never tested."""


class HostVerifyPaths(TypedDict):
    """Request to interrupt each path of a host in turn and check that I/O continues."""

    confirm: str
    """Name of the host, as confirmation."""
    away_s: NotRequired[int]
    """Duration in seconds for which each path is interrupted."""


class Initiator(TypedDict):
    """An initiator that belongs to no host and is on the fabric, is logged in, or was refused at an iSCSI
    login.
    """

    name: str
    """Name of the initiator: an IQN, WWPN or NQN."""
    kind: InitiatorKind
    """Kind of name."""
    peer: str | None
    """Network address of the initiator, or null if unknown."""
    words: str
    """Where the appliance observed the initiator, in words."""
    refused_at: str | None
    """When an iSCSI login of the initiator was last refused, in UTC. Null for initiators on the fabric or
        logged in.
        """


class InitiatorPage(TypedDict):
    """One page of a list."""

    items: list[Initiator]
    """Entries on this page."""
    next_cursor: str | None
    """Cursor of the next page. `null` on the last page."""
    total: int
    """Number of entries on all pages."""


class InspectRequest(TypedDict):
    """A request to inspect a targetcli configuration. Lunette does not store the configuration."""

    saveconfig: SavedConfig
    """Content of the `saveconfig.json` to inspect."""


class Inspection(TypedDict):
    """Result of the inspection of a targetcli configuration."""

    fits: int
    """Number of objects that Lunette can serve."""
    refused: int
    """Number of objects that Lunette cannot serve."""
    findings: list[Finding]
    """Result for each object of the configuration."""


class Interface(TypedDict):
    """Network interface of the appliance."""

    name: str
    """Name of the interface."""
    mac: str | None
    """MAC address. `null` if the kernel reports none."""
    kind: str
    """Kind of the interface: `physical`, or as the kernel names it, such as `vlan` or `bond`."""
    parent: str | None
    """Name of the interface that carries the VLAN. `null` if the interface is not a VLAN."""
    vlan_id: int | None
    """VLAN ID. `null` if the interface is not a VLAN."""
    master: str | None
    """Name of the bond or bridge to which the interface belongs. `null` if it belongs to none."""
    link: bool
    """Whether the interface has a link."""
    state: str
    """Operational state as the kernel reports it, such as `up` or `down`."""
    speed_mbit_s: int | None
    """Speed of the link in Mbit/s. `null` if the driver does not report a speed."""
    mtu_bytes: int
    """Current MTU in bytes."""
    addresses: list[InterfaceAddress]
    """Current IP addresses, without link-local addresses."""
    configured_by: str | None
    """Path of the systemd-networkd file that configures the interface. `null` if there is none."""
    wanted: InterfaceConfig | None
    """Configuration by Lunette. `null` if Lunette does not configure the interface."""
    reason: str | None
    """Reason why Lunette does not change the interface. `null` if the interface can be changed."""
    trial_left_s: float | None
    """Seconds until the change on trial is reverted unless confirmed. `null` if no change is on trial."""
    age_s: float
    """Age of the data in seconds."""


class InterfaceAddress(TypedDict):
    """IP address of a network interface."""

    address: str
    """IP address with prefix length, such as `192.0.2.10/24`."""
    dynamic: bool
    """Whether DHCP or a router assigned the address."""
    portals: list[str]
    """Names of the portals with this address. Portals that listen on all addresses are not included."""


class InterfaceChange(TypedDict):
    """Changes to an interface. An omitted field does not change; `null` is refused except where it has a
    meaning.
    """

    role: NotRequired[InterfaceRole | None]
    """Role of the interface."""
    dhcp: NotRequired[bool | None]
    """Whether DHCP and, for IPv6, router advertisements assign addresses."""
    addresses: NotRequired[list[str] | None]
    """Static IP addresses with prefix length. Replaces all static addresses of the interface."""
    gateway: NotRequired[str | None]
    """IP address of the gateway, in the network of one of the static addresses. `null` removes the
        gateway.
        """
    dns: NotRequired[list[str] | None]
    """IP addresses of DNS servers. Replaces the current list."""
    ntp: NotRequired[list[str] | None]
    """Names or IP addresses of time servers. Replaces the current list."""
    mtu_bytes: NotRequired[int | None]
    """MTU in bytes. `null` restores the driver's default at the next start."""
    members: NotRequired[list[str] | None]
    """Names of all interfaces that form the bond. Only for a bond that Lunette created."""
    portals: NotRequired[list[str]]
    """Names of the portals that may lose their address."""


class InterfaceConfig(TypedDict):
    """Configuration of a network interface by Lunette."""

    role: InterfaceRole
    """Role of the interface."""
    dhcp: bool
    """Whether DHCP and, for IPv6, router advertisements assign addresses."""
    addresses: list[str]
    """Static IP addresses with prefix length."""
    gateway: str | None
    """IP address of the gateway. `null` if no gateway is set."""
    dns: list[str]
    """IP addresses of DNS servers."""
    ntp: list[str]
    """Names or IP addresses of time servers, used in addition to those that DHCP assigns."""
    mtu_bytes: int | None
    """MTU in bytes. `null` if the driver's default applies."""
    made: InterfaceMade | None
    """Composition of a VLAN or bond. `null` if Lunette did not create the interface."""


class InterfaceCreate(TypedDict):
    """VLAN or bond to create."""

    role: NotRequired[InterfaceRole]
    """Role of the interface."""
    dhcp: NotRequired[bool]
    """Whether DHCP and, for IPv6, router advertisements assign addresses."""
    addresses: NotRequired[list[str]]
    """Static IP addresses with prefix length, such as `192.0.2.10/24`."""
    gateway: NotRequired[str | None]
    """IP address of the gateway, in the network of one of `addresses`. If omitted, no gateway is set."""
    dns: NotRequired[list[str]]
    """IP addresses of DNS servers."""
    ntp: NotRequired[list[str]]
    """Names or IP addresses of time servers, used in addition to those that DHCP assigns."""
    mtu_bytes: NotRequired[int | None]
    """MTU in bytes. If omitted, the driver's default applies."""
    name: str
    """Name of the interface, of at most 15 characters."""
    kind: InterfaceKind
    """Kind of the interface."""
    parent: NotRequired[str | None]
    """Name of the interface that carries the VLAN. Required for a VLAN only."""
    vlan_id: NotRequired[int | None]
    """VLAN ID. Required for a VLAN only."""
    members: NotRequired[list[str]]
    """Names of the interfaces that form the bond. Required for a bond only. The interfaces lose their own
        addresses.
        """
    mode: NotRequired[BondMode | None]
    """Mode of a bond. If omitted, `active-backup`."""
    lacp_rate: NotRequired[LacpRate | None]
    """LACP rate of a bond in mode `802.3ad`. If omitted, the kernel's default (`slow`) applies."""
    miimon_ms: NotRequired[int | None]
    """Interval of the link checks of a bond in milliseconds. If omitted, 100."""


class InterfaceMade(TypedDict):
    """Composition of a VLAN or bond that Lunette created."""

    kind: InterfaceKind
    """Kind of the interface."""
    parent: str | None
    """Name of the interface that carries the VLAN. `null` for a bond."""
    vlan_id: int | None
    """VLAN ID. `null` for a bond."""
    members: list[str]
    """Names of the interfaces that form the bond. Empty for a VLAN."""
    mode: BondMode | None
    """Mode of the bond. `null` for a VLAN."""
    lacp_rate: LacpRate | None
    """LACP rate of a bond in mode `802.3ad`. `null` if not set; the kernel's default is `slow`."""
    miimon_ms: int | None
    """Interval of the link checks of a bond in milliseconds. `null` for a VLAN."""


class InterfacePage(TypedDict):
    """One page of a list."""

    items: list[Interface]
    """Entries on this page."""
    next_cursor: str | None
    """Cursor of the next page. `null` on the last page."""
    total: int
    """Number of entries on all pages."""


class Job(TypedDict):
    """A job with all its steps."""

    id: str
    """Unique ID of the job."""
    kind: JobKind
    """Kind of the job, such as `array.create`."""
    title: str
    """Title of the job, which names the change."""
    state: JobState
    """State of the job."""
    progress_percent: float
    """Completed share of the steps in percent, from 0 to 100."""
    steps_total: int
    """Number of steps of the job."""
    steps_done: int
    """Number of completed steps. The number decreases while steps are undone. Failed steps of a schedule
        run count as completed.
        """
    message: str
    """Current activity of the job, or its result after the end."""
    resource_kind: str
    """Kind of the affected resources, such as `volume`."""
    resource_ids: list[str]
    """IDs of the resources that the job creates, changes or deletes."""
    actor: str
    """User, API token or schedule that started the job, such as `admin` or `token:backup`; `system` for
        automatic jobs.
        """
    error: JobError | None
    """Error that made the job fail; `null` if there is none."""
    undo: Undo
    """Why the job cannot be undone, and the alternative. Jobs can never be undone; the events of single
        changes can.
        """
    created_at: str
    """When the job was created, in UTC."""
    started_at: str | None
    """When the job started, in UTC; `null` until then."""
    finished_at: str | None
    """When the job ended or became stuck, in UTC; `null` until then."""
    steps: list[JobStep]
    """Steps of the job, in the order in which they run."""


class JobError(TypedDict):
    """The error that made a job or a step fail."""

    type: ProblemType
    """Problem type of the error."""
    detail: str
    """Explanation of the error, usually with the action to take."""


class JobResolve(TypedDict):
    """The decision about a stuck job."""

    how: Resolution
    """Whether to try the rollback or deletion again, or to abandon the job and leave the machine as it is
        now.
        """


class JobStep(TypedDict):
    """One recorded step of a job."""

    index: int
    """Position of the step in the job, starting at 0."""
    kind: str
    """Kind of the step, such as `md.create`."""
    description: str
    """Description of the action."""
    devices: list[str]
    """IDs of the disks that the step acts on; empty if none."""
    irreversible: bool
    """Whether the step cannot be undone."""
    state: StepState
    """State of the step."""
    detail: str
    """Result reported by the step or by its undo; empty if none."""
    error: JobError | None
    """Error of the step; `null` if the step did not fail."""
    started_at: str | None
    """When the step started, in UTC; `null` until then."""
    finished_at: str | None
    """When the step or its undo finished, in UTC; `null` until then."""


class JobSummary(TypedDict):
    """A job without its steps."""

    id: str
    """Unique ID of the job."""
    kind: JobKind
    """Kind of the job, such as `array.create`."""
    title: str
    """Title of the job, which names the change."""
    state: JobState
    """State of the job."""
    progress_percent: float
    """Completed share of the steps in percent, from 0 to 100."""
    steps_total: int
    """Number of steps of the job."""
    steps_done: int
    """Number of completed steps. The number decreases while steps are undone. Failed steps of a schedule
        run count as completed.
        """
    message: str
    """Current activity of the job, or its result after the end."""
    resource_kind: str
    """Kind of the affected resources, such as `volume`."""
    resource_ids: list[str]
    """IDs of the resources that the job creates, changes or deletes."""
    actor: str
    """User, API token or schedule that started the job, such as `admin` or `token:backup`; `system` for
        automatic jobs.
        """
    error: JobError | None
    """Error that made the job fail; `null` if there is none."""
    undo: Undo
    """Why the job cannot be undone, and the alternative. Jobs can never be undone; the events of single
        changes can.
        """
    created_at: str
    """When the job was created, in UTC."""
    started_at: str | None
    """When the job started, in UTC; `null` until then."""
    finished_at: str | None
    """When the job ended or became stuck, in UTC; `null` until then."""


class JobSummaryPage(TypedDict):
    """One page of a list."""

    items: list[JobSummary]
    """Entries on this page."""
    next_cursor: str | None
    """Cursor of the next page. `null` on the last page."""
    total: int
    """Number of entries on all pages."""


class Kept(TypedDict):
    """Retention of the snapshots of a schedule, per volume."""

    last: int
    """Number of most recent snapshots to retain."""
    hourly: int
    """Number of hourly snapshots to retain: the newest of each hour. Hours without snapshots are skipped."""
    daily: int
    """Number of daily snapshots to retain: the newest of each day. Days without snapshots are skipped."""
    weekly: int
    """Number of weekly snapshots to retain: the newest of each ISO week. Weeks without snapshots are
        skipped.
        """
    monthly: int
    """Number of monthly snapshots to retain: the newest of each month. Months without snapshots are
        skipped.
        """


class KitCommand(TypedDict):
    """One command of a setup kit for the superuser's shell; it can be repeated."""

    run: str
    """Command to run."""
    unless: str | None
    """Command that succeeds if `run` is not needed; `null` if `run` is always needed."""
    purpose: str
    """Purpose of the command."""


class KitFile(TypedDict):
    """One file of a setup kit, owned by the superuser."""

    path: str
    """Absolute path of the file on the host."""
    mode: str
    """File mode in octal, such as `0644`."""
    content: str
    """Content of the file."""
    purpose: str
    """Purpose of the file."""
    is_secret: bool
    """Whether the file contains secrets or placeholders for them."""


class LastRun(TypedDict):
    """Last run of a schedule."""

    job_id: str
    """Unique ID of the job of the run."""
    state: JobState
    """State of the job."""
    message: str
    """Progress or result of the job."""
    started_at: str
    """When the job was created, in UTC."""
    finished_at: str | None
    """When the job finished, in UTC. `null` if the job has not finished."""


class Layout(TypedDict):
    """One level of one array engine with these disks, in one arrangement of the copies."""

    engine: ArrayEngine
    """Array engine."""
    level: Level
    """Level of the array."""
    layout: Raid10Layout | None
    """Arrangement of the copies in an `md` RAID 10. `null` for any other level."""
    groups: str | None
    """Groups and distributed spares of a dRAID by default, in the notation of zpool: `draid2:4d:11c:1s`.
        `null` for any other level.
        """
    possible: bool
    """Whether the array can be created. If `false`, the figures are `null`."""
    problem: str | None
    """Why the array cannot be created. `null` if the array can be created."""
    usable_bytes: int | None
    """Capacity for volumes in bytes, after redundancy, padding and the overhead of the array engine.
        `null` if the array cannot be created.
        """
    usable_percent: float | None
    """Capacity for volumes in percent of the total size of the disks. `null` if the array cannot be
        created.
        """
    survives: str
    """Disk failures that the array survives, in words."""
    survives_disks: int | None
    """Fault tolerance: number of disks, whichever they are, that the array can lose without losing data.
        `null` if the array cannot be created, and for `external` arrays.
        """
    small_write_ios: float | None
    """Number of disk I/Os, including reads, for one random write of 4 KiB. `null` if the array cannot be
        created.
        """
    write_hole: list[WriteHole]
    """Available write-hole policies. The first is the default."""
    integrity_usable_bytes: int | None
    """Capacity for volumes in bytes with checksums on each disk. `null` if the array engine offers no
        optional checksums or the array cannot be created.
        """
    min_rebuild_s: float | None
    """Shortest possible rebuild onto a replacement disk in seconds, at the full write speed of the drive.
        `null` if the array cannot be created, has no redundancy or is external.
        """
    warnings: list[str]
    """Reasons against this level with these disks, such as too many copies or too many disks for one
        parity.
        """


class LayoutDisk(TypedDict):
    """A disk in the request."""

    id: str
    """Stable ID of the disk."""
    size_bytes: int
    """Size of the disk in bytes."""
    problem: str | None
    """Why the disk cannot be used as it is. `null` if the disk is blank and free."""
    needs_wipe: bool
    """Whether the disk can be used after an explicit wipe, which destroys all data on the disk."""


class Layouts(TypedDict):
    """Arrays that can be created from one set of disks, with their figures."""

    disks: list[LayoutDisk]
    """Disks in the request."""
    total_bytes: int
    """Total size of the disks in bytes."""
    block_bytes: int
    """Block size of volumes in bytes (`volblocksize`) on which the ZFS figures are based."""
    layouts: list[Layout]
    """Every level of every array engine with these disks, including levels that are not possible."""


class LeftOut(TypedDict):
    """Object of the backup that is not restored because it conflicts with the present access of hosts."""

    noun: str
    """Kind of the object: `mapping` or `initiator`."""
    id: str
    """Unique ID of the object."""
    words: str
    """Description of the object and of the conflict."""


class Login(TypedDict):
    """Credentials of a user."""

    username: str
    """Name of the user."""
    password: str
    """Password of the user."""
    code: NotRequired[str | None]
    """Code of the authenticator app, or a recovery code. Required if the user has a second factor."""


class Mail(TypedDict):
    """Settings of the mail channel. The password is never returned."""

    server: str
    """Host name or address of the mail server."""
    port: int
    """TCP port of the mail server."""
    security: MailSecurity
    """Encryption of the connection to the mail server."""
    user: str | None
    """User name for the login to the mail server. `null` if messages are sent without a login."""
    has_password: bool
    """Whether a password for the mail server is stored."""
    sender: str
    """Sender address of the messages."""
    recipients: list[str]
    """Addresses that receive the messages."""


class MailSettings(TypedDict):
    """Settings of the mail channel. On an encrypted connection, the server's certificate is always
    verified.
    """

    server: str
    """Host name or address of the mail server."""
    port: NotRequired[int | None]
    """TCP port of the mail server. If omitted, 587 for `starttls`, 465 for `tls` and 25 for `none`."""
    security: NotRequired[MailSecurity]
    """Encryption of the connection to the mail server."""
    user: NotRequired[str | None]
    """User name for the login to the mail server. If omitted, messages are sent without a login."""
    password: NotRequired[str | None]
    """Password of the user. Never returned."""
    sender: str
    """Sender address of the messages."""
    recipients: list[str]
    """Addresses that receive the messages."""


class MappedTo(TypedDict):
    """A mapping of a volume to a host or a host group."""

    mapping_id: str
    """Unique ID of the mapping."""
    host: str | None
    """Name of the host; `null` if the volume is mapped to a host group."""
    host_group: str | None
    """Name of the host group; `null` if the volume is mapped to a host."""
    family: Family
    """Protocol family of the mapping."""
    lun: int
    """LUN, or namespace ID over NVMe."""
    state: ExportState
    """Whether the volume is served through this mapping now."""
    reason: str | None
    """Explanation of the state; `null` if no explanation is needed."""


class Mapping(TypedDict):
    """Access of one host or one host group to one volume, under one LUN or namespace ID."""

    id: str
    """Unique ID of the mapping."""
    volume: str
    """Name of the mapped volume."""
    volume_id: str
    """ID of the mapped volume."""
    host: str | None
    """Name of the host that owns the mapping, or null if a host group owns the mapping."""
    host_id: str | None
    """ID of the host that owns the mapping, or null if a host group owns the mapping."""
    host_group: str | None
    """Name of the host group that owns the mapping, or null if a host owns the mapping."""
    host_group_id: str | None
    """ID of the host group that owns the mapping, or null if a host owns the mapping."""
    family: Family
    """Protocol family of the mapping."""
    lun: int
    """LUN under which hosts see the volume; over NVMe, the namespace ID."""
    shared: bool
    """Whether the mapping was created with permission for the volume to have several owners."""
    target_iqn: str | None
    """IQN of the target that serves the volume to the owner, or null over NVMe."""
    subsystem_nqn: str | None
    """NQN of the NVMe subsystem that serves the volume to the owner, or null over SCSI."""
    state: ExportState
    """Whether the appliance serves the volume to the owner now."""
    reason: str | None
    """Reason why the volume is not served to the owner, or null if no reason is known."""
    created_at: str
    """When the mapping was created, in UTC."""
    updated_at: str
    """When the mapping was last changed, in UTC."""


class MappingBatch(TypedDict):
    """Request to create many mappings in one transaction, all or nothing, from either `mappings` or
    `split`.
    """

    mappings: NotRequired[list[MappingCreate]]
    """Mappings to create, listed one by one. Required unless `split` is set."""
    split: NotRequired[Split | None]
    """Volumes to distribute evenly over hosts. Required unless `mappings` is set."""


class MappingCreate(TypedDict):
    """Request to map a volume to one host or one host group."""

    volume: str
    """ID or name of the volume to map."""
    host: NotRequired[str | None]
    """ID or name of the host that receives access. Required unless `host_group` is set."""
    host_group: NotRequired[str | None]
    """ID or name of the host group that receives access. Required unless `host` is set."""
    lun: NotRequired[int | None]
    """LUN, or namespace ID over NVMe (from 1). If omitted, the lowest free number from 1 is assigned."""
    family: NotRequired[Family | None]
    """Protocol family of the mapping. If omitted, NVMe for an owner that has only NQNs, and SCSI for any
        other owner.
        """
    shared: NotRequired[bool]
    """Whether the volume may be mapped although it has another owner."""


class MappingDeleteBatch(TypedDict):
    """Mappings to delete in one transaction, all or none."""

    mappings: list[str]
    """IDs of the mappings. A mapping whose volume is being changed is refused."""


class MappingList(TypedDict):
    """Mappings that a batch created."""

    items: list[Mapping]
    """Created mappings, in the order of the request."""


class MappingPage(TypedDict):
    """One page of a list."""

    items: list[Mapping]
    """Entries on this page."""
    next_cursor: str | None
    """Cursor of the next page. `null` on the last page."""
    total: int
    """Number of entries on all pages."""


class Me(TypedDict):
    """Identity behind the request: a user, or the owner of an API token."""

    username: str
    """Username of the user. For an API token, the username of its owner."""
    role: Role
    """Effective role. For an API token, the lower of its own role and the role of its owner."""
    password_change_required: bool
    """Whether the user must change the password before any other action."""
    has_second_factor: bool
    """Whether the user has a second factor. Always `false` for an API token."""
    second_factor_required: bool
    """Whether the user must set up a second factor before any other action, as the settings require."""
    csrf_token: str | None
    """Token that a browser must send in the header `X-CSRF-Token` with every change."""


class NewToken(TypedDict):
    """New API token with its secret."""

    id: str
    """Unique ID of the API token."""
    name: str
    """Name of the API token."""
    username: str
    """Username of the owner."""
    role: Role
    """Role of the API token. If the owner has a lower role, that role applies."""
    expires_at: str | None
    """When the API token expires, in UTC. `null` for a token without expiry."""
    last_used_at: str | None
    """When the API token was last used, in UTC, to the minute. `null` if the token has never been used."""
    created_at: str
    """When the API token was created, in UTC."""
    token: str
    """Secret of the API token, returned only once. Send the secret as `Authorization: Bearer …`."""


class OutdatedProblem(TypedDict):
    """Error response for a resource that changed in the meantime, with its current state."""

    type: ProblemType
    """Type of the problem, from a closed set."""
    title: str
    """Short title of the problem type."""
    status: int
    """HTTP status code of the response."""
    detail: str
    """Explanation of the refusal, with the action to take."""
    instance: str
    """URL path of the request."""
    errors: list[ProblemField]
    """Wrong fields of the request; empty if the problem does not concern single fields."""
    current: dict[str, Any] | None
    """Current state of the resource, as a GET request returns it; `null` if the state cannot be shown."""


class PasswordChange(TypedDict):
    """A change of the user's own password."""

    current_password: str
    """Current password of the user."""
    code: NotRequired[str | None]
    """Six-digit code of the authenticator app, or a recovery code. Required if the user has a second
        factor.
        """
    new_password: str
    """New password, 12 to 256 characters. Must differ from the current password and from the user name."""
    keep_tokens: NotRequired[bool]
    """Whether the user's API tokens stay valid. If false or omitted, they are deleted."""


class PathVerification(TypedDict):
    """Result of the last job that interrupted each path of a host in turn."""

    at: str
    """When the job ended, in UTC."""
    is_passed: bool
    """Whether I/O continued during every interruption."""
    words: list[str]
    """Results of the single paths; the reason if the test was not passed."""
    job_id: str
    """Unique ID of the job."""


class Performance(TypedDict):
    """Current performance of the appliance, a volume, a session, a host, an array or a disk."""

    of: Measured
    """Kind of the measured object."""
    id: str
    """Unique ID of the measured object, `appliance` for the appliance."""
    name: str
    """Name of the measured object. For a session, its initiator; for a disk, its ID."""
    host: str | None
    """Name of the host of a session. `null` for other objects, or if no host has the initiator."""
    protocol: Protocol | None
    """Protocol of a session. `null` for other objects."""
    target: str | None
    """Target of a session: an IQN, or the WWPN of an FC port of the appliance. `null` for other objects."""
    iops: float
    """Number of I/Os per second. For a session or a host, the number of commands of any kind."""
    read_iops: float | None
    """Number of reads per second. `null` for a session or a host."""
    write_iops: float | None
    """Number of writes per second. `null` for a session or a host."""
    read_bytes_s: float
    """Bytes read per second. For a session or a host, bytes are counted in whole MiB per volume."""
    write_bytes_s: float
    """Bytes written per second. For a session or a host, bytes are counted in whole MiB per volume."""
    latency_ms: float | None
    """Mean latency of all reads and writes in milliseconds. `null` without I/O, or if not measured."""
    read_latency_ms: float | None
    """Mean latency of reads in milliseconds. `null` without reads, or if not measured."""
    write_latency_ms: float | None
    """Mean latency of writes in milliseconds. `null` without writes, or if not measured."""
    in_flight: int | None
    """Number of I/Os in progress at the end of the span. `null` if not measured."""
    busy_percent: float | None
    """Share of the span with at least one I/O in progress, in percent. `null` if not measured."""


class PerformanceCourse(TypedDict):
    """One figure over time: the mean and the maximum of each interval."""

    mean: list[float | None]
    """Mean of each interval, oldest first."""
    max: list[float | None]
    """Maximum of each interval, oldest first."""


class PerformanceHistory(TypedDict):
    """Current performance of one object and its history."""

    of: Measured
    """Kind of the measured object."""
    id: str
    """Unique ID of the measured object, `appliance` for the appliance."""
    name: str
    """Name of the measured object. For a session, its initiator; for a disk, its ID."""
    now: Performance | None
    """Current performance. `null` if the agent does not respond or the object is not measured at present."""
    range: HistoryRange
    """Time range of the history."""
    step_seconds: int
    """Length of an interval in seconds."""
    times: list[str]
    """Start of each interval, in UTC, oldest first. The last interval is the current one."""
    iops: PerformanceCourse
    """Number of I/Os per second. For a session or a host, the number of commands of any kind."""
    read_iops: PerformanceCourse
    """Number of reads per second."""
    write_iops: PerformanceCourse
    """Number of writes per second."""
    read_bytes_s: PerformanceCourse
    """Bytes read per second."""
    write_bytes_s: PerformanceCourse
    """Bytes written per second."""
    latency_ms: PerformanceCourse
    """Mean latency of all reads and writes in milliseconds, weighted by the number of I/Os."""
    read_latency_ms: PerformanceCourse
    """Mean latency of reads in milliseconds, weighted by the number of reads."""
    write_latency_ms: PerformanceCourse
    """Mean latency of writes in milliseconds, weighted by the number of writes."""


class PerformancePage(TypedDict):
    """One page of current performance."""

    items: list[Performance]
    """Entries on this page."""
    next_cursor: str | None
    """Cursor of the next page. `null` on the last page."""
    total: int
    """Number of entries on all pages."""
    at: str
    """When the span ended, in UTC."""
    seconds: float | None
    """Length of the span in seconds. `null` if only one measurement exists, so that no rates are known."""
    unseen: list[Unseen]
    """Families whose sessions are not measured, with the reason. Empty unless sessions are requested."""


class Plan(TypedDict):
    """All effects of a request, before any change."""

    title: str
    """Title of the change."""
    changes: list[PlanChange]
    """Objects that the request creates, changes, interrupts or destroys."""
    steps: list[PlanStep]
    """Steps in the order in which they run."""
    devices: list[str]
    """IDs of all disks that the steps act on."""
    bytes_destroyed: int
    """Amount of data that all steps destroy, in bytes."""
    hosts_interrupted: list[str]
    """Names of the hosts whose access is interrupted."""
    warnings: list[str]
    """Warnings about risks and side effects."""
    volumes: list[PlanVolume]
    """Volumes that are deleted or that hosts lose, with their current use."""
    reused: list[PlanReuse]
    """LUNs and namespace IDs under which hosts may still have the devices of other volumes."""


class PlanChange(TypedDict):
    """One change in a plan."""

    action: Action
    """Effect of the change on the object."""
    noun: str
    """Kind of the object, such as `volume`."""
    name: str
    """Name of the object."""
    detail: str
    """Description of the change."""


class PlanReuse(TypedDict):
    """A LUN or namespace ID that belonged to another volume, whose device a host may still have."""

    number: str
    """Number with its kind, such as `LUN 3` or `namespace 3`."""
    owner: str
    """Name of the host or host group."""
    volume: str
    """Name of the volume that gets the number."""
    former: str
    """Name of the volume that had the number before. The request is refused unless `confirm` names this
        volume.
        """


class PlanStep(TypedDict):
    """One step of a plan, with its effects."""

    kind: str
    """Kind of the step, such as `md.create`."""
    description: str
    """Description of the action."""
    devices: list[str]
    """IDs of the disks that the step acts on; empty if none."""
    bytes_destroyed: int
    """Amount of data that the step destroys, in bytes."""
    irreversible: bool
    """Whether the step cannot be undone."""


class PlanVolume(TypedDict):
    """A volume that is deleted or that a host loses, with its current use."""

    name: str
    """Name of the volume."""
    iops: float | None
    """Current number of I/Os per second; `null` if not measured."""
    last_io_at: str | None
    """When the last I/O within the past hour took place, in UTC; `null` if there was none or it was not
        measured.
        """
    busy: bool
    """Whether the volume is in use or was within the last minute. The request is then refused unless
        `confirm` names the volume.
        """


class Portal(TypedDict):
    """An address and port on which the appliance serves a protocol."""

    id: str
    """Unique ID of the portal."""
    name: str
    """Unique name of the portal."""
    protocol: Protocol
    """Protocol that the portal serves."""
    engine: ExportEngine
    """Export engine of the portal."""
    address: str
    """IP address on which the portal listens; `0.0.0.0` or `::` for all. For `nvme-fc`, WWNN and WWPN of
        an FC port.
        """
    port: int | None
    """Port number on which the portal listens, or null over Fibre Channel."""
    state: ExportState
    """Whether the portal listens now."""
    reason: str | None
    """Reason why the portal does not listen, or null if no reason is known."""
    former_places: list[FormerPlace]
    """Places that the portal has left, where it continues to listen until it listens at its new one."""
    created_at: str
    """When the portal was created, in UTC."""
    updated_at: str
    """When the portal was last changed, in UTC."""


class PortalCreate(TypedDict):
    """Request to create a portal."""

    name: str
    """Unique name of the portal."""
    protocol: NotRequired[Protocol]
    """Protocol that the portal serves. SCSI over Fibre Channel (`fc`) has no portals."""
    address: str
    """IP address of the appliance to listen on, or `0.0.0.0` or `::` for all addresses."""
    port: NotRequired[int | None]
    """Port number to listen on. If omitted, 3260 for iSCSI, 3261 for iSER, and 4420 for NVMe over TCP or
        RDMA.
        """
    engine: NotRequired[ExportEngine | None]
    """Export engine of the portal. If omitted, the engine of the kernel. All NVMe portals have the same
        engine.
        """


class PortalPage(TypedDict):
    """One page of a list."""

    items: list[Portal]
    """Entries on this page."""
    next_cursor: str | None
    """Cursor of the next page. `null` on the last page."""
    total: int
    """Number of entries on all pages."""


class PortalPatch(TypedDict):
    """Changes to a portal. An omitted field does not change, and `null` is refused."""

    name: NotRequired[str | None]
    """New name of the portal. Hosts do not notice it."""
    address: NotRequired[str | None]
    """New address of the appliance to listen on, or `0.0.0.0` or `::` for all addresses."""
    port: NotRequired[int | None]
    """New port number to listen on. Must be omitted for `nvme-fc`."""


class Problem(TypedDict):
    """Error response according to RFC 9457, with the reason for the refusal and the action to take."""

    type: ProblemType
    """Type of the problem, from a closed set."""
    title: str
    """Short title of the problem type."""
    status: int
    """HTTP status code of the response."""
    detail: str
    """Explanation of the refusal, with the action to take."""
    instance: str
    """URL path of the request."""
    errors: list[ProblemField]
    """Wrong fields of the request; empty if the problem does not concern single fields."""


class ProblemBlocker(TypedDict):
    """An object that prevents a change, such as a host that a volume is mapped to."""

    noun: str
    """Kind of the object, such as `host_group`."""
    id: str
    """Unique ID of the object."""
    name: str
    """Name of the object."""


class ProblemField(TypedDict):
    """One wrong field of a request."""

    field: str
    """Path of the field in the request, such as `volumes[0].size_bytes`."""
    value: str | None
    """Rejected value; `null` if the value is missing, structured, or possibly a secret."""
    message: str
    """Rule that the value violates."""
    blockers: list[ProblemBlocker]
    """Objects that prevent the change; empty if the value itself is wrong."""


class RdmaAddress(TypedDict):
    """An IP address of an RDMA device, on which a portal over RDMA can listen."""

    address: str
    """IP address."""
    gid_index: int
    """Index of the address in the GID table of the device."""
    gid: str
    """GID that belongs to the address."""
    kind: str
    """RoCE version as the kernel reports it: `RoCE v2` (UDP, routable) or `IB/RoCE v1` (one Ethernet
        segment only).
        """
    interface: str | None
    """Name of the network interface that has the address, or null if the kernel does not report one."""


class RdmaDevice(TypedDict):
    """One port of an RDMA device in the appliance."""

    id: str
    """Unique ID of the device port, as the `rdma` tool shows it, such as `mlx5_0/1`."""
    interface: str | None
    """Name of the network interface of the device port, or null if the kernel reports none."""
    link_layer: str
    """Link layer of the device port: `Ethernet` or `InfiniBand`."""
    state: str
    """Link state as the kernel reports it: `active`, `active_defer`, `armed`, `init` or `down`."""
    physical_state: str
    """Physical link state as the kernel reports it, such as `linkup`."""
    rate: str | None
    """Link rate as the kernel reports it, such as `100 Gb/sec (4X EDR)`, or null if unknown."""
    mtu_bytes: int | None
    """MTU of the network interface in bytes, or null if unknown. RoCE uses the largest of 256 to 4096 that
        fits.
        """
    firmware: str | None
    """Firmware version of the device, or null if the driver does not report one."""
    node_guid: str | None
    """Node GUID of the device, or null if the driver does not report one."""
    addresses: list[RdmaAddress]
    """IP addresses of the device port, on which portals over RDMA can listen."""
    reason: str | None
    """Reason why hosts cannot connect through the device port, or null if none is known."""
    lossless: list[int] | None
    """Priorities (0 to 7) with priority flow control (PFC), or null if the driver does not report them."""
    hint: str | None
    """Advice on the flow control settings for RoCE, or null if they are unknown."""
    age_s: float
    """Age of the observed state in seconds."""


class RdmaDevicePage(TypedDict):
    """One page of a list."""

    items: list[RdmaDevice]
    """Entries on this page."""
    next_cursor: str | None
    """Cursor of the next page. `null` on the last page."""
    total: int
    """Number of entries on all pages."""


class RebuildArray(TypedDict):
    """An array that is missing from the database, with the content of its sealed copy."""

    name: str
    """Name of the array."""
    uuid: str
    """UUID of the array."""
    appliance: str | None
    """Name of the appliance that wrote the sealed copy. `null` if the array has no readable copy."""
    appliance_id: str | None
    """Unique ID of the appliance that wrote the sealed copy. `null` if the array has no readable copy."""
    generation: int | None
    """Generation of the sealed copy; the highest is the newest. `null` if the array has no readable copy."""
    written_at: str | None
    """When the sealed copy was written, in UTC. `null` if the array has no readable copy."""
    volumes: int
    """Number of volumes on the array according to the sealed copies."""
    mappings: int
    """Number of mappings of these volumes."""
    sealed_here: bool
    """Whether a key of this appliance has sealed the copy. Any other copy is rebuilt only with `adopt`."""
    chosen: bool
    """Whether the array is part of the rebuild."""
    problem: str | None
    """Why the array cannot be rebuilt. `null` if the array can be rebuilt."""


class RebuildFound(TypedDict):
    """Arrays that can be rebuilt from the disks, and the changes of the rebuild."""

    arrays: list[RebuildArray]
    """Arrays on the disks that are missing from the database."""
    hosts: list[str]
    """Names of the hosts that the rebuild adds."""
    secrets_missing: list[str]
    """Names of those hosts whose CHAP or DH-HMAC-CHAP secret must be set again. Until then, these hosts
        cannot log in.
        """
    warnings: list[str]
    """Differences between the sealed copies and the current state of the disks."""
    changes: list[str]
    """Changes of the rebuild, one sentence each. Check in particular which hosts receive access to which
        volumes.
        """
    digest: str
    """SHA-256 of all sealed copies that were read. Send the digest with the request to rebuild."""
    rebuilt: bool
    """Whether the arrays were rebuilt. `false` for a dry run, which changes nothing."""


class RebuildRequest(TypedDict):
    """A request to rebuild the configuration of the appliance from sealed copies."""

    arrays: NotRequired[list[str]]
    """Names or UUIDs of the arrays to rebuild. If omitted, all arrays that were found, provided that all
        belong to one appliance.
        """
    degraded: NotRequired[bool]
    """Whether stopped arrays are started even if disks are missing, as far as their levels allow."""
    adopt: NotRequired[bool]
    """Whether to accept sealed copies without a seal of this appliance, which another appliance or any
        person with access to the disks may have written.
        """
    digest: NotRequired[str | None]
    """`digest` of the dry run. Required to rebuild. The request is refused if the disks have changed since
        the dry run.
        """


class RecoveryCodes(TypedDict):
    """Recovery codes for the loss of the authenticator app, returned only once."""

    recovery_codes: list[str]
    """Recovery codes. Each can be used once in place of a code of the app."""


class Remedy(TypedDict):
    """The action that removes the cause of an alert, with its arguments."""

    action: RemedyAction
    """Action to take."""
    array: str | None
    """Name of the array. `null` for other actions."""
    disk: str | None
    """ID of the disk to replace. `null` for other actions."""
    job: str | None
    """ID of the job. `null` for other actions."""
    schedule: str | None
    """Name of the schedule. `null` for other actions."""
    host: str | None
    """Name of the host. `null` for other actions."""


class RestoreFound(TypedDict):
    """Contents of a backup and the effects of restoring it."""

    appliance: str
    """Name of the appliance in the backup."""
    appliance_id: str
    """Unique ID of the appliance in the backup."""
    made_at: str
    """When the backup was created, in UTC."""
    version: str
    """Version of Lunette that created the backup."""
    schema_revision: str
    """Revision of the database schema in the backup."""
    has_certificate: bool
    """Whether the backup contains the certificate with its private key."""
    differences: list[Difference]
    """Objects that the restore returns, changes or forgets."""
    still_served: list[StillServed]
    """Objects that are served now and missing from the backup."""
    left_out: list[LeftOut]
    """Objects of the backup that are not restored because they conflict with the present access of hosts."""
    warnings: list[str]
    """Warnings about the effects of the restore."""
    restored: bool
    """Whether the backup was restored. `false` for a dry run, which changes nothing."""
    kept: str | None
    """Path on the appliance of a backup of the state before the restore, with the same passphrase."""


class RestoreRequest(TypedDict):
    """Request to restore the appliance's configuration from a backup."""

    content: str
    """Contents of the backup file, in base64."""
    passphrase: str
    """Passphrase of the backup. Also encrypts the backup of the state before the restore."""
    certificate: NotRequired[bool]
    """Whether to restore the certificate with its private key, if the backup contains them."""
    give_up: NotRequired[list[str]]
    """IDs from `still_served` that the appliance stops serving. Hosts lose access to these objects."""


class Retention(TypedDict):
    """Retention of the snapshots of a schedule, per volume. At least one field must be above 0."""

    last: NotRequired[int]
    """Number of most recent snapshots to retain."""
    hourly: NotRequired[int]
    """Number of hourly snapshots to retain: the newest of each hour. Hours without snapshots are skipped."""
    daily: NotRequired[int]
    """Number of daily snapshots to retain: the newest of each day. Days without snapshots are skipped."""
    weekly: NotRequired[int]
    """Number of weekly snapshots to retain: the newest of each ISO week. Weeks without snapshots are
        skipped.
        """
    monthly: NotRequired[int]
    """Number of monthly snapshots to retain: the newest of each month. Months without snapshots are
        skipped.
        """


class Saveconfig(TypedDict):
    """All LIO exports in the format of `targetctl restore` and targetcli (rtslib-fb 2.1 and later)."""

    document: dict[str, Any]
    """Content of the `saveconfig.json`."""
    has_secrets: bool
    """Whether the document contains all CHAP secrets. If `false`, hosts with CHAP cannot log in to the
        restored targets.
        """
    left_out: list[str]
    """Objects and values that the document does not contain, each with the action to take."""


class SavedAcl(TypedDict):
    """An ACL: the access of one initiator."""

    node_wwn: str
    """IQN or WWPN of the initiator."""
    attributes: NotRequired[dict[str, Any]]
    """Attributes of the ACL by name."""
    mapped_luns: NotRequired[list[SavedMappedLun]]
    """LUNs that the initiator sees."""
    chap_userid: NotRequired[str | None]
    """CHAP user name that the initiator must present. `null` if no user name is set."""
    chap_password: NotRequired[str | None]
    """CHAP secret of the initiator. `null` if no secret is set."""
    chap_mutual_userid: NotRequired[str | None]
    """CHAP user name that the target presents to the initiator. `null` if no user name is set."""
    chap_mutual_password: NotRequired[str | None]
    """CHAP secret of the target. `null` if no secret is set."""


class SavedAluaGroup(TypedDict):
    """An ALUA target port group of a backstore."""

    name: str
    """Name of the ALUA group."""
    alua_access_state: NotRequired[int | None]
    """ALUA access state of the group. 0 is active/optimized, the only state that Lunette supports. `null`
        counts as 0.
        """


class SavedConfig(TypedDict):
    """A `saveconfig.json` as targetcli and targetctl write it."""

    storage_objects: NotRequired[list[SavedStore]]
    """Backstores of the configuration."""
    targets: NotRequired[list[SavedTarget]]
    """Targets of the configuration."""
    fabric_modules: NotRequired[list[SavedFabric]]
    """Settings of the fabrics."""


class SavedFabric(TypedDict):
    """Settings of a fabric."""

    name: str
    """Name of the fabric, such as `iscsi`."""
    discovery_enable_auth: NotRequired[bool | None]
    """Whether discovery requires CHAP. `null` counts as `false`."""


class SavedGroup(TypedDict):
    """A target portal group."""

    tag: NotRequired[int]
    """Tag of the target portal group."""
    enable: NotRequired[bool | None]
    """Whether the target portal group is enabled. `null` counts as `false`."""
    attributes: NotRequired[dict[str, Any]]
    """Attributes of the target portal group by name."""
    luns: NotRequired[list[SavedLun]]
    """LUNs of the target portal group."""
    portals: NotRequired[list[SavedPortal]]
    """Portals of the target portal group."""
    node_acls: NotRequired[list[SavedAcl]]
    """ACLs of the target portal group, one for each initiator."""


class SavedLun(TypedDict):
    """A LUN of a target portal group."""

    index: int
    """Number of the LUN in the target portal group."""
    storage_object: str
    """Path of the backstore in targetcli, such as `/backstores/block/disk1`."""
    alua_tg_pt_gp_name: NotRequired[str | None]
    """Name of the LUN's ALUA group. Lunette supports the default group only. `null` means the default
        group.
        """


class SavedMappedLun(TypedDict):
    """A LUN that an initiator sees."""

    index: int
    """LUN under which the initiator sees the volume."""
    tpg_lun: int
    """Number of the LUN in the target portal group."""
    write_protect: NotRequired[bool | None]
    """Whether the LUN is read-only for the initiator, which Lunette does not support. `null` counts as
        `false`.
        """


class SavedPortal(TypedDict):
    """A portal of a target portal group."""

    ip_address: str
    """IP address of the portal."""
    port: int
    """TCP port of the portal."""
    iser: NotRequired[bool | None]
    """Whether the portal serves iSER. `null` counts as `false`."""
    offload: NotRequired[bool | None]
    """Whether the portal is offloaded to a Chelsio adapter, which Lunette does not support. `null` counts
        as `false`.
        """


class SavedStore(TypedDict):
    """A backstore."""

    name: str
    """Name of the backstore."""
    plugin: str
    """Type of the backstore. Lunette supports `block` only."""
    dev: NotRequired[str | None]
    """Path of the device or file. `null` if the backstore has none."""
    wwn: NotRequired[str | None]
    """Unit serial number, from which LIO derives the NAA. `null` if the backstore has none; Lunette then
        cannot serve it.
        """
    readonly: NotRequired[bool | None]
    """Whether the backstore is read-only. Lunette does not support read-only backstores. `null` counts as
        `false`.
        """
    exclusive: NotRequired[bool | None]
    """Whether LIO opens the device exclusively. Lunette does not support `false`. `null` counts as `true`."""
    attributes: NotRequired[dict[str, Any]]
    """Attributes of the backstore by name."""
    alua_tpgs: NotRequired[list[SavedAluaGroup]]
    """ALUA target port groups of the backstore."""


class SavedTarget(TypedDict):
    """A target."""

    wwn: str
    """IQN of the target, or WWPN of the FC port."""
    fabric: str
    """Fabric of the target, such as `iscsi` or `qla2xxx`."""
    tpgs: NotRequired[list[SavedGroup]]
    """Target portal groups of the target."""


class Schedule(TypedDict):
    """Schedule that takes snapshots of volumes or scrubs arrays at set times."""

    id: str
    """Unique ID of the schedule."""
    name: str
    """Name of the schedule."""
    description: str
    """Free-text description."""
    action: ScheduleAction
    """Action of the schedule."""
    volumes: list[str]
    """Names of the volumes to take snapshots of. Empty for the action `scrub`."""
    volume_ids: list[str]
    """Unique IDs of the volumes, in the order of `volumes`."""
    arrays: list[str]
    """Names of the arrays to scrub. Empty for the action `snapshot`."""
    array_ids: list[str]
    """Unique IDs of the arrays, in the order of `arrays`."""
    when: str
    """Cron expression with minute, hour, day of month, month and weekday, in `time_zone`."""
    time_zone: str
    """Time zone of the appliance, in which `when` is evaluated."""
    keep: Kept | None
    """Retention of the snapshots, per volume. `null` for the action `scrub`."""
    snapshot_name: str
    """Pattern for the names of the snapshots. Has no effect for the action `scrub`."""
    missed: MissedRuns
    """Handling of runs that were missed while the appliance was down."""
    enabled: bool
    """Whether the schedule runs automatically."""
    snapshots: int
    """Number of existing snapshots that the schedule took."""
    next_runs: list[str]
    """Next three times of the schedule, in UTC. Empty if the schedule is disabled."""
    last_run: LastRun | None
    """Last run of the schedule. `null` if no run is recorded."""
    created_at: str
    """When the schedule was created, in UTC."""
    updated_at: str
    """When the schedule was last changed, in UTC."""


class ScheduleCreate(TypedDict):
    """Schedule to create."""

    name: str
    """Name of the schedule."""
    action: ScheduleAction
    """Action of the schedule. The action cannot be changed later."""
    volumes: NotRequired[list[str]]
    """Names or IDs of the volumes to take snapshots of. Required for the action `snapshot` only."""
    arrays: NotRequired[list[str]]
    """Names or IDs of the arrays to scrub, except RAID 0 and external arrays. Required for the action
        `scrub` only.
        """
    when: str
    """Cron expression with minute, hour, day of month, month and weekday, such as `0 3 * * *`."""
    keep: NotRequired[Retention | None]
    """Retention of the snapshots, per volume. Required for the action `snapshot` only."""
    snapshot_name: NotRequired[str]
    """Pattern for the names of the snapshots. Must contain `{volume}`, and may contain `{date}` and
        `{time}`.
        """
    missed: NotRequired[MissedRuns]
    """Handling of runs that were missed while the appliance was down."""
    enabled: NotRequired[bool]
    """Whether the schedule runs automatically. A disabled schedule can still be run manually."""
    description: NotRequired[str]
    """Free-text description."""


class SchedulePage(TypedDict):
    """One page of a list."""

    items: list[Schedule]
    """Entries on this page."""
    next_cursor: str | None
    """Cursor of the next page. `null` on the last page."""
    total: int
    """Number of entries on all pages."""


class SchedulePatch(TypedDict):
    """Changes to a schedule. An omitted field does not change, and `null` is refused. The action cannot be
    changed.
    """

    name: NotRequired[str | None]
    """New name of the schedule."""
    volumes: NotRequired[list[str] | None]
    """Names or IDs of the volumes to take snapshots of. Replaces the current list."""
    arrays: NotRequired[list[str] | None]
    """Names or IDs of the arrays to scrub, except RAID 0 and external arrays. Replaces the current list."""
    when: NotRequired[str | None]
    """Cron expression with minute, hour, day of month, month and weekday, such as `0 3 * * *`."""
    keep: NotRequired[Retention | None]
    """Retention of the snapshots, per volume. If reduced, the next run deletes surplus snapshots."""
    snapshot_name: NotRequired[str | None]
    """Pattern for the names of the snapshots. Must contain `{volume}`, and may contain `{date}` and
        `{time}`.
        """
    missed: NotRequired[MissedRuns | None]
    """Handling of runs that were missed while the appliance was down."""
    enabled: NotRequired[bool | None]
    """Whether the schedule runs automatically. A disabled schedule can still be run manually."""
    description: NotRequired[str | None]
    """Free-text description."""


class SchedulePreview(TypedDict):
    """Times at which a cron expression would run a schedule."""

    when: str
    """Cron expression with minute, hour, day of month, month and weekday, in `time_zone`."""
    time_zone: str
    """Time zone of the appliance, in which `when` is evaluated."""
    next_runs: list[str]
    """Next five times, in UTC."""


class SearchResult(TypedDict):
    """An object that matches a search."""

    noun: SearchNoun
    """Kind of the object."""
    id: str
    """Unique ID of the object."""
    name: str
    """Name of the object: of a session, the initiator; of a job, its title."""
    parent: str | None
    """Name of the array of a volume, of the volume of a snapshot, or of the host of a session. `null` for
        others.
        """
    field: SearchField
    """Property that matches best."""
    value: str
    """Value of this property."""
    match: SearchMatch
    """How the text matches the property."""


class SearchResults(TypedDict):
    """Objects that match a search, best matches first."""

    items: list[SearchResult]
    """Objects found: exact matches first, then by prefix, then by part."""
    has_more: bool
    """Whether more objects match than are returned."""
    is_complete: bool
    """Whether all objects were searched. `false` while the agent is unavailable: disks, interfaces,
        sessions and unmanaged FC ports are then missing.
        """


class SecondFactorOffer(TypedDict):
    """Secret of a new second factor, returned only once."""

    secret: str
    """Secret in base32, to enter in an authenticator app that cannot scan the QR code."""
    address: str
    """Address with the scheme `otpauth://`, to show as a QR code."""


class Session(TypedDict):
    """Initiator that is logged in on a portal or an FC port."""

    id: str
    """Unique ID of the session. Over iSCSI and iSER, each login has a new ID."""
    host: str | None
    """Name of the host of the initiator. `null` if no host has the initiator."""
    host_id: str | None
    """Unique ID of the host of the initiator. `null` if no host has the initiator."""
    initiator: str
    """Name of the initiator: an IQN, a WWPN or an NQN."""
    protocol: Protocol
    """Protocol of the session."""
    target_iqn: str | None
    """IQN of the target. `null` unless the protocol is `iscsi` or `iser`."""
    target_wwpn: str | None
    """WWPN of the FC port of the appliance. `null` unless the protocol is `fc`."""
    subsystem_nqn: str | None
    """NQN of the NVMe subsystem. `null` unless the session uses NVMe."""
    portal: str | None
    """Address and port of the portal. `null` if the export engine does not report them, as over iSCSI."""
    peer: str | None
    """Address of the host. `null` if the export engine does not report the address."""
    state: str
    """State of the session as the export engine reports it, such as `logged in`."""
    since: str | None
    """When the initiator logged in, in UTC. `null` if the export engine does not report the time."""
    read_bytes: int | None
    """Bytes read since the volumes were mapped to the initiator, in whole MiB per volume."""
    write_bytes: int | None
    """Bytes written since the volumes were mapped to the initiator, in whole MiB per volume."""
    commands: int | None
    """Number of commands of any kind since the volumes were mapped to the initiator."""
    queue_depth: int | None
    """Maximum number of commands in progress for the initiator. `null` if not reported."""
    can_disconnect: bool
    """Whether the appliance can disconnect the session."""
    stays_because: str | None
    """Reason why the session cannot be disconnected. `null` if it can be disconnected."""
    age_s: float
    """Age of the data in seconds."""


class SessionPage(TypedDict):
    """One page of sessions."""

    items: list[Session]
    """Entries on this page."""
    next_cursor: str | None
    """Cursor of the next page. `null` on the last page."""
    total: int
    """Number of entries on all pages."""
    unseen: list[Unseen]
    """Families whose sessions cannot be listed, with the reason. Sessions of these families may exist."""


class Settings(TypedDict):
    """Settings of the appliance."""

    name: str | None
    """Name of the appliance. `null` if the host name is used."""
    host_name: str | None
    """Host name that is set on the operating system. `null` if the host name is left as it is."""
    time_zone: str
    """Time zone of schedules and of the heartbeat, as a name such as `Europe/Berlin` or `UTC`."""
    session_hours: int
    """Lifetime of a browser login in hours."""
    second_factor_required: bool
    """Whether every user must have a second factor."""
    history_days: int
    """Number of days for which events, finished jobs, resolved alerts and disk health data are retained."""
    deleted_keep_hours: int
    """Number of hours for which deleted volumes and snapshots can be recovered."""
    number_held_hours: int
    """Number of hours for which the LUN or NSID of an unmapped volume is reserved."""
    disk_health_minutes: int
    """Interval in minutes at which the health of every disk is read."""
    short_test_days: int
    """Interval between short self-tests of a disk, in days of power-on time. 0 disables them."""
    long_test_days: int
    """Interval between long self-tests of a disk, in days of power-on time. 0 disables them."""
    mail: Mail | None
    """Settings of the mail channel. `null` if mail is not configured."""
    webhook: Webhook | None
    """Settings of the webhook channel. `null` if no webhook is configured."""
    syslog: Syslog | None
    """Settings of the syslog channel. `null` if syslog is not configured."""
    heartbeat: str | None
    """Time of the daily heartbeat as `HH:MM`, in `time_zone`. `null` if no heartbeat is sent."""
    trusted_ca: str | None
    """Certificates in PEM form of authorities that are trusted in addition to the system's own."""
    firewall: FirewallMode | None
    """Firewall mode. `null` for the default: `managed` after installation from the ISO, otherwise `off`."""
    discovery_auth: DiscoveryLogin | None
    """CHAP login required for the discovery of iSCSI targets. `null` if no login is required."""
    backup: BackupTarget | None
    """Settings of scheduled backups. `null` if none are set up."""
    backup_state: BackupState | None
    """State of the scheduled backups. `null` if none are set up, or were just set up."""
    deliveries: list[DeliveryState]
    """State of the delivery of messages over each configured channel."""
    updated_at: str
    """When the settings were last changed, in UTC."""


class SettingsPatch(TypedDict):
    """Changes to the settings. An omitted field does not change."""

    name: NotRequired[str | None]
    """Name of the appliance. `null` restores the host name."""
    host_name: NotRequired[str | None]
    """Host name of the operating system, without a domain. `null` leaves the present host name as it is."""
    time_zone: NotRequired[str | None]
    """Time zone of schedules and of the heartbeat, as a name such as `Europe/Berlin` or `UTC`."""
    session_hours: NotRequired[int | None]
    """Lifetime of a browser login in hours. A change applies to new logins only."""
    second_factor_required: NotRequired[bool | None]
    """Whether every user must have a second factor."""
    history_days: NotRequired[int | None]
    """Number of days for which events, finished jobs, resolved alerts and disk health data are retained."""
    deleted_keep_hours: NotRequired[int | None]
    """Number of hours for which deleted volumes and snapshots can be recovered."""
    number_held_hours: NotRequired[int | None]
    """Number of hours for which the LUN or NSID of an unmapped volume is reserved."""
    disk_health_minutes: NotRequired[int | None]
    """Interval in minutes at which the health of every disk is read."""
    short_test_days: NotRequired[int | None]
    """Interval between short self-tests of a disk, in days of power-on time. 0 disables them."""
    long_test_days: NotRequired[int | None]
    """Interval between long self-tests of a disk, in days of power-on time. 0 disables them."""
    mail: NotRequired[MailSettings | None]
    """Settings of the mail channel. `null` removes the channel and discards its waiting messages."""
    webhook: NotRequired[WebhookSettings | None]
    """Settings of the webhook channel. `null` removes the channel and discards its waiting messages."""
    syslog: NotRequired[SyslogSettings | None]
    """Settings of the syslog channel. `null` removes the channel and discards its waiting messages."""
    heartbeat: NotRequired[str | None]
    """Time of the daily heartbeat over every channel as `HH:MM`, in `time_zone`. `null` stops the
        heartbeat.
        """
    trusted_ca: NotRequired[str | None]
    """Certificates in PEM form of authorities that are trusted in addition to the system's own."""
    firewall: NotRequired[FirewallMode | None]
    """Firewall mode. `null` restores the default: `managed` after installation from the ISO, otherwise
        `off`.
        """
    discovery_auth: NotRequired[DiscoveryAuth | None]
    """CHAP login required for the discovery of iSCSI targets. `null` removes the login."""
    backup: NotRequired[BackupSettings | None]
    """Settings of scheduled backups. `null` ends them; stored backups stay on the server."""


class Site(TypedDict):
    """Site document: the desired state of the appliance, by name."""

    format: NotRequired[Literal[1]]
    """Version of the document format."""
    arrays: NotRequired[list[SiteArray] | None]
    """Arrays. If omitted or `null`, existing arrays stay unchanged."""
    volumes: NotRequired[list[SiteVolume] | None]
    """Volumes. If omitted or `null`, existing volumes stay unchanged."""
    hosts: NotRequired[list[SiteHost] | None]
    """Hosts. If omitted or `null`, existing hosts stay unchanged."""
    host_groups: NotRequired[list[SiteHostGroup] | None]
    """Host groups. If omitted or `null`, existing host groups stay unchanged."""
    portals: NotRequired[list[PortalCreate] | None]
    """Portals. If omitted or `null`, existing portals stay unchanged."""
    fc_ports: NotRequired[list[FcPortCreate] | None]
    """FC ports with their modes. If omitted or `null`, managed FC ports stay unchanged."""
    mappings: NotRequired[list[MappingCreate] | None]
    """Mappings. If omitted or `null`, existing mappings stay unchanged. All mappings of a volume with
        several owners must have `shared` set to `true`.
        """
    schedules: NotRequired[list[SiteSchedule] | None]
    """Schedules. If omitted or `null`, existing schedules stay unchanged."""
    settings: NotRequired[SettingsPatch | None]
    """Settings. If omitted or `null`, the settings stay unchanged."""


class SiteArray(TypedDict):
    """An array in a site document. Disks that the document adds join an existing array; no document
    removes a disk.
    """

    name: str
    """Unique name of the array."""
    engine: NotRequired[ArrayEngine]
    """Array engine that runs the array."""
    level: Level
    """Level of the array. The list of engines shows the levels of each engine."""
    disks: list[str]
    """IDs of the data disks, as the list of disks shows them."""
    chunk_bytes: NotRequired[int | str | None]
    """MD RAID and LVM RAID, except `raid1`: chunk size in bytes, a power of two. If omitted, 64 KiB."""
    layout: NotRequired[Raid10Layout | None]
    """MD RAID `raid10` only: arrangement of the copies. If omitted, `n2`. An array with a far layout
        (`f2`, `f3`) cannot grow.
        """
    write_hole: NotRequired[WriteHole | None]
    """Protection against the write hole. If omitted, `ppl` for MD RAID `raid5` with up to 64 disks of
        which none has an active volatile write cache, `bitmap` for any other redundant array of MD RAID and
        for LVM RAID. ZFS pools always have `copy_on_write`.
        """
    wipe: NotRequired[list[Any]]
    """Always empty. Disks to wipe are named in `destroy` of the request, as `disk/ID`."""
    write_mostly: NotRequired[list[str]]
    """MD RAID `raid1` only: IDs of those `disks` that are read only if no other disk has the data, such as
        slower or remote disks.
        """
    spares: NotRequired[list[str]]
    """MD RAID and ZFS, except levels without redundancy: IDs of the spares. The first spare replaces a
        failed data disk automatically.
        """
    spare_group: NotRequired[str | None]
    """MD RAID only, except `raid0`: name of the spare group. A degraded array without a spare receives a
        spare of another array in the group.
        """
    log: NotRequired[list[str]]
    """ZFS pools only: IDs of the log disks, which receive synchronous writes first. Several log disks form
        one mirror.
        """
    cache: NotRequired[list[str]]
    """ZFS pools only: IDs of the cache disks, which store copies of frequently read data. Each disk adds
        capacity. The loss of a cache disk loses no data.
        """
    special: NotRequired[list[str]]
    """ZFS pools only: IDs of the special disks, which store the metadata of the pool in one mirror. The
        mirror must survive as many disk failures as the data disks. The pool needs special disks as long as
        the pool exists.
        """
    group_data_disks: NotRequired[int | None]
    """dRAID only: number of data disks in each group. If omitted, the number that suits blocks of 16 KiB:
        4 on disks with 4 KiB sectors, fewer if the array has few disks.
        """
    distributed_spares: NotRequired[int | None]
    """dRAID only: number of distributed spares, whose space is spread over all disks. If omitted, one for
        every 20 disks, rounded up.
        """
    sync_speed_min_bytes_s: NotRequired[int | str | None]
    """MD RAID only, except `raid0`: minimum speed of a resync, rebuild or scrub in bytes per second and
        disk, even under load. If omitted, the default of the kernel.
        """
    sync_speed_max_bytes_s: NotRequired[int | str | None]
    """MD RAID only, except `raid0`: maximum speed of a resync, rebuild or scrub in bytes per second and
        disk, even without load. If omitted, the default of the kernel.
        """
    group_thread_cnt: NotRequired[int | None]
    """MD RAID 4, 5 and 6 only: number of threads per NUMA node that compute parity, in addition to the
        thread of the array. If omitted, an automatic value.
        """
    stripe_cache_size: NotRequired[int | None]
    """MD RAID 4, 5 and 6 only: number of stripes in the stripe cache, each 4 KiB of memory for each disk.
        If omitted, an automatic value.
        """
    skip_copy: NotRequired[bool | None]
    """MD RAID 4, 5 and 6 only: whether full pages are written directly from the memory of the request
        instead of from a copy. If omitted, an automatic value.
        """
    scheduler: NotRequired[Scheduler | None]
    """MD RAID only: I/O scheduler of the member disks. If omitted, the automatic scheduler for each disk."""
    health_command: NotRequired[str | None]
    """External arrays only: name of the command on the appliance that reports the health of the array. If
        omitted, the health is unknown.
        """
    integrity: NotRequired[bool]
    """LVM RAID only: whether every disk has checksums (dm-integrity with a journal). Corrupt blocks on a
        disk are then repaired from the other disks. Checksums do not detect corruption on the way to the
        disk, and every write is written twice.
        """
    encryption: NotRequired[Encryption | None]
    """MD RAID only: method of encryption of all data on the array. Requires `passphrase`. Encryption
        cannot be enabled or disabled later. If omitted, the array is not encrypted.
        """
    passphrase: NotRequired[str | None]
    """Encrypted arrays only: passphrase that unlocks the array, here and on any Linux machine; 12 to 512
        printable characters. Lunette does not store the passphrase. Without the passphrase and without a
        stored key, the data is lost.
        """
    keep_key: NotRequired[bool]
    """Encrypted arrays only: whether the appliance stores a key of its own and unlocks the array at every
        start. The data on removed disks stays protected, but not the data on a stolen appliance.
        """


class SiteChap(TypedDict):
    """CHAP credentials of a host in a site document. Exported documents contain no secrets."""

    user: str
    """User name that the host must present."""
    secret: NotRequired[str | None]
    """Secret that the host must present, 12 to 16 printable ASCII characters. If omitted or `null`, the
        stored secret stays unchanged.
        """
    mutual_user: NotRequired[str | None]
    """User name that the appliance presents to the host. `null` removes mutual CHAP. If omitted, the user
        name stays unchanged.
        """
    mutual_secret: NotRequired[str | None]
    """Secret that the appliance presents to the host, 12 to 16 printable ASCII characters. Must differ
        from `secret`. If omitted, the stored secret stays unchanged.
        """


class SiteDhChap(TypedDict):
    """DH-HMAC-CHAP keys of a host in a site document. Exported documents contain no keys."""

    secret: NotRequired[str | None]
    """Key of the host in the form `DHHC-1:…`. If omitted or `null`, the stored key stays unchanged."""
    is_mutual: NotRequired[bool | None]
    """Whether the appliance also authenticates itself to the host, with `mutual_secret`. `false` removes
        the key of the appliance. If omitted or `null`, `true` if `mutual_secret` is set, and unchanged
        otherwise.
        """
    mutual_secret: NotRequired[str | None]
    """Key of the appliance, in the same form. Must differ from `secret`. If omitted, the stored key stays
        unchanged.
        """
    hash: NotRequired[DhHash]
    """Hash of the exchange. If omitted, unchanged on an existing host. Has no effect with the export
        engine `spdk`, which negotiates the hash.
        """
    dh_group: NotRequired[DhGroup]
    """Diffie-Hellman group of the exchange. If omitted, unchanged on an existing host. Has no effect with
        the export engine `spdk`, which negotiates the group.
        """


class SiteHost(TypedDict):
    """A host in a site document."""

    name: str
    """Name of the host."""
    os_type: NotRequired[OsType]
    """Operating system of the host."""
    iqns: NotRequired[list[str]]
    """iSCSI initiator names (IQNs) of the host."""
    wwpns: NotRequired[list[str]]
    """Fibre Channel port names (WWPNs) of the host: 16 hexadecimal digits each, with or without colons."""
    nqns: NotRequired[list[str]]
    """NVMe qualified names (NQNs) of the host."""
    chap: NotRequired[SiteChap | None]
    """CHAP credentials that the host must present over iSCSI and iSER. `null` removes CHAP. If omitted,
        CHAP stays unchanged.
        """
    dhchap: NotRequired[SiteDhChap | None]
    """DH-HMAC-CHAP keys that the host must present over NVMe. `null` removes DH-HMAC-CHAP. If omitted, DH-
        HMAC-CHAP stays unchanged.
        """
    description: NotRequired[str]
    """Description of the host."""
    opens_without_missing_after_s: NotRequired[int | None]
    """Seconds, from 30 to 86400, after which the paths of the host open without missing volumes. Hosts
        then treat the missing volumes as lost. If `null`, the paths stay closed until all volumes are
        present.
        """
    renamed_from: NotRequired[str | None]
    """Former name of the object. The object with this name is renamed and retains everything else, such as
        data, identity and mappings. Ignored if an object with the new name exists. Exported documents do
        not contain this field.
        """


class SiteHostGroup(TypedDict):
    """A host group in a site document."""

    name: str
    """Name of the host group."""
    hosts: NotRequired[list[str]]
    """Names or IDs of the hosts in the group. A host belongs to one group at most."""
    description: NotRequired[str]
    """Description of the host group."""
    opens_without_missing_after_s: NotRequired[int | None]
    """Seconds, from 30 to 86400, after which the paths to the volumes of the group open without missing
        volumes. Hosts then treat the missing volumes as lost. If `null`, the paths stay closed until all
        volumes are present.
        """
    renamed_from: NotRequired[str | None]
    """Former name of the object. The object with this name is renamed and retains everything else, such as
        data, identity and mappings. Ignored if an object with the new name exists. Exported documents do
        not contain this field.
        """


class SiteRequest(TypedDict):
    """Site document to compare with the appliance, or to apply. Only objects that `destroy` names are
    deleted.
    """

    site: Site
    """Site document with the desired state."""
    scope: NotRequired[list[str]]
    """Objects to which the request is limited, such as `host/esx3`, each with what belongs to it: volumes
        of an array, mappings of a volume, mappings and mapped volumes of a host or host group, and hosts of
        a host group. If empty, the request applies to the whole document.
        """
    destroy: NotRequired[list[str]]
    """Objects that may be deleted, such as `volume/lun03` or `mapping/lun03/host/esx3`, and disks that may
        be wiped, such as `disk/ID`. A portal or mapping that is named here is replaced if it cannot be
        changed. Nothing else is deleted or wiped.
        """


class SiteSchedule(TypedDict):
    """A schedule in a site document."""

    name: str
    """Name of the schedule."""
    action: ScheduleAction
    """Action of the schedule. The action cannot be changed later."""
    volumes: NotRequired[list[str]]
    """Names or IDs of the volumes to take snapshots of. Required for the action `snapshot` only."""
    arrays: NotRequired[list[str]]
    """Names or IDs of the arrays to scrub, except RAID 0 and external arrays. Required for the action
        `scrub` only.
        """
    when: str
    """Cron expression with minute, hour, day of month, month and weekday, such as `0 3 * * *`."""
    keep: NotRequired[Retention | None]
    """Retention of the snapshots, per volume. Required for the action `snapshot` only."""
    snapshot_name: NotRequired[str]
    """Pattern for the names of the snapshots. Must contain `{volume}`, and may contain `{date}` and
        `{time}`.
        """
    missed: NotRequired[MissedRuns]
    """Handling of runs that were missed while the appliance was down."""
    enabled: NotRequired[bool]
    """Whether the schedule runs automatically. A disabled schedule can still be run manually."""
    description: NotRequired[str]
    """Free-text description."""
    renamed_from: NotRequired[str | None]
    """Former name of the object. The object with this name is renamed and retains everything else, such as
        data, identity and mappings. Ignored if an object with the new name exists. Exported documents do
        not contain this field.
        """


class SiteVolume(TypedDict):
    """A volume in a site document. A larger size grows the volume; a smaller size is refused."""

    name: str
    """Unique name of the volume."""
    array: str
    """Name or ID of the array."""
    size_bytes: int | str
    """Size of the volume in bytes: a multiple of 4 MiB, or of 16 KiB on a ZFS pool."""
    provisioning: NotRequired[Provisioning]
    """Whether the space is allocated when the volume is created (`thick`) or when hosts write data
        (`thin`).
        """
    description: NotRequired[str]
    """Description of the volume."""
    renamed_from: NotRequired[str | None]
    """Former name of the object. The object with this name is renamed and retains everything else, such as
        data, identity and mappings. Ignored if an object with the new name exists. Exported documents do
        not contain this field.
        """


class Snapshot(TypedDict):
    """A read-only point-in-time copy of a volume."""

    id: str
    """Unique ID of the snapshot."""
    name: str
    """Unique name of the snapshot."""
    description: str
    """Description of the snapshot."""
    volume: str
    """Name of the volume of the snapshot."""
    volume_id: str
    """Unique ID of the volume of the snapshot."""
    size_bytes: int
    """Size in bytes that the volume had when the snapshot was taken."""
    state: ResourceState
    """State of the snapshot in Lunette."""
    schedule: str | None
    """Name of the schedule that took the snapshot. `null` if none did, or if the schedule was deleted."""
    created_at: str
    """When the snapshot was taken, in UTC."""
    updated_at: str
    """When the record of the snapshot was last changed, in UTC."""


class SnapshotBatch(TypedDict):
    """Snapshots to take of many volumes as one job, all or none."""

    volumes: list[str]
    """Names or IDs of the volumes. On arrays other than ZFS pools, only thin volumes can have snapshots."""
    name: NotRequired[str]
    """Pattern for the names of the snapshots. Must contain `{volume}`, and may contain `{date}` and
        `{time}`. Long names of volumes are shortened.
        """
    description: NotRequired[str]
    """Description of each snapshot."""
    atomic: NotRequired[bool]
    """Whether all snapshots must be taken at the same moment. Refused unless all volumes are on one ZFS
        pool.
        """


class SnapshotClone(TypedDict):
    """Clones to create from a snapshot, all or none: one with `name`, or several with `name_pattern` and
    `count`.
    """

    name: NotRequired[str | None]
    """Name of the only clone. Required unless `name_pattern` is set."""
    name_pattern: NotRequired[str | None]
    """Pattern for the names, with one number in the notation of printf: `clone%02d` gives `clone01`,
        `clone02` and so on. The number has up to 9 digits. Required unless `name` is set.
        """
    count: NotRequired[int]
    """Number of clones to create with `name_pattern`."""
    first: NotRequired[int]
    """Number in the name of the first clone. Only with `name_pattern`."""
    description: NotRequired[str]
    """Description of each clone."""


class SnapshotCreate(TypedDict):
    """Snapshot to take of one volume."""

    name: str
    """Unique name of the snapshot."""
    volume: str
    """Name or ID of the volume. On arrays other than ZFS pools, only thin volumes can have snapshots."""
    description: NotRequired[str]
    """Description of the snapshot."""


class SnapshotDeleteBatch(TypedDict):
    """Snapshots to delete as one job, all or none."""

    snapshots: list[str]
    """Names or IDs of the snapshots. On ZFS, a snapshot from which volumes were cloned is refused."""


class SnapshotPage(TypedDict):
    """One page of a list."""

    items: list[Snapshot]
    """Entries on this page."""
    next_cursor: str | None
    """Cursor of the next page. `null` on the last page."""
    total: int
    """Number of entries on all pages."""


class SnapshotRecover(TypedDict):
    """Recovery of a deleted snapshot, under its former name or a new one."""

    name: NotRequired[str | None]
    """New name of the snapshot, needed if another snapshot has the former name. If omitted or `null`, the
        former name.
        """


class Split(TypedDict):
    """Distribution of volumes over hosts in equal, consecutive runs."""

    volumes: list[str]
    """IDs or names of the volumes, in the order of distribution. Every host must receive the same number
        of volumes.
        """
    hosts: list[str]
    """IDs or names of the hosts, in the order of distribution."""
    family: NotRequired[Family | None]
    """Protocol family of all mappings. If omitted, NVMe for hosts that have only NQNs, and SCSI for all
        others.
        """


class Status(TypedDict):
    """Overview of the appliance."""

    health: HealthState
    """Overall health of the appliance."""
    sentence: str
    """Most serious problem in one sentence, or the statement that there is none."""
    name: str
    """Name of the appliance; its host name if no name is set."""
    version: str
    """Lunette version that is running."""
    appliance_id: str
    """Unique ID of the appliance."""
    addresses: list[str]
    """IP addresses of the network interfaces; empty while the agent does not answer."""
    exports: ExportsStatus
    """How far the served exports match the desired state."""
    agent: AgentStatus
    """Whether the storage agent answers."""
    counts: Counts
    """Number of objects of each kind."""


class StillServed(TypedDict):
    """Object that is served now and missing from the backup."""

    kind: ReleaseKind
    """Kind of the object."""
    id: str
    """Unique ID of the object, to use in `give_up`."""
    words: str
    """Description of the object, with the hosts concerned."""


class StoredBackup(TypedDict):
    """Backup on the server of the scheduled backups."""

    name: str
    """File name in the folder on the server."""
    made_at: str
    """When the backup was created, in UTC."""
    size_bytes: int
    """Size of the file in bytes."""


class Syslog(TypedDict):
    """Settings of the syslog channel."""

    transport: SyslogTransport
    """Transport of the messages."""
    server: str | None
    """Host name or address of the log server. `null` for the transport `local`."""
    port: int | None
    """Port of the log server. `null` for the transport `local`."""


class SyslogSettings(TypedDict):
    """Settings of the syslog channel: a log server (RFC 5424), or the appliance's own log."""

    transport: NotRequired[SyslogTransport]
    """Transport of the messages."""
    server: NotRequired[str | None]
    """Host name or address of the log server. Required, except for the transport `local`, which has none."""
    port: NotRequired[int | None]
    """Port of the log server. If omitted, 6514 for `tls` and 514 for `udp` and `tcp`. Not allowed for
        `local`.
        """


class ThinPool(TypedDict):
    """Space that the thin volumes of an LVM-based array and their snapshots share."""

    size_bytes: int
    """Size of the thin pool for data, in bytes."""
    used_bytes: int | None
    """Used data space of the thin pool in bytes; `null` while the array does not run."""
    metadata_bytes: int
    """Size of the thin pool for metadata, in bytes."""
    metadata_used_bytes: int | None
    """Used metadata space of the thin pool in bytes; `null` while the array does not run."""
    volumes: int
    """Number of thin volumes and snapshots in the thin pool, including deleted ones that are retained."""


class Token(TypedDict):
    """API token for automation. The secret is returned only when the token is created."""

    id: str
    """Unique ID of the API token."""
    name: str
    """Name of the API token."""
    username: str
    """Username of the owner."""
    role: Role
    """Role of the API token. If the owner has a lower role, that role applies."""
    expires_at: str | None
    """When the API token expires, in UTC. `null` for a token without expiry."""
    last_used_at: str | None
    """When the API token was last used, in UTC, to the minute. `null` if the token has never been used."""
    created_at: str
    """When the API token was created, in UTC."""


class TokenCreate(TypedDict):
    """An API token to create."""

    name: str
    """Name of the token, unique among all tokens."""
    role: NotRequired[Role | None]
    """Role of the token, at most the creator's role. If null or omitted, the creator's role."""
    expires_days: NotRequired[int | None]
    """Days until the token expires. If null or omitted, the token never expires, or expires with the token
        used to create it.
        """


class TokenPage(TypedDict):
    """One page of a list."""

    items: list[Token]
    """Entries on this page."""
    next_cursor: str | None
    """Cursor of the next page. `null` on the last page."""
    total: int
    """Number of entries on all pages."""


class Undo(TypedDict):
    """Whether a change can be undone, and if not, why."""

    possible: bool
    """Whether the change can be undone in principle. A dry run of the undo reports whether the current
        state allows it.
        """
    reason: str | None
    """Why the change cannot be undone, and the alternative; `null` if it can."""
    undone_by: int | None
    """Number of the event that undid the change; `null` if the change was not undone. Undoing that event
        applies the change again.
        """


class Unseen(TypedDict):
    """Family whose sessions may exist and cannot be listed or measured."""

    family: Family
    """Family of the sessions."""
    reason: str
    """Reason why the sessions cannot be listed or measured."""


class Update(TypedDict):
    """The slots of the appliance, and the result of the last update."""

    available: bool
    """Whether the appliance can be updated. Only an appliance that is installed on its own disk has two
        slots.
        """
    reason: str | None
    """Why updates are not available; `null` if they are."""
    on_trial: bool
    """Whether the running version is on trial. If it does not prove healthy, the appliance restarts into
        the other slot.
        """
    slots: list[UpdateSlot]
    """Both slots; empty if updates are not available."""
    last: UpdateTrial | None
    """Last attempt to start another slot; `null` if there was none."""
    trusts: str | None
    """Signers whose bundles the appliance accepts; `null` if updates are not available."""
    outage_s: float | None
    """Time in seconds for which hosts had no exports during the last restart; `null` if not measured yet."""


class UpdateBundle(TypedDict):
    """An uploaded update bundle with a trusted signature."""

    id: str
    """Unique ID of the bundle, which the update request names."""
    version: str
    """Version in the bundle."""
    size_bytes: int
    """Size of the bundle in bytes."""
    is_older: bool
    """Whether the bundle is older than the running version. An older bundle is installed only with
        `downgrade`.
        """


class UpdateCreate(TypedDict):
    """Request to install an uploaded bundle and restart into it."""

    bundle: str
    """ID of the bundle, as returned by the upload or the fetch."""
    downgrade: NotRequired[bool]
    """Whether to install a version older than the running one, which brings back faults that were fixed
        since. By default, an older version is refused.
        """


class UpdateFetch(TypedDict):
    """Request to fetch a bundle from a web server, which is not trusted: the bundle must have a trusted
    signature.
    """

    url: str
    """HTTP or HTTPS address of the bundle. Its path and query, which may contain a token, are never
        logged.
        """


class UpdateSlot(TypedDict):
    """One of the two system images of the appliance."""

    name: Literal["a", "b"]
    """Name of the slot: `a` or `b`."""
    version: str | None
    """Version in the slot; `null` if the slot is empty or was not written completely."""
    running: bool
    """Whether the appliance runs from this slot."""
    next: bool
    """Whether the next restart starts this slot."""


class UpdateTrial(TypedDict):
    """The last attempt to start another slot."""

    version: str
    """Version on trial."""
    slot: Literal["a", "b"]
    """Slot on trial."""
    state: TrialState
    """Result of the trial."""
    reason: str | None
    """Why the trial failed; `null` if it did not fail."""


class User(TypedDict):
    """User account."""

    id: str
    """Unique ID of the user."""
    username: str
    """Name with which the user logs in."""
    role: Role
    """Role of the user."""
    password_change_required: bool
    """Whether the user must change the password before any other action."""
    has_second_factor: bool
    """Whether the user has a second factor."""
    created_at: str
    """When the user was created, in UTC."""
    updated_at: str
    """When the user was last changed, in UTC."""


class UserCreate(TypedDict):
    """A user to create."""

    username: str
    """Name to log in with, unique among all users."""
    password: str
    """Password for the first login, 12 to 256 characters. The user must change the password then."""
    role: NotRequired[Literal["viewer", "operator", "administrator"]]
    """Role of the user. If omitted, `viewer`."""


class UserPage(TypedDict):
    """One page of a list."""

    items: list[User]
    """Entries on this page."""
    next_cursor: str | None
    """Cursor of the next page. `null` on the last page."""
    total: int
    """Number of entries on all pages."""


class UserPatch(TypedDict):
    """Changes of a user; omitted fields stay unchanged."""

    role: NotRequired[Literal["viewer", "operator", "administrator"] | None]
    """New role of the user, which ends the user's logins. If null or omitted, the role stays unchanged."""
    password: NotRequired[str | None]
    """New password, 12 to 256 characters, which ends the user's logins. The user must change the password
        at the next login. If null or omitted, the password stays unchanged.
        """
    keep_tokens: NotRequired[bool]
    """Whether the user's API tokens stay valid when `password` is set. If false or omitted, they are
        deleted.
        """
    remove_second_factor: NotRequired[bool]
    """Whether to remove the second factor of a user who has lost the authenticator app and the recovery
        codes. Refused for the caller's own account.
        """


class Volume(TypedDict):
    """A slice of an array that hosts use as a disk."""

    id: str
    """Unique ID of the volume."""
    name: str
    """Unique name of the volume."""
    description: str
    """Description of the volume."""
    array: str
    """Name of the array."""
    array_id: str
    """Unique ID of the array."""
    size_bytes: int
    """Size of the volume in bytes."""
    provisioning: Provisioning
    """Whether the space was allocated when the volume was created (`thick`) or is allocated when hosts
        write data (`thin`).
        """
    can_snapshot: bool
    """Whether the volume can have snapshots. `false` for a thick volume, except on a ZFS pool."""
    state: ResourceState
    """State of the volume in Lunette."""
    uuid: str
    """UUID of the volume. NVMe hosts see the UUID."""
    serial: str
    """Unit serial number of the volume. SCSI hosts see the serial number."""
    naa: str
    """NAA identifier of the volume, derived from the serial number. SCSI hosts see the NAA."""
    nguid: str
    """NGUID of the volume. NVMe hosts see the NGUID. All zeros if hosts see none, because the volume was
        adopted from a subsystem that showed none.
        """
    eui64: str
    """EUI-64 of the volume. Hosts do not see the EUI-64."""
    mapped_to: list[MappedTo]
    """Mappings of the volume to hosts and host groups; empty if the volume is not mapped."""
    export: Export
    """Whether the volume is served to hosts now, and the reason if it is not."""
    observed: VolumeObserved | None
    """Volume as observed on the machine; `null` if the machine does not report the volume."""
    created_at: str
    """When the volume was created or adopted, in UTC."""
    updated_at: str
    """When the record of the volume was last changed, in UTC."""


class VolumeBatch(TypedDict):
    """Volumes of the same size to create as one job, all or none."""

    array: str
    """Name or ID of the array."""
    name_pattern: str
    """Pattern for the names, with one number in the notation of printf: `lun%02d` gives `lun01`, `lun02`
        and so on. The number has up to 9 digits.
        """
    count: int
    """Number of volumes to create."""
    first: NotRequired[int]
    """Number in the name of the first volume."""
    size_bytes: int | str
    """Size of each volume in bytes: a multiple of 4 MiB, or of 16 KiB on a ZFS pool."""
    provisioning: NotRequired[Provisioning]
    """Whether the space is allocated when the volumes are created (`thick`) or when hosts write data
        (`thin`).
        """
    description: NotRequired[str]
    """Description of each volume."""


class VolumeCreate(TypedDict):
    """Volume to create on an array."""

    name: str
    """Unique name of the volume."""
    array: str
    """Name or ID of the array."""
    size_bytes: int | str
    """Size of the volume in bytes: a multiple of 4 MiB, or of 16 KiB on a ZFS pool."""
    provisioning: NotRequired[Provisioning]
    """Whether the space is allocated when the volume is created (`thick`) or when hosts write data
        (`thin`).
        """
    description: NotRequired[str]
    """Description of the volume."""


class VolumeDeleteBatch(TypedDict):
    """Volumes to delete as one job, all or none."""

    volumes: list[str]
    """Names or IDs of the volumes. Unless `cascade` is set, a volume with mappings or snapshots is
        refused.
        """
    cascade: NotRequired[bool]
    """Whether the mappings and snapshots of the volumes are deleted too."""


class VolumeGrow(TypedDict):
    """New size of a volume, which hosts can use meanwhile. A volume cannot be made smaller."""

    size_bytes: int | str
    """New size of the volume in bytes: a multiple of 4 MiB, or of 16 KiB on a ZFS pool. Must not be less
        than the current size.
        """


class VolumeObserved(TypedDict):
    """A volume as observed on the machine, with the age of the observation."""

    age_s: float
    """Age of the observation in seconds."""
    device: str
    """Path of the block device of the volume."""
    size_bytes: int
    """Observed size of the volume in bytes."""
    active: bool
    """Whether the block device of the volume is active."""
    open: bool | None
    """Whether the block device is in use, for example by an export. `null` for a volume on a ZFS pool,
        which does not report the use.
        """
    sealed: bool
    """Whether the preparation of the volume is complete. `false` while a new volume can still contain old
        data that has not been wiped.
        """
    used_bytes: int | None
    """Data of a thin volume in bytes, including data that its snapshots share. `null` for a thick volume,
        and while the volume is not active.
        """
    block_bytes: int | None
    """Logical block size in bytes, as hosts see it: 512 or 4096, depending on the disks of the array.
        `null` while the volume is not active.
        """


class VolumePage(TypedDict):
    """One page of a list."""

    items: list[Volume]
    """Entries on this page."""
    next_cursor: str | None
    """Cursor of the next page. `null` on the last page."""
    total: int
    """Number of entries on all pages."""


class VolumePatch(TypedDict):
    """Changes to a volume that do not affect its data. Fields that are omitted stay unchanged."""

    name: NotRequired[str | None]
    """New name of the volume. If omitted or `null`, the name stays unchanged."""
    description: NotRequired[str | None]
    """New description of the volume. If omitted or `null`, the description stays unchanged."""


class VolumePaths(TypedDict):
    """The paths of a host to one of its volumes."""

    volume: str
    """Name of the volume."""
    lun: int
    """LUN of the volume; over NVMe the namespace ID."""
    family: Family
    """Protocol family of the mapping."""
    expected: int
    """Number of paths that the host should have."""
    seen: int | None
    """Number of paths over which the host is logged in; `null` if the state of any path is not known."""
    state: PathState
    """State of all paths: `down` if any is missing or none is expected, `unknown` if any is not known,
        else `up`.
        """
    words: str
    """Description of the state, with the missing paths."""


class VolumeRecover(TypedDict):
    """Recovery of a deleted volume, under its former name or a new one."""

    name: NotRequired[str | None]
    """New name of the volume, needed if another volume has the former name. If omitted or `null`, the
        former name.
        """


class VolumeRollBack(TypedDict):
    """Rollback of a volume to one of its snapshots."""

    snapshot: str
    """Name or ID of the snapshot."""
    keep: NotRequired[bool]
    """Whether the present data of the volume is retained as a deleted volume of the same name, for the
        hours of the setting `deleted_keep_hours`. If `false`, or with 0 hours, the present data is
        destroyed.
        """
    delete_newer_snapshots: NotRequired[bool]
    """Whether newer snapshots that prevent the rollback are erased, which cannot be undone. Only ZFS needs
        this.
        """


class VolumeWhy(TypedDict):
    """Why hosts can or cannot use a volume."""

    volume: str
    """Name of the volume."""
    chains: list[WhyChain]
    """One chain for the requested host, or for each host that the volume is mapped to."""


class Webhook(TypedDict):
    """Settings of the webhook channel. The secret and the path and query of the address are never
    returned.
    """

    url: str
    """Scheme, host and port of the address to which messages are posted."""
    has_path: bool
    """Whether the stored address also has a path or a query."""
    has_secret: bool
    """Whether a secret for signing messages is stored."""


class WebhookSettings(TypedDict):
    """Settings of the webhook channel. The server's certificate is always verified."""

    url: str
    """HTTPS address to which messages are posted. Its path and query are secret and never returned."""
    secret: NotRequired[str | None]
    """Secret with which each message is signed (HMAC-SHA256), of at least 16 characters. Never returned."""


class WhyChain(TypedDict):
    """The chain from the disks of a volume to one host."""

    host: str | None
    """Name of the host; `null` if the volume is not mapped to any host."""
    sentence: str
    """Summary in one sentence, which names the first broken link, or else the first degraded one."""
    links: list[WhyLink]
    """Links of the chain, from disk to session."""


class WhyLink(TypedDict):
    """One link of the chain, with its state."""

    part: Part
    """Part of the chain."""
    state: LinkState
    """State of the link."""
    words: str
    """Description of the state; for a broken or degraded link with the action to take."""
