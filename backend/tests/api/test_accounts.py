"""Users and API tokens."""

import datetime as dt

import pytest
from sqlalchemy import select, update

from backend.tests.wiring import Api, add_token
from lunette.api.requests.services import ApiServices
from lunette.domain.roles import Role
from lunette.store.access import ApiToken

PASSWORD = "a password of a person"


def test_a_user_is_made_listed_changed_and_deleted(api: Api) -> None:
    made = api.post("/users", {"username": "ann", "password": PASSWORD, "role": "operator"})
    assert made.status_code == 201
    assert made.json()["password_change_required"] is True
    assert "password" not in made.text.replace("password_change_required", "")
    assert [user["username"] for user in api.items("/users", name="a*n")] == ["ann"]
    changed = api.patch("/users/ann", {"role": "viewer"}, made.headers["ETag"])
    assert changed.json()["role"] == "viewer"
    assert api.delete("/users/ann", made.headers["ETag"]).status_code == 412
    assert api.delete("/users/ann", changed.headers["ETag"]).status_code == 204
    assert api.call("GET", "/users/ann").status_code == 404


def test_a_dry_run_on_users_changes_nothing(api: Api) -> None:
    plan = api.post("/users", {"username": "ann", "password": PASSWORD}, dry_run=True)
    assert plan.status_code == 200
    assert plan.json()["changes"][0] == {"action": "create", "noun": "user", "name": "ann", "detail": "role viewer"}
    assert api.items("/users", name="ann") == []


def test_a_user_name_is_taken_once(api: Api) -> None:
    api.made("/users", {"username": "ann", "password": PASSWORD})
    refused = api.post("/users", {"username": "ann", "password": PASSWORD})
    assert refused.status_code == 409
    assert refused.json()["errors"][0]["field"] == "username"


@pytest.mark.parametrize("method", ["demote", "delete"])
def test_the_last_administrator_stays(api: Api, method: str) -> None:
    me = api.get("/me")["username"]
    refused = api.patch(f"/users/{me}", {"role": "viewer"}) if method == "demote" else api.delete(f"/users/{me}")
    assert refused.status_code == 409
    assert "only administrator" in refused.json()["detail"]
    assert api.get("/me")["role"] == "administrator"


def test_a_tokens_secret_is_shown_once_and_stored_as_a_hash(api: Api, services: ApiServices) -> None:
    made = api.made("/tokens", {"name": "backup", "role": "viewer"})
    assert made["token"].startswith("lnt_")
    assert "token" not in api.get("/tokens/backup")
    with services.store.read() as tx:
        stored = tx.scalars(select(ApiToken).where(ApiToken.name == "backup")).one()
    assert made["token"] not in str(vars(stored))
    assert Api(api.http, made["token"]).get("/me")["role"] == "viewer"
    assert api.get("/tokens/backup")["last_used_at"] is not None


def test_a_deleted_or_expired_token_opens_nothing(api: Api, services: ApiServices) -> None:
    made = api.made("/tokens", {"name": "short", "role": "viewer", "expires_days": 1})
    with services.store.write() as tx:
        past = dt.datetime.now(dt.UTC) - dt.timedelta(minutes=1)
        tx.execute(update(ApiToken).where(ApiToken.name == "short").values(expires_at=past))
    expired = Api(api.http, made["token"]).call("GET", "/me")
    assert expired.status_code == 401
    assert "expired" in expired.json()["detail"]
    assert api.delete("/tokens/short").status_code == 204
    assert "is unknown" in Api(api.http, made["token"]).call("GET", "/me").json()["detail"]


def test_a_token_is_deleted_with_its_user(api: Api, services: ApiServices) -> None:
    token = add_token(services.store, Role.VIEWER)
    name = Api(api.http, token).get("/me")["username"]
    assert api.delete(f"/users/{name}").status_code == 204
    assert Api(api.http, token).call("GET", "/me").status_code == 401


def test_no_user_creates_a_token_above_their_own_role(api: Api, services: ApiServices) -> None:
    viewer = Api(api.http, add_token(services.store, Role.VIEWER))
    assert viewer.post("/tokens", {"name": "up", "role": "administrator"}).status_code == 403
    assert viewer.made("/tokens", {"name": "same"})["role"] == "viewer"


def test_a_person_sees_only_their_own_tokens(api: Api, services: ApiServices) -> None:
    viewer = Api(api.http, add_token(services.store, Role.VIEWER))
    api.made("/tokens", {"name": "of-the-administrator"})
    assert viewer.call("GET", "/tokens/of-the-administrator").status_code == 404
    assert viewer.delete("/tokens/of-the-administrator").status_code == 404
    assert len(viewer.items("/tokens")) == 1
    assert len(api.items("/tokens")) == 3
