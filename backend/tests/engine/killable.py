"""The agent and the API as processes that can be killed at any moment, over a fake machine that outlives both.

An agent's call that has reached the machine completes even if either process is killed, as a call into the kernel does.
"""

import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Client, Connection, Listener, Pipe
from pathlib import Path
from typing import Any, cast

from backend.tests.fakemachine import FakeSystem
from lunette.agent.core import Agent
from lunette.agent.loop import AgentLoop
from lunette.agent.server import Server, listen
from lunette.domain.errors import Conflict, Unavailable
from lunette.domain.site import SiteRequest
from lunette.engine.context.outcome import Actor
from lunette.engine.control import Control
from lunette.engine.site import changes as site_changes
from lunette.store.database import Store
from lunette.store.secrets import SecretBox
from lunette.system.agent_client import AgentClient
from lunette.system.system_port import System

ACTOR = Actor(name="admin")
PACE = 0.02
"""Of every pause of the API: a killed agent is back within milliseconds here."""
_START_S = 30.0
_context = get_context("forkserver")


class MachineServer:
    """The fake machine behind a socket; `look` is called after each call that may have changed it."""

    def __init__(self, machine: FakeSystem, path: str, look: Callable[[str], None]) -> None:
        self._machine, self._look = machine, look
        self._listener = Listener(path, family="AF_UNIX", backlog=16)
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                asker = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(asker,), daemon=True).start()

    def _serve(self, asker: Connection) -> None:
        with asker, suppress(EOFError, OSError):
            while True:
                asker.send(self._answer(*asker.recv()))

    def _answer(self, name: str, words: tuple[Any, ...], options: dict[str, Any]) -> tuple[bool, Any]:
        try:
            return True, getattr(self._machine, name)(*words, **options)
        except Exception as error:  # noqa: BLE001 whatever the machine says against it is the agent's to hear
            return False, error
        finally:
            self._look(f"{name} {words[0] if words else ''}")


class FarMachine:
    """The system port of an agent that is a process of its own. A connection for each of its threads."""

    def __init__(self, path: str) -> None:
        self._path, self._here = path, threading.local()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return partial(self._call, name)

    def _call(self, name: str, *words: Any, **options: Any) -> Any:
        if not hasattr(self._here, "machine"):
            self._here.machine = Client(self._path, family="AF_UNIX")
        self._here.machine.send((name, words, options))
        is_done, answer = self._here.machine.recv()
        if not is_done:
            raise answer
        return answer


def run_agent(machine: str, socket: str) -> None:
    """What `lunette-agent` does after it has looked at its options."""
    system = cast(System, FarMachine(machine))
    agent = Agent(system)
    server = Server(agent, listen(socket), frozenset({os.getuid()}))
    AgentLoop(agent).start()
    server.serve()


def run_api(url: str, key: str, socket: str, orders: Connection) -> None:
    """The API without HTTP: it takes up what another left, and asks for the sites that come over `orders`.

    It answers with the id of the job; None where nothing has to change.
    """
    store = Store.open(url, SecretBox.at(Path(key)))
    control = Control(store, AgentClient(socket), pace=PACE)
    control.runner._wait = control.sites._wait = lambda seconds: control._workers.wait(seconds * PACE)
    control.start()
    with suppress(EOFError):
        while True:
            orders.send(_ask(store, control, SiteRequest.model_validate_json(orders.recv())))


def _ask(store: Store, control: Control, request: SiteRequest) -> str | None:
    """Try again while the agent is away or an erasure is under way, as a client does that gets 503 or 409."""
    while True:
        with suppress(Unavailable, Conflict):
            control.observation(0)
            with store.write() as tx:
                return site_changes.apply(control.change(tx, ACTOR), request).job_id


class Processes:
    """Both processes, started again after each kill."""

    def __init__(self, folder: Path, url: str, key: Path, machine: str) -> None:
        _context.set_forkserver_preload([__name__])  # then a start is a fork
        self.socket = f"{folder}/agent.sock"
        self._agent_words = (machine, self.socket)
        self._api_words = (url, str(key), self.socket)
        self.kills = 0
        self._is_asked = False
        """A site was sent to the API that runs now, and it has not answered yet."""
        self._start_agent()
        self._start_api()

    def send(self, request: SiteRequest) -> None:
        """Asks for a site."""
        self._orders.send(request.model_dump_json(exclude_unset=True))
        self._is_asked = True

    def answer(self) -> str | None:
        """The job of the site that was sent last; None where nothing had to change, or who was asked is dead."""
        if not self._is_asked:
            return None
        if not self._orders.poll(_START_S):
            raise TimeoutError("the API process did not file the site")
        self._is_asked = False
        return cast("str | None", self._orders.recv())

    def kill(self, *, agent: bool, api: bool) -> None:
        """SIGKILL to one or both, and each is started again."""
        doomed = [one for one, wanted in ((self._agent, agent), (self._api, api)) if wanted]
        for one in doomed:
            os.kill(cast(int, one.pid), signal.SIGKILL)
            self.kills += 1
        for one in doomed:
            one.join(_START_S)
        if agent:
            self._start_agent()
        if api:
            self._orders.close()
            self._is_asked = False
            self._start_api()

    def close(self) -> None:
        for one in (self._api, self._agent):
            one.kill()
            one.join(_START_S)
        self._orders.close()

    def _start_agent(self) -> None:
        self._agent = _context.Process(target=run_agent, args=self._agent_words, daemon=True)
        self._agent.start()

    def _start_api(self) -> None:
        self._orders, theirs = Pipe()
        self._api = _context.Process(target=run_api, args=(*self._api_words, theirs), daemon=True)
        self._api.start()
        theirs.close()
