"""How arrays of each engine come up and go down, with what volumes are cut from: the agent's one table of engines."""

from collections.abc import Set
from typing import Protocol

from lunette.domain.arrays import ArrayEngine
from lunette.domain.errors import LunetteError
from lunette.domain.exports import ExportArray
from lunette.providers.arrays.external import assemble as external
from lunette.providers.arrays.lvm import assemble as lvm_raid
from lunette.providers.arrays.lvm.plan import device_path as raid_path
from lunette.providers.arrays.lvm.plan import raid_group
from lunette.providers.arrays.md import assemble as md
from lunette.providers.arrays.md.observe import kernel_arrays, running_array, sure_md_name
from lunette.providers.arrays.md.parse import is_marked
from lunette.providers.arrays.md.plan import device_path
from lunette.providers.arrays.md.reshape import keep_going
from lunette.providers.arrays.md.sync import keep_pace, keep_tuning, keep_writable, keep_write_mostly
from lunette.providers.arrays.zfs import assemble as zfs
from lunette.providers.encryption import unlock
from lunette.providers.encryption.device import close_device, is_mapped
from lunette.providers.encryption.plan import mapping_of_md
from lunette.providers.volumes.lvm import group
from lunette.providers.volumes.lvm.observe import observe_groups
from lunette.providers.volumes.lvm.plan import TAG
from lunette.system.doorway import System


class Stack(Protocol):
    """One engine's arrays, and the volumes on them."""

    def is_up(self, system: System, array: ExportArray) -> bool: ...

    def start(self, system: System, array: ExportArray, *, allow_degraded: bool) -> str | None:
        """Start the array if its disks are there; None once it runs, otherwise what it waits for, in words."""
        ...

    def tend(self, system: System, array: ExportArray, /) -> None:
        """Put right what a running array forgets by itself; harmless if all is right."""
        ...

    def activate(self, system: System, array: ExportArray, /) -> None:
        """Bring up every volume of the array; harmless if they are up. Raises Locked while it waits for its key."""
        ...

    def shut_down(self, system: System, still_open: Set[str], /) -> list[str]:
        """Take down all of ours, volumes before arrays; what was refused.

        `still_open` are the real paths of devices that are in use although the kernel lets others claim them.
        """
        ...


class MdStack:
    """md arrays with an LVM volume group on each."""

    def is_up(self, system: System, array: ExportArray) -> bool:
        running = running_array(system, array.uuid)
        return md.is_running(running) and system.exists(device_path(array.uuid))

    def start(self, system: System, array: ExportArray, *, allow_degraded: bool) -> str | None:
        return md.assemble(system, array, allow_degraded=allow_degraded)

    def tend(self, system: System, array: ExportArray, /) -> None:
        keep_writable(system, array)
        keep_pace(system, array)
        keep_going(system, array)
        keep_tuning(system, array)
        keep_write_mostly(system, array)

    def activate(self, system: System, array: ExportArray, /) -> None:
        device = device_path(array.uuid)
        if array.encryption:
            device = unlock.opened(system, array.uuid, array.array_id, array.name)
        group.check_carries(system, array.group, device, array.uuid)
        group.activate(system, array.group, device)

    def shut_down(self, system: System, _still_open: Set[str], /) -> list[str]:
        refused, unread = [], dict[str, str]()  # device-mapper and md know themselves who has a device open
        try:
            groups = [found.name for found in observe_groups(system, unread) if TAG in found.tags]
        except LunetteError as error:
            refused.append(f"volume groups cannot be listed: {error.detail}")
            groups = []
        refused += [f"volume group {name} cannot be read: {reason}" for name, reason in unread.items() if name]
        for found in groups:
            try:
                group.deactivate(system, found)
            except LunetteError as error:
                refused.append(f"volume group {found}: {error.detail}")
        for array in kernel_arrays(system):
            try:
                name = sure_md_name(system, array.kernel_name)
                if is_marked(name):
                    mapping = mapping_of_md(name)
                    if is_mapped(system, array.kernel_name, mapping):
                        close_device(system, mapping)
                    md.stop(system, array.uuid)
            except LunetteError as error:
                refused.append(f"array {array.kernel_name}: {error.detail}")
        return refused


class LvmStack:
    """RAID volumes of LVM with an LVM volume group on each."""

    def is_up(self, system: System, array: ExportArray) -> bool:
        return system.exists(raid_path(raid_group(array.array_id)))

    def start(self, system: System, array: ExportArray, *, allow_degraded: bool) -> str | None:
        return lvm_raid.start(system, array, allow_degraded=allow_degraded)

    def tend(self, _system: System, _array: ExportArray, /) -> None:
        """LVM keeps what it is told."""

    def activate(self, system: System, array: ExportArray, /) -> None:
        device = raid_path(raid_group(array.array_id))
        group.check_carries(system, array.group, device, array.uuid)
        group.activate(system, array.group, device)

    def shut_down(self, system: System, _still_open: Set[str], /) -> list[str]:
        """The groups on them went down with those of md arrays."""
        return lvm_raid.shut_down(system)


STACKS: dict[ArrayEngine, Stack] = {
    ArrayEngine.MD: MdStack(),
    ArrayEngine.ZFS: zfs,
    ArrayEngine.EXTERNAL: external,
    ArrayEngine.LVM: LvmStack(),
}
