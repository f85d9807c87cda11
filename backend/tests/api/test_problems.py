"""Bad input gets a problem document that names the field, the value and the rule; a crash shows no trace."""

import json
import re
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import text

from backend.tests.scene import disk_ids
from backend.tests.wiring import Api, AwayAgent, add_token, make_services, running
from lunette.api.document import PATH
from lunette.api.problems.rules import PATTERNS
from lunette.api.requests.guard import MAX_BODY_BYTES
from lunette.api.requests.services import ApiServices
from lunette.api.server.middleware import CONTENT_SECURITY_POLICY
from lunette.domain.roles import Role

JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    "body",
    [b"{", b"", b"\xff\xfe{}", b'{"name": "a", }', b"[" * 100_000, b'{"name": "\\u0000"}'],
    ids=["cut", "empty", "no utf-8", "comma", "deep", "NUL"],
)
def test_a_body_that_cannot_be_read_is_a_problem_of_the_client(api: Api, body: bytes) -> None:
    refused = api.call("POST", "/hosts", content=body, headers=JSON)
    assert refused.status_code in (400, 422)
    assert refused.headers["Content-Type"] == "application/problem+json"
    assert refused.json()["type"] in ("malformed", "invalid")
    assert api.items("/hosts") == []


@pytest.mark.parametrize(
    ("path", "body", "field", "value", "rule"),
    [
        ("/hosts", {"name": "no spaces please"}, "name", "no spaces please", "letters, digits and . _ -, up to 63"),
        ("/hosts", {"name": "h", "iqns": ["iqn.2026-01.com.ok:a", "iqn.bad"]}, "iqns[1]", "iqn.bad", "iqn.2026"),
        ("/hosts", {"name": "h", "colour": "red"}, "colour", None, "no such field"),
        ("/volumes", {"name": "v", "array": "a", "size_bytes": "10 parsecs"}, "size_bytes", "10 parsecs", "10GiB"),
        ("/volumes", {"name": "v", "array": "a", "size_bytes": 1}, "size_bytes", "1", "at least 4194304"),
        (
            "/volumes:create-batch",
            {"name_pattern": "lun", "array": "a", "size_bytes": "1GiB", "count": 2},
            "name_pattern",
            "lun",
            "lun%02d",
        ),
        ("/portals", {"name": "p", "address": "10.0.0.300"}, "address", "10.0.0.300", "IPv4"),
        ("/portals", {"name": "p", "address": "10.0.0.3", "port": 70000}, "port", "70000", "65535"),
        ("/mappings", {"volume": "v", "host": "h", "lun": 256}, "lun", "256", "255"),
        ("/arrays", {"name": "a", "level": "raid7", "disks": ["d"]}, "level", "raid7", "raid5"),
        ("/arrays", {"name": "a", "level": "raid5", "disks": []}, "disks", None, "at least 1"),
        (
            "/arrays",
            {"name": "a", "engine": "spdk", "level": "raid1", "disks": ["d", "e"]},
            "engine",
            "spdk",
            "cannot create arrays",
        ),
    ],
)
def test_a_wrong_field_is_named_with_its_value_and_the_rule(
    api: Api, path: str, body: dict[str, object], field: str, value: str | None, rule: str
) -> None:
    refused = api.post(path, body)
    problem = refused.json()
    assert (refused.status_code, problem["type"], problem["status"]) == (422, "invalid", 422)
    wrong = [error for error in problem["errors"] if error["field"].startswith(field)]
    assert [error["value"] for error in wrong][:1] == [value]
    assert rule in wrong[0]["message"]


def test_every_pattern_of_the_document_has_words() -> None:
    patterns = set(re.findall(r'"pattern": ("(?:[^"\\]|\\.)*")', PATH.read_text()))
    assert {json.loads(pattern) for pattern in patterns} <= PATTERNS.keys()


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({}, "this field is required"),
        ({"name": 1}, "expected text"),
        ({"name": "h", "os_type": "beos"}, "'esxi'"),
        ({"name": "h", "iqns": "iqn"}, "expected a list"),
        ({"name": "h", "description": "x" * 1001}, "expected at most 1000 characters"),
        ({"name": "h", "opens_without_missing_after_s": "soon"}, "expected a whole number"),
    ],
)
def test_the_rule_is_in_words_of_our_own(api: Api, body: dict[str, object], words: str) -> None:
    [wrong] = api.post("/hosts", body).json()["errors"]
    assert words in wrong["message"]


@pytest.mark.parametrize("secret", ["short", "much-too-long-for-a-chap-secret"])
def test_a_secret_of_the_wrong_length_is_never_shown_back(api: Api, secret: str) -> None:
    refused = api.post("/hosts", {"name": "h", "chap": {"user": "u", "secret": secret}})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "chap.secret"
    assert secret not in refused.text


def test_an_unknown_path_is_a_problem(api: Api, nobody: Api) -> None:
    for asking in (api, nobody):
        refused = asking.call("GET", "/nothing")
        assert (refused.status_code, refused.json()["type"]) == (404, "not-found")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/volumes", "GET, POST"),
        ("POST", "/disks", "GET"),
        ("POST", "/layouts", "GET"),
        ("PUT", "/arrays/a", "DELETE, GET, PATCH"),
    ],
)
def test_an_unknown_method_names_the_allowed_ones(api: Api, method: str, path: str, allowed: str) -> None:
    refused = api.call(method, path)
    assert (refused.status_code, refused.json()["type"]) == (405, "method-not-allowed")
    assert refused.headers["Allow"] == allowed


def test_every_path_of_the_document_names_its_own_methods(api: Api) -> None:
    for path, item in json.loads(PATH.read_text())["paths"].items():
        under = path.removeprefix("/api/v1")
        if under != path:
            documented = ", ".join(sorted(method.upper() for method in item if method != "parameters"))
            refused = api.call("PUT", re.sub(r"{\w+}", "x", under))
            assert (under, refused.status_code, refused.headers.get("Allow")) == (under, 405, documented)


def test_an_unknown_query_parameter_is_refused(api: Api) -> None:
    refused = api.call("GET", "/volumes", params={"limt": 5})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "limt"
    assert "limit" in refused.json()["detail"]


@pytest.mark.parametrize("params", [{"name": "a\0b"}, {"limit": 0}, {"limit": 1001}, {"sort": "colour"}])
def test_a_wrong_query_is_refused(api: Api, params: dict[str, str]) -> None:
    assert api.call("GET", "/volumes", params=params).status_code == 422


def test_a_body_of_ten_megabytes_is_refused_with_and_without_its_size(api: Api) -> None:
    big = b'{"name": "' + b"x" * 10_000_000 + b'"}'
    reported = api.call("POST", "/hosts", content=big, headers=JSON)
    chunked = api.call("POST", "/hosts", content=(big[i : i + 65536] for i in range(0, len(big), 65536)), headers=JSON)
    for refused in (reported, chunked):
        assert (refused.status_code, refused.json()["type"]) == (413, "too-large")
        assert str(MAX_BODY_BYTES) in refused.json()["detail"]
    assert api.items("/hosts") == []


def test_a_crash_shows_no_trace(api: Api, services: ApiServices) -> None:
    with services.store.write() as tx:
        tx.execute(text("UPDATE meta SET value = 'no number' WHERE key = 'export_generation'"))
    crashed = api.call("GET", "/status")
    assert (crashed.status_code, crashed.json()["type"]) == (500, "internal")
    assert "no number" not in crashed.text
    assert "Traceback" not in crashed.text


def test_a_locked_database_is_unavailable_for_changes_and_still_read(tmp_path: Path, sqlite_url: str) -> None:
    services = make_services(tmp_path, AwayAgent(), sqlite_url, busy_timeout_s=1)
    token = add_token(services.store, Role.ADMINISTRATOR)
    with running(services) as http:
        api = Api(http, token)
        api.items("/hosts")
        holder = sqlite3.connect(sqlite_url.removeprefix("sqlite:///"), timeout=60, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        try:
            refused = api.post("/hosts", {"name": "h"})
            assert (refused.status_code, refused.json()["type"]) == (503, "unavailable")
            assert "busy" in refused.json()["detail"]
            assert api.items("/hosts") == []
        finally:
            holder.close()


def test_every_answer_forbids_framing_sniffing_and_foreign_content(api: Api, nobody: Api) -> None:
    for answer in (api.call("GET", "/hosts"), nobody.call("GET", "/hosts"), nobody.call("GET", "/nothing")):
        assert answer.headers["Content-Security-Policy"] == CONTENT_SECURITY_POLICY
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert answer.headers["Cache-Control"] == "no-store"
    assert "unsafe" not in CONTENT_SECURITY_POLICY
    assert "default-src 'none'" in CONTENT_SECURITY_POLICY


def test_an_array_can_have_the_name_of_a_list(appliance: Api) -> None:
    appliance.made("/arrays", {"name": "layouts", "level": "raid1", "disks": disk_ids(appliance)[:2]})
    assert appliance.get("/arrays/layouts")["name"] == "layouts"
    assert appliance.get("/layouts", disks=disk_ids(appliance)[2])["layouts"]
