"""Every noun's module against the real API: check, make, repeat, change, refuse, take away."""

from typing import Any

import pytest

from lunette_collection.document import load
from lunette_collection.options import noun_options
from tests.collection.cases import CASES, MORE, Case
from tests.collection.rig import Options, Result, Rig

DOCUMENT = load()
DOCUMENTED = {noun.name: noun_options(DOCUMENT, noun) for noun in DOCUMENT.nouns()}
SHAPES = {noun: (noun, case) for noun, case in CASES.items()} | MORE


def test_every_noun_has_a_case() -> None:
    assert {noun.name for noun in DOCUMENT.nouns()} == set(CASES)


def _good(result: Result, *, changed: bool) -> Result:
    assert not result["failed"], result["msg"]
    assert result["changed"] is changed, result
    return result


@pytest.mark.parametrize("shape", SHAPES)
def test_a_noun_is_made_repeated_and_taken_away(shape: str, at: Rig) -> None:
    noun, case = SHAPES[shape]
    make = {**case.make, **case.also(at)}
    would = _good(at.run(noun, make, check=True, diff=True), changed=True)
    assert would["diff"]["after"].keys() <= make.keys()
    made = _good(at.run(noun, make), changed=True)
    assert made["plan"]["changes"] == would["plan"]["changes"]
    _good(at.run(noun, make), changed=False)
    _change(at, noun, case, make)
    wanted = {**make, **case.change}
    if case.fixed:
        refused = at.run(noun, {**wanted, **case.fixed})
        assert refused["failed"]
        assert next(iter(case.fixed)) in refused["msg"]
        assert "cannot be changed to" in refused["msg"]
    if case.holds_data:
        assert made["job"]["state"] == "succeeded"
        assert made["progress"][-1].endswith(made["job"]["message"] or made["job"]["title"])
    if "state" in DOCUMENTED[noun]:
        _take_away(at, noun, case, wanted)


def _change(at: Rig, noun: str, case: Case, make: Options) -> None:
    if not case.change:
        return
    wanted = {**make, **case.change}
    would = _good(at.run(noun, wanted, check=True), changed=True)
    _good(at.run(noun, make), changed=False)
    changed = _good(at.run(noun, wanted, diff=True), changed=True)
    assert changed["plan"]["changes"] == would["plan"]["changes"]
    assert changed["diff"]["after"].keys() == case.change.keys()
    assert changed["diff"]["before"] != changed["diff"]["after"]
    _good(at.run(noun, wanted), changed=False)


def _take_away(at: Rig, noun: str, case: Case, wanted: Options) -> None:
    absent: Options = {**wanted, "state": "absent"}
    if case.holds_data:
        for check in (True, False):
            refused = at.run(noun, absent, check=check)
            assert refused["failed"]
            assert "destroy_data: true" in refused["msg"]
        absent["destroy_data"] = True
    _good(at.run(noun, absent, check=True), changed=True)
    _good(at.run(noun, wanted), changed=False)
    _good(at.run(noun, absent), changed=True)
    _good(at.run(noun, absent), changed=False)


def test_a_host_is_renamed_its_chap_taken_away_and_its_secret_sent_again(at: Rig) -> None:
    chap = {"user": "u", "secret": "secret-of-twelve"}
    at.api.made("/hosts", {"name": "old", "chap": chap})
    rename = {"name": "new", "renamed_from": "old", "clear": ["chap"]}
    results = [
        _good(at.run("host", {"name": "old", "chap": chap}), changed=False),
        _good(at.run("host", {"name": "old", "chap": chap, "update_secret": True}, diff=True), changed=True),
        _good(at.run("host", rename, check=True), changed=True),
        _good(at.run("host", rename), changed=True),
        _good(at.run("host", rename), changed=False),
    ]
    assert "secret-of-twelve" not in str(results)
    assert (results[-1]["resource"]["name"], results[-1]["resource"]["chap"]) == ("new", None)
    assert at.api.delete("/hosts/new").is_success


def test_the_path_of_a_webhook_is_compared_by_the_appliance_and_printed_nowhere(at: Rig) -> None:
    def setting(url: str, *, changed: bool, check: bool = False, **more: Any) -> Result:
        reported = at.run(
            "setting", {"webhook": {"url": url, "secret": "a-secret-of-sixteen"}, **more}, check=check, diff=True
        )
        return _good(reported, changed=changed)

    server = "https://127.0.0.1:9"
    results = [
        setting(f"{server}/T0ken?key=T0ken", changed=True),
        setting(f"{server}/T0ken?key=T0ken", changed=False),
        setting(server, changed=False),
        setting(f"{server}/T0ken-other", changed=True, check=True),
        setting(f"{server}/T0ken-other", changed=True),
        setting(server, changed=True, session_hours=9),
    ]
    assert results[-1]["diff"]["after"] == {"session_hours": 9}
    assert results[4]["diff"]["after"] == {"webhook": {"url": "(secret)", "secret": "(secret)"}}
    assert [change["detail"] for change in results[4]["plan"]["changes"]] == ["its url changes"]
    assert "T0ken" not in str(results)
    assert at.api.patch("/settings", {"webhook": None, "session_hours": 12}).is_success


def test_work_that_was_not_waited_for_is_waited_for_by_the_next_run(at: Rig) -> None:
    CASES["volume"].also(at)
    volume = {"name": "later", "array": "pool", "size_bytes": "8MiB"}
    gone = {**volume, "state": "absent", "destroy_data": True}
    started = _good(at.run("volume", {**volume, "wait": False}), changed=True)
    assert started["job"]["state"] in ("pending", "running", "succeeded")
    assert _good(at.run("volume", volume), changed=False)["resource"]["state"] == "ready"
    _good(at.run("volume", {**gone, "wait": False}), changed=True)
    _good(at.run("volume", gone), changed=False)
    assert at.api.items("/volumes", name="later") == []


def test_a_member_that_was_replaced_is_a_warning_and_no_difference(at: Rig) -> None:
    array = {"name": "warned", "level": "raid1", "disks": at.free_disks(2)}
    _good(at.run("array", array), changed=True)
    assert _good(at.run("array", array), changed=False)["warnings"] == []
    other = {**array, "disks": [array["disks"][0], at.free_disks(1)[0]]}
    warned = _good(at.run("array", other), changed=False)
    assert "disks is" in warned["warnings"][0]
    assert at.api.done(at.api.delete("/arrays/warned").json())


@pytest.mark.parametrize("info", [one for one in DOCUMENT.infos() if not one.asked], ids=lambda info: info.name)
def test_everything_can_be_read(info: Any, at: Rig) -> None:
    result = _good(at.run(info.name, {}, check=True), changed=False)
    assert [value for key, value in result.items() if key not in ("changed", "failed", "invocation")] != [None]


def test_what_is_read_can_be_chosen(at: Rig) -> None:
    drives = at.run("disk_info", {"transport": "scsi"})["disks"]
    assert [disk["transport"] for disk in drives] == ["scsi"] * 4
    assert len(at.run("disk_info", {"max_items": 2})["disks"]) == 2
    assert [user["username"] for user in at.run("user_info", {"id": "admin"})["users"]] == ["admin"]
    assert at.run("user_info", {"id": "nobody"})["users"] == []
    assert at.run("status_info", {})["status"]["agent"]["answers"] is True


def test_why_a_host_does_not_see_its_volume_is_reported(at: Rig) -> None:
    CASES["mapping"].also(at)
    mapping = {"volume": "mapped", "host": "member1"}
    _good(at.run("mapping", mapping), changed=True)
    reported = _good(at.run("volume_why_info", mapping), changed=False)["volume_why"]
    assert [chain["host"] for chain in reported["chains"]] == ["member1"], reported
    _good(at.run("mapping", {**mapping, "state": "absent"}), changed=True)
    assert "there is no volume nowhere" in at.run("volume_why_info", {"volume": "nowhere"})["msg"].lower()


def test_an_object_is_found_by_what_identifies_it(at: Rig) -> None:
    CASES["mapping"].also(at)
    found = _good(at.run("search_info", {"text": "MAPPED"}), changed=False)["search"]
    assert [(one["noun"], one["name"], one["match"]) for one in found["items"]] == [("volume", "mapped", "exact")]


def test_a_kit_and_the_paths_of_a_host_are_read(at: Rig) -> None:
    host = {**CASES["host"].make, "name": "kit"}
    _good(at.run("host", host), changed=True)
    known = {"host": host["name"]}
    kit = _good(at.run("host_kit_info", {**known, "secrets": True}), changed=False)["host_kit"]
    assert (kit["host"], kit["files"]) == (host["name"], []), "nothing is mapped, so there is nothing to write"
    assert "No volume is mapped" in _good(at.run("host_paths_info", known), changed=False)["host_paths"]["sentence"]
    _good(at.run("host", {**host, "state": "absent"}), changed=True)


def test_what_lio_serves_is_read_for_targetcli_with_and_without_secrets(at: Rig) -> None:
    chap = {"user": "leaving", "secret": "secret-of-leaving"[:16]}
    CASES["mapping"].also(at)
    _good(at.run("host", {"name": "leaving", "iqns": ["iqn.2026-01.com.example:leaving"], "chap": chap}), changed=True)
    mapping = {"volume": "mapped", "host": "leaving"}
    _good(at.run("mapping", mapping), changed=True)
    without = _good(at.run("site_saveconfig_info", {}), changed=False)["site_saveconfig"]
    assert (without["has_secrets"], chap["secret"] in str(without)) == (False, False)
    with_secrets = _good(at.run("site_saveconfig_info", {"secrets": True}), changed=False)["site_saveconfig"]
    acl = with_secrets["document"]["targets"][0]["tpgs"][0]["node_acls"][0]
    assert (acl["node_wwn"], acl["chap_password"]) == ("iqn.2026-01.com.example:leaving", chap["secret"])
    _good(at.run("mapping", {**mapping, "state": "absent"}), changed=True)
    _good(at.run("host", {"name": "leaving", "state": "absent"}), changed=True)
