"""Compression, for clients that accept it: lists of the API here, the files of the page in `page`.

With compression, the length of a response shows how much of it repeats. If a secret is next to text that
an attacker chose, lengths reveal the secret (the attack called BREACH). So lists without secrets are named
here one by one, and everything else is uncompressed: identities, tokens, kits, downloads, the stream of events.
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
"""Addresses whose responses are compressed: lists without a secret."""
_LEAST_BYTES = 1400
"""Fits into one Ethernet packet uncompressed."""
_LEVEL = 1
"""Compresses a list of 1,000 volumes to a fifth in 4 ms; level 9 takes 25 times as long to save another tenth."""


def takes_gzip(accepted: str) -> bool:
    """Whether an Accept-Encoding header allows gzip: by name, or by `*` if it is not named (RFC 9110, 12.5.3)."""
    weights: dict[str, bool] = {}
    for part in accepted.lower().split(","):
        coding, _, weight = part.partition(";")
        name, _, value = weight.strip().partition("=")
        weights[coding.strip()] = not (name.strip() == "q" and value.strip().rstrip("0") in ("", "0", "0."))
    return weights.get("gzip", weights.get("x-gzip", weights.get("*", False)))


class CompressedLists:
    """Compresses the responses of `LISTS`, and no others."""

    def __init__(self, app: ASGIApp) -> None:
        self._plain = app
        self._compressed = GZipMiddleware(app, minimum_size=_LEAST_BYTES, compresslevel=_LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_list = scope["type"] == "http" and scope["method"] == "GET" and scope["path"] in LISTS
        wanted = is_list and takes_gzip(_accepted(scope))
        await (self._compressed if wanted else self._plain)(scope, receive, send)


def _accepted(scope: Scope) -> str:
    return ", ".join(value.decode("latin-1") for name, value in scope["headers"] if name == b"accept-encoding")
