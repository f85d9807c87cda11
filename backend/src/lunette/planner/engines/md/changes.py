"""Plans for an existing array: spares, replacing disks, scrubs. Refuses whatever would lose the array."""

from collections.abc import Mapping, Sequence

from lunette.domain.array_changes import (
    ArrayAddDisks,
    ArrayAddSpares,
    ArrayDiskChoice,
    ArrayPatch,
    ArrayReplace,
    ArrayScrub,
)
from lunette.domain.arrays import ArrayState, Level, ObservedArray, WriteHole
from lunette.domain.errors import Conflict, FieldProblem, InUse, Invalid
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.domain.sizes import format_size
from lunette.domain.steps import AnyStep, MdAdd, MdFail, MdRemove, MdReplace, MdScrub, MemberDisk
from lunette.domain.tuning import TuningName, notation
from lunette.domain.units import counted
from lunette.planner.checks.ailing import ailing
from lunette.planner.checks.findings import Findings
from lunette.planner.engines import scrub
from lunette.planner.engines.known_array import KnownArray
from lunette.planner.engines.md.request import MdRequest, member_of
from lunette.planner.engines.md.write_hole import losing_log
from lunette.providers.arrays.md.plan import MEMORY_SHARE, PAGE_BYTES, tuning_problems, write_mostly_problems

LABEL = "MD RAID"
WHEN_BACK = "It is attached again: run `lunette array readd {array} {disk}`; or replace"
FULL = "It is rebuilt from the other disks: until the rebuild has finished, the array is not redundant."


def plan_add_spares(array: KnownArray, spec: ArrayAddSpares, seen: Observation, owners: Mapping[str, str]) -> Plan:
    """Adds spares; on a degraded array, the first is filled immediately."""
    ask = MdRequest(array, seen, f"No spare was added to array {array.name}", owners)
    if ask.found.level == "raid0":
        ask.add(Invalid, "disks", "raid0", f"array {array.name} is raid0: a spare could not replace a lost disk")
    fields = {f"disks[{index}]": reference for index, reference in enumerate(spec.disks)}
    disks, wipes, lost = ask.take(fields, spec.wipe)
    becomes = "immediately replaces the lost disk" if _is_short(ask.found) else "becomes a spare"
    changes = [
        ask.changed(f"disk {disk.id} {becomes if number == 0 else 'becomes a spare'}")
        for number, disk in enumerate(disks)
    ]
    return Plan(
        title=f"Add {counted(len(disks), 'spare')} to array {array.name}",
        changes=(*lost, *changes),
        steps=(*wipes, *(ask.adding(disk) for disk in disks)),
        warnings=(*losing_log(ask.found, disks), *ailing(disks)),
    )


def plan_add_disks(array: KnownArray, spec: ArrayAddDisks, _seen: Observation, _owners: Mapping[str, str]) -> Plan:
    """Refuses other roles: md has only members and spares."""
    message = f"array {array.name} uses engine md, which does not support {spec.role.value} disks"
    problem = FieldProblem(field="role", value=spec.role.value, message=message)
    raise Invalid(f"No disk was added to array {array.name}: {message}.", errors=(problem,))


def plan_replace(array: KnownArray, spec: ArrayReplace, seen: Observation, owners: Mapping[str, str]) -> Plan:
    """A working member is copied while it still works; for any other, the new disk is added and rebuilt."""
    ask = MdRequest(array, seen, f"Disk {spec.disk} of array {array.name} was not replaced", owners)
    if ask.found.level == "raid0":
        ask.add(Invalid, "disk", spec.disk, f"array {array.name} is raid0: md cannot replace its disks")
    old, place = ask.own(spec.disk)
    disks, wipes, lost = ask.take({"new": spec.new}, spec.wipe)
    new, state = disks[0], place.state if place else "missing"
    steps: tuple[AnyStep, ...] = (ask.adding(new), MdRemove(**ask.which, member=old))
    warning = FULL if _is_short(ask.found) else "The array is fully redundant without it: the new disk becomes a spare."
    if state == "in_sync":
        if _is_short(ask.found):
            message = (
                f"array {array.name} is {ask.found.state.value}: replace the lost disk first and wait for the "
                "rebuild, then replace this working disk"
            )
            ask.add(Conflict, "disk", old.disk_id, message)
        steps = (MdReplace(**ask.which, old=old, new=member_of(new), disk_bytes=ask.disk_bytes),)
        warning = "Its data is copied while the old disk still works: the array keeps its current redundancy."
        if ask.found.is_reshaping:
            ask.add(
                Conflict,
                "disk",
                old.disk_id,
                f"array {array.name} is being reshaped: wait until the reshape has finished",
            )
        elif ask.found.progress is not None:
            message = (
                f"array {array.name} is busy ({ask.found.progress.action}), and the kernel cannot replace a disk "
                "meanwhile: wait until this has finished, or stop a scrub, then try again"
            )
            ask.add(Conflict, "disk", old.disk_id, message)
    elif state in ("rebuilding", "replacing"):
        ask.add(
            Conflict, "disk", old.disk_id, f"disk {old.disk_id} is being rebuilt: wait until the rebuild has finished"
        )
    ask.refuse()
    return Plan(
        title=f"Replace disk {old.disk_id} of array {array.name}",
        changes=(*lost, ask.changed(f"disk {new.id} replaces disk {old.disk_id}, which becomes available")),
        steps=(*wipes, *steps),
        warnings=(warning, *losing_log(ask.found, disks), *ailing(disks)),
    )


def plan_fail(array: KnownArray, spec: ArrayDiskChoice, seen: Observation) -> Plan:
    """Marks a member as failed. Raises InUse if the array has no redundancy left for that."""
    ask = MdRequest(array, seen, f"Disk {spec.disk} of array {array.name} was not failed")
    disk, place = ask.own(spec.disk)
    if place is None or place.state not in ("in_sync", "rebuilding"):
        state = place.state if place else "not present"
        ask.add(Conflict, "disk", disk.disk_id, f"disk {disk.disk_id} is {state}: only a working member can be failed")
    elif place.state == "in_sync":
        ask.check_redundant(place)
    ask.refuse()
    return Plan(
        title=f"Fail disk {disk.disk_id} of array {array.name}",
        changes=(ask.changed(f"disk {disk.disk_id} is marked as failed; a spare replaces it if one is available"),),
        steps=(MdFail(**ask.which, member=disk),),
        warnings=("The array is less redundant until another disk has been rebuilt.",),
    )


def plan_remove(array: KnownArray, spec: ArrayDiskChoice, seen: Observation) -> Plan:
    """Removes a spare, a faulty disk, or one that is missing."""
    ask = MdRequest(array, seen, f"Disk {spec.disk} was not removed from array {array.name}")
    disk, place = ask.own(spec.disk)
    if place is not None and place.state in ("in_sync", "rebuilding", "replacing"):
        message = (
            f"disk {disk.disk_id} contains data of array {array.name} ({place.state}): replace it, or fail it first"
        )
        ask.add(InUse, "disk", disk.disk_id, message)
    elif len(array.members) <= ask.found.raid_disks:
        message = (
            f"array {array.name} needs {ask.found.raid_disks} disks and has no spare: replace {disk.disk_id}, or add "
            "a spare first"
        )
        ask.add(InUse, "disk", disk.disk_id, message)
    ask.refuse()
    is_here = seen.disk(disk.disk_id) is not None
    detail = "it becomes available" if is_here else "it is not attached and keeps its content"
    return Plan(
        title=f"Remove disk {disk.disk_id} from array {array.name}",
        changes=(ask.changed(f"disk {disk.disk_id} is removed: {detail}"),),
        steps=(MdRemove(**ask.which, member=disk),),
    )


def plan_readd(array: KnownArray, spec: ArrayDiskChoice, seen: Observation) -> Plan:
    """Re-adds a member that was missing or faulty: quickly if a bitmap shows what changed, otherwise completely."""
    ask = MdRequest(array, seen, f"Disk {spec.disk} was not re-added to array {array.name}")
    member, place = ask.own(spec.disk)
    disk = seen.disk(member.disk_id)
    if disk is None:
        ask.add(Invalid, "disk", member.disk_id, f"disk {member.disk_id} is not attached: attach it, then try again")
    elif disk.serial != member.serial:
        message = (
            f"disk {disk.id} has serial {disk.serial}, but the member had {member.serial}: replace the member instead"
        )
        ask.add(Conflict, "disk", disk.id, message)
    elif place is not None and place.state != "faulty":
        message = f"disk {disk.id} is already a member of array {array.name} ({place.state})"
        ask.add(Conflict, "disk", disk.id, message)
    elif place is None and disk.array_uuid != array.uuid and disk.occupation():
        message = (
            f"the content of disk {disk.id} has changed: {disk.occupation()}. Remove the disk, then add it and list "
            "it in wipe"
        )
        ask.add(InUse, "disk", disk.id, message)
    ask.refuse()
    quick = "Only blocks that changed meanwhile are copied, if md's bitmap still records them; otherwise all of them."
    slow = f"The array has no bitmap that records what changed meanwhile. {FULL}"
    return Plan(
        title=f"Re-add disk {member.disk_id} to array {array.name}",
        changes=(ask.changed(f"disk {member.disk_id} becomes a member again"),),
        steps=(MdAdd(**ask.which, member=member, disk_bytes=ask.disk_bytes, returns=True),),
        warnings=(quick if ask.found.write_hole is WriteHole.BITMAP else slow,),
    )


def plan_scrub(array: KnownArray, spec: ArrayScrub, seen: Observation) -> Plan:
    """As `scrub.plan`."""
    step = MdScrub(array_id=array.id, uuid=array.uuid, md_name=array.engine_name, action=spec.action)
    return scrub.plan(array, spec, seen, step, LABEL)


def plan_patch(array: KnownArray, spec: ArrayPatch, low: int | None, high: int | None) -> Plan:
    """The new speed limits and tuning; `low` and `high` are the resulting limits. Raises Invalid if those cross, or if
    the level does not have such tuning.
    """
    findings = Findings()
    if low is not None and high is not None and low > high:
        message = f"the minimum resync speed ({format_size(low)}/s) exceeds the maximum ({format_size(high)}/s)"
        findings.add(Invalid, "sync_speed_min_bytes_s", low, message)
    if "health_command" in spec.model_fields_set:
        message = "md reports the health of its arrays itself: omit health_command"
        findings.add(Invalid, "health_command", spec.health_command, message)
    _check_write_mostly(findings, array, spec.write_mostly or ())
    if spec.spare_group is not None and array.level == Level.RAID0:
        message = f"array {array.name} is raid0: a spare could not replace a lost disk"
        findings.add(Invalid, "spare_group", spec.spare_group, message)
    for problem in tuning_problems(array.level, spec):
        findings.add_problem(Invalid, problem)
    findings.refuse(f"Array {array.name} was not changed")
    details, warnings = [], []
    for field, word in (("sync_speed_min_bytes_s", "at least"), ("sync_speed_max_bytes_s", "at most")):
        if field in spec.model_fields_set:
            value = getattr(spec, field)
            pace = f"{format_size(value)}/s" if value is not None else "the speed chosen by the kernel"
            details.append(f"resync, rebuild and scrub run at {word} {pace} per disk")
    if "write_mostly" in spec.model_fields_set:
        mostly = ", ".join(spec.write_mostly or ()) or "no disk"
        details.append(f"{mostly} is read only if no other disk has the data, now and after every start")
    if "spare_group" in spec.model_fields_set:
        group = spec.spare_group
        shares = f"it shares spares with the other arrays of spare group {group}" if group else "it shares no spares"
        details.append(shares)
    for name in TuningName:
        if name.value in spec.model_fields_set:
            chosen = notation(getattr(spec, name.value))
            details.append(f"{name.value} is {'automatic' if chosen is None else chosen}, now and after every start")
    if spec.stripe_cache_size is not None:
        room = format_size(spec.stripe_cache_size * len(array.members) * PAGE_BYTES)
        warnings.append(
            f"The stripe cache uses {room} of memory. It is limited if it exceeds 1/{MEMORY_SHARE} of memory, or the "
            "array's share of the limit for all parity arrays together."
        )
    changes = tuple(
        PlannedChange(action=Action.CHANGE, noun="array", name=array.name, detail=detail) for detail in details
    )
    return Plan(title=f"Change array {array.name}", changes=changes, steps=(), warnings=tuple(warnings))


def _check_write_mostly(findings: Findings, array: KnownArray, chosen: Sequence[str]) -> None:
    if chosen and array.level != Level.RAID1:
        message = f"array {array.name} is {array.level}: only raid1 has write-mostly disks"
        findings.add(Invalid, "write_mostly", ", ".join(chosen), message)
    elif chosen:
        for problem in write_mostly_problems(chosen, [member.disk_id for member in array.members]):
            findings.add_problem(Invalid, problem)


def plan_release_disk(array: KnownArray, disk: MemberDisk) -> Plan:
    """Removes a replaced disk after md has copied it."""
    detail = f"disk {disk.disk_id} was replaced and becomes available"
    return Plan(
        title=f"Remove replaced disk {disk.disk_id} from array {array.name}",
        changes=(PlannedChange(action=Action.CHANGE, noun="array", name=array.name, detail=detail),),
        steps=(MdRemove(array_id=array.id, uuid=array.uuid, md_name=array.engine_name, member=disk),),
    )


def _is_short(found: ObservedArray) -> bool:
    """True while a slot has no working disk."""
    return found.state in (ArrayState.DEGRADED, ArrayState.REBUILDING)
