"""Root's access on the appliance: a Unix socket on which the kernel reports the caller, so no password is needed.

Only root has access: the file is for its owner only, and the kernel is asked for the caller's uid before a
byte is read. Its requests act as the administrator `root@local`, under that name in events and jobs.
"""

import asyncio
import contextlib
import copy
import json
import os
import socket
import struct
from collections.abc import Callable, Collection
from pathlib import Path
from typing import cast

import structlog
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

LOCAL_SOCKET = "local.sock"
"""Its name in the runtime folder."""
LOCAL_ADMINISTRATOR = "root@local"
ROOT = frozenset({0})
SCOPE_KEY = "lunette.local"
"""Set in the scope of requests over this socket; no header can set it."""
REFUSED_FOR_S = 2.0
"""How long a refused client has to read the reason."""
_PEERCRED = struct.Struct("3i")
_REFUSAL = {
    "type": "forbidden",
    "title": "Forbidden",
    "status": 403,
    "instance": "",
    "detail": "Only root may use this socket; log in at the web address of the appliance.",
    "errors": [],
}
_log = structlog.get_logger(__name__)


def listen(path: Path) -> socket.socket:
    """Binds the socket, for its owner (and root, to whom file modes do not apply) only. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
    listener = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)
    try:
        listener.bind(str(path))
    finally:
        os.umask(before)
    return listener


def is_local(scope: Scope) -> bool:
    """True if the request arrived over this socket."""
    return scope.get(SCOPE_KEY) is True


def config_for(config: uvicorn.Config) -> uvicorn.Config:
    """The same application, with the mark that the request arrived over this socket."""
    made = copy.copy(config)
    made.loaded_app = _marked(config.loaded_app)
    return made


def _marked(app: ASGIApp) -> ASGIApp:
    async def marked(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, SCOPE_KEY: True}, receive, send)

    return marked


class PeerCheck(asyncio.Protocol):
    """Asks the kernel who has connected, then continues with HTTP, or refuses and closes."""

    def __init__(self, let_in: Callable[[], asyncio.Protocol], uids: Collection[int] = ROOT) -> None:
        self._let_in, self._uids = let_in, uids

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        stream = cast("asyncio.Transport", transport)  # uvloop's does not inherit from it
        uid = peer_uid(stream.get_extra_info("socket"))
        if uid not in self._uids:
            _log.warning("local connection refused", uid=uid)
            # Input is dropped unread; closing immediately would make the kernel drop our response too.
            stream.write(_refusal())
            stream.write_eof()
            asyncio.get_running_loop().call_later(REFUSED_FOR_S, stream.abort)
            return
        inner = self._let_in()
        stream.set_protocol(inner)
        inner.connection_made(stream)


def peer_uid(peer: socket.socket) -> int:
    """The uid of the process at the other end, as the kernel knows it."""
    _, uid, _ = _PEERCRED.unpack(peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEERCRED.size))
    return int(uid)


def _refusal() -> bytes:
    body = json.dumps(_REFUSAL).encode()
    head = (
        "HTTP/1.1 403 Forbidden\r\nContent-Type: application/problem+json\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body
