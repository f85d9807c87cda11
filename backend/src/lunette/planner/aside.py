"""The steps that keep a deleted volume, bring it back, or erase it: the same for every engine."""

from lunette.domain.arrays import ArrayEngine
from lunette.domain.steps import (
    AnyStep,
    ExportsGone,
    KeptVolume,
    VolumeBringBack,
    VolumeDelete,
    VolumeRollBack,
    VolumeSetAside,
    VolumeSwap,
)
from lunette.planner.engines import volume_engine, volume_planning

DEADLINE_S = 60.0


def set_aside_steps(
    engine: ArrayEngine, group: str, volume_id: str, size_bytes: int, held_bytes: int, keep_hours: int
) -> tuple[AnyStep, ...]:
    """Wait until no host can reach the volume any more, then keep it under another name."""
    planning = volume_planning(engine)
    return (
        ExportsGone(volume_ids=(volume_id,), deadline_s=DEADLINE_S),
        VolumeSetAside(
            volume_id=volume_id, group=group, lv_name=planning.lv_name(volume_id),
            aside_name=planning.aside_name(volume_id), size_bytes=size_bytes, engine=volume_engine(engine),
            held_bytes=held_bytes, keep_hours=keep_hours,
        ),
    )  # fmt: skip


def bring_back_step(engine: ArrayEngine, group: str, volume_id: str, size_bytes: int) -> VolumeBringBack:
    """Put a kept volume back in its place."""
    planning = volume_planning(engine)
    return VolumeBringBack(
        volume_id=volume_id, group=group, lv_name=planning.lv_name(volume_id),
        aside_name=planning.aside_name(volume_id), size_bytes=size_bytes, engine=volume_engine(engine),
    )  # fmt: skip


def erase_steps(engine: ArrayEngine, group: str, volume_id: str, size_bytes: int) -> tuple[AnyStep, ...]:
    """Destroy a kept volume: never one that is back in its place."""
    return (
        ExportsGone(volume_ids=(volume_id,), deadline_s=DEADLINE_S),
        VolumeDelete(
            volume_id=volume_id, group=group, lv_name=volume_planning(engine).aside_name(volume_id),
            size_bytes=size_bytes, engine=volume_engine(engine),
        ),
    )  # fmt: skip


def swap_step(engine: ArrayEngine, step: VolumeRollBack, kept_id: str, held_bytes: int, keep_hours: int) -> VolumeSwap:
    """The same roll back, with what the volume holds kept as the deleted volume `kept_id`."""
    return VolumeSwap(
        **step.model_dump(exclude={"kind"}), kept_id=kept_id, aside_name=volume_planning(engine).aside_name(kept_id),
        held_bytes=held_bytes, keep_hours=keep_hours,
    )  # fmt: skip


def kept_volume(engine: ArrayEngine, volume_id: str, size_bytes: int) -> KeptVolume:
    """A kept volume that goes with its array."""
    aside_name = volume_planning(engine).aside_name(volume_id)
    return KeptVolume(volume_id=volume_id, aside_name=aside_name, size_bytes=size_bytes)
