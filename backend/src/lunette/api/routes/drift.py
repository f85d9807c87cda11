"""Drift: differences between desired and observed state."""

from lunette.api.openapi.responses import refusals, router
from lunette.api.requests.observed import look
from lunette.api.requests.parts import UsedParts
from lunette.domain.drift import DriftReport

routes = router("/drift", "drift")


@routes.get("", operation_id="drift_show", response_model=DriftReport, responses=refusals())
def drift_show(parts: UsedParts) -> DriftReport:
    """Shows the drift: all differences between desired and observed state.

    Each difference has a description and a fix. Nothing is changed.
    """
    seen = look(parts)
    with parts.store.read() as tx:
        return parts.control.drift(tx, seen.seen.observation, seen.away)
