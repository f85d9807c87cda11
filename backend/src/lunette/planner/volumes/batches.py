"""Plans for many volumes at once, all or none: problems are reported for all of them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lunette.domain.arrays import ArrayEngine
from lunette.domain.errors import Invalid
from lunette.domain.identity import IdentitySource
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Leaving, Plan, PlannedChange
from lunette.domain.steps import AnyStep, ExportsGone, SnapshotTake
from lunette.domain.volumes import MAX_BATCH
from lunette.planner.checks.batch import Chosen, check_each, examined, titled
from lunette.planner.checks.findings import Findings
from lunette.planner.checks.names import check_name
from lunette.planner.engines.volume_engines import snapshotting_together, thin_pooling
from lunette.planner.volumes.creation import KnownVolume
from lunette.planner.volumes.deletion import (
    DoomedSnapshot,
    VolumeRetention,
    check_clones,
    check_deletion,
    deletion,
    snapshot_deletions,
)
from lunette.planner.volumes.retained import DEADLINE_S
from lunette.planner.volumes.snapshots import check_volume, taking


@dataclass(frozen=True)
class VolumeToDelete:
    """A volume to delete, and how it is retained; None: its data is lost immediately."""

    volume: KnownVolume
    kept: VolumeRetention | None
    snapshots: tuple[DoomedSnapshot, ...] = ()
    """Snapshots that are deleted with it."""

    @property
    def id(self) -> str:
        return self.volume.id

    @property
    def name(self) -> str:
        return self.volume.name


def plan_delete(chosen: Sequence[Chosen[VolumeToDelete]], emptied: Collection[str]) -> Plan:
    """Deletes volumes, all or none: reversible steps come before irreversible ones.

    `emptied` are the groups that have no other thin volume than these; if none of them is retained, the thin pool is
    removed. Raises InUse, Conflict or Invalid naming each volume that prevents it.
    """
    doomed = check_each("volume", chosen, ("No volume was deleted", "Volume {} was not deleted"), _check)
    changes, steps = list[PlannedChange](), list[AnyStep]()
    for one in doomed:
        with_it, snapshot_steps = snapshot_deletions(one.volume, one.snapshots, one.kept)
        detail, parts = deletion(one.volume, last_thin=False, kept=one.kept)
        changes += [*with_it, PlannedChange(action=Action.DESTROY, noun="volume", name=one.name, detail=detail)]
        steps += [*snapshot_steps, *(step for step in parts if not isinstance(step, ExportsGone))]
    kept = {one.volume.group for one in doomed if one.kept}
    engines = {one.volume.group: one.volume.array_engine for one in doomed}
    for group in sorted(set(emptied) - kept):
        if pooling := thin_pooling(engines[group]):
            steps.append(pooling.pool_remove(group))
    waits = ExportsGone(volume_ids=tuple(one.id for one in doomed), deadline_s=DEADLINE_S)
    return Plan(
        title=titled("Delete {} volumes", "Delete volume {}", doomed),
        changes=tuple(changes),
        steps=(waits, *sorted(steps, key=lambda step: step.irreversible)),
        leaving=tuple(Leaving(volume_id=one.id, name=one.name) for one in doomed),
    )


def _check(findings: Findings, doomed: VolumeToDelete, where: str) -> None:
    check_deletion(findings, doomed.volume, where, doomed.kept)
    check_clones(findings, doomed.snapshots, where)


@dataclass(frozen=True)
class VolumeToTake:
    """A volume of which a snapshot is taken, and the name of the snapshot."""

    volume: KnownVolume
    snapshot: str

    @property
    def id(self) -> str:
        return self.volume.id

    @property
    def name(self) -> str:
        return self.volume.name


@dataclass(frozen=True)
class NewSnapshots:
    plan: Plan
    snapshots: tuple[SnapshotTake, ...]
    """In the order of the spec."""


def plan_take(
    chosen: Sequence[Chosen[VolumeToTake]], seen: Observation, ids: IdentitySource, *, atomic: bool = False
) -> NewSnapshots:
    """Creates a snapshot of each, all or none; with `atomic`, at the same point in time.

    Raises Invalid or Conflict naming each volume that prevents it.
    """

    def check(own: Findings, one: VolumeToTake, where: str) -> None:
        check_name(own, "snapshot", one.snapshot, taken=False, field=f"{where}.name")
        check_volume(own, one.volume, seen, where)

    findings = Findings()
    found = examined(findings, "volume", chosen, check)
    volumes = [one.volume for one in found]
    if atomic and (apart := _apart(volumes)):
        findings.add(Invalid, "atomic", "the snapshots", apart)
    findings.refuse("No snapshot was taken", MAX_BATCH)
    made = [taking(one.snapshot, one.volume, ids) for one in found]
    snapshots = tuple(step for _, step in made)
    engines = {volume.group: volume.array_engine for volume in volumes}
    return NewSnapshots(
        plan=Plan(
            title=titled("Take snapshots of {} volumes", "Take a snapshot of volume {}", found),
            changes=tuple(change for change, _ in made),
            steps=tuple(_together(snapshots, engines, ids)),
        ),
        snapshots=snapshots,
    )


def _apart(volumes: Sequence[KnownVolume]) -> str | None:
    """Why snapshots of these volumes cannot be taken at the same point in time; None if they can."""
    if one := next((volume for volume in volumes if snapshotting_together(volume.array_engine) is None), None):
        return (
            f"volume {one.name} is on an array whose engine takes snapshots one after the other; only volumes of one "
            "ZFS pool can have snapshots of the same point in time"
        )
    if len({volume.group for volume in volumes}) > 1:
        return "the volumes are on several pools; only volumes of one pool can have snapshots of the same point in time"
    return None


def _together(
    snapshots: Sequence[SnapshotTake], engines: Mapping[str, ArrayEngine], ids: IdentitySource
) -> Iterator[AnyStep]:
    """One step for each group whose engine can take them simultaneously, and one for each snapshot elsewhere."""
    for group, engine in engines.items():
        own, at_once = [one for one in snapshots if one.group == group], snapshotting_together(engine)
        if at_once is not None and len(own) > 1:
            yield at_once.snapshots_step(group, ids.id(), own)
        else:
            yield from own
