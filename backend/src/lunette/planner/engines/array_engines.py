"""How arrays of each engine are planned: the pure half of every array engine behind one protocol."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from lunette.domain.arrays import ArrayCreate, ArrayEngine, EngineCapability, Raid10Layout, WriteHole
from lunette.domain.disks import ObservedDisk, cached
from lunette.domain.errors import FieldProblem
from lunette.domain.steps import (
    AnyStep,
    GroupCreate,
    KeptVolume,
    LuksCreate,
    LvmRaidCreate,
    MdCreate,
    MdMember,
    PoolCreate,
)
from lunette.domain.volumes import BLOCK_BYTES, VolumeEngine
from lunette.providers.arrays.external import plan as external
from lunette.providers.arrays.lvm import plan as lvm_raid
from lunette.providers.arrays.md import plan as md
from lunette.providers.arrays.zfs import plan as zfs
from lunette.providers.arrays.zfs import space
from lunette.providers.volumes.lvm import plan as lvm


@dataclass(frozen=True)
class Blueprint:
    """An array as one engine would make it: `create` makes the array itself, `group` what its volumes are cut from."""

    uuid: str
    own_name: str
    """The name the engine knows it by."""
    group_name: str
    create: MdCreate | PoolCreate | LvmRaidCreate | None
    """None where somebody else made it."""
    group: GroupCreate | None
    """None where volumes are cut from the array itself."""
    chunk_bytes: int | None
    write_hole: WriteHole
    member_bytes: int
    size_bytes: int
    layout: Raid10Layout | None = None
    warnings: tuple[str, ...] = ()
    """What to know of it before it is made."""
    crypt: LuksCreate | None = None
    """Between the two, where it is encrypted."""

    @property
    def steps(self) -> tuple[AnyStep, ...]:
        return tuple(step for step in (self.create, self.crypt, self.group) if step is not None)


class ArrayPlanning(Protocol):
    """The pure half of an array engine. `volumes` cuts volumes from its arrays."""

    volumes: VolumeEngine
    takes_unidentified_disks: bool
    """Whether it recognises a disk of its own by what it wrote on it, even if nothing else identifies the disk."""

    def capability(self) -> EngineCapability:
        """What it could do if nothing were missing."""
        ...

    def problems(self, spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> tuple[FieldProblem, ...]: ...

    def blueprint(self, array_id: str, uuid: str, spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> Blueprint: ...

    def usable_bytes(self, spec: ArrayCreate, disks: Sequence[ObservedDisk], block_bytes: int) -> int:
        """What volumes with blocks of this size could hold together."""
        ...

    def small_write_ios(self, spec: ArrayCreate, block_bytes: int) -> float: ...

    def destroy_steps(
        self, array_id: str, uuid: str, size_bytes: int, members: Sequence[MdMember], kept: Sequence[KeptVolume] = ()
    ) -> tuple[AnyStep, ...]:
        """`kept` are the deleted volumes that go with it."""
        ...


class MdPlanning:
    volumes = VolumeEngine.LVM
    takes_unidentified_disks = True

    def capability(self) -> EngineCapability:
        return md.capability()

    def problems(self, spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> tuple[FieldProblem, ...]:
        return md.problems(spec, [disk.size_bytes for disk in disks], cached(disks))

    def blueprint(self, array_id: str, uuid: str, spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> Blueprint:
        members = [MdMember(disk_id=disk.id, serial=disk.serial) for disk in disks]
        create = md.create_step(array_id, uuid, spec, members, [disk.size_bytes for disk in disks], cached(disks))
        group = lvm.group_create(array_id, create.uuid)
        return Blueprint(
            uuid=create.uuid,
            own_name=create.md_name,
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
        self, array_id: str, uuid: str, size_bytes: int, members: Sequence[MdMember], kept: Sequence[KeptVolume] = ()
    ) -> tuple[AnyStep, ...]:
        return lvm.group_gone(array_id, uuid, kept), md.destroy_step(array_id, uuid, size_bytes, members)


class ZfsPlanning:
    volumes = VolumeEngine.ZVOL
    takes_unidentified_disks = False

    def capability(self) -> EngineCapability:
        return zfs.capability()

    def problems(self, spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> tuple[FieldProblem, ...]:
        return zfs.problems(spec, disks)

    def blueprint(self, array_id: str, uuid: str, spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> Blueprint:
        create = zfs.create_step(array_id, uuid, spec, disks)
        return Blueprint(
            uuid=create.guid,
            own_name=create.pool,
            group_name=create.pool,
            create=create,
            group=None,
            chunk_bytes=None,
            write_hole=WriteHole.COPY_ON_WRITE,
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
        self, array_id: str, uuid: str, size_bytes: int, members: Sequence[MdMember], kept: Sequence[KeptVolume] = ()
    ) -> tuple[AnyStep, ...]:
        return (zfs.destroy_step(array_id, uuid, size_bytes, members, kept),)


class ExternalPlanning:
    """The device is there already: it becomes an array by the volume group on it."""

    volumes = VolumeEngine.LVM
    takes_unidentified_disks = False

    def capability(self) -> EngineCapability:
        return external.capability()

    def problems(self, spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> tuple[FieldProblem, ...]:
        return external.problems(spec, disks)

    def blueprint(self, array_id: str, uuid: str, spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> Blueprint:
        disk = disks[0]
        member = MdMember(disk_id=disk.id, serial=disk.serial)
        group = lvm.group_create(array_id, external.array_uuid(uuid), member)
        return Blueprint(
            uuid=group.md_uuid,
            own_name=group.group,
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
        self, array_id: str, uuid: str, size_bytes: int, members: Sequence[MdMember], kept: Sequence[KeptVolume] = ()
    ) -> tuple[AnyStep, ...]:
        return (lvm.group_gone(array_id, uuid, kept, members[0]),)


class LvmRaidPlanning:
    """A RAID volume over whole disks, with a volume group of its own on it."""

    volumes = VolumeEngine.LVM
    takes_unidentified_disks = False

    def capability(self) -> EngineCapability:
        return lvm_raid.capability()

    def problems(self, spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> tuple[FieldProblem, ...]:
        return lvm_raid.problems(spec, disks)

    def blueprint(self, array_id: str, uuid: str, spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> Blueprint:
        create = lvm_raid.create_step(array_id, uuid, spec, disks)
        group = lvm.group_create(array_id, create.uuid, raid_group=create.raid_group)
        return Blueprint(
            uuid=create.uuid,
            own_name=create.raid_group,
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
        self, array_id: str, uuid: str, size_bytes: int, members: Sequence[MdMember], kept: Sequence[KeptVolume] = ()
    ) -> tuple[AnyStep, ...]:
        destroy = lvm_raid.destroy_step(array_id, uuid, size_bytes, members)
        return lvm.group_gone(array_id, uuid, kept, raid_group=destroy.raid_group), destroy


ARRAY_ENGINES: dict[ArrayEngine, ArrayPlanning] = {
    ArrayEngine.MD: MdPlanning(),
    ArrayEngine.ZFS: ZfsPlanning(),
    ArrayEngine.EXTERNAL: ExternalPlanning(),
    ArrayEngine.LVM: LvmRaidPlanning(),
}
