"""md arrays of this machine with their content, without writing or starting anything."""

from collections.abc import Iterator

from lunette.domain.arrays import ArrayState, ObservedArray
from lunette.domain.errors import LunetteError
from lunette.domain.foreign_arrays import FoundArray
from lunette.providers.arrays.md import observe
from lunette.providers.arrays.md.foreign import READ_ONLY
from lunette.providers.disks.inventory import read_signatures
from lunette.providers.volumes.lvm import observe as lvm
from lunette.providers.volumes.lvm.foreign import described
from lunette.system.system_port import System

_LVM = "LVM2_member"


def found(system: System, disks: observe.Disks) -> Iterator[FoundArray]:
    """Every md array except the mirrors of the system itself. The database may know some of them."""
    if system.find_tool("mdadm") is None:
        return
    listed = _listed(system)
    for array in observe.observe_arrays(system, disks):
        if not array.system and array.uuid:
            yield _found(system, array, disks, listed)


def _found(system: System, array: ObservedArray, disks: observe.Disks, listed: frozenset[str] | None) -> FoundArray:
    running = observe.running_array(system, array.uuid)
    if array.state is ArrayState.MISSING or running is None:
        blocks = observe.readable_superblocks(system, disks, array.uuid)
        newest = max(blocks.values(), key=lambda block: block.events, default=None)
        return FoundArray(seen=array, engine_name=(newest.name if newest else "") or array.name)
    known = FoundArray(
        seen=array,
        engine_name=observe.md_name_of(system, running.kernel_name) or array.name,
        read_only=running.attributes["array_state"] == READ_ONLY,
    )
    device = f"/dev/{running.kernel_name}"
    try:
        carried = [one.type for signatures in read_signatures(system, [device]).values() for one in signatures]
        group = lvm.group_on(system, device) if _LVM in carried and system.find_tool("vgs") is not None else None
    except LunetteError as error:
        return known.model_copy(update={"problem": error.detail})
    if group is not None and listed is None:
        return known.model_copy(
            update={"problem": "the report of LVM is incomplete: run `vgs` as root to see the reason"}
        )
    whole = (
        described(group, (array.uuid,), known.engine_name, is_listed=group.uuid in (listed or ())) if group else None
    )
    return known.model_copy(
        update={"carries": tuple(one for one in carried if one != _LVM or group is None), "group": whole}
    )


def _listed(system: System) -> frozenset[str] | None:
    """UUIDs of the groups that LVM's devices file lets it see; None if LVM does not report all of them."""
    if system.find_tool("vgs") is None or not system.exists("/dev/mapper/control"):
        return frozenset()
    unread: dict[str, str] = {}
    listed = frozenset(group.uuid for group in lvm.observe_groups(system, unread))
    return listed if "" not in unread else None
