"""An encrypted array through the API: created, locked by a boot, unlocked and reported; no key is recorded."""

from pathlib import Path
from typing import Any

import pytest

from backend.tests.api.rebuilding import Standing, rebuilt, reinstalled, settled
from backend.tests.api.test_array_changes import is_known
from backend.tests.fakemachine import FakeSystem
from backend.tests.scene import disk_ids
from backend.tests.wiring import Api
from backend.tests.wiring_agent import passed
from lunette.agent.core import Agent
from lunette.domain.sizes import MIB

PASSPHRASE, NEW = "correct horse battery", "staple battery horse"


def stand(api: Api, *, keep_key: bool = False) -> None:
    """An encrypted array `vault` with a volume that a host has over iSCSI."""
    body = {
        "name": "vault",
        "level": "raid1",
        "disks": disk_ids(api)[:2],
        "encryption": "luks2",
        "passphrase": PASSPHRASE,
        "keep_key": keep_key,
    }
    api.made("/arrays", body)
    api.made("/volumes", {"name": "lun", "array": "vault", "size_bytes": 64 * MIB})
    api.made("/hosts", {"name": "db1", "iqns": ["iqn.2026-01.com.example:db1"]})
    api.made("/portals", {"name": "p", "protocol": "iscsi", "address": "192.0.2.1"})
    api.made("/mappings", {"volume": "lun", "host": "db1"})


def vault(api: Api) -> Any:
    return api.get("/arrays/vault")


def mapping(api: Api) -> Any:
    return api.items("/mappings")[0]


def is_open(api: Api, agent: Agent) -> bool:
    return passed(agent, lambda: bool(mapping(api)["state"] == "open"))


def test_a_boot_locks_it_and_its_exports_wait_until_it_is_unlocked(
    appliance: Api, machine: FakeSystem, agent: Agent
) -> None:
    stand(appliance)
    assert [name for name in machine.listdir("/run/lunette") if name.startswith("array-")] == []
    assert (vault(appliance)["encryption"], vault(appliance)["keep_key"]) == ("luks2", False)
    appliance.until(lambda: is_open(appliance, agent))
    appliance.until(lambda: vault(appliance)["locked"] is False)
    machine.reboot()
    appliance.until(lambda: not is_open(appliance, agent))
    appliance.until(lambda: vault(appliance)["locked"] is True)
    appliance.until(lambda: mapping(appliance)["reason"] == "waiting for key of array vault")
    (chain,) = appliance.get("/volumes/lun:why")["chains"]
    assert "unlock it with `lunette array unlock vault`" in chain["sentence"]
    appliance.until(
        lambda: appliance.get("/status")["sentence"] == "Array vault is locked: its exports wait until it is unlocked"
    )
    wrong = appliance.post("/arrays/vault:unlock", {"passphrase": "not the passphrase"})
    assert (wrong.status_code, [one["field"] for one in wrong.json()["errors"]]) == (422, ["passphrase"])
    assert "not the passphrase" not in wrong.text
    assert vault(appliance)["locked"] is True
    plan = appliance.post("/arrays/vault:unlock", {"passphrase": PASSPHRASE}, dry_run=True)
    assert (plan.status_code, vault(appliance)["locked"]) == (200, True)
    done = appliance.post("/arrays/vault:unlock", {"passphrase": PASSPHRASE})
    assert (done.status_code, done.json()["locked"]) == (200, False), done.text
    appliance.until(lambda: is_open(appliance, agent))
    appliance.until(lambda: not [a for a in appliance.items("/alerts", active=True) if a["key"].startswith("array.")])
    assert "array.unlocked" in [event["kind"] for event in appliance.items("/events")]


def test_a_stored_key_unlocks_it_automatically(appliance: Api, machine: FakeSystem, agent: Agent) -> None:
    stand(appliance, keep_key=True)
    appliance.until(lambda: is_known(appliance))
    machine.reboot()
    appliance.until(lambda: is_open(appliance, agent))
    appliance.until(lambda: vault(appliance)["locked"] is False)


def test_the_keys_are_changed(appliance: Api, machine: FakeSystem, agent: Agent) -> None:
    stand(appliance)
    path = "/arrays/vault:change-key"
    assert appliance.post(path, {"passphrase": "wrong passphrase", "new_passphrase": NEW}).status_code == 422
    assert appliance.post(path, {"passphrase": PASSPHRASE}).status_code == 422, "nothing to change"
    body = {"passphrase": PASSPHRASE, "new_passphrase": NEW, "keep_key": True}
    assert appliance.post(path, body).json()["keep_key"] is True
    machine.reboot()
    appliance.until(lambda: is_open(appliance, agent))
    assert appliance.post(path, {"passphrase": NEW, "keep_key": False}).json()["keep_key"] is False
    machine.reboot()
    agent.bring_up()
    assert appliance.post("/arrays/vault:unlock", {"passphrase": PASSPHRASE}).status_code == 422
    assert appliance.post("/arrays/vault:unlock", {"passphrase": NEW}).status_code == 200


def test_no_key_is_in_the_database_the_plan_the_events_or_the_log(
    appliance: Api, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    stand(appliance, keep_key=True)
    appliance.post("/arrays/vault:change-key", {"passphrase": PASSPHRASE, "new_passphrase": NEW})
    appliance.post("/arrays/vault:unlock", {"passphrase": NEW})
    reported = str([appliance.get(path) for path in ("/jobs", "/events", "/arrays", "/site")])
    written = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    for key in (PASSPHRASE, NEW):
        assert key not in reported
        assert key not in caplog.text
        assert key.encode() not in written


def test_a_site_document_says_that_it_is_encrypted_and_cannot_make_one(appliance: Api) -> None:
    stand(appliance)
    site = appliance.get("/site")
    assert site["arrays"][0]["encryption"] == "luks2"
    assert not site["arrays"][0].get("passphrase")
    assert appliance.post("/site:plan", {"site": site}).json()["changes"] == []
    site["arrays"].append({"name": "other", "level": "raid1", "disks": disk_ids(appliance)[4:6], "encryption": "luks2"})
    refused = appliance.post("/site:plan", {"site": site})
    assert refused.status_code == 422
    assert "lunette array create" in refused.text


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"passphrase": None}, "needs a passphrase"),
        ({"passphrase": "short"}, "12"),
        ({"passphrase": "twelve\tletters"}, "printable"),
        ({"encryption": None}, "set encryption too"),
        ({"engine": "external", "level": "external", "disks": 1}, "an md array can be encrypted"),
    ],
)
def test_what_cannot_be_is_refused_and_makes_nothing(appliance: Api, change: dict[str, Any], words: str) -> None:
    disks = disk_ids(appliance)[: change.pop("disks", 2)]
    body = {"name": "vault", "level": "raid1", "disks": disks, "encryption": "luks2", "passphrase": PASSPHRASE}
    refused = appliance.post("/arrays", {**body, **change})
    assert refused.status_code == 422, refused.text
    assert words in refused.text
    assert PASSPHRASE not in refused.text
    assert appliance.items("/arrays") == []


def test_without_cryptsetup_it_is_refused_with_the_package(appliance: Api, machine: FakeSystem) -> None:
    machine.tools.remove("cryptsetup")
    body = {
        "name": "vault",
        "level": "raid1",
        "disks": disk_ids(appliance)[:2],
        "encryption": "luks2",
        "passphrase": PASSPHRASE,
    }
    refused = appliance.post("/arrays", body)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "encryption")
    assert "cryptsetup-bin" in refused.text


def test_an_array_that_is_not_encrypted_has_no_keys(appliance: Api) -> None:
    appliance.made("/arrays", {"name": "vault", "level": "raid1", "disks": disk_ids(appliance)[:2]})
    refused = appliance.post("/arrays/vault:unlock", {"passphrase": PASSPHRASE})
    assert (refused.status_code, "is not encrypted" in refused.text) == (409, True)


def test_a_locked_array_is_deleted_unseen(appliance: Api, machine: FakeSystem, agent: Agent) -> None:
    body = {
        "name": "vault",
        "level": "raid1",
        "disks": disk_ids(appliance)[:2],
        "encryption": "luks2",
        "passphrase": PASSPHRASE,
    }
    appliance.made("/arrays", body)
    appliance.until(lambda: is_known(appliance))
    machine.reboot()
    appliance.until(lambda: passed(agent, lambda: vault(appliance)["locked"] is True))
    plan = appliance.delete("/arrays/vault", dry_run=True).json()
    assert "luks.destroy" in [step["kind"] for step in plan["steps"]]
    assert "The array is locked" in str(plan["warnings"])
    assert appliance.done(appliance.delete("/arrays/vault").json())["state"] == "succeeded"
    assert {disk["state"] for disk in appliance.items("/disks")} == {"free"}


def test_a_rebuild_says_how_to_open_it_and_finds_its_sealed_copy_then(
    standing: Standing,
    machine: FakeSystem,
    tmp_path: Path,
) -> None:
    api, services = standing
    stand(api)
    settled(services)
    with reinstalled(machine, services, tmp_path / "new") as (fresh, new):
        (found,) = rebuilt(fresh, dry_run=True)["arrays"]
        assert "waiting for key of array" in found["problem"]
        typed = found["problem"].split("`")[1].split()
        machine.run([*typed[:2], "--type", "luks2", "--key-file", "-", *typed[2:]], stdin=PASSPHRASE)
        assert rebuilt(fresh)["rebuilt"] is True
        assert (vault(fresh)["encryption"], vault(fresh)["keep_key"]) == ("luks2", False)
        agent = new.control.agent
        assert isinstance(agent, Agent)
        fresh.until(lambda: is_open(fresh, agent))
