"""Repeated requests, lost updates, dry runs."""

import json
import re
import threading
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy import select

from backend.tests.scene import disk_ids
from backend.tests.wiring import Api, add_token, add_user
from lunette.api.document import PATH
from lunette.api.requests.services import ApiServices
from lunette.domain.roles import Role
from lunette.store.access import IdempotencyKey

HOST: dict[str, Any] = {"name": "h1", "iqns": ["iqn.2026-01.com.example:h1"]}
SECRET = re.compile("(secret|token|password|passphrase|private_key|recovery_code)s?$")
KEY = {"Idempotency-Key": "7f0c"}


def test_a_repeated_request_gives_the_first_answer_and_changes_nothing_more(api: Api) -> None:
    first = api.post("/hosts", HOST, headers=KEY)
    again = api.post("/hosts", HOST, headers=KEY)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.content == first.content
    assert again.headers["Location"] == first.headers["Location"]
    assert again.headers["ETag"] == first.headers["ETag"]
    assert again.headers["Idempotency-Replayed"] == "true"
    assert len(api.items("/hosts")) == 1


@pytest.mark.parametrize(("path", "body"), [("/hosts", {**HOST, "name": "h2"}), ("/host-groups", {"name": "g"})])
def test_a_key_is_not_used_for_two_requests(api: Api, path: str, body: dict[str, Any]) -> None:
    api.post("/hosts", HOST, headers=KEY)
    refused = api.post(path, body, headers=KEY)
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "Idempotency-Key"


def test_a_key_belongs_to_one_person(api: Api, services: ApiServices) -> None:
    api.post("/hosts", HOST, headers=KEY)
    other = Api(api.http, add_token(services.store, Role.OPERATOR))
    assert other.post("/hosts", {"name": "h2"}, headers=KEY).status_code == 201


def test_a_refused_request_may_be_sent_again_corrected(api: Api) -> None:
    api.post("/hosts", HOST)
    assert api.post("/hosts", HOST, headers=KEY).status_code == 409
    assert api.post("/hosts", {"name": "h2"}, headers=KEY).status_code == 201


def test_a_dry_run_does_not_use_up_the_key(api: Api) -> None:
    assert api.post("/hosts", HOST, dry_run=True, headers=KEY).status_code == 200
    assert api.post("/hosts", HOST, headers=KEY).status_code == 201


@pytest.mark.parametrize("key", ["", "with space", "x" * 256])
def test_a_key_of_another_form_is_refused(api: Api, key: str) -> None:
    refused = api.post("/hosts", HOST, headers={"Idempotency-Key": key})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "Idempotency-Key"


def test_the_same_request_sent_many_times_at_once_is_done_once(api: Api) -> None:
    answers: list[tuple[int, bytes]] = []

    def send() -> None:
        answer = api.post("/hosts", HOST, headers=KEY)
        answers.append((answer.status_code, answer.content))

    threads = [threading.Thread(target=send) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(answers) == {(201, answers[0][1])}
    assert len(api.items("/hosts")) == 1


def test_names_that_race_are_made_once(api: Api) -> None:
    answers: list[int] = []
    threads = [threading.Thread(target=lambda: answers.append(api.post("/hosts", HOST).status_code)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [201] + [409] * 7


def test_of_arrays_that_race_for_a_disk_one_is_made(appliance: Api) -> None:
    disks = disk_ids(appliance)
    answers: list[Response] = []
    ready = threading.Barrier(4)

    def create(number: int) -> None:
        ready.wait(30)
        body = {"name": f"array{number}", "level": "raid1", "disks": [disks[0], disks[number + 1]]}
        answers.append(appliance.post("/arrays", body))

    threads = [threading.Thread(target=create, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answer.status_code for answer in answers) == [202, 409, 409, 409], [one.text for one in answers]
    taken = next(answer for answer in answers if answer.status_code == 202)
    for refused in answers:
        if refused is not taken:
            assert refused.headers["Content-Type"] == "application/problem+json"
            assert disks[0] in refused.text
    appliance.done(taken.json())
    (array,) = appliance.items("/arrays")
    assert [array["id"]] == taken.json()["resource_ids"]
    assert {member["disk_id"] for member in array["members"]} >= {disks[0]}
    states = {disk["id"]: disk["state"] for disk in appliance.items("/disks")}
    assert sum(state == "member" for state in states.values()) == 2, states


def test_a_change_needs_to_say_what_it_changes(api: Api) -> None:
    made = api.post("/hosts", HOST)
    etag = made.headers["ETag"]
    assert api.call("PATCH", "/hosts/h1", json={"description": "x"}).status_code == 428
    assert api.call("DELETE", "/hosts/h1").status_code == 428
    changed = api.patch("/hosts/h1", {"description": "x"}, etag)
    assert changed.status_code == 200
    assert changed.headers["ETag"] != etag
    assert api.call("GET", "/hosts/h1").headers["ETag"] == changed.headers["ETag"]
    stale = api.patch("/hosts/h1", {"description": "y"}, etag)
    assert (stale.status_code, stale.json()["type"]) == (412, "precondition-failed")
    assert changed.headers["ETag"] in stale.json()["detail"]
    assert api.delete("/hosts/h1", etag).status_code == 412
    assert api.get("/hosts/h1")["description"] == "x"
    assert api.delete("/hosts/h1", f'"other", {changed.headers["ETag"]}').status_code == 204


def test_an_etag_changes_when_only_initiators_change(api: Api) -> None:
    etag = api.post("/hosts", HOST).headers["ETag"]
    changed = api.patch("/hosts/h1", {"iqns": ["iqn.2026-01.com.example:other"]}, etag)
    assert changed.status_code == 200
    assert changed.headers["ETag"] != etag


def test_dry_runs_of_changes_change_nothing(api: Api) -> None:
    api.post("/hosts", HOST)
    for plan in (api.patch("/hosts/h1", {"name": "h2"}, dry_run=True), api.delete("/hosts/h1", dry_run=True)):
        assert plan.status_code == 200
        assert plan.json()["changes"]
        assert plan.json()["steps"] == []
    assert api.get("/hosts/h1")["name"] == "h1"
    assert len(api.items("/events", noun="host")) == 1


def test_an_answer_belongs_to_its_client_and_not_to_a_name(api: Api, services: ApiServices) -> None:
    """A token is deleted, and a new one gets its name: it does not receive the answers of the first one."""
    first = api.made("/tokens", {"name": "ci", "role": "operator"})
    with_first = Api(api.http, first["token"])
    made = with_first.post("/hosts", HOST, headers=KEY)
    assert made.status_code == 201
    assert api.delete(f"/tokens/{first['id']}").status_code == 204
    with_second = Api(api.http, api.made("/tokens", {"name": "ci", "role": "operator"})["token"])
    again = with_second.post("/hosts", HOST, headers=KEY)
    assert again.status_code == 409
    assert "Idempotency-Replayed" not in again.headers


def test_a_secret_is_not_answered_twice(api: Api, services: ApiServices) -> None:
    body = {"name": "child", "role": "viewer"}
    made = api.post("/tokens", body, headers=KEY).json()
    again = api.post("/tokens", body, headers=KEY)
    assert (again.status_code, again.json()["type"]) == (409, "conflict")
    assert made["token"] not in again.text
    assert made["id"] in again.json()["detail"]
    with services.store.read() as tx:
        kept = tx.scalars(select(IdempotencyKey.body)).one()
    assert kept == b""


def test_an_answer_to_a_user_is_not_one_to_another_of_the_same_name(api: Api, services: ApiServices) -> None:
    """The first is deleted, and the second has the name, the key and the body of the first."""
    seen = []
    for _ in range(2):
        add_user(services.store, "ann", Role.OPERATOR, "correct horse battery")
        browser = TestClient(api_application(api), base_url="https://testserver")
        login = browser.post("/api/v1/login", json={"username": "ann", "password": "correct horse battery"})
        headers = {**KEY, "X-CSRF-Token": login.json()["csrf_token"]}
        seen.append(browser.post("/api/v1/hosts", json=HOST, headers=headers))
        assert api.delete("/users/ann").status_code == 204
    assert [one.status_code for one in seen] == [201, 409]
    assert "Idempotency-Replayed" not in seen[1].headers


def api_application(api: Api) -> Any:
    assert isinstance(api.http, TestClient)
    return api.http.app


def test_only_the_answer_to_a_new_token_has_a_secret_among_those_that_may_be_repeated() -> None:
    """It is stored nowhere; every other answer is stored for a day, so none of them may contain one."""
    document = json.loads(PATH.read_text())

    def names(schema: Any, seen: frozenset[str] = frozenset()) -> set[str]:
        if isinstance(schema, list):
            return set().union(*(names(one, seen) for one in schema))
        if not isinstance(schema, dict):
            return set()
        model = str(schema.get("$ref", "")).rpartition("/")[2]
        own = set(schema["properties"]) if isinstance(schema.get("properties"), dict) else set()
        if model and model not in seen:
            own |= names(document["components"]["schemas"][model], seen | {model})
        return own.union(*(names(one, seen) for one in schema.values()))

    holds = {
        operation["operationId"]: found
        for methods in document["paths"].values()
        for operation in methods.values()
        if any(one["name"] == "Idempotency-Key" for one in operation.get("parameters", ()))
        if (found := {one for one in names(operation["responses"]) if SECRET.search(one)})
    }
    assert holds == {"token_create": {"token"}}
