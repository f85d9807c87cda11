"""Every verb's module against the real API: check, do, repeat. What it destroys is shown; its needs may be missing."""

import re
from collections.abc import Iterator

import pytest

from backend.tests.fakemachine import FakeSignature
from backend.tests.scene import ADDRESS
from lunette.providers.volumes.lvm.plan import group_name
from lunette_collection.document import GOALS, load
from tests.collection.cases import VERB_CASES, take_away
from tests.collection.rig import FakeRig, Options, Rig

DOCUMENT = load()
VERBS = {verb.name: verb for verb in DOCUMENT.verbs()}


@pytest.fixture(autouse=True)
def _takes_away(at: Rig) -> Iterator[None]:
    """What the cases make, but for what they share."""
    yield
    take_away(at)


def test_every_verb_has_a_case_and_a_goal_or_a_reason_to_act_each_time() -> None:
    assert set(VERBS) == {*VERB_CASES, "job_resolve", "session_disconnect", "array_unlock"}
    operations = {verb.operation.id for verb in VERBS.values()}
    each_time = set(DOCUMENT.exceptions.each_time)
    assert each_time <= operations
    assert all(DOCUMENT.exceptions.each_time.values())
    assert operations - each_time == GOALS


@pytest.mark.parametrize("name", VERB_CASES)
def test_a_verb_is_checked_done_and_repeated(name: str, at: Rig) -> None:
    case = VERB_CASES[name]
    options = case.ready(at)
    at.settle()
    options = {key: value for key, value in options.items() if key in _takes(name)}
    if case.destroys:
        refused = at.run(name, options)
        assert refused["failed"]
        assert "destroy_data: true" in refused["msg"]
        options["destroy_data"] = True
    assert not case.proof(at, options)
    would = at.run(name, options, check=True, diff=True)
    assert would["changed"], would
    assert would["diff"]["prepared"]
    assert not case.proof(at, options), "a check changed something"
    done = at.run(name, options)
    assert not done["failed"], done["msg"]
    assert done["changed"]
    assert _timeless(done["plan"]["changes"]) == _timeless(would["plan"]["changes"])
    at.api.until(lambda: case.proof(at, options))
    again = at.run(name, options)
    assert not again["failed"], again["msg"]
    assert again["changed"] is case.acts_each_time


def _timeless(changes: object) -> str:
    """Without the moments in the names of snapshots: the check was a moment before."""
    return re.sub(r"\b\d{8}-\d{6}\b", "<moment>", str(changes))


def _takes(name: str) -> set[str]:
    operation = VERBS[name].operation
    return {one["name"] for one in operation.parameters("path")} | set(DOCUMENT.body(operation))


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_reaches_the_appliance_and_carries_its_refusal(verb: str, at: Rig) -> None:
    operation = VERBS[verb].operation
    schema = operation.spec.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    needed = DOCUMENT.resolved(schema).get("required", []) if schema else []
    body = DOCUMENT.body(operation)
    wrong: dict[str, object] = {"array": ["1"], "object": {"volumes": [{"name": "x", "array": "-", "size_bytes": "1"}]}}
    options: Options = {one["name"]: "nothing-of-this-name" for one in operation.parameters("path")}
    for name in needed:
        field = DOCUMENT.resolved(body[name])
        options[name] = wrong.get(field.get("type", ""), next(iter(field.get("enum", ["1"]))))
    done = at.run(verb, options)
    assert done["failed"]
    assert done["problem"]["type"] in ("not-found", "invalid"), done
    assert done["status"] == done["problem"]["status"]
    assert done["problem"]["detail"] in done["msg"]


def test_a_check_of_what_an_earlier_task_would_make_warns_and_reports_a_change(at: Rig) -> None:
    reported = at.run("snapshot_clone", {"snapshot": "not-yet", "name": "copy"}, check=True)
    assert reported["changed"]
    assert "could not be planned" in reported["warnings"][0]
    assert at.run("snapshot_clone", {"snapshot": "not-yet", "name": "copy"})["failed"]


def test_a_disk_with_something_on_it_is_taken_only_if_it_is_named_in_wipe(at: FakeRig) -> None:
    options = VERB_CASES["array_add_spares"].ready(at)
    drive = next(disk for disk in at.machine.blocks.disks if options["disks"][0] in disk.links())
    drive.media.signatures = [FakeSignature("ext4", 1080, "old", "u1")]
    at.machine.changed()
    refused = at.run("array_add_spares", options)
    assert refused["problem"]["type"] == "in-use"
    done = at.run("array_add_spares", {**options, "wipe": options["disks"]})
    assert (done["failed"], done["changed"], done["plan"]["bytes_destroyed"] > 0) == (False, True, True), done


def test_what_was_exported_is_applied_without_a_change(at: Rig) -> None:
    VERB_CASES["site"].ready(at)
    shown = at.run("site_info", {})["site"]
    again = at.run("site", {"site": shown})
    assert (again["failed"], again["changed"]) == (False, False), again


def test_a_site_takes_away_only_what_is_named(at: Rig) -> None:
    document = VERB_CASES["site"].ready(at)
    assert at.run("site", document)["changed"]
    empty = {"site": {"mappings": []}, "scope": ["volume/sited"]}
    left = at.run("site", empty)
    assert (left["failed"], left["changed"]) == (False, False)
    assert "mapping/sited/host/sited" in left["warnings"][0]
    gone = at.run("site", {**empty, "destroy": ["mapping/sited/host/sited"]}, diff=True)
    assert (gone["failed"], gone["changed"]) == (False, True), gone
    assert gone["diff"]["prepared"].startswith("- mapping")
    assert "x" * 12 not in str([left, gone])


def test_a_stuck_job_is_resolved(at: FakeRig) -> None:
    faults = at.machine.faults
    disks = at.free_disks(3)
    faults.break_calls(lambda call: "vgcreate" in call.detail or "mdadm --stop" in call.detail)
    made = at.run("array", {"name": "care", "level": "raid5", "disks": disks})
    assert made["job"]["state"] == "stuck", made
    stuck = at.run("array", {"name": "care", "level": "raid5", "disks": disks})
    assert "job_resolve" in stuck["msg"]
    faults.disarm()
    done = at.run("job_resolve", {"job": made["job"]["id"], "how": "retry"})
    assert done["changed"]
    at.api.until(lambda: not at.api.items("/arrays", name="care"))


def test_a_session_is_ended_and_one_that_has_ended_is_not_found(at: FakeRig) -> None:
    assert at.run("site", VERB_CASES["site"].ready(at))["changed"]
    at.run("portal", {"name": "verbs", "address": ADDRESS, "port": 3269})
    at.api.until(lambda: at.api.items("/mappings", volume="sited")[0]["state"] == "open")
    target = at.api.get("/hosts/sited")["target_iqn"]
    place = f"{ADDRESS}:3269"
    at.api.until(lambda: at.api.get("/portals/verbs")["state"] == "open")
    at.machine.login("iqn.2026-01.com.example:sited", target, place, ("sited", "x" * 12))
    (session,) = at.run("session_info", {"host": "sited"})["sessions"]
    done = at.run("session_disconnect", {"session": session["id"]})
    assert (done["failed"], done["changed"], done["plan"]["hosts_interrupted"]) == (False, True, ["sited"]), done
    assert at.run("session_info", {"host": "sited"})["sessions"] == []
    again = at.run("session_disconnect", {"session": session["id"]})
    assert (again["failed"], again["problem"]["type"]) == (True, "not-found")
    assert at.run("portal", {"name": "verbs", "state": "absent"})["changed"]


def test_an_array_that_waits_for_its_key_is_unlocked(at: FakeRig) -> None:
    disks, passphrase = at.free_disks(2), "correct horse battery"
    spec = {"name": "care", "level": "raid1", "disks": disks, "encryption": "luks2", "passphrase": passphrase}
    assert at.run("array", spec)["changed"]
    again = at.run("array", spec)
    assert (again["failed"], again["changed"]) == (False, False), again
    at.api.until(lambda: at.api.get("/arrays/care")["locked"] is False)
    assert not at.run("array_unlock", {"array": "care", "passphrase": passphrase})["changed"]
    at.machine.run(["vgchange", "-an", group_name(at.api.get("/arrays/care")["id"])])
    at.machine.run(["cryptsetup", "close", *at.machine.crypt.mappings()])
    at.api.until(lambda: at.api.get("/arrays/care")["locked"] is True)
    wrong = at.run("array_unlock", {"array": "care", "passphrase": "not the passphrase"})
    assert (wrong["failed"], wrong["problem"]["type"]) == (True, "invalid")
    done = at.run("array_unlock", {"array": "care", "passphrase": passphrase})
    assert (done["failed"], done["changed"]) == (False, True), done
    assert not at.run("array_unlock", {"array": "care", "passphrase": passphrase})["changed"]
