"""Every error becomes a problem document; none ever shows a traceback. Output of tools is logged."""

from collections.abc import Sequence
from typing import Any

import structlog
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm.exc import StaleDataError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import Match

from lunette.api.answers.problems import MEDIA_TYPE, MOST_FAULTS, OutdatedProblem, problem_of
from lunette.api.problems.current import present
from lunette.api.problems.rules import violated_rule
from lunette.api.problems.secret_places import is_secret
from lunette.domain.errors import (
    FieldProblem,
    Invalid,
    LunetteError,
    Malformed,
    MethodNotAllowed,
    NotFound,
    PreconditionFailed,
    RateLimited,
    TooLarge,
    Unavailable,
)
from lunette.store.refusals import as_refusal

_log = structlog.get_logger(__name__)
_SECRET_WORDS = ("secret", "password", "passphrase", "token", "private")
_SHOWN = 200


def install(app: FastAPI) -> None:
    """Makes the application answer every error with a problem document."""
    app.add_exception_handler(LunetteError, _refused)
    app.add_exception_handler(PreconditionFailed, _outdated)
    app.add_exception_handler(RequestValidationError, _not_valid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(ClientDisconnect, _left)
    app.add_exception_handler(DBAPIError, _database)
    app.add_exception_handler(PoolTimeout, _pool)
    app.add_exception_handler(StaleDataError, _stale)
    app.add_exception_handler(Exception, _crash)


def answer(request: Request, error: LunetteError) -> Response:
    """The problem document of an error as a response."""
    headers = {"Cache-Control": "no-store"}
    if error.status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="lunette"'
    if isinstance(error, RateLimited):
        headers["Retry-After"] = str(error.wait_s)
    elif error.status == 503:
        headers["Retry-After"] = "5"
    document = problem_of(error, request.url.path)
    return Response(document.model_dump_json(), error.status, headers, MEDIA_TYPE)


async def _outdated(request: Request, error: Exception) -> Response:
    """For a resource that changed since it was read: with its present state and ETag."""
    assert isinstance(error, PreconditionFailed)  # noqa: S101 registered for this class only
    response = _refused(request, error)
    current, tag = await present(request)
    document = problem_of(error, request.url.path)
    outdated = OutdatedProblem(**document.model_dump(), current=current)
    headers = {"Cache-Control": response.headers["Cache-Control"], **({"ETag": tag} if tag else {})}
    return Response(outdated.model_dump_json(), error.status, headers, MEDIA_TYPE)


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, LunetteError)  # noqa: S101 registered for this class only
    if error.status >= 500 or error.log:
        _log.warning("refused", path=request.url.path, status=error.status, detail=error.detail, log=error.log)
    return answer(request, error)


def _left(request: Request, error: Exception) -> Response:
    assert isinstance(error, ClientDisconnect)  # noqa: S101 registered for this class only
    return answer(request, Malformed("The connection ended before the body was complete."))


def _not_valid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101 registered for this class only
    found: Sequence[Any] = error.errors()
    if any(one["type"] == "json_invalid" for one in found):
        where = found[0]["loc"][-1]
        reason = found[0].get("ctx", {}).get("error", "it cannot be parsed")
        return answer(request, Malformed(f"The body is not JSON: {reason} at character {where}."))
    field = getattr(request.scope.get("route"), "body_field", None)
    body = field.field_info.annotation if field else None
    wrong = tuple(_field(one, body) for one in found[:MOST_FAULTS])
    words = "; ".join(f"{one.field or 'body'}: {one.message}" for one in wrong[:3])
    more = f" (and {len(found) - 3} more)" if len(found) > 3 else ""
    return answer(request, Invalid(f"Nothing was changed. {words}{more}.", errors=wrong))


def _field(one: Any, body: Any) -> FieldProblem:
    """The place of a wrong value, the rule it violates, and the value if it is short.

    It is not shown if the body contains a secret or something that holds one, nor for an unknown field: that may be a
    secret under a mistyped name.
    """
    place = [str(part) for part in one["loc"]]
    path = "".join(f"[{part}]" if part.isdecimal() else f".{part}" for part in place[1:]).lstrip(".")[:_SHOWN]
    value = one.get("input")
    hidden = (
        one["type"] == "extra_forbidden"
        or any(word in part.lower() for part in place for word in _SECRET_WORDS)
        or (place[0] == "body" and is_secret(body, one["loc"][1:]))
    )
    shown = str(value)[:_SHOWN] if isinstance(value, str | int | float | bool) and not hidden else None
    return FieldProblem(field=path or place[0], value=shown, message=violated_rule(one))


def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 registered for this class only
    if error.status_code == 405:
        allowed = ", ".join(allowed_methods(request))
        response = answer(request, MethodNotAllowed(f"{request.method} is not possible here; possible: {allowed}."))
        response.headers["Allow"] = allowed
        return response
    if error.status_code == 404:
        return answer(request, NotFound(f"{request.url.path} does not exist; see GET /api/v1/openapi.json."))
    if error.status_code == 413:
        return answer(request, TooLarge("The body is too large; send less data per request."))
    if error.status_code < 500:
        return answer(request, Malformed("The request cannot be read: its body is not valid UTF-8 JSON."))
    return answer(request, LunetteError("The request could not be answered; see the journal for the reason."))


def allowed_methods(request: Request) -> list[str]:
    """Every method that some route has for this path: Starlette names only those of the first."""
    found: set[str] = set()
    for method in ("GET", "POST", "PATCH", "DELETE"):
        scope = {**request.scope, "method": method}
        if any(route.matches(scope)[0] is Match.FULL for route in request.app.router.routes):
            found.add(method)
    return sorted(found)


def _database(request: Request, error: Exception) -> Response:
    assert isinstance(error, DBAPIError)  # noqa: S101 registered for this class only
    return _refused(request, as_refusal(error))


def _pool(request: Request, error: Exception) -> Response:
    return _refused(
        request, Unavailable("Too many requests are waiting for the database; retry in a moment.", log=str(error))
    )


async def _stale(request: Request, error: Exception) -> Response:
    message = "It was changed by another request; read it again, then retry."
    return await _outdated(request, PreconditionFailed(message, log=str(error)))


def _crash(request: Request, error: Exception) -> Response:
    _log.error("crashed", path=request.url.path, method=request.method, exc_info=error)
    return answer(
        request,
        LunetteError("Lunette encountered an internal error; nothing else was changed. See the journal for details."),
    )
