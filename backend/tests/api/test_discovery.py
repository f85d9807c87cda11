"""The login that iSCSI hosts need for discovery, from the setting to LIO and into the kits."""

import json
from typing import Any

import pytest

from backend.tests.fakemachine import FakeSystem
from backend.tests.scene import ADDRESS, make_array
from backend.tests.wiring import Api
from lunette.agent.core import Agent

FOLDER = "/sys/kernel/config/target/iscsi/discovery_auth"
IQN = "iqn.2026-01.com.example:db"
SECRET, MUTUAL = "secret-of-hosts1", "secret-of-ours-1"
ONE_WAY = {"user": "hosts", "secret": SECRET}
BOTH = {**ONE_WAY, "mutual_user": "lunette", "mutual_secret": MUTUAL}


def asked(machine: FakeSystem) -> list[str]:
    names = ("enforce_discovery_auth", "userid", "password", "userid_mutual", "password_mutual")
    return [machine.read(f"{FOLDER}/{name}").strip().replace("NULL", "") for name in names]


def set_(api: Api, value: Any) -> Any:
    answer = api.patch("/settings", {"discovery_auth": value})
    assert answer.status_code == 200, answer.text
    return answer.json()["discovery_auth"]


@pytest.fixture
def ready(appliance: Api) -> Api:
    """A host with a volume."""
    make_array(appliance)
    appliance.made("/volumes", {"name": "v", "array": "tank", "size_bytes": "16MiB"})
    appliance.made("/hosts", {"name": "db", "iqns": [IQN]})
    appliance.made("/portals", {"name": "front", "address": ADDRESS})
    appliance.made("/mappings", {"volume": "v", "host": "db"})
    return appliance


def test_it_reaches_the_kernel_and_is_removed_again(ready: Api, machine: FakeSystem) -> None:
    shown = {"user": "hosts", "has_secret": True, "mutual_user": "lunette", "has_mutual_secret": True}
    assert set_(ready, BOTH) == shown
    ready.until(lambda: asked(machine) == ["1", "hosts", SECRET, "lunette", MUTUAL])
    assert set_(ready, {"user": "hosts"}) == shown | {"mutual_user": None, "has_mutual_secret": False}
    ready.until(lambda: asked(machine) == ["1", "hosts", SECRET, "", ""])
    assert set_(ready, None) is None
    ready.until(lambda: asked(machine) == ["0", "", "", "", ""])


def test_it_is_restored_after_a_boot_even_without_the_api(ready: Api, machine: FakeSystem, agent: Agent) -> None:
    set_(ready, ONE_WAY)
    ready.until(lambda: asked(machine)[0] == "1")
    served = agent._load()
    assert served is not None
    assert served.discovery is not None
    assert served.discovery.secret.get_secret_value() == SECRET
    assert served.without_secrets().discovery is None


def test_the_secrets_are_in_no_answer_plan_or_event(ready: Api) -> None:
    plan = ready.patch("/settings", {"discovery_auth": BOTH}, dry_run=True).json()
    set_(ready, BOTH)
    reported = json.dumps([plan, ready.get("/settings"), ready.items("/events"), ready.get("/site")])
    assert SECRET not in reported
    assert MUTUAL not in reported
    words = [change["detail"] for change in plan["changes"]]
    assert words == ["none becomes user hosts, mutual_user lunette", "its secret changes", "its mutual_secret changes"]
    assert "only with this login" in plan["warnings"][0]
    assert "targets that do not belong to Lunette" in plan["warnings"][1]


def test_the_same_again_is_not_a_change(ready: Api) -> None:
    set_(ready, BOTH)
    for body in (BOTH, {"user": "hosts", "mutual_user": "lunette"}):
        assert ready.patch("/settings", {"discovery_auth": body}, dry_run=True).json()["changes"] == []


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"user": "hosts"}, "discovery_auth.secret"),
        ({**ONE_WAY, "mutual_user": "lunette"}, "discovery_auth.mutual_secret"),
        ({**ONE_WAY, "mutual_secret": MUTUAL}, "mutual_user"),
        ({**BOTH, "mutual_secret": SECRET}, "must differ"),
        ({"user": "hosts", "secret": "short"}, "secret"),
        ({"user": "a b", "secret": SECRET}, "user"),
    ],
)
def test_half_a_login_is_refused_and_changes_nothing(api: Api, wrong: dict[str, str], words: str) -> None:
    refused = api.patch("/settings", {"discovery_auth": wrong})
    assert (refused.status_code, words in refused.text) == (422, True), refused.text
    assert SECRET not in refused.text
    assert api.get("/settings")["discovery_auth"] is None


def test_a_stored_secret_is_not_used_for_another_user_or_for_the_answer(api: Api) -> None:
    set_(api, BOTH)
    refused = api.patch("/settings", {"discovery_auth": {"user": "others"}})
    assert (refused.status_code, "discovery_auth.secret" in refused.text) == (422, True)
    swapped = {"user": "hosts", "secret": MUTUAL, "mutual_user": "lunette"}
    refused = api.patch("/settings", {"discovery_auth": swapped})
    assert (refused.status_code, "must differ" in refused.text) == (422, True)


def test_undo_brings_it_back_with_its_secrets(ready: Api, machine: FakeSystem) -> None:
    set_(ready, BOTH)
    set_(ready, None)
    ready.until(lambda: asked(machine)[0] == "0")
    event = next(one for one in ready.items("/events", sort="-seq", noun="setting"))
    assert ready.post(f"/events/{event['seq']}:undo").is_success
    ready.until(lambda: asked(machine) == ["1", "hosts", SECRET, "lunette", MUTUAL])


def test_the_kit_of_a_linux_host_has_it_for_those_who_may_see_it(ready: Api) -> None:
    set_(ready, BOTH)
    plain, whole = ready.get("/hosts/db/kit"), ready.get("/hosts/db/kit", secrets=True)
    assert SECRET not in json.dumps(plain)
    assert (plain["needs_secrets"], whole["has_secrets"]) == (True, True)
    (file,) = [one for one in whole["files"] if one["path"].endswith("iscsi-discovery.conf")]
    assert (file["mode"], file["is_secret"]) == ("0600", True)
    assert f"discovery.sendtargets.auth.password = {SECRET}" in file["content"].splitlines()
    assert f"discovery.sendtargets.auth.password_in = {MUTUAL}" in file["content"].splitlines()
