"""What every operation declares about its answers, so that the document is complete."""

from typing import Any

from fastapi import APIRouter

from lunette.api.answers.journal import Job
from lunette.api.answers.plans import PlanAnswer
from lunette.api.answers.problems import MEDIA_TYPE, Problem
from lunette.api.guard import GuardedRoute

Responses = dict[int | str, dict[str, Any]]

_REASONS = {
    400: "The request cannot be read.",
    401: "No valid credentials.",
    403: "Not allowed, or the password must be changed or a second factor set up first.",
    404: "There is no such thing.",
    405: "Not possible here.",
    408: "The body did not come in time.",
    409: "Conflicts with what exists: a name that is taken, a disk in use, no space, a stuck resource.",
    411: "A body of somebody who has not logged in needs a Content-Length.",
    412: "Changed by someone else since it was read.",
    413: "The body is too large.",
    422: "A field breaks a rule; `errors` names it.",
    428: "If-Match is required.",
    429: "Too many attempts.",
    500: "A fault in Lunette itself.",
    502: "The system refused a step.",
    503: "The agent or the database is not available now.",
}
_EVERYWHERE = (400, 401, 403, 422, 500, 503)
_ETAG = {"ETag": {"description": "Version of the resource, for If-Match.", "schema": {"type": "string"}}}
_LOCATION = {"Location": {"description": "Address of what was made.", "schema": {"type": "string"}}}


def refusals(*statuses: int) -> Responses:
    """Problem responses for these statuses and those every operation may give; a body may be too slow, too."""
    told = {*_EVERYWHERE, *statuses, *((408,) if 413 in statuses else ())}
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": _REASONS[status], "content": content} for status in sorted(told)}


PREFIX = "/api/v1"


def router(prefix: str, tag: str, below: str = PREFIX) -> APIRouter:
    """The router of a noun. Its routes are whole: an application takes them as they are."""
    return APIRouter(prefix=below + prefix, tags=[tag], route_class=GuardedRoute)


LISTED = refusals()
SHOWN: Responses = {200: {"headers": _ETAG}, **refusals(404)}
CREATED: Responses = {
    200: {"model": PlanAnswer, "description": "The plan (dry run)."},
    201: {"headers": {**_ETAG, **_LOCATION}},
    **refusals(404, 409, 413),
}
BATCHED: Responses = {200: CREATED[200], **refusals(404, 409, 413)}
JOB_CREATED: Responses = {
    200: CREATED[200],
    202: {"model": Job, "description": "The job that does it.", "headers": {**_ETAG, **_LOCATION}},
    **refusals(404, 409, 413),
}
JOB_STARTED: Responses = {**JOB_CREATED, **refusals(404, 409, 412, 413)}
JOB_DELETED: Responses = {**JOB_CREATED, **refusals(404, 409, 412, 428)}
JOB_CHANGED: Responses = {**JOB_CREATED, **refusals(404, 409, 412, 413, 428)}
DELETED: Responses = {
    200: CREATED[200],
    204: {"description": "It is gone."},
    **refusals(404, 409, 412, 428),
}
FORGOTTEN: Responses = {200: CREATED[200], 204: DELETED[204], **refusals(404, 409, 412, 413)}


def changed(kind: type) -> Responses:
    """Responses of a PATCH: the resource as it is now, or in a dry run the plan."""
    return {
        200: {"model": kind | PlanAnswer, "description": "As it is now; the plan in a dry run.", "headers": _ETAG},
        **refusals(404, 409, 412, 413, 428),
    }


__all__ = ["Problem"]
