"""What the agent asks of an export engine, whichever it is: LIO, nvmet or SPDK.

In each run the engines first clear what they must give up, then those in charge start and converge. Each of them gets
the volumes that the others hold as `held`: a volume is served by one engine at a time (DESIGN R13).
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from lunette.domain.exports import ConvergeReport, ExportSet, ObservedSession, UnseenSessions
from lunette.domain.mappings import Family
from lunette.providers.exports.turn import Turn
from lunette.system.doorway import System


class Engine(ABC):
    """An engine has no state of its own: it is found in the kernel or in its program each time."""

    family: ClassVar[Family]
    uncounted: ClassVar[UnseenSessions | None] = None
    """Which counters this engine does not have; None if it has all of them."""

    @abstractmethod
    def part(self, wanted: ExportSet) -> ExportSet:
        """What of the desired state this engine has to serve; nothing while another engine is in charge."""

    def is_in_charge(self, wanted: ExportSet) -> bool:
        """Whether this engine serves its family. Only the engine in charge starts, converges and reports."""
        return True

    def prepare(self, system: System) -> str | None:
        """Bring the engine up as far as it must be for the appliance to offer it. What is missing, in words."""
        return None

    def start(self, system: System, part: ExportSet) -> str | None:
        """Bring the engine up to serve its part. Why it cannot, in words."""
        return self.prepare(system)

    def clear(self, system: System, part: ExportSet) -> int:
        """Remove what is not in its part, before another engine may need the devices. Number of changes.

        An engine that claims its devices may do so in `converge` instead.
        """
        return 0

    @abstractmethod
    def holders(self, system: System, part: ExportSet) -> dict[str, str]:
        """Volumes in the part of another engine that this engine holds or may hold: reason by volume id."""

    @abstractmethod
    def converge(
        self, system: System, part: ExportSet, *, reasons: Mapping[str, str], held: Mapping[str, str], turn: Turn
    ) -> ConvergeReport:
        """Serve the part. By volume id, `reasons` are why devices are missing, `held` why they must not be opened."""

    @abstractmethod
    def is_served(self, system: System) -> bool:
        """Whether any export of this appliance, under whatever appliance id, exists or may exist in the engine."""

    @abstractmethod
    def exported_volumes(self, system: System, served: ExportSet | None) -> frozenset[str] | None:
        """Ids of the volumes that the engine has open; None if they are not known. `served` is the ledger's state."""

    @abstractmethod
    def observe_sessions(
        self, system: System, served: ExportSet | None
    ) -> tuple[tuple[ObservedSession, ...], UnseenSessions | None]:
        """Sessions of hosts, and why there may be more that are not seen."""

    @abstractmethod
    def withdraw(self, system: System, served: ExportSet | None) -> dict[str, str]:
        """Close every path and remove all exports of this appliance. What was refused, by path."""

    def open_devices(self, system: System) -> frozenset[str] | None:
        """Real paths of devices that are in use although nobody claims them, also by exports of other systems. None if
        they are not known."""
        return frozenset()

    def with_leftovers(self, system: System, served: ExportSet | None, wanted: ExportSet) -> ExportSet:
        """The desired state with the adopted objects that were released and still exist."""
        return wanted
