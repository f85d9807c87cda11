"""Changes of a standing external array: there are none, and each refusal says whose matter it is."""

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
from lunette.domain.plans import Action, Change, Plan
from lunette.domain.steps import MdMember
from lunette.planner.engines.known_array import KnownArray

WHEN_BACK = "It is attached, and what presents it does not use it. Replace"


def plan_add_spares(array: KnownArray, wish: ArrayAddSpares, _seen: Observation, _owners: Mapping[str, str]) -> Plan:
    _not_offered(array, "disks", wish.disks[0], "a spare is given to")


def plan_add_disks(array: KnownArray, wish: ArrayAddDisks, _seen: Observation, _owners: Mapping[str, str]) -> Plan:
    _not_offered(array, "role", wish.role.value, "disks are added with the tools of")


def plan_grow(array: KnownArray, wish: ArrayGrow, _seen: Observation, _owners: Mapping[str, str]) -> Plan:
    _not_offered(array, "disks", wish.disks[0], "disks are added with the tools of")


def plan_reshape(array: KnownArray, wish: ArrayReshape, _seen: Observation, _owners: Mapping[str, str]) -> Plan:
    _not_offered(array, "level", wish.level.value, "its redundancy is changed with the tools of")


def plan_replace(array: KnownArray, wish: ArrayReplace, _seen: Observation, _owners: Mapping[str, str]) -> Plan:
    _not_offered(array, "disk", wish.disk, "a drive is replaced with the tools of")


def plan_fail(array: KnownArray, wish: ArrayDiskChoice, _seen: Observation) -> Plan:
    _not_offered(array, "disk", wish.disk, "a drive is given up with the tools of")


def plan_remove(array: KnownArray, wish: ArrayDiskChoice, _seen: Observation) -> Plan:
    _not_offered(array, "disk", wish.disk, "a drive is taken out with the tools of")


def plan_readd(array: KnownArray, wish: ArrayDiskChoice, _seen: Observation) -> Plan:
    _not_offered(array, "disk", wish.disk, "a drive is taken back with the tools of")


def plan_scrub(array: KnownArray, wish: ArrayScrub, _seen: Observation) -> Plan:
    _not_offered(array, "action", wish.action.value, "a scrub is started with the tools of")


def plan_patch(array: KnownArray, wish: ArrayPatch, _low: int | None, _high: int | None) -> Plan:
    """The health command to ask. One that is not there is told by an alert, as it can also go later."""
    for field in ArrayPatch.model_fields:
        if field in wish.model_fields_set and field != "health_command":
            _not_offered(array, field, "", "pace and tuning are set with the tools of")
    name = wish.health_command
    detail = f"health command {name} tells its health" if name else "nobody tells its health"
    changed = (Change(action=Action.CHANGE, noun="array", name=array.name, detail=detail),)
    return Plan(
        title=f"Change array {array.name}",
        changes=changed if "health_command" in wish.model_fields_set else (),
        steps=(),
    )


def plan_let_go(array: KnownArray, disk: MdMember) -> Plan:
    _not_offered(array, "disk", disk.disk_id, "a drive is let go with the tools of")


def _not_offered(array: KnownArray, field: str, value: str, words: str) -> NoReturn:
    message = f"array {array.name} is one external device: {words} the controller or engine that presents it"
    raise Invalid(
        f"Array {array.name} was not changed: {message}.",
        errors=(FieldProblem(field=field, value=value or None, message=message),),
    )
