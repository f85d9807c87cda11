"""Entry point of `lunette-api`: one process, one worker, TLS, and a Unix socket for root."""

import asyncio
import functools
import os
import signal
import socket
import sys
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

import structlog
import uvicorn

from lunette.api.app import make_app
from lunette.api.appliance.backup_extras import install_staged
from lunette.api.appliance.certificate import LiveCertificate, ensure_certificate, own_address
from lunette.api.appliance.first_settings import take_installed_zone
from lunette.api.auth.first_user import ensure_first_user, reset_first_user
from lunette.api.auth.passwords import OneTimePassword, Passwords
from lunette.api.events.feed import EventFeed
from lunette.api.requests.services import ApiServices, Files
from lunette.api.server import connections
from lunette.api.server.local import LOCAL_ADMINISTRATOR, LOCAL_SOCKET, ROOT, PeerCheck, config_for, listen
from lunette.api.server.log import set_up_log
from lunette.api.server.notify import notify
from lunette.api.server.protocol import HttpProtocol
from lunette.api.settings import Settings, read_settings
from lunette.domain.certificates import fingerprint
from lunette.domain.errors import LunetteError
from lunette.domain.first_start import FIRST_USER, INSTALLED_PASSWORD, INSTALLED_ZONE
from lunette.engine.connect import control_over
from lunette.engine.exports import exportset, firewall
from lunette.store.database import Store
from lunette.store.old_addresses import seal_old_addresses
from lunette.store.secrets import SecretBox

GRACE_S = 10
"""How long running requests may take after a stop was requested."""
TLS_1_2_CIPHERS = "ECDHE+AESGCM:ECDHE+CHACHA20"
"""Authenticated encryption with keys of the connection alone, as in TLS 1.3; the oldest version is 1.2."""
STARTUP_FAILURE = 3
"""Uvicorn's exit status for a failed start."""
PARTING_S = 0.5
"""How long a client has to answer the end of TLS, which idle ones of a pool do not read."""


class Server(uvicorn.Server):
    """uvicorn that notifies systemd, and ends the event streams before it waits for open connections.

    From the network it admits as many connections as the limits allow. With a `local` socket it also serves there,
    without TLS and uncounted, only these `uids`.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        feed: EventFeed,
        local: socket.socket | None = None,
        uids: Collection[int] = ROOT,
        limits: connections.Limits | None = None,
    ) -> None:
        super().__init__(config)
        self._feed, self._local, self._uids, self._limits = feed, local, uids, limits or connections.limits_here()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Uvicorn's own method raises the signal again at the end, before the store is closed."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Uvicorn's own method counts no connections, so there could be any number of TLS handshakes."""
        await self.lifespan.startup()
        if self.lifespan.should_exit:
            sys.exit(STARTUP_FAILURE)
        open_connections, let_in = (
            connections.OpenConnections(self._limits),
            functools.partial(self._protocol, self.config),
        )
        try:
            listeners = sockets or await connections.listen(self.config.host, self.config.port)
            self.servers: list[Any] = [
                connections.Listener(listener, open_connections, self._limits, self.config.ssl, let_in)
                for listener in listeners
            ]
        except OSError as error:
            structlog.get_logger(__name__).error("cannot listen", port=self.config.port, reason=str(error))
            await self.lifespan.shutdown()
            sys.exit(STARTUP_FAILURE)
        if self._local is not None:
            loop = asyncio.get_running_loop()
            inside = functools.partial(self._protocol, config_for(self.config))
            self.servers.append(await loop.create_unix_server(lambda: PeerCheck(inside, self._uids), sock=self._local))
        self.started = True
        notify("READY=1")

    def _protocol(self, config: uvicorn.Config) -> HttpProtocol:
        return HttpProtocol(config=config, server_state=self.server_state, app_state=self.lifespan.state)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        notify("STOPPING=1")
        self._feed.close()
        parting = asyncio.create_task(self._part())
        try:
            await super().shutdown(sockets)
        finally:
            parting.cancel()

    async def _part(self) -> None:
        """Ends connections whose last response was sent but whose client is idle: TLS would wait for half a minute."""
        while True:
            await asyncio.sleep(PARTING_S)
            for connection in cast("tuple[HttpProtocol, ...]", tuple(self.server_state.connections)):
                if connection.waits_for == "part" and not connection.waiting_bytes:
                    connection.hang_up()


def main() -> int:
    """Runs the API until it is stopped."""
    settings = read_settings(sys.argv[1:])
    os.umask(0o077)  # on an appliance its unit sets this too
    set_up_log()
    try:
        return _reset(settings) if settings.reset_password else _serve(settings)
    except LunetteError as error:
        sys.stderr.write(f"lunette-api cannot start: {error.detail}\n{error.log}\n".rstrip() + "\n")
        return 1


def _serve(settings: Settings) -> int:
    address = own_address()
    store = _open(settings)
    files = Files(settings.data, settings.tls_cert, settings.tls_key, own=settings.makes_certificate)
    if files.own:
        install_staged(store, files)
        known = [] if address is None else [address]
        ensure_certificate(settings.tls_cert, settings.tls_key, socket.gethostname() or "lunette", known)
    _seal_old_addresses(store)
    one_time, passwords = OneTimePassword(settings.runtime / "one-time-password"), Passwords()
    _report_port(store, settings.port)
    password = ensure_first_user(store, passwords, one_time, settings.data / INSTALLED_PASSWORD)
    take_installed_zone(store, settings.data / INSTALLED_ZONE)
    feed, live = EventFeed(store), LiveCertificate()
    services = ApiServices(
        store=store,
        control=control_over(store, settings.agent_socket, settings.data),
        feed=feed,
        one_time=one_time,
        passwords=passwords,
        name=socket.gethostname,
        ui=settings.ui,
        files=files,
        restart=lambda: os.kill(os.getpid(), signal.SIGTERM),
        renew_certificate=live.renew,
    )
    _greet(settings, address, password)
    server = Server(_config(settings, services, live), feed, _local_socket(settings.runtime / LOCAL_SOCKET))
    try:
        server.run()
    finally:
        store.close()
    return 0 if server.started else 1


def _seal_old_addresses(store: Store) -> None:
    with _left_to_the_next_start("old addresses are not sealed yet"), store.write() as tx:
        seal_old_addresses(tx)


def _report_port(store: Store, port: int) -> None:
    """For the firewall: the agent opens the port that this listens on. A start writes nothing if the port is known."""
    with store.read() as tx:
        if firewall.spec(tx).api_port == port:
            return
    with _left_to_the_next_start("the firewall does not know the port"), store.write() as tx:
        if firewall.listens_on(tx, port):
            exportset.counted(tx)


@contextmanager
def _left_to_the_next_start(what: str) -> Iterator[None]:
    """A database that cannot be written now does not prevent the start."""
    try:
        yield
    except LunetteError as error:
        structlog.get_logger(__name__).warning(what, reason=error.detail)


def _local_socket(path: Path) -> socket.socket | None:
    """The socket for root. If it cannot be created, the appliance is still reachable over HTTPS."""
    try:
        return listen(path)
    except OSError as error:
        structlog.get_logger(__name__).warning("no local socket", path=str(path), reason=str(error))
        return None


def _config(settings: Settings, services: ApiServices, live: LiveCertificate) -> uvicorn.Config:
    return uvicorn.Config(
        make_app(services),
        host=settings.host,
        port=settings.port,
        ssl_certfile=settings.tls_cert,
        ssl_keyfile=settings.tls_key,
        ssl_context_factory=live.factory,
        ssl_ciphers=TLS_1_2_CIPHERS,
        loop="asyncio",
        http=HttpProtocol,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        log_config=None,
        log_level="warning",
        timeout_graceful_shutdown=GRACE_S,
        timeout_keep_alive=30,
        lifespan="on",
    )


def _open(settings: Settings) -> Store:
    box, reset = SecretBox.at(settings.data / "secret.key"), settings.reset_password
    return Store.open(settings.database_url, box, lasting=not reset)


def _reset(settings: Settings) -> int:
    """For an administrator with a shell on the appliance. Works while the API is running."""
    _become_owner(settings.data)
    store = _open(settings)
    try:
        one_time = OneTimePassword(settings.runtime / "one-time-password")
        password = reset_first_user(store, Passwords(), one_time, LOCAL_ADMINISTRATOR)
    finally:
        store.close()
    _greet(settings, own_address(), password)
    return 0


def _become_owner(folder: Path) -> None:
    """As root, files created here would lock the API out of its own database: continue as the directory's owner."""
    if os.geteuid() == 0 and folder.exists() and folder.stat().st_uid != 0:
        owner = folder.stat()
        os.setgroups([])
        os.setgid(owner.st_gid)
        os.setuid(owner.st_uid)


def _greet(settings: Settings, address: str | None, password: str | None) -> None:
    """The box on the console: the address, and the one-time password until it is changed."""
    lines = [f"Web address   https://{address or socket.gethostname()}:{settings.port}"]
    with suppress(OSError, ValueError):
        lines.append(f"Certificate   SHA-256 {fingerprint(settings.tls_cert.read_text())}")
    if password:
        lines += [
            f"User          {FIRST_USER}",
            f"One-time password   {password}",
            "It must be changed at first login.",
        ]
    rule = "=" * max(len(line) for line in lines)
    sys.stdout.write("\n".join(("", rule, *lines, rule, "")) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
