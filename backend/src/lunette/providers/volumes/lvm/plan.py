"""How arrays become volume groups and volumes become logical volumes: pure names, sizes and steps."""

from collections.abc import Sequence

from lunette.domain.arrays import EngineCapability
from lunette.domain.errors import FieldProblem
from lunette.domain.sizes import MIB, format_size
from lunette.domain.steps import (
    AnyStep,
    ExportsGone,
    GroupCreate,
    GroupRemove,
    SealedVolume,
    VolumeCut,
    VolumeDelete,
    VolumesSeal,
)
from lunette.domain.volumes import EXTENT_BYTES, Provisioning

METADATA_BYTES = 16 * MIB
"""Room for LVM's own text on an array: it keeps two versions at about 500 bytes a volume, so 10,000 volumes fit."""
TAG = "lunette"
FRESH_TAG = "lunette.fresh"
PACKAGE = "lvm2"


def capability(reason: str | None = None) -> EngineCapability:
    """The engine's record; `reason` says why it is not available on this machine."""
    return EngineCapability(
        engine="lvm", kind="volume", available=reason is None, reason=reason, needs=("lvm", "dm_mod")
    )


def group_name(array_id: str) -> str:
    """The volume group of an array. `array_id` is a UUID."""
    return f"lunette-{array_id.replace('-', '')[:12]}"


def lv_name(volume_id: str) -> str:
    """The logical volume of a volume: a rename of the volume never touches it."""
    return f"v{volume_id.replace('-', '')[:12]}"


def device_path(group: str, name: str) -> str:
    return f"/dev/{group}/{name}"


def array_tag(md_uuid: str) -> str:
    return f"lunette.array={md_uuid}"


def volume_tag(volume_id: str) -> str:
    return f"lunette.volume={volume_id}"


def group_bytes(array_bytes: int) -> int:
    """The least that can be cut from an array of this size; the group itself may offer an extent or two more."""
    return max(0, (array_bytes - METADATA_BYTES - 2 * EXTENT_BYTES) // EXTENT_BYTES * EXTENT_BYTES)


def size_problem(size_bytes: int) -> FieldProblem | None:
    """Why this size cannot be cut exactly, or None. A size is refused, never rounded in silence."""
    if size_bytes % EXTENT_BYTES == 0 and size_bytes > 0:
        return None
    upper = -(-size_bytes // EXTENT_BYTES) * EXTENT_BYTES
    rule = f"a size is a multiple of {format_size(EXTENT_BYTES)}: {upper} bytes would be the next"
    return FieldProblem(field="size_bytes", value=str(size_bytes), message=rule)


def group_create(array_id: str, md_uuid: str) -> GroupCreate:
    return GroupCreate(array_id=array_id, md_uuid=md_uuid, group=group_name(array_id), extent_bytes=EXTENT_BYTES)


def group_remove(array_id: str, md_uuid: str) -> GroupRemove:
    return GroupRemove(array_id=array_id, md_uuid=md_uuid, group=group_name(array_id), extent_bytes=EXTENT_BYTES)


def reserved_bytes(size_bytes: int) -> int:
    """What a thick volume takes of its group's free space."""
    return size_bytes


def create_steps(
    group: str, volumes: Sequence[tuple[str, int]], provisioning: Provisioning = Provisioning.THICK
) -> tuple[AnyStep, ...]:
    """Cut every (volume id, bytes) and seal them all at once, so that a failed cut can still take the others back."""
    cuts = [
        VolumeCut(
            volume_id=id_, group=group, lv_name=lv_name(id_), size_bytes=size, provisioning=provisioning
        )
        for id_, size in volumes
    ]  # fmt: skip
    seal = VolumesSeal(
        group=group, volumes=tuple(SealedVolume(volume_id=cut.volume_id, lv_name=cut.lv_name) for cut in cuts)
    )
    return (*cuts, seal)


def delete_steps(group: str, volume_id: str, size_bytes: int, deadline_s: float = 60.0) -> tuple[AnyStep, ...]:
    """Wait until no host can reach the volume any more, then remove it."""
    return (
        ExportsGone(volume_ids=(volume_id,), deadline_s=deadline_s),
        VolumeDelete(volume_id=volume_id, group=group, lv_name=lv_name(volume_id), size_bytes=size_bytes),
    )
