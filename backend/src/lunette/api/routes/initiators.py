"""Initiators that were seen but belong to no host."""

from typing import Annotated

from fastapi import Query
from sqlalchemy import select

from lunette.api.answers.base import Page
from lunette.api.answers.initiators import Initiator, unknown_initiators
from lunette.api.lists.paging import Paging, observed_page
from lunette.api.openapi.responses import LISTED, router
from lunette.api.requests.observed import FRESH_S
from lunette.api.requests.services import UsedServices
from lunette.domain.agent_protocol import ObserveRefused
from lunette.domain.hosts import InitiatorKind
from lunette.store.resources import HostInitiator

routes = router("/initiators", "initiators")


@routes.get("", operation_id="initiator_list", response_model=Page[Initiator], responses=LISTED)
def initiator_list(
    services: UsedServices,
    page: Paging,
    kind: Annotated[InitiatorKind | None, Query(description="Only initiators of this kind.")] = None,
) -> Page[Initiator]:
    """Lists the initiators that belong to no host.

    The list contains ports on the Fibre Channel fabric, initiators that are logged in, and initiators whose iSCSI login
    was refused in the last 24 hours. Initiators refused over NVMe are missing because the kernel does not record their
    names. Fails with 503 while the agent is unavailable.
    """
    seen, sessions = services.control.observation(FRESH_S, amid_steps=True), services.control.sessions()
    refused = services.control.agent.ask(ObserveRefused())
    with services.store.read() as tx:
        known = {name.lower() for name in tx.scalars(select(HostInitiator.name))}
    found = [one for one in unknown_initiators(seen, sessions, known, refused) if kind in (None, one.kind)]
    shown = observed_page(found, page, "name", lambda one, _: (one.name, one.name))
    return Page(items=tuple(shown.rows), next_cursor=shown.next_cursor, total=shown.total)
