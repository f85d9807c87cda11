"""md arrays on the machine, each with an LVM volume group on it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import ClassVar

from lunette.domain.arrays import ArrayEngine, ArrayState, EngineCapability, ObservedArray
from lunette.domain.counters import ArrayCounters, BlockCounters
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import LunetteError
from lunette.domain.exports import ExportArray
from lunette.domain.foreign_arrays import FoundArray
from lunette.domain.observations import Part
from lunette.domain.steps import (
    MdAdd,
    MdCreate,
    MdDestroy,
    MdFail,
    MdForceStart,
    MdOpen,
    MdRelease,
    MdRelevel,
    MdRemove,
    MdReplace,
    MdReshape,
    MdScrub,
    MdSpareOut,
    MdStart,
    MdWriteHole,
)
from lunette.providers.arrays.machine import ArrayMachine, ObservedArrays, Surroundings
from lunette.providers.arrays.md import assemble, counters, force, foreign, found, level, members, release, run, sync
from lunette.providers.arrays.md import reshape as reshaping
from lunette.providers.arrays.md.observe import kernel_arrays, observe_arrays, running_array, sure_md_name
from lunette.providers.arrays.md.parse import is_marked
from lunette.providers.arrays.md.plan import PACKAGE, capability, device_path
from lunette.providers.blocker import blocker
from lunette.providers.disks.inventory import read_signatures
from lunette.providers.encryption import plan as encryption
from lunette.providers.encryption import unlock
from lunette.providers.encryption.device import LUKS, close_device, is_mapped
from lunette.providers.encryption.device import blocker as luks_blocker
from lunette.providers.runner import Runner, Runners, no_undo
from lunette.providers.volumes.lvm import group
from lunette.providers.volumes.lvm import observe as lvm
from lunette.providers.volumes.lvm.plan import TAG, array_tag
from lunette.system.system_port import System


class MdMachine(ArrayMachine):
    engine = ArrayEngine.MD
    part = Part.MD
    is_ours_by_record = True
    steps: ClassVar[Runners] = {
        MdCreate: Runner(run.create, run.undo_create),
        MdDestroy: Runner(run.destroy, no_undo),
        MdStart: Runner(foreign.start, foreign.undo_start),
        MdOpen: Runner(foreign.open_, foreign.undo_open),
        MdRelease: Runner(release.release, release.undo_release),
        MdAdd: Runner(members.add, members.undo_add),
        MdReplace: Runner(members.replace, members.undo_replace),
        MdFail: Runner(members.fail, no_undo),
        MdRemove: Runner(members.remove, no_undo),
        MdSpareOut: Runner(members.take_spare_out, members.undo_take_spare_out),
        MdForceStart: Runner(force.start, no_undo),
        MdScrub: Runner(sync.scrub, sync.undo_scrub),
        MdWriteHole: Runner(reshaping.set_write_hole, reshaping.undo_write_hole),
        MdReshape: Runner(reshaping.reshape, no_undo),
        MdRelevel: Runner(level.relevel, no_undo),
    }

    def capability(self, system: System) -> EngineCapability:
        without = blocker(system, "mdadm", "/proc/mdstat", "md_mod", PACKAGE)
        return encryption.offered(capability(without), luks_blocker(system))

    def observe(self, system: System, around: Surroundings, unread: dict[str, str]) -> ObservedArrays:
        """An adopted array keeps its name: the mark is on its volume group."""
        arrays = observe_arrays(system, around.disks) if system.find_tool("mdadm") else ()
        return ObservedArrays(
            tuple(
                array.model_copy(update={"marked": True}) if array.uuid in around.marked else array for array in arrays
            )
        )

    def is_up(self, system: System, array: ExportArray) -> bool:
        running = running_array(system, array.uuid)
        return assemble.is_running(running) and system.exists(device_path(array.uuid))

    def start(self, system: System, array: ExportArray, *, allow_degraded: bool) -> str | None:
        return assemble.assemble(system, array, allow_degraded=allow_degraded)

    def tend(self, system: System, array: ExportArray, /) -> None:
        sync.keep_writable(system, array)
        sync.keep_pace(system, array)
        reshaping.keep_going(system, array)
        sync.keep_tuning(system, array)
        sync.keep_write_mostly(system, array)

    def activate(self, system: System, array: ExportArray, /) -> None:
        device = device_path(array.uuid)
        if array.encryption:
            device = unlock.opened(system, array.uuid, array.array_id, array.name)
        group.check_carries(system, array.group, device, array.uuid)
        group.activate(system, array.group, device)

    def shut_down(self, system: System, _still_open: Set[str] | None, /) -> list[str]:
        """The kernel itself knows who has an array open."""
        refused = []
        for array in kernel_arrays(system):
            try:
                name = sure_md_name(system, array.kernel_name)
                if is_marked(name):
                    mapping = encryption.mapping_of_md(name)
                    if is_mapped(system, array.kernel_name, mapping):
                        close_device(system, mapping)
                    assemble.stop(system, array.uuid)
            except LunetteError as error:
                refused.append(f"array {array.kernel_name}: {error.detail}")
        return refused

    def counters(
        self, system: System, arrays: Sequence[ExportArray], devices: Mapping[str, BlockCounters]
    ) -> Mapping[str, ArrayCounters | None]:
        running = counters.read(system, devices)
        return {array.array_id: running.get(array.uuid) for array in arrays}

    def group_device(self, system: System, array: ObservedArray, *, degraded: bool) -> str | None:
        """The opened device of an encrypted array. Raises Locked with the command that opens it."""
        device = device_path(array.uuid)
        if not assemble.ensure_running(system, array.uuid, degraded=degraded):
            return None
        carried = read_signatures(system, [system.realpath(device)])
        sign = next((sign for signs in carried.values() for sign in signs if sign.type == LUKS), None)
        if sign is None:
            return device
        try:
            return unlock.opened(system, array.uuid, sign.uuid or "", array.name)
        except unlock.Locked as locked:
            name = encryption.mapping_of_md(array.name)
            raise unlock.Locked(
                f"{locked.detail}: open it as root with `cryptsetup open --disable-keyring {device} {name}` and its "
                "passphrase, then try again"
            ) from locked

    def with_copies(self, system: System, disks: Sequence[ObservedDisk]) -> Iterator[ObservedArray]:
        """By md's name of the array or, for an adopted one, by the mark on its volume group."""
        for array in observe_arrays(system, disks) if system.find_tool("mdadm") is not None else ():
            if array.marked or (
                array.state is not ArrayState.MISSING and not array.system and _is_adopted(system, array)
            ):
                yield array

    def foreign(self, system: System, disks: Sequence[ObservedDisk]) -> Iterable[FoundArray]:
        return found.found(system, disks)


def _is_adopted(system: System, array: ObservedArray) -> bool:
    """True if its group carries Lunette's mark; it is writable from then on, like any array of Lunette."""
    try:
        known = lvm.physical_volume(system, device_path(array.uuid))
        if known is None or not {TAG, array_tag(array.uuid)} <= known.tags:
            return False
        foreign.make_writable(system, array.uuid)
    except LunetteError:
        return False
    return True
