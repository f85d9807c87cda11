"""Plans for volumes: what fits, under which name, cut from which group."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lunette.domain.arrays import ArrayEngine
from lunette.domain.errors import Conflict, InUse, Invalid, NoSpace
from lunette.domain.identity import IdentitySource, VolumeIdentity
from lunette.domain.jobs import ResourceState
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Change, Plan
from lunette.domain.sizes import format_size
from lunette.domain.steps import AnyStep
from lunette.domain.volumes import Provisioning, VolumeCreate, VolumeEngine, VolumePatch
from lunette.planner.arrays import KnownArray
from lunette.planner.engines import ARRAY_ENGINES, capabilities, missing_reason, volume_planning
from lunette.planner.findings import Findings, at, shorten
from lunette.planner.names import check_name

LISTED = 32
"""A plan names this many new volumes one by one, the rest as a count."""


@dataclass(frozen=True)
class NewVolume:
    id: str
    array_id: str
    wish: VolumeCreate
    lv_name: str
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
    """Names of the hosts and groups it is mapped to."""


@dataclass(frozen=True)
class VolumeFacts:
    """`arrays` by the reference the wish used; `promised` are bytes per array id that are ours and not yet cut."""

    arrays: Mapping[str, KnownArray]
    taken_names: frozenset[str]
    promised: Mapping[str, int]


def plan_create(
    wishes: Sequence[VolumeCreate], seen: Observation, facts: VolumeFacts, identities: IdentitySource
) -> NewVolumes:
    """Chooses everything for new volumes, all or nothing. Raises Invalid, Conflict or NoSpace naming each field."""
    findings = Findings()
    _check_names(findings, wishes, facts)
    for index, wish in enumerate(wishes):
        _check_one(findings, index, len(wishes), wish, facts, seen)
    if not findings:
        _check_space(findings, wishes, seen, facts)
    title = wishes[0].name if len(wishes) == 1 else f"{len(wishes)} volumes"
    findings.refuse(f"Volume {title} was not created" if len(wishes) == 1 else f"No volume of {title} was created")
    volumes = tuple(_choose(wish, facts, identities) for wish in wishes)
    return NewVolumes(plan=_plan(title, volumes, facts), volumes=volumes)


def _check_names(findings: Findings, wishes: Sequence[VolumeCreate], facts: VolumeFacts) -> None:
    uses = Counter(wish.name for wish in wishes)
    for index, wish in enumerate(wishes):
        field = at("volumes", index, len(wishes), "name")
        check_name(findings, "volume", wish.name, wish.name in facts.taken_names, field)
        if uses[wish.name] > 1:
            findings.add(Invalid, field, wish.name, f"the name {wish.name} is asked for {uses[wish.name]} times")


def _check_one(
    findings: Findings, index: int, count: int, wish: VolumeCreate, facts: VolumeFacts, seen: Observation
) -> None:
    array = facts.arrays.get(wish.array)
    field = at("volumes", index, count, "array")
    if array is None:
        message = f"there is no array {wish.array}; take a name or id from the list of arrays"
        findings.add(Invalid, field, wish.array, message)
    elif array.state != ResourceState.READY:
        findings.add(Conflict, field, wish.array, f"array {array.name} is {array.state}; wait until it is ready")
    elif not any(pool.group == array.group for pool in seen.pools):
        message = f"array {array.name} is not active now, so nothing can be cut from it; look at its state first"
        findings.add(Conflict, field, wish.array, message)
    if array is not None:
        problem = volume_planning(array.engine).size_problem(wish.size_bytes)
        if problem:
            findings.add(Invalid, at("volumes", index, count, "size_bytes"), problem.value, problem.message)
        reason = _hindrance(wish.provisioning, ARRAY_ENGINES[array.engine].volumes, seen)
        if reason:
            findings.add(Invalid, at("volumes", index, count, "provisioning"), wish.provisioning.value, reason)


def _hindrance(provisioning: Provisioning, engine: VolumeEngine, seen: Observation) -> str | None:
    """Why this engine cannot cut such a volume here; None if it can."""
    known = capabilities(seen, "volume").get(engine.value)
    if provisioning is Provisioning.THIN and not (known and known.can_thin):
        return f"thin provisioning is not offered by volume engine {engine.value}; take thick"
    return missing_reason(seen, "volume", engine.value)


def _check_space(findings: Findings, wishes: Sequence[VolumeCreate], seen: Observation, facts: VolumeFacts) -> None:
    """Names the first wish that does not fit any more, per array, and how many would."""
    left = {array.id: free_bytes(array, seen, facts.promised.get(array.id, 0)) for array in facts.arrays.values()}
    at_first = dict(left)
    full: set[str] = set()
    for index, wish in enumerate(wishes):
        array = facts.arrays[wish.array]
        if array.id in full:
            continue
        is_thin = wish.provisioning is Provisioning.THIN
        taken = 0 if is_thin else volume_planning(array.engine).reserved_bytes(wish.size_bytes)
        if taken > left[array.id]:
            full.add(array.id)
            asked = sum(w.size_bytes for w in wishes if facts.arrays[w.array].id == array.id)
            message = (
                f"volume {wish.name} of {format_size(wish.size_bytes)} does not fit: array {array.name} has "
                f"{format_size(at_first[array.id])} free and {format_size(asked)} are asked for in all; "
                "ask for less, or free space"
            )
            findings.add(NoSpace, at("volumes", index, len(wishes), "size_bytes"), wish.size_bytes, message)
        else:
            left[array.id] -= taken


def free_bytes(array: KnownArray, seen: Observation, promised: int) -> int:
    """What can still be cut from an array: whole free extents less what is promised to volumes not yet cut."""
    pool = next((pool for pool in seen.pools if pool.group == array.group), None)
    if pool is None:
        return 0
    return max(0, pool.free_bytes // pool.extent_bytes * pool.extent_bytes - promised)


def _choose(wish: VolumeCreate, facts: VolumeFacts, identities: IdentitySource) -> NewVolume:
    volume_id, array = identities.id(), facts.arrays[wish.array]
    return NewVolume(
        id=volume_id,
        array_id=array.id,
        wish=wish,
        lv_name=volume_planning(array.engine).lv_name(volume_id),
        identity=identities.volume(),
    )


def _plan(title: str, volumes: Sequence[NewVolume], facts: VolumeFacts) -> Plan:
    """Every cut comes before the first seal: until then all of them can be taken back."""
    arrays = {array.id: array for array in facts.arrays.values()}
    cuts: list[AnyStep] = []
    seals: list[AnyStep] = []
    for array_id in dict.fromkeys(volume.array_id for volume in volumes):
        for kind in Provisioning:
            chosen = [v for v in volumes if v.array_id == array_id and v.wish.provisioning is kind]
            if chosen:
                array, sizes = arrays[array_id], [(v.id, v.wish.size_bytes) for v in chosen]
                *first, last = volume_planning(array.engine).create_steps(array.group, sizes, kind)
                cuts += first
                seals.append(last)
    changes = [
        Change(
            action=Action.CREATE, noun="volume", name=v.wish.name,
            detail=f"{format_size(v.wish.size_bytes)} {v.wish.provisioning.value} on {arrays[v.array_id].name}",
        )
        for v in volumes[:LISTED]
    ]  # fmt: skip
    if len(volumes) > LISTED:
        rest = len(volumes) - LISTED
        changes.append(
            Change(action=Action.CREATE, noun="volume", name=volumes[-1].wish.name, detail=f"and {rest - 1} before it")
        )
    return Plan(title=f"Create {'volume ' if len(volumes) == 1 else ''}{title}", changes=tuple(changes),
                steps=(*cuts, *seals))  # fmt: skip


def plan_patch(volume: KnownVolume, patch: VolumePatch, name_taken: bool) -> Plan:
    """Renames or describes; touches neither data nor identity. An unchanged volume gives an empty plan."""
    findings = Findings()
    changes = []
    if patch.name is not None and patch.name != volume.name:
        check_name(findings, "volume", patch.name, name_taken)
        changes.append(_change(volume, f"name becomes {patch.name}; hosts see no difference"))
    if patch.description is not None and patch.description != volume.description:
        changes.append(_change(volume, "new description"))
    findings.refuse(f"Volume {volume.name} was not changed")
    return Plan(title=f"Change volume {volume.name}", changes=tuple(changes), steps=())


def _change(volume: KnownVolume, detail: str) -> Change:
    return Change(action=Action.CHANGE, noun="volume", name=volume.name, detail=detail)


def plan_delete(volume: KnownVolume) -> Plan:
    """Waits until the exports are gone, then removes the volume. Raises InUse, naming the hosts, while it is mapped."""
    if volume.mapped_to:
        findings = Findings()
        message = f"it is mapped to {shorten(volume.mapped_to)}; delete these mappings first"
        findings.add(InUse, "volume", volume.name, message)
        findings.refuse(f"Volume {volume.name} was not deleted")
    detail = f"{format_size(volume.size_bytes)} of data are lost"
    return Plan(
        title=f"Delete volume {volume.name}",
        changes=(Change(action=Action.DESTROY, noun="volume", name=volume.name, detail=detail),),
        steps=volume_planning(volume.array_engine).delete_steps(volume.group, volume.id, volume.size_bytes),
    )
