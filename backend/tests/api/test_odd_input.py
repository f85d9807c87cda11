"""Odd text, odd times and floods of mistakes: small answers, few lines in the journal, and never a 500."""

import json
from typing import Any

import pytest
import structlog
from fastapi.testclient import TestClient

from backend.tests.wiring import Api
from lunette.api.answers.problems import MOST_FAULTS
from lunette.api.requests.guard import PUBLIC_BODY_BYTES
from lunette.api.server.log import LINES_PER_MINUTE, Brake, set_up_log

HALVES = ["\\ud800", "\\udfff", "\\uD83D", "x\\ud83dx", "\\ude00\\ud83d"]


@pytest.mark.parametrize("half", HALVES)
def test_half_a_character_is_refused_before_anything_is_done(http: TestClient, api: Api, half: str) -> None:
    body = f'{{"username": "{half}", "password": "x"}}'
    headers = {"Content-Type": "application/json"}
    refused = http.post("/api/v1/login", content=body, headers=headers)
    assert (refused.status_code, refused.json()["type"]) == (400, "malformed")
    body = f'{{"name": "h", "initiators": [{{"kind": "iscsi", "name": "iqn.2026-01.com.example:{half}"}}]}}'
    refused = api.call("POST", "/hosts", content=body, headers=headers)
    assert refused.status_code == 400
    assert api.items("/hosts") == []


@pytest.mark.parametrize("whole", ["\\ud83d\\ude00", "\\uD83D\\uDE00", "a\\\\ud800"])
def test_a_complete_character_is_not_a_lone_surrogate(http: TestClient, whole: str) -> None:
    answered = http.post(
        "/api/v1/login",
        content=f'{{"username": "{whole}", "password": "x"}}',
        headers={"Content-Type": "application/json"},
    )
    assert answered.status_code == 401


@pytest.mark.parametrize("deep", ["[" * 5000 + '"\\ud800"' + "]" * 5000, '{"a": "\\ud800"', "\\ud800"])
def test_invalid_json_is_also_refused_as_such(http: TestClient, deep: str) -> None:
    refused = http.post("/api/v1/login", content=deep[:PUBLIC_BODY_BYTES], headers={"Content-Type": "application/json"})
    assert refused.status_code in (400, 413, 422)


@pytest.mark.parametrize("what", ["since", "until"])
@pytest.mark.parametrize(
    "time", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+00:01"]
)
@pytest.mark.parametrize("path", ["/events", "/events:export"])
def test_a_time_that_does_not_exist_in_utc_is_refused(api: Api, path: str, what: str, time: str) -> None:
    refused = api.call("GET", path, params={what: time})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == what


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
def test_the_first_and_the_last_time_there_is_are_accepted(api: Api, time: str) -> None:
    assert api.call("GET", "/events", params={"since": time}).status_code == 200


def test_who_has_no_login_sends_little(http: TestClient) -> None:
    body = {"username": "ann", "password": "x", **{f"k{number}": 1 for number in range(95_000)}}
    refused = http.post("/api/v1/login", json=body)
    assert refused.status_code == 413
    assert str(PUBLIC_BODY_BYTES) in refused.json()["detail"]
    assert len(refused.content) < 1000


def test_an_answer_names_twenty_mistakes_and_counts_the_rest(api: Api) -> None:
    refused = api.call("POST", "/hosts", json={"name": "h", **{f"k{number}": 1 for number in range(50_000)}})
    assert refused.status_code == 422
    assert len(refused.json()["errors"]) == MOST_FAULTS
    assert "(and 49997 more)" in refused.json()["detail"]
    assert len(refused.content) < 10_000


def test_so_does_one_about_parameters(api: Api) -> None:
    refused = api.call("GET", "/hosts", params={f"k{number}": 1 for number in range(1000)})
    assert refused.status_code == 422
    assert len(refused.json()["errors"]) == MOST_FAULTS


def test_a_brake_lets_so_many_lines_through_and_counts_the_others() -> None:
    now = 0.0
    brake = Brake(3, lambda: now)
    assert [brake.left_out("a") for _ in range(5)] == [0, 0, 0, None, None]
    assert brake.left_out("b") == 0, "another kind has its own"
    now = 61.0
    assert [brake.left_out("a"), brake.left_out("a")] == [2, 0]
    now = 200.0
    assert brake.left_out("a") == 0


def test_a_brake_remembers_few_kinds_however_many_there_are() -> None:
    brake = Brake(3, lambda: 0.0)
    through = sum(brake.left_out(f"kind {number}") is not None for number in range(5000))
    assert through == 1003


def test_a_flood_of_one_line_leaves_little_in_the_journal(capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    before = structlog.get_config()
    set_up_log(Brake(clock=lambda: now))
    try:
        log: Any = structlog.get_logger("test")
        for number in range(1000):
            log.warning("refused", number=number)
        now = 61.0
        log.warning("refused", number=1000)
        log.warning("another")
        lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    finally:
        structlog.configure(**before)  # what this test printed to is closed when it ends
    assert len(lines) == LINES_PER_MINUTE + 2
    assert lines[-2]["left_out"] == 1000 - LINES_PER_MINUTE
    assert "left_out" not in lines[-1]
