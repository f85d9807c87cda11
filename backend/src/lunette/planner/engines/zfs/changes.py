"""Plans for an existing ZFS pool: replacing disks, scrubs."""

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
    ScrubAction,
)
from lunette.domain.arrays import MemberRole
from lunette.domain.errors import Conflict, FieldProblem, Invalid
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.domain.steps import AnyStep, MemberDisk, PoolRelease, PoolReplace, PoolScrub
from lunette.planner.checks.ailing import ailing
from lunette.planner.engines.known_array import KnownArray
from lunette.planner.engines.request import ArrayChangeRequest
from lunette.planner.engines.zfs import roles as pool_roles
from lunette.planner.engines.zfs.roles import least_bytes

LABEL = "ZFS"
WHEN_BACK = "It is attached, but ZFS does not use it, because it had too many errors. Replace"


def plan_replace(array: KnownArray, spec: ArrayReplace, seen: Observation, owners: Mapping[str, str]) -> Plan:
    """The new disk is filled; an old one that still works is used until then, any other is dropped immediately."""
    ask = ArrayChangeRequest(array, seen, f"Disk {spec.disk} of array {array.name} was not replaced", owners)
    old, place = ask.own(spec.disk)
    role = place.role if place else array.role(old.disk_id)
    if role in (MemberRole.CACHE, MemberRole.SPARE):
        words = f"{role.value} disk {old.disk_id} cannot be replaced: remove it and add another"
        ask.add(Invalid, "disk", old.disk_id, words)
    disks, wipes, lost = ask.take({"new": spec.new}, spec.wipe, least_bytes(ask, role))
    new = disks[0]
    is_working = place is not None and place.state == "in_sync"
    if place is not None and place.state == "rebuilding":
        ask.add(
            Conflict, "disk", old.disk_id, f"disk {old.disk_id} is being rebuilt: wait until the rebuild has finished"
        )
    ask.refuse()
    fill = PoolReplace(
        array_id=array.id,
        guid=array.uuid,
        pool=array.group,
        old=old,
        disk_bytes=least_bytes(ask, role),
        new=MemberDisk(disk_id=new.id, serial=new.serial),
    )
    release: tuple[AnyStep, ...] = () if is_working else (_release(array, old),)
    warning = (
        "It is rebuilt while the old disk still works."
        if is_working
        else "A disk is missing until the new one has been rebuilt."
    )
    return Plan(
        title=f"Replace disk {old.disk_id} of array {array.name}",
        changes=(*lost, ask.changed(f"disk {new.id} replaces disk {old.disk_id}")),
        steps=(*wipes, fill, *release),
        warnings=(warning, *ailing(disks)),
    )


def plan_scrub(array: KnownArray, spec: ArrayScrub, seen: Observation) -> Plan:
    """Starts or stops a scrub, which repairs errors as far as there are copies."""
    stop = spec.action is ScrubAction.STOP
    ask = ArrayChangeRequest(array, seen, f"The scrub of array {array.name} was not {'stopped' if stop else 'started'}")
    running = ask.found.progress.action if ask.found.progress else None
    if running == "recover":
        message = f"array {array.name} is being rebuilt: wait until the rebuild has finished"
        ask.add(Conflict, "action", spec.action, message)
    ask.refuse()
    return Plan(
        title=f"Stop the scrub of array {array.name}" if stop else f"Scrub array {array.name}",
        changes=(
            ask.changed(
                "the scrub is stopped"
                if stop
                else "all blocks are read, checksums are verified, and errors are repaired"
            ),
        ),
        steps=(PoolScrub(array_id=array.id, guid=array.uuid, pool=array.group, action=spec.action),),
    )


def plan_release_disk(array: KnownArray, disk: MemberDisk) -> Plan:
    """Removes a replaced disk once ZFS has filled the new one."""
    detail = f"disk {disk.disk_id} was replaced and becomes available"
    return Plan(
        title=f"Remove replaced disk {disk.disk_id} from array {array.name}",
        changes=(PlannedChange(action=Action.CHANGE, noun="array", name=array.name, detail=detail),),
        steps=(_release(array, disk),),
    )


def plan_add_spares(array: KnownArray, spec: ArrayAddSpares, seen: Observation, owners: Mapping[str, str]) -> Plan:
    return pool_roles.plan_spares(array, spec, seen, owners)


def plan_add_disks(array: KnownArray, spec: ArrayAddDisks, seen: Observation, owners: Mapping[str, str]) -> Plan:
    return pool_roles.plan_add(array, spec, seen, owners)


def plan_grow(array: KnownArray, spec: ArrayGrow, _seen: Observation, _owners: Mapping[str, str]) -> Plan:
    words = "cannot be grown by disks here: create a second pool from them"
    _not_offered(array, "disks", spec.disks[0], words)


def plan_reshape(array: KnownArray, spec: ArrayReshape, _seen: Observation, _owners: Mapping[str, str]) -> Plan:
    words = "cannot change its level: create a second pool"
    _not_offered(array, "level", spec.level.value, words)


def plan_fail(array: KnownArray, spec: ArrayDiskChoice, _seen: Observation) -> Plan:
    _not_offered(array, "disk", spec.disk, "cannot fail a working disk: replace it instead")


def plan_remove(array: KnownArray, spec: ArrayDiskChoice, seen: Observation) -> Plan:
    return pool_roles.plan_remove(array, spec, seen)


def plan_readd(array: KnownArray, spec: ArrayDiskChoice, _seen: Observation) -> Plan:
    _not_offered(array, "disk", spec.disk, "re-adds a disk automatically when it is attached again")


def plan_patch(array: KnownArray, spec: ArrayPatch, _low: int | None, _high: int | None) -> Plan:
    field = next((field for field in ArrayPatch.model_fields if field in spec.model_fields_set), "")
    words = "sets its resync speed itself" if field.startswith("sync_speed") else "does not have this tuning option"
    words = "reports its health itself" if field == "health_command" else words
    _not_offered(array, field, "", words)


def _release(array: KnownArray, disk: MemberDisk) -> PoolRelease:
    return PoolRelease(array_id=array.id, guid=array.uuid, pool=array.group, member=disk)


def _not_offered(array: KnownArray, field: str, value: str, words: str) -> NoReturn:
    message = f"array {array.name} is a ZFS pool, which {words}"
    raise Invalid(
        f"Array {array.name} was not changed: {message}.",
        errors=(FieldProblem(field=field, value=value or None, message=message),),
    )
