"""The resource of a request, as GET shows it to the same user."""

import json
from typing import Any

from fastapi import Request
from starlette.routing import Match
from starlette.types import Message

_OF_THE_CHANGE = (b"if-match", b"content-type", b"content-length", b"transfer-encoding", b"idempotency-key")


async def present(request: Request) -> tuple[dict[str, Any] | None, str | None]:
    """GET's response at the resource's address, and its ETag. None if there is no such address or it refuses.

    The route is called within this request, with its credentials: without read permission nothing is shown.
    """
    path = request.url.path
    if request.method == "POST":  # the verb follows the last colon
        path = path.rpartition(":")[0] if ":" in path.rpartition("/")[2] else path
    headers = [(name, value) for name, value in request.scope["headers"] if name not in _OF_THE_CHANGE]
    scope = {
        **request.scope,
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": headers,
        "state": dict(request.scope.get("state", {})),
    }
    for route in request.app.router.routes:
        match, found = route.matches(scope)
        if match is Match.FULL:
            return await _answer(route, {**scope, **found})
    return None, None


async def _answer(route: Any, scope: dict[str, Any]) -> tuple[dict[str, Any] | None, str | None]:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    await route.handle(scope, receive, send)
    if not sent or sent[0]["status"] != 200:
        return None, None
    headers = {name.lower(): value for name, value in sent[0]["headers"]}
    body = b"".join(message.get("body", b"") for message in sent[1:])
    if not headers.get(b"content-type", b"").startswith(b"application/json"):
        return None, None
    shown = json.loads(body)
    tag = headers.get(b"etag")
    return (shown if isinstance(shown, dict) else None), (tag.decode("latin-1") if tag else None)
