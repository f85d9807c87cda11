"""What plans changes of a standing array: one module per engine."""

from collections.abc import Callable, Mapping
from typing import Protocol

from lunette.domain.array_changes import (
    ArrayAddDisks,
    ArrayAddSpares,
    ArrayDiskChoice,
    ArrayGrow,
    ArrayPatch,
    ArrayReplace,
    ArrayReshape,
    ArrayScrub,
)
from lunette.domain.arrays import ArrayEngine
from lunette.domain.observations import Observation
from lunette.domain.plans import Plan
from lunette.domain.steps import MdMember
from lunette.planner.engines.external import changes as external_changes
from lunette.planner.engines.known_array import KnownArray
from lunette.planner.engines.lvm import changes as lvm_changes
from lunette.planner.engines.md import changes as md_changes
from lunette.planner.engines.md import growth as md_growth
from lunette.planner.engines.md import reshape as md_reshape
from lunette.planner.engines.zfs import changes as pool_changes


class Changing(Protocol):
    """Plans for an array that stands; each raises Invalid where the engine does not offer the change."""

    WHEN_BACK: str
    """What to do for a lost disk that is attached again, up to the word before "it". Of {array} and {disk}."""

    def plan_add_spares(
        self, array: KnownArray, spec: ArrayAddSpares, seen: Observation, owners: Mapping[str, str]
    ) -> Plan: ...

    def plan_add_disks(
        self, array: KnownArray, spec: ArrayAddDisks, seen: Observation, owners: Mapping[str, str]
    ) -> Plan: ...

    def plan_replace(
        self, array: KnownArray, spec: ArrayReplace, seen: Observation, owners: Mapping[str, str]
    ) -> Plan: ...

    def plan_fail(self, array: KnownArray, spec: ArrayDiskChoice, seen: Observation) -> Plan: ...

    def plan_remove(self, array: KnownArray, spec: ArrayDiskChoice, seen: Observation) -> Plan: ...

    def plan_readd(self, array: KnownArray, spec: ArrayDiskChoice, seen: Observation) -> Plan: ...

    def plan_scrub(self, array: KnownArray, spec: ArrayScrub, seen: Observation) -> Plan: ...

    def plan_patch(self, array: KnownArray, spec: ArrayPatch, low: int | None, high: int | None) -> Plan: ...

    def plan_let_go(self, array: KnownArray, disk: MdMember) -> Plan: ...


PlanGrow = Callable[[KnownArray, ArrayGrow, Observation, Mapping[str, str]], Plan]
_GROWTH: dict[ArrayEngine, PlanGrow] = {
    ArrayEngine.MD: md_growth.plan_grow,
    ArrayEngine.ZFS: pool_changes.plan_grow,
    ArrayEngine.EXTERNAL: external_changes.plan_grow,
    ArrayEngine.LVM: lvm_changes.plan_grow,
}
PlanReshape = Callable[[KnownArray, ArrayReshape, Observation, Mapping[str, str]], Plan]
_RESHAPING: dict[ArrayEngine, PlanReshape] = {
    ArrayEngine.MD: md_reshape.plan_reshape,
    ArrayEngine.ZFS: pool_changes.plan_reshape,
    ArrayEngine.EXTERNAL: external_changes.plan_reshape,
    ArrayEngine.LVM: lvm_changes.plan_reshape,
}
_PLANNERS: dict[ArrayEngine, Changing] = {
    ArrayEngine.MD: md_changes,
    ArrayEngine.ZFS: pool_changes,
    ArrayEngine.EXTERNAL: external_changes,
    ArrayEngine.LVM: lvm_changes,
}


def when_back(engine: ArrayEngine, array: str, disk: str) -> str:
    """What to do for a lost disk that is attached again, up to the word "replace"."""
    return _PLANNERS[engine].WHEN_BACK.format(array=array, disk=disk)


def changing(array: KnownArray) -> Changing:
    """What plans changes of this array."""
    return _PLANNERS[array.engine]


def plan_grow(array: KnownArray, spec: ArrayGrow, seen: Observation, owners: Mapping[str, str]) -> Plan:
    """What makes disks into members of this array. Raises Invalid where the engine does not offer it."""
    return _GROWTH[array.engine](array, spec, seen, owners)


def plan_reshape(array: KnownArray, spec: ArrayReshape, seen: Observation, owners: Mapping[str, str]) -> Plan:
    """What gives this array another level or chunk. Raises Invalid where the engine does not offer it."""
    return _RESHAPING[array.engine](array, spec, seen, owners)
