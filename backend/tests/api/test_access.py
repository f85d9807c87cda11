"""Who may call what: every operation declares a role, and the declaration is enforced.

The operations are those of backend/openapi.json, which is checked against the application. Each is called with every
kind of credentials: none, invented, ended, and each role by a token, by a narrower token of a user with a higher role,
and by a login. A call that must be refused has an unreadable body, so that it is refused before the body is parsed.
"""

import asyncio
import base64
import datetime as dt
import json
import re
from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from fastapi.testclient import TestClient

from backend.tests.wiring import Api, add_token, add_user
from lunette.api.app import make_app
from lunette.api.auth.identity import (
    COOKIE,
    CSRF_HEADER,
    SAFE_METHODS,
    TOKEN_PREFIX,
    csrf_token,
    hash_secret,
    login_id,
    new_secret,
    open_session,
)
from lunette.api.auth.roles import BEFORE_PASSWORD_CHANGE, PUBLIC, ROLES
from lunette.api.document import PATH
from lunette.api.requests.guard import GuardedRoute
from lunette.api.requests.services import ApiServices
from lunette.domain.identity import IdentitySource
from lunette.domain.roles import Role
from lunette.store.access import ApiToken, LoginSession, User
from lunette.store.schema import utc_now

DOCUMENT = json.loads(PATH.read_text())
DESCRIBED = {
    one["operationId"]: (method.upper(), path, one)
    for path, methods in DOCUMENT["paths"].items()
    for method, one in methods.items()
}
OPERATIONS = [(name, method, path) for name, (method, path, _) in sorted(DESCRIBED.items())]
OPERATIONS += [("document_show", "GET", "/api/v1/openapi.json"), ("metrics_show", "GET", "/metrics")]
"""The document describes neither itself nor what a monitoring system reads."""
GUARDED = [one for one in OPERATIONS if one[0] not in PUBLIC]
PERSONS = (Role.VIEWER, Role.OPERATOR, Role.ADMINISTRATOR)
Headers = dict[str, str]


@pytest.fixture(autouse=True)
def _described(http: TestClient) -> None:
    """The application has its document at hand: making it takes two seconds."""
    app_of(Api(http)).openapi_schema = DOCUMENT


def filled(path: str) -> str:
    """A path that names nothing that exists, so that it can change nothing."""
    return re.sub(r"\{[^}]+\}", "nothing-of-this-name", path)


def not_answered(api: Api, headers: Headers, status: int, asked: Iterable[tuple[str, str, str]]) -> dict[str, int]:
    """Those of these operations that answer another status than this. Straight to the application: there are many."""

    async def ask() -> dict[str, int]:
        transport = httpx2.ASGITransport(app=app_of(api))
        async with httpx2.AsyncClient(transport=transport, base_url="https://testserver") as http:
            found = {}
            for name, method, path in asked:
                body = b"{" if method in ("POST", "PUT", "PATCH") else None
                said = {**headers, "Content-Type": "application/json"}
                answer = await http.request(method, filled(path), content=body, headers=said)
                found[name] = answer.status_code
            return found

    return {name: given for name, given in asyncio.run(ask()).items() if given != status}


def app_of(api: Api) -> Any:
    assert isinstance(api.http, TestClient)
    return api.http.app


class Person:
    """A user, with as many logins and tokens as are asked for."""

    def __init__(self, services: ApiServices, role: Role = Role.ADMINISTRATOR, *, must_change: bool = False) -> None:
        self._store = services.store
        self.name = f"p{IdentitySource().id()[:8]}"
        self.id = add_user(services.store, self.name, role, "irrelevant-password", must_change=must_change)

    def cookie(self, life: dt.timedelta = dt.timedelta(hours=1)) -> str:
        with self._store.write() as tx:
            return open_session(tx, tx.get_one(User, self.id), life)

    def token(self, role: Role = Role.ADMINISTRATOR, ends: dt.timedelta | None = None) -> str:
        secret = TOKEN_PREFIX + new_secret()
        with self._store.write() as tx:
            tx.add(
                ApiToken(
                    id=IdentitySource().id(),
                    name=f"t{secret[4:12]}".replace("_", "-"),
                    user_id=self.id,
                    token_hash=hash_secret(secret),
                    role=role.value,
                    last_used_at=utc_now(),
                    expires_at=utc_now() + ends if ends else None,
                )
            )
        return secret


def by_token(secret: str) -> Headers:
    return {"Authorization": f"Bearer {secret}"}


def by_cookie(cookie: str) -> Headers:
    """With the token that a change needs, so that nothing but the cookie can be wrong."""
    return {"Cookie": f"{COOKIE}={cookie}", CSRF_HEADER: csrf_token(cookie)}


def made_up(person: Person) -> dict[str, Headers]:
    """Credentials that an attacker could invent who knows the names and what is in the database."""
    token, cookie = person.token(), person.cookie()
    basic = base64.b64encode(f"{person.name}:irrelevant-password".encode()).decode()
    return {
        "nothing": {},
        "a token that nobody has": by_token(TOKEN_PREFIX + new_secret()),
        "a token of no length": by_token(TOKEN_PREFIX),
        "a token without its beginning": by_token(token.removeprefix(TOKEN_PREFIX)),
        "the hash of a token": by_token(TOKEN_PREFIX + hash_secret(token)),
        "a name and its password": {"Authorization": f"Basic {basic}"},
        "a token as a cookie": by_cookie(token),
        "a cookie as a token": by_token(TOKEN_PREFIX + cookie),
        "a cookie that nobody has": by_cookie(new_secret()),
        "the hash of a cookie": by_cookie(hash_secret(cookie)),
        "what a login is called": by_cookie(login_id(hash_secret(cookie))),
        "a cookie beside a wrong token": {**by_cookie(cookie), **by_token(TOKEN_PREFIX + new_secret())},
    }


class Ending:
    """The ways to end credentials. Each returns the answer of the API, or None where no request is made."""

    def __init__(self, services: ApiServices, api: Api) -> None:
        self._services, self._api = services, api

    def log_out(self, _person: Person, headers: Headers) -> Any:
        return Api(self._api.http).post("/logout", headers=headers)

    def end_login(self, person: Person, _headers: Headers) -> Any:
        (login,) = [one for one in self._api.items("/logins") if one["username"] == person.name]
        return self._api.post(f"/logins/{login['id']}:end")

    def expire(self, person: Person, _headers: Headers) -> None:
        with self._services.store.write() as tx:
            for kind in (LoginSession, ApiToken):
                tx.query(kind).filter_by(user_id=person.id).update({"expires_at": utc_now()})

    def delete_first_token(self, person: Person, _headers: Headers) -> Any:
        first, *_ = [one for one in self._api.items("/tokens", sort="created_at") if one["username"] == person.name]
        return self._api.delete(f"/tokens/{first['id']}")

    def reset(self, person: Person, _headers: Headers) -> Any:
        return self._api.patch(f"/users/{person.id}", {"password": "another long password"})

    def leave(self, person: Person, _headers: Headers) -> Any:
        return self._api.delete(f"/users/{person.id}")


def cookie_of(person: Person) -> Headers:
    return by_cookie(person.cookie())


def token_of(person: Person) -> Headers:
    return by_token(person.token())


def ended(services: ApiServices, api: Api) -> dict[str, Headers]:
    """Credentials that let in until a moment ago; each is tried before it ends."""

    def after(end: Callable[[Person, Headers], Any], made: Callable[[Person], Headers]) -> Headers:
        person = Person(services)
        headers = made(person)
        assert Api(api.http).call("GET", "/me", headers=headers).status_code == 200
        answer = end(person, headers)
        assert answer is None or answer.is_success, answer.text
        return headers

    def grandchild(person: Person) -> Headers:
        secret = person.token()
        for _ in range(2):
            secret = Api(api.http, secret).made("/tokens", {"name": f"child-{IdentitySource().id()}"})["token"]
        return by_token(secret)

    way = Ending(services, api)
    return {
        "a login, logged out": after(way.log_out, cookie_of),
        "a login, ended by an administrator": after(way.end_login, cookie_of),
        "a login, expired": after(way.expire, cookie_of),
        "a login, its password reset": after(way.reset, cookie_of),
        "a login, its user deleted": after(way.leave, cookie_of),
        "a token, expired": after(way.expire, token_of),
        "a token, deleted": after(way.delete_first_token, token_of),
        "a token, the one that it comes from deleted": after(way.delete_first_token, grandchild),
        "a token, the password reset": after(way.reset, token_of),
        "a token, its user deleted": after(way.leave, token_of),
    }


def narrow(services: ApiServices) -> dict[str, tuple[Role, Headers]]:
    """Everybody who has less than all rights, with the role that counts: tokens below their owner, and logins."""
    found = {}
    for owner, role in product(PERSONS, Role):
        name = f"token with the role {role.value} of a user with the role {owner.value}"
        lower = role if owner.includes(role) else owner  # a token stays when its owner's role is lowered
        found[name] = (lower, by_token(Person(services, owner).token(role)))
    for role in PERSONS:
        found[f"login with the role {role.value}"] = (role, by_cookie(Person(services, role).cookie()))
    return found


def test_the_document_has_every_operation_with_its_role_and_each_is_guarded() -> None:
    app: FastAPI = make_app(None)
    routes = list(iter_route_contexts(app.routes))
    assert all(isinstance(one.original_route, GuardedRoute) for one in routes)
    has = sorted(
        (one.operation_id or "", method, re.sub(r":\w+\}", "}", one.path or ""))
        for one in routes
        for method in one.methods or ()
    )
    assert has == sorted(OPERATIONS)
    assert len({name for name, _, _ in OPERATIONS}) == len(OPERATIONS)
    for name, (_, _, described) in DESCRIBED.items():
        assert described["x-role"] == ("public" if name in PUBLIC else ROLES[name].value)
        assert (described["security"] == []) == (name in PUBLIC)


def test_every_operation_has_a_role_and_only_health_and_login_have_none() -> None:
    assert {"health_show", "login_create"} == PUBLIC
    assert {name for name, _, _ in GUARDED} == set(ROLES)
    assert set(ROLES) >= BEFORE_PASSWORD_CHANGE


def test_nothing_answers_made_up_credentials(nobody: Api, services: ApiServices) -> None:
    strangers = made_up(Person(services))
    for who, headers in strangers.items():
        assert not_answered(nobody, headers, 401, GUARDED) == {}, who


def test_nothing_answers_credentials_that_have_ended(api: Api, nobody: Api, services: ApiServices) -> None:
    gone = ended(services, api)
    for who, headers in gone.items():
        assert not_answered(nobody, headers, 401, GUARDED) == {}, who


@pytest.mark.parametrize("role", list(Role))
def test_each_role_reaches_what_it_may_and_nothing_else(role: Role, api: Api, services: ApiServices) -> None:
    asking = Api(api.http, add_token(services.store, role))
    wrong = {}
    for name, method, path in GUARDED:
        if name in ("event_stream", "login_delete"):
            continue  # the stream stays open, its role is tested below; logging out has no body to be refused
        status = asking.ask(method, filled(path), json={} if method in ("POST", "PATCH") else None).status_code
        expects_refusal = not role.includes(ROLES[name]) or (name == "password_change" and status == 403)
        if (status == 403) != expects_refusal or (status >= 500 and status != 503):
            wrong[name] = status
    assert wrong == {}


def test_a_token_has_the_lower_role_of_token_and_owner(nobody: Api, services: ApiServices) -> None:
    for who, (role, headers) in narrow(services).items():
        above = [one for one in GUARDED if not role.includes(ROLES[one[0]])]
        assert not_answered(nobody, headers, 403, above) == {}, who
        may_read = 200 if role.includes(Role.VIEWER) else 403
        assert nobody.call("GET", "/me", headers=headers).status_code == may_read, who


def test_no_change_is_taken_from_a_browser_without_the_token_of_its_own_session(
    nobody: Api, services: ApiServices
) -> None:
    person = Person(services)
    cookie, another = by_cookie(person.cookie()), by_cookie(person.cookie())
    changes = [one for one in GUARDED if one[1] not in SAFE_METHODS]
    for shown in ({}, {CSRF_HEADER: another[CSRF_HEADER]}, {CSRF_HEADER: ""}):
        assert not_answered(nobody, {"Cookie": cookie["Cookie"], **shown}, 403, changes) == {}, shown
    assert nobody.call("GET", "/me", headers=cookie).status_code == 200


def test_an_unknown_operation_is_closed(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(ROLES, "status_show")
    refused = api.call("GET", "/status")
    assert refused.status_code == 403
    assert "No role is declared" in refused.json()["detail"]


@pytest.mark.parametrize("way", ["token", "login"])
def test_a_one_time_password_opens_nothing_but_its_change(nobody: Api, services: ApiServices, way: str) -> None:
    fresh = Person(services, must_change=True)
    headers = by_token(fresh.token()) if way == "token" else by_cookie(fresh.cookie())
    for name, method, path in GUARDED:
        if name in BEFORE_PASSWORD_CHANGE:
            continue
        refused = nobody.ask(method, filled(path), headers=headers)
        assert refused.json()["type"] == "password-change-required", name
    assert nobody.call("GET", "/me", headers=headers).json()["password_change_required"] is True


def test_health_answers_anyone_and_reveals_nothing(nobody: Api) -> None:
    assert nobody.get("/health") == {"status": "ok"}
