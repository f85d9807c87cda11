"""Drift: differences between desired and observed state."""

from lunette.api.openapi.responses import refusals, router
from lunette.api.requests.observed import machine_view
from lunette.api.requests.services import UsedServices
from lunette.domain.drift import DriftReport

routes = router("/drift", "drift")


@routes.get("", operation_id="drift_show", response_model=DriftReport, responses=refusals())
def drift_show(services: UsedServices) -> DriftReport:
    """Shows the drift: all differences between desired and observed state.

    Each difference has a description and a fix. Nothing is changed.
    """
    seen = machine_view(services)
    with services.store.read() as tx:
        return services.control.drift(tx, seen.seen.observation, seen.away)
