"""Volume groups and logical volumes of LVM on the machine."""

from typing import ClassVar

from lunette.domain.arrays import EngineCapability
from lunette.domain.errors import LunetteError
from lunette.domain.steps import (
    GroupAdopt,
    GroupCreate,
    GroupErase,
    GroupGrow,
    GroupRelease,
    GroupRemove,
    SnapshotBringBack,
    SnapshotDelete,
    SnapshotSetAside,
    SnapshotTake,
    ThinPoolCreate,
    ThinPoolGrow,
    ThinPoolRemove,
    VolumeBringBack,
    VolumeCut,
    VolumeDelete,
    VolumeGrow,
    VolumeRollBack,
    VolumeSetAside,
    VolumesSeal,
    VolumeSwap,
)
from lunette.domain.volumes import VolumeEngine
from lunette.providers.runner import Runner, Runners, no_undo
from lunette.providers.volumes.lvm import (
    adopt,
    group,
    pool,
    release,
    retained,
    retained_snapshot,
    snapshot,
    swap,
    volume,
)
from lunette.providers.volumes.lvm.blocker import lvm_blocker
from lunette.providers.volumes.lvm.observe import observe_groups
from lunette.providers.volumes.lvm.plan import TAG, THIN_TOOL, capability
from lunette.providers.volumes.machine import VolumeMachine
from lunette.system.system_port import System


class LvmMachine(VolumeMachine):
    engine = VolumeEngine.LVM
    volume_steps: ClassVar[Runners] = {
        VolumeCut: Runner(volume.cut, volume.undo_cut, volume.cut_many),
        VolumesSeal: Runner(volume.seal, volume.undo_seal),
        VolumeDelete: Runner(volume.delete, no_undo, volume.delete_many),
        VolumeSetAside: Runner(retained.set_aside, retained.undo_set_aside, retained.set_aside_many),
        VolumeBringBack: Runner(retained.bring_back, retained.undo_bring_back),
        VolumeGrow: Runner(volume.grow, no_undo),
        SnapshotTake: Runner(snapshot.take, snapshot.delete, snapshot.take_many),
        SnapshotDelete: Runner(snapshot.delete, no_undo, snapshot.delete_many),
        SnapshotSetAside: Runner(
            retained_snapshot.set_aside, retained_snapshot.undo_set_aside, retained_snapshot.set_aside_many
        ),
        SnapshotBringBack: Runner(retained_snapshot.bring_back, retained_snapshot.undo_bring_back),
        VolumeRollBack: Runner(snapshot.roll_back, no_undo),
        VolumeSwap: Runner(swap.swap, swap.undo_swap),
    }
    steps: ClassVar[Runners] = {
        GroupAdopt: Runner(adopt.adopt, adopt.undo_adopt),
        GroupCreate: Runner(group.create, group.remove),
        GroupRemove: Runner(group.remove, group.create),
        GroupGrow: Runner(group.grow, no_undo),
        GroupRelease: Runner(release.release, release.undo_release),
        GroupErase: Runner(group.remove, no_undo),
        ThinPoolCreate: Runner(pool.create, pool.undo_create),
        ThinPoolGrow: Runner(pool.grow, no_undo),
        ThinPoolRemove: Runner(pool.remove, no_undo),
    }

    def capability(self, system: System) -> EngineCapability:
        return capability(lvm_blocker(system), thin=system.find_tool(THIN_TOOL) is not None)

    def shut_down(self, system: System) -> list[str]:
        """The kernel itself knows which processes have a volume open."""
        refused, unread = [], dict[str, str]()
        try:
            groups = [found.name for found in observe_groups(system, unread) if TAG in found.tags]
        except LunetteError as error:
            refused.append(f"volume groups cannot be listed: {error.detail}")
            groups = []
        refused += [f"volume group {name} cannot be read: {reason}" for name, reason in unread.items() if name]
        for name in groups:
            try:
                group.deactivate(system, name)
            except LunetteError as error:
                refused.append(f"volume group {name}: {error.detail}")
        return refused
