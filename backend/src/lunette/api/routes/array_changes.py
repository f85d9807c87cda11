"""Changes of existing arrays: `POST /arrays/{array}:<verb>`. Each returns a job."""

from collections.abc import Callable
from typing import Any

from fastapi import Response

from lunette.api.openapi.responses import FORGOTTEN, JOB_STARTED, router
from lunette.api.requests.changes import ChangeRequest, Commanding, etag
from lunette.api.requests.jobs import only_jobs
from lunette.api.requests.lookup import Reference, find
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
from lunette.domain.base import Model
from lunette.engine.changes import array_changes
from lunette.engine.changes.array_forget import forget
from lunette.engine.changes.array_release import release
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.store.resources import Array as ArrayRow

routes = router("/arrays", "arrays")


def _apply(
    array: str, change: ChangeRequest, act: Callable[[ChangeContext, str, Any], Outcome], body: Model
) -> Response:
    def work(context: ChangeContext) -> Outcome:
        row = find(context.tx, ArrayRow, array, ArrayRow.name)
        change.check_still(etag(row.version))
        return act(context, row.id, body)

    return change.apply(work, only_jobs, looks=True)


@routes.post(
    "/{array}:add-spares", operation_id="array_add_spares", status_code=202, response_model=None, responses=JOB_STARTED
)
def array_add_spares(array: Reference, body: ArrayAddSpares, change: Commanding) -> Response:
    """Adds spares to an array.

    On a degraded array, the rebuild onto the first spare starts immediately. Returns a job.
    """
    return _apply(array, change, array_changes.add_spares, body)


@routes.post(
    "/{array}:add-disks", operation_id="array_add_disks", status_code=202, response_model=None, responses=JOB_STARTED
)
def array_add_disks(array: Reference, body: ArrayAddDisks, change: Commanding) -> Response:
    """Adds log, cache or special disks to a ZFS pool while hosts use the pool.

    Log and cache disks can be removed again. Special disks contain metadata and stay as long as the pool exists.
    Returns a job.
    """
    return _apply(array, change, array_changes.add_disks, body)


@routes.post("/{array}:grow", operation_id="array_grow", status_code=202, response_model=None, responses=JOB_STARTED)
def array_grow(array: Reference, body: ArrayGrow, change: Commanding) -> Response:
    """Adds members to an MD RAID array while hosts use the array.

    A mirror gains copies; any other level gains capacity. Returns a job that starts the reshape or rebuild. The array
    shows the progress, and the remaining work is done automatically. A reshape cannot be undone.
    """
    return _apply(array, change, array_changes.grow, body)


@routes.post(
    "/{array}:reshape", operation_id="array_reshape", status_code=202, response_model=None, responses=JOB_STARTED
)
def array_reshape(array: Reference, body: ArrayReshape, change: Commanding) -> Response:
    """Converts a raid5 array to raid6 with one more disk while hosts use the array.

    Returns a job that starts the conversion. The array shows the progress of the rebuild onto the new disk.
    """
    return _apply(array, change, array_changes.reshape, body)


@routes.post(
    "/{array}:replace", operation_id="array_replace", status_code=202, response_model=None, responses=JOB_STARTED
)
def array_replace(array: Reference, body: ArrayReplace, change: Commanding) -> Response:
    """Replaces a disk of an array with another disk.

    A disk that still works stays in use until the new disk is filled, which preserves redundancy on MD RAID arrays and
    ZFS pools. Returns a job.
    """
    return _apply(array, change, array_changes.replace, body)


@routes.post("/{array}:fail", operation_id="array_fail", status_code=202, response_model=None, responses=JOB_STARTED)
def array_fail(array: Reference, body: ArrayDiskChoice, change: Commanding) -> Response:
    """Marks a member of an MD RAID array as faulty.

    A spare replaces the member if the array has one. Fails with 409 if the array has no redundancy left. Returns a job.
    """
    return _apply(array, change, array_changes.fail, body)


@routes.post(
    "/{array}:remove", operation_id="array_remove", status_code=202, response_model=None, responses=JOB_STARTED
)
def array_remove(array: Reference, body: ArrayDiskChoice, change: Commanding) -> Response:
    """Removes a spare, a log or cache disk, or a faulty or missing disk from an array.

    Returns a job.
    """
    return _apply(array, change, array_changes.remove, body)


@routes.post("/{array}:readd", operation_id="array_readd", status_code=202, response_model=None, responses=JOB_STARTED)
def array_readd(array: Reference, body: ArrayDiskChoice, change: Commanding) -> Response:
    """Adds a missing or faulty member back to its MD RAID array.

    The plan shows whether the whole disk must be rebuilt. Returns a job.
    """
    return _apply(array, change, array_changes.readd, body)


@routes.post("/{array}:scrub", operation_id="array_scrub", status_code=202, response_model=None, responses=JOB_STARTED)
def array_scrub(array: Reference, body: ArrayScrub, change: Commanding) -> Response:
    """Starts or stops a scrub of an array.

    The array shows the progress and the mismatches. Returns a job.
    """
    return _apply(array, change, array_changes.scrub, body)


@routes.post(
    "/{array}:force-start",
    operation_id="array_force_start",
    status_code=202,
    response_model=None,
    responses=JOB_STARTED,
)
def array_force_start(array: Reference, body: ArrayForceStart, change: Commanding) -> Response:
    """Starts an array that stays stopped because it is dirty and degraded.

    The property `observed.dirty_degraded` of the array shows this condition. Blocks can be corrupt afterward, and
    nothing shows which ones. This cannot be undone. `confirm` is the name of the array. Returns a job.
    """
    return _apply(array, change, array_changes.force_start, body)


@routes.post(
    "/{array}:release", operation_id="array_release", status_code=202, response_model=None, responses=JOB_STARTED
)
def array_release(array: Reference, body: ArrayRelease, change: Commanding) -> Response:
    """Releases an MD RAID array, so that another system can use its disks and data.

    The array and its volumes stay on the disks with their data, and Lunette deletes its records of them. An array that
    Lunette created is stopped at the end; an adopted array stays running. Fails with 409 while a volume of the array is
    mapped. `confirm` is the name of the array. Returns a job.
    """

    def work(context: ChangeContext) -> Outcome:
        row = find(context.tx, ArrayRow, array, ArrayRow.name)
        change.check_still(etag(row.version))
        return release(context, row.id, body)

    return change.apply(work, only_jobs, looks=True)


@routes.post("/{array}:forget", operation_id="array_forget", status_code=204, response_model=None, responses=FORGOTTEN)
def array_forget(array: Reference, body: ArrayForget, change: Commanding) -> Response:
    """Forgets a permanently lost array, with its volumes, snapshots and mappings.

    This cannot be undone. Fails with 409 while the array works or can be started. Nothing is written to any disk. Stuck
    jobs of the array are abandoned. `confirm` is the name of the array.
    """

    def work(context: ChangeContext) -> Outcome:
        row = find(context.tx, ArrayRow, array, ArrayRow.name)
        change.check_still(etag(row.version))
        return forget(context, row.id, body)

    return change.apply(work, lambda _tx, _outcome: Response(status_code=204), looks=True)
