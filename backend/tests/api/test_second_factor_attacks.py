"""Attacks by someone with a password, an open login or an old request, but no code; and ways to be locked out."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from cryptography.fernet import Fernet
from fastapi import Request
from fastapi.testclient import TestClient

from backend.tests.api.test_backup import back_up, restored
from backend.tests.api.test_second_factor import PASSWORD, Clock, Person, ann, clock, unlimited
from backend.tests.wiring import Api, AwayAgent, add_token, add_user, make_services, running
from lunette.agent.core import Agent
from lunette.api.auth.identity import COOKIE, still_lets_in
from lunette.api.requests.services import ApiServices
from lunette.api.routes import login as login_routes
from lunette.domain.roles import Role
from lunette.store.secrets import SecretBox

__all__ = ["ann", "clock", "unlimited"]

FRESH = "another horse battery"


@pytest.fixture
def on_each_database(tmp_path: Path, database_url: str) -> Iterator[tuple[TestClient, ApiServices]]:
    services = make_services(tmp_path, AwayAgent(), database_url)
    with running(services) as http:
        yield http, services


def begun(person: Person, path: str, body: Any, meanwhile: Callable[[], object]) -> httpx2.Response:
    """The answer to a request that was let in before `meanwhile`, and whose body comes after it."""
    headers = {**person.headers, "Cookie": f"{COOKIE}={person.browser.cookies[COOKIE]}"}

    async def ask() -> httpx2.Response:
        async def slowly() -> AsyncIterator[bytes]:
            await asyncio.to_thread(meanwhile)
            yield json.dumps(body).encode()

        transport = httpx2.ASGITransport(person.browser.app)
        async with httpx2.AsyncClient(transport=transport, base_url="https://testserver") as client:
            typed = {**headers, "Content-Type": "application/json"}
            return await client.post(f"/api/v1{path}", content=slowly(), headers=typed)

    return asyncio.run(ask())


@pytest.mark.parametrize("kind", ["app", "recovery"])
def test_of_many_logins_at_once_with_one_code_one_gets_in(
    on_each_database: tuple[TestClient, ApiServices], clock: Clock, unlimited: None, kind: str
) -> None:
    http, services = on_each_database
    add_user(services.store, "ann", Role.OPERATOR, PASSWORD)
    person = Person(http, clock)
    assert person.log_in().status_code == 200
    recovery = person.set_up()
    code = person.code() if kind == "app" else recovery[0]
    statuses = []

    def enter() -> None:
        body = {"username": "ann", "password": PASSWORD, "code": code}
        statuses.append(http.post("/api/v1/login", json=body).status_code)

    threads = [threading.Thread(target=enter) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200, *[401] * 5]
    Api(http).until(lambda: not login_routes._noting)


@pytest.mark.parametrize("verb", ["", ":renew-codes", ":remove"])
def test_a_request_from_before_the_second_factor_changes_nothing_of_it(
    ann: Person, services: ApiServices, verb: str
) -> None:
    """Its body is held back until the owner has set one up in another browser, which ends this login."""
    owner = ann.elsewhere()

    def set_up() -> None:
        assert owner.log_in().status_code == 200
        owner.set_up()

    late = begun(ann, f"/second-factor{verb}", {"current_password": PASSWORD}, set_up)
    assert late.status_code == 401, late.text
    assert owner.log_in().json()["type"] == "code-required"


def test_a_request_for_a_token_ends_with_the_login_it_came_with(ann: Person, api: Api) -> None:
    late = begun(ann, "/tokens", {"name": "stays"}, lambda: api.patch("/users/ann", {"password": FRESH}))
    assert (late.status_code, late.json()["type"]) == (401, "unauthenticated")
    assert not [one for one in api.items("/tokens") if one["name"] == "stays"]


def test_a_request_for_another_password_ends_with_the_login_it_came_with(ann: Person, api: Api) -> None:
    def end() -> None:
        for login in api.items("/logins"):
            assert api.post(f"/logins/{login['id']}:end").status_code == 204

    late = begun(ann, "/password", {"current_password": PASSWORD, "new_password": FRESH}, end)
    assert late.status_code == 401
    assert ann.log_in().status_code == 200


def test_an_app_is_confirmed_only_in_the_login_in_which_it_was_offered(ann: Person) -> None:
    """A secret that was offered in a login that has ended is not put in force by a later login."""
    ann.scan()
    assert ann.browser.post("/api/v1/logout", headers=ann.headers).status_code == 204
    assert ann.log_in().status_code == 200
    assert ann.post(":confirm", code=ann.code()).status_code == 409
    assert ann.log_in().json()["has_second_factor"] is False


def test_an_administrators_open_login_does_not_remove_their_own(
    http: TestClient, services: ApiServices, clock: Clock
) -> None:
    add_user(services.store, "boss", Role.ADMINISTRATOR, PASSWORD)
    boss = Person(http, clock)
    boss.log_in(username="boss")
    boss.set_up()
    headers = {**boss.headers, "If-Match": "*"}
    refused = http.patch("/api/v1/users/boss", json={"remove_second_factor": True}, headers=headers)
    assert (refused.status_code, "second-factor:remove" in refused.json()["detail"]) == (403, True)
    assert boss.log_in(username="boss").json()["type"] == "code-required"


def test_an_open_login_and_the_password_change_no_password_without_a_code(ann: Person, unlimited: None) -> None:
    """Otherwise an attacker who saw the password and finds an open login could lock the owner out."""
    first, *_ = ann.set_up()
    body = {"current_password": PASSWORD, "new_password": FRESH}

    def change(**more: str) -> httpx2.Response:
        return ann.browser.post("/api/v1/password", json=body | more, headers=ann.headers)

    for proof in ({}, {"code": "000000"}):
        refused = change(**proof)
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "code")
    code = ann.code()
    same = change(code=code, new_password=PASSWORD)
    assert same.json()["errors"][0]["field"] == "new_password", "the code is not used up by that"
    assert change(code=code).status_code == 204
    again = change(current_password=FRESH, new_password=PASSWORD, code=code)
    assert (again.status_code, again.json()["errors"][0]["field"]) == (422, "code"), "it is good once"
    assert ann.log_in(first).status_code == 401, "the old password is gone"


@pytest.mark.parametrize("way", ["login", "token"])
def test_an_administrator_sets_the_own_password_only_by_the_current_one(
    http: TestClient, services: ApiServices, clock: Clock, way: str
) -> None:
    """An open login, or a token that was found, does not become a login that is the finder's alone."""
    add_user(services.store, "boss", Role.ADMINISTRATOR, PASSWORD)
    boss = Person(http, clock)
    boss.log_in(username="boss")
    headers = dict(boss.headers)
    if way == "token":
        made = http.post("/api/v1/tokens", json={"name": "found", "role": "administrator"}, headers=boss.headers)
        headers = {"Authorization": f"Bearer {made.json()['token']}"}
        http.cookies.clear()
    for query in ("", "?dry_run=true"):
        refused = http.patch(
            f"/api/v1/users/boss{query}", json={"password": FRESH}, headers={**headers, "If-Match": "*"}
        )
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (409, "password")
        assert "POST /api/v1/password" in refused.json()["detail"]
    assert boss.log_in(username="boss").status_code == 200


def test_a_recovery_code_needs_no_key_file(ann: Person, services: ApiServices) -> None:
    first, second, *_ = ann.set_up()
    services.store.box = SecretBox(Fernet.generate_key())
    stuck = ann.log_in(ann.code())
    assert (stuck.status_code, "use a recovery code" in stuck.json()["detail"]) == (503, True)
    assert ann.log_in(first).status_code == 200
    ann.scan(code=second)
    assert ann.post(":confirm", code=ann.code()).status_code == 200
    ann.clock.next_period()
    assert ann.log_in(ann.code()).status_code == 200


def test_a_code_is_not_used_up_by_what_is_refused(ann: Person, api: Api) -> None:
    first, *_ = ann.set_up()
    assert api.patch("/settings", {"second_factor_required": True}).status_code == 200
    assert ann.post(":remove", current_password=PASSWORD, code=first).status_code == 409
    assert ann.log_in(first).status_code == 200


def test_an_open_event_stream_ends_where_a_second_factor_is_missing(
    ann: Person, api: Api, services: ApiServices
) -> None:
    cookie = f"{COOKIE}={ann.browser.cookies[COOKIE]}".encode()
    scope = {"type": "http", "method": "GET", "headers": [(b"cookie", cookie)], "path": "/", "query_string": b""}
    assert still_lets_in(Request(scope), services.store)
    assert api.patch("/settings", {"second_factor_required": True}).status_code == 200
    assert not still_lets_in(Request(scope), services.store)


def test_an_open_login_alone_does_not_use_up_the_owners_attempts(ann: Person) -> None:
    ann.set_up()
    assert {ann.post(":confirm", code="000000").status_code for _ in range(12)} == {409}
    assert ann.log_in(ann.code()).status_code == 200


def test_a_backup_brings_it_to_another_appliance(
    ann: Person, api: Api, tmp_path_factory: pytest.TempPathFactory, agent: Agent
) -> None:
    first, *_ = ann.set_up()
    file = back_up(api)
    services = make_services(tmp_path_factory.mktemp("another"), agent)
    with running(services) as http:
        assert restored(Api(http, add_token(services.store, Role.ADMINISTRATOR)), file)["restored"] is True
        there = Person(http, ann.clock)
        there.key = ann.key
        assert there.log_in().json()["type"] == "code-required"
        assert there.log_in(there.code()).status_code == 200
        assert there.log_in(first).status_code == 200


def test_a_wrong_code_is_shown_nowhere(ann: Person) -> None:
    typed = "12345678"
    for path, body in (
        ("login", {"username": "ann", "password": PASSWORD, "code": typed}),
        ("second-factor:confirm", {"code": typed}),
        ("second-factor:remove", {"current_password": PASSWORD, "code": typed}),
    ):
        refused = ann.browser.post(f"/api/v1/{path}", json=body, headers=ann.headers)
        assert (refused.status_code, typed in refused.text) == (422, False)


def test_the_setting_is_undone_like_any_other(ann: Person, api: Api) -> None:
    assert api.patch("/settings", {"second_factor_required": True}).status_code == 200
    seq = max(event["seq"] for event in api.items("/events") if event["kind"] == "setting.changed")
    assert ann.browser.post(f"/api/v1/events/{seq}:undo", headers=ann.headers).status_code == 403
    assert api.post(f"/events/{seq}:undo").status_code == 201
    assert ann.browser.get("/api/v1/hosts").status_code == 200
