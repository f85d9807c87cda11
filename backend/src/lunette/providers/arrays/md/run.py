"""Creates and destroys md arrays. Each call looks first, so that a repeated call only recognizes its own work.

A power failure can leave: superblocks on some members, an array that is not running, a complete array. All of it
carries the UUID that the plan chose, and nothing with another UUID is ever changed.
"""

import contextlib
from collections.abc import Mapping, Sequence

from lunette.domain.arrays import Level, WriteHole
from lunette.domain.disks import ObservedDisk, cached
from lunette.domain.errors import Conflict, InUse, NotFound, ToolFailed
from lunette.domain.steps import MdCreate, MdDestroy, MemberDisk
from lunette.providers.arrays.md import assemble, observe, parse, superblock
from lunette.providers.arrays.md.plan import no_log, usable_bytes
from lunette.providers.disks.inventory import observe_disks, read_signatures, same_disk, settle
from lunette.providers.volumes.lvm.observe import physical_volume
from lunette.providers.volumes.lvm.plan import array_tag
from lunette.system.system_port import System

CREATE_TIMEOUT_S = 300.0
"""Loading raid456 measures checksum speeds: minutes on an emulated CPU."""


def create(system: System, step: MdCreate) -> str | None:
    """Create the array; None if it exists already. Refuses members that are in use, exchanged, or not blank."""
    settle(system)
    if _recognise(system, step):
        return None
    present = observe_disks(system)
    disks = [same_disk(present, member.disk_id, member.serial) for member in _every(step)]
    for disk in disks:
        _check_member(disk, step)
    caches = cached(disks)
    if step.write_hole is WriteHole.PPL and caches:
        raise Conflict(f"array {step.md_name} was not created: {no_log(caches)}: make a new plan")
    assemble.stop(system, step.uuid)
    _clear(system, disks, step.uuid, step.md_name)
    for disk in disks:
        if system.is_held(disk.device):
            raise InUse(f"disk {disk.id} is in use by another program: free it first")
    system.run(_create_command(step, [disk.device for disk in disks]), timeout_s=CREATE_TIMEOUT_S)
    settle(system)
    found = observe.running_array(system, step.uuid)
    if found is None:
        raise ToolFailed(f"array {step.md_name} did not start after it was created; the job's log has the reason")
    _check_same(system, found, step)
    # What earlier owners of the disks left shows through a new array, even an old volume group: take it off while
    # nothing can be on the array yet. A repeated step never comes here.
    device = f"/dev/{found.kernel_name}"
    if read_signatures(system, [device]):
        system.run(["wipefs", "--all", "--", device])
    settle(system)
    return f"array {step.md_name} runs as {device}"


def undo_create(system: System, step: MdCreate) -> str | None:
    """Undo the creation; None if nothing of it is left.

    Refuses while something uses it, even if it has to be started first to check that. One that can no longer start was
    partially undone by an earlier run, and is cleared.
    """
    settle(system)
    blocks = observe.superblocks(system, observe_disks(system), step.uuid)
    if _has_run(blocks) and not assemble.is_running(observe.running_array(system, step.uuid)):
        missing = parse.missing_slots(list(blocks.values()))
        with contextlib.suppress(ToolFailed):
            assemble.start(system, step.uuid, step.md_name, sorted(blocks), degraded=bool(missing))
    return _remove(system, step.uuid, step.md_name, {member.disk_id: member.serial for member in _every(step)})


def destroy(system: System, step: MdDestroy) -> str | None:
    """Stop the array and clear its superblocks; None if that was done. Refuses while something uses it.

    An array that does not run is inspected first; one that can no longer start is cleared.
    """
    settle(system)
    blocks = observe.superblocks(system, observe_disks(system), step.uuid)
    if blocks and not assemble.is_running(observe.running_array(system, step.uuid)):
        missing = parse.missing_slots(list(blocks.values()))
        with contextlib.suppress(ToolFailed):
            name = step.md_name.rpartition(":")[2]  # the name of an adopted array has its home host in front
            assemble.start(system, step.uuid, name, sorted(blocks), degraded=bool(missing))
    return _remove(system, step.uuid, step.md_name, {member.disk_id: member.serial for member in step.members})


def _recognise(system: System, step: MdCreate) -> bool:
    """True if the array runs, started here if a crash left it complete but down.

    Raises Conflict if it has run and lost disks since: that is not an interrupted creation, so it is not created again.
    """
    running = observe.running_array(system, step.uuid)
    if not assemble.is_running(running):
        blocks = observe.superblocks(system, observe_disks(system), step.uuid)
        complete = blocks and not parse.missing_slots(list(blocks.values())) and len(blocks) == len(_every(step))
        if not complete and not _has_run(blocks):
            return False
        if not complete:
            raise Conflict(
                f"array {step.md_name} ran before, but {len(_every(step)) - len(blocks)} of its disks are missing: "
                "attach them, or wipe the others"
            )
        assemble.start(system, step.uuid, step.md_name, sorted(blocks))
        running = observe.running_array(system, step.uuid)
    if running is None:
        raise ToolFailed(f"array {step.md_name} is complete but does not start; the job's log has the reason")
    _check_same(system, running, step)
    observe.make_visible(system, running)
    return True


def _every(step: MdCreate) -> tuple[MemberDisk, ...]:
    return (*step.members, *step.spares)


def _has_run(blocks: Mapping[str, superblock.Superblock]) -> bool:
    """md counts events from the first start on; superblocks of an array that never started say 0."""
    return any(block.events > 0 for block in blocks.values())


def _remove(system: System, uuid: str, name: str, serials: dict[str, str]) -> str | None:
    running = observe.running_array(system, uuid)
    present = _own_disks(observe_disks(system), serials)
    if running is not None:
        _check_unused(system, running, uuid, name)
        assemble.stop(system, uuid)
        settle(system)
        present = _own_disks(observe_disks(system), serials)
    cleared = _clear(system, present, uuid, name)
    absent = len(serials) - len(present)
    if running is None and not cleared:
        return None
    note = f"; {absent} of its disks are missing and retain their superblocks" if absent else ""
    return f"array {name} was removed from {len(present)} disks{note}"


def _own_disks(disks: Sequence[ObservedDisk], serials: dict[str, str]) -> list[ObservedDisk]:
    """The disks of the step that are present. Raises Conflict before anything is changed if one was exchanged."""
    found = []
    for disk_id, serial in serials.items():
        try:
            found.append(same_disk(tuple(disks), disk_id, serial))
        except NotFound:
            continue
    return found


def _clear(system: System, disks: Sequence[ObservedDisk], uuid: str, name: str) -> int:
    """Clear the superblocks that carry this array's UUID and name; how many there were."""
    blocks = observe.superblocks(system, disks, uuid)
    for device, block in blocks.items():
        if not parse.is_known(block.name, name):
            raise Conflict(
                f"{device} contains array {block.name}, which does not belong to this appliance, under the UUID of "
                "the plan"
            )
        system.run(["mdadm", "--zero-superblock", device])
    if blocks:
        settle(system)
    return len(blocks)


def _check_same(system: System, running: parse.KernelArray, step: MdCreate) -> None:
    """Raises Conflict unless the running array is the one the step describes."""
    name = observe.sure_md_name(system, running.kernel_name)
    level, count = running.attributes["level"], running.attributes["raid_disks"]
    if name != f"{parse.HOMEHOST}:{step.md_name}" or level != step.level.value or count != str(len(step.members)):
        raise Conflict(
            f"array {name or running.kernel_name} ({level}, {count} disks) was not changed: it has the UUID planned "
            f"for {step.md_name} ({step.level.value}, {len(step.members)} disks)"
        )
    layout = parse.layout_of(running.attributes)
    if step.layout is not None and layout != step.layout:
        raise Conflict(f"array {name} was not changed: it has layout {layout}, but {step.layout.value} was planned")
    planned = usable_bytes(step.level, step.member_bytes, len(step.members), step.chunk_bytes, step.layout)
    if running.size_bytes < planned:
        raise Conflict(f"array {name} was not changed: it has {running.size_bytes} bytes, but {planned} were planned")


def _check_member(disk: ObservedDisk, step: MdCreate) -> None:
    own = disk.array_uuid == step.uuid
    foreign = [s.type for s in disk.signatures if not (own and s.type == "linux_raid_member")]
    if disk.used_by_system or disk.fabric or disk.mounts or disk.is_swap or (disk.holders and not own):
        why = disk.occupation() or ("it carries the running system" if disk.used_by_system else "it is on a fabric")
        raise InUse(f"disk {disk.id} cannot be a member because {why}: free it, or choose another disk")
    if foreign or disk.partitions:
        raise InUse(
            f"disk {disk.id} cannot be a member because {disk.occupation()}: allow wiping it, or choose another disk"
        )
    if disk.size_bytes < step.member_bytes:
        raise Conflict(f"disk {disk.id} has {disk.size_bytes} bytes, but {step.member_bytes} are required")


def _check_unused(system: System, running: parse.KernelArray, uuid: str, name: str) -> None:
    device = f"/dev/{running.kernel_name}"
    if not parse.is_known(observe.sure_md_name(system, running.kernel_name), name):
        raise Conflict(
            f"the array {running.kernel_name} under the UUID of {name} does not belong to this appliance and was not "
            "changed"
        )
    on_it = system.listdir(f"/sys/block/{running.kernel_name}/holders")
    if on_it or system.is_held(device):
        raise InUse(f"array {name} is in use ({', '.join(on_it) or 'open'}): remove its volumes first")
    carried = [s.type for found in read_signatures(system, [device]).values() for s in found]
    # A foreign group here was left by earlier owners of the disks; Lunette's own means that volumes may be in it.
    group = physical_volume(system, device) if "LVM2_member" in carried else None
    if group is not None and array_tag(uuid) in group.tags:
        raise InUse(f"array {name} still carries volume group {group.group}: remove the group first")


def _create_command(step: MdCreate, devices: Sequence[str]) -> list[str]:
    """`--force` makes raid5 start complete and resync: mdadm's default, a rebuild onto the last disk, would leave a
    degraded array that the kernel refuses to start after a power failure. `--assume-clean` is never used.
    """
    command = [
        "mdadm",
        "--create",
        f"/dev/md/{step.md_name}",
        "--run",
        "--force",
        "--metadata=1.2",
        f"--uuid={step.uuid}",
        f"--homehost={parse.HOMEHOST}",
        f"--name={step.md_name}",
        f"--level={step.level.value}",
        f"--raid-devices={len(step.members)}",
        f"--size={step.member_bytes // 1024}",
    ]
    if step.spares:
        command.append(f"--spare-devices={len(step.spares)}")
    if step.chunk_bytes is not None and step.level is not Level.RAID1:
        command.append(f"--chunk={step.chunk_bytes // 1024}")
    if step.layout is not None:
        command.append(f"--layout={step.layout.value}")
    if step.write_hole is WriteHole.PPL:
        command.append("--consistency-policy=ppl")
    else:
        command.append("--bitmap=internal" if step.write_hole is WriteHole.BITMAP else "--bitmap=none")
    return [*command, *devices]
