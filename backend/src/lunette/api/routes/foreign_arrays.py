"""Arrays that others made: seen, started read-only, and adopted."""

from contextlib import suppress

from fastapi import Response

from lunette.api.answers.base import Page
from lunette.api.answers.foreign_arrays import ForeignArray, foreign_array_answer
from lunette.api.changes import Creating
from lunette.api.declare import JOB_CREATED, LISTED, router
from lunette.api.jobs import only_jobs
from lunette.api.paging import Paging, seen_page
from lunette.api.parts import UsedParts
from lunette.domain.errors import Unavailable
from lunette.domain.foreign_arrays import ForeignArrayAdopt
from lunette.engine import foreign_arrays

routes = router("/foreign-arrays", "foreign arrays")


@routes.get("", operation_id="foreign_array_list", response_model=Page[ForeignArray], responses=LISTED)
def foreign_array_list(parts: UsedParts, page: Paging) -> Page[ForeignArray]:
    """The md arrays and ZFS pools here that are not Lunette's, running or not, and what can become of them.

    None is started for it. Of one that does not run only the superblocks, or the labels of the pool, are read.
    """
    found = parts.control.agent.foreign_arrays()
    with parts.store.read() as tx:
        items = [foreign_array_answer(one) for one in foreign_arrays.foreign(tx, parts.control.desk, found)]
    rows = seen_page(items, page, "name", lambda item, _: (item.name, item.id))
    return Page(items=tuple(rows.rows), next_cursor=rows.next_cursor, total=rows.total)


@routes.post(
    "/{foreign_array:plain}:start",
    operation_id="foreign_array_start",
    status_code=202,
    response_model=None,
    responses=JOB_CREATED,
)
def foreign_array_start(foreign_array: str, change: Creating) -> Response:
    """Starts an array whose disks are all here, read-only, so that what is on it can be seen. Nothing is written."""
    which = _look(change, foreign_array)
    return change.apply(
        lambda tx: foreign_arrays.start(tx, change.control.desk, change.actor, which, dry_run=change.dry_run),
        only_jobs,
    )


@routes.post(
    "/{foreign_array:plain}:adopt",
    operation_id="foreign_array_adopt",
    status_code=202,
    response_model=None,
    responses=JOB_CREATED,
)
def foreign_array_adopt(foreign_array: str, body: ForeignArrayAdopt, change: Creating) -> Response:
    """Makes an array that runs Lunette's, and the logical volumes on it volumes. What is on them stays as it is."""
    which = _look(change, foreign_array)
    return change.apply(
        lambda tx: foreign_arrays.adopt(tx, change.control.desk, change.actor, which, body, dry_run=change.dry_run),
        only_jobs,
    )


def _look(change: Creating, uuid: str) -> foreign_arrays.Which:
    """The array and the machine as they are now, before any transaction begins."""
    with suppress(Unavailable):
        change.control.observation(max_age_s=0)
    return foreign_arrays.Which(change.control.agent.foreign_arrays(), uuid)
