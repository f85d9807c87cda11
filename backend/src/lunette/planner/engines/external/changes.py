"""Changes of an external array: there are none, and each refusal says who provides the feature."""

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
from lunette.domain.errors import FieldProblem, Invalid
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.domain.steps import MemberDisk
from lunette.planner.engines.known_array import KnownArray

LABEL = "An external array"
WHEN_BACK = "It is attached, but the controller or engine that presents the array does not use it. Replace"


def plan_add_spares(array: KnownArray, spec: ArrayAddSpares, _seen: Observation, _owners: Mapping[str, str]) -> Plan:
    _not_offered(array, "disks", spec.disks[0], "add spares with the tools of")


def plan_add_disks(array: KnownArray, spec: ArrayAddDisks, _seen: Observation, _owners: Mapping[str, str]) -> Plan:
    _not_offered(array, "role", spec.role.value, "add disks with the tools of")


def plan_grow(array: KnownArray, spec: ArrayGrow, _seen: Observation, _owners: Mapping[str, str]) -> Plan:
    _not_offered(array, "disks", spec.disks[0], "add disks with the tools of")


def plan_reshape(array: KnownArray, spec: ArrayReshape, _seen: Observation, _owners: Mapping[str, str]) -> Plan:
    _not_offered(array, "level", spec.level.value, "change its redundancy with the tools of")


def plan_replace(array: KnownArray, spec: ArrayReplace, _seen: Observation, _owners: Mapping[str, str]) -> Plan:
    _not_offered(array, "disk", spec.disk, "replace drives with the tools of")


def plan_fail(array: KnownArray, spec: ArrayDiskChoice, _seen: Observation) -> Plan:
    _not_offered(array, "disk", spec.disk, "fail drives with the tools of")


def plan_remove(array: KnownArray, spec: ArrayDiskChoice, _seen: Observation) -> Plan:
    _not_offered(array, "disk", spec.disk, "remove drives with the tools of")


def plan_readd(array: KnownArray, spec: ArrayDiskChoice, _seen: Observation) -> Plan:
    _not_offered(array, "disk", spec.disk, "re-add drives with the tools of")


def plan_scrub(array: KnownArray, spec: ArrayScrub, _seen: Observation) -> Plan:
    _not_offered(array, "action", spec.action.value, "start scrubs with the tools of")


def plan_patch(array: KnownArray, spec: ArrayPatch, _low: int | None, _high: int | None) -> Plan:
    """The health command to run. A missing command is reported by an alert, because it can also disappear later."""
    for field in ArrayPatch.model_fields:
        if field in spec.model_fields_set and field != "health_command":
            _not_offered(array, field, "", "set the resync speed and tuning with the tools of")
    name = spec.health_command
    detail = f"health command {name} reports its health" if name else "no health command reports its health"
    changed = (PlannedChange(action=Action.CHANGE, noun="array", name=array.name, detail=detail),)
    return Plan(
        title=f"Change array {array.name}",
        changes=changed if "health_command" in spec.model_fields_set else (),
        steps=(),
    )


def plan_release_disk(array: KnownArray, disk: MemberDisk) -> Plan:
    _not_offered(array, "disk", disk.disk_id, "release drives with the tools of")


def _not_offered(array: KnownArray, field: str, value: str, words: str) -> NoReturn:
    message = f"array {array.name} is a single external device: {words} the controller or engine that presents it"
    raise Invalid(
        f"Array {array.name} was not changed: {message}.",
        errors=(FieldProblem(field=field, value=value or None, message=message),),
    )
