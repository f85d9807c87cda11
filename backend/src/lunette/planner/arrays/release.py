"""The plan for releasing an array: it stays on its disks with its volumes and their data, without Lunette's mark. Pure.

Nothing is destroyed, and exports must be removed before: it is refused while anything is mapped, and while the array
contains anything that would be incomplete afterward.
"""

from collections.abc import Iterator, Sequence

from lunette.domain.array_changes import ArrayRelease
from lunette.domain.arrays import ArrayState, ArrayVerb, ObservedArray
from lunette.domain.errors import Conflict, InUse, Invalid
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.domain.sizes import format_size
from lunette.domain.steps import AnyStep, ExportsGone, GroupRelease, MdRelease
from lunette.planner.checks.findings import Findings, shorten
from lunette.planner.engines.array_engines import ARRAY_ENGINES
from lunette.planner.engines.known_array import KnownArray
from lunette.planner.volumes.creation import KnownVolume
from lunette.planner.volumes.retained import DEADLINE_S
from lunette.providers.arrays.md.parse import RELEASED

GONE = (
    "Lunette removes its records of the array, its volumes and the identifiers under which hosts see them. The "
    "array is no longer started at boot. It can be adopted again, here or elsewhere, as a foreign array; its "
    "volumes then get new NAAs and serials. To serve them elsewhere with the same identifiers, run `lunette export "
    "--format targetcli` before you unmap them."
)
STOPPED = "It is stopped at the end; its disks can then be removed, all of them together."
GOES_ON = "It was adopted, keeps its md name and continues to run unchanged until the next boot."


def plan_release(
    array: KnownArray, spec: ArrayRelease, seen: Observation, volumes: Sequence[KnownVolume], deleted: Sequence[str]
) -> Plan:
    """`volumes` are all volumes on it, `deleted` are retained volumes and snapshots on it, by name.

    Raises Invalid, Conflict or InUse.
    """
    findings = Findings()
    found = next((one for one in seen.arrays if one.uuid == array.uuid), None)
    _check_kind(findings, array, spec)
    _check_health(findings, array, found)
    for volume in volumes:
        if volume.mapped_to:
            message = f"volume {volume.name} is mapped to {shorten(volume.mapped_to)}: unmap it first"
            findings.add(InUse, "array", volume.name, message)
    if deleted:
        message = f"it contains deleted volumes or snapshots ({shorten(list(deleted))}): recover or erase them first"
        findings.add(InUse, "array", array.name, message)
    findings.refuse(f"Array {array.name} was not released")
    return Plan(
        title=f"Release array {array.name}",
        changes=tuple(_changes(array, volumes)),
        steps=tuple(_steps(array, volumes)),
        warnings=(GONE, STOPPED if _is_named_by_us(array) else GOES_ON),
    )


def _check_kind(findings: Findings, array: KnownArray, spec: ArrayRelease) -> None:
    if not any(ArrayVerb.RELEASE in level.verbs for level in ARRAY_ENGINES[array.engine].capability().levels):
        message = f"array {array.name} uses engine {array.engine.value}, which cannot release its arrays"
        findings.add(Invalid, "array", array.name, message)
    elif array.encryption:
        message = f"array {array.name} is encrypted with keys that only Lunette has: it cannot be released"
        findings.add(Invalid, "array", array.name, message)
    elif spec.confirm != array.name:
        message = f"confirm must be the array's name, {array.name}: hosts cannot access its volumes afterward"
        findings.add(Invalid, "confirm", spec.confirm, message)


def _check_health(findings: Findings, array: KnownArray, found: ObservedArray | None) -> None:
    """Each disk carries the mark, so each must be present; and running operations must finish first."""
    if found is None or found.state is ArrayState.MISSING:
        message = "it is not running: attach all its disks, because each carries Lunette's mark"
        findings.add(Conflict, "array", array.name, message)
    elif found.progress is not None or found.is_reshaping:
        action = found.progress.action if found.progress else "reshape"
        findings.add(
            Conflict, "array", array.name, f"the kernel is running a {action} on it: wait until this has finished"
        )
    elif found.state is not ArrayState.CLEAN:
        findings.add(Conflict, "array", array.name, f"it is {found.state.value} now: replace the lost disk")


def _is_named_by_us(array: KnownArray) -> bool:
    """False for an adopted array: md's own name, with its home host, was recorded then."""
    return ":" not in array.engine_name


def _changes(array: KnownArray, volumes: Sequence[KnownVolume]) -> Iterator[PlannedChange]:
    disks = f"its {len(array.members)} disks and their content do not change"
    place = f"md array {RELEASED}:{array.engine_name}" if _is_named_by_us(array) else f"md array {array.engine_name}"
    detail = f"{disks}: {place} with volume group {array.group}; Lunette's records of it are removed"
    yield PlannedChange(action=Action.CHANGE, noun="array", name=array.name, detail=detail)
    for volume in volumes:
        detail = (
            f"remains as {volume.group}/{volume.backing_name} ({format_size(volume.size_bytes)}); Lunette's records of "
            "it are removed"
        )
        yield PlannedChange(action=Action.CHANGE, noun="volume", name=volume.name, detail=detail)
        for snapshot in volume.snapshots:
            detail = "remains as a logical volume; Lunette's records of it are removed"
            yield PlannedChange(action=Action.CHANGE, noun="snapshot", name=snapshot, detail=detail)


def _steps(array: KnownArray, volumes: Sequence[KnownVolume]) -> Iterator[AnyStep]:
    stops = _is_named_by_us(array)
    if volumes:
        yield ExportsGone(volume_ids=tuple(volume.id for volume in volumes), deadline_s=DEADLINE_S)
    yield GroupRelease(array_id=array.id, array_uuid=array.uuid, group=array.group, stops=stops)
    if stops:
        yield MdRelease(array_id=array.id, uuid=array.uuid, md_name=array.engine_name, members=array.members)
