"""What differs between two desired states in one family, as two small states: serving it costs as much as it contains.

Pure. A difference that concerns every target, or that needs more than the two states say, has no such form: then
everything is served, which is always right.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Generic, TypeVar

from lunette.domain.exports import ExportLun, ExportSet, ExportSubsystem, ExportTarget, ExportVolume
from lunette.domain.mappings import ExportEngine, Family, Protocol
from lunette.domain.unshared import by_key, chosen, keys, unshared
from lunette.providers.exports.lio.tree import target_prefix

AnyTarget = TypeVar("AnyTarget", ExportTarget, ExportSubsystem)
_APART = frozenset(
    {
        "volumes",
        "targets",
        "subsystems",
        "portals",
        "generation",
        "released",
        "disk_health_s",
        "self_tests",
        "host_name",
    }
)
"""Fields of a desired state that are compared one by one, or that no target depends on. All others must be equal."""


@dataclass(frozen=True)
class Difference:
    """`before` and `after` contain only targets or subsystems that differ, and of each only what differs. The volumes
    are those that differ and those of these LUNs; the portals are all of them.
    """

    family: Family
    before: ExportSet
    after: ExportSet
    whole: ExportSet
    """The desired state that `after` is a part of."""

    @cached_property
    def mapped(self) -> frozenset[str]:
        """IDs of all volumes that are mapped after it in this family, by whichever target or subsystem."""
        return _mapped(self.whole, self.family)

    @property
    def is_empty(self) -> bool:
        states = (self.before, self.after)
        return not self.portals_differ and not any(one.targets or one.subsystems or one.volumes for one in states)

    @property
    def portals_differ(self) -> bool:
        return self.before.portals != self.after.portals

    @property
    def same_targets(self) -> tuple[ExportTarget, ...]:
        """Targets of which at most the portals differ; empty if the family is NVMe."""
        named = {one.target_id for one in (*self.before.targets, *self.after.targets)}
        targets = self.whole.targets if self.family is Family.SCSI else ()
        return tuple(one for one in targets if one.target_id not in named)

    @property
    def same_subsystems(self) -> tuple[ExportSubsystem, ...]:
        """Subsystems of which at most the portals differ; empty if the family is SCSI."""
        named = {one.target_id for one in (*self.before.subsystems, *self.after.subsystems)}
        subsystems = self.whole.subsystems if self.family is Family.NVME else ()
        return tuple(one for one in subsystems if one.target_id not in named)

    @cached_property
    def volume_ids(self) -> frozenset[str]:
        return frozenset(volume.volume_id for state in (self.before, self.after) for volume in state.volumes)


def between(before: ExportSet, after: ExportSet) -> Difference | None:
    """None if the whole desired state has to be served."""
    if any(getattr(before, name) != getattr(after, name) for name in ExportSet.model_fields if name not in _APART):
        return None
    old, new = (by_key("volume_id", volumes) for volumes in unshared(before.volumes, after.volumes))
    changed = {one for one in chain(old, new) if not _same(old.get(one), new.get(one))}
    targets = _parts(before.targets, after.targets, changed, old.keys())
    subsystems = _parts(before.subsystems, after.subsystems, changed, old.keys())
    families = {portal.protocol.family for portal in set(before.portals) ^ set(after.portals)}
    families |= {Family.SCSI} if targets.differ else set()
    families |= {Family.NVME} if subsystems.differ else set()
    if len(families) > 1:
        return None
    touched = changed | targets.volume_ids | subsystems.volume_ids
    found = Difference(
        family=Family.NVME if Family.NVME in families else Family.SCSI,
        before=_state(before, targets.before, subsystems.before, chosen("volume_id", before.volumes, touched)),
        after=_state(after, targets.after, subsystems.after, chosen("volume_id", after.volumes, touched)),
        whole=after,
    )
    other = Family.SCSI if found.family is Family.NVME else Family.NVME
    if found.volume_ids & (_mapped(before, other) | _mapped(after, other)):
        return None
    if any(volume.adopted for state in (found.before, found.after) for volume in state.volumes):
        return None
    is_plain = _is_plain_nvme(found, before) if found.family is Family.NVME else _is_plain_scsi(found)
    if found.portals_differ and not _are_plain_portals(found):
        return None
    return found if is_plain else None


def _same(one: object, other: object) -> bool:
    """Mostly they are the same object, which is quick to see."""
    return one is other or one == other


def _mapped(state: ExportSet, family: Family) -> frozenset[str]:
    places = state.targets if family is Family.SCSI else state.subsystems
    return frozenset(keys("volume_id", chain.from_iterable(keys("luns", places))))


@dataclass(frozen=True)
class _Parts(Generic[AnyTarget]):
    """Of each target that differs, what differs."""

    before: tuple[AnyTarget, ...]
    after: tuple[AnyTarget, ...]

    @property
    def differ(self) -> bool:
        return bool(self.before or self.after)

    @property
    def volume_ids(self) -> set[str]:
        return {lun.volume_id for target in (*self.before, *self.after) for lun in target.luns}


def _parts(
    before: tuple[AnyTarget, ...], after: tuple[AnyTarget, ...], changed: set[str], known: Iterable[str]
) -> _Parts[AnyTarget]:
    """`changed` are the volumes that differ, `known` those of them that were there before, and others."""
    other = changed.intersection(known)
    if not other:  # then what both share does not matter
        before, after = unshared(before, after)
    old: dict[str, AnyTarget] = by_key("target_id", before)
    new: dict[str, AnyTarget] = by_key("target_id", after)
    pairs = [(old.get(one), new.get(one)) for one in dict.fromkeys((*old, *new))]
    found = [_part(*pair, changed) for pair in pairs if not _same(*pair) or (other and _serves(pair[1], other))]
    return _Parts(
        tuple(was for was, _ in found if was is not None), tuple(becomes for _, becomes in found if becomes is not None)
    )


def _serves(target: ExportTarget | ExportSubsystem | None, volumes: set[str]) -> bool:
    return target is not None and not volumes.isdisjoint(keys("volume_id", target.luns))


def _part(
    was: AnyTarget | None, becomes: AnyTarget | None, changed: set[str]
) -> tuple[AnyTarget | None, AnyTarget | None]:
    """Only the LUNs that differ, if nothing but LUNs does."""
    if was is None or becomes is None or was.model_copy(update={"luns": becomes.luns}) != becomes:
        return was, becomes
    old, new = (was.luns, becomes.luns) if changed else unshared(was.luns, becomes.luns)
    same = frozenset(map(_identity, old)) & frozenset(map(_identity, new))

    def differs(lun: ExportLun) -> bool:
        return _identity(lun) not in same or lun.volume_id in changed

    return (
        was.model_copy(update={"luns": tuple(filter(differs, old))}),
        becomes.model_copy(update={"luns": tuple(filter(differs, new))}),
    )


def _identity(lun: ExportLun) -> tuple[str, int, str]:
    return lun.mapping_id, lun.lun, lun.volume_id


def _state(
    of: ExportSet,
    targets: tuple[ExportTarget, ...],
    subsystems: tuple[ExportSubsystem, ...],
    volumes: tuple[ExportVolume, ...],
) -> ExportSet:
    return of.model_copy(update={"targets": targets, "subsystems": subsystems, "volumes": volumes})


def _is_plain_scsi(found: Difference) -> bool:
    """Nothing of another system is in it. Every Fibre Channel port has every mapping."""
    prefix = target_prefix(found.whole.appliance_id)
    targets = (*found.before.targets, *found.after.targets)
    return not found.whole.fc_ports and all(target.iqn.startswith(prefix) for target in targets)


def _are_plain_portals(found: Difference) -> bool:
    """Those that differ are TCP portals of the kernel's targets, and everything that is served through them is ours.
    What listens over RDMA depends on devices; a portal of SPDK may change which engine serves NVMe.
    """
    differing = set(found.before.portals) ^ set(found.after.portals)
    prefix = target_prefix(found.whole.appliance_id)
    return (
        all(portal.protocol in (Protocol.ISCSI, Protocol.NVME_TCP) for portal in differing)
        and all(one.engine is not ExportEngine.SPDK for one in (*found.before.portals, *found.after.portals))
        and all(target.iqn.startswith(prefix) for target in found.same_targets)
        and not any(subsystem.adopted for subsystem in found.same_subsystems)
    )


def _is_plain_nvme(found: Difference, before: ExportSet) -> bool:
    """Nothing was adopted; a subsystem that stays differs in its LUNs only, and one that comes or goes shares its hosts
    with no other: the key of a host opens all the subsystems that it may use.
    """
    whole = found.whole
    if whole.nvme_leftovers or any(portal.adopted for portal in whole.portals):
        return False
    old = {one.target_id: one for one in found.before.subsystems}
    new = {one.target_id: one for one in found.after.subsystems}
    if any(one.adopted for one in (*old.values(), *new.values())):
        return False
    if any(old[id_].model_copy(update={"luns": new[id_].luns}) != new[id_] for id_ in old.keys() & new.keys()):
        return False
    moving = {host.nqn for id_ in old.keys() ^ new.keys() for host in (old.get(id_) or new[id_]).hosts}
    return not moving or not any(
        count > 1 and nqn in moving
        for state in (before, whole)
        for nqn, count in Counter(host.nqn for one in state.subsystems for host in one.hosts).items()
    )
