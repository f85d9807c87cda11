"""The interface of an array engine for the planner. Pure. `array_engines.py` lists the engines.

An engine is a class in its `planning.py`. A fact about it is an attribute here, and what only some engines do is a
method that does nothing for the others: no other module compares the names of engines.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from lunette.domain.array_changes import (
    ArrayAddDisks,
    ArrayAddSpares,
    ArrayDiskChoice,
    ArrayForceStart,
    ArrayGrow,
    ArrayPatch,
    ArrayReplace,
    ArrayReshape,
    ArrayScrub,
)
from lunette.domain.arrays import (
    ArrayCreate,
    ArrayEngine,
    EngineCapability,
    Level,
    ObservedArray,
    Raid10Layout,
    ScrubOutcome,
    WriteHole,
)
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import FieldProblem, Invalid
from lunette.domain.foreign_arrays import FoundArray
from lunette.domain.observations import Observation, Part
from lunette.domain.plans import Plan
from lunette.domain.steps import AnyStep, GroupCreate, KeptVolume, LuksCreate, MemberDisk
from lunette.domain.volumes import ObservedGroup, VolumeEngine
from lunette.planner.engines import scrub_words
from lunette.planner.engines.known_array import KnownArray

NO_FORCE = "array {} uses engine {}, which never keeps an array stopped because of interrupted writes"


@dataclass(frozen=True)
class Blueprint:
    """An array as one engine would create it: `create` creates the array itself, `group` its volume group."""

    uuid: str
    engine_name: str
    """The name by which the engine knows it."""
    group_name: str
    create: AnyStep | None
    """None if another system created it."""
    group: GroupCreate | None
    """None if volumes are allocated from the array itself."""
    chunk_bytes: int | None
    write_hole: WriteHole
    member_bytes: int
    size_bytes: int
    layout: Raid10Layout | None = None
    draid: str | None = None
    """Of a draid: its layout, in the notation of zpool."""
    warnings: tuple[str, ...] = ()
    """Warnings before it is created."""
    crypt: LuksCreate | None = None
    """Between the two, if it is encrypted."""

    @property
    def steps(self) -> tuple[AnyStep, ...]:
        return tuple(step for step in (self.create, self.crypt, self.group) if step is not None)


class ArrayChangePlanning(Protocol):
    """Plans for an existing array; each raises Invalid if the engine does not offer the change."""

    LABEL: str
    """Name of the engine in a sentence."""
    WHEN_BACK: str
    """Advice for a lost disk that is attached again, up to the word before "it"; a format string with {array} and
    {disk}.
    """

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

    def plan_release_disk(self, array: KnownArray, disk: MemberDisk) -> Plan: ...


class ArrayPlanning(ABC):
    """The pure half of an array engine. Its other half works on the machine (providers/arrays/machine.py)."""

    engine: ClassVar[ArrayEngine]
    volumes: ClassVar[VolumeEngine]
    """The volume engine for its arrays."""
    parts: ClassVar[tuple[Part, ...]]
    """The parts that must have been read before an unobserved array is known to be missing."""
    changes: ClassVar[ArrayChangePlanning]
    takes_unidentified_disks: ClassVar[bool] = False
    """Whether it recognizes its disks by what it wrote on them, even if nothing else identifies the disk."""
    fills_lost_places: ClassVar[bool] = False
    """Whether a spare automatically replaces a lost member, so that the set of spares changes without a request."""
    shares_spares: ClassVar[bool] = False
    """Whether an array can give a spare to another array of its spare group."""
    has_parity_log: ClassVar[bool] = False
    """Whether an array can have a partial parity log."""
    changes_level: ClassVar[bool] = False
    """Whether the level of an existing array can change."""
    is_enlarged_elsewhere: ClassVar[bool] = False
    """Whether the device below the volume group can become larger without a request to Lunette."""
    can_adopt: ClassVar[bool] = False
    """Whether an array of another system can be adopted."""

    @abstractmethod
    def capability(self) -> EngineCapability:
        """Its abilities if nothing were missing."""

    @abstractmethod
    def problems(self, spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> tuple[FieldProblem, ...]:
        """What the engine cannot do with these disks, each with the field, its value and the rule."""

    @abstractmethod
    def blueprint(self, array_id: str, uuid: str, spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> Blueprint:
        """The array as the engine would create it. The spec has no problems."""

    @abstractmethod
    def usable_bytes(self, spec: ArrayCreate, disks: Sequence[ObservedDisk], block_bytes: int) -> int:
        """Total capacity of volumes with blocks of this size, in bytes."""

    @abstractmethod
    def small_write_ios(self, spec: ArrayCreate, block_bytes: int) -> float:
        """Number of disk reads and writes for one small write of a host."""

    @abstractmethod
    def destroy_steps(
        self, array_id: str, uuid: str, size_bytes: int, members: Sequence[MemberDisk], kept: Sequence[KeptVolume] = ()
    ) -> tuple[AnyStep, ...]:
        """`kept` are the deleted volumes that are erased with it."""

    @abstractmethod
    def foresee(self, seen: Observation, step: AnyStep) -> Observation:
        """The machine after this step, as far as arrays of this engine are concerned. A step of another engine changes
        nothing.
        """

    @abstractmethod
    def may_carry(self, uuid: str, disk: ObservedDisk) -> bool:
        """True if a disk with readable content may carry a part of the array of this UUID."""

    @abstractmethod
    def plan_grow(self, array: KnownArray, spec: ArrayGrow, seen: Observation, owners: Mapping[str, str]) -> Plan:
        """Disks become members. Raises Invalid if the engine does not offer it."""

    @abstractmethod
    def plan_reshape(self, array: KnownArray, spec: ArrayReshape, seen: Observation, owners: Mapping[str, str]) -> Plan:
        """Changes the level or chunk size. Raises Invalid if the engine does not offer it."""

    def plan_force_start(self, array: KnownArray, spec: ArrayForceStart, _seen: Observation) -> Plan:
        """Force-starts an array that stays stopped. Raises Invalid if the engine never keeps one stopped or the
        confirmation is wrong, Conflict if there is nothing to force.
        """
        message = NO_FORCE.format(array.name, array.engine.value)
        problem = FieldProblem(field="confirm", value=spec.confirm, message=message)
        raise Invalid(f"Array {array.name} was not started: {message}.", errors=(problem,))

    def plan_finish(
        self, array: KnownArray, wanted: WriteHole, found: ObservedArray, pool: ObservedGroup | None, seen: Observation
    ) -> Plan | None:
        """What remains to be done for an array that grows or changes its level; None while nothing can be done. A plan
        without steps: all is done. `pool`: its volume group, if observed.
        """
        return None

    def plan_exchange(
        self, array: KnownArray, wanted: WriteHole, found: ObservedArray, seen: Observation
    ) -> Plan | None:
        """The change that gives the array the protection against the write hole that its disks allow; None if it has
        it.
        """
        return None

    def plan_spares(self, array: KnownArray, found: ObservedArray) -> Plan | None:
        """The next spare that replaces a lost disk or becomes available again; None if there is none, or the engine
        moves its spares itself.
        """
        return None

    def scrub_words(self, level: Level, outcome: ScrubOutcome) -> str:
        """What a scrub found, after "A scrub of array tank". Called only if it found something."""
        return scrub_words.found(level, outcome)

    def scrub_advice(self, array: str, level: Level, outcome: ScrubOutcome) -> tuple[str, str]:
        """Cause and fix for what a scrub found. `array` is the name."""
        return scrub_words.advice(self.changes.LABEL, array, level, outcome)

    def split_name(self, engine_name: str) -> tuple[str, str]:
        """Home host ("" if there is none) and name of an array, from its name in the engine."""
        return "", engine_name

    def adopt_refusal(self, found: FoundArray) -> str:
        """Why no array of this engine can be adopted; called only without `can_adopt`."""
        return f"it is an array of engine {self.engine.value}, which cannot be adopted."
