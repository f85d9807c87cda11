"""Plans for deleted snapshots: recovery under a free name, or erasure."""

from collections.abc import Sequence
from dataclasses import dataclass

from lunette.domain.arrays import ArrayEngine
from lunette.domain.errors import Conflict
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.planner.checks.batch import Chosen, check_each, titled
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


@dataclass(frozen=True)
class SnapshotRecovery:
    """A deleted snapshot, and the name under which it is recovered. `taken` is why it cannot have that name now."""

    snapshot: KnownDeletedSnapshot
    new_name: str
    taken: str | None = None

    @property
    def id(self) -> str:
        return self.snapshot.id

    @property
    def name(self) -> str:
        return self.snapshot.name


def plan_recover(to: SnapshotRecovery, seen: Observation) -> Plan:
    """Raises Conflict if the name is taken, its volume is deleted, or its array is down."""
    findings = Findings()
    _check_recovery(findings, to, seen, "snapshot", "name")
    findings.refuse(f"Snapshot {to.name} was not recovered")
    return _recovery([to])


def plan_recover_batch(chosen: Sequence[Chosen[SnapshotRecovery]], seen: Observation) -> Plan:
    """Recovers snapshots, all or none. Raises Conflict or Invalid naming each that prevents it."""

    def check(own: Findings, to: SnapshotRecovery, where: str) -> None:
        _check_recovery(own, to, seen, where, f"{where}.name")

    refusal = ("No snapshot was recovered", "Snapshot {} was not recovered")
    return _recovery(check_each("deleted_snapshot", chosen, refusal, check))


def _check_recovery(findings: Findings, to: SnapshotRecovery, seen: Observation, where: str, name_field: str) -> None:
    if to.taken:
        message = f"{to.taken}; recover this one under a new name"
        findings.add(Conflict, name_field, to.new_name, message)
    else:
        check_name(findings, "snapshot", to.new_name, taken=False, field=name_field)
    if to.snapshot.volume_is_kept:
        message = f"its volume {to.snapshot.volume} was deleted after it; recover the volume first"
        findings.add(Conflict, where, to.name, message)
    _must_be_active(findings, to.snapshot, seen, where)


def _recovery(found: Sequence[SnapshotRecovery]) -> Plan:
    changes = [
        PlannedChange(
            action=Action.CREATE,
            noun="snapshot",
            name=one.new_name,
            detail=f"of volume {one.snapshot.volume}, unchanged",
        )
        for one in found
    ]
    steps = [
        bring_snapshot_back_step(of.array_engine, of.group, of.volume_id, of.id)
        for of in (one.snapshot for one in found)
    ]
    renamed = f" as {found[0].new_name}" if found[0].new_name != found[0].name else ""
    title = titled("Recover {} snapshots", f"Recover snapshot {{}}{renamed}", found)
    return Plan(title=title, changes=tuple(changes), steps=tuple(steps))


def plan_erase(snapshot: KnownDeletedSnapshot, seen: Observation) -> Plan:
    """Erases it. Raises Conflict while its array is down."""
    findings = Findings()
    _must_be_active(findings, snapshot, seen, "snapshot")
    findings.refuse(f"Deleted snapshot {snapshot.name} was not erased")
    return _erasure([snapshot])


def plan_erase_batch(chosen: Sequence[Chosen[KnownDeletedSnapshot]], seen: Observation) -> Plan:
    """Erases snapshots, all or none. Raises Conflict or Invalid naming each that prevents it."""

    def check(own: Findings, snapshot: KnownDeletedSnapshot, where: str) -> None:
        _must_be_active(own, snapshot, seen, where)

    refusal = ("No deleted snapshot was erased", "Deleted snapshot {} was not erased")
    return _erasure(check_each("deleted_snapshot", chosen, refusal, check))


def _erasure(found: Sequence[KnownDeletedSnapshot]) -> Plan:
    lost = "data that only this snapshot holds is lost, and its space is freed"
    changes = [
        PlannedChange(
            action=Action.DESTROY, noun="deleted snapshot", name=one.name, detail=f"of volume {one.volume}; {lost}"
        )
        for one in found
    ]
    steps = [
        erase_snapshot_step(one.array_engine, one.group, one.volume_id, one.id, volume_is_kept=one.volume_is_kept)
        for one in found
    ]
    title = titled("Erase {} deleted snapshots", "Erase deleted snapshot {}", found)
    return Plan(title=title, changes=tuple(changes), steps=tuple(steps))


def _must_be_active(findings: Findings, snapshot: KnownDeletedSnapshot, seen: Observation, where: str) -> None:
    if not any(pool.group == snapshot.group for pool in seen.groups):
        message = f"array {snapshot.array} is not active; check its state first"
        findings.add(Conflict, where, snapshot.name, message)
