"""API tokens end with what they come from: a password, its reset, the token they were made with."""

import base64
import datetime as dt
from typing import Any

import pytest
from fastapi.testclient import TestClient

from backend.tests.wiring import Api, add_user
from lunette.api.auth.first_user import reset_first_user
from lunette.api.requests.services import ApiServices
from lunette.domain.roles import Role
from lunette.store.access import ApiToken
from lunette.store.schema import utc_now

PASSWORD = "correct horse battery"
ANOTHER = "another long password"


class Person:
    """A browser of an administrator who has logged in."""

    def __init__(self, http: TestClient, services: ApiServices, username: str) -> None:
        self.http = TestClient(http.app, base_url="https://testserver")
        add_user(services.store, username, Role.ADMINISTRATOR, PASSWORD)
        answer = self.http.post("/api/v1/login", json={"username": username, "password": PASSWORD})
        self.headers = {"X-CSRF-Token": answer.json()["csrf_token"]}

    def makes(self, name: str, **spec: Any) -> Api:
        made = self.http.post("/api/v1/tokens", json={"name": name, **spec}, headers=self.headers)
        assert made.status_code == 201, made.text
        return Api(self.http, made.json()["token"])

    def changes_password(self, **spec: Any) -> None:
        body = {"current_password": PASSWORD, "new_password": ANOTHER, **spec}
        answer = self.http.post("/api/v1/password", json=body, headers=self.headers)
        assert answer.status_code == 204, answer.text

    def tokens(self) -> list[str]:
        """Names, as the browser sees them."""
        return sorted(one["name"] for one in self.http.get("/api/v1/tokens").json()["items"])


@pytest.fixture
def ann(http: TestClient, services: ApiServices) -> Person:
    return Person(http, services, "ann")


def works(token: Api) -> bool:
    """Asked without the browser's cookie."""
    token.http.cookies.clear()
    return token.call("GET", "/me").status_code == 200


def test_a_new_password_ends_the_tokens(ann: Person, api: Api) -> None:
    ann.makes("ci")
    ann.makes("backup", role="viewer")
    ann.changes_password()
    assert not {"ci", "backup"} & set(ann.tokens())
    reported = [one["message"] for one in api.items("/events", kind="token.deleted")]
    assert len(reported) == 2
    assert all("password of ann" in one for one in reported)


def test_tokens_stay_on_request(ann: Person) -> None:
    token = ann.makes("ci")
    ann.changes_password(keep_tokens=True)
    assert works(token)


def test_a_reset_by_an_administrator_names_the_tokens_it_ends(ann: Person, api: Api) -> None:
    token = ann.makes("ci")
    plan = api.patch("/users/ann", {"password": ANOTHER}, dry_run=True).json()
    assert [(one["action"], one["noun"], one["name"]) for one in plan["changes"]] == [
        ("change", "user", "ann"),
        ("destroy", "token", "ci"),
    ]
    kept = api.patch("/users/ann", {"password": ANOTHER, "keep_tokens": True}, dry_run=True).json()
    assert [one["noun"] for one in kept["changes"]] == ["user"]
    assert api.patch("/users/ann", {"password": ANOTHER}).status_code == 200
    assert not works(token)


def test_a_new_role_ends_no_token_and_the_token_follows_it(ann: Person, api: Api) -> None:
    token = ann.makes("ci")
    assert api.patch("/users/ann", {"role": "viewer"}).status_code == 200
    assert works(token)
    assert token.get("/me")["role"] == "viewer"


def test_keeping_tokens_alone_changes_nothing(ann: Person, api: Api) -> None:
    plan = api.patch("/users/ann", {"keep_tokens": True}, dry_run=True).json()
    assert plan["changes"] == []


def test_the_way_back_in_for_root_ends_the_tokens_of_admin(http: TestClient, services: ApiServices) -> None:
    token = Person(http, services, "admin").makes("ci")
    reset_first_user(services.store, services.passwords, services.one_time)
    assert not works(token)


def test_a_token_makes_none_that_outlives_it(ann: Person, services: ApiServices) -> None:
    short = ann.makes("short", expires_days=1)
    refused = short.post("/tokens", {"name": "long", "expires_days": 2})
    assert (refused.status_code, refused.json()["type"]) == (403, "forbidden")
    assert "outlive" in refused.json()["detail"]
    child = short.made("/tokens", {"name": "child"})
    with services.store.read() as tx:
        ends = {row.name: row.expires_at for row in tx.query(ApiToken)}
    assert ends["child"] == ends["short"]
    assert child["expires_at"] is not None


def test_what_a_token_created_is_deleted_with_it(ann: Person, api: Api) -> None:
    parent = ann.makes("parent")
    child = Api(ann.http, parent.made("/tokens", {"name": "child"})["token"])
    grandchild = Api(ann.http, child.made("/tokens", {"name": "grandchild"})["token"])
    stranger = ann.makes("stranger")
    plan = api.call("DELETE", "/tokens/parent", params={"dry_run": True}, headers={"If-Match": "*"}).json()
    assert [one["name"] for one in plan["changes"]] == ["parent", "child", "grandchild"]
    assert api.delete("/tokens/parent").status_code == 204
    assert [works(one) for one in (parent, child, grandchild, stranger)] == [False, False, False, True]


def test_a_token_deletes_itself_and_none_that_may_more_or_lives_longer(ann: Person, services: ApiServices) -> None:
    ann.makes("full")
    ann.makes("brief", role="viewer", expires_days=1)
    viewer, short = ann.makes("viewer", role="viewer"), ann.makes("short", expires_days=2)
    ann.http.cookies.clear()
    assert viewer.delete("/tokens/full").status_code == 403
    assert short.delete("/tokens/full").status_code == 403
    assert short.delete("/tokens/viewer").status_code == 403, "it has no end"
    assert short.delete("/tokens/brief").status_code == 204
    assert viewer.delete("/tokens/viewer").status_code == 204
    assert not works(viewer)
    assert works(short)


def test_a_lower_token_ends_no_login_of_its_owner(ann: Person) -> None:
    viewer = ann.makes("viewer", role="viewer")
    ann.http.cookies.clear()
    (login,) = viewer.items("/logins")
    assert viewer.post(f"/logins/{login['id']}:end").status_code == 403


def test_a_token_that_has_ended_makes_nothing(ann: Person, services: ApiServices) -> None:
    short = ann.makes("short", expires_days=1)
    with services.store.write() as tx:
        tx.query(ApiToken).filter_by(name="short").one().expires_at = utc_now() - dt.timedelta(seconds=1)
    ann.http.cookies.clear()
    assert short.post("/tokens", {"name": "child"}).status_code == 401


def test_an_expiring_token_creates_nothing_that_would_outlive_it(ann: Person, api: Api) -> None:
    short, endless = ann.makes("short", expires_days=1), ann.makes("endless")
    ann.http.cookies.clear()
    spec = {"username": "eve", "password": ANOTHER, "role": "administrator"}
    assert short.post("/users", spec).status_code == 403
    assert short.patch("/users/ann", {"password": ANOTHER, "keep_tokens": True}).status_code == 403
    assert short.patch("/users/ann", {"remove_second_factor": True}).status_code == 403
    file = short.post("/appliance:backup", {"passphrase": ANOTHER}).content
    back = {"content": base64.b64encode(file).decode(), "passphrase": ANOTHER}
    assert short.post("/appliance:restore", back, dry_run=True).status_code == 403
    assert [one["username"] for one in api.items("/users", name="eve")] == []
    assert endless.post("/users", spec).status_code == 201
