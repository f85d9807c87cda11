"""Puts the whole control plane together in one process: API, engine, store, and an agent port the test chooses."""

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from argon2 import PasswordHasher
from cryptography.fernet import Fernet
from fastapi import FastAPI
from fastapi.testclient import TestClient
from httpx2 import Client, Response

from backend.tests.databases import fresh_file
from backend.tests.fakemachine import FakeSystem
from lunette.agent.core import Agent
from lunette.agent.requests import Answering
from lunette.api.app import make_app as app_of
from lunette.api.auth.identity import TOKEN_PREFIX, hash_secret
from lunette.api.auth.passwords import LoginLimit, OneTimePassword, Passwords
from lunette.api.events.feed import EventFeed
from lunette.api.main import Server
from lunette.api.requests.services import ApiServices
from lunette.api.server.connections import Limits
from lunette.domain.agent_protocol import Request, Result
from lunette.domain.errors import AgentAway
from lunette.domain.identity import IdentitySource
from lunette.domain.roles import Role
from lunette.engine.control import Control
from lunette.store.access import ApiToken, User
from lunette.store.database import Store
from lunette.store.secrets import SecretBox
from lunette.system.agent_port import AgentPort
from tests.machines import pace

API = "/api/v1"
PACE = 0.04 * float(os.environ.get(pace.ENVIRONMENT) or 1)
"""A test does not wait ten seconds for what happens every ten seconds. Where it has little processor time, rounds are
rarer, so that they do not take all of it."""
QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
"""Argon2 with next to no cost: a test is about who gets in, not about how long guessing takes."""


class AwayAgent(Answering):
    """An agent that does not answer; a subclass answers the requests that it has a method for."""

    def ask(self, request: Request[Result]) -> Result:
        if type(request) in self.handlers:
            return super().ask(request)
        raise AgentAway("the agent does not answer: check whether lunette-agent is running")


def make_services(
    folder: Path, agent: AgentPort, url: str | None = None, ui: Path | None = None, busy_timeout_s: int = 30
) -> ApiServices:
    """Everything an application needs, on a SQLite file in `folder` or on the database given."""
    store = Store.open(url or fresh_file(folder), SecretBox(Fernet.generate_key()), busy_timeout_s)
    return ApiServices(
        store=store,
        control=Control(store, agent, pace=PACE),
        feed=EventFeed(store),
        one_time=OneTimePassword(folder / "one-time"),
        passwords=Passwords(QUICK),
        login_limit=LoginLimit(),
        name=lambda: "test",
        ui=ui,
    )


def add_user(store: Store, username: str, role: Role, password: str, *, must_change: bool = False) -> str:
    """A user who may log in; returns the id."""
    with store.write() as tx:
        user = User(
            id=IdentitySource().id(),
            username=username,
            role=role.value,
            password_hash=QUICK.hash(password),
            must_change_password=must_change,
        )
        tx.add(user)
    return user.id


def add_token(store: Store, role: Role) -> str:
    """An API token of a new user with this role."""
    name = f"{role.value}-{IdentitySource().id()[:8]}"
    owner = add_user(store, name, role, "irrelevant-password")
    secret = f"{TOKEN_PREFIX}{name}"
    with store.write() as tx:
        tx.add(
            ApiToken(
                id=IdentitySource().id(),
                name=name,
                user_id=owner,
                token_hash=hash_secret(secret),
                role=role.value,
                expires_at=None,
                last_used_at=None,
            )
        )
    return secret


POLL_S = 0.2
"""Real seconds of each wait of the agent on a fake machine with other threads: on its clock alone a minute would
pass before the thread that does the awaited work has had its turn."""


class Api:
    """Speaks to an application as one identity. Paths are below /api/v1."""

    def __init__(self, http: Client, token: str | None = None) -> None:
        self.http = http
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def call(self, method: str, path: str, **options: Any) -> Response:
        return self.ask(method, API + path, **options)

    def ask(self, method: str, path: str, **options: Any) -> Response:
        """The answer to a request for any path of the server."""
        headers = {**self._headers, **options.pop("headers", {})}
        return self.http.request(method, path, headers=headers, **options)

    def get(self, path: str, **params: Any) -> Any:
        """The body of a GET that must succeed."""
        return _good(self.call("GET", path, params=params)).json()

    def items(self, path: str, **params: Any) -> list[Any]:
        """Every item of a list, page by page."""
        found, cursor = [], None
        while True:
            page = self.get(path, **params, **({"cursor": cursor} if cursor else {}))
            found += page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return found

    def post(self, path: str, body: Any = None, *, dry_run: bool = False, **options: Any) -> Response:
        return self.call("POST", path, json=body, params={"dry_run": dry_run} if dry_run else {}, **options)

    def made(self, path: str, body: Any) -> Any:
        """The body of a POST that must succeed; a job is followed to its good end and answered as it is then."""
        answer = _good(self.post(path, body))
        return self.done(answer.json()) if answer.status_code == 202 else answer.json()

    def patch(self, path: str, body: Any, etag: str = "*", **params: Any) -> Response:
        return self.call("PATCH", path, json=body, headers={"If-Match": etag}, params=params)

    def delete(self, path: str, etag: str = "*", **params: Any) -> Response:
        return self.call("DELETE", path, headers={"If-Match": etag}, params=params)

    def done(self, job: Any, deadline_s: float = 120.0) -> Any:
        """Waits for a job to succeed."""
        self.until(lambda: self.get(f"/jobs/{job['id']}")["state"] not in ("pending", "running"), deadline_s)
        ended = self.get(f"/jobs/{job['id']}")
        assert ended["state"] == "succeeded", ended
        return ended

    def until(self, is_true: Callable[[], bool], deadline_s: float = 120.0) -> None:
        """Waits for a condition, or fails naming it."""
        end = pace.deadline(deadline_s)
        while not is_true():
            assert time.monotonic() < end, f"not true within {deadline_s} s"
            time.sleep(0.02)


def _good(response: Response) -> Response:
    assert response.is_success, f"{response.status_code} {response.text}"
    return response


def client_of(app: FastAPI) -> TestClient:
    """A client that sees what a remote one sees: TLS, and a problem where a handler crashes."""
    return TestClient(app, base_url="https://testserver", raise_server_exceptions=False)


def make_app(folder: Path, fake: FakeSystem, url: str | None = None) -> tuple[FastAPI, ApiServices]:
    """The application over the real agent on a fake machine, whose clock starts now."""
    fake.clock = time.time()
    fake.pause_s = POLL_S
    services = make_services(folder, Agent(fake), url)
    return app_of(services), services


@contextmanager
def running(services: ApiServices) -> Iterator[TestClient]:
    """The application of these parts with its threads running."""
    with client_of(app_of(services)) as http:
        yield http
    services.store.close()


@contextmanager
def serving(
    services: ApiServices,
    port: int = 0,
    certificate: Path | None = None,
    key: Path | None = None,
    limits: Limits | None = None,
) -> Iterator[tuple[str, Server]]:
    """The application of these parts on a loopback port of a real server; yields its address and the server.

    With a certificate (PEM) and its key it speaks TLS.
    """
    with socket.create_server(("127.0.0.1", port)) as listener:
        config = uvicorn.Config(
            app_of(services),
            log_level="warning",
            timeout_graceful_shutdown=20,
            lifespan="on",
            ssl_certfile=certificate,
            ssl_keyfile=key,
        )
        server = Server(config, services.feed, limits=limits)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        try:
            yield f"{'https' if certificate else 'http'}://127.0.0.1:{listener.getsockname()[1]}", server
        finally:
            server.should_exit = True
            thread.join(30)
            services.store.close()
        assert not thread.is_alive(), "the server did not end"
