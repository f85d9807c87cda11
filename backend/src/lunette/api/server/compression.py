"""What is sent compressed, to who takes it: lists of the API here, the files of the page in `page`.

Compression shows in the length of an answer how much of it repeats itself. Where a secret stands beside text that
somebody else chose, lengths give the secret away (the attack called BREACH). So lists that have no secret are named
here one by one, and everything else stays as it is: who somebody is, tokens, kits, downloads, the stream of events.
"""

from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

LISTS = frozenset(
    f"/api/v1/{name}"
    for name in (
        "alerts",
        "arrays",
        "deleted-snapshots",
        "deleted-volumes",
        "disks",
        "events",
        "host-groups",
        "hosts",
        "jobs",
        "mappings",
        "openapi.json",
        "sessions",
        "snapshots",
        "volumes",
    )
)
"""Addresses that are compressed when they are read. The rest of a list's answer is in its name: no secret."""
_LEAST_BYTES = 1400
"""Fits into one Ethernet packet anyway."""
_LEVEL = 1
"""A list of 1,000 volumes in 4 ms to a fifth; level 9 takes 25 times as long for a tenth less."""


def takes_gzip(accepted: str) -> bool:
    """Whether an Accept-Encoding header allows gzip: by name, or by `*` where it is not named (RFC 9110, 12.5.3)."""
    weights: dict[str, bool] = {}
    for part in accepted.lower().split(","):
        coding, _, weight = part.partition(";")
        name, _, value = weight.strip().partition("=")
        weights[coding.strip()] = not (name.strip() == "q" and value.strip().rstrip("0") in ("", "0", "0."))
    return weights.get("gzip", weights.get("x-gzip", weights.get("*", False)))


class CompressedLists:
    """Compresses the answers of `LISTS`, and no others."""

    def __init__(self, app: ASGIApp) -> None:
        self._plain = app
        self._compressed = GZipMiddleware(app, minimum_size=_LEAST_BYTES, compresslevel=_LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_list = scope["type"] == "http" and scope["method"] == "GET" and scope["path"] in LISTS
        wanted = is_list and takes_gzip(_accepted(scope))
        await (self._compressed if wanted else self._plain)(scope, receive, send)


def _accepted(scope: Scope) -> str:
    return ", ".join(value.decode("latin-1") for name, value in scope["headers"] if name == b"accept-encoding")
