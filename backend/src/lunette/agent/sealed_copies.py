"""The sealed copies of all arrays that carry our mark: in md's name, in the UUIDs of LVM's physical volumes or, of an
adopted one, on its volume group."""

from collections.abc import Iterator

from lunette.domain.arrays import ArrayState, ObservedArray
from lunette.domain.errors import LunetteError, ToolFailed
from lunette.domain.sealed_copies import FoundCopy
from lunette.providers.arrays.external.observe import observe_arrays as external_arrays
from lunette.providers.arrays.lvm import assemble as lvm_raid_assemble
from lunette.providers.arrays.lvm import observe as lvm_raid
from lunette.providers.arrays.md.foreign import make_writable
from lunette.providers.arrays.md.observe import observe_arrays
from lunette.providers.arrays.md.plan import device_path
from lunette.providers.disks.inventory import observe_disks
from lunette.providers.volumes.lvm import observe as lvm
from lunette.providers.volumes.lvm import sealed_copy
from lunette.providers.volumes.lvm.plan import TAG, array_tag
from lunette.system.doorway import System


def read(system: System, *, degraded: bool) -> tuple[FoundCopy, ...]:
    """One of ours that is down is started. Of an array with another's name nobody can tell before it runs."""
    if system.find_tool("pvs") is None:
        return ()
    return tuple(sealed_copy.read(system, array, degraded=degraded) for array in _marked(system))


def _marked(system: System) -> Iterator[ObservedArray]:
    disks = observe_disks(system)
    for array in observe_arrays(system, disks) if system.find_tool("mdadm") is not None else ():
        if array.marked or (array.state is not ArrayState.MISSING and not array.system and _is_adopted(system, array)):
            yield array
    yield from (array for array in external_arrays(system, disks, (), {}) if array.ours)
    unread: dict[str, str] = {}
    lvm_raid_assemble.see(system, [*lvm_raid.members(disks).values()])
    yield from lvm_raid.observe_arrays(system, disks, unread)
    for name, reason in unread.items():
        if not name or name.startswith(TAG):
            raise ToolFailed(f"not every array can be read: {reason}: correct this, then try again")


def _is_adopted(system: System, array: ObservedArray) -> bool:
    """True if its group carries our mark; it can be written from then on, as any of ours that is looked into."""
    try:
        known = lvm.physical_volume(system, device_path(array.uuid))
        if known is None or not {TAG, array_tag(array.uuid)} <= known.tags:
            return False
        make_writable(system, array.uuid)
    except LunetteError:
        return False
    return True
