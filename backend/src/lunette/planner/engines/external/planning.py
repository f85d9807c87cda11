"""How devices of other RAID controllers or engines are planned."""

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
from lunette.planner.engines.external import changes as external_changes
from lunette.planner.engines.external import foresight
from lunette.planner.engines.known_array import KnownArray
from lunette.planner.engines.planning import ArrayChangePlanning, ArrayPlanning, Blueprint
from lunette.providers.arrays.external import plan as external
from lunette.providers.volumes.lvm import plan as lvm


class ExternalPlanning(ArrayPlanning):
    """The device exists already: the volume group on it makes it an array."""

    engine = ArrayEngine.EXTERNAL
    volumes = VolumeEngine.LVM
    parts = (Part.EXTERNAL, Part.LVM, Part.DISKS)
    changes: ClassVar[ArrayChangePlanning] = external_changes
    is_enlarged_elsewhere = True

    def capability(self) -> EngineCapability:
        return external.capability()

    def problems(self, spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> tuple[FieldProblem, ...]:
        return external.problems(spec, disks)

    def blueprint(self, array_id: str, uuid: str, spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> Blueprint:
        disk = disks[0]
        member = MemberDisk(disk_id=disk.id, serial=disk.serial)
        group = lvm.group_create(array_id, external.array_uuid(uuid), member)
        return Blueprint(
            uuid=group.array_uuid,
            engine_name=group.group,
            group_name=group.group,
            create=None,
            group=group,
            chunk_bytes=None,
            write_hole=WriteHole.EXTERNAL,
            member_bytes=disk.size_bytes,
            size_bytes=disk.size_bytes,
        )

    def usable_bytes(self, spec: ArrayCreate, disks: Sequence[ObservedDisk], block_bytes: int) -> int:
        return lvm.room_bytes(disks[0].size_bytes)

    def small_write_ios(self, spec: ArrayCreate, block_bytes: int) -> float:
        return 1

    def destroy_steps(
        self, array_id: str, uuid: str, size_bytes: int, members: Sequence[MemberDisk], kept: Sequence[KeptVolume] = ()
    ) -> tuple[AnyStep, ...]:
        return (lvm.group_gone(array_id, uuid, kept, members[0]),)

    def foresee(self, seen: Observation, step: AnyStep) -> Observation:
        return foresight.after(seen, step)

    def may_carry(self, uuid: str, disk: ObservedDisk) -> bool:
        return external.carried_uuid(disk) == uuid

    def plan_grow(self, array: KnownArray, spec: ArrayGrow, seen: Observation, owners: Mapping[str, str]) -> Plan:
        return external_changes.plan_grow(array, spec, seen, owners)

    def plan_reshape(self, array: KnownArray, spec: ArrayReshape, seen: Observation, owners: Mapping[str, str]) -> Plan:
        return external_changes.plan_reshape(array, spec, seen, owners)
