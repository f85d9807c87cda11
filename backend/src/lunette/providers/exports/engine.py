"""The interface of an export engine for the agent: LIO, nvmet or SPDK.

In each run the engines first clear what they must release, then those in charge start and converge. Each gets the
volumes that the others hold as `held`: a volume is served by one engine at a time (DESIGN R13).
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from lunette.domain.exports import ConvergeReport, ExportSet, ObservedSession, UnseenSessions
from lunette.domain.mappings import Family
from lunette.providers.exports.difference import Difference
from lunette.providers.exports.turn import Turn
from lunette.system.system_port import System


class Engine(ABC):
    """An engine has no state of its own: it is read from the kernel or from its process each time."""

    family: ClassVar[Family]
    uncounted: ClassVar[UnseenSessions | None] = None
    """Which counters this engine does not have; None if it has all of them."""

    @abstractmethod
    def part(self, wanted: ExportSet) -> ExportSet:
        """The part of the desired state that this engine has to serve; empty while another engine is in charge."""

    def is_in_charge(self, wanted: ExportSet) -> bool:
        """Whether this engine serves its family. Only the engine in charge starts, converges and reports."""
        return True

    def prepare(self, system: System) -> str | None:
        """Load the engine as far as the appliance needs to offer it. Returns what is missing, in words."""
        return None

    def start(self, system: System, part: ExportSet) -> str | None:
        """Start the engine to serve its part. Returns why it cannot, in words."""
        return self.prepare(system)

    def clear(self, system: System, part: ExportSet) -> int:
        """Remove what is not in its part, before another engine may need the devices. Returns the number of changes.

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
        """Serve the part. By volume ID, `reasons` are why devices are missing, `held` why they must not be opened."""

    def converge_part(
        self,
        system: System,
        difference: Difference,
        *,
        reasons: Mapping[str, str],
        held: Mapping[str, str],
        not_listening: Mapping[str, str],
    ) -> ConvergeReport | None:
        """Serve only what differs, and report on that alone. None if everything has to be served, as always by this
        engine, or because something is in the way.

        `reasons` and `held` as for `converge`; `not_listening` are portals that could not listen, by ID.
        """
        return None

    @abstractmethod
    def is_served(self, system: System) -> bool:
        """True if any export of an appliance, under any appliance ID, exists or may exist in the engine."""

    @abstractmethod
    def exported_volumes(self, system: System, served: ExportSet | None) -> frozenset[str] | None:
        """IDs of the volumes that the engine has open; None if unknown. `served` is the ledger's state."""

    @abstractmethod
    def observe_sessions(
        self, system: System, served: ExportSet | None
    ) -> tuple[tuple[ObservedSession, ...], UnseenSessions | None]:
        """Sessions of hosts, and why there may be more that cannot be seen."""

    @abstractmethod
    def withdraw(self, system: System, served: ExportSet | None) -> dict[str, str]:
        """Close every path and remove all exports of this appliance. Returns what was refused, by path."""

    def open_devices(self, system: System) -> frozenset[str] | None:
        """Real paths of devices that are in use without an exclusive claim, also by exports of other systems. None if
        they are not known."""
        return frozenset()

    def with_leftovers(self, system: System, served: ExportSet | None, wanted: ExportSet) -> ExportSet:
        """The desired state with the adopted objects that were released and still exist."""
        return wanted
