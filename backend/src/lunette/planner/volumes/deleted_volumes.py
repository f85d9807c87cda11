"""Plans for deleted volumes: recovery under a free name, or erasure."""

from dataclasses import dataclass

from lunette.domain.arrays import ArrayEngine
from lunette.domain.errors import Conflict
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.domain.sizes import format_size
from lunette.planner.checks.findings import Findings, shorten
from lunette.planner.checks.names import check_name
from lunette.planner.engines import recorded
from lunette.planner.engines.volume_engines import thin_pooling
from lunette.planner.volumes.retained import RetainedSnapshot, bring_back_step, erase_steps


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


def plan_recover(volume: KnownDeleted, name: str, name_taken: bool, seen: Observation) -> Plan:
    """Recovers it with its identity, mapped to no host. Raises Conflict if the name is taken or the array is down."""
    findings = Findings()
    if name_taken:
        message = f"another volume is now named {name}; recover this one under a new name"
        findings.add(Conflict, "name", name, message)
    else:
        check_name(findings, "volume", name, taken=False)
    _must_be_active(findings, volume, seen)
    findings.refuse(f"Volume {volume.name} was not recovered")
    step = bring_back_step(volume.array_engine, volume.group, volume.id, volume.size_bytes)
    renamed = f" as {name}" if name != volume.name else ""
    detail = f"{format_size(volume.size_bytes)} on {volume.array}, with its data and identifiers, not mapped"
    return Plan(
        title=f"Recover volume {volume.name}{renamed}",
        changes=(PlannedChange(action=Action.CREATE, noun="volume", name=name, detail=detail),),
        steps=recorded.of_volume([step], volume.backing_name),
    )


def plan_erase(volume: KnownDeleted, seen: Observation, *, last_thin: bool) -> Plan:
    """Erases its data; with the last thin volume of an array also its thin pool. Raises Conflict."""
    findings = Findings()
    _must_be_active(findings, volume, seen)
    findings.refuse(f"Deleted volume {volume.name} was not erased")
    pooling = thin_pooling(volume.array_engine)
    steps = erase_steps(volume.array_engine, volume.group, volume.id, volume.size_bytes, volume.snapshots)
    return Plan(
        title=f"Erase deleted volume {volume.name}",
        changes=(erased(volume),),
        steps=(*steps, pooling.pool_remove(volume.group)) if last_thin and pooling else steps,
    )


def erased(volume: KnownDeleted) -> PlannedChange:
    """The data that is lost, in words."""
    detail = f"{format_size(volume.size_bytes)} of data are lost, and {format_size(volume.held_bytes)} are freed"
    if volume.snapshots:
        detail += f"; its deleted snapshots ({shorten([one.name for one in volume.snapshots])}) are also lost"
    return PlannedChange(action=Action.DESTROY, noun="deleted volume", name=volume.name, detail=detail)


def _must_be_active(findings: Findings, volume: KnownDeleted, seen: Observation) -> None:
    if not any(pool.group == volume.group for pool in seen.groups):
        message = f"array {volume.array} is not active; check its state first"
        findings.add(Conflict, "volume", volume.name, message)
