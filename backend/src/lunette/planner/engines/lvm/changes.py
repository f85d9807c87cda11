"""Plans for an existing array of LVM RAID: replacing disks, scrubs."""

from collections.abc import Mapping
from typing import NoReturn

from lunette.domain.array_changes import (
    ArrayAddDisks,
    ArrayAddSpares,
    ArrayDiskChoice,
    ArrayGrow,
    ArrayPatch,
    ArrayReplace,
    ArrayReshape,
    ArrayScrub,
)
from lunette.domain.arrays import ArrayState
from lunette.domain.errors import Conflict, FieldProblem, Invalid
from lunette.domain.observations import Observation
from lunette.domain.plans import Plan
from lunette.domain.steps import LvmRaidReplace, LvmRaidScrub, MemberDisk
from lunette.planner.checks.ailing import ailing
from lunette.planner.engines import scrub
from lunette.planner.engines.known_array import KnownArray
from lunette.planner.engines.request import ArrayChangeRequest
from lunette.providers.arrays.lvm.plan import raid_group

LABEL = "LVM RAID"
WHEN_BACK = "It is attached, but LVM does not use it, because the array continued without it. Replace"
GIVEN_UP = (
    "LVM discards the old disk's copy immediately: the array is less redundant until the new disk has been rebuilt."
)
BUSY = ("resync", "recover", "reshape")


def plan_replace(array: KnownArray, spec: ArrayReplace, seen: Observation, owners: Mapping[str, str]) -> Plan:
    """The new disk becomes a member immediately and is rebuilt from the others."""
    ask = ArrayChangeRequest(array, seen, f"Disk {spec.disk} of array {array.name} was not replaced", owners)
    old, place = ask.own(spec.disk)
    least = array.member_bytes
    disks, wipes, lost = ask.take({"new": spec.new}, spec.wipe, least)
    new = disks[0]
    running = ask.found.progress.action if ask.found.progress else None
    if running in BUSY:
        message = f"array {array.name} is busy ({running}): wait until this has finished"
        ask.add(Conflict, "disk", old.disk_id, message)
    elif place is not None and place.state == "in_sync":
        if ask.found.state is not ArrayState.CLEAN:
            message = (
                f"array {array.name} is {ask.found.state.value}: replace the lost disk first and wait for the "
                "rebuild, then replace this working disk"
            )
            ask.add(Conflict, "disk", old.disk_id, message)
        ask.check_redundant(place)
    ask.refuse()
    step = LvmRaidReplace(
        array_id=array.id,
        uuid=array.uuid,
        raid_group=raid_group(array.id),
        old=old,
        disk_bytes=least,
        new=MemberDisk(disk_id=new.id, serial=new.serial),
    )
    return Plan(
        title=f"Replace disk {old.disk_id} of array {array.name}",
        changes=(*lost, ask.changed(f"disk {new.id} replaces disk {old.disk_id}, which becomes available")),
        steps=(*wipes, step),
        warnings=(GIVEN_UP, *ailing(disks)),
    )


def plan_scrub(array: KnownArray, spec: ArrayScrub, seen: Observation) -> Plan:
    """As `scrub.plan`."""
    step = LvmRaidScrub(array_id=array.id, uuid=array.uuid, raid_group=raid_group(array.id), action=spec.action)
    checks = " With checksums, LVM runs a check instead, which repairs the errors that the checksums find."
    return scrub.plan(array, spec, seen, step, LABEL, checks)


def plan_add_spares(array: KnownArray, spec: ArrayAddSpares, _seen: Observation, _owners: Mapping[str, str]) -> Plan:
    _not_offered(array, "disks", spec.disks[0], "does not support spares: replace a lost disk instead")


def plan_add_disks(array: KnownArray, spec: ArrayAddDisks, _seen: Observation, _owners: Mapping[str, str]) -> Plan:
    _not_offered(array, "role", spec.role.value, f"does not support {spec.role.value} disks")


def plan_grow(array: KnownArray, spec: ArrayGrow, _seen: Observation, _owners: Mapping[str, str]) -> Plan:
    _not_offered(array, "disks", spec.disks[0], "cannot be grown by disks here: create a second array from them")


def plan_reshape(array: KnownArray, spec: ArrayReshape, _seen: Observation, _owners: Mapping[str, str]) -> Plan:
    _not_offered(array, "level", spec.level.value, "cannot change its level: create a second array")


def plan_fail(array: KnownArray, spec: ArrayDiskChoice, _seen: Observation) -> Plan:
    _not_offered(array, "disk", spec.disk, "cannot fail a working disk: replace it instead")


def plan_remove(array: KnownArray, spec: ArrayDiskChoice, _seen: Observation) -> Plan:
    _not_offered(array, "disk", spec.disk, "needs all its disks: replace the disk instead")


def plan_readd(array: KnownArray, spec: ArrayDiskChoice, _seen: Observation) -> Plan:
    _not_offered(
        array, "disk", spec.disk, "cannot re-add a disk while it is running: replace the disk, or restart the appliance"
    )


def plan_patch(array: KnownArray, spec: ArrayPatch, _low: int | None, _high: int | None) -> Plan:
    field = next((field for field in ArrayPatch.model_fields if field in spec.model_fields_set), "")
    words = "reports its health itself" if field == "health_command" else "does not have this setting"
    _not_offered(array, field, "", words)


def plan_release_disk(array: KnownArray, disk: MemberDisk) -> Plan:
    _not_offered(array, "disk", disk.disk_id, "releases replaced disks immediately")


def _not_offered(array: KnownArray, field: str, value: str, words: str) -> NoReturn:
    message = f"array {array.name} is an LVM RAID array, which {words}"
    raise Invalid(
        f"Array {array.name} was not changed: {message}.",
        errors=(FieldProblem(field=field, value=value or None, message=message),),
    )
