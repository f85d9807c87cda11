"""How arrays of LVM RAID are planned."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from lunette.domain.array_changes import ArrayGrow, ArrayReshape
from lunette.domain.arrays import (
    ArrayCreate,
    ArrayEngine,
    EngineCapability,
    WriteHole,
)
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import FieldProblem
from lunette.domain.observations import Observation, Part
from lunette.domain.plans import Plan
from lunette.domain.steps import AnyStep, KeptVolume, MemberDisk
from lunette.domain.volumes import VolumeEngine
from lunette.planner.engines.known_array import KnownArray
from lunette.planner.engines.lvm import changes as lvm_changes
from lunette.planner.engines.lvm import foresight
from lunette.planner.engines.planning import ArrayChangePlanning, ArrayPlanning, Blueprint
from lunette.providers.arrays.lvm import plan as lvm_raid
from lunette.providers.volumes.lvm import plan as lvm


class LvmRaidPlanning(ArrayPlanning):
    """A RAID volume over whole disks, with its own volume group on it."""

    engine = ArrayEngine.LVM
    volumes = VolumeEngine.LVM
    parts = (Part.LVM, Part.DISKS)
    changes: ClassVar[ArrayChangePlanning] = lvm_changes

    def capability(self) -> EngineCapability:
        return lvm_raid.capability()

    def problems(self, spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> tuple[FieldProblem, ...]:
        return lvm_raid.problems(spec, disks)

    def blueprint(self, array_id: str, uuid: str, spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> Blueprint:
        create = lvm_raid.create_step(array_id, uuid, spec, disks)
        group = lvm.group_create(array_id, create.uuid, raid_group=create.raid_group)
        return Blueprint(
            uuid=create.uuid,
            engine_name=create.raid_group,
            group_name=group.group,
            create=create,
            group=group,
            chunk_bytes=create.chunk_bytes,
            write_hole=WriteHole.BITMAP,
            member_bytes=create.disk_bytes,
            size_bytes=create.size_bytes,
            warnings=(lvm_raid.CHECKSUMS,) if spec.integrity else (),
        )

    def usable_bytes(self, spec: ArrayCreate, disks: Sequence[ObservedDisk], block_bytes: int) -> int:
        smallest = min(disk.size_bytes for disk in disks)
        return lvm.room_bytes(lvm_raid.usable_bytes(spec.level, len(spec.disks), smallest, integrity=spec.integrity))

    def small_write_ios(self, spec: ArrayCreate, block_bytes: int) -> float:
        return lvm_raid.small_write_ios(spec.level, len(spec.disks), integrity=spec.integrity)

    def destroy_steps(
        self, array_id: str, uuid: str, size_bytes: int, members: Sequence[MemberDisk], kept: Sequence[KeptVolume] = ()
    ) -> tuple[AnyStep, ...]:
        destroy = lvm_raid.destroy_step(array_id, uuid, size_bytes, members)
        return lvm.group_gone(array_id, uuid, kept, raid_group=destroy.raid_group), destroy

    def foresee(self, seen: Observation, step: AnyStep) -> Observation:
        return foresight.after(seen, step)

    def may_carry(self, uuid: str, disk: ObservedDisk) -> bool:
        return lvm_raid.array_of_pv(lvm_raid.carried_pv(disk)) == uuid

    def plan_grow(self, array: KnownArray, spec: ArrayGrow, seen: Observation, owners: Mapping[str, str]) -> Plan:
        return lvm_changes.plan_grow(array, spec, seen, owners)

    def plan_reshape(self, array: KnownArray, spec: ArrayReshape, seen: Observation, owners: Mapping[str, str]) -> Plan:
        return lvm_changes.plan_reshape(array, spec, seen, owners)
