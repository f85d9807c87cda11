"""Health for load balancers, and the appliance's status for people."""

from importlib.metadata import version

from lunette.api.answers.base import Page
from lunette.api.answers.system import Engine, Health, Status, engine_answer
from lunette.api.declare import LISTED, refusals, router
from lunette.api.looking import FRESH_S, look, sessions_now
from lunette.api.paging import Paging, seen_page
from lunette.api.parts import UsedParts
from lunette.api.status import status_answer
from lunette.store.settings import read_settings

routes = router("", "status")


@routes.get("/health", operation_id="health_show", response_model=Health, responses=refusals())
def health_show() -> Health:
    """Tells that the API answers. Needs no credentials and tells nothing else."""
    return Health(status="ok")


@routes.get("/status", operation_id="status_show", response_model=Status, responses=refusals())
def status_show(parts: UsedParts) -> Status:
    """The appliance at a glance: health in one sentence, what is exported, how many of everything."""
    seen, sessions = look(parts), sessions_now(parts)
    with parts.store.read() as tx:
        return status_answer(
            tx, seen, sessions, name=read_settings(tx).name or parts.name(), version=version("lunette")
        )


@routes.get("/engines", operation_id="engine_list", response_model=Page[Engine], responses=LISTED)
def engine_list(parts: UsedParts, page: Paging) -> Page[Engine]:
    """What every engine can do on this machine, and what keeps it from being available."""
    engines = [engine_answer(capability) for capability in parts.control.observation(FRESH_S, amid_steps=True).engines]
    found = seen_page(engines, page, "engine", lambda engine, _: (engine.engine, engine.kind))
    return Page(items=tuple(found.rows), next_cursor=found.next_cursor, total=found.total)
