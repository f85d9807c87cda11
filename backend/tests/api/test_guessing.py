"""Guessing passwords is slow from any address, leaves a trace, and delays no one who is already logged in."""

import datetime as dt
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from backend.tests.wiring import Api, add_token, add_user
from lunette.api.auth import passwords
from lunette.api.auth.passwords import Attempts, LoginLimit, Passwords
from lunette.api.requests.services import ApiServices
from lunette.domain.errors import RateLimited
from lunette.domain.roles import Role
from lunette.engine.conditions.failed_logins import MANY, WINDOW, FailedLogins
from lunette.store.access import User
from lunette.store.journal import Event
from tests.machines.pace import deadline

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


def test_a_user_at_their_usual_address_is_not_locked_out() -> None:
    limit = LoginLimit()
    refusals(limit, 100)
    assert refusals(limit, 4, known=True) == 0


def test_the_addresses_of_one_network_are_one_address() -> None:
    limit = LoginLimit()
    for number in range(5):
        limit.attempt(f"2001:db8::{number}", "ann")
    with pytest.raises(RateLimited):
        limit.attempt("2001:db8::ffff", "ann")


def test_attempts_that_have_expired_are_forgotten_with_their_addresses() -> None:
    """Or else attempts from ever new addresses would fill the memory."""
    attempts = Attempts()
    for number in range(3 * Attempts.FORGET_EVERY):
        attempts.acquire_entry(f"2001:db8:0:{number:x}::/64", 5, 0)
    until = deadline(20.0)
    while any(attempts.events.values()) and time.monotonic() < until:
        attempts.acquire_entry("again", 5, 0)
        time.sleep(0.05)
    for _ in range(Attempts.FORGET_EVERY):
        attempts.acquire_entry("again", 5, 0)
    assert attempts.events.keys() == {"again"}


class Interrupted(dict[str, Any]):
    """Attempts by key. When those of ann are read, `meanwhile` runs in another thread, which is given 0.1 s to end."""

    def __init__(self, meanwhile: Callable[[], None]) -> None:
        self.meanwhile, self.threads = meanwhile, list[threading.Thread]()

    def get(self, key: str, default: Any = None) -> Any:
        found = super().get(key, default)
        if "/ann/" in key:
            self.threads.append(threading.Thread(target=self.meanwhile))
            self.threads[-1].start()
            self.threads[-1].join(0.1)
        return found


def test_a_login_that_succeeds_while_attempts_expire_ends_no_thread() -> None:
    limit = LoginLimit()
    storage: Any = limit._limiter.storage
    storage.timer.join()
    storage.events = Interrupted(lambda: limit.succeeded("192.0.2.1", "ann"))
    storage.timer = threading.Thread()  # no expiry but the one below
    storage.timer.is_alive = lambda: True
    limit.attempt("192.0.2.1", "ann")
    storage._MemoryStorage__expire_events()
    for thread in storage.events.threads:
        thread.join()
    for _ in range(5):
        limit.attempt("192.0.2.1", "ann")


def test_an_address_is_known_by_the_logins_from_it(http: TestClient, services: ApiServices) -> None:
    add_user(services.store, "ann", Role.OPERATOR, PASSWORD)
    object.__setattr__(services, "login_limit", LoginLimit(from_afar=1))

    def attempt(password: str) -> int:
        return http.post("/api/v1/login", json={"username": "ann", "password": password}).status_code

    assert attempt("wrong") == 401
    assert attempt(PASSWORD) == 429, "one attempt from a new address was allowed"
    object.__setattr__(services, "login_limit", LoginLimit(from_afar=1))
    assert attempt(PASSWORD) == 200
    object.__setattr__(services, "login_limit", LoginLimit(from_afar=1))
    assert [attempt("wrong"), attempt("wrong"), attempt(PASSWORD)] == [401, 401, 200]


def test_failed_logins_are_events_but_not_one_each(http: TestClient, services: ApiServices) -> None:
    add_user(services.store, "ann", Role.OPERATOR, PASSWORD)
    object.__setattr__(services, "login_limit", LoginLimit(1000, 1000, 1000))
    for _ in range(30):
        assert http.post("/api/v1/login", json={"username": "ann", "password": "wrong"}).status_code == 401
    api = Api(http, add_token(services.store, Role.ADMINISTRATOR))
    api.until(lambda: len(api.items("/events", kind="user.login_failed")) == 3)
    reported = api.items("/events", kind="user.login_failed")
    with services.store.read() as tx:
        counts = [row["count"] for row in tx.scalars(select(Event.data).where(Event.kind == "user.login_failed"))]
    assert counts[0] == 1
    assert counts[1] >= 5
    assert counts[2] >= 25
    assert {one["ref"] for one in reported} == {"ann"}
    assert {one["kind"] for one in api.items("/events", noun="user", outcome="failed")} == {"user.login_failed"}


def test_a_name_of_no_user_is_not_recorded(http: TestClient, services: ApiServices) -> None:
    http.post("/api/v1/login", json={"username": "my-secret-password", "password": "x"})
    api = Api(http, add_token(services.store, Role.ADMINISTRATOR))
    api.until(lambda: bool(api.items("/events", kind="user.login_failed")))
    (reported,) = api.items("/events", kind="user.login_failed")
    assert "my-secret-password" not in str(reported)
    assert "by an unknown user" in reported["message"]


def test_many_failed_logins_are_an_alert_that_ends_by_itself(services: ApiServices) -> None:
    clock = Clock()
    failed = FailedLogins(services.store, clock)
    for number in range(MANY[WINDOW] - 1):
        failed.note("ann", f"192.0.2.{number % 2}")
    assert not list(failed.causes())
    failed.note(None, "192.0.2.7")
    (cause,) = failed.causes()
    assert "ann" in cause.cause
    assert "192.0.2.1" in cause.cause
    clock.now += dt.timedelta(minutes=10, seconds=1)
    assert not list(failed.causes())
    services.store.close()


@pytest.mark.parametrize("every_s", [24.5, 31, 120, 121, 599, 601, 3600])
def test_patient_guessing_is_reported_as_well_and_not_each_time(services: ApiServices, every_s: float) -> None:
    """For a day: an event about every ten minutes at the most, none that is missing for longer, and the alert."""
    clock = Clock()
    failed = FailedLogins(services.store, clock)
    guesses = int(86400 / every_s)
    for _ in range(guesses):
        failed.note("ann", "192.0.2.1")
        clock.now += dt.timedelta(seconds=every_s)
    is_alert = bool(list(failed.causes()))
    with services.store.read() as tx:
        events = len(tx.scalars(select(Event).where(Event.kind == "user.login_failed")).all())
    least = min(guesses, 86400 / (WINDOW.total_seconds() + every_s)) - 1
    assert least <= events <= min(guesses, 86400 / WINDOW.total_seconds() + 4)
    assert is_alert == (guesses >= MANY[dt.timedelta(days=1)])
    services.store.close()


def test_the_wrong_password_of_who_is_in_counts_too(http: TestClient, services: ApiServices) -> None:
    add_user(services.store, "ann", Role.OPERATOR, PASSWORD)
    answer = http.post("/api/v1/login", json={"username": "ann", "password": PASSWORD}).json()
    body = {"current_password": "wrong", "new_password": "another long password"}
    assert http.post("/api/v1/password", json=body, headers={"X-CSRF-Token": answer["csrf_token"]}).status_code == 422
    api = Api(http, add_token(services.store, Role.ADMINISTRATOR))
    (reported,) = api.items("/events", kind="user.login_failed")
    assert reported["ref"] == "ann"


class Changing(Passwords):
    """The password is changed, or the user deleted, while it is checked."""

    def __init__(self, services: ApiServices, *, gone: bool) -> None:
        super().__init__(services.passwords._hasher)
        self._store, self._is_gone = services.store, gone

    def is_right(self, password: str, stored_hash: str | None) -> bool:
        found = super().is_right(password, stored_hash)
        another = self.hash("another long password")
        with self._store.write() as tx:
            user = tx.scalars(select(User).where(User.username == "ann")).one()
            if self._is_gone:
                tx.delete(user)
            else:
                user.password_hash = another
        return found


@pytest.mark.parametrize("gone", [False, True])
def test_a_password_that_changes_while_it_is_checked_admits_no_one(
    http: TestClient, services: ApiServices, gone: bool
) -> None:
    add_user(services.store, "ann", Role.OPERATOR, PASSWORD)
    object.__setattr__(services, "passwords", Changing(services, gone=gone))
    refused = http.post("/api/v1/login", json={"username": "ann", "password": PASSWORD})
    assert refused.status_code == 401
    assert "set-cookie" not in refused.headers


def test_the_alert_is_raised_where_alerts_are_shown(appliance_on_sqlite: tuple[Api, ApiServices]) -> None:
    api, services = appliance_on_sqlite
    for _ in range(MANY[WINDOW]):
        services.control.failed_logins.note("ann", "192.0.2.1")
    until = deadline(60)
    shown: list[dict[str, Any]] = []
    while not shown and time.monotonic() < until:
        time.sleep(0.2)
        shown = [one for one in api.items("/alerts") if one["key"] == "login.failed"]
    assert shown[0]["family"] == "login"
    assert shown[0]["severity"] == "warning"


class Slow(Passwords):
    """Password checks that wait until `go` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()

    def is_right(self, password: str, stored_hash: str | None) -> bool:
        assert self.go.wait(60)
        return super().is_right(password, stored_hash)


def test_waiting_logins_delay_no_one_else_and_too_many_are_refused(http: TestClient, services: ApiServices) -> None:
    slow = Slow()
    object.__setattr__(services, "passwords", slow)
    object.__setattr__(services, "login_limit", LoginLimit(1000, 1000, 1000))
    api = Api(http, add_token(services.store, Role.VIEWER))

    def attempt(_number: int) -> int:
        return http.post("/api/v1/login", json={"username": "ann", "password": "wrong"}).status_code

    try:
        with ThreadPoolExecutor(60) as pool:
            attempts = [pool.submit(attempt, number) for number in range(60)]
            until = deadline(60)
            while sum(one.done() for one in attempts) < 60 - passwords._LOGINS_WAITING and time.monotonic() < until:
                time.sleep(0.05)
            assert api.get("/me")["role"] == "viewer", "every login waits, and who is in is answered"
            slow.go.set()
            answered = sorted(one.result() for one in attempts)
    finally:
        slow.go.set()
    assert answered == [401] * passwords._LOGINS_WAITING + [429] * (60 - passwords._LOGINS_WAITING)
