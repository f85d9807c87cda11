"""Plans for deleted volumes: recovery under a free name, or erasure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from lunette.domain.arrays import ArrayEngine
from lunette.domain.errors import Conflict
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.domain.sizes import format_size
from lunette.domain.steps import AnyStep, ExportsGone
from lunette.planner.checks.batch import Chosen, check_each, titled
from lunette.planner.checks.findings import Findings, shorten
from lunette.planner.checks.names import check_name
from lunette.planner.engines import recorded
from lunette.planner.engines.volume_engines import thin_pooling
from lunette.planner.volumes.retained import DEADLINE_S, RetainedSnapshot, bring_back_step, erase_steps


@dataclass(frozen=True)
class KnownDeleted:
    """A deleted volume of the database, as far as plans need it."""

    id: str
    name: str
    array: str
    array_engine: ArrayEngine
    group: str
    size_bytes: int
    held_bytes: int
    """Space that it uses on its array."""
    backing_name: str = ""
    """Its previous name in the engine; empty if derived from its ID."""
    snapshots: tuple[RetainedSnapshot, ...] = ()
    """Snapshots that were deleted before it: they are recovered with it, as deleted ones, or erased with it."""


@dataclass(frozen=True)
class VolumeRecovery:
    """A deleted volume, and the name under which it is recovered. `taken` is why it cannot have that name now."""

    volume: KnownDeleted
    new_name: str
    taken: str | None = None

    @property
    def id(self) -> str:
        return self.volume.id

    @property
    def name(self) -> str:
        return self.volume.name


def plan_recover(to: VolumeRecovery, seen: Observation) -> Plan:
    """Recovers it with its identity, mapped to no host. Raises Conflict if the name is taken or the array is down."""
    findings = Findings()
    _check_recovery(findings, to, seen, "volume", "name")
    findings.refuse(f"Volume {to.name} was not recovered")
    return _recovery([to])


def plan_recover_batch(chosen: Sequence[Chosen[VolumeRecovery]], seen: Observation) -> Plan:
    """Recovers volumes, all or none. Raises Conflict or Invalid naming each that prevents it."""

    def check(own: Findings, to: VolumeRecovery, where: str) -> None:
        _check_recovery(own, to, seen, where, f"{where}.name")

    refusal = ("No volume was recovered", "Volume {} was not recovered")
    return _recovery(check_each("deleted_volume", chosen, refusal, check))


def _check_recovery(findings: Findings, to: VolumeRecovery, seen: Observation, where: str, name_field: str) -> None:
    if to.taken:
        message = f"{to.taken}; recover this one under a new name"
        findings.add(Conflict, name_field, to.new_name, message)
    else:
        check_name(findings, "volume", to.new_name, taken=False, field=name_field)
    _must_be_active(findings, to.volume, seen, where)


def _recovery(found: Sequence[VolumeRecovery]) -> Plan:
    changes, steps = list[PlannedChange](), list[AnyStep]()
    for one in found:
        volume = one.volume
        detail = f"{format_size(volume.size_bytes)} on {volume.array}, with its data and identifiers, not mapped"
        changes.append(PlannedChange(action=Action.CREATE, noun="volume", name=one.new_name, detail=detail))
        step = bring_back_step(volume.array_engine, volume.group, volume.id, volume.size_bytes)
        steps += recorded.of_volume([step], volume.backing_name)
    renamed = f" as {found[0].new_name}" if found[0].new_name != found[0].name else ""
    title = titled("Recover {} volumes", f"Recover volume {{}}{renamed}", found)
    return Plan(title=title, changes=tuple(changes), steps=tuple(steps))


def plan_erase(volume: KnownDeleted, seen: Observation, *, last_thin: bool) -> Plan:
    """Erases its data; with the last thin volume of an array also its thin pool. Raises Conflict."""
    findings = Findings()
    _must_be_active(findings, volume, seen, "volume")
    findings.refuse(f"Deleted volume {volume.name} was not erased")
    return _erasure([volume], {volume.group} if last_thin else set())


def plan_erase_batch(chosen: Sequence[Chosen[KnownDeleted]], seen: Observation, emptied: Collection[str]) -> Plan:
    """Erases volumes, all or none; `emptied` are the groups that have no other thin volume, whose thin pools are
    removed. Raises Conflict or Invalid naming each that prevents it.
    """

    def check(own: Findings, volume: KnownDeleted, where: str) -> None:
        _must_be_active(own, volume, seen, where)

    refusal = ("No deleted volume was erased", "Deleted volume {} was not erased")
    return _erasure(check_each("deleted_volume", chosen, refusal, check), emptied)


def _erasure(volumes: Sequence[KnownDeleted], emptied: Collection[str]) -> Plan:
    steps = [
        step
        for one in volumes
        for step in erase_steps(one.array_engine, one.group, one.id, one.size_bytes, one.snapshots)
        if not isinstance(step, ExportsGone)
    ]
    engines = {one.group: one.array_engine for one in volumes}
    pools = {group: thin_pooling(engines[group]) for group in sorted(emptied)}
    steps += [pooling.pool_remove(group) for group, pooling in pools.items() if pooling]
    waits = ExportsGone(volume_ids=tuple(one.id for one in volumes), deadline_s=DEADLINE_S)
    return Plan(
        title=titled("Erase {} deleted volumes", "Erase deleted volume {}", volumes),
        changes=tuple(erased(one) for one in volumes),
        steps=(waits, *steps),
    )


def erased(volume: KnownDeleted) -> PlannedChange:
    """The data that is lost, in words."""
    detail = f"{format_size(volume.size_bytes)} of data are lost, and {format_size(volume.held_bytes)} are freed"
    if volume.snapshots:
        detail += f"; its deleted snapshots ({shorten([one.name for one in volume.snapshots])}) are also lost"
    return PlannedChange(action=Action.DESTROY, noun="deleted volume", name=volume.name, detail=detail)


def _must_be_active(findings: Findings, volume: KnownDeleted, seen: Observation, where: str) -> None:
    if not any(pool.group == volume.group for pool in seen.groups):
        message = f"array {volume.array} is not active; check its state first"
        findings.add(Conflict, where, volume.name, message)
