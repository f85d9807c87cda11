"""What lies on media: it survives a reboot, whatever ran on top.

An array's data lies on its members, below the md superblock, keyed by the geometry: the same disks in the same order
with the same level and chunk show the old content again, as they do on real drives. That is a trap worth keeping.
"""

import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backend.tests.fakemachine.zfs.pools import ZfsLabel

MD_OFFSET = 4096
PV_OFFSET = 512
ZFS_OFFSET = 262144


@dataclass(frozen=True)
class FakeSignature:
    """A magic number libblkid knows, at a byte offset."""

    type: str
    offset: int
    label: str | None = None
    uuid: str | None = None
    usage: str = "filesystem"


@dataclass(frozen=True)
class Geometry:
    """What every member's superblock says alike about an array."""

    uuid: str
    """32 hex digits."""
    name: str
    level: str
    raid_disks: int
    chunk_kib: int
    component_kib: int
    policy: str
    """resync, bitmap, ppl or none, as /sys/block/mdN/md/consistency_policy says it."""
    layout: int = 0
    """The kernel's number: how raid10 lays its copies out, or parity rotates."""
    reshape_from: int | None = None
    """How many disks it had before the reshape that is under way: its size stays as it was until that is over."""

    def size_kib(self) -> int:
        """The capacity of the array."""
        disks = self.reshape_from or self.raid_disks
        parts = {
            "raid0": disks,
            "raid1": 1,
            "raid4": disks - 1,
            "raid5": disks - 1,
            "raid6": disks - 2,
            "raid10": disks / (self.copies() or 1),
        }
        return int(parts[self.level] * self.component_kib)

    def survives(self) -> int:
        """How many members may be lost in the worst case."""
        return {
            "raid0": 0,
            "raid1": self.raid_disks - 1,
            "raid4": 1,
            "raid5": 1,
            "raid6": 2,
            "raid10": self.copies() - 1,
        }[self.level]

    def near(self) -> int:
        """How many copies of a chunk follow one another in raid10."""
        return self.layout & 0xFF

    def copies(self) -> int:
        """How many copies there are of each chunk in raid10."""
        return self.near() * (self.layout >> 8 & 0xFF)

    def colons(self) -> str:
        """The UUID as mdadm prints it."""
        return ":".join(self.uuid[i : i + 8] for i in range(0, 32, 8))


@dataclass
class Superblock:
    """The md 1.2 superblock of one member."""

    geometry: Geometry
    slot: int | None
    """None for a spare."""
    device_uuid: str
    events: int = 0
    """The kernel counts from the first start on."""
    in_sync: bool = True
    array_in_sync: bool = False
    is_replacement: bool = False
    """It is filled for the slot's disk, which still works."""
    data_offset: int = 2048
    """Where the data begin, in sectors."""
    is_clean: bool = True
    """No write was under way when the power went."""
    write_mostly: bool = False
    alive: frozenset[int] = frozenset()
    """Slots that worked when it was written: what `mdadm --assemble` waits for."""


@dataclass
class Lv:
    """A logical volume in a group's metadata. `extents` are numbers of physical extents, in order."""

    name: str
    uuid: str
    tags: set[str]
    extents: list[int]
    metadata_extents: list[int] = field(default_factory=list)
    """Of a thin pool, and of nothing else."""
    pool: str | None = None
    """Of a thin volume: its pool. It has a content of its own instead of extents."""
    virtual_extents: int = 0
    content: dict[int, str] = field(default_factory=dict)
    """What was written to a thin volume, by byte offset."""
    skips_activation: bool = False

    @property
    def segtype(self) -> str:
        return "thin" if self.pool else "thin-pool" if self.metadata_extents else "linear"


@dataclass
class Vg:
    """A volume group's metadata, stored on its physical volume."""

    name: str
    uuid: str
    extent_bytes: int
    extent_count: int
    tags: set[str] = field(default_factory=set)
    lvs: dict[str, Lv] = field(default_factory=dict)
    spare: list[int] = field(default_factory=list)
    """Extents reserved to repair the largest pool's metadata."""

    def in_pool(self, pool: str) -> list[Lv]:
        """The thin volumes of a pool."""
        return [lv for lv in self.lvs.values() if lv.pool == pool]

    def free_extents(self) -> list[int]:
        """The numbers of the extents no volume uses, lowest first."""
        used = {extent for lv in self.lvs.values() for extent in (*lv.extents, *lv.metadata_extents)} | {*self.spare}
        return [extent for extent in range(self.extent_count) if extent not in used]


@dataclass
class RaidLv:
    """A RAID volume over disks. `images`: by slot the UUID of the physical volume it lies on."""

    name: str
    level: str
    size: int
    chunk: int
    images: list[str]
    integrity: bool
    media: "Media"
    in_sync: set[str]
    tags: set[str] = field(default_factory=set)
    mismatches: int = 0
    repaired: dict[str, int] = field(default_factory=dict)
    """Checksums that did not fit, by physical volume."""


@dataclass
class RaidVg:
    """A group over several disks: its metadata lie on all of them. `pvs`: their UUIDs, there or not."""

    name: str
    uuid: str
    tags: set[str]
    pvs: list[str]
    lv: RaidLv | None = None


@dataclass
class PvLabel:
    uuid: str
    vg: Vg | None = None
    raid: RaidVg | None = None
    """The group over several disks that it is part of."""
    metadata_bytes: int = 0
    """Space reserved for LVM's own metadata (`pvcreate --metadatasize`)."""


@dataclass
class LuksHeader:
    """A LUKS2 header and what it hides: `inner` can be seen only while it is open."""

    uuid: str
    label: str
    keys: list[str]
    """What opens it, one for each slot."""
    inner: "Media"


@dataclass
class Media:
    """The bytes of one block device, as far as anybody looks at them."""

    size_bytes: int
    signatures: list[FakeSignature] = field(default_factory=list)
    superblock: Superblock | None = None
    pv: PvLabel | None = None
    zfs: "ZfsLabel | None" = None
    luks: LuksHeader | None = None
    data: dict[int, str] = field(default_factory=dict)
    """Written data, by byte offset."""
    below: dict[tuple[object, ...], "Media"] = field(default_factory=dict)
    """The data areas of arrays this device is or was a member of, by geometry."""

    def all_signatures(self) -> list[FakeSignature]:
        """Everything libblkid would find, lowest offset first."""
        found = list(self.signatures)
        if self.superblock:
            geometry = self.superblock.geometry
            found.append(FakeSignature("linux_raid_member", MD_OFFSET, geometry.name, dashed(geometry.uuid), "raid"))
        if self.pv:
            found.append(FakeSignature("LVM2_member", PV_OFFSET, None, self.pv.uuid, "raid"))
        if self.luks:
            found.append(FakeSignature("crypto_LUKS", 0, self.luks.label or None, self.luks.uuid, "crypto"))
        if self.zfs:
            pool, guid = self.zfs.pool or None, str(self.zfs.guid) if self.zfs.guid else None
            found.append(FakeSignature("zfs_member", ZFS_OFFSET, pool, guid, "raid"))
        return sorted(found, key=lambda signature: signature.offset)

    def member_of(self, signature: FakeSignature) -> str | None:
        """Which member of an array or a pool this is: libblkid's UUID_SUB."""
        if signature.type == "linux_raid_member" and self.superblock:
            return dashed(self.superblock.device_uuid.replace(":", ""))
        return str(self.zfs.vdev_guid) if signature.type == "zfs_member" and self.zfs else None

    def wipe(self, signature: FakeSignature) -> None:
        """Erase one magic number."""
        if self.superblock and signature.type == "linux_raid_member":
            self.superblock = None
        elif self.luks and signature.type == "crypto_LUKS":
            self.luks = None
        elif self.pv and signature.type == "LVM2_member":
            self.pv = None
        elif self.zfs and signature.type == "zfs_member":
            self.zfs = None
        else:
            self.signatures.remove(signature)

    def zero(self, offset: int, length: int) -> None:
        """Overwrite a range with zeros, and with it the signatures in it."""
        self.data = {at: text for at, text in self.data.items() if not offset <= at < offset + length}
        for signature in self.all_signatures():
            if offset <= signature.offset < offset + length:
                self.wipe(signature)


def dashed(digits: str) -> str:
    """32 hex digits as libblkid prints a UUID."""
    return str(uuid.UUID(digits))


def lvm_uuid() -> str:
    """A UUID in LVM's form: 32 letters in groups of 6-4-4-4-4-4-6."""
    text, parts = uuid.uuid4().hex, []
    for length in (6, 4, 4, 4, 4, 4, 6):
        parts.append(text[:length])
        text = text[length:]
    return "-".join(parts)
