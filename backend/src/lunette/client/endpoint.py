"""Where an appliance is, how it is recognized, and who is asking."""

from dataclasses import dataclass
from pathlib import Path

LOCAL_SOCKET = Path("/run/lunette-api/local.sock")
"""Where the API listens for root on the appliance itself."""


@dataclass(frozen=True)
class Endpoint:
    """One appliance.

    `url` is https://ADDRESS:PORT, or unix:PATH for root on the appliance. An appliance starts with a self-signed
    certificate, so it is trusted by its `fingerprint` (SHA-256 of the certificate in hex, as SSH trusts host keys);
    without one the machine's certificate authorities decide.
    """

    url: str
    token: str | None = None
    fingerprint: str | None = None
    token_name: str | None = None
    """What the token is called on the appliance, so that `lunette logout` can delete it there."""

    @property
    def is_local(self) -> bool:
        """True for the Unix socket, which asks the kernel who is calling and needs no token."""
        return self.url.startswith("unix:")


LOCAL = Endpoint(f"unix:{LOCAL_SOCKET}")
