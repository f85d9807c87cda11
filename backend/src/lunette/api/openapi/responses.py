"""The declared responses of every operation, so that the document is complete."""

from typing import Any

from fastapi import APIRouter

from lunette.api.answers.journal import Job
from lunette.api.answers.plans import PlanAnswer
from lunette.api.requests.guard import GuardedRoute

Responses = dict[int | str, dict[str, Any]]

_REASONS = {
    400: "The request is malformed.",
    401: "The request has no valid credentials.",
    403: "The user lacks the required role, or must first change the password or set up a second factor.",
    404: "The resource does not exist.",
    405: "The resource does not support this method.",
    408: "The request body did not arrive in time.",
    409: "The request conflicts with the current state, such as a name or disk in use, no space or a stuck resource.",
    411: "A request body without credentials needs a Content-Length header.",
    412: "The resource has changed since it was read.",
    413: "The request body is too large.",
    422: "A field is invalid. The property `errors` names each invalid field.",
    428: "The request lacks the required If-Match header.",
    429: "Too many attempts. Retry later.",
    500: "Lunette encountered an internal error.",
    502: "A system tool or the kernel refused a step.",
    503: "The agent or the database is unavailable. Retry later.",
}
_EVERYWHERE = (400, 401, 403, 422, 500, 503)
_ETAG = {"ETag": {"description": "Version of the resource, for the If-Match header.", "schema": {"type": "string"}}}
_EVENT = {
    "Lunette-Event": {
        "description": "Number of the event by which the change can be undone; absent if it cannot, or not as a whole.",
        "schema": {"type": "string"},
    }
}
_LOCATION = {"Location": {"description": "URL of the created resource.", "schema": {"type": "string"}}}


def refusals(*statuses: int) -> Responses:
    """Problem responses for these statuses and those of every operation; with 413, a body may also be too slow."""
    reported = {*_EVERYWHERE, *statuses, *((408,) if 413 in statuses else ())}
    return {status: {"description": _REASONS[status]} for status in sorted(reported)}


PREFIX = "/api/v1"


def router(prefix: str, tag: str, below: str = PREFIX) -> APIRouter:
    """The router of a noun. Its routes are complete: an application includes them as they are."""
    return APIRouter(prefix=below + prefix, tags=[tag], route_class=GuardedRoute)


LISTED = refusals()
SHOWN: Responses = {200: {"headers": _ETAG}, **refusals(404)}
CREATED: Responses = {
    200: {"model": PlanAnswer, "description": "Plan of the change, for a dry run. Nothing is changed."},
    201: {"headers": {**_ETAG, **_LOCATION, **_EVENT}},
    **refusals(404, 409, 413),
}
BATCHED: Responses = {200: CREATED[200], **refusals(404, 409, 413)}
JOB_CREATED: Responses = {
    200: CREATED[200],
    202: {"model": Job, "description": "Job that carries out the change.", "headers": {**_ETAG, **_LOCATION}},
    **refusals(404, 409, 413),
}
JOB_STARTED: Responses = {**JOB_CREATED, **refusals(404, 409, 412, 413)}
JOB_DELETED: Responses = {**JOB_CREATED, **refusals(404, 409, 412, 428)}
JOB_CHANGED: Responses = {**JOB_CREATED, **refusals(404, 409, 412, 413, 428)}
BATCH_DELETED: Responses = {
    200: CREATED[200],
    204: {"description": "None of the resources exists any more.", "headers": _EVENT},
    **refusals(404, 409, 413),
}
DELETED: Responses = {
    200: CREATED[200],
    204: {"description": "The resource no longer exists.", "headers": _EVENT},
    **refusals(404, 409, 412, 428),
}
FORGOTTEN: Responses = {200: CREATED[200], 204: DELETED[204], **refusals(404, 409, 412, 413)}


def changed(kind: type) -> Responses:
    """Responses of a PATCH: the changed resource, or the plan for a dry run."""
    return {
        200: {
            "model": kind | PlanAnswer,
            "description": "Changed resource, or the plan for a dry run.",
            "headers": {**_ETAG, **_EVENT},
        },
        **refusals(404, 409, 412, 413, 428),
    }
