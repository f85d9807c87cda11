"""A Python client of the Lunette API, for scripts and for the `lunette` command: synchronous, typed, no dependencies.

    from lunette.client import connect

    with connect() as appliance:
        for volume in appliance.volume_list(array="tank"):
            print(volume["name"], volume["size_bytes"])

There is one method for each operation of the API, under the operation's own name; what they take and answer is typed in
`lunette.client.generated.types`. docs/howto/script-with-python.md is the guide.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lunette.client.client import FINISHED, Client
    from lunette.client.endpoint import LOCAL, LOCAL_SOCKET, Endpoint
    from lunette.client.errors import (
        ClientError,
        ConfigProblem,
        JobFailed,
        Refused,
        StillRunning,
        Unreachable,
        Untrusted,
    )
    from lunette.client.finding import connect, find_endpoint
    from lunette.client.wire import JsonObject, fetch_fingerprint

_HOMES = {
    "client": ("FINISHED", "Client"),
    "endpoint": ("LOCAL", "LOCAL_SOCKET", "Endpoint"),
    "errors": ("ClientError", "ConfigProblem", "JobFailed", "Refused", "StillRunning", "Unreachable", "Untrusted"),
    "finding": ("connect", "find_endpoint"),
    "wire": ("JsonObject", "fetch_fingerprint"),
}

__all__ = [
    "FINISHED",
    "LOCAL",
    "LOCAL_SOCKET",
    "Client",
    "ClientError",
    "ConfigProblem",
    "Endpoint",
    "JobFailed",
    "JsonObject",
    "Refused",
    "StillRunning",
    "Unreachable",
    "Untrusted",
    "connect",
    "fetch_fingerprint",
    "find_endpoint",
]


def __getattr__(name: str) -> Any:
    """Imports on first use, so that `lunette --help` does not wait for HTTP and TLS."""
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"lunette.client.{module}"), name)
    raise AttributeError(f"module 'lunette.client' has no attribute {name!r}")
