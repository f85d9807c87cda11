"""Judges foreign arrays, with or without a volume group: the next possible step for each, or why there is none (0042).
Pure.

The content of a stopped array is unknown: it is started first, read-only, by a separate call.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

from lunette.domain.adopting import ForeignGroup, ForeignVolume
from lunette.domain.arrays import ArrayState
from lunette.domain.errors import Conflict, FieldProblem, Invalid
from lunette.domain.foreign_arrays import ForeignArrayAdopt, FoundArray, Judged, NextStep
from lunette.domain.identity import IdentitySource
from lunette.domain.jobs import ResourceState
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.domain.sealed_copies import SPACE_BYTES
from lunette.domain.sizes import format_size
from lunette.domain.steps import AdoptedVolume, AnyStep, GroupAdopt, MdOpen, MdStart
from lunette.planner.adopting.beneath import array_refusal, member_refusal
from lunette.planner.adopting.facts import Facts, OwnArray
from lunette.planner.adopting.rows import NewArray, NewVolume, Rows, array_name, free_name
from lunette.planner.checks.findings import shorten
from lunette.planner.engines.array_engines import ARRAY_ENGINES
from lunette.planner.engines.md.write_hole import losing_log_adopted
from lunette.providers.arrays.md.parse import is_marked
from lunette.providers.volumes.lvm import plan as lvm


def judge(found: FoundArray, seen: Observation, facts: Facts) -> Judged:
    """The verdict on an array; for an array of Lunette, on its logical volumes that do not belong to Lunette."""
    home_host, name = ARRAY_ENGINES[found.seen.engine].split_name(found.engine_name)
    return dataclasses.replace(_judge(found, seen, facts), home_host=home_host, name=name)


def _judge(found: FoundArray, seen: Observation, facts: Facts) -> Judged:
    if (own := facts.arrays.get(found.seen.uuid)) is not None:
        return _judge_own(found, own)
    volumes = tuple((one, _volume_refusal(found.group, one)) for one in found.group.volumes) if found.group else ()
    planning = ARRAY_ENGINES[found.seen.engine]
    if not planning.can_adopt:
        return Judged(found, NextStep.NONE, planning.adopt_refusal(found), volumes)
    if _belongs_to_lunette(found):
        words = (
            "it carries the mark of an appliance, whose sealed copy describes its content. Use rebuild instead of "
            "adopt."
        )
        return Judged(found, NextStep.REBUILD, words, volumes)
    if found.seen.state is ArrayState.MISSING:
        reason = member_refusal(found.seen, found.engine_name, seen, facts)
        return Judged(found, NextStep.NONE if reason else NextStep.START, reason)
    reason = (
        array_refusal(found.seen, found.engine_name, seen, facts)
        or _state_refusal(found)
        or _group_refusal(found, seen, facts)
    )
    return Judged(found, NextStep.NONE if reason else NextStep.ADOPT, reason, volumes)


def _judge_own(found: FoundArray, own: OwnArray) -> Judged:
    group = found.group if ARRAY_ENGINES[found.seen.engine].can_adopt else None
    volumes = tuple((one, _volume_refusal(group, one)) for one in (group.volumes if group else ()) if not one.is_ours)
    reason = None if any(why is None for _, why in volumes) else "none of its logical volumes can become a volume."
    if own.state != ResourceState.READY or group is None or group.name != own.group or group.marked_for is None:
        reason = f"array {own.name} is {own.state}, or its volume group does not match the records: check it first."
    return Judged(found, NextStep.NONE if reason else NextStep.ADOPT, reason, volumes, own.name)


def plan_start(judged: Judged) -> Plan:
    """Plans to start the array read-only. Raises Conflict if it already runs, or not all its disks can be used."""
    found = judged.found
    if judged.next is not NextStep.START:
        raise Conflict(f"Array {found.engine_name} was not started: {judged.reason or 'it is already running'}")
    members = tuple(member.disk_id for member in found.seen.members if member.disk_id)
    step = MdStart(uuid=found.seen.uuid, md_name=found.engine_name, disk_ids=members)
    detail = (
        f"md array {found.engine_name}, {found.seen.level} of {len(members)} disks, starts read-only; check its "
        "content, then adopt it"
    )
    return Plan(
        title=f"Start foreign array {found.engine_name}",
        steps=(step,),
        changes=(PlannedChange(action=Action.CHANGE, noun="array", name=found.engine_name, detail=detail),),
    )


def plan_adopt(
    judged: Judged, spec: ForeignArrayAdopt, seen: Observation, facts: Facts, identities: IdentitySource
) -> tuple[Rows, Plan]:
    """The rows of the adopted array and volumes, with the steps that mark them. Raises Conflict or Invalid with the
    reason.
    """
    found = judged.found
    if judged.next is not NextStep.ADOPT:
        words = judged.reason or "it is not running: start it and check its content first"
        raise Conflict(f"Array {found.engine_name} was not adopted: {words}")
    rows = Rows()
    own = facts.arrays.get(found.seen.uuid)
    if own is not None:
        _check_own(judged, spec)
        array_id, place = own.id, own.group
    else:
        array = _new_array(found, spec, facts, identities)
        rows.arrays.append(array)
        array_id, place = array.id, array.group
    taken = set(facts.volumes)
    for volume in _chosen(judged, spec):
        name = free_name("volume", volume.name, taken)
        identity = identities.volume()
        rows.volumes.append(
            NewVolume(identities.id(), name, array_id, place, volume.name, volume.size_bytes, identity, None)
        )
    if own is not None and not rows.volumes:
        raise Invalid(f"No logical volume of array {own.name} was specified, so there is nothing to adopt.")
    rows.steps.extend(_steps(found, rows, array_id, is_new=own is None))
    return rows, _described(judged, rows, seen)


def _check_own(judged: Judged, spec: ForeignArrayAdopt) -> None:
    for field, value in (("name", spec.name), ("make_group", spec.make_group)):
        if value:
            words = f"array {judged.own} is already managed by Lunette, and keeps its name and volume group"
            error = FieldProblem(field=field, value=str(value), message=words)
            raise Invalid(f"This is not needed: {words}.", errors=(error,))


def _new_array(found: FoundArray, spec: ForeignArrayAdopt, facts: Facts, identities: IdentitySource) -> NewArray:
    names = {array.name for array in facts.arrays.values()}
    if spec.name in names:
        raise Conflict(
            f"Array {spec.name} already exists.",
            errors=(FieldProblem(field="name", value=spec.name, message="is taken"),),
        )
    if found.group is None and not spec.make_group:
        raise Invalid(
            f"Array {found.engine_name} carries no volume group, so there is nothing on it to adopt. With make_group a "
            "volume group is created on it, which overwrites any content without a known signature."
        )
    id_ = identities.id()
    name = spec.name or free_name("array", array_name(found.engine_name), names)
    group = found.group.name if found.group else lvm.group_name(id_)
    return NewArray(id_, name, found.engine_name, group, found.seen)


def _chosen(judged: Judged, spec: ForeignArrayAdopt) -> Iterator[ForeignVolume]:
    known: Mapping[str, tuple[ForeignVolume, str | None]] = {one.name: (one, why) for one, why in judged.volumes}
    for name in spec.volumes or ():
        one, why = known.get(name, (None, "it was not found"))
        if why is not None or one is None:
            raise Invalid(
                f"Logical volume {name} was not adopted: {why}.",
                errors=(FieldProblem(field="volumes", value=name, message=f"{why}"),),
            )
    for one, why in judged.volumes:
        if one.name in spec.volumes if spec.volumes is not None else why is None:
            yield one


def _steps(found: FoundArray, rows: Rows, array_id: str, *, is_new: bool) -> Iterator[AnyStep]:
    group = found.group
    if found.read_only:
        yield MdOpen(uuid=found.seen.uuid, md_name=found.engine_name)
    if group is None:
        yield lvm.group_create(array_id, found.seen.uuid)
        return
    yield GroupAdopt(
        array_id=array_id,
        array_uuid=found.seen.uuid,
        group=group.name,
        group_uuid=group.uuid,
        is_new=is_new,
        was_listed=group.is_listed,
        volumes=tuple(AdoptedVolume(volume_id=one.id, backing_name=one.backing_name) for one in rows.volumes),
    )


def _described(judged: Judged, rows: Rows, seen: Observation) -> Plan:
    found = judged.found
    kind = f"{found.seen.level} of {len(found.seen.members)} disks"
    changes = [
        _new("array", array.name, f"{kind}, md array {found.engine_name}, unchanged, with volume group {array.group}")
        for array in rows.arrays
    ]
    changes += [
        _new(
            "volume",
            one.name,
            f"{one.group}/{one.backing_name} ({format_size(one.size_bytes)}), new NAA {one.identity.naa}",
        )
        for one in rows.volumes
    ]
    what = f"array {rows.arrays[0].name}" if rows.arrays else f"volumes of array {judged.own}"
    logs = [words for array in rows.arrays for words in losing_log_adopted(array.seen, seen)]
    return Plan(
        title=f"Adopt {what}",
        changes=tuple(changes),
        steps=tuple(rows.steps),
        warnings=(*_warnings(judged, rows), *logs),
    )


def _warnings(judged: Judged, rows: Rows) -> Iterator[str]:
    found, group = judged.found, judged.found.group
    if group is None:
        yield (
            f"A volume group is created on array {found.engine_name}: content at its beginning without a known "
            "signature is lost."
        )
        return
    taken = {one.backing_name for one in rows.volumes}
    staying = [one.name for one, _ in judged.volumes if one.name not in taken]
    if staying:
        yield f"Not changed, and not adopted as volumes: {shorten(staying)} in volume group {group.name}."
    if rows.arrays and group.free_bytes < SPACE_BYTES:
        yield (
            f"Volume group {group.name} has no space for the sealed copy ({format_size(SPACE_BYTES)}): the "
            "identifiers of its volumes cannot be rebuilt from these disks."
        )
    if found.seen.state is not ArrayState.CLEAN:
        yield f"Array {found.engine_name} is {found.seen.state.value}, and this continues."


def _belongs_to_lunette(found: FoundArray) -> bool:
    return is_marked(found.engine_name) or (found.group is not None and found.group.marked_for is not None)


def _state_refusal(found: FoundArray) -> str | None:
    if found.problem:
        return f"its content could not be read: {found.problem}"
    if found.carries:
        return (
            f"it carries {', '.join(found.carries)}, which Lunette does not serve. Copy the data elsewhere; to use "
            "the array for volumes, wipe it with its own tools."
        )
    return None


def _group_refusal(found: FoundArray, seen: Observation, facts: Facts) -> str | None:
    group = found.group
    if group is None:
        return None
    if group.devices != 1:
        return (
            f"volume group {group.name} uses {group.devices} devices, and Lunette only serves volume groups on "
            "exactly one array."
        )
    if group.closed:
        return f"volume group {group.name} is not free: {group.closed}."
    others: Sequence[str] = [array.group for array in facts.arrays.values()]
    if not group.is_listed:
        others = [*others, *(pool.group for pool in seen.groups)]
    if group.name in others:
        return (
            f"another volume group is also named {group.name}: rename this one with vgrename, by its UUID {group.uuid}."
        )
    return None


def _volume_refusal(group: ForeignGroup | None, volume: ForeignVolume) -> str | None:
    where = f"{group.name}/{volume.name}" if group else volume.name
    if volume.is_ours:
        return f"{where} already carries Lunette's mark"
    if not volume.is_plain:
        return f"{where} is thin, or a snapshot, a cache or a RAID of LVM, and depends on other logical volumes"
    if volume.is_open:
        return f"{where} is in use: unmount it, or adopt the target that serves it"
    return None


def _new(noun: str, name: str, detail: str) -> PlannedChange:
    return PlannedChange(action=Action.CREATE, noun=noun, name=name, detail=detail)
