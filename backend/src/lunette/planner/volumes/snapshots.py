"""Plans for snapshots: creating, deleting, cloning, and rolling a volume back."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from lunette.domain.arrays import EngineAbility
from lunette.domain.errors import Blocker, Conflict, InUse, Invalid, NoSpace
from lunette.domain.identity import IdentitySource
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.domain.sizes import format_size
from lunette.domain.snapshots import SnapshotClone, SnapshotCreate
from lunette.domain.steps import AnyStep, ExportsGone, SnapshotTake, VolumeRollBack, VolumesSeal
from lunette.domain.volumes import Provisioning, VolumeCreate
from lunette.planner.checks.batch import Chosen, check_each, titled
from lunette.planner.checks.findings import Findings, shorten
from lunette.planner.checks.names import check_name
from lunette.planner.engines.volume_engines import (
    hides_volumes,
    snapshotting,
    thick_snapshot_reason,
    unable_reason,
    volume_planning,
)
from lunette.planner.volumes.creation import KnownVolume, NewVolume, NewVolumes, check_names, created
from lunette.planner.volumes.deletion import (
    DoomedSnapshot,
    VolumeRetention,
    check_clones,
    clones_in_words,
    lost_snapshot,
    recoverable,
)
from lunette.planner.volumes.retained import delete_snapshot_step, swap_step


@dataclass(frozen=True)
class NewSnapshot:
    id: str
    plan: Plan
    step: SnapshotTake


@dataclass(frozen=True)
class KnownSnapshot:
    """A snapshot of the database with its volume. `array` and `array_id` are where both are."""

    id: str
    name: str
    volume: KnownVolume
    size_bytes: int
    array: str
    array_id: str


def plan_take(
    spec: SnapshotCreate, volume: KnownVolume, seen: Observation, name_taken: bool, ids: IdentitySource
) -> NewSnapshot:
    """Raises Invalid or Conflict if the volume cannot have snapshots now."""
    findings = Findings()
    check_name(findings, "snapshot", spec.name, name_taken)
    check_volume(findings, volume, seen, "volume")
    findings.refuse(f"Snapshot {spec.name} was not taken")
    change, step = taking(spec.name, volume, ids)
    plan = Plan(title=f"Take snapshot {spec.name} of volume {volume.name}", changes=(change,), steps=(step,))
    return NewSnapshot(id=step.snapshot_id, plan=plan, step=step)


def check_volume(findings: Findings, volume: KnownVolume, seen: Observation, where: str) -> None:
    """Whether a snapshot of it could be created now."""
    if unable := unable_reason(seen, volume.array_engine, EngineAbility.SNAPSHOT):
        findings.add(Invalid, where, volume.name, unable)
    elif thick := thick_snapshot_reason(volume.array_engine, volume.provisioning):
        findings.add(Invalid, where, volume.name, thick)
    elif not _is_active(seen, volume.group):
        findings.add(Conflict, where, volume.name, "its array is not active; check its state first")


def taking(name: str, volume: KnownVolume, ids: IdentitySource) -> tuple[PlannedChange, SnapshotTake]:
    """A new snapshot in words, and the step that creates it."""
    step = snapshotting(volume.array_engine).snapshot_step(volume.group, ids.id(), volume.id, volume.size_bytes)
    detail = f"of volume {volume.name} ({format_size(volume.size_bytes)}), at this point in time"
    return PlannedChange(action=Action.CREATE, noun="snapshot", name=name, detail=detail), step


@dataclass(frozen=True)
class SnapshotRetention:
    """How long a deleted snapshot is retained."""

    hours: int
    until: dt.datetime
    is_reachable: bool
    """False while its array is not active."""


def retention(snapshot: KnownSnapshot, hours: int, now: dt.datetime, seen: Observation) -> SnapshotRetention | None:
    """How a snapshot would be retained if it were deleted now; None if it is destroyed immediately, or no longer
    exists.
    """
    of = snapshot.volume
    is_there = any(one.snapshot_id == snapshot.id for one in seen.volumes)
    is_active, is_hidden = _is_active(seen, of.group), hides_volumes(seen, of.array_engine, of.group)
    if not hours or (is_active and not is_there and not is_hidden):
        return None
    return SnapshotRetention(hours, now + dt.timedelta(hours=hours), is_active or is_hidden)


@dataclass(frozen=True)
class SnapshotToDelete:
    """A snapshot to delete, the volumes that depend on it, and how it is retained; None: it is destroyed."""

    snapshot: KnownSnapshot
    clones: Sequence[Blocker] = ()
    kept: SnapshotRetention | None = None

    @property
    def id(self) -> str:
        return self.snapshot.id

    @property
    def name(self) -> str:
        return self.snapshot.name


def plan_delete(doomed: SnapshotToDelete) -> Plan:
    """Retains it if so configured, or else destroys it.

    Raises InUse if volumes depend on it, Conflict while its array is not active.
    """
    findings = Findings()
    _check_deletion(findings, doomed, "snapshot")
    findings.refuse(f"Snapshot {doomed.name} was not deleted")
    return _deletion([doomed])


def plan_delete_batch(chosen: Sequence[Chosen[SnapshotToDelete]]) -> Plan:
    """Deletes snapshots, all or none. Raises InUse, Conflict or Invalid naming each that prevents it."""
    refusal = ("No snapshot was deleted", "Snapshot {} was not deleted")
    return _deletion(check_each("snapshot", chosen, refusal, _check_deletion))


def _check_deletion(findings: Findings, doomed: SnapshotToDelete, where: str) -> None:
    if doomed.clones:
        message = f"on this engine its clones depend on it: {clones_in_words(doomed.clones)}; delete these first"
        findings.add(InUse, where, doomed.name, message, doomed.clones)
    if doomed.kept is not None and not doomed.kept.is_reachable:
        message = f"array {doomed.snapshot.array} is not active; check its state first"
        findings.add(Conflict, where, doomed.name, message)


def _deletion(doomed: Sequence[SnapshotToDelete]) -> Plan:
    """Reversible steps come before irreversible ones."""
    changes, steps = list[PlannedChange](), list[AnyStep]()
    for one in doomed:
        kept, volume = one.kept, one.snapshot.volume
        detail = f"volume {volume.name} can no longer be rolled back to it; its clones remain"
        if kept is not None:
            detail = f"{recoverable(kept.hours, kept.until)}; the space that only this snapshot holds remains in use"
        changes.append(PlannedChange(action=Action.DESTROY, noun="snapshot", name=one.name, detail=detail))
        hours = kept.hours if kept else 0
        steps.append(delete_snapshot_step(volume.array_engine, volume.group, volume.id, one.id, hours))
    return Plan(
        title=titled("Delete {} snapshots", "Delete snapshot {}", doomed),
        changes=tuple(changes),
        steps=tuple(sorted(steps, key=lambda step: step.irreversible)),
    )


def plan_clone(
    snapshot: KnownSnapshot, spec: SnapshotClone, seen: Observation, taken: frozenset[str], ids: IdentitySource
) -> NewVolumes:
    """Creates volumes with their own identities from the snapshot, all or none. Raises Invalid, Conflict."""
    findings = Findings()
    names = spec.names()
    check_names(findings, names, taken)
    if unable := unable_reason(seen, snapshot.volume.array_engine, EngineAbility.SNAPSHOT):
        findings.add(Invalid, "snapshot", snapshot.name, unable)
    elif not _is_active(seen, snapshot.volume.group):
        findings.add(Conflict, "snapshot", snapshot.name, f"array {snapshot.array} is not active")
    title = f"{len(names)} volumes" if len(names) > 1 else f"volume {names[0]}"
    findings.refuse(f"Snapshot {snapshot.name} was not cloned")
    volumes = tuple(_clone(name, snapshot, spec.description, ids) for name in names)
    sizes = [(volume.id, snapshot.size_bytes) for volume in volumes]
    of = snapshot.volume
    cuts = snapshotting(of.array_engine).clone_steps(of.group, snapshot.id, of.id, sizes)
    changes = tuple(created(volumes, {snapshot.array_id: snapshot.array}))
    plan = Plan(
        title=f"Clone {title} from snapshot {snapshot.name}", changes=changes, steps=(*cuts, VolumesSeal.of(cuts))
    )
    return NewVolumes(plan=plan, volumes=volumes)


def _clone(name: str, snapshot: KnownSnapshot, description: str, ids: IdentitySource) -> NewVolume:
    volume_id = ids.id()
    spec = VolumeCreate(
        name=name,
        array=snapshot.array,
        size_bytes=snapshot.size_bytes,
        provisioning=Provisioning.THIN,
        description=description,
    )
    return NewVolume(
        id=volume_id,
        array_id=snapshot.array_id,
        spec=spec,
        identity=ids.volume(),
        backing_name=volume_planning(snapshot.volume.array_engine).backing_name(volume_id),
    )


@dataclass(frozen=True)
class RollBack:
    """A volume and its snapshot. `newer` are later snapshots. `kept` is how the present content of the volume is
    retained; None: it is destroyed. `promised` are bytes of free space reserved for volumes not created yet.
    """

    volume: KnownVolume
    snapshot: KnownSnapshot
    newer: Sequence[DoomedSnapshot] = ()
    kept: VolumeRetention | None = None
    promised: int = 0
    deletes_newer: bool = False
    """Whether newer snapshots that prevent the rollback are deleted."""


def plan_roll_back(spec: RollBack, seen: Observation, ids: IdentitySource) -> Plan:
    """Raises Invalid for another volume's snapshot, InUse while the volume is mapped, NoSpace, Conflict."""
    volume, snapshot = spec.volume, spec.snapshot
    findings = Findings()
    between = snapshotting(volume.array_engine).roll_back_problem([one.words for one in spec.newer])
    doomed = tuple(spec.newer) if between and spec.deletes_newer else ()
    if snapshot.volume.id != volume.id:
        message = f"snapshot {snapshot.name} belongs to volume {snapshot.volume.name}; specify one of {volume.name}"
        findings.add(Invalid, "snapshot", snapshot.name, message)
    if volume.mapped_to:
        message = f"it is mapped to {shorten(volume.mapped_to)}, whose data would change; delete these mappings first"
        findings.add(InUse, "volume", volume.name, message, volume.owners)
    if unable := unable_reason(seen, volume.array_engine, EngineAbility.SNAPSHOT):
        findings.add(Invalid, "volume", volume.name, unable)
    elif not _is_active(seen, volume.group):
        findings.add(Conflict, "volume", volume.name, "its array is not active; check its state first")
    elif between and not doomed:
        findings.add(Conflict, "snapshot", snapshot.name, between, [one.blocker for one in spec.newer])
    elif spec.kept is not None:
        _check_room(findings, spec, seen)
    check_clones(findings, doomed, "snapshot")
    findings.refuse(f"Volume {volume.name} was not rolled back")
    engine = snapshotting(volume.array_engine)
    steps = engine.roll_back_steps(volume.group, volume.id, snapshot.id, ids.id(), volume.size_bytes)
    lost = "data written since then is lost"
    if spec.kept is not None:
        kept_id, kept = ids.id(), spec.kept
        steps = tuple(
            swap_step(volume.array_engine, step, kept_id, kept.held_bytes, kept.hours)
            if isinstance(step, VolumeRollBack)
            else step
            for step in steps
        )
        lost = f"its current content becomes a deleted volume with the same name: {kept.words()}"
    detail = f"it returns to the state of snapshot {snapshot.name}; {lost}"
    waiting = [step for step in steps if isinstance(step, ExportsGone)]
    erasing = [delete_snapshot_step(volume.array_engine, volume.group, volume.id, one.id, 0) for one in doomed]
    return Plan(
        title=f"Roll back volume {volume.name} to snapshot {snapshot.name}",
        changes=(
            *(lost_snapshot(one, volume.name) for one in doomed),
            PlannedChange(action=Action.DESTROY, noun="volume", name=volume.name, detail=detail),
        ),
        steps=(*waiting, *erasing, *(step for step in steps if step not in waiting)),
    )


def _check_room(findings: Findings, spec: RollBack, seen: Observation) -> None:
    """A thick volume reserves its size once more in addition to what is retained."""
    volume = spec.volume
    if volume.provisioning is Provisioning.THIN:
        return
    needed = volume_planning(volume.array_engine).reserved_bytes(volume.size_bytes)
    left = max(0, sum(pool.free_bytes for pool in seen.groups if pool.group == volume.group) - spec.promised)
    if needed > left:
        message = (
            f"retaining its current content needs {format_size(needed)}, and its array has {format_size(left)} free; "
            "free space, or roll back without retaining it (keep: false)"
        )
        findings.add(NoSpace, "keep", "true", message)


def _is_active(seen: Observation, group: str) -> bool:
    return any(pool.group == group for pool in seen.groups)
