"""Arrays: what is asked for, what is seen, and what a provider says it can do."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, field_validator, model_validator

from lunette.domain.base import Model
from lunette.domain.encryption import Encryption, NewArrayPassphrase
from lunette.domain.names import Name
from lunette.domain.sizes import KIB, MIB, OR_TEXT
from lunette.domain.tuning import GroupThreads, ObservedTuning, Scheduler, StripeCache


class ArrayEngine(StrEnum):
    MD = "md"
    ZFS = "zfs"
    LVM = "lvm"
    EXTERNAL = "external"


class Level(StrEnum):
    """raid*: md's words. stripe, mirror, raidz1 to raidz3: ZFS's; its parity levels are no RAID 5 or 6 on disk.

    raid10 of ZFS: a pool of mirrors of two disks each, in the order in which the disks are given.

    draid1 to draid3: ZFS's as well, groups of RAID-Z spread over more disks than one is wide, with their spares.

    external: one device, whose redundancy is the matter of what presents it.
    """

    RAID0 = "raid0"
    RAID1 = "raid1"
    RAID4 = "raid4"
    RAID5 = "raid5"
    RAID6 = "raid6"
    RAID10 = "raid10"
    STRIPE = "stripe"
    MIRROR = "mirror"
    RAIDZ1 = "raidz1"
    RAIDZ2 = "raidz2"
    RAIDZ3 = "raidz3"
    DRAID1 = "draid1"
    DRAID2 = "draid2"
    DRAID3 = "draid3"
    EXTERNAL = "external"


class Raid10Layout(StrEnum):
    """Where md's raid10 puts the copies of a chunk, in mdadm's words: n, f or o, and how many copies there are.

    n: near, side by side on neighbouring disks. f: far, each in a section of its own of every disk: reads as fast as a
    stripe, writes seek on rotating disks, and it can never grow. o: offset, in the next stripe, shifted by one disk.
    """

    N2 = "n2"
    F2 = "f2"
    O2 = "o2"
    N3 = "n3"
    F3 = "f3"
    O3 = "o3"


class MemberRole(StrEnum):
    """What a disk of an array is for.

    data: it holds what hosts wrote. log: writes go there first, and it is read only after a power cut (ZFS's SLOG, for
    synchronous writes; md's journal, which others made). cache: copies of what is read often (L2ARC). special: the
    pool's metadata, without which nothing is found. spare: it stands by for a data disk that is lost.
    """

    DATA = "data"
    LOG = "log"
    CACHE = "cache"
    SPECIAL = "special"
    SPARE = "spare"

    @property
    def field(self) -> str:
        """The field of a wish that names the disks of this role."""
        return {MemberRole.DATA: "disks", MemberRole.SPARE: "spares"}.get(self, self.value)


class WriteHole(StrEnum):
    """How a parity array survives a power cut between data and parity write.

    ppl: partial parity log, closes the write hole (RAID5 only, costs 30-40 % of random writes).
    bitmap: write-intent bitmap, quick resync but the hole stays open. none: full resync after an unclean stop.
    journal: writes go to a disk of its own first, which closes it; seen on arrays that others made, never made here.
    copy_on_write: nothing is overwritten in place, so there is no hole (ZFS). external: what presents the device closes
    it or does not; Lunette cannot tell.
    """

    PPL = "ppl"
    BITMAP = "bitmap"
    JOURNAL = "journal"
    NONE = "none"
    COPY_ON_WRITE = "copy_on_write"
    EXTERNAL = "external"


class ArrayState(StrEnum):
    """Health as the kernel reports it, or an external array's health command. `missing` means not assembled at all.

    `reshaping`: whole and redundant, and being laid out over another number of disks. `unknown`: it works,
    and nobody says how redundant it is.
    """

    CLEAN = "clean"
    RESYNCING = "resyncing"
    RESHAPING = "reshaping"
    DEGRADED = "degraded"
    REBUILDING = "rebuilding"
    FAILED = "failed"
    MISSING = "missing"
    UNKNOWN = "unknown"


Pace = Annotated[int, Field(ge=KIB, le=2**40), OR_TEXT]
"""Bytes per second and disk; md counts in whole KiB."""


def check_pace(low: int | None, high: int | None) -> None:
    """Raises ValueError if the least pace is above the greatest."""
    if low is not None and high is not None and low > high:
        raise ValueError("sync_speed_min_bytes_s is above sync_speed_max_bytes_s")


HEALTH_COMMAND_PATTERN = r"^[a-z0-9][a-z0-9_-]{0,62}$"
HealthCommand = Annotated[str, Field(pattern=HEALTH_COMMAND_PATTERN)]
"""The name of a file in a folder of health commands, never a path."""
SpareGroup = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_.-]{0,62}$")]
"""md arrays of one spare group lend each other their spares, as mdadm's spare-group does."""
DiskId = Annotated[str, Field(min_length=1, max_length=255, pattern=r"^[^/\s]+$")]


class ArrayCreate(Model):
    """The wish for a new array. `disks` are stable disk ids; `wipe` names those whose signatures may be destroyed."""

    name: Name
    engine: ArrayEngine = ArrayEngine.MD
    level: Level
    disks: Annotated[tuple[DiskId, ...], Field(min_length=1, max_length=256)]
    chunk_bytes: Annotated[int, Field(ge=4 * KIB, le=128 * MIB), OR_TEXT] | None = None
    """Stripe unit, a power of two; None takes the engine's default. Meaningless for raid1."""
    layout: Raid10Layout | None = None
    """raid10 of md only: where the copies lie. None takes n2."""
    write_hole: WriteHole | None = None
    """None takes the default: PPL for raid5, bitmap for md's other redundant levels, copy_on_write for ZFS."""
    wipe: Annotated[tuple[DiskId, ...], Field(max_length=256)] = ()
    write_mostly: Annotated[tuple[DiskId, ...], Field(max_length=256)] = ()
    """raid1 of md only: those of `disks` that are read only if no other holds the data, such as slower or remote
    ones."""
    spares: Annotated[tuple[DiskId, ...], Field(max_length=64)] = ()
    """Disks that stand by: the first takes the place of a member that is lost."""
    spare_group: SpareGroup | None = None
    """md only: a spare of any array of the group goes to one that lost a disk and has no spare of its own."""
    log: Annotated[tuple[DiskId, ...], Field(max_length=4)] = ()
    """Pools only: disks that take synchronous writes first. Several are one mirror."""
    cache: Annotated[tuple[DiskId, ...], Field(max_length=64)] = ()
    """Pools only: disks that keep copies of what is read often. Each adds room; none is redundant or needs to be."""
    special: Annotated[tuple[DiskId, ...], Field(max_length=4)] = ()
    """Pools only: disks for the pool's metadata, one mirror that survives at least as much as the data disks."""
    group_data_disks: Annotated[int, Field(ge=1, le=255)] | None = None
    """draid only: data disks of each group. None takes as many as a volume's block has sectors: 4 of 4 KiB."""
    distributed_spares: Annotated[int, Field(ge=0, le=100)] | None = None
    """draid only: disks' worth of spare room on all disks. None takes one, and one more for each further 20 disks."""
    sync_speed_min_bytes_s: Pace | None = None
    """The pace of a resync, rebuild or scrub: so much is done even under load. None: the kernel's own."""
    sync_speed_max_bytes_s: Pace | None = None
    """No more is done even while nobody does."""
    group_thread_cnt: GroupThreads | None = None
    """Tuning of a parity array, null for what is automatic: threads per NUMA node that compute parity."""
    stripe_cache_size: StripeCache | None = None
    """Stripes in the cache, of one page of 4 KiB for each disk."""
    skip_copy: bool | None = None
    """Write whole pages from the host's own memory instead of a copy."""
    scheduler: Scheduler | None = None
    """I/O scheduler of the member disks; null for what is automatic."""
    health_command: HealthCommand | None = None
    """External arrays only: the command that tells their health, by its name."""
    integrity: bool = False
    """lvm only: checksums (dm-integrity, with a journal) under each disk's copy. What a disk gives back wrong is then
    repaired from the others. They protect data on the disks, not on the way to them, and each write is written twice.
    """
    encryption: Encryption | None = None
    """Encrypts everything on the array; it cannot be turned on or off later. Needs a passphrase."""
    passphrase: NewArrayPassphrase | None = None
    """Opens an encrypted array, here and on any Linux machine. It is kept nowhere: who loses it loses the data."""
    keep_key: bool = False
    """Of an encrypted array: the appliance keeps a key of its own and unlocks it at every start. That protects disks
    that leave the appliance, not an appliance that is stolen whole."""

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
            raise ValueError("SPDK serves volumes over NVMe/TCP and makes no arrays: choose md, zfs, lvm or external")
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
            raise ValueError("passphrase and keep_key are of encrypted arrays: set encryption too, or leave them out")
        return self


class ArrayVerb(StrEnum):
    """What can be done with an array that stands, other than deleting it."""

    ADD_SPARES = "add_spares"
    ADD_DISKS = "add_disks"
    GROW = "grow"
    RESHAPE = "reshape"
    REPLACE = "replace"
    FAIL = "fail"
    REMOVE = "remove"
    READD = "readd"
    FORCE_START = "force_start"
    SCRUB = "scrub"
    PACE = "pace"
    TUNE = "tune"


class LevelCapability(Model):
    """One level an engine offers: how few and how many disks, how many losses it survives, cost of a small write.

    `verbs`: what it never does is not among them.
    """

    level: Level
    min_disks: int
    max_disks: int
    survives_failures: str
    small_write_ios: float
    write_hole: tuple[WriteHole, ...]
    verbs: tuple[ArrayVerb, ...]
    layouts: tuple[Raid10Layout, ...] = ()
    """Where its copies can lie; the first is the default."""
    roles: tuple[MemberRole, ...] = ()
    """What disks beside its data disks can be for."""
    becomes: tuple[Level, ...] = ()
    """Levels that a standing array of this one can be changed to."""
    options: tuple[str, ...] = ()
    """Fields of a creation that mean something for it, beside name, level, disks and wipe; others are left out."""


class EngineCapability(Model):
    """What an engine can do on this machine. `available` is false with a `reason` and the package that would help."""

    engine: str
    kind: str
    """array, volume or export."""
    available: bool
    reason: str | None
    levels: tuple[LevelCapability, ...] = ()
    can_grow: bool = False
    can_thin: bool = False
    can_snapshot: bool = False
    can_snapshot_thick: bool = False
    """Snapshots of thick volumes as well."""
    can_snapshot_together: bool = False
    """Snapshots of several volumes of one array at one moment."""
    can_qos: bool = False
    reservations: bool = False
    compare_and_write: bool = False
    protocols: tuple[str, ...] = ()
    """What an export engine can serve on this machine now."""
    lacking: tuple[str, ...] = ()
    """What it knows and cannot do here, one sentence each with the reason, beginning with what it is: a protocol, or an
    ability such as `thin volumes`."""
    needs: tuple[str, ...] = ()
    """Tools and kernel modules it stands on."""
    encryption: tuple[Encryption, ...] = ()
    """How an array engine can encrypt a new array here. Why not, if not, is in `lacking`."""
    health_commands: tuple[str, ...] = ()
    """Names of the commands on this machine that can tell the health of one of its arrays."""


class ObservedMember(Model):
    """One slot of an array, or a disk beside its slots. `disk_id` is None where there is no disk."""

    disk_id: str | None
    device: str | None
    state: str
    """in_sync, rebuilding, spare, faulty, missing; replacing: it is filled while the disk it relieves still works."""
    slot: int | None = None
    """None for a spare, and for a faulty disk that has left its slot."""
    errors: int = 0
    """Reads, writes and checksums that failed on it since they were last cleared, as far as the engine counts them."""
    role: MemberRole = MemberRole.DATA
    """Only data disks have slots."""
    write_mostly: bool = False
    """Of md's raid1: it is read only if no other disk holds the data."""


class SyncProgress(Model):
    """A running resync, rebuild, check or reshape. `rate_bytes_s` and `left_s` as the kernel estimates them."""

    action: str
    percent: float
    rate_bytes_s: int | None
    left_s: float | None


class ScrubOutcome(Model):
    """What a scrub found that is over."""

    mismatches: int
    """md: sectors whose copies or parity did not agree, counted in units of its I/O. ZFS: bytes that were put right."""
    lost: int = 0
    """ZFS: errors for which no copy was left. md cannot know."""
    repaired: bool
    """What it found was written over: by a repair of md, and always by ZFS."""
    is_whole: bool
    """It read everything: that it found nothing says that there was nothing to find."""


class ObservedArray(Model):
    """An array the machine knows.

    `ours`, of md: the agent's ledger has its UUID; the database may know more. Of other engines: it carries our mark.
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
    """How many more disks it may lose, whichever they are. None where nobody can say: while it is down, has failed or
    is being synchronised, and of an external array."""
    progress: SyncProgress | None
    mismatch_count: int | None
    """md and LVM RAID: sectors the last check found to differ. ZFS, and LVM RAID with checksums: checksum errors, which
    are repaired as far as there are copies."""
    disk_bytes: int | None = None
    """The least a disk must hold to become a member; None where the engine does not say."""
    scrub: str | None = None
    """The last scrub or resync that ran, as md calls it: check, repair, resync, recover. ZFS's scrub is a check."""
    scrubbed: ScrubOutcome | None = None
    """What that scrub found. None while one runs, where none is remembered (md forgets at a restart) and for LVM RAID,
    which does not tell whether one has run."""
    is_reshaping: bool = False
    """It is being laid out over another number of disks, also while that stands still or a disk is lost, or its new
    size does not show yet."""
    layout: str | None = None
    """raid10 of md: mdadm's word, or the kernel's number where mdadm has none. raid6 of md: left-symmetric-6 and its
    like if it was a raid5 before and one disk holds all of the second parity; None if that is spread."""
    health_words: str | None = None
    """What an external array's health command says, or why it says nothing; None without such a command."""
    tuning: tuple[ObservedTuning, ...] = ()
    """What its level and its engine have; none while it is not assembled."""
    locked: bool | None = None
    """Of an encrypted array in service: it waits for its key. None for any other."""
    dirty_without: tuple[int, ...] = ()
    """Slots without a whole disk, of an array that stays stopped because of that: it was being written to when it
    stopped, and has no partial parity log (md calls it dirty degraded). () for any other."""
    system: bool = False
    """The appliance itself runs from it: the installer made it over two system disks. It is no array for volumes."""
    marked: bool = False
    """Of md: an appliance made or adopted it, this one or another; whose it is, its UUID in our records tells."""
    unusual: tuple[str, ...] = ()
    """Of md: what it has that Lunette does not make, and would not keep as it is, each as the end of a sentence."""
