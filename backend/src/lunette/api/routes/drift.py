"""Where the machine and the database differ."""

from lunette.api.declare import refusals, router
from lunette.api.looking import look
from lunette.api.parts import UsedParts
from lunette.domain.drift import DriftReport

routes = router("/drift", "drift")


@routes.get("", operation_id="drift_show", response_model=DriftReport, responses=refusals())
def drift_show(parts: UsedParts) -> DriftReport:
    """What the machine has and the database does not, and the reverse, in words with the fix. Nothing is changed."""
    seen = look(parts)
    with parts.store.read() as tx:
        return parts.control.drift(tx, seen.seen.observation, seen.away)
