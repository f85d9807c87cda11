"""Arrays: requests, observations, and the capabilities of the array engines."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, field_validator, model_validator

from lunette.domain.base import Model
from lunette.domain.encryption import Encryption, NewArrayPassphrase
from lunette.domain.names import Name
from lunette.domain.sizes import KIB, MIB, OR_TEXT
from lunette.domain.tuning import GroupThreads, ObservedTuning, Scheduler, StripeCache


class ArrayEngine(StrEnum):
    """Software that runs an array."""

    MD = "md"
    """MD RAID, the software RAID of Linux."""
    ZFS = "zfs"
    """ZFS. The array is a ZFS pool."""
    LVM = "lvm"
    """LVM RAID (dm-raid)."""
    EXTERNAL = "external"
    """A single device that provides its own redundancy, such as a volume of a RAID controller."""


class Level(StrEnum):
    """How an array distributes data and redundancy. Each array engine offers some of the levels."""

    RAID0 = "raid0"
    """MD RAID: striping without redundancy."""
    RAID1 = "raid1"
    """MD RAID and LVM RAID: mirroring. Every disk has a complete copy of the data."""
    RAID4 = "raid4"
    """MD RAID: striping with all parity on one disk. Survives the loss of one disk."""
    RAID5 = "raid5"
    """MD RAID and LVM RAID: striping with distributed parity. Survives the loss of one disk."""
    RAID6 = "raid6"
    """MD RAID and LVM RAID: striping with double distributed parity. Survives the loss of two disks."""
    RAID10 = "raid10"
    """MD RAID and LVM RAID: striping of mirrored data. ZFS: a pool of mirrors of two disks each, in the order of the
    disks."""
    STRIPE = "stripe"
    """ZFS: striping without redundancy."""
    MIRROR = "mirror"
    """ZFS: mirroring. Every disk has a complete copy of the data."""
    RAIDZ1 = "raidz1"
    """ZFS: RAID-Z with single parity. Survives the loss of one disk."""
    RAIDZ2 = "raidz2"
    """ZFS: RAID-Z with double parity. Survives the loss of two disks."""
    RAIDZ3 = "raidz3"
    """ZFS: RAID-Z with triple parity. Survives the loss of three disks."""
    DRAID1 = "draid1"
    """ZFS: dRAID, groups with single parity and spare space distributed over all disks. Survives the loss of one
    disk."""
    DRAID2 = "draid2"
    """ZFS: dRAID with double parity. Survives the loss of two disks."""
    DRAID3 = "draid3"
    """ZFS: dRAID with triple parity. Survives the loss of three disks."""
    EXTERNAL = "external"
    """External: a single device whose redundancy is unknown to Lunette."""


class Raid10Layout(StrEnum):
    """Arrangement of the copies on an MD RAID array of level `raid10`, as mdadm names it."""

    N2 = "n2"
    """Near, two copies. The copies of a chunk are on adjacent disks."""
    F2 = "f2"
    """Far, two copies. Each copy has its own section of every disk: fast reads, slow writes on rotating disks. The
    array cannot grow."""
    O2 = "o2"
    """Offset, two copies. Each stripe is repeated in the next stripe, shifted by one disk."""
    N3 = "n3"
    """Near, three copies. The copies of a chunk are on adjacent disks."""
    F3 = "f3"
    """Far, three copies. Each copy has its own section of every disk: fast reads, slow writes on rotating disks. The
    array cannot grow."""
    O3 = "o3"
    """Offset, three copies. Each stripe is repeated in the next two stripes, shifted by one disk each."""


class MemberRole(StrEnum):
    """Role of a disk in an array."""

    DATA = "data"
    """Data disk: stores data and redundancy."""
    LOG = "log"
    """Log disk: receives synchronous writes first, and is read only after a power loss. Found on ZFS pools, and as the
    journal of MD RAID arrays that other systems created."""
    CACHE = "cache"
    """Cache disk: stores copies of frequently read data. Found on ZFS pools."""
    SPECIAL = "special"
    """Special disk: stores the metadata of a ZFS pool. Without its special disks, the pool is lost."""
    SPARE = "spare"
    """Spare: replaces a failed data disk automatically."""

    @property
    def field(self) -> str:
        """The field of an ArrayCreate that names the disks of this role."""
        return {MemberRole.DATA: "disks", MemberRole.SPARE: "spares"}.get(self, self.value)


class WriteHole(StrEnum):
    """Protection of an array against the write hole: wrong parity after a power loss between the data write and the
    parity write."""

    PPL = "ppl"
    """Partial parity log. Closes the write hole. MD RAID arrays of level `raid5` only, while none of their disks has an
    active volatile write cache; costs 30% to 40% of the random write performance."""
    BITMAP = "bitmap"
    """Write-intent bitmap. Shortens the resync after an unclean shutdown, but the write hole stays open."""
    JOURNAL = "journal"
    """Journal on a separate disk. Closes the write hole. Found on arrays that other systems created; Lunette does not
    create such journals."""
    NONE = "none"
    """No protection. A full resync follows an unclean shutdown."""
    COPY_ON_WRITE = "copy_on_write"
    """No write hole, because ZFS never overwrites data in place."""
    EXTERNAL = "external"
    """Unknown to Lunette: the device of an external array handles the write hole."""


class ArrayState(StrEnum):
    """Health of an array as the kernel or, for an external array, its health command reports it."""

    CLEAN = "clean"
    """All members work, and the data is consistent."""
    RESYNCING = "resyncing"
    """All members work, and a resync runs. The array is not fully redundant yet."""
    RESHAPING = "reshaping"
    """All members work, and the data is being distributed over another number of disks. The array is redundant."""
    DEGRADED = "degraded"
    """Redundancy is reduced, because a member is missing or faulty and no rebuild runs."""
    REBUILDING = "rebuilding"
    """Redundancy is reduced until the rebuild that runs is complete."""
    FAILED = "failed"
    """Too many members are missing or faulty. The data cannot be accessed."""
    MISSING = "missing"
    """The array does not run: it is not assembled."""
    UNKNOWN = "unknown"
    """The array works, but its redundancy is unknown."""


Pace = Annotated[int, Field(ge=KIB, le=2**40), OR_TEXT]
"""Bytes per second and disk; md counts in whole KiB."""


def check_pace(low: int | None, high: int | None) -> None:
    """Raises ValueError if the least pace is above the greatest."""
    if low is not None and high is not None and low > high:
        raise ValueError("sync_speed_min_bytes_s is greater than sync_speed_max_bytes_s")


HEALTH_COMMAND_PATTERN = r"^[a-z0-9][a-z0-9_-]{0,62}$"
HealthCommand = Annotated[str, Field(pattern=HEALTH_COMMAND_PATTERN)]
"""The name of a file in a folder of health commands, never a path."""
SpareGroup = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_.-]{0,62}$")]
"""md arrays of one spare group lend each other their spares, as mdadm's spare-group does."""
DiskId = Annotated[str, Field(min_length=1, max_length=255, pattern=r"^[^/\s]+$")]


class ArrayCreate(Model):
    """Array to create."""

    name: Name
    """Unique name of the array."""
    engine: ArrayEngine = ArrayEngine.MD
    """Array engine that runs the array."""
    level: Level
    """Level of the array. The list of engines shows the levels of each engine."""
    disks: Annotated[tuple[DiskId, ...], Field(min_length=1, max_length=256)]
    """IDs of the data disks, as the list of disks shows them."""
    chunk_bytes: Annotated[int, Field(ge=4 * KIB, le=128 * MIB), OR_TEXT] | None = None
    """MD RAID and LVM RAID, except `raid1`: chunk size in bytes, a power of two. If omitted, 64 KiB."""
    layout: Raid10Layout | None = None
    """MD RAID `raid10` only: arrangement of the copies. If omitted, `n2`. An array with a far layout (`f2`, `f3`)
    cannot grow."""
    write_hole: WriteHole | None = None
    """Protection against the write hole. If omitted, `ppl` for MD RAID `raid5` with up to 64 disks of which none has an
    active volatile write cache, `bitmap` for any other redundant array of MD RAID and for LVM RAID. ZFS pools always
    have `copy_on_write`."""
    wipe: Annotated[tuple[DiskId, ...], Field(max_length=256)] = ()
    """IDs of those disks in this request that may be wiped, which destroys their data. A disk with signatures that is
    not listed is refused."""
    write_mostly: Annotated[tuple[DiskId, ...], Field(max_length=256)] = ()
    """MD RAID `raid1` only: IDs of those `disks` that are read only if no other disk has the data, such as slower or
    remote disks."""
    spares: Annotated[tuple[DiskId, ...], Field(max_length=64)] = ()
    """MD RAID and ZFS, except levels without redundancy: IDs of the spares. The first spare replaces a failed data disk
    automatically."""
    spare_group: SpareGroup | None = None
    """MD RAID only, except `raid0`: name of the spare group. A degraded array without a spare receives a spare of
    another array in the group."""
    log: Annotated[tuple[DiskId, ...], Field(max_length=4)] = ()
    """ZFS pools only: IDs of the log disks, which receive synchronous writes first. Several log disks form one
    mirror."""
    cache: Annotated[tuple[DiskId, ...], Field(max_length=64)] = ()
    """ZFS pools only: IDs of the cache disks, which store copies of frequently read data. Each disk adds capacity. The
    loss of a cache disk loses no data."""
    special: Annotated[tuple[DiskId, ...], Field(max_length=4)] = ()
    """ZFS pools only: IDs of the special disks, which store the metadata of the pool in one mirror. The mirror must
    survive as many disk failures as the data disks. The pool needs special disks as long as the pool exists."""
    group_data_disks: Annotated[int, Field(ge=1, le=255)] | None = None
    """dRAID only: number of data disks in each group. If omitted, the number that suits blocks of 16 KiB: 4 on disks
    with 4 KiB sectors, fewer if the array has few disks."""
    distributed_spares: Annotated[int, Field(ge=0, le=100)] | None = None
    """dRAID only: number of distributed spares, whose space is spread over all disks. If omitted, one for every 20
    disks, rounded up."""
    sync_speed_min_bytes_s: Pace | None = None
    """MD RAID only, except `raid0`: minimum speed of a resync, rebuild or scrub in bytes per second and disk, even
    under load. If omitted, the default of the kernel."""
    sync_speed_max_bytes_s: Pace | None = None
    """MD RAID only, except `raid0`: maximum speed of a resync, rebuild or scrub in bytes per second and disk, even
    without load. If omitted, the default of the kernel."""
    group_thread_cnt: GroupThreads | None = None
    """MD RAID 4, 5 and 6 only: number of threads per NUMA node that compute parity, in addition to the thread of the
    array. If omitted, an automatic value."""
    stripe_cache_size: StripeCache | None = None
    """MD RAID 4, 5 and 6 only: number of stripes in the stripe cache, each 4 KiB of memory for each disk. If omitted,
    an automatic value."""
    skip_copy: bool | None = None
    """MD RAID 4, 5 and 6 only: whether full pages are written directly from the memory of the request instead of from a
    copy. If omitted, an automatic value."""
    scheduler: Scheduler | None = None
    """MD RAID only: I/O scheduler of the member disks. If omitted, the automatic scheduler for each disk."""
    health_command: HealthCommand | None = None
    """External arrays only: name of the command on the appliance that reports the health of the array. If omitted, the
    health is unknown."""
    integrity: bool = False
    """LVM RAID only: whether every disk has checksums (dm-integrity with a journal). Corrupt blocks on a disk are then
    repaired from the other disks. Checksums do not detect corruption on the way to the disk, and every write is written
    twice."""
    encryption: Encryption | None = None
    """MD RAID only: method of encryption of all data on the array. Requires `passphrase`. Encryption cannot be enabled
    or disabled later. If omitted, the array is not encrypted."""
    passphrase: NewArrayPassphrase | None = None
    """Encrypted arrays only: passphrase that unlocks the array, here and on any Linux machine; 12 to 512 printable
    characters. Lunette does not store the passphrase. Without the passphrase and without a stored key, the data is
    lost."""
    keep_key: bool = False
    """Encrypted arrays only: whether the appliance stores a key of its own and unlocks the array at every start. The
    data on removed disks stays protected, but not the data on a stolen appliance."""

    def by_role(self) -> dict[MemberRole, tuple[DiskId, ...]]:
        """The disks of each role, in the order in which they are numbered: data first."""
        return {
            MemberRole.DATA: self.disks,
            MemberRole.SPARE: self.spares,
            MemberRole.LOG: self.log,
            MemberRole.CACHE: self.cache,
            MemberRole.SPECIAL: self.special,
        }

    @field_validator("engine", mode="before")
    @classmethod
    def _known(cls, engine: object) -> object:
        if engine == "spdk":
            raise ValueError("SPDK is an export engine and cannot create arrays: choose md, zfs, lvm or external")
        return engine

    @model_validator(mode="after")
    def _ordered(self) -> "ArrayCreate":
        check_pace(self.sync_speed_min_bytes_s, self.sync_speed_max_bytes_s)
        return self

    @model_validator(mode="after")
    def _keyed(self) -> "ArrayCreate":
        if self.encryption is not None and self.passphrase is None:
            raise ValueError("an encrypted array needs a passphrase")
        if self.encryption is None and (self.passphrase is not None or self.keep_key):
            raise ValueError("passphrase and keep_key apply to encrypted arrays only: set encryption too, or omit them")
        return self


class ArrayVerb(StrEnum):
    """Change that an existing array supports, other than deletion."""

    ADD_SPARES = "add_spares"
    """Add spares."""
    ADD_DISKS = "add_disks"
    """Add log, cache or special disks."""
    GROW = "grow"
    """Add members."""
    RESHAPE = "reshape"
    """Change the level."""
    REPLACE = "replace"
    """Replace a disk."""
    FAIL = "fail"
    """Mark a member as faulty."""
    REMOVE = "remove"
    """Remove a disk that stores no data the array needs, such as a spare or a faulty disk."""
    READD = "readd"
    """Add a missing or faulty member back."""
    FORCE_START = "force_start"
    """Start an array that is dirty and degraded."""
    SCRUB = "scrub"
    """Start or stop a scrub."""
    PACE = "pace"
    """Change the speed limits of resync, rebuild and scrub."""
    TUNE = "tune"
    """Change the tuning."""
    RELEASE = "release"
    """Release the array with its data. Not for an encrypted array."""


class LevelCapability(Model):
    """One level that an array engine offers, with its limits and costs.

    `verbs` lists the changes that the level supports.
    """

    level: Level
    min_disks: int
    max_disks: int
    survives_failures: str
    small_write_ios: float
    write_hole: tuple[WriteHole, ...]
    verbs: tuple[ArrayVerb, ...]
    layouts: tuple[Raid10Layout, ...] = ()
    """Available arrangements of the copies, the default first."""
    roles: tuple[MemberRole, ...] = ()
    """Roles that disks can have in addition to the role of data disks."""
    becomes: tuple[Level, ...] = ()
    """Levels to which an existing array of this level can be changed."""
    options: tuple[str, ...] = ()
    """Request fields that apply to the creation of an array of this level, in addition to name, engine, level, disks
    and wipe."""


class EngineAbility(StrEnum):
    """Ability that an engine can lack on a machine."""

    THIN = "thin"
    """Thin volumes."""
    GROW = "grow"
    """Growth of volumes."""
    SNAPSHOT = "snapshot"
    """Snapshots of volumes."""
    SPARES = "spares"
    """Spares that replace a failed disk automatically."""
    ADD_DISKS = "add_disks"
    """Growth of arrays by more disks."""
    REPLACE = "replace"
    """Replacement and removal of disks, and scrubs."""
    HEALTH = "health"
    """Health of the members."""
    WRITE_HOLE = "write_hole"
    """Closing the write hole without a journal."""
    INTEGRITY = "integrity"
    """Checksums under each disk."""
    ENCRYPTION = "encryption"
    """Encryption of new arrays."""
    ISCSI = "iscsi"
    """Service over iSCSI."""
    ISER = "iser"
    """Service over iSER."""
    FC = "fc"
    """Service over Fibre Channel."""
    NVME_TCP = "nvme-tcp"
    """Service over NVMe/TCP."""
    NVME_RDMA = "nvme-rdma"
    """Service over NVMe/RDMA."""
    NVME_FC = "nvme-fc"
    """Service over NVMe/FC."""


class LackingAbility(Model):
    """An ability that an engine does not have on this machine, and why."""

    ability: EngineAbility
    """The ability that is not available."""
    reason: str
    """Why the ability is not available, and what to do."""


class EngineCapability(Model):
    """Capabilities of one engine on this machine.

    If `available` is false, `reason` names the cause and the package to install.
    """

    engine: str
    kind: str
    """Kind of the engine: array, volume or export."""
    available: bool
    reason: str | None
    levels: tuple[LevelCapability, ...] = ()
    can_grow: bool = False
    can_thin: bool = False
    can_snapshot: bool = False
    can_snapshot_thick: bool = False
    """Whether thick volumes can have snapshots, in addition to thin volumes."""
    can_snapshot_together: bool = False
    """Whether snapshots of several volumes of one array can be taken at the same moment."""
    can_qos: bool = False
    reservations: bool = False
    compare_and_write: bool = False
    protocols: tuple[str, ...] = ()
    """Protocols that an export engine can serve on this machine now."""
    lacking: tuple[LackingAbility, ...] = ()
    """Abilities that the engine does not have on this machine, each with the reason."""
    needs: tuple[str, ...] = ()
    """Tools and kernel modules that the engine uses."""
    encryption: tuple[Encryption, ...] = ()
    """Encryption methods that an array engine offers for new arrays on this machine. If there are none, `lacking` gives
    the reason."""
    health_commands: tuple[str, ...] = ()
    """Names of the commands on this machine that report the health of arrays of this engine."""

    def lacks(self, ability: EngineAbility) -> str | None:
        """Why the engine lacks an ability on this machine; None if it names no reason."""
        return next((one.reason for one in self.lacking if one.ability is ability), None)


class ObservedMember(Model):
    """One slot of an array, or a disk without a slot. `disk_id` is None if the slot has no disk."""

    disk_id: str | None
    device: str | None
    state: str
    """State of the member: in_sync, rebuilding, spare, faulty, missing, or replacing (filled while the disk to be
    replaced still works)."""
    slot: int | None = None
    """Number of the slot. None for a spare, and for a faulty disk that has left its slot."""
    errors: int = 0
    """Number of failed reads, writes and checksums since the last reset of the counters, as far as the engine counts
    them."""
    role: MemberRole = MemberRole.DATA
    """Role of the disk. Only data disks have slots."""
    write_mostly: bool = False
    """MD RAID `raid1` only: whether the disk is read only if no other disk has the data."""


class SyncProgress(Model):
    """Progress of a running resync, rebuild, scrub or reshape. `rate_bytes_s` and `left_s` are estimates of the
    kernel."""

    action: str
    percent: float
    rate_bytes_s: int | None
    left_s: float | None


class ScrubOutcome(Model):
    """Result of a finished scrub."""

    mismatches: int
    """MD RAID: number of sectors whose copies or parity differed, in units of the I/O size. ZFS: number of repaired
    bytes."""
    lost: int = 0
    """ZFS: number of errors that could not be repaired, because no intact copy was left. MD RAID cannot detect
    these."""
    repaired: bool
    """Whether the differences were overwritten: true for a repair of MD RAID, and always for ZFS."""
    is_whole: bool
    """Whether the scrub read all data. Only then, no differences means consistent data."""


class ObservedArray(Model):
    """An array as observed on the machine.

    `ours`: for MD RAID, whether the ledger of the agent contains the UUID (the database may contain more); for other
    engines, whether the array carries the mark of Lunette.
    """

    uuid: str
    engine: ArrayEngine
    name: str
    ours: bool
    device: str | None
    level: str
    state: ArrayState
    size_bytes: int
    chunk_bytes: int | None
    write_hole: WriteHole
    members: tuple[ObservedMember, ...]
    raid_disks: int
    survives_disks: int | None = None
    """Number of further disks that the array can lose, whichever they are. None if unknown: while the array does not
    run, has failed or is being synchronized, and for an external array."""
    progress: SyncProgress | None
    mismatch_count: int | None
    """MD RAID and LVM RAID: number of sectors that differed in the last check. ZFS, and LVM RAID with checksums: number
    of checksum errors, which are repaired if an intact copy exists."""
    disk_bytes: int | None = None
    """Minimum size of a new member in bytes. None if the engine does not report the size."""
    scrub: str | None = None
    """Last scrub, resync or rebuild, as MD RAID names it: check, repair, resync, recover. A scrub of ZFS is a check."""
    scrubbed: ScrubOutcome | None = None
    """Result of that scrub. None while a scrub runs, if no result is available (MD RAID loses the result at a restart),
    and for LVM RAID, which does not report scrubs."""
    is_reshaping: bool = False
    """Whether the array is being distributed over another number of disks, also while the reshape is interrupted, while
    a disk is missing, or until the new size is visible."""
    layout: str | None = None
    """MD RAID `raid10`: layout as mdadm names it, or the number of the kernel if mdadm has no name. MD RAID `raid6`:
    left-symmetric-6 or similar if the array was a `raid5` and one disk has all of the second parity, None if the parity
    is distributed."""
    health_words: str | None = None
    """Message of the health command of an external array, or the reason why there is none. None without a health
    command."""
    tuning: tuple[ObservedTuning, ...] = ()
    """Tuning values of the level and the engine; empty while the array is not assembled."""
    locked: bool | None = None
    """Encrypted arrays in service: whether the array waits for its key. None for any other array."""
    dirty_without: tuple[int, ...] = ()
    """Slots without a complete disk, if the array stays stopped because of them: the array was being written to when it
    stopped, and has no partial parity log (dirty and degraded). Empty for any other array."""
    system: bool = False
    """Whether the appliance itself runs from the array, which the installer created over two system disks. Such an
    array has no volumes."""
    marked: bool = False
    """MD RAID: whether an appliance, this one or another, created or adopted the array. The UUID in the database shows
    whether it was this one."""
    unusual: tuple[str, ...] = ()
    """MD RAID: properties that Lunette does not create and would not preserve, each as the end of a sentence."""
