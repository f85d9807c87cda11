"""Plans for many volumes at once, all or none: problems are reported for all of them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lunette.domain.arrays import ArrayEngine
from lunette.domain.errors import Conflict, Invalid
from lunette.domain.identity import IdentitySource
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Leaving, Plan, PlannedChange
from lunette.domain.steps import AnyStep, ExportsGone, SnapshotTake
from lunette.domain.volumes import MAX_BATCH
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
class Chosen:
    """One volume of a batch, by the reference the spec used. `volume` None: it does not exist; `busy`: a job uses
    it.
    """

    reference: str
    volume: KnownVolume | None
    busy: str | None = None


@dataclass(frozen=True)
class VolumeToDelete:
    """A volume to delete, and how it is retained; None: its data is lost immediately."""

    chosen: Chosen
    kept: VolumeRetention | None
    snapshots: tuple[DoomedSnapshot, ...] = ()
    """Snapshots that are deleted with it."""


def plan_delete(doomed: Sequence[VolumeToDelete], emptied: Collection[str]) -> Plan:
    """Deletes volumes, all or none: reversible steps come before irreversible ones.

    `emptied` are the groups that have no other thin volume than these; if none of them is retained, the thin pool is
    removed. Raises InUse, Conflict or Invalid naming each volume that prevents it.
    """
    findings = Findings()
    volumes = _known(findings, [one.chosen for one in doomed])
    for index, volume in volumes.items():
        own = Findings()
        check_deletion(own, volume, _at(index), doomed[index].kept)
        check_clones(own, doomed[index].snapshots, _at(index))
        findings.take(own, f"volume {volume.name}")
    findings.refuse(_title("No volume was deleted", "Volume {} was not deleted", volumes), MAX_BATCH)
    changes, steps = list[PlannedChange](), list[AnyStep]()
    for index, volume in volumes.items():
        with_it, snapshot_steps = snapshot_deletions(volume, doomed[index].snapshots, doomed[index].kept)
        detail, parts = deletion(volume, last_thin=False, kept=doomed[index].kept)
        changes += [*with_it, PlannedChange(action=Action.DESTROY, noun="volume", name=volume.name, detail=detail)]
        steps += [*snapshot_steps, *(step for step in parts if not isinstance(step, ExportsGone))]
    kept = {volume.group for index, volume in volumes.items() if doomed[index].kept}
    engines = {volume.group: volume.array_engine for volume in volumes.values()}
    for group in sorted(set(emptied) - kept):
        if pooling := thin_pooling(engines[group]):
            steps.append(pooling.pool_remove(group))
    waits = ExportsGone(volume_ids=tuple(volume.id for volume in volumes.values()), deadline_s=DEADLINE_S)
    return Plan(
        title=_title(f"Delete {len(volumes)} volumes", "Delete volume {}", volumes),
        changes=tuple(changes),
        steps=(waits, *sorted(steps, key=lambda step: step.irreversible)),
        leaving=tuple(Leaving(volume_id=volume.id, name=volume.name) for volume in volumes.values()),
    )


@dataclass(frozen=True)
class NewSnapshots:
    plan: Plan
    snapshots: tuple[SnapshotTake, ...]
    """In the order of the spec."""


def plan_take(
    chosen: Sequence[Chosen],
    names: Sequence[str],
    seen: Observation,
    taken: Collection[str],
    ids: IdentitySource,
    *,
    atomic: bool = False,
) -> NewSnapshots:
    """Creates a snapshot of each, all or none; with `atomic`, at the same point in time.

    Raises Invalid or Conflict naming each volume that prevents it.
    """
    findings = Findings()
    volumes = _known(findings, chosen)
    for index, volume in volumes.items():
        own = Findings()
        check_name(own, "snapshot", names[index], names[index] in taken, f"{_at(index)}.name")
        check_volume(own, volume, seen, _at(index))
        findings.take(own, f"volume {volume.name}")
    if atomic and (apart := _apart(list(volumes.values()))):
        findings.add(Invalid, "atomic", "the snapshots", apart)
    findings.refuse("No snapshot was taken", MAX_BATCH)
    made = [taking(names[index], volume, ids) for index, volume in volumes.items()]
    snapshots = tuple(step for _, step in made)
    engines = {volume.group: volume.array_engine for volume in volumes.values()}
    return NewSnapshots(
        plan=Plan(
            title=_title(f"Take snapshots of {len(volumes)} volumes", "Take a snapshot of volume {}", volumes),
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


def _known(findings: Findings, chosen: Sequence[Chosen]) -> dict[int, KnownVolume]:
    """The existing volumes, by their place in the spec."""
    found: dict[int, KnownVolume] = {}
    places: dict[str, int] = {}
    for index, one in enumerate(chosen):
        if one.volume is None:
            message = f"volume {one.reference} was not found; it may have been deleted. Reload the list"
            findings.add(Invalid, _at(index), one.reference, message)
        elif one.volume.id in places:
            message = f"volume {one.volume.name} is listed twice, here and at {_at(places[one.volume.id])}"
            findings.add(Invalid, _at(index), one.reference, message)
        elif one.busy:
            findings.add(Conflict, _at(index), one.volume.name, f"volume {one.volume.name}: {one.busy}")
            places[one.volume.id] = index
        else:
            found[index] = one.volume
            places[one.volume.id] = index
    return found


def _at(index: int) -> str:
    return f"volumes[{index}]"


def _title(many: str, one: str, volumes: dict[int, KnownVolume]) -> str:
    return many if len(volumes) != 1 else one.format(next(iter(volumes.values())).name)
