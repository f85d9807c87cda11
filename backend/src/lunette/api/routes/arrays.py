"""Arrays: redundancy over disks."""

from typing import Annotated, Literal

from fastapi import Query, Response
from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.api.answers.arrays import Array, ArrayCapacity, capacity_answer
from lunette.api.answers.base import Page
from lunette.api.lists.paging import NameFilter, Paging, name_like, stored_page
from lunette.api.openapi.responses import JOB_CREATED, JOB_DELETED, LISTED, SHOWN, changed, refusals, router
from lunette.api.requests import joins
from lunette.api.requests.changes import Cascade, Changing, Creating, Taking, answer
from lunette.api.requests.jobs import only_jobs
from lunette.api.requests.lookup import Reference, find
from lunette.api.requests.observed import observed_now
from lunette.api.requests.services import UsedServices
from lunette.domain.array_changes import ArrayPatch
from lunette.domain.arrays import ArrayCreate, Level
from lunette.domain.jobs import ResourceState
from lunette.engine.changes import array_changes, arrays
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.store.resources import Array as ArrayRow

routes = router("/arrays", "arrays")
_COLUMNS = {
    "id": ArrayRow.id,
    "name": ArrayRow.name,
    "level": ArrayRow.level,
    "state": ArrayRow.state,
    "usable_bytes": ArrayRow.size_bytes,
    "created_at": ArrayRow.created_at,
}
Sort = Annotated[
    Literal[
        "name",
        "-name",
        "level",
        "-level",
        "state",
        "-state",
        "usable_bytes",
        "-usable_bytes",
        "created_at",
        "-created_at",
    ],
    Query(description="Field to sort by. A leading `-` sorts in descending order."),
]


@routes.get("", operation_id="array_list", response_model=Page[Array], responses=LISTED)
def array_list(
    services: UsedServices,
    page: Paging,
    sort: Sort = "name",
    name: NameFilter = None,
    state: Annotated[ResourceState | None, Query(description="Only arrays in this state.")] = None,
    level: Annotated[Level | None, Query(description="Only arrays of this level.")] = None,
) -> Page[Array]:
    """Lists the arrays, with their observed health."""
    query = select(ArrayRow).where(*name_like(ArrayRow.name, name))
    query = query.where(ArrayRow.state == state.value) if state else query
    query = query.where(ArrayRow.level == level.value) if level else query
    seen = observed_now(services)
    with services.store.read() as tx:
        found = stored_page(tx, query, page, sort, _COLUMNS)
        items = tuple(joins.arrays(tx, found.rows, seen))
    return Page(items=items, next_cursor=found.next_cursor, total=found.total)


@routes.get("/{array:plain}", operation_id="array_show", response_model=Array, responses=SHOWN)
def array_show(array: Reference, services: UsedServices) -> Response:
    """Shows an array, by ID or name."""
    seen = observed_now(services)
    with services.store.read() as tx:
        row = find(tx, ArrayRow, array, ArrayRow.name)
        return answer(joins.arrays(tx, [row], seen)[0], version=row.version)


@routes.get(
    "/{array:plain}/capacity", operation_id="array_capacity", response_model=ArrayCapacity, responses=refusals(404)
)
def array_capacity(array: Reference, services: UsedServices) -> ArrayCapacity:
    """Shows the used space of an array from day to day, and when the array will be full.

    The trend needs 7 recorded days.
    """
    with services.store.read() as tx:
        id_ = find(tx, ArrayRow, array, ArrayRow.name).id
    return capacity_answer(services.control.capacity.history(id_))


@routes.post("", operation_id="array_create", status_code=202, response_model=None, responses=JOB_CREATED)
def array_create(body: ArrayCreate, change: Creating) -> Response:
    """Creates an array from disks.

    A disk with signatures is refused unless `wipe` lists the disk, which destroys the data on the disk. Returns a job.
    """
    return change.apply(lambda context: arrays.create(context, body), only_jobs, looks=True)


@routes.patch("/{array:plain}", operation_id="array_patch", response_model=None, responses=changed(Array))
def array_patch(array: Reference, body: ArrayPatch, change: Changing) -> Response:
    """Changes the speed limits, tuning and other settings of an array.

    The settings are stored and applied again at every start. Omitted fields stay unchanged. Requires `If-Match`.
    """

    def act(context: ChangeContext) -> Outcome:
        row = find(context.tx, ArrayRow, array, ArrayRow.name)
        change.check_match(row.version)
        return array_changes.patch(context, row.id, body)

    def show(tx: Session, outcome: Outcome) -> Response:
        row = tx.get_one(ArrayRow, outcome.ids[0])
        return answer(joins.arrays(tx, [row], observed_now(change.services))[0], version=row.version)

    return change.apply(act, show)


@routes.delete(
    "/{array:plain}", operation_id="array_delete", status_code=202, response_model=None, responses=JOB_DELETED
)
def array_delete(array: Reference, change: Taking, cascade: Cascade = False) -> Response:
    """Deletes an array without volumes, and wipes its disks.

    Deleted volumes on the array are erased and can no longer be recovered. With `cascade`, its volumes are erased too,
    with their mappings and snapshots. Volumes that hosts used within the last minute must be named in `confirm` then.
    Requires `If-Match`. Returns a job.
    """

    def act(context: ChangeContext) -> Outcome:
        row = find(context.tx, ArrayRow, array, ArrayRow.name)
        change.check_match(row.version)
        return arrays.delete(context, row.id, cascade=cascade)

    return change.apply(act, only_jobs, looks=True)
