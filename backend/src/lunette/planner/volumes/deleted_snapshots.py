"""Plans for deleted snapshots: recovery under a free name, or erasure."""

from dataclasses import dataclass

from lunette.domain.arrays import ArrayEngine
from lunette.domain.errors import Conflict
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.planner.checks.findings import Findings
from lunette.planner.checks.names import check_name
from lunette.planner.volumes.retained import bring_snapshot_back_step, erase_snapshot_step


@dataclass(frozen=True)
class KnownDeletedSnapshot:
    """A deleted snapshot of the database, as far as plans need it. `array` and `group` are where its volume is."""

    id: str
    name: str
    volume_id: str
    volume: str
    volume_is_kept: bool
    """True if its volume is deleted too."""
    array: str
    array_engine: ArrayEngine
    group: str


def plan_recover(snapshot: KnownDeletedSnapshot, name: str, name_taken: bool, seen: Observation) -> Plan:
    """Raises Conflict if the name is taken, its volume is deleted, or its array is down."""
    findings = Findings()
    if name_taken:
        message = f"another snapshot is now named {name}; recover this one under a new name"
        findings.add(Conflict, "name", name, message)
    else:
        check_name(findings, "snapshot", name, taken=False)
    if snapshot.volume_is_kept:
        message = f"its volume {snapshot.volume} was deleted after it; recover the volume first"
        findings.add(Conflict, "snapshot", snapshot.name, message)
    _must_be_active(findings, snapshot, seen)
    findings.refuse(f"Snapshot {snapshot.name} was not recovered")
    renamed = f" as {name}" if name != snapshot.name else ""
    change = PlannedChange(
        action=Action.CREATE, noun="snapshot", name=name, detail=f"of volume {snapshot.volume}, unchanged"
    )
    step = bring_snapshot_back_step(snapshot.array_engine, snapshot.group, snapshot.volume_id, snapshot.id)
    return Plan(title=f"Recover snapshot {snapshot.name}{renamed}", changes=(change,), steps=(step,))


def plan_erase(snapshot: KnownDeletedSnapshot, seen: Observation) -> Plan:
    """Erases it. Raises Conflict while its array is down."""
    findings = Findings()
    _must_be_active(findings, snapshot, seen)
    findings.refuse(f"Deleted snapshot {snapshot.name} was not erased")
    detail = f"of volume {snapshot.volume}; data that only this snapshot holds is lost, and its space is freed"
    step = erase_snapshot_step(
        snapshot.array_engine, snapshot.group, snapshot.volume_id, snapshot.id, volume_is_kept=snapshot.volume_is_kept
    )
    return Plan(
        title=f"Erase deleted snapshot {snapshot.name}",
        changes=(PlannedChange(action=Action.DESTROY, noun="deleted snapshot", name=snapshot.name, detail=detail),),
        steps=(step,),
    )


def _must_be_active(findings: Findings, snapshot: KnownDeletedSnapshot, seen: Observation) -> None:
    if not any(pool.group == snapshot.group for pool in seen.groups):
        message = f"array {snapshot.array} is not active; check its state first"
        findings.add(Conflict, "snapshot", snapshot.name, message)
