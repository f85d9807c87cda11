"""Plans for creating and deleting arrays."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lunette.domain.arrays import ArrayCreate, ArrayEngine, ArrayState, EngineAbility, Level, MemberRole, WriteHole
from lunette.domain.disks import ObservedDisk, cached
from lunette.domain.errors import Conflict, InUse, Invalid
from lunette.domain.identity import IdentitySource
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Leaving, Plan, PlannedChange
from lunette.domain.sizes import format_size
from lunette.domain.steps import AnyStep, ExportsGone, MemberDisk
from lunette.domain.units import counted
from lunette.planner.arrays import encrypted, proportions
from lunette.planner.checks.ailing import ailing
from lunette.planner.checks.findings import Findings, shorten
from lunette.planner.checks.names import check_name
from lunette.planner.checks.taking import take_disks, wiping
from lunette.planner.engines import recorded
from lunette.planner.engines.array_engines import ARRAY_ENGINES
from lunette.planner.engines.known_array import KnownArray
from lunette.planner.engines.planning import Blueprint
from lunette.planner.engines.volume_engines import (
    capabilities,
    capacity,
    level_problem,
    missing_reason,
    recorded_roles,
    role_problems,
)
from lunette.planner.volumes.creation import KnownVolume
from lunette.planner.volumes.deleted_volumes import KnownDeleted, erased
from lunette.planner.volumes.retained import (
    DEADLINE_S,
    RetainedSnapshot,
    kept_volume,
    set_aside_steps,
    set_snapshot_aside_step,
)
from lunette.providers.arrays.md.raid10 import copies_of


@dataclass(frozen=True)
class NewArray:
    """The choices for one array. The steps of `made` are also in `plan`; they are separate for the row of the array."""

    id: str
    plan: Plan
    made: Blueprint
    members: tuple[MemberDisk, ...]
    roles: tuple[MemberRole, ...]
    """Bytes used on each member."""


def plan_create(
    spec: ArrayCreate, seen: Observation, name_taken: bool, disk_owners: Mapping[str, str], identities: IdentitySource
) -> NewArray:
    """Chooses everything for a new array. `disk_owners` gives, by disk ID, the array of the database that has it.

    Raises Invalid, Conflict or InUse naming each disk and field that prevents it.
    """
    findings = Findings()
    check_name(findings, "array", spec.name, name_taken)
    reason = engine_reason(spec.engine, seen)
    if reason:
        findings.add(Invalid, "engine", spec.engine.value, reason)
    elif problem := encrypted.problem(spec, seen):
        findings.add_problem(Invalid, problem)
    fields = {f"{role.field}[{i}]": disk for role, ids in spec.by_role().items() for i, disk in enumerate(ids)}
    disks, wipe = take_disks(
        findings,
        fields,
        spec.wipe,
        seen,
        disk_owners,
        any_disk=ARRAY_ENGINES[spec.engine].takes_unidentified_disks,
    )
    whole = [disk for disk in disks if disk]
    if len(whole) == len(fields):
        _check_together(findings, spec, whole, seen)
    findings.refuse(f"Array {spec.name} was not created")
    return _choose(spec, whole, wipe, identities)


def engine_reason(engine: ArrayEngine, seen: Observation) -> str | None:
    """Why arrays of this engine cannot be created here: what is missing for them, or for volumes on them."""
    volumes = ARRAY_ENGINES[engine].volumes.value
    return missing_reason(seen, "array", engine.value) or missing_reason(seen, "volume", volumes)


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
    auxiliary = _auxiliary(spec)
    layout = f" ({made.layout.value})" if made.layout else ""
    count = counted(len(spec.disks), "disk")
    usable = capacity(spec.engine, made.size_bytes, spec.encryption)
    hidden = ", encrypted" if made.crypt else ", with checksums" if spec.integrity else ""
    detail = f"{spec.level.value}{layout} of {count}{auxiliary}{hidden}, {format_size(usable)} usable"
    plan = Plan(
        title=f"Create array {spec.name}",
        changes=(*lost, PlannedChange(action=Action.CREATE, noun="array", name=spec.name, detail=detail)),
        steps=(*wipes, *made.steps),
        warnings=(
            *_warnings(spec, made, disks[: len(spec.disks) + len(spec.spares)]),
            *proportions.warnings(spec.level, disks[: len(spec.disks)]),
            *made.warnings,
            *ailing(disks),
        ),
    )
    kept = recorded_roles(spec)
    roles = [role if role in kept else MemberRole.DATA for role, ids in spec.by_role().items() for _ in ids]
    members = tuple(MemberDisk(disk_id=disk.id, serial=disk.serial) for disk in disks)
    return NewArray(id=array_id, plan=plan, made=made, members=members, roles=tuple(roles))


def _auxiliary(spec: ArrayCreate) -> str:
    """The disks that are not data disks, in words that follow the data disks."""
    spares = f" and {counted(len(spec.spares), 'spare')}" if spec.spares else ""
    others = [
        counted(len(ids), f"{role.value} disk")
        for role, ids in spec.by_role().items()
        if ids and role not in (MemberRole.DATA, MemberRole.SPARE)
    ]
    return spares + (f" with {', '.join(others)}" if others else "")


def _warnings(spec: ArrayCreate, made: Blueprint, disks: list[ObservedDisk]) -> list[str]:
    found, level = [], spec.level
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
    has_log = ARRAY_ENGINES[spec.engine].has_parity_log and level is Level.RAID5
    if has_log and (names := cached(disks)):
        found.append(
            f"Volatile write cache is active on {shorten(names)}: raid5 cannot use a partial parity log with it, and "
            "only this log closes the write hole."
        )
    return found


@dataclass(frozen=True)
class VolumeToErase:
    """A volume that is erased with its array, and its snapshots."""

    volume: KnownVolume
    snapshots: tuple[RetainedSnapshot, ...] = ()

    @property
    def everything_below(self) -> tuple[RetainedSnapshot, ...]:
        """Its snapshots and its deleted snapshots."""
        return *self.snapshots, *self.volume.deleted_snapshots


def plan_delete(
    array: KnownArray,
    seen: Observation,
    deleted: Sequence[KnownDeleted] = (),
    volumes: Sequence[VolumeToErase] = (),
) -> Plan:
    """Erases deleted volumes, removes the volume group, then the array. `volumes` are erased with it: until the array
    itself is destroyed, they are only set aside.

    Raises InUse, naming the volumes, while it has others, and Conflict while volumes cannot be set aside.
    """
    findings = Findings()
    if array.volumes:
        names = shorten([one.name for one in array.volumes])
        message = f"it contains {counted(len(array.volumes), 'volume')} ({names}); delete them first"
        findings.add(InUse, "array", array.name, message, array.volumes)
    if volumes and not any(pool.group == array.group for pool in seen.groups):
        findings.add(Conflict, "array", array.name, "it is not active, so its volumes cannot be deleted with it")
    findings.refuse(f"Array {array.name} was not deleted")
    observed = next((a for a in seen.arrays if a.uuid == array.uuid), None)
    warnings: tuple[str, ...] = ()
    if observed is None or observed.state is ArrayState.MISSING:
        warnings = ("The array is not assembled: disks that are currently missing retain their old labels.",)
    elif observed.locked:
        warnings = ("The array is locked: its content cannot be inspected before its keys are erased.",)
    kept = [kept_volume(one.array_engine, one.id, one.size_bytes, one.snapshots) for one in deleted]
    kept += [kept_volume(array.engine, one.volume.id, one.volume.size_bytes, one.everything_below) for one in volumes]
    planning = ARRAY_ENGINES[array.engine]
    steps = planning.destroy_steps(array.id, array.uuid, array.size_bytes, array.members, kept)
    steps = recorded.of_array(steps, array.group, array.engine_name)
    if array.encryption:
        steps = tuple(encrypted.destroying(steps, array.id, array.uuid))
    detail = (
        "its disk becomes available" if len(array.members) == 1 else f"its {len(array.members)} disks become available"
    )
    return Plan(
        title=f"Delete array {array.name}",
        changes=(
            *map(erased, deleted),
            *(change for one in volumes for change in _lost_with_array(one)),
            PlannedChange(action=Action.DESTROY, noun="array", name=array.name, detail=detail),
        ),
        steps=(*_setting_aside(volumes), *steps),
        warnings=warnings,
        leaving=tuple(Leaving(volume_id=one.volume.id, name=one.volume.name) for one in volumes),
    )


def _lost_with_array(one: VolumeToErase) -> Iterator[PlannedChange]:
    for snapshot in one.everything_below:
        detail = f"of volume {one.volume.name}; its data are lost"
        yield PlannedChange(action=Action.DESTROY, noun="snapshot", name=snapshot.name, detail=detail)
    detail = f"{format_size(one.volume.size_bytes)} of data are lost"
    yield PlannedChange(action=Action.DESTROY, noun="volume", name=one.volume.name, detail=detail)


def _setting_aside(volumes: Sequence[VolumeToErase]) -> Iterator[AnyStep]:
    """Moves volumes and snapshots where a deleted one is, from where they are erased with the array."""
    if volumes:
        yield ExportsGone(volume_ids=tuple(one.volume.id for one in volumes), deadline_s=DEADLINE_S)
    for one in volumes:
        volume = one.volume
        engine, group = volume.array_engine, volume.group
        for snapshot in one.snapshots:
            yield set_snapshot_aside_step(engine, group, volume.id, snapshot.id, keep_hours=0)
        steps = set_aside_steps(engine, group, volume.id, volume.size_bytes, held_bytes=0, keep_hours=0)
        alone = [step for step in steps if not isinstance(step, ExportsGone)]
        yield from recorded.of_volume(alone, volume.backing_name)
