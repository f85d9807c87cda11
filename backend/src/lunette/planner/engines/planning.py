"""What the planner asks of an array engine, whichever it is: pure. `array_engines.py` lists the engines.

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
from lunette.domain.steps import AnyStep, GroupCreate, KeptVolume, LuksCreate, MdMember
from lunette.domain.volumes import ObservedPool, VolumeEngine
from lunette.planner.engines import scrub_words
from lunette.planner.engines.known_array import KnownArray

NO_FORCE = "array {} uses engine {}, which never keeps an array stopped because of interrupted writes"


@dataclass(frozen=True)
class Blueprint:
    """An array as one engine would make it: `create` makes the array itself, `group` what its volumes are cut from."""

    uuid: str
    own_name: str
    """The name the engine knows it by."""
    group_name: str
    create: AnyStep | None
    """None where somebody else made it."""
    group: GroupCreate | None
    """None where volumes are cut from the array itself."""
    chunk_bytes: int | None
    write_hole: WriteHole
    member_bytes: int
    size_bytes: int
    layout: Raid10Layout | None = None
    draid: str | None = None
    """Of a draid: its layout, in the notation of zpool."""
    warnings: tuple[str, ...] = ()
    """What to know of it before it is made."""
    crypt: LuksCreate | None = None
    """Between the two, where it is encrypted."""

    @property
    def steps(self) -> tuple[AnyStep, ...]:
        return tuple(step for step in (self.create, self.crypt, self.group) if step is not None)


class Changing(Protocol):
    """Plans for an array that stands; each raises Invalid where the engine does not offer the change."""

    LABEL: str
    """Name of the engine in a sentence."""
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


class ArrayPlanning(ABC):
    """The pure half of an array engine. Its other half works on the machine (providers/arrays/machine.py)."""

    engine: ClassVar[ArrayEngine]
    volumes: ClassVar[VolumeEngine]
    """What cuts volumes from its arrays."""
    parts: ClassVar[tuple[Part, ...]]
    """What must have been read before an array that is not seen is known to be missing."""
    changes: ClassVar[Changing]
    takes_unidentified_disks: ClassVar[bool] = False
    """Whether it recognises a disk of its own by what it wrote on it, even if nothing else identifies the disk."""
    fills_lost_places: ClassVar[bool] = False
    """Whether a spare automatically becomes a member where one is lost, so which disks are spares changes without a
    request."""
    shares_spares: ClassVar[bool] = False
    """Whether an array can give a spare to another array of its spare group."""
    has_parity_log: ClassVar[bool] = False
    """Whether an array can have a partial parity log."""
    changes_level: ClassVar[bool] = False
    """Whether the level of a standing array can change."""
    is_enlarged_elsewhere: ClassVar[bool] = False
    """Whether the device below the volume group can become larger without a request to Lunette."""
    can_adopt: ClassVar[bool] = False
    """Whether an array that another system made can become ours."""

    @abstractmethod
    def capability(self) -> EngineCapability:
        """What it could do if nothing were missing."""

    @abstractmethod
    def problems(self, spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> tuple[FieldProblem, ...]:
        """What the engine cannot make of these disks, each with the field, its value and the rule."""

    @abstractmethod
    def blueprint(self, array_id: str, uuid: str, spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> Blueprint:
        """The array as the engine would make it. The spec has no problems."""

    @abstractmethod
    def usable_bytes(self, spec: ArrayCreate, disks: Sequence[ObservedDisk], block_bytes: int) -> int:
        """What volumes with blocks of this size could hold together, in bytes."""

    @abstractmethod
    def small_write_ios(self, spec: ArrayCreate, block_bytes: int) -> float:
        """How many reads and writes of disks one small write of a host takes."""

    @abstractmethod
    def destroy_steps(
        self, array_id: str, uuid: str, size_bytes: int, members: Sequence[MdMember], kept: Sequence[KeptVolume] = ()
    ) -> tuple[AnyStep, ...]:
        """`kept` are the deleted volumes that go with it."""

    @abstractmethod
    def foresee(self, seen: Observation, step: AnyStep) -> Observation:
        """The machine as it will be once this step is done, as far as it is about arrays of this engine. A step of
        another engine changes nothing."""

    @abstractmethod
    def may_carry(self, uuid: str, disk: ObservedDisk) -> bool:
        """Whether a disk with readable content may carry a part of the array of this UUID."""

    @abstractmethod
    def plan_grow(self, array: KnownArray, spec: ArrayGrow, seen: Observation, owners: Mapping[str, str]) -> Plan:
        """Disks become members. Raises Invalid where the engine does not offer it."""

    @abstractmethod
    def plan_reshape(self, array: KnownArray, spec: ArrayReshape, seen: Observation, owners: Mapping[str, str]) -> Plan:
        """The array gets another level or chunk. Raises Invalid where the engine does not offer it."""

    def plan_force_start(self, array: KnownArray, spec: ArrayForceStart, _seen: Observation) -> Plan:
        """An array that stays stopped starts all the same. Raises Invalid where the engine never keeps one stopped or
        the confirmation is wrong, Conflict where there is nothing to force."""
        message = NO_FORCE.format(array.name, array.engine.value)
        problem = FieldProblem(field="confirm", value=spec.confirm, message=message)
        raise Invalid(f"Array {array.name} was not started: {message}.", errors=(problem,))

    def plan_finish(
        self, array: KnownArray, wanted: WriteHole, found: ObservedArray, pool: ObservedPool | None, seen: Observation
    ) -> Plan | None:
        """What remains to be done for an array that grows or changes its level; None while nothing can be done. A plan
        without steps: all is done. `pool`: its volume group, if that is seen."""
        return None

    def plan_exchange(
        self, array: KnownArray, wanted: WriteHole, found: ObservedArray, seen: Observation
    ) -> Plan | None:
        """What gives the array the protection against the write hole that its disks allow; None if it has it."""
        return None

    def plan_spares(self, array: KnownArray, found: ObservedArray) -> Plan | None:
        """The next spare that steps in for a lost disk or becomes available again; None if there is none, or the
        engine moves its spares itself."""
        return None

    def scrub_words(self, level: Level, outcome: ScrubOutcome) -> str:
        """What a scrub found, after "A scrub of array tank". There was something."""
        return scrub_words.found(level, outcome)

    def scrub_advice(self, array: str, level: Level, outcome: ScrubOutcome) -> tuple[str, str]:
        """Cause and fix for what a scrub found. `array` is the name."""
        return scrub_words.advice(self.changes.LABEL, array, level, outcome)

    def split_name(self, own_name: str) -> tuple[str, str]:
        """Home host ("" if there is none) and name of an array, from the name that the engine knows it by."""
        return "", own_name

    def adopt_refusal(self, found: FoundArray) -> str:
        """Why no array of this engine can be adopted; asked only without `can_adopt`."""
        return f"it is an array of engine {self.engine.value}, which cannot be adopted."
