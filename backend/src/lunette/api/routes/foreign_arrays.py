"""Foreign arrays, created by other systems: list, start read-only, and adopt."""

from contextlib import suppress
from typing import Annotated

from fastapi import Path, Response

from lunette.api.answers.base import Page
from lunette.api.answers.foreign_arrays import ForeignArray, foreign_array_answer
from lunette.api.lists.paging import Paging, observed_page
from lunette.api.openapi.responses import JOB_CREATED, LISTED, router
from lunette.api.requests.changes import Creating
from lunette.api.requests.jobs import only_jobs
from lunette.api.requests.services import UsedServices
from lunette.domain.agent_protocol import ObserveForeignArrays
from lunette.domain.errors import Unavailable
from lunette.domain.foreign_arrays import ForeignArrayAdopt
from lunette.engine.changes import foreign_arrays

routes = router("/foreign-arrays", "foreign arrays")
Uuid = Annotated[str, Path(description="ID of the foreign array, as the list of foreign arrays shows it.")]


@routes.get("", operation_id="foreign_array_list", response_model=Page[ForeignArray], responses=LISTED)
def foreign_array_list(services: UsedServices, page: Paging) -> Page[ForeignArray]:
    """Lists the foreign arrays: MD RAID arrays and ZFS pools created by other systems.

    Each entry shows the next possible step. No array is started: of stopped arrays, only superblocks and pool labels
    are read. Arrays of Lunette are listed if they carry logical volumes that Lunette does not know.
    """
    found = services.control.agent.ask(ObserveForeignArrays())
    with services.store.read() as tx:
        items = [foreign_array_answer(one) for one in foreign_arrays.foreign(tx, services.control.services, found)]
    rows = observed_page(items, page, "name", lambda item, _: (item.name, item.id))
    return Page(items=tuple(rows.rows), next_cursor=rows.next_cursor, total=rows.total)


@routes.post(
    "/{foreign_array:plain}:start",
    operation_id="foreign_array_start",
    status_code=202,
    response_model=None,
    responses=JOB_CREATED,
)
def foreign_array_start(foreign_array: Uuid, change: Creating) -> Response:
    """Starts a stopped foreign array read-only, to show its content.

    All disks of the array must be present. Nothing is written to them. Returns a job.
    """
    which = _look(change, foreign_array)
    return change.apply(
        lambda context: foreign_arrays.start(context, which),
        only_jobs,
    )


@routes.post(
    "/{foreign_array:plain}:adopt",
    operation_id="foreign_array_adopt",
    status_code=202,
    response_model=None,
    responses=JOB_CREATED,
)
def foreign_array_adopt(foreign_array: Uuid, body: ForeignArrayAdopt, change: Creating) -> Response:
    """Adopts a running foreign array, and its logical volumes as volumes.

    The data on adopted volumes stays unchanged. With `make_group`, a volume group is created on an array without one,
    which overwrites data at the beginning of the array. Returns a job.
    """
    which = _look(change, foreign_array)
    return change.apply(
        lambda context: foreign_arrays.adopt(context, which, body),
        only_jobs,
    )


def _look(change: Creating, uuid: str) -> foreign_arrays.Which:
    """The current state of the array and the machine, read before any transaction begins."""
    with suppress(Unavailable):
        change.control.observation(max_age_s=0)
    return foreign_arrays.Which(change.control.agent.ask(ObserveForeignArrays()), uuid)
