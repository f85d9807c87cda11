"""Foreign arrays: started so that nothing is written to them, and made writable when they are adopted."""

from lunette.domain.errors import Conflict, NotFound
from lunette.domain.steps import MdOpen, MdStart
from lunette.providers.arrays.md import assemble, observe, parse
from lunette.providers.arrays.md.plan import device_path, md_name
from lunette.providers.disks.inventory import observe_disks, settle
from lunette.system.system_port import System

READ_ONLY = "readonly"
"""md's array_state while neither data nor superblocks are written, and nothing is synchronized (kernel: md.c)."""


def start(system: System, step: MdStart) -> str | None:
    """Start the array read-only; None if it already runs. Raises NotFound while one of its disks is missing."""
    settle(system)
    running = observe.running_array(system, step.uuid)
    if running is not None and assemble.is_running(running):
        _check_name(observe.sure_md_name(system, running.kernel_name), step)
        return None
    blocks = observe.superblocks(system, observe_disks(system), step.uuid)
    if not blocks:
        raise NotFound(f"array {step.md_name} is no longer on any disk: attach its disks, then try again")
    for block in blocks.values():
        _check_name(block.name, step)
    if missing := parse.missing_slots(list(blocks.values())):
        raise NotFound(f"array {step.md_name} is missing {len(missing)} of its disks: attach them, then try again")
    assemble.start(system, step.uuid, md_name(step.uuid), sorted(blocks), options=["--readonly"])
    return f"array {step.md_name} runs read-only"


def undo_start(system: System, step: MdStart) -> str | None:
    """Stop the array if it is as the step left it; None if it does not run, is writable, or is in use."""
    running = observe.running_array(system, step.uuid)
    if running is None or running.attributes["array_state"] != READ_ONLY or _is_used(system, running):
        return None
    assemble.stop(system, step.uuid)
    settle(system)
    return f"array {step.md_name} is stopped again"


def open_(system: System, step: MdOpen) -> str | None:
    """Make the array writable; None if it already is."""
    if not assemble.ensure_running(system, step.uuid):
        raise NotFound(f"array {step.md_name} is no longer on any disk: attach its disks, then try again")
    running = observe.running_array(system, step.uuid)
    _check_name(observe.sure_md_name(system, running.kernel_name) if running else "", step)
    return f"array {step.md_name} is writable" if make_writable(system, step.uuid) else None


def make_writable(system: System, uuid: str) -> bool:
    """False if it is already, or does not run."""
    running = observe.running_array(system, uuid)
    if running is None or running.attributes["array_state"] != READ_ONLY:
        return False
    system.run(["mdadm", "--readwrite", device_path(uuid)], timeout_s=60)
    return True


def undo_open(system: System, step: MdOpen) -> str | None:
    """Make the array read-only again; None if it already is, does not run, or is in use."""
    running = observe.running_array(system, step.uuid)
    if not assemble.is_running(running) or running is None or running.attributes["array_state"] == READ_ONLY:
        return None
    if _is_used(system, running):
        return None
    system.run(["mdadm", "--readonly", device_path(step.uuid)], timeout_s=60)
    return f"array {step.md_name} is read-only again"


def _check_name(name: str, step: MdStart | MdOpen) -> None:
    if name != step.md_name:
        raise Conflict(f"{name or 'an array without a name'} has the UUID of {step.md_name} and was not changed")


def _is_used(system: System, running: parse.KernelArray) -> bool:
    device = f"/dev/{running.kernel_name}"
    return bool(system.listdir(f"/sys/block/{running.kernel_name}/holders")) or system.is_held(device)
