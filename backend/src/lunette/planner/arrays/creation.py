"""Plans for arrays: which disks may be taken, and what is destroyed on them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lunette.domain.arrays import ArrayCreate, ArrayEngine, ArrayState, EngineAbility, Level, MemberRole, WriteHole
from lunette.domain.disks import UNIDENTIFIED, ObservedDisk, cached
from lunette.domain.errors import Conflict, InUse, Invalid
from lunette.domain.identity import IdentitySource
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Change, Plan
from lunette.domain.sizes import format_size
from lunette.domain.steps import DiskWipe, MdCreate, MdMember
from lunette.domain.units import counted
from lunette.planner.arrays import encrypted, proportions
from lunette.planner.arrays.ailing import ailing
from lunette.planner.checks.findings import Findings, shorten
from lunette.planner.checks.names import check_name
from lunette.planner.engines import recorded
from lunette.planner.engines.array_engines import ARRAY_ENGINES, Blueprint
from lunette.planner.engines.known_array import KnownArray
from lunette.planner.engines.volume_engines import (
    capabilities,
    level_problem,
    missing_reason,
    recorded_roles,
    role_problems,
)
from lunette.planner.volumes.deleted_volumes import KnownDeleted, erased
from lunette.planner.volumes.retained import kept_volume
from lunette.providers.arrays.md.raid10 import copies_of


@dataclass(frozen=True)
class NewArray:
    """The choices for one array: the steps of `made` are among those of `plan`, kept apart for the row."""

    id: str
    plan: Plan
    made: Blueprint
    members: tuple[MdMember, ...]
    roles: tuple[MemberRole, ...]
    """Of each member."""


def plan_create(
    spec: ArrayCreate, seen: Observation, name_taken: bool, disk_owners: Mapping[str, str], identities: IdentitySource
) -> NewArray:
    """Chooses everything for a new array. `disk_owners` gives, by disk id, the array of the database that has it.

    Raises Invalid, Conflict or InUse naming each disk and field that stands in the way.
    """
    findings = Findings()
    check_name(findings, "array", spec.name, name_taken)
    reason = engine_reason(spec.engine, seen)
    if reason:
        findings.add(Invalid, "engine", spec.engine.value, reason)
    elif problem := encrypted.problem(spec, seen):
        findings.add_problem(Invalid, problem)
    fields = {f"{role.field}[{i}]": disk for role, ids in spec.by_role().items() for i, disk in enumerate(ids)}
    disks, wipe = take_disks(findings, fields, spec.wipe, seen, disk_owners, spec.engine)
    whole = [disk for disk in disks if disk]
    if len(whole) == len(fields):
        _check_together(findings, spec, whole, seen)
    findings.refuse(f"Array {spec.name} was not created")
    return _choose(spec, whole, wipe, identities)


def engine_reason(engine: ArrayEngine, seen: Observation) -> str | None:
    """Why arrays of this engine cannot be made here: what is missing for them, or for volumes on them."""
    volumes = ARRAY_ENGINES[engine].volumes.value
    return missing_reason(seen, "array", engine.value) or missing_reason(seen, "volume", volumes)


def take_disks(
    findings: Findings,
    fields: Mapping[str, str],
    wipe: Sequence[str],
    seen: Observation,
    owners: Mapping[str, str],
    engine: ArrayEngine,
) -> tuple[list[ObservedDisk | None], frozenset[str]]:
    """The disks that are named, by the field that names each; and which of them may be wiped.

    Every reason not to take one becomes a finding; one that does not exist is None.
    """
    disks = _find_disks(findings, fields, seen)
    wiped = _find_wipe(findings, wipe, seen, disks)
    for (field, reference), disk in zip(fields.items(), disks, strict=True):
        if disk:
            _check_disk(findings, field, disk, reference, owners.get(disk.id), disk.id in wiped)
        if disk and not disk.is_known and engine is not ArrayEngine.MD:
            message = f"disk {disk.id} can only be a member of md arrays, which recognise it by its superblock"
            findings.add(Invalid, field, reference, message)
    return disks, wiped


def _find_disks(findings: Findings, fields: Mapping[str, str], seen: Observation) -> list[ObservedDisk | None]:
    found: list[ObservedDisk | None] = []
    first_use: dict[str, str] = {}
    for field, reference in fields.items():
        disk = seen.disk(reference)
        if disk is None:
            message = f"disk {reference} was not found; use an ID from the list of disks"
            if seen.hides_disks():
                message = f"disk {reference} was not found, but some disks cannot be read now: see the alerts"
            findings.add(Invalid, field, reference, message)
        elif disk.id in first_use:
            message = f"disk {reference} is listed twice (also as {first_use[disk.id]}); list each disk once"
            findings.add(Invalid, field, reference, message)
        else:
            first_use[disk.id] = field
        found.append(disk)
    return found


def _find_wipe(
    findings: Findings, wipe: Sequence[str], seen: Observation, disks: list[ObservedDisk | None]
) -> frozenset[str]:
    members = {disk.id for disk in disks if disk}
    wiped = set()
    for index, reference in enumerate(wipe):
        disk = seen.disk(reference)
        if disk is None or disk.id not in members:
            message = f"disk {reference} is listed in wipe but not among the disks; list it in both or in neither"
            findings.add(Invalid, f"wipe[{index}]", reference, message)
        else:
            wiped.add(disk.id)
    return frozenset(wiped)


def _check_disk(
    findings: Findings, field: str, disk: ObservedDisk, reference: str, owner: str | None, may_wipe: bool
) -> None:
    """Why this one disk cannot be taken. The system's disk and a fabric's disk never can, not even with a wipe."""
    content = "; ".join(disk.occupations())
    if disk.fabric:
        message = f"disk {disk.id} is attached over a fabric: an array is never built on another appliance's volume"
        findings.add(Invalid, field, disk.id, message)
    elif disk.used_by_system:
        why = f" ({content})" if content else ""
        message = f"disk {disk.id} carries the running system{why} and cannot be used; choose another disk"
        findings.add(InUse, field, disk.id, message)
    elif owner is not None:
        findings.add(Conflict, field, disk.id, f"disk {disk.id} belongs to array {owner}; choose another disk")
    elif hindrance := disk.hindrance(reference):
        anyway = f", or specify it as {UNIDENTIFIED}{disk.id}" if not (disk.is_known or disk.is_busy()) else ""
        message = f"disk {disk.id} cannot be used: {hindrance}; choose another disk{anyway}"
        findings.add(InUse, field, disk.id, message)
    elif disk.is_busy():
        message = f"disk {disk.id} is in use: {content}. Free it first; it cannot be wiped while it is in use"
        findings.add(InUse, field, disk.id, message)
    elif content and not disk.is_known:
        message = (
            f"disk {disk.id} is not blank: {content}. Wipe it manually, because nothing distinguishes it from other "
            "disks"
        )
        findings.add(InUse, field, disk.id, message)
    elif content and not may_wipe:
        message = (
            f"disk {disk.id} is not blank: {content}. List it in wipe to destroy this content, or choose another disk"
        )
        findings.add(InUse, field, disk.id, message)


def _check_together(findings: Findings, spec: ArrayCreate, disks: list[ObservedDisk], seen: Observation) -> None:
    sectors = sorted({disk.logical_block_bytes for disk in disks})
    if len(sectors) > 1:
        odd = [disk.id for disk in disks if disk.logical_block_bytes != disks[0].logical_block_bytes]
        message = (
            f"the disks have different sector sizes: {' and '.join(str(s) for s in sectors)} bytes ({shorten(odd)} "
            f"differs from {disks[0].id}); all disks of an array need the same sector size"
        )
        findings.add(Invalid, "disks", ", ".join(odd), message)
    offered = capabilities(seen, "array").get(spec.engine.value)
    if spec.health_command and offered and spec.health_command not in offered.health_commands:
        words = f"engine {spec.engine.value} offers these health commands: {', '.join(offered.health_commands)}"
        none = f"engine {spec.engine.value} offers no health command: omit health_command"
        findings.add(Invalid, "health_command", spec.health_command, words if offered.health_commands else none)
    lacks = offered.lacks(EngineAbility.INTEGRITY) if offered else None
    if spec.integrity and lacks:
        findings.add(Invalid, "integrity", "true", lacks)
    unknown = level_problem(spec)
    others = () if unknown else (*role_problems(spec), *ARRAY_ENGINES[spec.engine].problems(spec, disks))
    for problem in (unknown,) if unknown else others:
        findings.add_problem(Invalid, problem)


def _choose(spec: ArrayCreate, disks: list[ObservedDisk], wipe: frozenset[str], ids: IdentitySource) -> NewArray:
    array_id, uuid = ids.id(), ids.id()
    plain = ARRAY_ENGINES[spec.engine].blueprint(array_id, uuid, spec, disks)
    made = encrypted.blueprint(plain, array_id, spec, disks)
    wipes, lost = wiping(disks, wipe)
    beside = _beside(spec)
    layout = f" ({made.layout.value})" if made.layout else ""
    count = counted(len(spec.disks), "disk")
    hidden = ", encrypted" if made.crypt else ", with checksums" if spec.integrity else ""
    detail = f"{spec.level.value}{layout} of {count}{beside}{hidden}, {format_size(made.size_bytes)} usable"
    plan = Plan(
        title=f"Create array {spec.name}",
        changes=(*lost, Change(action=Action.CREATE, noun="array", name=spec.name, detail=detail)),
        steps=(*wipes, *made.steps),
        warnings=(
            *_warnings(spec.level, made, disks[: len(spec.disks) + len(spec.spares)]),
            *proportions.warnings(spec.level, disks[: len(spec.disks)]),
            *made.warnings,
            *ailing(disks),
        ),
    )
    kept = recorded_roles(spec)
    roles = [role if role in kept else MemberRole.DATA for role, ids in spec.by_role().items() for _ in ids]
    members = tuple(MdMember(disk_id=disk.id, serial=disk.serial) for disk in disks)
    return NewArray(id=array_id, plan=plan, made=made, members=members, roles=tuple(roles))


def _beside(spec: ArrayCreate) -> str:
    """The disks that are no data disks, in words that follow the data disks."""
    spares = f" and {counted(len(spec.spares), 'spare')}" if spec.spares else ""
    others = [
        counted(len(ids), f"{role.value} disk")
        for role, ids in spec.by_role().items()
        if ids and role not in (MemberRole.DATA, MemberRole.SPARE)
    ]
    return spares + (f" with {', '.join(others)}" if others else "")


def wiping(disks: Sequence[ObservedDisk], wipe: frozenset[str]) -> tuple[tuple[DiskWipe, ...], list[Change]]:
    """The wipes of those disks that may be wiped and need it, and what is lost by them."""
    used = [disk for disk in disks if disk.id in wipe and disk.occupations()]
    steps = tuple(
        DiskWipe(disk_id=disk.id, serial=disk.serial, size_bytes=disk.size_bytes, signatures=disk.signatures)
        for disk in used
    )
    lost = [
        Change(
            action=Action.DESTROY,
            noun="disk",
            name=disk.id,
            detail=f"{'; '.join(disk.occupations())}: all data is lost",
        )
        for disk in used
    ]
    return steps, lost


def _warnings(level: Level, made: Blueprint, disks: list[ObservedDisk]) -> list[str]:
    found = []
    smallest, largest = min(d.size_bytes for d in disks), max(d.size_bytes for d in disks)
    if largest - smallest > largest // 100 and level is not Level.STRIPE:
        waste = sum(disk.size_bytes - smallest for disk in disks)
        found.append(f"The disks differ in size: {format_size(waste)} of the larger disks remains unused.")
    if level is Level.EXTERNAL:
        found.append(
            "Lunette does not know the redundancy of the device: the controller or engine that presents it provides it."
        )
    if len({disk.rotational for disk in disks}) > 1:
        found.append("Rotating and solid-state disks are mixed: the array is as slow as its slowest disk.")
    if level in (Level.RAID0, Level.STRIPE):
        found.append(f"{level.value} has no redundancy: losing any disk loses every volume on the array.")
    if made.layout and copies_of(made.layout).is_far:
        found.append(
            f"A far layout ({made.layout.value}) can never be grown by adding disks: the kernel does not reshape it."
        )
    if level is Level.RAID4:
        found.append("All parity is on one disk, which every write waits for: raid5 distributes it over all disks.")
    if level in (Level.RAID4, Level.RAID5, Level.RAID6) and made.write_hole is not WriteHole.PPL:
        found.append(
            "The write hole is open: a power failure while the array is degraded can damage blocks that were not "
            "being written."
        )
    if isinstance(made.create, MdCreate) and level is Level.RAID5 and (names := cached(disks)):
        found.append(
            f"Volatile write cache is active on {shorten(names)}: raid5 cannot use a partial parity log with it, and "
            "only this log closes the write hole."
        )
    return found


def plan_delete(array: KnownArray, seen: Observation, deleted: Sequence[KnownDeleted] = ()) -> Plan:
    """Erases deleted volumes, removes what volumes were cut from, then the array. Raises InUse, naming the volumes,
    while it has any."""
    if array.volumes:
        findings = Findings()
        message = f"it contains {counted(len(array.volumes), 'volume')} ({shorten(array.volumes)}); delete them first"
        findings.add(InUse, "array", array.name, message)
        findings.refuse(f"Array {array.name} was not deleted")
    observed = next((a for a in seen.arrays if a.uuid == array.uuid), None)
    warnings: tuple[str, ...] = ()
    if observed is None or observed.state is ArrayState.MISSING:
        warnings = ("The array is not assembled: disks that are currently missing retain their old labels.",)
    elif observed.locked:
        warnings = ("The array is locked: its content cannot be inspected before its keys are erased.",)
    kept = [kept_volume(one.array_engine, one.id, one.size_bytes, one.snapshots) for one in deleted]
    planning = ARRAY_ENGINES[array.engine]
    steps = planning.destroy_steps(array.id, array.uuid, array.size_bytes, array.members, kept)
    steps = recorded.of_array(steps, array.group, array.md_name)
    if array.encryption:
        steps = tuple(encrypted.destroying(steps, array.id, array.uuid))
    detail = (
        "its disk becomes available" if len(array.members) == 1 else f"its {len(array.members)} disks become available"
    )
    return Plan(
        title=f"Delete array {array.name}",
        changes=(
            *map(erased, deleted),
            Change(action=Action.DESTROY, noun="array", name=array.name, detail=detail),
        ),
        steps=steps,
        warnings=warnings,
    )
