"""The closed sets of words of the API. Made from backend/openapi.json by `make generate`; do not edit."""

from typing import Literal

Action = Literal["create", "change", "interrupt", "destroy"]
ACTION = (
    "create",
    "change",
    "interrupt",
    "destroy",
)
AlertFamily = Literal[
    "agent",
    "array",
    "backup",
    "clock",
    "delivery",
    "disk",
    "exports",
    "fc_port",
    "firewall",
    "host",
    "initiator",
    "interface",
    "job",
    "login",
    "mapping",
    "portal",
    "schedule",
    "sealed_copy",
    "setting",
    "spdk",
    "subsystem",
    "system",
    "target",
    "thin_pool",
]
ALERT_FAMILY = (
    "agent",
    "array",
    "backup",
    "clock",
    "delivery",
    "disk",
    "exports",
    "fc_port",
    "firewall",
    "host",
    "initiator",
    "interface",
    "job",
    "login",
    "mapping",
    "portal",
    "schedule",
    "sealed_copy",
    "setting",
    "spdk",
    "subsystem",
    "system",
    "target",
    "thin_pool",
)
AlertNoun = Literal[
    "array", "disk", "fc_port", "host", "host_group", "interface", "job", "portal", "schedule", "volume"
]
ALERT_NOUN = (
    "array",
    "disk",
    "fc_port",
    "host",
    "host_group",
    "interface",
    "job",
    "portal",
    "schedule",
    "volume",
)
ArrayEngine = Literal["md", "zfs", "lvm", "external"]
ARRAY_ENGINE = (
    "md",
    "zfs",
    "lvm",
    "external",
)
ArrayHealth = Literal["clean", "resyncing", "reshaping", "degraded", "rebuilding", "failed", "missing", "unknown"]
ARRAY_HEALTH = (
    "clean",
    "resyncing",
    "reshaping",
    "degraded",
    "rebuilding",
    "failed",
    "missing",
    "unknown",
)
ArrayVerb = Literal[
    "add_spares",
    "add_disks",
    "grow",
    "reshape",
    "replace",
    "fail",
    "remove",
    "readd",
    "force_start",
    "scrub",
    "pace",
    "tune",
    "release",
]
ARRAY_VERB = (
    "add_spares",
    "add_disks",
    "grow",
    "reshape",
    "replace",
    "fail",
    "remove",
    "readd",
    "force_start",
    "scrub",
    "pace",
    "tune",
    "release",
)
BondMode = Literal["active-backup", "802.3ad", "balance-xor", "balance-rr", "balance-tlb", "balance-alb"]
BOND_MODE = (
    "active-backup",
    "802.3ad",
    "balance-xor",
    "balance-rr",
    "balance-tlb",
    "balance-alb",
)
CapacityTrend = Literal["unknown", "growing", "steady", "shrinking"]
CAPACITY_TREND = (
    "unknown",
    "growing",
    "steady",
    "shrinking",
)
Channel = Literal["mail", "webhook", "syslog"]
CHANNEL = (
    "mail",
    "webhook",
    "syslog",
)
Convergence = Literal["converged", "pending", "held", "refused", "unknown"]
CONVERGENCE = (
    "converged",
    "pending",
    "held",
    "refused",
    "unknown",
)
DhGroup = Literal["null", "ffdhe2048", "ffdhe3072", "ffdhe4096", "ffdhe6144", "ffdhe8192"]
DH_GROUP = (
    "null",
    "ffdhe2048",
    "ffdhe3072",
    "ffdhe4096",
    "ffdhe6144",
    "ffdhe8192",
)
DhHash = Literal["sha256", "sha384", "sha512"]
DH_HASH = (
    "sha256",
    "sha384",
    "sha512",
)
DiskHealthState = Literal["ok", "warning", "failing", "unknown"]
DISK_HEALTH_STATE = (
    "ok",
    "warning",
    "failing",
    "unknown",
)
DiskState = Literal["free", "member", "occupied", "system", "missing", "unknown"]
DISK_STATE = (
    "free",
    "member",
    "occupied",
    "system",
    "missing",
    "unknown",
)
DriftKind = Literal["refused", "unexplained", "unserved", "missing", "unknown", "foreign"]
DRIFT_KIND = (
    "refused",
    "unexplained",
    "unserved",
    "missing",
    "unknown",
    "foreign",
)
Encryption = Literal["luks2"]
ENCRYPTION = ("luks2",)
EngineAbility = Literal[
    "thin",
    "grow",
    "snapshot",
    "spares",
    "add_disks",
    "replace",
    "health",
    "write_hole",
    "integrity",
    "encryption",
    "iscsi",
    "iser",
    "fc",
    "nvme-tcp",
    "nvme-rdma",
    "nvme-fc",
]
ENGINE_ABILITY = (
    "thin",
    "grow",
    "snapshot",
    "spares",
    "add_disks",
    "replace",
    "health",
    "write_hole",
    "integrity",
    "encryption",
    "iscsi",
    "iser",
    "fc",
    "nvme-tcp",
    "nvme-rdma",
    "nvme-fc",
)
EventOutcome = Literal["begun", "done", "failed"]
EVENT_OUTCOME = (
    "begun",
    "done",
    "failed",
)
ExportEngine = Literal["lio", "nvmet", "spdk"]
EXPORT_ENGINE = (
    "lio",
    "nvmet",
    "spdk",
)
ExportFormat = Literal["csv", "json"]
EXPORT_FORMAT = (
    "csv",
    "json",
)
ExportState = Literal["open", "blocked", "pending", "none", "unknown"]
EXPORT_STATE = (
    "open",
    "blocked",
    "pending",
    "none",
    "unknown",
)
Family = Literal["scsi", "nvme"]
FAMILY = (
    "scsi",
    "nvme",
)
FcMode = Literal["target", "initiator", "dual", "disabled"]
FC_MODE = (
    "target",
    "initiator",
    "dual",
    "disabled",
)
FirewallMode = Literal["managed", "off"]
FIREWALL_MODE = (
    "managed",
    "off",
)
FirewallState = Literal["in_force", "off", "unavailable", "failed"]
FIREWALL_STATE = (
    "in_force",
    "off",
    "unavailable",
    "failed",
)
HealthState = Literal["good", "warning", "critical"]
HEALTH_STATE = (
    "good",
    "warning",
    "critical",
)
HistoryRange = Literal["1h", "24h", "7d", "30d"]
HISTORY_RANGE = (
    "1h",
    "24h",
    "7d",
    "30d",
)
HostConnection = Literal["online", "degraded", "offline", "never", "unknown"]
HOST_CONNECTION = (
    "online",
    "degraded",
    "offline",
    "never",
    "unknown",
)
InitiatorKind = Literal["iqn", "wwpn", "nqn"]
INITIATOR_KIND = (
    "iqn",
    "wwpn",
    "nqn",
)
InterfaceKind = Literal["vlan", "bond"]
INTERFACE_KIND = (
    "vlan",
    "bond",
)
InterfaceRole = Literal["management", "storage", "both"]
INTERFACE_ROLE = (
    "management",
    "storage",
    "both",
)
JobKind = Literal[
    "array.create",
    "array.delete",
    "array.change",
    "array.start",
    "array.adopt",
    "array.release",
    "volumes.create",
    "volume.delete",
    "volume.recover",
    "volume.erase",
    "volume.grow",
    "volume.roll_back",
    "snapshots.create",
    "snapshot.delete",
    "snapshot.recover",
    "snapshot.erase",
    "thin_pool.grow",
    "interface.change",
    "session.disconnect",
    "site.apply",
    "site.adopt",
    "schedule.run",
    "system.update",
    "system.restart",
    "system.power_off",
    "disk.wipe",
    "disk.locate",
    "host.verify_paths",
]
JOB_KIND = (
    "array.create",
    "array.delete",
    "array.change",
    "array.start",
    "array.adopt",
    "array.release",
    "volumes.create",
    "volume.delete",
    "volume.recover",
    "volume.erase",
    "volume.grow",
    "volume.roll_back",
    "snapshots.create",
    "snapshot.delete",
    "snapshot.recover",
    "snapshot.erase",
    "thin_pool.grow",
    "interface.change",
    "session.disconnect",
    "site.apply",
    "site.adopt",
    "schedule.run",
    "system.update",
    "system.restart",
    "system.power_off",
    "disk.wipe",
    "disk.locate",
    "host.verify_paths",
)
JobState = Literal["pending", "running", "succeeded", "failed", "undone", "stuck"]
JOB_STATE = (
    "pending",
    "running",
    "succeeded",
    "failed",
    "undone",
    "stuck",
)
KitProof = Literal["tested", "documented"]
KIT_PROOF = (
    "tested",
    "documented",
)
LacpRate = Literal["slow", "fast"]
LACP_RATE = (
    "slow",
    "fast",
)
Level = Literal[
    "raid0",
    "raid1",
    "raid4",
    "raid5",
    "raid6",
    "raid10",
    "stripe",
    "mirror",
    "raidz1",
    "raidz2",
    "raidz3",
    "draid1",
    "draid2",
    "draid3",
    "external",
]
LEVEL = (
    "raid0",
    "raid1",
    "raid4",
    "raid5",
    "raid6",
    "raid10",
    "stripe",
    "mirror",
    "raidz1",
    "raidz2",
    "raidz3",
    "draid1",
    "draid2",
    "draid3",
    "external",
)
LinkState = Literal["ok", "degraded", "broken", "unknown"]
LINK_STATE = (
    "ok",
    "degraded",
    "broken",
    "unknown",
)
MailSecurity = Literal["starttls", "tls", "none"]
MAIL_SECURITY = (
    "starttls",
    "tls",
    "none",
)
Measured = Literal["appliance", "volume", "session", "host", "array", "disk"]
MEASURED = (
    "appliance",
    "volume",
    "session",
    "host",
    "array",
    "disk",
)
MemberRole = Literal["data", "log", "cache", "special", "spare"]
MEMBER_ROLE = (
    "data",
    "log",
    "cache",
    "special",
    "spare",
)
MissedRuns = Literal["run_once", "skip"]
MISSED_RUNS = (
    "run_once",
    "skip",
)
NextStep = Literal["start", "adopt", "rebuild", "none"]
NEXT_STEP = (
    "start",
    "adopt",
    "rebuild",
    "none",
)
OsType = Literal["linux", "esxi", "windows", "proxmox", "other"]
OS_TYPE = (
    "linux",
    "esxi",
    "windows",
    "proxmox",
    "other",
)
Part = Literal["disk", "array", "volume", "export", "portal", "session"]
PART = (
    "disk",
    "array",
    "volume",
    "export",
    "portal",
    "session",
)
PathState = Literal["up", "down", "unknown"]
PATH_STATE = (
    "up",
    "down",
    "unknown",
)
PortProtocol = Literal["tcp", "udp"]
PORT_PROTOCOL = (
    "tcp",
    "udp",
)
ProblemType = Literal[
    "invalid",
    "malformed",
    "unauthenticated",
    "forbidden",
    "password-change-required",
    "code-required",
    "second-factor-required",
    "not-found",
    "method-not-allowed",
    "conflict",
    "in-use",
    "stuck",
    "precondition-failed",
    "too-large",
    "too-slow",
    "length-required",
    "precondition-required",
    "rate-limited",
    "internal",
    "tool-failed",
    "unavailable",
    "no-space",
]
PROBLEM_TYPE = (
    "invalid",
    "malformed",
    "unauthenticated",
    "forbidden",
    "password-change-required",
    "code-required",
    "second-factor-required",
    "not-found",
    "method-not-allowed",
    "conflict",
    "in-use",
    "stuck",
    "precondition-failed",
    "too-large",
    "too-slow",
    "length-required",
    "precondition-required",
    "rate-limited",
    "internal",
    "tool-failed",
    "unavailable",
    "no-space",
)
Protocol = Literal["iscsi", "iser", "nvme-tcp", "nvme-rdma", "nvme-fc", "fc"]
PROTOCOL = (
    "iscsi",
    "iser",
    "nvme-tcp",
    "nvme-rdma",
    "nvme-fc",
    "fc",
)
Provisioning = Literal["thick", "thin"]
PROVISIONING = (
    "thick",
    "thin",
)
Raid10Layout = Literal["n2", "f2", "o2", "n3", "f3", "o3"]
RAID10_LAYOUT = (
    "n2",
    "f2",
    "o2",
    "n3",
    "f3",
    "o3",
)
ReleaseKind = Literal["array", "volume", "portal", "fc_port", "target", "subsystem", "initiator", "mapping"]
RELEASE_KIND = (
    "array",
    "volume",
    "portal",
    "fc_port",
    "target",
    "subsystem",
    "initiator",
    "mapping",
)
RemedyAction = Literal["replace_disk", "unlock_array", "resolve_job", "run_schedule", "set_host_secrets"]
REMEDY_ACTION = (
    "replace_disk",
    "unlock_array",
    "resolve_job",
    "run_schedule",
    "set_host_secrets",
)
Resolution = Literal["retry", "abandon"]
RESOLUTION = (
    "retry",
    "abandon",
)
ResourceState = Literal["creating", "ready", "changing", "deleting", "stuck"]
RESOURCE_STATE = (
    "creating",
    "ready",
    "changing",
    "deleting",
    "stuck",
)
Role = Literal["metrics", "viewer", "operator", "administrator"]
ROLE = (
    "metrics",
    "viewer",
    "operator",
    "administrator",
)
RowChange = Literal["returns", "changes", "forgotten"]
ROW_CHANGE = (
    "returns",
    "changes",
    "forgotten",
)
ScheduleAction = Literal["snapshot", "scrub"]
SCHEDULE_ACTION = (
    "snapshot",
    "scrub",
)
Scheduler = Literal["none", "mq-deadline"]
SCHEDULER = (
    "none",
    "mq-deadline",
)
ScrubAction = Literal["check", "repair", "stop"]
SCRUB_ACTION = (
    "check",
    "repair",
    "stop",
)
SearchField = Literal[
    "name",
    "address",
    "initiator",
    "target",
    "wwpn",
    "naa",
    "serial",
    "nguid",
    "eui64",
    "uuid",
    "wwn",
    "device",
    "mac",
    "model",
    "description",
    "id",
]
SEARCH_FIELD = (
    "name",
    "address",
    "initiator",
    "target",
    "wwpn",
    "naa",
    "serial",
    "nguid",
    "eui64",
    "uuid",
    "wwn",
    "device",
    "mac",
    "model",
    "description",
    "id",
)
SearchMatch = Literal["exact", "prefix", "part"]
SEARCH_MATCH = (
    "exact",
    "prefix",
    "part",
)
SearchNoun = Literal[
    "array",
    "disk",
    "volume",
    "snapshot",
    "host",
    "host_group",
    "portal",
    "interface",
    "fc_port",
    "session",
    "schedule",
    "deleted_volume",
    "deleted_snapshot",
    "job",
    "user",
]
SEARCH_NOUN = (
    "array",
    "disk",
    "volume",
    "snapshot",
    "host",
    "host_group",
    "portal",
    "interface",
    "fc_port",
    "session",
    "schedule",
    "deleted_volume",
    "deleted_snapshot",
    "job",
    "user",
)
SelfTestKind = Literal["short", "long", "other"]
SELF_TEST_KIND = (
    "short",
    "long",
    "other",
)
SelfTestResult = Literal["passed", "failed", "aborted"]
SELF_TEST_RESULT = (
    "passed",
    "failed",
    "aborted",
)
Severity = Literal["info", "warning", "critical"]
SEVERITY = (
    "info",
    "warning",
    "critical",
)
StepState = Literal["pending", "started", "done", "undoing", "undone", "undo_failed"]
STEP_STATE = (
    "pending",
    "started",
    "done",
    "undoing",
    "undone",
    "undo_failed",
)
SyslogTransport = Literal["local", "udp", "tcp", "tls"]
SYSLOG_TRANSPORT = (
    "local",
    "udp",
    "tcp",
    "tls",
)
Transport = Literal["nvme", "sas", "sata", "scsi", "virtio", "ubd", "other"]
TRANSPORT = (
    "nvme",
    "sas",
    "sata",
    "scsi",
    "virtio",
    "ubd",
    "other",
)
TrialState = Literal["starting", "healthy", "failed"]
TRIAL_STATE = (
    "starting",
    "healthy",
    "failed",
)
TuningName = Literal["group_thread_cnt", "stripe_cache_size", "skip_copy", "scheduler"]
TUNING_NAME = (
    "group_thread_cnt",
    "stripe_cache_size",
    "skip_copy",
    "scheduler",
)
WipeMethod = Literal["signatures", "format", "crypto", "sanitize_block", "sanitize_crypto"]
WIPE_METHOD = (
    "signatures",
    "format",
    "crypto",
    "sanitize_block",
    "sanitize_crypto",
)
WriteHole = Literal["ppl", "bitmap", "journal", "none", "copy_on_write", "external"]
WRITE_HOLE = (
    "ppl",
    "bitmap",
    "journal",
    "none",
    "copy_on_write",
    "external",
)
