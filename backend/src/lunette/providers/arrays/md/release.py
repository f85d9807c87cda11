"""Removes Lunette's mark, the home host in md's name, from the superblocks of an array, and restores it.

md's name can be changed only while the array is assembled (mdadm: `--assemble --update=homehost`). mdadm writes one
superblock after another, so a power failure can leave both names on disks of one array: its UUID keeps them together.
"""

from lunette.domain.errors import Conflict, InUse, NotFound, ToolFailed
from lunette.domain.steps import MdRelease
from lunette.providers.arrays.md import assemble, observe, parse
from lunette.providers.disks.inventory import observe_disks, settle
from lunette.system.system_port import System


def release(system: System, step: MdRelease) -> str | None:
    """Remove the mark and leave the array stopped; None if that was done. Raises NotFound while a disk is missing,
    InUse while the array is in use.
    """
    names = _names(system, step)
    if names == {parse.RELEASED}:
        return f"array {step.md_name} was stopped" if _stop_idle(system, step) else None
    _rename(system, step, parse.RELEASED, ["--readonly"])
    _stop(system, step)
    return f"array {step.md_name} no longer carries a mark of Lunette"


def undo_release(system: System, step: MdRelease) -> str | None:
    """Restore the mark, with the array running; None if it is present."""
    if _names(system, step) == {parse.HOMEHOST}:
        return None
    _rename(system, step, parse.HOMEHOST, [])
    return f"array {step.md_name} carries Lunette's mark again"


def _names(system: System, step: MdRelease) -> set[str]:
    """The home hosts on its disks. Raises NotFound unless all are present, Conflict if one belongs to another array."""
    settle(system)
    blocks = observe.superblocks(system, observe_disks(system), step.uuid)
    if len(blocks) < len(step.members):
        raise NotFound(
            f"array {step.md_name} has {len(blocks)} of its {len(step.members)} disks: attach the others, then try "
            "again, because each carries its mark"
        )
    for block in blocks.values():
        if block.name not in (f"{host}:{step.md_name}" for host in (parse.HOMEHOST, parse.RELEASED)):
            name = block.name or "an array without a name"
            raise Conflict(f"{name} has the UUID of {step.md_name} and was not changed")
    return {block.name.partition(":")[0] for block in blocks.values()}


def _rename(system: System, step: MdRelease, home_host: str, options: list[str]) -> None:
    running = observe.running_array(system, step.uuid)
    if running is not None and _is_used(system, running):
        raise InUse(f"array {step.md_name} is in use: stop the programs that use it first")
    blocks = observe.superblocks(system, observe_disks(system), step.uuid)
    options = [f"--homehost={home_host}", "--update=homehost", *options]
    assemble.start(system, step.uuid, step.md_name, sorted(blocks), options=options)
    if (found := _names(system, step)) != {home_host}:
        raise ToolFailed(f"mdadm left array {step.md_name} under the names {', '.join(sorted(found))}")


def _stop_idle(system: System, step: MdRelease) -> bool:
    """Stop the array if this step was interrupted before it did; not one that was started since and is in use."""
    running = observe.running_array(system, step.uuid)
    if running is None or _is_used(system, running):
        return False
    _stop(system, step)
    return True


def _stop(system: System, step: MdRelease) -> None:
    """Stop it, and check that it is: an array that could not be read must not count as stopped."""
    assemble.stop(system, step.uuid)
    settle(system)
    if observe.running_array(system, step.uuid) is not None:
        raise ToolFailed(f"array {step.md_name} is still running after it was stopped: check what is using it")


def _is_used(system: System, running: parse.KernelArray) -> bool:
    holders = system.listdir(f"/sys/block/{running.kernel_name}/holders")
    return bool(holders) or system.is_held(f"/dev/{running.kernel_name}")
