"""A whole control plane over a fake machine, served on a loopback port and on its Unix socket, for the command line."""

import io
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import httpx2
import uvicorn

from backend.tests.fakemachine import FakeSystem
from backend.tests.wiring import Api, add_token, add_user, make_app
from lunette.agent import serving
from lunette.api.app import make_app as app_of
from lunette.api.main import Server
from lunette.api.requests.services import ApiServices, Files
from lunette.api.server.local import listen
from lunette.cli.main import run
from lunette.cli.screen import Screen
from lunette.domain.roles import Role

PASSWORD = "a-long-password"


class Cli:
    """Runs `lunette` in this process, piped as in a script."""

    def __init__(self, folder: Path, url: str, token: str, machine: FakeSystem) -> None:
        self.folder, self.url, self.token, self.machine = folder, url, token, machine
        self._http = httpx2.Client(base_url=url)
        self._api = Api(self._http, token)
        self.local = f"unix:{folder}/local.sock"
        self.known: dict[str, str] = {}
        """What stands for itself in a transcript: `$DISK1`."""
        self.env: dict[str, str] = {"HOME": str(folder), "LUNETTE_URL": url, "LUNETTE_TOKEN": token}

    def __call__(self, *words: str, env: Mapping[str, str] | None = None, answer: str = "") -> "Ran":
        out, err = io.StringIO(), io.StringIO()
        code = run(words, Screen(out, err, self.env, io.StringIO(answer)), {**self.env, **(env or {})})
        return Ran(code, out.getvalue(), err.getvalue())

    def close(self) -> None:
        self._http.close()

    def until(self, is_true: Callable[[], bool]) -> None:
        """Waits for a condition."""
        self._api.until(is_true)

    def wait_for(self, path: str) -> None:
        """Waits until a list has an item."""
        self.until(lambda: bool(self._api.items(path)))

    def plug_fc(self, wwpn: str) -> None:
        """Gives the machine a Fibre Channel port."""
        self.machine.add_fc_port(wwpn, "qla2xxx")
        serving.prepare(self.machine)
        self.wait_for("/fc-ports")

    def settle(self) -> None:
        """Waits until the machine exports what the database wants, so that no answer depends on who was quicker."""
        self.until(lambda: self._api.get("/status")["exports"]["state"] == "converged")


class Ran:
    """What a command printed, and its exit code."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def transcript(self) -> str:
        """Results, remarks marked with `! `, and the exit code where it is not 0."""
        remarks = "".join(f"! {line}\n" for line in self.err.splitlines())
        return f"{self.out}{remarks}" + (f"[exit {self.code}]\n" if self.code else "")


@contextmanager
def appliance(folder: Path, database_url: str, disks: int = 8, files: Files | None = None) -> Iterator[Cli]:
    """An appliance with blank disks, and the command line of an administrator."""
    machine = FakeSystem()
    serving.prepare(machine)  # as the agent does before it listens; without it `engine list` depends on the moment
    machine.add_disks(disks, size_bytes=1024**3)
    _, services = make_app(folder, machine, database_url)
    services = replace(services, files=files)
    token = add_token(services.store, Role.ADMINISTRATOR)
    add_user(services.store, "admin", Role.ADMINISTRATOR, PASSWORD)
    with _serving(services, folder / "local.sock") as url:
        cli = Cli(folder, url, token, machine)
        try:
            yield cli
        finally:
            cli.close()


@contextmanager
def _serving(services: ApiServices, local: Path) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = uvicorn.Config(app_of(services), log_level="warning", timeout_graceful_shutdown=20, lifespan="on")
        server = Server(config, services.feed, listen(local), frozenset({os.getuid()}))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(30)
            services.store.close()
        assert not thread.is_alive(), "the server did not end"
