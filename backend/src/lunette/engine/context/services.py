"""What changes and background work need in addition to the transaction: identities, the observed machine, threads to
wake.
"""

from collections.abc import Callable
from dataclasses import dataclass

from lunette.domain.encryption import KeyOrder
from lunette.domain.exports import ConvergeReport
from lunette.domain.identity import IdentitySource
from lunette.domain.observations import Observation, SessionsObservation
from lunette.domain.performance import Key, Rates
from lunette.domain.steps import AnyStep


def _nothing() -> None:
    """Wakes no thread."""


def _no_report() -> ConvergeReport | None:
    return None


def _no_rates(_key: Key) -> Rates | None:
    return None


@dataclass(frozen=True)
class Services:
    """`seen` and `sessions` raise Unavailable if the agent does not answer. The wake functions are for after the
    commit.
    """

    identities: IdentitySource
    seen: Callable[[], Observation]
    sessions: Callable[[], SessionsObservation]
    wake_reconciler: Callable[[], None]
    enqueue: Callable[[str], None]
    """Queues the job with this ID."""
    do_now: Callable[[AnyStep], object]
    """Runs a step outside of any job, in the agent; raises the agent's refusal."""
    use_key: Callable[[KeyOrder], str | None]
    """Sends an order about a key to the agent; raises its refusal."""
    wake_scheduler: Callable[[], None] = _nothing
    wake_backups: Callable[[], None] = _nothing
    exports: Callable[[], ConvergeReport | None] = _no_report
    """The last converge report; None before the first."""
    rates_of: Callable[[Key], Rates | None] = _no_rates
    """Current rates of a session, disk, port or volume; None if nothing is counted."""
