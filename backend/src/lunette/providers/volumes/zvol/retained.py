"""Retains deleted zvols, and recovers them.

A retained zvol has another name and no device (`volmode=none`), after an import too. The rename comes last on the way
there and first on the way back, so whatever has the other name is without a device, and an interrupted step finds its
progress.
"""

from lunette.domain.errors import Conflict, InUse, NotFound, ToolFailed
from lunette.domain.steps import VolumeAside
from lunette.providers.arrays.zfs.datasets import Dataset
from lunette.providers.disks.inventory import settle
from lunette.providers.volumes.zvol.own import TIMEOUT_S, await_device, check_own, held, own_pool
from lunette.providers.volumes.zvol.plan import device_path
from lunette.system.system_port import System

GONE_TIMEOUT_S = 60.0


def set_aside(system: System, step: VolumeAside) -> str | None:
    """Retain the zvol under its other name; None if it is. Raises InUse while it is open, NotFound if it is missing."""
    found = _found(system, step) or _gone(step)
    if found.name == _path(step, step.aside_name):
        return None
    if held(system, [found.name]):
        raise InUse(f"volume {found.name} is open: unmap it first")
    system.run(["zfs", "set", "--", "volmode=none", found.name], timeout_s=TIMEOUT_S)
    await_gone(system, device_path(step.group, step.backing_name))
    system.run(["zfs", "rename", "--", found.name, _path(step, step.aside_name)], timeout_s=TIMEOUT_S)
    return f"volume {step.backing_name} is retained as {step.aside_name}"


def bring_back(system: System, step: VolumeAside) -> str | None:
    """Put the zvol back in its place; None if it is there. Raises NotFound if it is missing."""
    found = _found(system, step) or _gone(step)
    path, device = _path(step, step.backing_name), device_path(step.group, step.backing_name)
    if found.name == path and found.volmode == "dev" and system.exists(device):
        return None
    if found.name != path:
        system.run(["zfs", "rename", "--", found.name, path], timeout_s=TIMEOUT_S)
    system.run(["zfs", "set", "--", "volmode=dev", path], timeout_s=TIMEOUT_S)
    await_device(system, device)
    return f"volume {step.backing_name} was restored"


def undo_set_aside(system: System, step: VolumeAside) -> str | None:
    """As `bring_back`, but a missing zvol is ignored."""
    return bring_back(system, step) if _found(system, step) else None


def undo_bring_back(system: System, step: VolumeAside) -> str | None:
    """As `set_aside`, but a missing zvol is ignored."""
    return set_aside(system, step) if _found(system, step) else None


def _found(system: System, step: VolumeAside) -> Dataset | None:
    """The zvol under one of its two names. Raises Conflict if both exist, or it carries another mark."""
    pool = own_pool(system, step.group)
    there = [pool[path] for path in (_path(step, step.backing_name), _path(step, step.aside_name)) if path in pool]
    for volume in there:
        check_own(volume, step.volume_id)
    if len(there) == 2:
        raise Conflict(f"{step.group} has both {step.backing_name} and {step.aside_name}: nothing was changed")
    return there[0] if there else None


def _gone(step: VolumeAside) -> Dataset:
    raise NotFound(f"volume {step.backing_name} is not in {step.group}: it was removed meanwhile")


def _path(step: VolumeAside, name: str) -> str:
    return f"{step.group}/{name}"


def await_gone(system: System, device: str) -> None:
    """Wait until the device is gone. ZFS removes the device after the command has ended, once no process has it
    open.
    """
    deadline = system.monotonic() + GONE_TIMEOUT_S
    settle(system)
    while system.exists(device):
        if system.monotonic() >= deadline:
            raise ToolFailed(f"{device} still exists after {GONE_TIMEOUT_S:.0f} s: check which program has it open")
        system.sleep(0.2)
        settle(system)
