"""The logical block size of volumes: that of the devices below them (queue/logical_block_size in sysfs).

The device mapper gives a device the largest of what is below it (blk_stack_limits), so that a drive with 4096-byte
sectors, or a LUKS header for them, determines that of the volume. Engines and hosts cannot change it.
"""

from collections.abc import Sequence

from lunette.domain.errors import LunetteError
from lunette.domain.volumes import ObservedVolume
from lunette.system.system_port import System


def with_block_sizes(system: System, volumes: Sequence[ObservedVolume]) -> tuple[ObservedVolume, ...]:
    """The volumes with their block size. All of a group are on one array, so an active one decides for all."""
    known: dict[str, int] = {}
    for volume in volumes:
        if volume.active and volume.group not in known:
            found = _block_bytes(system, volume.device)
            if found is not None:
                known[volume.group] = found
    return tuple(one.model_copy(update={"block_bytes": known.get(one.group)}) for one in volumes)


def _block_bytes(system: System, device: str) -> int | None:
    """None if it is just being removed."""
    name = system.realpath(device).rpartition("/")[2]
    try:
        return int(system.read(f"/sys/class/block/{name}/queue/logical_block_size"))
    except (OSError, LunetteError, ValueError):
        return None
