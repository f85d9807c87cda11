"""How arrays become volume groups and volumes become logical volumes: pure names, sizes and steps."""

from collections.abc import Sequence, Set

from lunette.domain.arrays import EngineAbility, EngineCapability, LackingAbility
from lunette.domain.errors import FieldProblem
from lunette.domain.sealed_copies import SPACE_BYTES
from lunette.domain.sizes import GIB, KIB, MIB, format_size
from lunette.domain.steps import (
    AnyStep,
    ExportsGone,
    GroupCreate,
    GroupErase,
    GroupRemove,
    KeptVolume,
    MemberDisk,
    SnapshotDelete,
    SnapshotTake,
    ThinPoolCreate,
    ThinPoolGrow,
    ThinPoolRemove,
    VolumeCut,
    VolumeDelete,
    VolumeGrow,
    VolumeRollBack,
)
from lunette.domain.volumes import EXTENT_BYTES, ObservedGroup, Provisioning, VolumeEngine

METADATA_BYTES = 16 * MIB
"""Space for LVM's own metadata on an array: it stores two versions at about 500 bytes a volume, so 10,000 volumes
fit.
"""
TAG = "lunette"
RELEASED = "released"
"""Replaces Lunette's mark once an array was released. It has no meaning for any system."""
FRESH_TAG = "lunette.fresh"
COPY_NAME, COPY_TAG = "sealed", "lunette.sealed"
"""The array's sealed copy, which is not a volume."""
PACKAGE = "lvm2"
THIN_TOOL, THIN_PACKAGE = "thin_check", "thin-provisioning-tools"
"""LVM activates no thin pool without it."""
_THIN_ABILITIES = (EngineAbility.THIN, EngineAbility.SNAPSHOT)
POOL_NAME = "pool"
MIN_CHUNK_BYTES, MAX_CHUNK_BYTES = 64 * KIB, MIB
"""Allocation unit of a thin pool: small, because a snapshot copies and an UNMAP frees whole chunks only."""
BYTES_PER_CHUNK = 64
"""Metadata space of one mapped chunk (thin_metadata_size gives 48 to 64)."""
LARGE_METADATA_BYTES = 4 * GIB
"""Above this the chunk doubles instead: LVM's limit is 15.8 GiB, and snapshots need several times as much."""
MIN_METADATA_BYTES = 4 * MIB
MIN_POOL_BYTES = 64 * MIB
GROW_AT_PERCENT = 70
"""A pool grows automatically from this usage on, before the first alert."""


def capability(reason: str | None = None, *, thin: bool = True) -> EngineCapability:
    """The engine's record; `reason` says why it is not available on this machine, `thin` whether thin pools are."""
    return EngineCapability(
        engine="lvm",
        kind="volume",
        available=reason is None,
        reason=reason,
        can_grow=True,
        can_thin=thin,
        can_snapshot=thin,
        lacking=()
        if thin
        else tuple(LackingAbility(ability=one, reason=f"install {THIN_PACKAGE}") for one in _THIN_ABILITIES),
        needs=("lvm", "dm_mod", "dm_thin_pool", THIN_TOOL),
    )


def group_name(array_id: str) -> str:
    """The volume group of an array. `array_id` is a UUID."""
    return f"lunette-{array_id.replace('-', '')[:12]}"


def backing_name(volume_id: str) -> str:
    """The logical volume of a volume: a rename of the volume never changes it."""
    return f"v{volume_id.replace('-', '')[:12]}"


def aside_name(volume_id: str) -> str:
    """Name of a retained deleted volume."""
    return f"d{volume_id.replace('-', '')[:12]}"


def snapshot_name(snapshot_id: str) -> str:
    """The logical volume of a snapshot."""
    return f"s{snapshot_id.replace('-', '')[:12]}"


def roll_back_name(roll_back_id: str) -> str:
    """Name of the copy of a snapshot until it takes its volume's place."""
    return f"r{roll_back_id.replace('-', '')[:12]}"


def device_path(group: str, name: str) -> str:
    return f"/dev/{group}/{name}"


def block_bytes(disk_block_bytes: int) -> int:
    """The logical block of a volume: the kernel gives on that of the disks."""
    return disk_block_bytes


def pool_device_path(group: str, name: str, part: str) -> str:
    """The device of a thin pool (`-tpool`) or of its metadata (`_tmeta`). LVM doubles the hyphens within names."""
    return f"/dev/mapper/{group.replace('-', '--')}-{name.replace('-', '--')}{part}"


def array_tag(array_uuid: str) -> str:
    return f"lunette.array={array_uuid}"


def is_marked(tags: Set[str], array_uuid: str) -> bool:
    """True if a volume group carries the marks of this array, or those of an interrupted release of it."""
    mark = array_tag(array_uuid)
    return {TAG, mark} <= tags or {RELEASED, RELEASED + mark.removeprefix(TAG)} <= tags


def volume_tag(volume_id: str) -> str:
    return f"lunette.volume={volume_id}"


def snapshot_tag(snapshot_id: str) -> str:
    return f"lunette.snapshot={snapshot_id}"


def pool_tag(pool_id: str) -> str:
    return f"lunette.pool={pool_id}"


def roll_back_tag(roll_back_id: str) -> str:
    return f"lunette.rolled={roll_back_id}"


def group_bytes(array_bytes: int) -> int:
    """The minimum size of the group on an array of this size; it may offer an extent or two more."""
    return max(0, (array_bytes - METADATA_BYTES - 2 * EXTENT_BYTES) // EXTENT_BYTES * EXTENT_BYTES)


def room_bytes(array_bytes: int) -> int:
    """The minimum space for volumes on an array of this size: the sealed copy has its place."""
    return max(0, group_bytes(array_bytes) - SPACE_BYTES)


def size_problem(size_bytes: int) -> FieldProblem | None:
    """Why this size cannot be allocated exactly, or None. A size is refused, never rounded silently."""
    if size_bytes % EXTENT_BYTES == 0 and size_bytes > 0:
        return None
    upper = -(-size_bytes // EXTENT_BYTES) * EXTENT_BYTES
    rule = f"the size must be a multiple of {format_size(EXTENT_BYTES)}: the next one is {upper} bytes"
    return FieldProblem(field="size_bytes", value=str(size_bytes), message=rule)


def group_create(
    array_id: str,
    array_uuid: str,
    disk: MemberDisk | None = None,
    mapping: str | None = None,
    raid_group: str | None = None,
) -> GroupCreate:
    """`disk`: the device of an external array. `mapping`: the opened device of an encrypted one. `raid_group`: for LVM
    RAID, the group over its disks.
    """
    return GroupCreate(
        array_id=array_id,
        array_uuid=array_uuid,
        group=group_name(array_id),
        extent_bytes=EXTENT_BYTES,
        disk=disk,
        mapping=mapping,
        raid_group=raid_group,
    )


def group_gone(
    array_id: str,
    array_uuid: str,
    kept: Sequence[KeptVolume],
    disk: MemberDisk | None = None,
    raid_group: str | None = None,
) -> GroupRemove | GroupErase:
    """The step that removes the group; with retained deleted volumes, it cannot be undone."""
    if kept:
        return GroupErase(
            array_id=array_id,
            array_uuid=array_uuid,
            group=group_name(array_id),
            kept=tuple(kept),
            disk=disk,
            raid_group=raid_group,
        )
    return GroupRemove(
        array_id=array_id,
        array_uuid=array_uuid,
        group=group_name(array_id),
        extent_bytes=EXTENT_BYTES,
        disk=disk,
        raid_group=raid_group,
    )


def reserved_bytes(size_bytes: int) -> int:
    """Space of a thick volume in its group."""
    return size_bytes


def cut_steps(
    group: str, volumes: Sequence[tuple[str, int]], provisioning: Provisioning = Provisioning.THICK
) -> tuple[VolumeCut, ...]:
    """Create every (volume ID, bytes). Thin ones need the group's thin pool (`pool_create`)."""
    return tuple(
        VolumeCut(
            engine=VolumeEngine.LVM,
            volume_id=id_,
            group=group,
            backing_name=backing_name(id_),
            size_bytes=size,
            provisioning=provisioning,
            pool=_pool(provisioning),
        )
        for id_, size in volumes
    )


def clone_steps(
    group: str,
    snapshot_id: str,
    volume_id: str,  # noqa: ARG001 of the protocol
    volumes: Sequence[tuple[str, int]],
) -> tuple[VolumeCut, ...]:
    """Create every (volume ID, bytes) as a thin volume from the snapshot, on which it does not depend then."""
    source = {"source": snapshot_name(snapshot_id)}
    return tuple(cut.model_copy(update=source) for cut in cut_steps(group, volumes, Provisioning.THIN))


def _pool(provisioning: Provisioning) -> str | None:
    return POOL_NAME if provisioning is Provisioning.THIN else None


def delete_steps(group: str, volume_id: str, size_bytes: int, deadline_s: float = 60.0) -> tuple[AnyStep, ...]:
    """Wait until no host can reach the volume any more, then remove it."""
    return (
        ExportsGone(volume_ids=(volume_id,), deadline_s=deadline_s),
        VolumeDelete(
            engine=VolumeEngine.LVM,
            volume_id=volume_id,
            group=group,
            backing_name=backing_name(volume_id),
            size_bytes=size_bytes,
        ),
    )


def grow_step(group: str, volume_id: str, from_bytes: int, size_bytes: int, provisioning: Provisioning) -> VolumeGrow:
    return VolumeGrow(
        engine=VolumeEngine.LVM,
        volume_id=volume_id,
        group=group,
        backing_name=backing_name(volume_id),
        from_bytes=from_bytes,
        size_bytes=size_bytes,
        pool=_pool(provisioning),
    )


def snapshot_step(group: str, snapshot_id: str, volume_id: str, size_bytes: int) -> SnapshotTake:
    return SnapshotTake(
        engine=VolumeEngine.LVM,
        snapshot_id=snapshot_id,
        volume_id=volume_id,
        group=group,
        backing_name=snapshot_name(snapshot_id),
        origin=backing_name(volume_id),
        size_bytes=size_bytes,
    )


def snapshot_aside_name(volume_id: str, snapshot_id: str, *, volume_is_kept: bool) -> str:  # noqa: ARG001 of the protocol
    """Name of a deleted snapshot, wherever its volume is."""
    return f"d{snapshot_id.replace('-', '')[:12]}"


def snapshot_place(volume_id: str, snapshot_id: str) -> str:  # noqa: ARG001 of the protocol
    """Name of a snapshot that was not deleted."""
    return snapshot_name(snapshot_id)


def snapshot_delete_step(group: str, snapshot_id: str, volume_id: str) -> SnapshotDelete:  # noqa: ARG001 of the protocol
    return SnapshotDelete(
        engine=VolumeEngine.LVM, snapshot_id=snapshot_id, group=group, backing_name=snapshot_name(snapshot_id)
    )


def roll_back_steps(
    group: str, volume_id: str, snapshot_id: str, roll_back_id: str, size_bytes: int, deadline_s: float = 60.0
) -> tuple[AnyStep, ...]:
    """Wait until no host can reach the volume any more, then put a copy of the snapshot in its place."""
    step = VolumeRollBack(
        engine=VolumeEngine.LVM,
        roll_back_id=roll_back_id,
        volume_id=volume_id,
        group=group,
        backing_name=backing_name(volume_id),
        snapshot_id=snapshot_id,
        snapshot=snapshot_name(snapshot_id),
        size_bytes=size_bytes,
    )
    return ExportsGone(volume_ids=(volume_id,), deadline_s=deadline_s), step


def roll_back_problem(newer: Sequence[str]) -> str | None:  # noqa: ARG001 of the protocol
    """None: snapshots do not depend on each other."""
    return None


def chunk_bytes(group_bytes: int) -> int:
    """The chunk size of a thin pool that may one day fill a group of this size."""
    chunk = MIN_CHUNK_BYTES
    while chunk < MAX_CHUNK_BYTES and group_bytes // chunk * BYTES_PER_CHUNK > LARGE_METADATA_BYTES:
        chunk *= 2
    return chunk


def pool_create(pool_id: str, pool: ObservedGroup, free_bytes: int, asked_bytes: int) -> ThinPoolCreate | None:
    """A thin pool for volumes of `asked_bytes` in total, in a group with `free_bytes` left; None if it does not fit.

    Its metadata has space for every chunk of the group, so that data can grow to the last extent without growing it. It
    uses at most half of the free space: it grows automatically, and its space is not available to thick volumes.
    """
    chunk, extent = chunk_bytes(pool.size_bytes), pool.extent_bytes
    metadata = _up(max(MIN_METADATA_BYTES, pool.size_bytes // chunk * BYTES_PER_CHUNK), extent)
    room = (free_bytes - 2 * metadata) // extent * extent
    data = min(_up(asked_bytes, extent), max(room // 2 // extent * extent, MIN_POOL_BYTES))
    if room < MIN_POOL_BYTES:
        return None
    return ThinPoolCreate(
        pool_id=pool_id,
        group=pool.group,
        name=POOL_NAME,
        data_bytes=max(data, MIN_POOL_BYTES),
        metadata_bytes=metadata,
        chunk_bytes=chunk,
    )


def pool_growth(pool: ObservedGroup) -> ThinPoolGrow | None:
    """Growth of a nearly full thin pool with the free space of its group: by a quarter. None: it does not grow."""
    thin, extent = pool.thin, pool.extent_bytes
    if thin is None:
        return None
    free = pool.free_bytes // extent * extent
    metadata = thin.metadata_bytes
    if _is_due(thin.metadata_used_bytes, thin.metadata_bytes):
        # The spare grows with it.
        metadata += min(_up(thin.metadata_bytes // 4, extent), free // 2 // extent * extent)
    free -= 2 * (metadata - thin.metadata_bytes)
    data = thin.size_bytes
    if _is_due(thin.used_bytes, thin.size_bytes):
        data += min(max(_up(thin.size_bytes // 4, extent), MIN_POOL_BYTES), free)
    if (data, metadata) == (thin.size_bytes, thin.metadata_bytes):
        return None
    return ThinPoolGrow(group=pool.group, name=thin.name, data_bytes=data, metadata_bytes=metadata)


def pool_remove(group: str) -> ThinPoolRemove:
    return ThinPoolRemove(group=group, name=POOL_NAME)


def _is_due(used: int | None, size: int) -> bool:
    return used is not None and used * 100 >= size * GROW_AT_PERCENT


def _up(size: int, extent: int) -> int:
    return -(-size // extent) * extent
