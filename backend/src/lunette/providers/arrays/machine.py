"""The interface of an array engine for the agent.

An engine has no state of its own: it reads everything from the machine each time. `machines.py` lists the engines.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import ClassVar

from lunette.domain.arrays import ArrayEngine, EngineCapability, ObservedArray
from lunette.domain.counters import ArrayCounters, BlockCounters
from lunette.domain.disks import ObservedDisk
from lunette.domain.exports import ExportArray
from lunette.domain.foreign_arrays import FoundArray
from lunette.domain.observations import Part
from lunette.domain.volumes import ObservedGroup, ObservedVolume
from lunette.providers.runner import Runners
from lunette.providers.volumes.lvm import parse
from lunette.system.system_port import System


@dataclass(frozen=True)
class Surroundings:
    """What an observation has read before the arrays."""

    disks: Sequence[ObservedDisk]
    all_disks: bool
    """False where `disks` may lack some that are attached."""
    groups: Sequence[parse.Group]
    """The volume groups of LVM."""
    marked: Set[str | None]
    """UUIDs of the arrays whose volume group carries our mark."""


@dataclass(frozen=True)
class ObservedArrays:
    """An engine's observation of its arrays."""

    arrays: tuple[ObservedArray, ...] = ()
    groups: tuple[ObservedGroup, ...] = ()
    """Only those that are arrays at the same time: volume groups are read separately."""
    volumes: tuple[ObservedVolume, ...] = ()
    """Those in `groups`."""


class ArrayMachine(ABC):
    """The half of an array engine that works on the machine. The other half, which is pure, makes its plans."""

    engine: ClassVar[ArrayEngine]
    part: ClassVar[Part]
    """The part of an observation that holds its arrays."""
    steps: ClassVar[Runners] = {}
    """The kinds of step that are only its own."""
    is_ours_by_record: ClassVar[bool] = False
    """Whether an array is ours only if the agent has a record of it, whatever mark it carries."""
    is_found_by_members: ClassVar[bool] = False
    """Whether an array is found by the IDs of its disks alone, so with other disks it has to be verified again."""

    @abstractmethod
    def capability(self, system: System) -> EngineCapability:
        """Its capabilities on this machine, or why it is not available."""

    @abstractmethod
    def observe(self, system: System, around: Surroundings, unread: dict[str, str]) -> ObservedArrays:
        """All its arrays, foreign ones included where the engine sees them.

        What cannot be read goes into `unread`: the reason by the name or UUID of the array, or by "" for all of them.
        Raises LunetteError or OSError if nothing can be read.
        """

    @abstractmethod
    def is_up(self, system: System, array: ExportArray) -> bool:
        """Whether the array runs. Costs little: no command per array."""

    @abstractmethod
    def start(self, system: System, array: ExportArray, *, allow_degraded: bool) -> str | None:
        """Start the array if its disks are attached. None once it runs, otherwise what it waits for, in words."""

    def tend(self, system: System, array: ExportArray, /) -> None:
        """Restore settings that a running array loses. May be called at any time."""

    @abstractmethod
    def activate(self, system: System, array: ExportArray, /) -> None:
        """Bring up every volume of the array; does nothing if they are up.

        Raises Locked while the array waits for its key, Conflict if what is there is not this array.
        """

    @abstractmethod
    def shut_down(self, system: System, still_open: Set[str] | None, /) -> list[str]:
        """Stop all arrays of ours, whose volume groups are down already. What was refused, in words.

        `still_open` are the real paths of devices that are in use although the kernel lets others claim them;
        None if they are not known.
        """

    @abstractmethod
    def counters(
        self, system: System, arrays: Sequence[ExportArray], devices: Mapping[str, BlockCounters]
    ) -> Mapping[str, ArrayCounters | None]:
        """Counters of these arrays by array ID; an array that does not run may be left out or be None.

        `devices`: counters of all block devices by kernel name. Reads files only, and runs no command.
        """

    def array_of(self, signature_uuid: str) -> str | None:
        """UUID of the array that a disk with this signature belongs to, if it can be derived from the UUID of the
        signature. None if not.
        """
        return None

    def group_device(self, system: System, array: ObservedArray, *, degraded: bool) -> str | None:
        """The device with the marked volume group of an array, started if its disks are attached.

        None if no disk carries the array, or it has no volume group. Raises NotFound if disks are missing, unless it
        may start `degraded`; ToolFailed if it does not start; Locked while it waits for its key.
        """
        return None

    def with_copies(self, system: System, disks: Sequence[ObservedDisk]) -> Iterable[ObservedArray]:
        """Arrays with our mark, started or not, which may carry a sealed copy. Raises ToolFailed if some cannot be read
        and might be among them."""
        return ()

    def foreign(self, system: System, disks: Sequence[ObservedDisk]) -> Iterable[FoundArray]:
        """Arrays that can be shown as foreign, with their content. Nothing is written or started for it."""
        return ()
