"""Replaces disks, and scrubs. Each call looks first, so that a repeated call only recognizes its own work."""

from lunette.domain.array_changes import ScrubAction
from lunette.domain.errors import Conflict, InUse, NotFound, ToolFailed
from lunette.domain.steps import LvmRaidReplace, LvmRaidScrub, LvmRaidStep
from lunette.providers.arrays.lvm import assemble, observe, parse
from lunette.providers.arrays.lvm.plan import VOLUME, mapped_name, pv_uuid, survives
from lunette.providers.arrays.lvm.run import check_blank, clear_member, make_member
from lunette.providers.disks.inventory import observe_disks, same_disk, settle
from lunette.system.system_port import System

TIMEOUT_S = assemble.TIMEOUT_S
SCRUBS = (ScrubAction.CHECK.value, ScrubAction.REPAIR.value)


def replace(system: System, step: LvmRaidReplace) -> str | None:
    """Replace `old` by the blank disk `new`; None if that is done and nothing is left of the old one.

    LVM drops the old copy in the same operation, so that is refused if the array needs it.
    """
    settle(system)
    group = _running(system, step)
    new = pv_uuid(step.uuid, step.new.disk_id)
    is_done = new in group.images
    old = _old_pv(system, group, step, is_done=is_done)
    if not is_done:
        _check_needless(system, group, old, step)
        disk = same_disk(observe_disks(system), step.new.disk_id, step.new.serial)
        check_blank(disk, step.uuid, step.disk_bytes)
        if new not in group.pvs:
            clear_member(system, disk)
            make_member(system, disk, step.uuid)
            system.run(["vgextend", "-y", "--", group.name, disk.device], timeout_s=TIMEOUT_S)
        # An image on a missing disk, or whose disk LVM has dropped, is repaired; any other is replaced.
        present = group.pvs.get(old, parse.NOWHERE)
        how = ["--repair"] if present == parse.NOWHERE else ["--replace", present]
        system.run(["lvconvert", "-y", *how, "--", f"{group.name}/{VOLUME}", disk.device], timeout_s=TIMEOUT_S)
        settle(system)
        group = _running(system, step)
        if new not in group.images:
            raise Conflict(f"LVM did not replace disk {step.old.disk_id} with disk {step.new.disk_id}: see the log")
    left = _forget(system, step, group, old)
    return f"disk {step.new.disk_id} is being rebuilt in {group.name}" if not is_done or left else None


def scrub(system: System, step: LvmRaidScrub) -> str | None:
    """Start or stop a scrub; None if it is already so. Raises Conflict while another operation runs."""
    group = _running(system, step)
    now = _action(system, group)
    wanted = "idle" if step.action is ScrubAction.STOP else _word(step, group)
    if now == wanted:
        return None
    allowed = SCRUBS if step.action is ScrubAction.STOP else ("idle",)
    if now not in allowed:
        ends = "stop it first" if now in SCRUBS else "wait until it has finished"
        raise Conflict(f"array {step.raid_group} is busy ({now}): {ends}, then try again")
    _send(system, group, wanted)
    return f"array {step.raid_group}: {wanted}"


def undo_scrub(system: System, step: LvmRaidScrub) -> str | None:
    """Stop the scrub that was started. A stopped one stays stopped: it read nothing that it would not read again."""
    group = _running(system, step)
    if step.action is ScrubAction.STOP or _action(system, group) not in SCRUBS:
        return None
    _send(system, group, "idle")
    return f"array {step.raid_group}: the scrub was stopped"


def _word(step: LvmRaidScrub, group: parse.RaidGroup) -> str:
    """With checksums, a check repairs what they find, and LVM refuses `repair` (tools/lvchange.c, 2.03.31)."""
    return ScrubAction.CHECK.value if group.integrity else step.action.value


def _send(system: System, group: parse.RaidGroup, word: str) -> None:
    """`lvchange --syncaction` has no word for stopping; the kernel's own does (dm-raid.rst).

    Newer kernels stop but still call the message invalid (seen on 7.2), so the operation that runs afterward decides.
    """
    if word == "idle":
        reported = system.run(["dmsetup", "message", mapped_name(group.name), "0", "idle"], ok=(0, 1))
        if _action(system, group) in SCRUBS:
            raise ToolFailed(f"the scrub of {group.name} did not stop: try again", log=reported.stderr)
    else:
        system.run(["lvchange", "--syncaction", word, "--", f"{group.name}/{VOLUME}"], timeout_s=TIMEOUT_S)


def _action(system: System, group: parse.RaidGroup) -> str:
    return _status(system, group).action


def _status(system: System, group: parse.RaidGroup) -> parse.RaidStatus:
    found = parse.statuses(observe.status(system)).get(mapped_name(group.name))
    if found is None:
        raise NotFound(f"the kernel does not show array {group.name}: start it, then try again")
    return found


def _running(system: System, step: LvmRaidStep) -> parse.RaidGroup:
    found = assemble.running(system, step.uuid, degraded=True)
    if found is None or not found.is_whole or found.name != step.raid_group:
        raise NotFound(f"array {step.raid_group} is not on any disk: attach its disks, then try again")
    return found


def _check_needless(system: System, group: parse.RaidGroup, old: str, step: LvmRaidReplace) -> None:
    """Raises InUse unless the array works without the old disk, Conflict while it is not in sync."""
    status = _status(system, group)
    if status.action not in ("idle", "frozen"):
        raise Conflict(f"array {group.name} is busy ({status.action}): wait until it has finished, then try again")
    working = frozenset(
        slot
        for slot, pv in enumerate(group.images)
        if pv != old and status.letters[slot : slot + 1] == "A" and group.pvs.get(pv, parse.NOWHERE) != parse.NOWHERE
    )
    if not survives(group.level, len(group.images), working):
        raise InUse(f"array {group.name} would be lost without disk {step.old.disk_id}: it has no redundancy left")


def _old_pv(system: System, group: parse.RaidGroup, step: LvmRaidReplace, *, is_done: bool) -> str:
    """The physical volume of the old disk. One that joined under another of its names identifies itself; if it is
    missing too, it is the missing one.
    """
    named = pv_uuid(step.uuid, step.old.disk_id)
    if named in group.pvs:
        return named
    own = observe.members(observe_disks(system), step.uuid)
    found = [pv for pv, disk in own.items() if (disk.id, disk.serial) == (step.old.disk_id, step.old.serial)]
    missing = group.missing() if not is_done else ()
    return next(iter([*found, *(missing if len(missing) == 1 else ())]), named)


def _forget(system: System, step: LvmRaidReplace, group: parse.RaidGroup, old: str) -> bool:
    """Remove the old disk from the group, and its mark; False if nothing was left of it."""
    device = group.pvs.get(old)
    if device == parse.NOWHERE:
        system.run(["vgreduce", "--removemissing", "--", group.name], timeout_s=TIMEOUT_S)
    elif device is not None:
        system.run(["vgreduce", "--", group.name, device], timeout_s=TIMEOUT_S)
    own = observe.members(observe_disks(system), step.uuid)
    disk = own.get(old)
    if disk is not None:
        clear_member(system, disk, left=group.name)
        settle(system)
    return device is not None or disk is not None
