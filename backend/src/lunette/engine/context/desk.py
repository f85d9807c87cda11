"""What every change works with: identities, the snapshot of the machine, and whom to wake after the commit."""

from collections.abc import Callable
from dataclasses import dataclass

from lunette.domain.encryption import KeyOrder
from lunette.domain.identity import IdentitySource
from lunette.domain.observations import Observation, SessionsObservation
from lunette.domain.steps import AnyStep


@dataclass(frozen=True)
class Desk:
    """`seen` and `sessions` raise Unavailable if the agent is away. `wake` and `enqueue` are for after the commit."""

    identities: IdentitySource
    seen: Callable[[], Observation]
    sessions: Callable[[], SessionsObservation]
    wake_reconciler: Callable[[], None]
    enqueue: Callable[[str], None]
    do_now: Callable[[AnyStep], object]
    """Has the agent do a step that is in no job; raises its refusal."""
    use_key: Callable[[KeyOrder], str | None]
    """Has the agent hold or use a key; raises its refusal."""
    wake_scheduler: Callable[[], None] = lambda: None
