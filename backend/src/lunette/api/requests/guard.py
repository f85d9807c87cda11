"""Checks before every handler, in this order: credentials, password change, role, body size, plain text.

It runs before the body is read, so an unknown client's body is never parsed. Refused by default: operations without
a declared role.
"""

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.types import Message, Receive

from lunette.api.answers.problems import MOST_FAULTS
from lunette.api.auth.identity import SAFE_METHODS, Identity, authenticate
from lunette.api.auth.roles import BEFORE_PASSWORD_CHANGE, BEFORE_SECOND_FACTOR, PUBLIC, ROLES
from lunette.api.lists import fields
from lunette.api.requests.services import services_of
from lunette.domain.backups import MAX_FILE_BYTES
from lunette.domain.errors import (
    FieldProblem,
    Forbidden,
    Invalid,
    LengthRequired,
    Malformed,
    PasswordChangeRequired,
    SecondFactorRequired,
    TooLarge,
    TooSlow,
)
from lunette.domain.roles import Role

MIB = 1024 * 1024
MAX_BODY_BYTES = MIB
PUBLIC_BODY_BYTES = 8 * 1024
"""Of a client that has not logged in."""
LARGER_BODIES = {"appliance_restore": MAX_FILE_BYTES * 4 // 3 + MAX_BODY_BYTES}
"""Operations that take a file."""
STREAMED = frozenset({"update_upload"})
"""Operations that take a file of any size, and read it themselves, piece by piece."""
BODY_S_PER_MIB = 30.0
PIECE_S = 60.0
"""How long any piece of a body may be waited for."""


class GuardedRoute(APIRoute):
    """A route whose handler is called only with the required role."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        operation = self.operation_id or ""
        known = frozenset(_query_parameters(self.dependant))
        listed = fields.item_fields(self.response_model) if fields.QUERY in known else frozenset()

        async def guarded(request: Request) -> Response:
            if operation not in PUBLIC:
                await run_in_threadpool(_admit, request, operation)
            _check_text(request, known)
            if request.method in SAFE_METHODS:
                request.state.body = b""
                names = fields.chosen(request, listed)
                response = await handle(request)
                return response if names is None or response.status_code != 200 else fields.reduced(response, names)
            if operation in STREAMED:
                request.state.body = b""
                return await handle(Request(request.scope, _in_time(request.receive)))
            limit = PUBLIC_BODY_BYTES if operation in PUBLIC else LARGER_BODIES.get(operation, MAX_BODY_BYTES)
            request.state.body = body = await _read(request, limit)
            return await handle(_with_body(request, body))

        return guarded


def _in_time(receive: Receive) -> Receive:
    """A body that arrives piece by piece, each within its time."""

    async def received() -> Message:
        try:
            return await asyncio.wait_for(receive(), PIECE_S)
        except TimeoutError:
            raise TooSlow(f"No more data of the body arrived for {PIECE_S:g} seconds; send it again.") from None

    return received


def _query_parameters(dependant: Dependant) -> Iterator[str]:
    for parameter in dependant.query_params:
        yield parameter.alias
    for inner in dependant.dependencies:
        yield from _query_parameters(inner)


def _admit(request: Request, operation: str) -> None:
    identity = authenticate(request, services_of(request).store)
    if identity.must_change_password and operation not in BEFORE_PASSWORD_CHANGE:
        raise PasswordChangeRequired("The one-time password must be changed first: POST /api/v1/password.")
    if identity.is_second_factor_missing and operation not in BEFORE_SECOND_FACTOR:
        raise SecondFactorRequired(
            "This appliance requires a second factor, and you have none yet: set one up with POST "
            "/api/v1/second-factor."
        )
    needed = ROLES.get(operation)
    if needed is None:
        raise Forbidden("No role is declared for this operation, so it cannot be called.")
    check_may(identity, needed)
    request.state.identity = identity


def check_may(identity: Identity, needed: Role) -> None:
    """Raises Forbidden for a lower role."""
    if not identity.role.includes(needed):
        raise Forbidden(
            f"This requires the role {needed.value}, but {identity.actor} has {identity.role.value}; ask an "
            "administrator."
        )


def _check_text(request: Request, known: frozenset[str]) -> None:
    """Refuses NUL, which PostgreSQL cannot store, and unknown query parameters: a typing mistake must not pass."""
    for key, value in (*request.query_params.multi_items(), *request.path_params.items()):
        if "\0" in key or "\0" in str(value):
            raise Invalid("NUL characters are not accepted; remove them.", errors=(_wrong(key, "contains a NUL"),))
    unknown = sorted(set(request.query_params) - known)
    if unknown:
        expected = ", ".join(sorted(known)) or "none"
        raise Invalid(
            f"Unknown query parameter {unknown[0]}; this operation accepts: {expected}.",
            errors=tuple(_wrong(key, "is not a parameter of this operation") for key in unknown[:MOST_FAULTS]),
        )


def _wrong(field: str, message: str) -> FieldProblem:
    return FieldProblem(field=field.replace("\0", "?")[:100], value=None, message=message)


async def _read(request: Request, limit: int) -> bytes:
    declared = request.headers.get("content-length", "0")
    if limit == PUBLIC_BODY_BYTES and "transfer-encoding" in request.headers:
        raise LengthRequired("The body must be sent in one piece: send its Content-Length, and no Transfer-Encoding.")
    if declared.isdecimal() and int(declared) > limit:
        raise _too_large(limit)
    allowed_s = BODY_S_PER_MIB * max(1.0, limit / MIB)
    try:
        async with asyncio.timeout(allowed_s):
            body = await _body(request, limit)
    except TimeoutError:
        raise TooSlow(f"The body was not complete after {allowed_s:g} seconds; send it again.") from None
    _check_characters(body)
    return body


async def _body(request: Request, limit: int) -> bytes:
    chunks, size = [], 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > limit:
            raise _too_large(limit)
        chunks.append(chunk)
    return b"".join(chunks)


def _check_characters(body: bytes) -> None:
    """Refuses what no database and no response can contain: NUL and lone surrogates."""
    if b"\\u0000" in body:
        raise Malformed("The body contains a NUL character (\\u0000), which cannot be stored; remove it.")
    if b"\\ud" not in body.lower():
        return
    try:
        json.dumps(json.loads(body), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Malformed("The body contains half a character (a lone \\ud800 to \\udfff); remove it.") from None
    except (ValueError, RecursionError):
        return  # not JSON: refused when it is parsed


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"The body is larger than {limit} bytes; send less data per request.")


def _with_body(request: Request, body: bytes) -> Request:
    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return Request(request.scope, receive)
