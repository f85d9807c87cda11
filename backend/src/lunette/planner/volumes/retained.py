"""The steps that retain a deleted volume or snapshot, recover it, or erase it: the same for every engine."""

from collections.abc import Sequence
from dataclasses import dataclass

from lunette.domain.arrays import ArrayEngine
from lunette.domain.steps import (
    AnyStep,
    ExportsGone,
    KeptSnapshot,
    KeptVolume,
    SnapshotBringBack,
    SnapshotDelete,
    SnapshotSetAside,
    VolumeBringBack,
    VolumeDelete,
    VolumeRollBack,
    VolumeSetAside,
    VolumeSwap,
)
from lunette.planner.engines.volume_engines import snapshotting, volume_engine, volume_planning

DEADLINE_S = 60.0


@dataclass(frozen=True)
class RetainedSnapshot:
    """A deleted snapshot, as far as the plans for its volume need it."""

    id: str
    name: str


def set_aside_steps(
    engine: ArrayEngine, group: str, volume_id: str, size_bytes: int, held_bytes: int, keep_hours: int
) -> tuple[AnyStep, ...]:
    """Waits until no host can reach the volume any more, then retains it under another name."""
    planning = volume_planning(engine)
    return (
        ExportsGone(volume_ids=(volume_id,), deadline_s=DEADLINE_S),
        VolumeSetAside(
            volume_id=volume_id,
            group=group,
            backing_name=planning.backing_name(volume_id),
            aside_name=planning.aside_name(volume_id),
            size_bytes=size_bytes,
            engine=volume_engine(engine),
            held_bytes=held_bytes,
            keep_hours=keep_hours,
        ),
    )


def bring_back_step(engine: ArrayEngine, group: str, volume_id: str, size_bytes: int) -> VolumeBringBack:
    """Puts a retained volume back in its place."""
    planning = volume_planning(engine)
    return VolumeBringBack(
        volume_id=volume_id,
        group=group,
        backing_name=planning.backing_name(volume_id),
        aside_name=planning.aside_name(volume_id),
        size_bytes=size_bytes,
        engine=volume_engine(engine),
    )


def erase_steps(
    engine: ArrayEngine, group: str, volume_id: str, size_bytes: int, snapshots: Sequence[RetainedSnapshot]
) -> tuple[AnyStep, ...]:
    """Erases a retained volume, with its deleted snapshots: never one that is back in its place."""
    return (
        ExportsGone(volume_ids=(volume_id,), deadline_s=DEADLINE_S),
        *(erase_snapshot_step(engine, group, volume_id, one.id, volume_is_kept=True) for one in snapshots),
        VolumeDelete(
            volume_id=volume_id,
            group=group,
            backing_name=volume_planning(engine).aside_name(volume_id),
            size_bytes=size_bytes,
            engine=volume_engine(engine),
        ),
    )


def swap_step(engine: ArrayEngine, step: VolumeRollBack, kept_id: str, held_bytes: int, keep_hours: int) -> VolumeSwap:
    """The same rollback, with the present content of the volume retained as the deleted volume `kept_id`."""
    return VolumeSwap(
        **step.model_dump(exclude={"kind"}),
        kept_id=kept_id,
        aside_name=volume_planning(engine).aside_name(kept_id),
        held_bytes=held_bytes,
        keep_hours=keep_hours,
    )


def kept_volume(
    engine: ArrayEngine, volume_id: str, size_bytes: int, snapshots: Sequence[RetainedSnapshot]
) -> KeptVolume:
    """A retained volume that is erased with its array, and its deleted snapshots."""
    below = [
        KeptSnapshot(snapshot_id=one.id, aside_name=_kept_at(engine, volume_id, one.id, volume_is_kept=True))
        for one in snapshots
    ]
    aside_name = volume_planning(engine).aside_name(volume_id)
    return KeptVolume(volume_id=volume_id, aside_name=aside_name, size_bytes=size_bytes, snapshots=tuple(below))


def set_snapshot_aside_step(
    engine: ArrayEngine, group: str, volume_id: str, snapshot_id: str, keep_hours: int
) -> SnapshotSetAside:
    """Retains, under another name, a snapshot of a volume that is in its place."""
    return SnapshotSetAside(
        snapshot_id=snapshot_id,
        group=group,
        backing_name=snapshotting(engine).snapshot_place(volume_id, snapshot_id),
        aside_name=_kept_at(engine, volume_id, snapshot_id, volume_is_kept=False),
        engine=volume_engine(engine),
        keep_hours=keep_hours,
    )


def delete_snapshot_step(
    engine: ArrayEngine, group: str, volume_id: str, snapshot_id: str, keep_hours: int
) -> SnapshotSetAside | SnapshotDelete:
    """Retain a snapshot that is not deleted for so many hours, or erase it if there are none."""
    retained = set_snapshot_aside_step(engine, group, volume_id, snapshot_id, keep_hours)
    if keep_hours:
        return retained
    destroy = snapshotting(engine).snapshot_delete_step(group, snapshot_id, volume_id)
    return destroy.model_copy(update={"aside_name": retained.aside_name})


def bring_snapshot_back_step(engine: ArrayEngine, group: str, volume_id: str, snapshot_id: str) -> SnapshotBringBack:
    """Puts a retained snapshot of a volume that is in its place back in its own."""
    return SnapshotBringBack(
        snapshot_id=snapshot_id,
        group=group,
        backing_name=snapshotting(engine).snapshot_place(volume_id, snapshot_id),
        aside_name=_kept_at(engine, volume_id, snapshot_id, volume_is_kept=False),
        engine=volume_engine(engine),
    )


def erase_snapshot_step(
    engine: ArrayEngine, group: str, volume_id: str, snapshot_id: str, *, volume_is_kept: bool
) -> SnapshotDelete:
    """Erases a retained snapshot: never one that is back in its place."""
    kept_at = _kept_at(engine, volume_id, snapshot_id, volume_is_kept=volume_is_kept)
    return SnapshotDelete(snapshot_id=snapshot_id, group=group, backing_name=kept_at, engine=volume_engine(engine))


def _kept_at(engine: ArrayEngine, volume_id: str, snapshot_id: str, *, volume_is_kept: bool) -> str:
    return snapshotting(engine).snapshot_aside_name(volume_id, snapshot_id, volume_is_kept=volume_is_kept)
