"""Logging in with a browser: the cookie, the token against forged requests, the brake on guessing."""

import datetime as dt

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from backend.tests.wiring import Api, add_token, add_user
from lunette.api.auth.identity import COOKIE
from lunette.api.requests.services import ApiServices
from lunette.domain.roles import Role
from lunette.store.access import LoginSession, User

PASSWORD = "correct horse battery"


@pytest.fixture
def browser(http: TestClient, services: ApiServices) -> TestClient:
    """A browser of the operator `ann` that has not logged in yet."""
    add_user(services.store, "ann", Role.OPERATOR, PASSWORD)
    return http


def log_in(browser: TestClient, password: str = PASSWORD, username: str = "ann") -> dict[str, str]:
    answer = browser.post("/api/v1/login", json={"username": username, "password": password})
    assert answer.status_code == 200, answer.text
    return {"X-CSRF-Token": answer.json()["csrf_token"]}


def test_the_cookie_is_out_of_reach_for_scripts_and_other_sites(browser: TestClient) -> None:
    answer = browser.post("/api/v1/login", json={"username": "ann", "password": PASSWORD})
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"{COOKIE}=")
    assert {"HttpOnly", "Secure", "SameSite=strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}


def test_me_gives_the_token_for_changes_back_to_a_page_that_was_loaded_again(browser: TestClient) -> None:
    headers = log_in(browser)
    me = browser.get("/api/v1/me").json()
    assert me["username"] == "ann"
    assert me["role"] == "operator"
    assert me["csrf_token"] == headers["X-CSRF-Token"]


@pytest.mark.parametrize("headers", [{}, {"X-CSRF-Token": "forged"}])
def test_a_change_without_the_sessions_token_is_refused(browser: TestClient, headers: dict[str, str]) -> None:
    log_in(browser)
    refused = browser.post("/api/v1/hosts", json={"name": "h"}, headers=headers)
    assert refused.status_code == 403
    assert "X-CSRF-Token" in refused.json()["detail"]


def test_a_change_with_the_sessions_token_is_made(browser: TestClient) -> None:
    headers = log_in(browser)
    assert browser.post("/api/v1/hosts", json={"name": "h"}, headers=headers).status_code == 201


def test_nothing_of_the_session_lies_readable_in_the_database(browser: TestClient, services: ApiServices) -> None:
    headers = log_in(browser)
    with services.store.read() as tx:
        row = tx.scalars(select(LoginSession)).one()
        hashed = tx.scalars(select(User.password_hash).where(User.username == "ann")).one()
    stored = f"{row.token_hash} {row.csrf_hash} {hashed}"
    assert browser.cookies[COOKIE] not in stored
    assert headers["X-CSRF-Token"] not in stored
    assert hashed.startswith("$argon2id$")


def test_logging_out_ends_the_session_at_once(browser: TestClient) -> None:
    headers = log_in(browser)
    cookie = browser.cookies[COOKIE]
    assert browser.post("/api/v1/logout", headers=headers).status_code == 204
    assert browser.get("/api/v1/me", headers={"Cookie": f"{COOKIE}={cookie}"}).status_code == 401


def test_a_session_ends_by_itself(browser: TestClient, services: ApiServices) -> None:
    log_in(browser)
    with services.store.write() as tx:
        tx.execute(update(LoginSession).values(expires_at=dt.datetime.now(dt.UTC) - dt.timedelta(seconds=1)))
    assert browser.get("/api/v1/me").status_code == 401


@pytest.mark.parametrize(("username", "password"), [("ann", "wrong"), ("nobody", PASSWORD)])
def test_wrong_credentials_do_not_reveal_which_half_is_wrong(browser: TestClient, username: str, password: str) -> None:
    refused = browser.post("/api/v1/login", json={"username": username, "password": password})
    assert refused.status_code == 401
    assert refused.json()["detail"] == "The user name or the password is incorrect."
    assert COOKIE not in browser.cookies


def test_guessing_is_stopped_after_five_attempts_even_for_the_right_password(browser: TestClient) -> None:
    for _ in range(5):
        assert browser.post("/api/v1/login", json={"username": "ann", "password": "wrong"}).status_code == 401
    refused = browser.post("/api/v1/login", json={"username": "ann", "password": PASSWORD})
    assert refused.status_code == 429
    assert refused.json()["type"] == "rate-limited"
    assert 30 < int(refused.headers["Retry-After"]) <= 60


def test_guessing_does_not_lock_out_another_user(browser: TestClient, services: ApiServices) -> None:
    add_user(services.store, "bob", Role.VIEWER, PASSWORD)
    for _ in range(6):
        browser.post("/api/v1/login", json={"username": "ann", "password": "wrong"})
    log_in(browser, username="bob")


def test_a_person_who_is_in_may_come_often(browser: TestClient) -> None:
    for _ in range(8):
        log_in(browser)


def test_changing_the_password_ends_all_sessions_but_this_one(browser: TestClient) -> None:
    other = TestClient(browser.app, base_url="https://testserver")
    log_in(other)
    headers = log_in(browser)
    body = {"current_password": PASSWORD, "new_password": "another long password"}
    assert browser.post("/api/v1/password", json=body, headers=headers).status_code == 204
    assert browser.get("/api/v1/me").status_code == 200
    assert other.get("/api/v1/me").status_code == 401
    log_in(other, "another long password")


@pytest.mark.parametrize(
    ("current", "new", "field"),
    [
        ("wrong", "another long password", "current_password"),
        (PASSWORD, PASSWORD, "new_password"),
        (PASSWORD, "short", "new_password"),
    ],
)
def test_a_bad_password_change_names_the_field_and_shows_no_password(
    browser: TestClient, current: str, new: str, field: str
) -> None:
    headers = log_in(browser)
    body = {"current_password": current, "new_password": new}
    refused = browser.post("/api/v1/password", json=body, headers=headers)
    assert refused.status_code == 422
    assert [(e["field"], e["value"]) for e in refused.json()["errors"]] == [(field, None)]
    log_in(browser)


def test_the_one_time_password_is_forgotten_when_it_is_changed(browser: TestClient, services: ApiServices) -> None:
    password = services.one_time.make()
    add_user(services.store, "admin", Role.ADMINISTRATOR, password, must_change=True)
    headers = log_in(browser, password, "admin")
    assert services.one_time.path.stat().st_mode & 0o777 == 0o600
    body = {"current_password": password, "new_password": "chosen by a person"}
    assert browser.post("/api/v1/password", json=body, headers=headers).status_code == 204
    assert services.one_time.read() is None
    assert browser.get("/api/v1/status").status_code == 200


def test_a_token_cannot_change_its_owners_password(api: Api) -> None:
    refused = api.post("/password", {"current_password": "irrelevant-password", "new_password": "another password"})
    assert refused.status_code == 403


@pytest.mark.parametrize("header", ["Basic YWRtaW46YWRtaW4=", "Bearer lnt_unknown", "Bearer other", "Bearer"])
def test_an_invalid_credential_is_refused(nobody: Api, header: str) -> None:
    refused = nobody.call("GET", "/me", headers={"Authorization": header})
    assert refused.status_code == 401
    assert refused.headers["WWW-Authenticate"].startswith("Bearer")


def test_a_lower_role_counts_at_once(api: Api, services: ApiServices) -> None:
    token = add_token(services.store, Role.ADMINISTRATOR)
    other = Api(api.http, token)
    name = other.get("/me")["username"]
    assert other.call("GET", "/users").status_code == 200
    assert api.patch(f"/users/{name}", {"role": "viewer"}).status_code == 200
    assert other.call("GET", "/users").status_code == 403


def _logins(browser: TestClient) -> list[dict[str, object]]:
    items: list[dict[str, object]] = browser.get("/api/v1/logins").json()["items"]
    return items


def test_users_see_their_own_logins_and_which_one_is_the_current(browser: TestClient, services: ApiServices) -> None:
    add_user(services.store, "eve", Role.VIEWER, PASSWORD)
    log_in(browser, username="eve")
    log_in(browser)
    log_in(browser)
    found = _logins(browser)
    assert [(one["username"], one["role"], one["is_own"]) for one in found] == [
        ("ann", "operator", True),
        ("ann", "operator", False),
    ]
    assert {one["address"] for one in found} == {"testclient"}


def test_an_administrator_sees_everyones_logins_but_none_that_is_over(
    browser: TestClient, services: ApiServices
) -> None:
    log_in(browser)
    with services.store.write() as tx:
        tx.execute(update(LoginSession).values(expires_at=dt.datetime.now(dt.UTC) - dt.timedelta(seconds=1)))
    log_in(browser)
    api = Api(browser, add_token(services.store, Role.ADMINISTRATOR))
    assert [(one["username"], one["is_own"]) for one in api.items("/logins")] == [("ann", False)]


def test_a_login_that_is_ended_is_out_at_once_and_the_others_stay(browser: TestClient, services: ApiServices) -> None:
    log_in(browser)
    lost = browser.cookies[COOKIE]
    headers = log_in(browser)
    other = next(one for one in _logins(browser) if not one["is_own"])
    plan = browser.post(f"/api/v1/logins/{other['id']}:end?dry_run=true", headers=headers)
    assert plan.json()["changes"][0]["name"] == "ann"
    assert len(_logins(browser)) == 2
    assert browser.post(f"/api/v1/logins/{other['id']}:end", headers=headers).status_code == 204
    assert browser.get("/api/v1/me").status_code == 200
    assert browser.post(f"/api/v1/logins/{other['id']}:end", headers=headers).status_code == 404
    browser.cookies.clear()
    assert browser.get("/api/v1/me", headers={"Cookie": f"{COOKIE}={lost}"}).status_code == 401
    api = Api(browser, add_token(services.store, Role.ADMINISTRATOR))
    reported = [event["kind"] for event in api.items("/events", ref=other["id"])]
    assert sorted(reported) == ["user.login", "user.login_ended"]


def test_only_an_administrator_ends_the_login_of_another_user(browser: TestClient, services: ApiServices) -> None:
    add_user(services.store, "eve", Role.OPERATOR, PASSWORD)
    log_in(browser)
    (anns,) = _logins(browser)
    headers = log_in(browser, username="eve")
    refused = browser.post(f"/api/v1/logins/{anns['id']}:end", headers=headers)
    assert refused.status_code == 404
    api = Api(browser, add_token(services.store, Role.ADMINISTRATOR))
    assert len(api.items("/logins")) == 2
    assert api.post(f"/logins/{anns['id']}:end").status_code == 204
    assert [one["username"] for one in api.items("/logins")] == ["eve"]


def test_no_beginning_of_the_id_and_no_pattern_ends_a_login(browser: TestClient) -> None:
    headers = log_in(browser)
    (own,) = _logins(browser)
    for wrong in (str(own["id"])[:8], "%", "_" * 16, "*"):
        assert browser.post(f"/api/v1/logins/{wrong}:end", headers=headers).status_code == 404
    assert len(_logins(browser)) == 1


def test_logging_out_is_reported(browser: TestClient, services: ApiServices) -> None:
    headers = log_in(browser)
    browser.post("/api/v1/logout", headers=headers)
    api = Api(browser, add_token(services.store, Role.ADMINISTRATOR))
    assert [event["message"] for event in api.items("/events", kind="user.logout")] == ["ann logged out"]
