"""Plans for deleting a volume: retained for a while, or destroyed."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from lunette.domain.errors import Blocker, Conflict, InUse
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Leaving, Plan, PlannedChange
from lunette.domain.sizes import format_size
from lunette.domain.steps import AnyStep
from lunette.domain.volumes import Provisioning
from lunette.planner.checks.findings import Findings, shorten
from lunette.planner.engines import recorded
from lunette.planner.engines.volume_engines import hides_volumes, thin_pooling, volume_planning
from lunette.planner.volumes.creation import KnownVolume
from lunette.planner.volumes.retained import delete_snapshot_step, set_aside_steps


@dataclass(frozen=True)
class VolumeRetention:
    """How long a deleted volume is retained, and the space it uses meanwhile."""

    hours: int
    until: dt.datetime
    held_bytes: int
    is_reachable: bool = True
    """False while its array is not active."""

    def words(self) -> str:
        """Until when, and the space that stays in use."""
        return f"{recoverable(self.hours, self.until)}; {format_size(self.held_bytes)} remain in use"


def recoverable(hours: int, until: dt.datetime) -> str:
    """How long a deleted object can be recovered, in words."""
    return f"it can be recovered for {hours} hours, until {until:%Y-%m-%d %H:%M} UTC"


def retention(volume: KnownVolume, hours: int, now: dt.datetime, seen: Observation) -> VolumeRetention | None:
    """How a volume would be retained if it were deleted now; None if it is destroyed immediately, or no longer
    exists.
    """
    found = next((one for one in seen.volumes if one.volume_id == volume.id), None)
    is_gone = found is None and any(pool.group == volume.group for pool in seen.groups)
    if not hours or (is_gone and not hides_volumes(seen, volume.array_engine, volume.group)):
        return None
    thin = found.used_bytes or 0 if found else 0
    is_thin = volume.provisioning is Provisioning.THIN
    held = thin if is_thin else volume_planning(volume.array_engine).reserved_bytes(volume.size_bytes)
    is_hidden = hides_volumes(seen, volume.array_engine, volume.group)  # which the checker reports
    is_reachable = is_hidden or any(pool.group == volume.group for pool in seen.groups)
    return VolumeRetention(hours, now + dt.timedelta(hours=hours), held, is_reachable)


def plan_delete(volume: KnownVolume, *, last_thin: bool = False, kept: VolumeRetention | None = None) -> Plan:
    """Waits until the exports are removed, then retains the volume or else removes it; with the last thin volume of an
    array also its thin pool.

    Raises InUse while it is mapped or has snapshots, naming them, Conflict while its array is not active.
    """
    findings = Findings()
    check_deletion(findings, volume, "volume", kept)
    findings.refuse(f"Volume {volume.name} was not deleted")
    detail, steps = deletion(volume, last_thin, kept)
    changes = (PlannedChange(action=Action.DESTROY, noun="volume", name=volume.name, detail=detail),)
    leaving = (Leaving(volume_id=volume.id, name=volume.name),)
    return Plan(title=f"Delete volume {volume.name}", changes=changes, steps=steps, leaving=leaving)


@dataclass(frozen=True)
class DoomedSnapshot:
    """A snapshot that is deleted with its volume, or so that its volume can be rolled back to an older one."""

    id: str
    name: str
    clones: tuple[Blocker, ...] = ()
    """The volumes that depend on it, including deleted ones."""
    is_missing: bool = False
    """Whether it no longer exists on its array, so that it cannot be retained."""
    is_deleted: bool = False
    """Whether it is deleted already and retained."""

    @property
    def blocker(self) -> Blocker:
        return Blocker(noun="deleted_snapshot" if self.is_deleted else "snapshot", id=self.id, name=self.name)

    @property
    def words(self) -> str:
        """Its name, and whether it is deleted."""
        return f"{self.name} (deleted)" if self.is_deleted else self.name


def check_clones(findings: Findings, snapshots: Sequence[DoomedSnapshot], where: str) -> None:
    """Checks that no clone depends on a snapshot that is deleted."""
    for one in snapshots:
        if one.clones:
            message = f"clones depend on its snapshot {one.name}: {clones_in_words(one.clones)}; delete these first"
            findings.add(InUse, where, one.name, message, one.clones)


def clones_in_words(clones: Sequence[Blocker]) -> str:
    """Volumes and deleted volumes by name."""
    return shorten([f"{one.noun.replace('_', ' ')} {one.name}" for one in clones])


def lost_snapshot(snapshot: DoomedSnapshot, volume: str) -> PlannedChange:
    """A snapshot that is erased with others of its volume."""
    detail = f"volume {volume} can no longer be rolled back to it; its data are lost"
    return PlannedChange(action=Action.DESTROY, noun="snapshot", name=snapshot.name, detail=detail)


def check_deletion(findings: Findings, volume: KnownVolume, where: str, kept: VolumeRetention | None) -> None:
    """What prevents the deletion. Deleted snapshots stay with a retained volume; they are never lost by another
    deletion.
    """
    if volume.mapped_to:
        message = f"it is mapped to {shorten(volume.mapped_to)}; delete these mappings first"
        findings.add(InUse, where, volume.name, message, volume.owners)
    if volume.snapshots:
        message = f"it has the snapshots {shorten(volume.snapshots)}; delete these first"
        blockers = (one for one in volume.blockers if one.noun == "snapshot")
        findings.add(InUse, where, volume.name, message, blockers)
    if kept is None and volume.deleted_snapshots:
        names = shorten([one.name for one in volume.deleted_snapshots])
        message = f"its deleted snapshots ({names}) can still be recovered and would be lost with it; erase these first"
        findings.add(InUse, where, volume.name, message)
    if kept is not None and not kept.is_reachable:
        findings.add(Conflict, where, volume.name, "its array is not active; check its state first")


def snapshot_deletions(
    volume: KnownVolume, snapshots: Sequence[DoomedSnapshot], kept: VolumeRetention | None
) -> tuple[tuple[PlannedChange, ...], tuple[AnyStep, ...]]:
    """What becomes of the snapshots that are deleted with their volume, and the steps."""
    changes, steps = list[PlannedChange](), list[AnyStep]()
    for one in snapshots:
        hours = kept.hours if kept is not None and not one.is_missing else 0
        steps.append(delete_snapshot_step(volume.array_engine, volume.group, volume.id, one.id, hours))
        detail = f"it is retained with volume {volume.name} and can be recovered after it"
        change = PlannedChange(action=Action.DESTROY, noun="snapshot", name=one.name, detail=detail)
        changes.append(change if hours else lost_snapshot(one, volume.name))
    return tuple(changes), tuple(steps)


def deletion(volume: KnownVolume, last_thin: bool, kept: VolumeRetention | None) -> tuple[str, tuple[AnyStep, ...]]:
    """The outcome in words, and the steps, the first of which waits for its exports."""
    engine, group, size = volume.array_engine, volume.group, volume.size_bytes
    if kept is not None:
        retained = set_aside_steps(engine, group, volume.id, size, kept.held_bytes, kept.hours)
        names = [one.name for one in volume.deleted_snapshots]
        along = f"; its deleted snapshots ({shorten(names)}) are retained with it" if names else ""
        return kept.words() + along, recorded.of_volume(retained, volume.backing_name)
    pooling = thin_pooling(engine)
    steps = recorded.of_volume(volume_planning(engine).delete_steps(group, volume.id, size), volume.backing_name)
    steps = (*steps, pooling.pool_remove(group)) if last_thin and pooling else steps
    return f"{format_size(size)} of data are lost", steps
