"""What the control plane asks of the root agent. `AgentClient` is the real one; tests put an agent in-process."""

from typing import Protocol

from lunette.domain.adopting import Foreign
from lunette.domain.agent_protocol import HelloReply, StepReply
from lunette.domain.counters import Counters
from lunette.domain.encryption import KeyOrder
from lunette.domain.exports import ConvergeReport, ExportSet
from lunette.domain.foreign_arrays import FoundArray
from lunette.domain.observations import Observation, RefusedLogin, SessionsObservation
from lunette.domain.sealed_copies import FoundCopy, SealOrder
from lunette.domain.steps import AnyStep
from lunette.domain.support import SupportFacts
from lunette.domain.updates import BundleFacts, BundleId


class AgentPort(Protocol):
    """Every call raises the agent's own refusal as a domain error, and Unavailable if the agent does not answer."""

    def hello(self) -> HelloReply: ...

    def observe(self) -> Observation: ...

    def sessions(self) -> SessionsObservation: ...

    def refused_logins(self) -> tuple[RefusedLogin, ...]:
        """Initiators of no host that were turned away over iSCSI; none where the kernel's log cannot be read."""
        ...

    def served(self) -> ExportSet | None:
        """The boot ledger without its secrets: what is served, whatever the database says."""
        ...

    def foreign(self) -> Foreign:
        """What LIO and nvmet serve that is not ours, with its secrets."""
        ...

    def foreign_arrays(self) -> tuple[FoundArray, ...]:
        """Every md array, known to the database or not, with what lies on those that run."""
        ...

    def counters(self) -> Counters: ...

    def facts(self) -> SupportFacts:
        """What a support bundle says of the machine."""
        ...

    def await_change(self, known: int, timeout_s: float) -> int:
        """How often drives or arrays changed by themselves; returns once that is not `known`, or the time is over."""
        ...

    def look_at_bundle(self, bundle_id: BundleId) -> BundleFacts:
        """What an uploaded bundle is. Raises NotFound, Conflict for another product, Invalid for one to distrust."""
        ...

    def do_step(self, job_id: str | None, step: AnyStep) -> StepReply: ...

    def undo_step(self, job_id: str, step: AnyStep) -> StepReply: ...

    def converge(self, wanted: ExportSet) -> ConvergeReport: ...

    def read_copies(self, *, degraded: bool = False) -> tuple[FoundCopy, ...]:
        """The sealed copies of all arrays with our mark; those that are down are started for it."""
        ...

    def use_key(self, order: KeyOrder) -> str | None:
        """What was done, None if nothing was to be done. Raises Invalid for a passphrase that does not open it."""
        ...

    def seal_copy(self, order: SealOrder) -> int:
        """Writes an array's sealed copy; returns its generation."""
        ...
