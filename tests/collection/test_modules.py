"""Every module, run by ansible-playbook against the real API: check, make, repeat, change, refuse, take away."""

import pytest

from backend.tests.wiring import Api
from lunette_collection.document import load
from tests.collection.cases import CASES, Options
from tests.collection.playing import Player, Task

pytestmark = pytest.mark.timeout(300)
DOCUMENT = load()
VERBS = {verb.name: verb for verb in DOCUMENT.verbs()}


def _task(name: str, noun: str, options: Options, **keywords: object) -> Task:
    return {"name": name, f"lunette.appliance.{noun}": options, **keywords}


def test_every_noun_has_a_case() -> None:
    assert {noun.name for noun in DOCUMENT.nouns()} == set(CASES)


@pytest.mark.parametrize("noun", CASES)
def test_a_noun_is_made_repeated_and_taken_away(noun: str, player: Player, api: Api) -> None:
    case = CASES[noun]
    make = {**case.make, **case.also(api)}
    allowed = {"destroy_data": True} if case.holds_data else {}
    gone = {**make, "state": "absent", **allowed}
    tasks = [
        _task("would make", noun, make, check_mode=True, diff=True),
        _task("make", noun, make),
        _task("repeat", noun, make),
        _task("would change", noun, {**make, **case.change}, check_mode=True),
        _task("change", noun, {**make, **case.change}, diff=True),
        _task("changed", noun, {**make, **case.change}),
        _task("fixed", noun, {**make, **case.change, **case.fixed}),
        _task("not allowed", noun, {**make, "state": "absent"}, check_mode=True),
        _task("would take away", noun, gone, check_mode=True),
        _task("take away", noun, gone),
        _task("is gone", noun, gone),
    ]
    left_out = {"would change", "change", "changed"} if not case.change else set()
    left_out |= {"fixed"} if not case.fixed else set()
    left_out |= {"not allowed"} if not case.holds_data else set()
    done = player.play([task for task in tasks if task["name"] not in left_out])
    failed = {name: result["msg"] for name, result in done.items() if result["failed"]}
    assert set(failed) == {"fixed", "not allowed"} - left_out, failed
    changed = {name for name, result in done.items() if result["changed"] and not result["failed"]}
    assert changed == {"would make", "make", "would change", "change", "would take away", "take away"} - left_out
    assert done["would make"]["plan"]["changes"] == done["make"]["plan"]["changes"]
    assert done["would make"]["diff"]["after"].keys() <= make.keys()
    if case.change:
        assert done["change"]["diff"]["after"] == case.change
    if case.fixed:
        assert next(iter(case.fixed)) in failed["fixed"]
        assert "cannot become" in failed["fixed"]
    if case.holds_data:
        assert "destroy_data: true" in failed["not allowed"]
        assert done["make"]["job"]["state"] == "succeeded"
        assert done["make"]["progress"][-1].endswith(done["make"]["job"]["message"] or done["make"]["job"]["title"])


def test_a_host_is_renamed_its_chap_taken_away_and_its_secret_sent_again(player: Player, api: Api) -> None:
    chap = {"user": "u", "secret": "secret-of-twelve"}
    api.made("/hosts", {"name": "old", "chap": chap})
    secret = {"name": "old", "chap": chap, "update_secret": True}
    rename = {"name": "new", "renamed_from": "old", "clear": ["chap"]}
    tasks = [
        _task("same secret", "host", {"name": "old", "chap": chap}),
        _task("send again", "host", secret, diff=True),
        _task("rename", "host", rename, check_mode=True),
        _task("renamed", "host", rename),
        _task("again", "host", rename),
    ]
    done = player.play(tasks)
    assert [name for name, result in done.items() if result["failed"]] == []
    assert [name for name, result in done.items() if result["changed"]] == ["send again", "rename", "renamed"]
    assert "secret-of-twelve" not in str(done)
    assert (done["again"]["resource"]["name"], done["again"]["resource"]["chap"]) == ("new", None)


def test_work_that_was_not_waited_for_is_waited_for_by_the_next_run(player: Player, api: Api) -> None:
    CASES["volume"].also(api)
    volume = {"name": "later", "array": "pool", "size_bytes": "8MiB"}
    tasks = [
        _task("start", "volume", {**volume, "wait": False}),
        _task("wait", "volume", volume),
        _task("start deleting", "volume", {**volume, "state": "absent", "destroy_data": True, "wait": False}),
        _task("is deleted", "volume", {**volume, "state": "absent", "destroy_data": True}),
    ]
    done = player.play(tasks)
    assert [name for name, result in done.items() if result["failed"]] == []
    assert done["start"]["job"]["state"] in ("pending", "running", "succeeded")
    assert done["wait"]["resource"]["state"] == "ready"
    assert api.items("/volumes", name="later") == []


def test_everything_can_be_read(player: Player) -> None:
    done = player.play([_task(info.name, info.name, {}) for info in DOCUMENT.infos()])
    assert {name: result["msg"] for name, result in done.items() if result["failed"]} == {}
    assert len(done["disk_info"]["disks"]) == 12
    assert done["status_info"]["status"]["agent"]["answers"] is True
    assert not any(result["changed"] for result in done.values())


def test_what_is_read_can_be_chosen(player: Player) -> None:
    tasks = [
        _task("filter", "disk_info", {"transport": "scsi"}),
        _task("few", "disk_info", {"max_items": 2}),
        _task("one", "user_info", {"id": "admin"}),
        _task("none", "user_info", {"id": "nobody"}),
    ]
    done = player.play(tasks)
    assert [disk["transport"] for disk in done["filter"]["disks"]] == ["scsi"] * 4
    assert len(done["few"]["disks"]) == 2
    assert [user["username"] for user in done["one"]["users"]] == ["admin"]
    assert done["none"]["users"] == []


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_reaches_the_appliance_and_carries_its_refusal(verb: str, player: Player) -> None:
    operation = VERBS[verb].operation
    schema = operation.spec.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    needed = DOCUMENT.resolved(schema).get("required", []) if schema else []
    body = DOCUMENT.body(operation)
    options = {one["name"]: "nothing-of-this-name" for one in operation.parameters("path")}
    options |= {name: next(iter(DOCUMENT.resolved(body[name]).get("enum", ["1"]))) for name in needed}
    done = player.play([_task("act", verb, options)])["act"]
    assert done["failed"]
    assert done["problem"]["type"] in ("not-found", "invalid"), done
    assert done["status"] == done["problem"]["status"]
    assert done["problem"]["detail"] in done["msg"]
