"""Guessing passwords is slow from wherever it is done, leaves a trace, and makes nobody wait who is in already."""

import datetime as dt
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from backend.tests.wiring import Api, add_token, add_user
from lunette.api import passwords
from lunette.api.parts import Parts
from lunette.api.passwords import LoginLimit, Passwords
from lunette.domain.errors import RateLimited
from lunette.domain.roles import Role
from lunette.engine.failed_logins import MANY, FailedLogins
from lunette.store.journal import Event

PASSWORD = "correct horse battery"


class Clock:
    def __init__(self) -> None:
        self.now = dt.datetime(2026, 11, 27, tzinfo=dt.UTC)

    def __call__(self) -> dt.datetime:
        return self.now


def refusals(limit: LoginLimit, attempts: int, username: str = "ann", *, known: bool = False) -> int:
    """How many of these attempts, each from an address of its own, are refused."""
    refused = 0
    for number in range(attempts):
        try:
            limit.attempt(f"192.0.2.{number}", username, lambda: known)
        except RateLimited:
            refused += 1
    return refused


def test_many_addresses_together_guess_no_faster_than_two() -> None:
    limit = LoginLimit()
    assert refusals(limit, 100) == 90
    assert refusals(limit, 5, "bob") == 0


def test_who_comes_from_where_they_always_come_from_is_not_locked_out() -> None:
    limit = LoginLimit()
    refusals(limit, 100)
    assert refusals(limit, 4, known=True) == 0


def test_the_addresses_of_one_network_are_one_address() -> None:
    limit = LoginLimit()
    for number in range(5):
        limit.attempt(f"2001:db8::{number}", "ann")
    with pytest.raises(RateLimited):
        limit.attempt("2001:db8::ffff", "ann")


def test_an_address_is_known_by_the_logins_from_it(http: TestClient, parts: Parts) -> None:
    add_user(parts.store, "ann", Role.OPERATOR, PASSWORD)
    object.__setattr__(parts, "login_limit", LoginLimit(from_afar=1))

    def attempt(password: str) -> int:
        return http.post("/api/v1/login", json={"username": "ann", "password": password}).status_code

    assert attempt("wrong") == 401
    assert attempt(PASSWORD) == 429, "one attempt from a new address was allowed"
    object.__setattr__(parts, "login_limit", LoginLimit(from_afar=1))
    assert attempt(PASSWORD) == 200
    object.__setattr__(parts, "login_limit", LoginLimit(from_afar=1))
    assert [attempt("wrong"), attempt("wrong"), attempt(PASSWORD)] == [401, 401, 200]


def test_failed_logins_are_events_but_not_one_each(http: TestClient, parts: Parts) -> None:
    add_user(parts.store, "ann", Role.OPERATOR, PASSWORD)
    object.__setattr__(parts, "login_limit", LoginLimit(1000, 1000, 1000))
    for _ in range(30):
        assert http.post("/api/v1/login", json={"username": "ann", "password": "wrong"}).status_code == 401
    api = Api(http, add_token(parts.store, Role.ADMINISTRATOR))
    told = api.items("/events", kind="user.login_failed")
    with parts.store.read() as tx:
        counts = [row["count"] for row in tx.scalars(select(Event.data).where(Event.kind == "user.login_failed"))]
    assert counts == [1, 5, 25]
    assert {one["ref"] for one in told} == {"ann"}
    assert {one["kind"] for one in api.items("/events", noun="user", outcome="failed")} == {"user.login_failed"}


def test_a_name_that_is_no_users_is_not_written_down(http: TestClient, parts: Parts) -> None:
    http.post("/api/v1/login", json={"username": "my-secret-password", "password": "x"})
    api = Api(http, add_token(parts.store, Role.ADMINISTRATOR))
    (told,) = api.items("/events", kind="user.login_failed")
    assert "my-secret-password" not in str(told)
    assert "does not exist" in told["message"]


def test_many_failed_logins_are_an_alert_that_ends_by_itself(parts: Parts) -> None:
    clock = Clock()
    failed = FailedLogins(parts.store, clock)
    for number in range(MANY - 1):
        failed.note("ann", f"192.0.2.{number % 2}")
    assert not list(failed.causes())
    failed.note(None, "192.0.2.7")
    (cause,) = failed.causes()
    assert "ann" in cause.cause
    assert "192.0.2.1" in cause.cause
    clock.now += dt.timedelta(minutes=10, seconds=1)
    assert not list(failed.causes())
    parts.store.close()


def test_the_alert_is_raised_where_alerts_are_shown(appliance_on_sqlite: tuple[Api, Parts]) -> None:
    api, parts = appliance_on_sqlite
    for _ in range(MANY):
        parts.control.failed_logins.note("ann", "192.0.2.1")
    until = time.monotonic() + 60
    shown: list[dict[str, Any]] = []
    while not shown and time.monotonic() < until:
        time.sleep(0.2)
        shown = [one for one in api.items("/alerts") if one["key"] == "login.failed"]
    assert shown[0]["family"] == "login"
    assert shown[0]["severity"] == "warning"


class Slow(Passwords):
    """Checks that end when they are let go."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()

    def is_right(self, password: str, stored_hash: str | None) -> bool:
        assert self.go.wait(60)
        return super().is_right(password, stored_hash)


def test_logins_that_wait_make_nobody_else_wait_and_too_many_are_sent_away(http: TestClient, parts: Parts) -> None:
    slow = Slow()
    object.__setattr__(parts, "passwords", slow)
    object.__setattr__(parts, "login_limit", LoginLimit(1000, 1000, 1000))
    api = Api(http, add_token(parts.store, Role.VIEWER))

    def attempt(_number: int) -> int:
        return http.post("/api/v1/login", json={"username": "ann", "password": "wrong"}).status_code

    try:
        with ThreadPoolExecutor(60) as pool:
            attempts = [pool.submit(attempt, number) for number in range(60)]
            until = time.monotonic() + 60
            while sum(one.done() for one in attempts) < 60 - passwords._LOGINS_WAITING and time.monotonic() < until:
                time.sleep(0.05)
            assert api.get("/me")["role"] == "viewer", "every login waits, and who is in is answered"
            slow.go.set()
            answered = sorted(one.result() for one in attempts)
    finally:
        slow.go.set()
    assert answered == [401] * passwords._LOGINS_WAITING + [429] * (60 - passwords._LOGINS_WAITING)
