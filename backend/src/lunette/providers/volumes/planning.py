"""The interface of a volume engine for the planner. Pure.

An engine exports one record, PLANNING in its `planning.py`. Before the planner requests the steps of an ability, it
refuses what the capability record of the engine does not offer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from lunette.domain.arrays import EngineCapability
from lunette.domain.errors import FieldProblem
from lunette.domain.observations import Part
from lunette.domain.steps import (
    AnyStep,
    SnapshotDelete,
    SnapshotsTake,
    SnapshotTake,
    ThinPoolCreate,
    ThinPoolRemove,
    VolumeCut,
    VolumeGrow,
)
from lunette.domain.volumes import ObservedGroup, Provisioning, VolumeEngine


class Cutting(Protocol):
    """Common to all volume engines. A group is a volume group or a pool."""

    def capability(self) -> EngineCapability:
        """Its abilities if nothing were missing."""
        ...

    def size_problem(self, size_bytes: int) -> FieldProblem | None: ...

    def room_bytes(self, array_bytes: int) -> int:
        """Space for volumes on an array of this size."""
        ...

    def reserved_bytes(self, size_bytes: int) -> int:
        """Space of a thick volume in its group; a thin one uses none at first."""
        ...

    def backing_name(self, volume_id: str) -> str: ...

    def aside_name(self, volume_id: str) -> str:
        """The name of a retained deleted volume."""
        ...

    def device_path(self, group: str, name: str) -> str: ...

    def block_bytes(self, disk_block_bytes: int) -> int:
        """The logical block that a volume shows, where this is the largest of the disks below."""
        ...

    def cut_steps(
        self, group: str, volumes: Sequence[tuple[str, int]], provisioning: Provisioning
    ) -> tuple[VolumeCut, ...]: ...

    def delete_steps(self, group: str, volume_id: str, size_bytes: int) -> tuple[AnyStep, ...]: ...


class ThinPooling(Protocol):
    """For an engine whose thin volumes share a pool in their group, which has to be created first."""

    def pool_create(
        self, pool_id: str, pool: ObservedGroup, free_bytes: int, asked_bytes: int
    ) -> ThinPoolCreate | None: ...

    def pool_remove(self, group: str) -> ThinPoolRemove: ...


class Growing(Protocol):
    """Of an engine with `can_grow`."""

    def grow_step(
        self, group: str, volume_id: str, from_bytes: int, size_bytes: int, provisioning: Provisioning
    ) -> VolumeGrow: ...


class Snapshotting(Protocol):
    """Of an engine with `can_snapshot`."""

    def snapshot_step(self, group: str, snapshot_id: str, volume_id: str, size_bytes: int) -> SnapshotTake: ...

    def snapshot_place(self, volume_id: str, snapshot_id: str) -> str:
        """Name of a snapshot that was not deleted, within its group."""
        ...

    def snapshot_aside_name(self, volume_id: str, snapshot_id: str, *, volume_is_kept: bool) -> str:
        """Name of a deleted snapshot. `volume_is_kept`: its volume is deleted too."""
        ...

    def snapshot_delete_step(self, group: str, snapshot_id: str, volume_id: str) -> SnapshotDelete: ...

    def clone_steps(
        self, group: str, snapshot_id: str, volume_id: str, volumes: Sequence[tuple[str, int]]
    ) -> tuple[VolumeCut, ...]: ...

    def roll_back_steps(
        self, group: str, volume_id: str, snapshot_id: str, roll_back_id: str, size_bytes: int
    ) -> tuple[AnyStep, ...]: ...

    def roll_back_problem(self, newer: Sequence[str]) -> str | None:
        """Why a volume cannot be rolled back to a snapshot that has these newer ones; None if it can."""
        ...


class SnapshottingTogether(Protocol):
    """Of an engine with `can_snapshot_together`."""

    def snapshots_step(self, group: str, together_id: str, snapshots: Sequence[SnapshotTake]) -> SnapshotsTake: ...


@dataclass(frozen=True)
class VolumePlanning:
    """The pure half of a volume engine. A part that the engine lacks is None."""

    engine: VolumeEngine
    cutting: Cutting
    parts: tuple[Part, ...]
    """The parts that must have been read before an unobserved volume is known to be missing."""
    carries_sealed_copy: bool
    """Whether an array with its volumes has space for the sealed copy."""
    growing: Growing | None = None
    snapshotting: Snapshotting | None = None
    snapshotting_together: SnapshottingTogether | None = None
    """None: snapshots of several volumes are taken one after another."""
    thin_pooling: ThinPooling | None = None
    """None: thin volumes, if supported, take their space from the group itself."""
