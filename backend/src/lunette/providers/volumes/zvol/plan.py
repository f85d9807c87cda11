"""How volumes become zvols: pure names, sizes and steps."""

from collections.abc import Sequence

from lunette.domain.arrays import EngineCapability
from lunette.domain.errors import FieldProblem
from lunette.domain.sizes import format_size
from lunette.domain.steps import (
    AnyStep,
    ExportsGone,
    SnapshotDelete,
    SnapshotsTake,
    SnapshotTake,
    VolumeCut,
    VolumeDelete,
    VolumeGrow,
    VolumeRollBack,
)
from lunette.domain.volumes import BLOCK_BYTES, Provisioning, VolumeEngine
from lunette.providers.arrays.zfs.space import metadata_bytes

VOLUME_MARK = "io.lunette:volume"
"""The user property with the ID of the volume."""
FRESH_MARK = "io.lunette:fresh"
"""`yes` on a zvol that no host has seen yet."""
SNAPSHOT_MARK = "io.lunette:snapshot"
"""The user property with the ID of the snapshot."""
TOGETHER_MARK = "io.lunette:together"
"""The user property common to snapshots of one point in time."""
ROLLED_MARK = "io.lunette:rolled"
"""On a zvol, the ID of its last rollback."""


def capability(reason: str | None = None) -> EngineCapability:
    """The engine's record; `reason` says why it is not available on this machine."""
    return EngineCapability(
        engine=VolumeEngine.ZVOL.value,
        kind="volume",
        available=reason is None,
        reason=reason,
        can_thin=True,
        can_grow=True,
        can_snapshot=True,
        can_snapshot_thick=True,
        can_snapshot_together=True,
        needs=("zfs", "zfs (kernel module)"),
    )


def backing_name(volume_id: str) -> str:
    """The zvol of a volume: a rename of the volume never changes it."""
    return f"v{volume_id.replace('-', '')[:12]}"


def aside_name(volume_id: str) -> str:
    """Name of a retained deleted volume."""
    return f"d{volume_id.replace('-', '')[:12]}"


def copy_name(roll_back_id: str) -> str:
    """Name of the clone of a snapshot until it takes its volume's place."""
    return f"r{roll_back_id.replace('-', '')[:12]}"


def snapshot_name(volume_id: str, snapshot_id: str) -> str:
    """A snapshot is below its zvol."""
    return f"{backing_name(volume_id)}@s{snapshot_id.replace('-', '')[:12]}"


def snapshot_aside_name(volume_id: str, snapshot_id: str, *, volume_is_kept: bool) -> str:
    """Name of a deleted snapshot: below its zvol, which may be deleted too."""
    zvol = aside_name(volume_id) if volume_is_kept else backing_name(volume_id)
    return f"{zvol}@d{snapshot_id.replace('-', '')[:12]}"


snapshot_place = snapshot_name
"""Name of a snapshot that was not deleted."""


def short_name(dataset: str) -> str:
    """A dataset's name within its pool."""
    return dataset.partition("/")[2]


def device_path(group: str, name: str) -> str:
    return f"/dev/zvol/{group}/{name}"


def block_bytes(disk_block_bytes: int) -> int:  # noqa: ARG001 of the protocol
    """The logical block of a zvol, whatever that of the disks: zvol_alloc sets none, so it is the kernel's default."""
    return 512


def size_problem(size_bytes: int) -> FieldProblem | None:
    """Why this size cannot be allocated exactly, or None. A size is refused, never rounded silently."""
    if size_bytes % BLOCK_BYTES == 0 and size_bytes > 0:
        return None
    upper = -(-size_bytes // BLOCK_BYTES) * BLOCK_BYTES
    rule = f"the size must be a multiple of {format_size(BLOCK_BYTES)}: the next one is {upper} bytes"
    return FieldProblem(field="size_bytes", value=str(size_bytes), message=rule)


def room_bytes(array_bytes: int) -> int:
    """Space for volumes in a pool of this size: its size is already that of volumes (space.volume_bytes)."""
    return array_bytes


def reserved_bytes(size_bytes: int) -> int:
    """Space of a thick volume in its pool: its size, and ZFS's metadata of it."""
    return size_bytes + metadata_bytes(size_bytes)


def cut_steps(
    group: str, volumes: Sequence[tuple[str, int]], provisioning: Provisioning = Provisioning.THICK
) -> tuple[VolumeCut, ...]:
    """Create every (volume ID, bytes). A thin one uses space of the ZFS pool as hosts write."""
    return tuple(
        VolumeCut(
            volume_id=id_,
            group=group,
            backing_name=backing_name(id_),
            size_bytes=size,
            engine=VolumeEngine.ZVOL,
            provisioning=provisioning,
        )
        for id_, size in volumes
    )


def delete_steps(group: str, volume_id: str, size_bytes: int, deadline_s: float = 60.0) -> tuple[AnyStep, ...]:
    """Wait until no host can reach the volume any more, then remove it."""
    return (
        ExportsGone(volume_ids=(volume_id,), deadline_s=deadline_s),
        VolumeDelete(
            volume_id=volume_id,
            group=group,
            backing_name=backing_name(volume_id),
            size_bytes=size_bytes,
            engine=VolumeEngine.ZVOL,
        ),
    )


def grow_step(
    group: str,
    volume_id: str,
    from_bytes: int,
    size_bytes: int,
    provisioning: Provisioning,  # noqa: ARG001 its zvol decides
) -> VolumeGrow:
    return VolumeGrow(
        volume_id=volume_id,
        group=group,
        backing_name=backing_name(volume_id),
        from_bytes=from_bytes,
        size_bytes=size_bytes,
        engine=VolumeEngine.ZVOL,
    )


def snapshots_step(group: str, together_id: str, snapshots: Sequence[SnapshotTake]) -> SnapshotsTake:
    return SnapshotsTake(together_id=together_id, group=group, snapshots=tuple(snapshots), engine=VolumeEngine.ZVOL)


def snapshot_step(group: str, snapshot_id: str, volume_id: str, size_bytes: int) -> SnapshotTake:
    return SnapshotTake(
        snapshot_id=snapshot_id,
        volume_id=volume_id,
        group=group,
        backing_name=snapshot_name(volume_id, snapshot_id),
        origin=backing_name(volume_id),
        size_bytes=size_bytes,
        engine=VolumeEngine.ZVOL,
    )


def snapshot_delete_step(group: str, snapshot_id: str, volume_id: str) -> SnapshotDelete:
    name = snapshot_name(volume_id, snapshot_id)
    return SnapshotDelete(snapshot_id=snapshot_id, group=group, backing_name=name, engine=VolumeEngine.ZVOL)


def clone_steps(
    group: str, snapshot_id: str, volume_id: str, volumes: Sequence[tuple[str, int]]
) -> tuple[VolumeCut, ...]:
    """Create every (volume ID, bytes) as a thin zvol from the snapshot, which cannot be erased before it."""
    source = {"source": snapshot_name(volume_id, snapshot_id)}
    return tuple(cut.model_copy(update=source) for cut in cut_steps(group, volumes, Provisioning.THIN))


def roll_back_steps(
    group: str, volume_id: str, snapshot_id: str, roll_back_id: str, size_bytes: int, deadline_s: float = 60.0
) -> tuple[AnyStep, ...]:
    """Wait until no host can reach the volume any more, then roll it back in its place."""
    step = VolumeRollBack(
        roll_back_id=roll_back_id,
        volume_id=volume_id,
        group=group,
        backing_name=backing_name(volume_id),
        snapshot_id=snapshot_id,
        snapshot=snapshot_name(volume_id, snapshot_id),
        size_bytes=size_bytes,
        engine=VolumeEngine.ZVOL,
    )
    return ExportsGone(volume_ids=(volume_id,), deadline_s=deadline_s), step


def roll_back_problem(newer: Sequence[str]) -> str | None:
    """ZFS rolls back only to the newest snapshot; snapshots in between would be destroyed."""
    if not newer:
        return None
    names = ", ".join(newer)
    return f"ZFS would destroy the newer snapshots {names}; delete and erase these first, or clone the snapshot instead"
