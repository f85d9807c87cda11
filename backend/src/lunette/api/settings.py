"""Paths and listening addresses: arguments first, then the environment, then the appliance's defaults."""

import argparse
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from lunette.domain.agent_protocol import SOCKET_PATH
from lunette.domain.base import Model

APPLIANCE_UI = "/opt/lunette/ui"


class Settings(Model):
    """`data` contains the database, the key for stored secrets and the certificate; `runtime` is lost at a reboot."""

    data: Path
    runtime: Path
    database_url: str
    agent_socket: str
    host: str
    port: int
    tls_cert: Path
    tls_key: Path
    ui: Path | None
    reset_password: bool

    @property
    def makes_certificate(self) -> bool:
        """True if the certificate is our own, to be created if it is missing."""
        return self.tls_cert == self.data / "tls" / "cert.pem"


def read_settings(argv: Sequence[str], env: Mapping[str, str] = os.environ) -> Settings:
    """The settings of one start. Ends the program with a message for a wrong argument."""
    parser = argparse.ArgumentParser(prog="lunette-api", description="The Lunette API and its web page, over TLS.")
    data = env.get("LUNETTE_DATA") or env.get("STATE_DIRECTORY") or "/var/lib/lunette/api"
    runtime = env.get("LUNETTE_RUNTIME") or env.get("RUNTIME_DIRECTORY") or "/run/lunette-api"
    ui = env.get("LUNETTE_UI") or (APPLIANCE_UI if Path(APPLIANCE_UI).is_dir() else None)
    parser.add_argument("--data", type=Path, default=Path(data), help="folder of database, key and certificate")
    parser.add_argument("--runtime", type=Path, default=Path(runtime), help="folder of the one-time password")
    parser.add_argument("--database-url", default=env.get("LUNETTE_DATABASE_URL"), help="sqlite:///… or postgresql://…")
    parser.add_argument("--agent-socket", default=env.get("LUNETTE_AGENT_SOCKET") or SOCKET_PATH)
    parser.add_argument("--host", default=env.get("LUNETTE_HOST") or "0.0.0.0")  # noqa: S104 an appliance is reached
    parser.add_argument("--port", type=int, default=int(env.get("LUNETTE_PORT") or 8443))
    parser.add_argument("--tls-cert", type=Path, default=_path(env.get("LUNETTE_TLS_CERT")), help="PEM, with chain")
    parser.add_argument("--tls-key", type=Path, default=_path(env.get("LUNETTE_TLS_KEY")), help="PEM")
    parser.add_argument("--ui", type=Path, default=_path(ui), help="folder of the built web page")
    parser.add_argument(
        "--reset-password", action="store_true", help="give the user admin a new one-time password, print it and exit"
    )
    given = parser.parse_args(argv)
    if (given.tls_cert is None) != (given.tls_key is None):
        parser.error("--tls-cert and --tls-key must be used together")
    return Settings(
        data=given.data,
        runtime=given.runtime,
        agent_socket=given.agent_socket,
        host=given.host,
        port=given.port,
        database_url=given.database_url or f"sqlite:///{given.data.absolute()}/lunette.db",
        tls_cert=given.tls_cert or given.data / "tls" / "cert.pem",
        tls_key=given.tls_key or given.data / "tls" / "key.pem",
        ui=given.ui,
        reset_password=given.reset_password,
    )


def _path(text: str | None) -> Path | None:
    return Path(text) if text else None
