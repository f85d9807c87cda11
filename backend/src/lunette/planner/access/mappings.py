"""Plans for mappings: one volume has one owner unless it is shared explicitly, and one LUN, counted from 1."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from lunette.domain.errors import Conflict, Invalid
from lunette.domain.hosts import OsType
from lunette.domain.identity import IdentitySource
from lunette.domain.jobs import ResourceState
from lunette.domain.mappings import Family, MappingCreate
from lunette.domain.plans import Action, Leaving, Plan, PlannedChange, Reuse
from lunette.planner.access.connected import Connected
from lunette.planner.access.numbers import (
    FIRST_LUN,
    LAST_LUN,
    HeldNumbers,
    choose,
    left_out_warning,
    lowest_free,
    number_name,
    others,
)
from lunette.planner.access.sharing import (
    RESERVING,
    SMALL_BLOCK_BYTES,
    SMALL_BLOCKS,
    needs_reservations,
    needs_small_blocks,
    shared_without_reservations,
    twice,
)
from lunette.planner.checks.batch import Chosen, check_each
from lunette.planner.checks.findings import Findings, at

NAMES = {Family.SCSI: "SCSI", Family.NVME: "NVMe"}
LISTED = 1000
"""A plan lists this many mappings one by one, and the rest as a count."""


@dataclass(frozen=True)
class MappableVolume:
    id: str
    name: str
    state: str
    owners: Mapping[str, str]
    """Names of its hosts and groups, by ID."""
    family: Family | None = None
    """Families of its mappings."""
    block_bytes: int | None = None
    """None if it is unknown now, or was not requested: it matters to ESXi."""
    os_types: frozenset[OsType] = frozenset()
    """Operating systems of its hosts."""


@dataclass(frozen=True)
class Owner:
    """A host or a host group. `luns` gives the volume name for each LUN in use."""

    id: str
    name: str
    is_group: bool
    luns: Mapping[int, str]
    iqns: int
    """Number of its iSCSI initiators."""
    nqns: int = 0
    os_types: frozenset[OsType] = frozenset()
    wwpns: int = 0
    beside: Mapping[int, str] = field(default_factory=dict)
    """What its hosts see under other LUNs through the same WWPNs: their own volumes, or their group's."""
    kin: frozenset[str] = frozenset()
    """IDs of a group's hosts, or of a host's group: these hosts also see what is mapped to one of them."""
    held: HeldNumbers = field(default_factory=dict)
    """LUNs under which its hosts may still have devices of unmapped volumes."""

    @property
    def family(self) -> Family:
        """The default family of its mappings."""
        return Family.NVME if self.nqns and not (self.iqns or self.wwpns) else Family.SCSI


@dataclass(frozen=True)
class MappingFacts:
    """By the references in the specs. Hosts and groups are separate, because their namespaces are."""

    volumes: Mapping[str, MappableVolume]
    hosts: Mapping[str, Owner]
    host_groups: Mapping[str, Owner]
    portals: Mapping[Family, int]
    """Number of portals for each family."""


@dataclass(frozen=True)
class NewMapping:
    id: str
    volume: MappableVolume
    owner: Owner
    lun: int
    family: Family
    shared: bool


@dataclass(frozen=True)
class NewMappings:
    plan: Plan
    mappings: tuple[NewMapping, ...]


def plan_create(specs: Sequence[MappingCreate], facts: MappingFacts, identities: IdentitySource) -> NewMappings:
    """Chooses the LUNs of new mappings, all or none. Raises Invalid or Conflict naming each field."""
    findings = Findings()
    found = [_find(findings, index, len(specs), spec, facts) for index, spec in enumerate(specs)]
    families = [
        spec.family or (pair[1].family if pair else Family.SCSI) for spec, pair in zip(specs, found, strict=True)
    ]
    _check_sharing(findings, specs, found)
    _check_blocks(findings, found)
    _check_families(findings, specs, families, found)
    numbers = _number(findings, specs, families, found)
    what = f"{len(specs)} mappings were" if len(specs) != 1 else "The mapping was"
    findings.refuse(f"{what} not created")
    chosen = tuple(
        NewMapping(identities.id(), pair[0], pair[1], numbers[index], families[index], specs[index].shared)
        for index, pair in enumerate(found)
        if pair
    )
    free = [new for new, spec in zip(chosen, specs, strict=True) if spec.lun is None]
    return NewMappings(plan=_plan(chosen, facts, free), mappings=chosen)


Found = tuple[MappableVolume, Owner] | None


def _find(findings: Findings, index: int, count: int, spec: MappingCreate, facts: MappingFacts) -> Found:
    volume = facts.volumes.get(spec.volume)
    field = at("mappings", index, count, "volume")
    if volume is None:
        message = f"volume {spec.volume} was not found; use a name or ID from the list of volumes"
        findings.add(Invalid, field, spec.volume, message)
    elif volume.state != ResourceState.READY:
        message = f"volume {volume.name} is {volume.state}; map it when it is ready"
        findings.add(Conflict, field, spec.volume, message)
    noun, known = ("host", facts.hosts) if spec.host is not None else ("host_group", facts.host_groups)
    reference = spec.host or spec.host_group or ""
    owner = known.get(reference)
    if owner is None:
        words = noun.replace("_", " ")
        message = f"{words} {reference} was not found; use a name or ID from the list of {words}s"
        findings.add(Invalid, at("mappings", index, count, noun), reference, message)
    return (volume, owner) if volume and owner else None


def _check_sharing(findings: Findings, specs: Sequence[MappingCreate], found: Sequence[Found]) -> None:
    """Checks that a volume has one owner unless the spec says shared, and never the same host twice, directly or
    through its group.

    Includes the batch's own specs.
    """
    owners: dict[str, dict[str, str]] = {}
    for index, pair in enumerate(found):
        if pair is None:
            continue
        volume, owner = pair
        field = at("mappings", index, len(specs), "volume")
        present = owners.setdefault(volume.id, dict(volume.owners))
        if owner.id in present:
            message = f"volume {volume.name} is already mapped to {owner.name}"
            findings.add(Conflict, field, volume.name, message)
        elif kin := [present[id_] for id_ in sorted(owner.kin & present.keys())]:
            host, group = (kin[0], owner.name) if owner.is_group else (owner.name, kin[0])
            findings.add(Conflict, field, volume.name, twice(volume.name, host, group))
        elif present and not specs[index].shared:
            message = (
                f"volume {volume.name} is mapped to {', '.join(present.values())}; a second owner corrupts its data "
                "unless both use a cluster file system: set shared: true to allow this"
            )
            findings.add(Conflict, field, volume.name, message)
        present[owner.id] = owner.name


def _check_blocks(findings: Findings, found: Sequence[Found]) -> None:
    """Warns if the block size is unknown."""
    for index, pair in enumerate(found):
        volume, owner = pair or (None, None)
        if volume is None or owner is None or volume.block_bytes is None or not owner.os_types & SMALL_BLOCKS:
            continue
        if volume.block_bytes > SMALL_BLOCK_BYTES:
            words = needs_small_blocks(volume.name, volume.block_bytes, owner.name)
            findings.add(Invalid, at("mappings", index, len(found), "volume"), volume.name, words)


def _check_families(
    findings: Findings, specs: Sequence[MappingCreate], families: Sequence[Family], found: Sequence[Found]
) -> None:
    """Checks that a volume is served over SCSI or NVMe, not both, and that NVMe supports what the owner's cluster
    needs.
    """
    known: dict[str, Family] = {}
    sharing: dict[str, frozenset[OsType]] = {}
    for index, (family, pair) in enumerate(zip(families, found, strict=True)):
        if pair is None:
            continue
        volume, owner = pair
        is_shared = bool(volume.owners) or volume.id in sharing
        sharing[volume.id] = sharing.get(volume.id, volume.os_types) | owner.os_types
        before = known.setdefault(volume.id, volume.family or family)
        if before is not family:
            message = (
                f"volume {volume.name} is mapped over {NAMES[before]}; over {NAMES[family]} too, hosts would treat "
                f"its paths as two disks: map it over {NAMES[before]}, or remove its other mappings first"
            )
            findings.add(Conflict, at("mappings", index, len(families), "family"), family.value, message)
        if family is Family.NVME and specs[index].lun == 0:
            message = "NVMe namespace IDs start at 1"
            findings.add(Invalid, at("mappings", index, len(families), "lun"), 0, message)
        if family is Family.NVME and owner.is_group and (clusters := owner.os_types & RESERVING):
            field = at("mappings", index, len(families), "family")
            findings.add(Invalid, field, family.value, needs_reservations(owner.name, clusters))
        elif family is Family.NVME and is_shared and (clusters := sharing[volume.id] & RESERVING):
            field = at("mappings", index, len(families), "family")
            findings.add(Invalid, field, family.value, shared_without_reservations(volume.name, clusters))


def _number(
    findings: Findings, specs: Sequence[MappingCreate], families: Sequence[Family], found: Sequence[Found]
) -> dict[int, int]:
    """Requested LUNs are assigned first, so that a free choice in the same batch never takes one of them."""
    used: dict[str, dict[int, str]] = {pair[1].id: {**pair[1].beside, **pair[1].luns} for pair in found if pair}
    numbers: dict[int, int] = {}
    free_choice = [index for index, pair in enumerate(found) if pair and specs[index].lun is None]
    for index, pair in enumerate(found):
        lun = specs[index].lun
        if pair is None or lun is None:
            continue
        volume, owner = pair
        taken = used[owner.id]
        if lun in taken:
            hint = lowest_free(taken, owner.held)
            message = f"LUN {lun} of {owner.name} is used by volume {taken[lun]}"
            message += f"; {hint} is free" if hint is not None else ""
            findings.add(Conflict, at("mappings", index, len(specs), "lun"), lun, message)
        taken.setdefault(lun, volume.name)
        numbers[index] = lun
    for index in free_choice:
        pair = found[index]
        if pair is None:
            continue
        volume, owner = pair
        lun = choose(used[owner.id], owner.held, volume.id, families[index])
        if lun is None:
            message = f"{owner.name} has no free LUN from {FIRST_LUN} to {LAST_LUN}"
            if owner.held:
                message += (
                    f"; {len(owner.held)} are reserved, and `lun` can specify one of these if its hosts no longer "
                    "have a device for it"
                )
            findings.add(Conflict, at("mappings", index, len(specs), "lun"), None, message)
            continue
        used[owner.id][lun] = volume.name
        numbers[index] = lun
    return numbers


def _plan(chosen: Sequence[NewMapping], facts: MappingFacts, free: Sequence[NewMapping]) -> Plan:
    """`free` are mappings without a requested LUN."""
    changes = [
        PlannedChange(action=Action.CREATE, noun="mapping", name=new.volume.name, detail=_place(new))
        for new in chosen[:LISTED]
    ]
    if len(chosen) > LISTED:
        last = chosen[-1]
        detail = f"{_place(last)}, and {len(chosen) - LISTED - 1} before it"
        changes.append(PlannedChange(action=Action.CREATE, noun="mapping", name=last.volume.name, detail=detail))
    title = f"Map {len(chosen)} volumes" if len(chosen) != 1 else f"Map volume {chosen[0].volume.name}"
    targets = {(new.owner.id, new.family): new for new in chosen}.values()
    warnings = [line for new in targets for line in _target_warnings(new)]
    warnings += [
        f"Volume {new.volume.name} will have several owners: without a cluster file system its data will be corrupted."
        for new in chosen
        if new.shared and new.volume.owners
    ]
    warnings += [
        f"The block size of volume {new.volume.name} is currently unknown; ESXi on {new.owner.name} cannot use the "
        f"volume if the block size exceeds {SMALL_BLOCK_BYTES} bytes."
        for new in chosen
        if new.volume.block_bytes is None and new.owner.os_types & SMALL_BLOCKS
    ]
    warnings += [
        f"No portal for {NAMES[family]} exists yet, so no host can reach the volumes."
        for family in sorted({new.family for new in chosen if new.owner.iqns or not new.owner.wwpns})
        if not facts.portals.get(family)
    ]
    warnings += _left_out(free)
    plan = Plan(title=title, changes=tuple(changes), steps=(), warnings=tuple(warnings))
    return plan.reusing(tuple(_reused(chosen)))


def _reused(chosen: Sequence[NewMapping]) -> Iterator[Reuse]:
    for new in chosen:
        for one in others(new.owner.held, new.lun, new.volume.id, new.family):
            number = number_name(new.family, new.lun)
            yield Reuse(number=number, owner=new.owner.name, volume=new.volume.name, former=one.volume)


def _left_out(free: Sequence[NewMapping]) -> Iterator[str]:
    """A line for each owner whose lower LUNs are reserved."""
    for (_, family), new in {(new.owner.id, new.family): new for new in free}.items():
        given = {one.lun for one in free if one.owner.id == new.owner.id}
        lower = [lun for lun in sorted(new.owner.held) if FIRST_LUN <= lun < max(given) and lun not in given]
        left_out = {lun: formers for lun in lower if (formers := others(new.owner.held, lun, "", family))}
        if left_out:
            yield left_out_warning(new.owner.name, family, left_out)


def _place(new: NewMapping) -> str:
    return f"{number_name(new.family, new.lun)} of {new.owner.name}"


def _target_warnings(new: NewMapping) -> Iterator[str]:
    owner = new.owner
    if new.family is Family.SCSI and owner.iqns == owner.wwpns == 0:
        yield f"{owner.name} has no iSCSI initiator and no WWPN yet, so it cannot log in."
    if new.family is Family.NVME and owner.nqns == 0:
        yield f"{owner.name} has no NQN yet, so it cannot connect."
    if new.family is Family.NVME and owner.is_group:
        yield (
            f"The appliance does not support reservations over NVMe: {owner.name} must fence its hosts by other means."
        )


def plan_delete(volume: Leaving, owner: str, lun: int, family: Family, connected: Connected, held_hours: int) -> Plan:
    """Unmaps a volume. `connected` are the owner's hosts logged in now.

    `held_hours`: how long other volumes do not get the LUN.
    """
    detail = f"{owner} loses {number_name(family, lun)}, which stays reserved for {held_hours} hours"
    changes = [PlannedChange(action=Action.DESTROY, noun="mapping", name=volume.name, detail=detail)]
    changes += [
        PlannedChange(
            action=Action.INTERRUPT, noun="host", name=host, detail=f"loses volume {volume.name} while logged in"
        )
        for host in connected.hosts
    ]
    return Plan(
        title=f"Unmap volume {volume.name} from {owner}",
        changes=tuple(changes),
        steps=(),
        hosts_interrupted=connected.hosts,
        warnings=connected.warnings(),
        leaving=(volume,),
    )


@dataclass(frozen=True)
class KnownMapping:
    """A mapping of the database, as far as a batch names it."""

    id: str
    volume: str
    owner: str

    @property
    def name(self) -> str:
        return f"of volume {self.volume} to {self.owner}"


def check_delete(chosen: Sequence[Chosen[KnownMapping]]) -> None:
    """Raises Conflict or Invalid naming each mapping that cannot be removed now."""
    check_each("mapping", chosen, ("No volume was unmapped", "Mapping {} was not deleted"))


def merged(plans: Sequence[Plan]) -> Plan:
    """Several mappings removed in one plan; the lines after the first are counted."""
    if len(plans) == 1:
        return plans[0]
    changes = [change for plan in plans for change in plan.changes]
    gone = [change for change in changes if change.action is Action.DESTROY]
    rest = [change for change in changes if change.action is not Action.DESTROY]
    if len(gone) > LISTED:
        last = gone[-1]
        detail = f"{last.detail}, and {len(gone) - LISTED - 1} before it"
        gone = [*gone[:LISTED], last.model_copy(update={"detail": detail})]
    return Plan(
        title=f"Unmap {len(plans)} volumes",
        changes=(*gone, *rest),
        steps=(),
        hosts_interrupted=tuple(sorted({host for plan in plans for host in plan.hosts_interrupted})),
        warnings=tuple(dict.fromkeys(line for plan in plans for line in plan.warnings)),
        leaving=tuple(dict.fromkeys(volume for plan in plans for volume in plan.leaving)),
    )
