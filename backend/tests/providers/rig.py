"""A fake machine with an agent on it, and the steps that tests start from."""

from backend.tests.agent.exports import array
from backend.tests.fakemachine import FakeDisk, FakeSystem
from backend.tests.wiring_agent import PATIENT_S
from lunette.agent.core import Agent
from lunette.agent.main import MODULES
from lunette.domain.arrays import ArrayCreate, Level, Raid10Layout
from lunette.domain.disks import ObservedDisk
from lunette.domain.exports import ExportArray
from lunette.domain.sizes import MIB
from lunette.domain.steps import AnyStep, DiskWipe, GroupCreate, MdCreate, MdDestroy, MemberDisk, VolumeCut, VolumesSeal
from lunette.domain.volumes import VolumeEngine
from lunette.providers.arrays.md import plan as md
from lunette.providers.volumes.lvm import plan as lvm

ARRAY_ID, ARRAY_UUID = "aaaaaaaa-0000-4000-8000-000000000001", "bbbbbbbb-0000-4000-8000-000000000002"
VOLUME_ID = "cccccccc-0000-4000-8000-000000000003"


class Rig:
    """`disks` are blank NVMe drives; `agent` is the real agent."""

    def __init__(self, disks: int = 4) -> None:
        self.machine = FakeSystem()
        self.disks = self.machine.add_disks(disks)
        for module in MODULES:
            self.machine.run(["modprobe", "-q", module], ok=(0, 1))
        self.agent = Agent(self.machine, patience_s=PATIENT_S)

    def observed(self, disk: FakeDisk) -> ObservedDisk:
        return next(found for found in self.agent.observe().disks if found.serial == disk.serial)

    def do(self, step: AnyStep) -> bool:
        """Do a step; whether it changed anything."""
        return self.agent.do_step("job", step).changed

    def undo(self, step: AnyStep) -> bool:
        return self.agent.undo_step("job", step).changed

    def create(self, level: Level = Level.RAID5, disks: int = 3, layout: Raid10Layout | None = None) -> MdCreate:
        """The step that makes an array of the first disks."""
        found = [self.observed(disk) for disk in self.disks[:disks]]
        spec = ArrayCreate(name="tank", level=level, layout=layout, disks=tuple(disk.id for disk in found))
        members = [MemberDisk(disk_id=disk.id, serial=disk.serial) for disk in found]
        return md.create_step(ARRAY_ID, ARRAY_UUID, spec, members, [disk.size_bytes for disk in found])

    def destroy(self, create: MdCreate) -> MdDestroy:
        return md.destroy_step(create.array_id, create.uuid, 1, create.members)

    def group(self, create: MdCreate) -> GroupCreate:
        return lvm.group_create(create.array_id, create.uuid)

    def export_array(self, create: MdCreate, group: GroupCreate) -> ExportArray:
        """The array as the agent is asked to bring it up, with the id that the volumes of `agent.exports` are on."""
        members = tuple(one.disk_id for one in create.members)
        return array(0).model_copy(update={"uuid": create.uuid, "group": group.group, "members": members})

    def cut(self, group: GroupCreate, size: int = 64 * MIB) -> VolumeCut:
        name = lvm.backing_name(VOLUME_ID)
        return VolumeCut(
            engine=VolumeEngine.LVM, volume_id=VOLUME_ID, group=group.group, backing_name=name, size_bytes=size
        )

    def seal(self, cut: VolumeCut) -> VolumesSeal:
        return VolumesSeal.of([cut])

    def wipe(self, disk: FakeDisk) -> DiskWipe:
        """The wipe of what the disk carries now."""
        found = self.observed(disk)
        return DiskWipe(disk_id=found.id, serial=found.serial, size_bytes=found.size_bytes, signatures=found.signatures)

    def volume(self) -> VolumeCut:
        """Everything up to one sealed volume."""
        create = self.create()
        group = self.group(create)
        cut = self.cut(group)
        for step in (create, group, cut, self.seal(cut)):
            assert self.do(step)
        return cut
