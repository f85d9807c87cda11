"""What can be done with an array that stands: `POST /arrays/{array}:<verb>`, each a job."""

from collections.abc import Callable

from fastapi import Response
from sqlalchemy.orm import Session

from lunette.api.changes import Change, Commanding, etag
from lunette.api.declare import FORGOTTEN, JOB_STARTED, router
from lunette.api.jobs import only_jobs
from lunette.api.lookup import Reference, find
from lunette.domain.array_changes import (
    ArrayAddDisks,
    ArrayAddSpares,
    ArrayDiskChoice,
    ArrayForceStart,
    ArrayForget,
    ArrayGrow,
    ArrayRelease,
    ArrayReplace,
    ArrayReshape,
    ArrayScrub,
)
from lunette.engine.array_changes import Change as ArrayChange
from lunette.engine.array_forget import forget
from lunette.engine.array_release import release
from lunette.engine.outcome import Outcome
from lunette.store.resources import Array as ArrayRow

routes = router("/arrays", "arrays")


def _apply(array: str, change: Change, act: Callable[[ArrayChange], Outcome]) -> Response:
    def work(tx: Session) -> Outcome:
        row = find(tx, ArrayRow, array, ArrayRow.name)
        change.check_still(etag(row.version))
        return act(change.control.change_array(tx, change.actor, row.id, dry_run=change.dry_run))

    return change.apply(work, only_jobs, looks=True)


@routes.post(
    "/{array}:add_spares", operation_id="array_spares_add", status_code=202, response_model=None, responses=JOB_STARTED
)
def array_spares_add(array: Reference, body: ArrayAddSpares, change: Commanding) -> Response:
    """Adds disks that stand by; on a degraded array the first is filled at once."""
    return _apply(array, change, lambda asked: asked.add_spares(body))


@routes.post(
    "/{array}:add_disks", operation_id="array_disks_add", status_code=202, response_model=None, responses=JOB_STARTED
)
def array_disks_add(array: Reference, body: ArrayAddDisks, change: Commanding) -> Response:
    """Adds log, cache or special disks to a pool, while hosts use it.

    Log and cache disks leave again by `remove`; special disks stay for the life of the pool.
    """
    return _apply(array, change, lambda asked: asked.add_disks(body))


@routes.post("/{array}:grow", operation_id="array_grow", status_code=202, response_model=None, responses=JOB_STARTED)
def array_grow(array: Reference, body: ArrayGrow, change: Commanding) -> Response:
    """Makes disks into members: of a mirror further copies, of any other level more room, while hosts use it.

    The job starts it; the array shows the progress, and what remains is done by itself once that is over.
    """
    return _apply(array, change, lambda asked: asked.grow(body))


@routes.post(
    "/{array}:reshape", operation_id="array_reshape", status_code=202, response_model=None, responses=JOB_STARTED
)
def array_reshape(array: Reference, body: ArrayReshape, change: Commanding) -> Response:
    """Gives an array another level with one disk more, while hosts use it: a raid5 becomes a raid6.

    The job starts it, and the array shows how far the new disk is filled.
    """
    return _apply(array, change, lambda asked: asked.reshape(body))


@routes.post(
    "/{array}:replace", operation_id="array_replace", status_code=202, response_model=None, responses=JOB_STARTED
)
def array_replace(array: Reference, body: ArrayReplace, change: Commanding) -> Response:
    """Puts another disk in the place of one. While the old one works it is copied, and redundancy is kept."""
    return _apply(array, change, lambda asked: asked.replace(body))


@routes.post("/{array}:fail", operation_id="array_fail", status_code=202, response_model=None, responses=JOB_STARTED)
def array_fail(array: Reference, body: ArrayDiskChoice, change: Commanding) -> Response:
    """Gives a member up. Refused where the array has no redundancy left."""
    return _apply(array, change, lambda asked: asked.fail(body))


@routes.post(
    "/{array}:remove", operation_id="array_remove", status_code=202, response_model=None, responses=JOB_STARTED
)
def array_remove(array: Reference, body: ArrayDiskChoice, change: Commanding) -> Response:
    """Lets go of a spare, of a log or cache disk of a pool, of a faulty disk, or of one that is gone."""
    return _apply(array, change, lambda asked: asked.remove(body))


@routes.post("/{array}:readd", operation_id="array_readd", status_code=202, response_model=None, responses=JOB_STARTED)
def array_readd(array: Reference, body: ArrayDiskChoice, change: Commanding) -> Response:
    """Takes back a member that was gone or faulty; the plan says whether all of it must be copied."""
    return _apply(array, change, lambda asked: asked.readd(body))


@routes.post("/{array}:scrub", operation_id="array_scrub", status_code=202, response_model=None, responses=JOB_STARTED)
def array_scrub(array: Reference, body: ArrayScrub, change: Commanding) -> Response:
    """Reads and compares everything, or stops doing so. The array shows progress and what did not agree."""
    return _apply(array, change, lambda asked: asked.scrub(body))


@routes.post(
    "/{array}:force_start",
    operation_id="array_force_start",
    status_code=202,
    response_model=None,
    responses=JOB_STARTED,
)
def array_force_start(array: Reference, body: ArrayForceStart, change: Commanding) -> Response:
    """Starts an array that stays stopped because it is dirty and degraded: see `observed.dirty_degraded`.

    Blocks of the disk it lacks can be wrong afterwards, and nothing tells which. It cannot be taken back.
    """
    return _apply(array, change, lambda asked: asked.force_start(body))


@routes.post(
    "/{array}:release", operation_id="array_release", status_code=202, response_model=None, responses=JOB_STARTED
)
def array_release(array: Reference, body: ArrayRelease, change: Commanding) -> Response:
    """Lets go of an array: it stays on its disks with its volumes and their data, and is Lunette's no more.

    Refused while a volume of it is mapped. It is stopped in the end, so that its disks can be taken elsewhere.
    """

    def work(tx: Session) -> Outcome:
        row = find(tx, ArrayRow, array, ArrayRow.name)
        change.check_still(etag(row.version))
        return release(tx, change.control.desk, change.actor, row.id, body, dry_run=change.dry_run)

    return change.apply(work, only_jobs, looks=True)


@routes.post("/{array}:forget", operation_id="array_forget", status_code=204, response_model=None, responses=FORGOTTEN)
def array_forget(array: Reference, body: ArrayForget, change: Commanding) -> Response:
    """Forgets an array that is lost for good, and its volumes, snapshots and mappings with it. It cannot be taken back.

    Refused while the array works or could be started. Nothing is written to any disk. Stuck jobs of it are abandoned.
    """

    def work(tx: Session) -> Outcome:
        row = find(tx, ArrayRow, array, ArrayRow.name)
        change.check_still(etag(row.version))
        return forget(tx, change.control.desk, change.actor, row.id, body, dry_run=change.dry_run)

    return change.apply(work, lambda _tx, _outcome: Response(status_code=204), looks=True)
