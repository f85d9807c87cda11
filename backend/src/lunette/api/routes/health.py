"""Health for load balancers, and the status of the appliance."""

from importlib.metadata import version

from lunette.api.answers.base import Page
from lunette.api.answers.system import Engine, Health, Status, engine_answer
from lunette.api.appliance.status import status_answer
from lunette.api.lists.paging import Paging, observed_page
from lunette.api.openapi.responses import LISTED, refusals, router
from lunette.api.requests.observed import FRESH_S, machine_view, sessions_now
from lunette.api.requests.services import UsedServices
from lunette.store.settings import read_settings

routes = router("", "status")


@routes.get("/health", operation_id="health_show", response_model=Health, responses=refusals())
def health_show() -> Health:
    """Confirms that the API responds.

    Needs no credentials and returns nothing else.
    """
    return Health(status="ok")


@routes.get("/status", operation_id="status_show", response_model=Status, responses=refusals())
def status_show(services: UsedServices) -> Status:
    """Shows the status of the appliance: health, exports, and number of resources."""
    seen, sessions = machine_view(services), sessions_now(services)
    with services.store.read() as tx:
        return status_answer(
            tx, seen, sessions, name=read_settings(tx).shown_name(services.name()), version=version("lunette")
        )


@routes.get("/engines", operation_id="engine_list", response_model=Page[Engine], responses=LISTED)
def engine_list(services: UsedServices, page: Paging) -> Page[Engine]:
    """Lists the engines, with their capabilities and why an engine is unavailable."""
    engines = [
        engine_answer(capability) for capability in services.control.observation(FRESH_S, amid_steps=True).engines
    ]
    found = observed_page(engines, page, "engine", lambda engine, _: (engine.engine, engine.kind))
    return Page(items=tuple(found.rows), next_cursor=found.next_cursor, total=found.total)
