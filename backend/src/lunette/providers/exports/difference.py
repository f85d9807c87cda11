"""What differs between two desired states over SCSI, as two small states: serving it costs as much as it contains.

Pure. A difference that concerns every target, or that needs more than the two states say, has no such form: then
everything is served, which is always right.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from lunette.domain.exports import ExportLun, ExportSet, ExportTarget, ExportVolume
from lunette.providers.exports.lio.tree import target_prefix

Item = TypeVar("Item")
_APART = frozenset({"volumes", "targets", "generation", "released", "disk_health_s", "self_tests", "host_name"})
"""Fields of a desired state that are compared one by one, or that no target depends on. All others must be equal."""


@dataclass(frozen=True)
class Difference:
    """`before` and `after` contain only targets that differ, and of each only what differs. The volumes are those that
    differ and those of these LUNs.
    """

    before: ExportSet
    after: ExportSet
    whole: ExportSet
    """The desired state that `after` is a part of."""

    @cached_property
    def mapped(self) -> frozenset[str]:
        """IDs of all volumes that are mapped after it, by whichever target."""
        return frozenset(lun.volume_id for target in self.whole.targets for lun in target.luns)

    @property
    def is_empty(self) -> bool:
        return not any((self.before.targets, self.before.volumes, self.after.targets, self.after.volumes))

    @cached_property
    def volume_ids(self) -> frozenset[str]:
        return frozenset(volume.volume_id for state in (self.before, self.after) for volume in state.volumes)


def between(before: ExportSet, after: ExportSet) -> Difference | None:
    """None if the whole desired state has to be served."""
    if any(getattr(before, name) != getattr(after, name) for name in ExportSet.model_fields if name not in _APART):
        return None
    if after.fc_ports:  # every FC port has every mapping
        return None
    old, new = _by_id(before.volumes), _by_id(after.volumes)
    changed = {one for one in old.keys() | new.keys() if not _same(old.get(one), new.get(one))}
    known = changed & old.keys()
    targets = [pair for pair in _pairs(before, after) if not _same(*pair) or (known and _serves(pair[1], known))]
    parts = [_part(was, becomes, changed) for was, becomes in targets]
    first = [was for was, _ in parts if was is not None]
    then = [becomes for _, becomes in parts if becomes is not None]
    touched = changed | {lun.volume_id for target in (*first, *then) for lun in target.luns}
    found = Difference(
        before=_state(before, first, (old[one] for one in touched if one in old)),
        after=_state(after, then, (new[one] for one in touched if one in new)),
        whole=after,
    )
    return found if _is_plain(found) else None


def _same(one: object, other: object) -> bool:
    """Mostly they are the same object, which is quick to see."""
    return one is other or one == other


def _by_id(volumes: Iterable[ExportVolume]) -> dict[str, ExportVolume]:
    return {volume.volume_id: volume for volume in volumes}


def _pairs(before: ExportSet, after: ExportSet) -> list[tuple[ExportTarget | None, ExportTarget | None]]:
    """Each target before and after; None where it is not."""
    old = {target.target_id: target for target in before.targets}
    new = {target.target_id: target for target in after.targets}
    return [(old.get(one), new.get(one)) for one in dict.fromkeys((*old, *new))]


def _serves(target: ExportTarget | None, volumes: set[str]) -> bool:
    return target is not None and any(lun.volume_id in volumes for lun in target.luns)


def _part(
    was: ExportTarget | None, becomes: ExportTarget | None, changed: set[str]
) -> tuple[ExportTarget | None, ExportTarget | None]:
    """Only the LUNs that differ, if nothing but LUNs does."""
    if was is None or becomes is None or was.model_copy(update={"luns": becomes.luns}) != becomes:
        return was, becomes
    same = frozenset(map(_identity, was.luns)) & frozenset(map(_identity, becomes.luns))

    def differs(lun: ExportLun) -> bool:
        return _identity(lun) not in same or lun.volume_id in changed

    return (
        was.model_copy(update={"luns": tuple(filter(differs, was.luns))}),
        becomes.model_copy(update={"luns": tuple(filter(differs, becomes.luns))}),
    )


def _identity(lun: ExportLun) -> tuple[str, int, str]:
    return lun.mapping_id, lun.lun, lun.volume_id


def _state(of: ExportSet, targets: list[ExportTarget], volumes: Iterable[ExportVolume]) -> ExportSet:
    return of.model_copy(update={"targets": tuple(targets), "volumes": tuple(volumes), "subsystems": ()})


def _is_plain(found: Difference) -> bool:
    """Nothing of another system is in it, and no volume that is served over NVMe too."""
    over_nvme = {lun.volume_id for subsystem in found.whole.subsystems for lun in subsystem.luns}
    prefix = target_prefix(found.whole.appliance_id)
    states = (found.before, found.after)
    return not (
        over_nvme & found.volume_ids
        or any(volume.adopted for state in states for volume in state.volumes)
        or any(not target.iqn.startswith(prefix) for state in states for target in state.targets)
    )
