"""How pools of ZFS are planned."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from lunette.domain.array_changes import ArrayGrow, ArrayReshape
from lunette.domain.arrays import (
    ArrayCreate,
    ArrayEngine,
    EngineCapability,
    Level,
    ObservedArray,
    ScrubOutcome,
    WriteHole,
)
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import FieldProblem
from lunette.domain.foreign_arrays import FoundArray
from lunette.domain.observations import Observation, Part
from lunette.domain.plans import Plan
from lunette.domain.steps import AnyStep, KeptVolume, MemberDisk
from lunette.domain.volumes import BLOCK_BYTES, VolumeEngine
from lunette.planner.engines.known_array import KnownArray
from lunette.planner.engines.planning import ArrayChangePlanning, ArrayPlanning, Blueprint
from lunette.planner.engines.zfs import changes as pool_changes
from lunette.planner.engines.zfs import foresight, scrub_words, spares
from lunette.providers.arrays.zfs import plan as zfs
from lunette.providers.arrays.zfs import space

_SIGNATURES = {"gpt", "PMBR", "zfs_member"}
"""Signatures that a disk of a pool can show as a whole."""


class ZfsPlanning(ArrayPlanning):
    """Pools, from which volumes are allocated directly."""

    engine = ArrayEngine.ZFS
    volumes = VolumeEngine.ZVOL
    parts = (Part.ZFS, Part.DISKS)
    changes: ClassVar[ArrayChangePlanning] = pool_changes

    def capability(self) -> EngineCapability:
        return zfs.capability()

    def problems(self, spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> tuple[FieldProblem, ...]:
        return zfs.problems(spec, disks)

    def blueprint(self, array_id: str, uuid: str, spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> Blueprint:
        create = zfs.create_step(array_id, uuid, spec, disks)
        return Blueprint(
            uuid=create.guid,
            engine_name=create.pool,
            group_name=create.pool,
            create=create,
            group=None,
            chunk_bytes=None,
            write_hole=WriteHole.COPY_ON_WRITE,
            draid=create.layout,
            member_bytes=space.member_bytes(min(disk.size_bytes for disk in disks[: len(spec.disks)])),
            size_bytes=self.usable_bytes(spec, disks, BLOCK_BYTES),
            warnings=zfs.role_warnings(spec),
        )

    def usable_bytes(self, spec: ArrayCreate, disks: Sequence[ObservedDisk], block_bytes: int) -> int:
        sizes = [disk.size_bytes for disk in disks[: len(spec.disks)]]
        return space.volume_bytes(spec.level, sizes, block_bytes, zfs.shift_of(disks), shape=zfs.shape_of(spec, disks))

    def small_write_ios(self, spec: ArrayCreate, block_bytes: int) -> float:
        return zfs.small_write_ios(spec.level, len(spec.disks), block_bytes, shape=zfs.shape_of(spec, ()))

    def destroy_steps(
        self, array_id: str, uuid: str, size_bytes: int, members: Sequence[MemberDisk], kept: Sequence[KeptVolume] = ()
    ) -> tuple[AnyStep, ...]:
        return (zfs.destroy_step(array_id, uuid, size_bytes, members, kept),)

    def foresee(self, seen: Observation, step: AnyStep) -> Observation:
        return foresight.after(seen, step)

    def may_carry(self, uuid: str, disk: ObservedDisk) -> bool:
        """The label with the UUID is on a partition, which only ZFS reads."""
        types = {signature.type for signature in disk.signatures}
        return types <= _SIGNATURES and bool(disk.partitions or types)

    def plan_grow(self, array: KnownArray, spec: ArrayGrow, seen: Observation, owners: Mapping[str, str]) -> Plan:
        return pool_changes.plan_grow(array, spec, seen, owners)

    def plan_reshape(self, array: KnownArray, spec: ArrayReshape, seen: Observation, owners: Mapping[str, str]) -> Plan:
        return pool_changes.plan_reshape(array, spec, seen, owners)

    def plan_spares(self, array: KnownArray, found: ObservedArray) -> Plan | None:
        return spares.plan_spares(array, found)

    def scrub_words(self, _level: Level, outcome: ScrubOutcome) -> str:
        return scrub_words.found(outcome)

    def scrub_advice(self, array: str, _level: Level, outcome: ScrubOutcome) -> tuple[str, str]:
        return scrub_words.advice(array, outcome)

    def adopt_refusal(self, found: FoundArray) -> str:
        if found.group is not None and found.group.marked_for is not None:
            return (
                "it is a ZFS pool that carries Lunette's mark: restore a backup, because pools do not carry a sealed "
                "copy yet."
            )
        way = (
            "Copy its volumes into volumes of Lunette"
            if found.group
            else "Import it manually (zpool import) to check its content"
        )
        return f"it is a ZFS pool; pools are shown, but cannot be adopted yet. {way}."
