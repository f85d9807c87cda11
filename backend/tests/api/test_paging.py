"""Lists: pages neither repeat nor skip, whatever is made or deleted between them."""

import base64
import json
from pathlib import Path

import pytest

from backend.tests.wiring import Api

DOCUMENT = json.loads((Path(__file__).parents[2] / "openapi.json").read_text())
LISTS = sorted(
    path.removeprefix("/api/v1")
    for path, operations in DOCUMENT["paths"].items()
    if any(one.get("name") == "cursor" for one in operations.get("get", {}).get("parameters", ()))
)


def make_hosts(api: Api, *names: str) -> None:
    for name in names:
        api.made("/hosts", {"name": name, "os_type": "linux" if name < "c" else "esxi"})


def names(items: list[dict[str, str]]) -> list[str]:
    return [item["name"] for item in items]


def test_pages_together_are_the_list(api: Api) -> None:
    make_hosts(api, "a", "b", "c", "d", "e")
    for sort in ("name", "-name", "os_type", "-os_type", "created_at", "-created_at"):
        whole = names(api.get("/hosts", sort=sort)["items"])
        assert sorted(whole) == ["a", "b", "c", "d", "e"]
        for limit in (1, 2, 5, 6):
            assert names(api.items("/hosts", sort=sort, limit=limit)) == whole, (sort, limit)


def test_a_page_has_the_total_number(api: Api) -> None:
    make_hosts(api, "a", "b", "c")
    page = api.get("/hosts", limit=2, name="?")
    assert (page["total"], len(page["items"])) == (3, 2)
    last = api.get("/hosts", limit=2, name="?", cursor=page["next_cursor"])
    assert (last["total"], names(last["items"]), last["next_cursor"]) == (3, ["c"], None)


def test_what_is_deleted_between_pages_neither_repeats_nor_skips(api: Api) -> None:
    make_hosts(api, "a", "b", "c", "d")
    page = api.get("/hosts", limit=2)
    api.delete("/hosts/a")
    api.delete("/hosts/b")
    make_hosts(api, "aa")
    assert names(api.get("/hosts", cursor=page["next_cursor"])["items"]) == ["c", "d"]


def test_an_offset_jumps_into_the_list_and_the_cursor_continues_from_there(api: Api) -> None:
    make_hosts(api, "a", "b", "c", "d", "e")
    page = api.get("/hosts", limit=2, offset=1)
    assert (names(page["items"]), page["total"]) == (["b", "c"], 5)
    assert names(api.get("/hosts", limit=2, cursor=page["next_cursor"])["items"]) == ["d", "e"]
    beyond = api.get("/hosts", offset=5)
    assert (beyond["items"], beyond["total"], beyond["next_cursor"]) == ([], 5, None)
    observed = names(api.get("/interfaces")["items"])
    assert names(api.get("/interfaces", offset=1)["items"]) == observed[1:]
    assert api.call("GET", "/hosts", params={"offset": -1}).status_code == 422


def test_a_name_filter_knows_stars_and_question_marks_only(api: Api) -> None:
    make_hosts(api, "lun01", "lun02", "a_b", "a-b")
    known = {
        "lun*": ["lun01", "lun02"],
        "LUN?1": ["lun01"],
        "*0*": ["lun01", "lun02"],
        "lun": [],
        "l%": [],
        "a_b": ["a_b"],
        "a?b": ["a-b", "a_b"],
        "*": ["a-b", "a_b", "lun01", "lun02"],
    }
    assert {pattern: names(api.items("/hosts", name=pattern)) for pattern in known} == known


def cursor(*parts: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode()


FORGED = (
    "x",
    "####",
    cursor("name"),
    cursor("name", 1, "id"),
    cursor("-name", "a", "id"),
    cursor("name", "a\0", "id"),
    cursor("created_at", "yesterday", "id"),
    base64.urlsafe_b64encode(b"[" * 5000).decode()[:1900],
)


def test_a_cursor_of_another_list_is_refused(api: Api) -> None:
    for forged in FORGED:
        refused = api.call("GET", "/hosts", params={"cursor": forged})
        assert refused.status_code == 422, forged
        assert refused.json()["errors"][0]["field"] == "cursor"


def test_a_cursor_with_a_number_no_database_holds_is_refused(api: Api) -> None:
    assert api.call("GET", "/events", params={"cursor": cursor("-seq", 2**70, 2**70)}).status_code == 422


def test_a_list_returns_the_fields_that_are_named(api: Api) -> None:
    make_hosts(api, "a", "b")
    page = api.get("/hosts", fields="name, id", limit=1)
    assert [set(item) for item in page["items"]] == [{"id", "name"}]
    assert page["total"] == 2
    rest = api.get("/hosts", fields="name", cursor=page["next_cursor"])
    assert rest["items"] == [{"name": "b"}]
    assert api.get("/events", fields="kind", kind="host.created", limit=1)["items"] == [{"kind": "host.created"}]


@pytest.mark.parametrize("path", [path for path in LISTS if "{" not in path])
def test_every_list_refuses_a_field_that_its_items_do_not_have(api: Api, path: str) -> None:
    for wanted, named in (("id,colour", "colour"), ("", "''"), ("id,,name", "''")):
        answer = api.call("GET", path, params={"fields": wanted})
        assert (answer.status_code, named in answer.text, "fields" in answer.text) == (422, True, True), answer.text
