"""The firewall of the appliance. The settings choose its mode."""

from sqlalchemy import select

from lunette.api.answers.firewall import Firewall, firewall_answer
from lunette.api.answers.seen import Observed
from lunette.api.openapi.responses import refusals, router
from lunette.api.requests.observed import FRESH_S
from lunette.api.requests.services import UsedServices
from lunette.domain.errors import Unavailable
from lunette.store.resources import Portal

routes = router("/firewall", "interfaces")


@routes.get("", operation_id="firewall_show", response_model=Firewall, responses=refusals())
def firewall_show(services: UsedServices) -> Firewall:
    """Shows the state of the firewall and its open ports.

    The response also names the interfaces that are closed to management. The settings choose the mode of the firewall.
    """
    seen = Observed(services.control.observation(FRESH_S, amid_steps=True), None)
    if seen.observation is None or seen.observation.firewall is None:
        raise Unavailable("The agent has not inspected the firewall yet: retry in a few seconds.")
    with services.store.read() as tx:
        portals = tx.scalars(select(Portal).order_by(Portal.name)).all()
    return firewall_answer(seen.observation.firewall, portals, seen.age_s)
