"""Who may call what: every operation has a declared role, and the declaration is what happens."""

import re

import pytest
from fastapi.routing import iter_route_contexts

from backend.tests.wiring import Api, add_token, add_user
from lunette.api.access import BEFORE_PASSWORD_CHANGE, PUBLIC, ROLES
from lunette.api.app import make_app
from lunette.api.guard import GuardedRoute
from lunette.api.parts import Parts
from lunette.domain.roles import Role

ROUTES = sorted(
    (context.operation_id or "", min(context.methods or ()), context.path or "")
    for context in iter_route_contexts(make_app(None).routes)
)
NAMES = [name for name, _, _ in ROUTES]
GUARDED = [route for route in ROUTES if route[0] not in PUBLIC]


def call(api: Api, method: str, path: str) -> int:
    """The status of a call that names nothing that exists, so that it can change nothing."""
    filled = re.sub(r"\{[^}]+\}", "nothing-of-this-name", path)
    return api.ask(method, filled, json={} if method in ("POST", "PATCH") else None).status_code


def test_every_route_is_guarded_and_named_once() -> None:
    assert all(isinstance(c.original_route, GuardedRoute) for c in iter_route_contexts(make_app(None).routes))
    assert len(set(NAMES)) == len(NAMES)


def test_every_route_has_a_role_and_only_health_and_login_have_none() -> None:
    assert {"health_show", "login_create"} == PUBLIC
    assert set(NAMES) - PUBLIC == set(ROLES)
    assert set(ROLES) >= BEFORE_PASSWORD_CHANGE


def test_a_stranger_is_asked_for_credentials_everywhere(nobody: Api) -> None:
    assert {name: call(nobody, method, path) for name, method, path in GUARDED} == dict.fromkeys(ROLES, 401)


@pytest.mark.parametrize("role", list(Role))
def test_each_role_reaches_what_it_may_and_nothing_else(role: Role, api: Api, parts: Parts) -> None:
    asking = Api(api.http, add_token(parts.store, role))
    wrong = {}
    for name, method, path in GUARDED:
        if name in ("event_stream", "login_delete"):
            continue  # the stream stays open, its role is tested below; logging out has no body to be refused
        status = call(asking, method, path)
        expects_refusal = not role.includes(ROLES[name]) or (name == "password_change" and status == 403)
        if (status == 403) != expects_refusal or (status >= 500 and status != 503):
            wrong[name] = status
    assert wrong == {}


def test_an_unknown_operation_is_closed(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(ROLES, "status_show")
    refused = api.call("GET", "/status")
    assert refused.status_code == 403
    assert "No role is declared" in refused.json()["detail"]


def test_credentials_are_checked_before_the_body_is_read(nobody: Api) -> None:
    assert nobody.call("POST", "/arrays", content=b"{", headers={"Content-Type": "application/json"}).status_code == 401


def test_a_one_time_password_opens_nothing_but_its_change(api: Api, parts: Parts) -> None:
    add_user(parts.store, "fresh", Role.ADMINISTRATOR, "one-time-pass-word", must_change=True)
    login = api.http.post("/api/v1/login", json={"username": "fresh", "password": "one-time-pass-word"})
    browser = Api(api.http)
    csrf = {"X-CSRF-Token": login.json()["csrf_token"]}
    for name, method, path in GUARDED:
        if name in BEFORE_PASSWORD_CHANGE:
            continue
        refused = browser.ask(method, re.sub(r"\{[^}]+\}", "x", path), headers=csrf)
        assert refused.json()["type"] == "password-change-required", name
    assert browser.call("GET", "/me").json()["password_change_required"] is True


def test_health_answers_anyone_and_tells_nothing(nobody: Api) -> None:
    assert nobody.get("/health") == {"status": "ok"}
