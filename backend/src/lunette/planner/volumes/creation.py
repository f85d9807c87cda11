"""Plans for volumes: which fit, their names, and the group they are allocated from."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lunette.domain.arrays import ArrayEngine, EngineAbility
from lunette.domain.errors import Blocker, Conflict, Invalid, NoSpace
from lunette.domain.identity import IdentitySource, VolumeIdentity
from lunette.domain.jobs import ResourceState
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.domain.sizes import format_size
from lunette.domain.steps import AnyStep, ThinPoolCreate, VolumesSeal
from lunette.domain.volumes import Provisioning, VolumeCreate, VolumePatch
from lunette.planner.checks.findings import Findings, at, shorten
from lunette.planner.checks.names import check_name
from lunette.planner.engines import recorded
from lunette.planner.engines.known_array import KnownArray
from lunette.planner.engines.volume_engines import growing, thin_pooling, unable_reason, volume_planning
from lunette.planner.volumes.retained import RetainedSnapshot

LISTED = 32
"""A plan lists this many new volumes one by one, and the rest as a count."""


@dataclass(frozen=True)
class NewVolume:
    id: str
    array_id: str
    spec: VolumeCreate
    backing_name: str
    identity: VolumeIdentity


@dataclass(frozen=True)
class NewVolumes:
    plan: Plan
    volumes: tuple[NewVolume, ...]


@dataclass(frozen=True)
class KnownVolume:
    """A volume of the database, as far as plans need it."""

    id: str
    name: str
    description: str
    array_engine: ArrayEngine
    group: str
    size_bytes: int
    mapped_to: tuple[str, ...] = ()
    """Names of its hosts and groups."""
    provisioning: Provisioning = Provisioning.THICK
    snapshots: tuple[str, ...] = ()
    """Names of its snapshots."""
    deleted_snapshots: tuple[RetainedSnapshot, ...] = ()
    """Its deleted snapshots that can be recovered."""
    backing_name: str = ""
    """Its name in the engine; empty if derived from its ID."""
    blockers: tuple[Blocker, ...] = ()
    """Its hosts, groups and snapshots."""

    @property
    def owners(self) -> tuple[Blocker, ...]:
        """Its hosts and groups."""
        return tuple(one for one in self.blockers if one.noun != "snapshot")


@dataclass(frozen=True)
class VolumeFacts:
    """`arrays` by the reference the spec used; `promised` are bytes per array ID reserved for volumes not created yet.

    `thin_bytes` is the total virtual size of the thin volumes of each array ID.
    """

    arrays: Mapping[str, KnownArray]
    taken_names: frozenset[str]
    promised: Mapping[str, int]
    thin_bytes: Mapping[str, int] = field(default_factory=dict)
    erasable_bytes: Mapping[str, int] = field(default_factory=dict)
    """Space that erasing deleted volumes would free for thick volumes, by array ID."""


def plan_create(
    specs: Sequence[VolumeCreate], seen: Observation, facts: VolumeFacts, identities: IdentitySource
) -> NewVolumes:
    """Chooses everything for new volumes, all or none. Raises Invalid, Conflict or NoSpace naming each field."""
    findings = Findings()
    check_names(findings, [spec.name for spec in specs], facts.taken_names)
    for index, spec in enumerate(specs):
        _check_one(findings, index, len(specs), spec, facts, seen)
    pools: list[ThinPoolCreate] = []
    if not findings:
        _check_space(findings, specs, seen, facts)
        pools = _new_pools(findings, specs, seen, facts, identities)
    title = specs[0].name if len(specs) == 1 else f"{len(specs)} volumes"
    findings.refuse(f"Volume {title} was not created" if len(specs) == 1 else f"No volume of {title} was created")
    volumes = tuple(_choose(spec, facts, identities) for spec in specs)
    plan = _plan(title, volumes, pools, facts)
    return NewVolumes(
        plan=plan.model_copy(update={"warnings": _overcommitted(specs, pools, seen, facts)}), volumes=volumes
    )


def check_names(findings: Findings, names: Sequence[str], taken: frozenset[str]) -> None:
    """Each name of a batch must be free and unique."""
    uses = Counter(names)
    for index, name in enumerate(names):
        where = at("volumes", index, len(names), "name")
        check_name(findings, "volume", name, name in taken, where)
        if uses[name] > 1:
            findings.add(Invalid, where, name, f"the name {name} is used {uses[name]} times")


def _check_one(
    findings: Findings, index: int, count: int, spec: VolumeCreate, facts: VolumeFacts, seen: Observation
) -> None:
    array = facts.arrays.get(spec.array)
    where = at("volumes", index, count, "array")
    if array is None:
        message = f"array {spec.array} was not found; use a name or ID from the list of arrays"
        findings.add(Invalid, where, spec.array, message)
    elif array.state != ResourceState.READY:
        findings.add(Conflict, where, spec.array, f"array {array.name} is {array.state}; wait until it is ready")
    elif not any(pool.group == array.group for pool in seen.groups):
        message = f"array {array.name} is not active, so no volume can be created on it; check its state first"
        findings.add(Conflict, where, spec.array, message)
    if array is not None:
        problem = volume_planning(array.engine).size_problem(spec.size_bytes)
        if problem:
            findings.add(Invalid, at("volumes", index, count, "size_bytes"), problem.value, problem.message)
        is_thin = spec.provisioning is Provisioning.THIN
        reason = unable_reason(seen, array.engine, EngineAbility.THIN if is_thin else None)
        if reason:
            findings.add(Invalid, at("volumes", index, count, "provisioning"), spec.provisioning.value, reason)


def _check_space(findings: Findings, specs: Sequence[VolumeCreate], seen: Observation, facts: VolumeFacts) -> None:
    """Names the first thick spec that does not fit, per array, and how many would."""
    left = {array.id: free_bytes(array, seen, facts.promised.get(array.id, 0)) for array in facts.arrays.values()}
    at_first = dict(left)
    full: set[str] = set()
    for index, spec in enumerate(specs):
        array = facts.arrays[spec.array]
        if array.id in full or spec.provisioning is Provisioning.THIN:
            continue
        taken = volume_planning(array.engine).reserved_bytes(spec.size_bytes)
        if taken > left[array.id]:
            full.add(array.id)
            asked = _asked(specs, facts, array.id, Provisioning.THICK)
            message = (
                f"volume {spec.name} of {format_size(spec.size_bytes)} does not fit: array {array.name} has "
                f"{format_size(at_first[array.id])} free and {format_size(asked)} are requested in total; "
                f"{_how_to_fit(facts.erasable_bytes.get(array.id, 0))}"
            )
            findings.add(NoSpace, at("volumes", index, len(specs), "size_bytes"), spec.size_bytes, message)
        else:
            left[array.id] -= taken


def _how_to_fit(erasable_bytes: int, otherwise: str = "request less") -> str:
    erase = f"; erasing deleted volumes would free {format_size(erasable_bytes)}" if erasable_bytes else ""
    return f"{otherwise}, or free space{erase}"


def _asked(specs: Sequence[VolumeCreate], facts: VolumeFacts, array_id: str, kind: Provisioning) -> int:
    return sum(w.size_bytes for w in specs if facts.arrays[w.array].id == array_id and w.provisioning is kind)


def _to_reserve(specs: Sequence[VolumeCreate], facts: VolumeFacts, array: KnownArray) -> int:
    """The space of the requested thick volumes on the array."""
    sizes = [
        w.size_bytes for w in specs if facts.arrays[w.array].id == array.id and w.provisioning is Provisioning.THICK
    ]
    return sum(map(volume_planning(array.engine).reserved_bytes, sizes))


def _new_pools(
    findings: Findings, specs: Sequence[VolumeCreate], seen: Observation, facts: VolumeFacts, ids: IdentitySource
) -> list[ThinPoolCreate]:
    """Thin pools that are needed and do not exist yet: if the engine has them, the first thin volume creates one."""
    arrays = {facts.arrays[spec.array].id: facts.arrays[spec.array] for spec in specs}
    made = []
    for array in arrays.values():
        thin = _asked(specs, facts, array.id, Provisioning.THIN)
        pool = next(pool for pool in seen.groups if pool.group == array.group)
        pooling = thin_pooling(array.engine)
        if not thin or pooling is None or pool.thin is not None:
            continue
        left = free_bytes(array, seen, facts.promised.get(array.id, 0)) - _to_reserve(specs, facts, array)
        step = pooling.pool_create(ids.id(), pool, left, thin)
        if step is None:
            message = (
                f"array {array.name} has {format_size(max(0, left))} free, not enough for the thin pool that the "
                f"first thin volume needs; {_how_to_fit(facts.erasable_bytes.get(array.id, 0), 'use another array')}"
            )
            findings.add(NoSpace, "provisioning", Provisioning.THIN.value, message)
        else:
            made.append(step)
    return made


def _overcommitted(
    specs: Sequence[VolumeCreate], pools: Sequence[ThinPoolCreate], seen: Observation, facts: VolumeFacts
) -> tuple[str, ...]:
    """A warning for each array whose thin volumes could grow beyond its capacity."""
    found = []
    for array in {facts.arrays[spec.array].id: facts.arrays[spec.array] for spec in specs}.values():
        thin = _asked(specs, facts, array.id, Provisioning.THIN)
        total = facts.thin_bytes.get(array.id, 0) + thin
        metadata = sum(2 * step.metadata_bytes for step in pools if step.group == array.group)
        promised = facts.promised.get(array.id, 0) + _to_reserve(specs, facts, array)
        room = _thin_room(array, seen, promised + metadata)
        if thin and total > room:
            found.append(
                f"The thin volumes of array {array.name} can grow to {format_size(total)} in total, but the array "
                f"has capacity for {format_size(room)}: watch the alerts, and add capacity before it is full."
            )
    return tuple(found)


def _thin_room(array: KnownArray, seen: Observation, promised: int) -> int:
    """The maximum space of thin volumes: what they have (their pool, or else their data), and all free space that is
    not reserved for thick ones.
    """
    pool = next(pool for pool in seen.groups if pool.group == array.group)
    held = sum(volume.used_bytes or 0 for volume in seen.volumes if volume.group == array.group)
    return (pool.thin.size_bytes if pool.thin else held) + pool.free_bytes - promised


def free_bytes(array: KnownArray, seen: Observation, promised: int) -> int:
    """Space that can still be allocated from an array: whole free extents minus what is reserved for volumes not
    created yet.
    """
    pool = next((pool for pool in seen.groups if pool.group == array.group), None)
    if pool is None:
        return 0
    return max(0, pool.free_bytes // pool.extent_bytes * pool.extent_bytes - promised)


def _choose(spec: VolumeCreate, facts: VolumeFacts, identities: IdentitySource) -> NewVolume:
    volume_id, array = identities.id(), facts.arrays[spec.array]
    return NewVolume(
        id=volume_id,
        array_id=array.id,
        spec=spec,
        backing_name=volume_planning(array.engine).backing_name(volume_id),
        identity=identities.volume(),
    )


def _plan(title: str, volumes: Sequence[NewVolume], pools: Sequence[ThinPoolCreate], facts: VolumeFacts) -> Plan:
    """All volumes are created before the first is sealed: until then all of them can be undone."""
    arrays = {array.id: array for array in facts.arrays.values()}
    steps: list[AnyStep] = [*pools]
    seals: list[AnyStep] = []
    for array_id in dict.fromkeys(volume.array_id for volume in volumes):
        array = arrays[array_id]
        cuts = [
            cut
            for kind in Provisioning
            for cut in volume_planning(array.engine).cut_steps(
                array.group,
                [(v.id, v.spec.size_bytes) for v in volumes if (v.array_id, v.spec.provisioning) == (array_id, kind)],
                kind,
            )
        ]
        steps += cuts
        seals.append(VolumesSeal.of(cuts))
    return Plan(
        title=f"Create {'volume ' if len(volumes) == 1 else ''}{title}",
        changes=tuple(created(volumes, {a.id: a.name for a in facts.arrays.values()})),
        steps=(*steps, *seals),
    )


def created(volumes: Sequence[NewVolume], arrays: Mapping[str, str]) -> list[PlannedChange]:
    """New volumes in words; `arrays` are names by ID."""
    changes = [
        PlannedChange(
            action=Action.CREATE,
            noun="volume",
            name=v.spec.name,
            detail=f"{format_size(v.spec.size_bytes)} {v.spec.provisioning.value} on {arrays[v.array_id]}",
        )
        for v in volumes[:LISTED]
    ]
    if len(volumes) > LISTED:
        rest = len(volumes) - LISTED
        changes.append(
            PlannedChange(
                action=Action.CREATE, noun="volume", name=volumes[-1].spec.name, detail=f"and {rest - 1} before it"
            )
        )
    return changes


def plan_patch(volume: KnownVolume, patch: VolumePatch, name_taken: bool) -> Plan:
    """Changes name or description; affects neither data nor identity. An unchanged volume gives an empty plan."""
    findings = Findings()
    changes = []
    if patch.name is not None and patch.name != volume.name:
        check_name(findings, "volume", patch.name, name_taken)
        changes.append(_change(volume, f"name becomes {patch.name}; hosts are not affected"))
    if patch.description is not None and patch.description != volume.description:
        changes.append(_change(volume, "new description"))
    findings.refuse(f"Volume {volume.name} was not changed")
    return Plan(title=f"Change volume {volume.name}", changes=tuple(changes), steps=())


def _change(volume: KnownVolume, detail: str) -> PlannedChange:
    return PlannedChange(action=Action.CHANGE, noun="volume", name=volume.name, detail=detail)


def plan_grow(volume: KnownVolume, size_bytes: int, seen: Observation, promised: int) -> Plan:
    """Grows a volume while it is in use. Its present size gives an empty plan.

    Raises Invalid for a smaller or odd size, Conflict while its array is down, NoSpace. `promised` as in VolumeFacts.
    """
    findings = Findings()
    title = f"Grow volume {volume.name} to {format_size(size_bytes)}"
    if size_bytes == volume.size_bytes:
        return Plan(title=title, changes=(), steps=())
    _check_growth(findings, volume, size_bytes, seen, promised)
    findings.refuse(f"Volume {volume.name} was not grown")
    planning = growing(volume.array_engine)
    step = planning.grow_step(volume.group, volume.id, volume.size_bytes, size_bytes, volume.provisioning)
    more = format_size(size_bytes - volume.size_bytes)
    hosts = f"; {shorten(volume.mapped_to)} see the new size at their next rescan" if volume.mapped_to else ""
    return Plan(
        title=title,
        changes=(_change(volume, f"{more} more: {format_size(size_bytes)}{hosts}"),),
        steps=recorded.of_volume([step], volume.backing_name),
    )


def _check_growth(findings: Findings, volume: KnownVolume, size_bytes: int, seen: Observation, promised: int) -> None:
    odd = volume_planning(volume.array_engine).size_problem(size_bytes)
    unable = unable_reason(seen, volume.array_engine, EngineAbility.GROW)
    pool = next((pool for pool in seen.groups if pool.group == volume.group), None)
    if unable:
        findings.add(Conflict, "volume", volume.name, unable)
    elif size_bytes < volume.size_bytes:
        message = (
            f"a volume cannot be shrunk, and {volume.name} has {format_size(volume.size_bytes)}: data of hosts at "
            "its end would be lost. Create a smaller volume and copy the data on the host"
        )
        findings.add(Invalid, "size_bytes", size_bytes, message)
    elif odd:
        findings.add_problem(Invalid, odd)
    elif pool is None:
        findings.add(Conflict, "volume", volume.name, "its array is not active; check its state first")
    elif volume.provisioning is Provisioning.THICK:
        left = max(0, pool.free_bytes // pool.extent_bytes * pool.extent_bytes - promised)
        reserved = volume_planning(volume.array_engine).reserved_bytes
        if reserved(size_bytes) - reserved(volume.size_bytes) > left:
            message = f"its array has {format_size(left)} free; request less, or free space"
            findings.add(NoSpace, "size_bytes", size_bytes, message)
