"""Ownership and use of volumes in a ZFS pool: the checks before every step."""

from collections.abc import Sequence

from lunette.domain.errors import Conflict, NotFound, ToolFailed
from lunette.providers.arrays.zfs import observe
from lunette.providers.arrays.zfs.datasets import Dataset
from lunette.providers.disks.inventory import settle
from lunette.providers.volumes.zvol.plan import VOLUME_MARK
from lunette.system.system_port import System

TIMEOUT_S = 300.0


def own_pool(system: System, name: str) -> dict[str, Dataset]:
    """Root, zvols and snapshots by name. Raises NotFound while the pool is not imported, Conflict if it is not
    Lunette's.
    """
    found = {dataset.name: dataset for dataset in observe.datasets(system, name)}
    if name not in found:
        raise NotFound(f"pool {name} is not available: start its array, then try again")
    if not observe.is_ours(found[name]):
        raise Conflict(f"pool {name} does not carry the mark of this appliance and was not changed")
    return found


def check_own(volume: Dataset, volume_id: str) -> None:
    if volume.marks.get(VOLUME_MARK) != volume_id:
        raise Conflict(f"{volume.name} does not carry the mark of volume {volume_id} and was not changed")


def await_device(system: System, device: str) -> None:
    """ZFS creates the device after the command has ended, and udev names it after that."""
    deadline = system.monotonic() + TIMEOUT_S
    while not system.exists(device):
        if system.monotonic() >= deadline:
            raise ToolFailed(f"{device} did not appear within {TIMEOUT_S:.0f} s: check the kernel log")
        system.sleep(0.2)
        settle(system)


def held(system: System, names: Sequence[str]) -> list[str]:
    """Which of these are open. udev opens what has just changed, so it is checked again after udev has finished."""
    devices = {name: f"/dev/zvol/{name}" for name in names}
    for again in (False, True):
        if again:
            settle(system)
        found = [name for name, device in devices.items() if system.exists(device) and system.is_held(device)]
        if not found:
            break
    return found
