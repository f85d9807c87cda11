"""Search: identifiers in any notation are found, the best match first, and only what the user may list."""

from typing import Any

import pytest

from backend.tests.api.test_metrics import IQN, Serving, serving, standing
from backend.tests.scene import ADDRESS
from backend.tests.wiring import Api, add_token
from lunette.api.answers.search import SearchField, SearchMatch
from lunette.api.lists.searching import Term
from lunette.domain.roles import Role

__all__ = ["serving", "standing"]
NAA = "6001405" + "a" * 25
WWPN = "21:00:00:24:ff:00:00:01"
UUID = "0f8fad5b-d9cb-469f-a165-70867728950e"


def found(api: Api, text: str, **query: Any) -> list[tuple[str, str, str, str]]:
    """Noun, name, property and kind of match of what is found, in order."""
    items = api.get("/search", text=text, **query)["items"]
    return [(one["noun"], one["name"], one["field"], one["match"]) for one in items]


def first(api: Api, text: str) -> tuple[str, str, str, str]:
    return found(api, text)[0]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (f"naa.{NAA}", NAA),
        (f"0x{NAA.upper()}", NAA),
        (f"/dev/disk/by-id/wwn-0x{NAA}", NAA),
        (f"3{NAA}", NAA),
        (f"dm-uuid-mpath-3{NAA}", NAA),
        (f"eui.{NAA}", NAA),
        ("21000024FF000001", WWPN),
        (WWPN.upper(), WWPN),
        (f"nvme-uuid.{UUID}", UUID),
        (UUID.replace("-", ""), UUID),
        (UUID, UUID.replace("-", "")),
        (" LUN01 ", "lun01"),
    ],
)
def test_one_identifier_is_the_same_however_it_is_written(text: str, value: str) -> None:
    assert Term(text).rank(SearchField.NAME, value) is SearchMatch.EXACT


def test_short_texts_match_names_and_not_the_digits_of_identifiers() -> None:
    assert Term("a5").rank(SearchField.NAME, "lun-a5") is SearchMatch.PART
    assert Term("a5").rank(SearchField.NAA, "6001405a5") is None
    assert Term("05a5").rank(SearchField.NAA, "6001405a5") is SearchMatch.PART
    assert Term("   ").forms == ()


def test_everything_that_identifies_an_object_finds_it(serving: Serving) -> None:
    api = serving.api
    volume, host, disk = api.get("/volumes/data"), api.get("/hosts/db"), api.items("/disks")[0]
    assert first(api, "data") == ("volume", "data", "name", "exact")
    assert first(api, f"naa.{volume['naa']}") == ("volume", "data", "naa", "exact")
    assert first(api, volume["serial"][:12]) == ("volume", "data", "serial", "prefix")
    assert first(api, volume["eui64"]) == ("volume", "data", "eui64", "exact")
    assert first(api, volume["uuid"])[:2] == ("volume", "data")
    assert first(api, volume["id"]) == ("volume", "data", "id", "exact")
    assert first(api, host["target_iqn"]) == ("host", "db", "target", "exact")
    assert first(api, host["subsystem_nqn"]) == ("host", "db", "target", "exact")
    assert found(api, IQN)[:2] == [("host", "db", "initiator", "exact"), ("session", IQN, "initiator", "exact")]
    assert first(api, disk["serial"]) == ("disk", disk["id"], "serial", "exact")
    assert first(api, disk["observed"]["device"].rpartition("/")[2])[:3] == ("disk", disk["id"], "device")
    assert {one[0] for one in found(api, ADDRESS)} >= {"portal", "interface"}
    assert first(api, "front") == ("portal", "front", "name", "exact")
    items = api.get("/search", text="data")["items"]
    assert [one["parent"] for one in items if one["name"] == "data"] == ["tank"]


def listed(api: Api, noun: str, text: str) -> list[str]:
    return [one["name"] for one in api.items(f"/{noun}", text=text)]


def test_the_list_of_volumes_is_searched_by_identifier_in_any_notation(serving: Serving) -> None:
    api = serving.api
    for name in ("vault", "other"):
        api.done(api.made("/volumes", {"name": name, "array": "tank", "size_bytes": "16MiB"}))
    volume = api.get("/volumes/vault")
    naa, uuid = volume["naa"], volume["uuid"]
    written = (f"naa.{naa.upper()}", f"/dev/disk/by-id/wwn-0x{naa}", f"3{naa}", volume["serial"], volume["eui64"])
    for text in (*written, volume["nguid"], uuid, uuid.replace("-", ""), f"nvme-uuid.{uuid}", volume["id"], "VAUL"):
        assert listed(api, "volumes", text) == ["vault"], text
    assert {"data", "other", "vault"} <= set(listed(api, "volumes", naa[:7]))
    assert [one["name"] for one in api.items("/volumes", text=naa[:7], name="oth*")] == ["other"]
    assert listed(api, "volumes", "  ") == listed(api, "volumes", "da_a") == []


def test_the_list_of_hosts_is_searched_by_part_of_an_initiator_or_target(serving: Serving) -> None:
    api = serving.api
    api.made("/hosts", {"name": "fc", "wwpns": [WWPN], "description": "payroll of everybody"})
    assert listed(api, "hosts", IQN[4:20]) == listed(api, "hosts", api.get("/hosts/db")["target_iqn"]) == ["db"]
    for text in (WWPN.upper(), WWPN.replace(":", ""), "24:ff:00", "payroll", "FC"):
        assert listed(api, "hosts", text) == ["fc"], text


def test_the_best_match_comes_first(serving: Serving) -> None:
    api = serving.api
    for name in ("olddata", "data2"):
        api.done(api.made("/volumes", {"name": name, "array": "tank", "size_bytes": "16MiB"}))
    assert [one[1::2] for one in found(api, "DATA")] == [("data", "exact"), ("data2", "prefix"), ("olddata", "part")]
    page = api.get("/search", text="data", limit=2)
    assert ([one["name"] for one in page["items"]], page["has_more"]) == (["data", "data2"], True)
    assert api.get("/search", text="data", limit=3)["has_more"] is False
    assert found(api, "da_a") == found(api, "da%") == found(api, "  ") == []


def test_users_are_found_by_those_who_may_list_them(serving: Serving) -> None:
    serving.api.made("/users", {"username": "jane", "role": "viewer", "password": "given by another"})
    viewer = Api(serving.api.http, add_token(serving.services.store, Role.VIEWER))
    assert found(serving.api, "jane") == [("user", "jane", "name", "exact")]
    assert found(viewer, "jane") == []
    assert first(viewer, "data") == ("volume", "data", "name", "exact")


def test_without_the_agent_rows_are_found_and_the_rest_is_said_to_lack(api: Api) -> None:
    api.made("/hosts", {"name": "db", "iqns": [IQN], "description": "payroll of everybody"})
    page = api.get("/search", text="payroll")
    assert ([one["name"] for one in page["items"]], page["is_complete"]) == (["db"], False)
    assert page["items"][0]["value"] == "payroll of everybody"
    assert api.call("GET", "/search", params={"text": ""}).status_code == 422
    assert api.call("GET", "/search").status_code == 422
