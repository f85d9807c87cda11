"""How arrays of md are planned."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from lunette.domain.array_changes import ArrayForceStart, ArrayGrow, ArrayReshape
from lunette.domain.arrays import (
    ArrayCreate,
    ArrayEngine,
    EngineCapability,
    ObservedArray,
    WriteHole,
)
from lunette.domain.disks import ObservedDisk, cached
from lunette.domain.errors import FieldProblem
from lunette.domain.observations import Observation, Part
from lunette.domain.plans import Plan
from lunette.domain.steps import AnyStep, KeptVolume, MemberDisk
from lunette.domain.volumes import ObservedGroup, VolumeEngine
from lunette.planner.engines.known_array import KnownArray
from lunette.planner.engines.md import changes as md_changes
from lunette.planner.engines.md import force_start, foresight, growth, reshape, write_hole
from lunette.planner.engines.planning import ArrayChangePlanning, ArrayPlanning, Blueprint
from lunette.providers.arrays.md import plan as md
from lunette.providers.volumes.lvm import plan as lvm


class MdPlanning(ArrayPlanning):
    """Arrays of md, each with an LVM volume group on it."""

    engine = ArrayEngine.MD
    volumes = VolumeEngine.LVM
    parts = (Part.MD, Part.DISKS)
    changes: ClassVar[ArrayChangePlanning] = md_changes
    takes_unidentified_disks = True
    fills_lost_places = True
    shares_spares = True
    has_parity_log = True
    changes_level = True
    can_adopt = True

    def capability(self) -> EngineCapability:
        return md.capability()

    def problems(self, spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> tuple[FieldProblem, ...]:
        return md.problems(spec, [disk.size_bytes for disk in disks], cached(disks))

    def blueprint(self, array_id: str, uuid: str, spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> Blueprint:
        members = [MemberDisk(disk_id=disk.id, serial=disk.serial) for disk in disks]
        create = md.create_step(array_id, uuid, spec, members, [disk.size_bytes for disk in disks], cached(disks))
        group = lvm.group_create(array_id, create.uuid)
        return Blueprint(
            uuid=create.uuid,
            engine_name=create.md_name,
            group_name=group.group,
            create=create,
            group=group,
            chunk_bytes=create.chunk_bytes,
            write_hole=create.write_hole,
            member_bytes=create.member_bytes,
            size_bytes=md.usable_bytes(
                spec.level, create.member_bytes, len(spec.disks), create.chunk_bytes, create.layout
            ),
            layout=create.layout,
        )

    def usable_bytes(self, spec: ArrayCreate, disks: Sequence[ObservedDisk], block_bytes: int) -> int:
        chunk = spec.chunk_bytes or md.default_chunk(spec.level)
        member = md.member_bytes([disk.size_bytes for disk in disks], chunk)
        return lvm.room_bytes(md.usable_bytes(spec.level, member, len(spec.disks), chunk, spec.layout))

    def small_write_ios(self, spec: ArrayCreate, block_bytes: int) -> float:
        return md.small_write_ios(spec)

    def destroy_steps(
        self, array_id: str, uuid: str, size_bytes: int, members: Sequence[MemberDisk], kept: Sequence[KeptVolume] = ()
    ) -> tuple[AnyStep, ...]:
        return lvm.group_gone(array_id, uuid, kept), md.destroy_step(array_id, uuid, size_bytes, members)

    def foresee(self, seen: Observation, step: AnyStep) -> Observation:
        return foresight.after(seen, step)

    def may_carry(self, uuid: str, disk: ObservedDisk) -> bool:
        return disk.array_uuid == uuid

    def plan_grow(self, array: KnownArray, spec: ArrayGrow, seen: Observation, owners: Mapping[str, str]) -> Plan:
        return growth.plan_grow(array, spec, seen, owners)

    def plan_reshape(self, array: KnownArray, spec: ArrayReshape, seen: Observation, owners: Mapping[str, str]) -> Plan:
        return reshape.plan_reshape(array, spec, seen, owners)

    def plan_force_start(self, array: KnownArray, spec: ArrayForceStart, seen: Observation) -> Plan:
        return force_start.plan_force_start(array, spec, seen)

    def plan_finish(
        self, array: KnownArray, wanted: WriteHole, found: ObservedArray, pool: ObservedGroup | None, seen: Observation
    ) -> Plan | None:
        return growth.plan_finish(array, wanted, found, pool, write_hole.cached_members(found, seen))

    def plan_exchange(
        self, array: KnownArray, wanted: WriteHole, found: ObservedArray, seen: Observation
    ) -> Plan | None:
        return write_hole.plan_exchange(array, wanted, found, seen)

    def split_name(self, engine_name: str) -> tuple[str, str]:
        home, _, name = engine_name.rpartition(":")
        return home, name
