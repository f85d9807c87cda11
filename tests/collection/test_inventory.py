"""The inventory plugin with the real ansible-inventory, against the API on a fake machine."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.tests.wiring import Api
from tests.collection.imported import client
from tests.collection.playing import Player, take_away

pytestmark = pytest.mark.timeout(120)
PLUGIN = {
    "plugin": "lunette.appliance.hosts",
    "keyed_groups": [{"key": "lunette_os_type", "separator": ""}],
    "compose": {"ansible_host": "inventory_hostname ~ '.example.com'"},
}


@pytest.fixture(scope="module")
def _served(player: Player, api: Api) -> Iterator[None]:
    """A group of two over iSCSI, a host over NVMe, and one without mappings; all are removed afterward."""
    disks = [disk["id"] for disk in api.items("/disks", transport="scsi")]
    api.made("/arrays", {"name": "shelf", "level": "raid5", "disks": disks[:3]})
    for name in ("shared", "fast", "own"):
        api.made("/volumes", {"name": name, "array": "shelf", "size_bytes": "8MiB"})
    for number in (1, 2):
        name = f"node{number}"
        wwpns = [f"21:00:00:24:ff:00:01:0{number}"]
        api.made(
            "/hosts", {"name": name, "os_type": "esxi", "iqns": [f"iqn.2026-01.com.example:{name}"], "wwpns": wwpns}
        )
    api.made("/hosts", {"name": "db", "nqns": ["nqn.2014-08.com.example:db"]})
    api.made("/hosts", {"name": "idle", "iqns": ["iqn.2026-01.com.example:idle"]})
    api.made("/host-groups", {"name": "cluster-a", "hosts": ["node1", "node2"]})
    api.made("/portals", {"name": "any", "address": "0.0.0.0"})
    api.made("/portals", {"name": "second", "address": "2001:db8::1", "port": 3261})
    api.made("/portals", {"name": "nvme", "protocol": "nvme-tcp", "address": "192.0.2.1"})
    api.made("/mappings", {"volume": "shared", "host_group": "cluster-a"})
    api.made("/mappings", {"volume": "own", "host": "node1"})
    api.made("/mappings", {"volume": "fast", "host": "db"})
    yield
    take_away(api)


def _listed(player: Player, folder: Path, **env: str) -> dict[str, Any]:
    source = folder / "san.lunette.yml"
    source.write_text(json.dumps(PLUGIN))
    printed = player.inventory(source, env=env)
    found: dict[str, Any] = json.loads(printed, object_hook=lambda one: one.get("__ansible_unsafe", one))
    return found


@pytest.mark.usefixtures("_served")
def test_hosts_groups_and_what_they_log_in_to_are_listed(player: Player, api: Api, tmp_path: Path) -> None:
    listed = _listed(player, tmp_path)
    known = listed["_meta"]["hostvars"]
    assert sorted(listed["cluster_a"]["hosts"]) == ["node1", "node2"]
    assert sorted(listed["esxi"]["hosts"]) == ["node1", "node2"]
    target = api.get("/host-groups/cluster-a")["target_iqn"]
    first, second, db, idle = (known[name] for name in ("node1", "node2", "db", "idle"))
    assert second["lunette_targets"] == [target]
    assert first["lunette_targets"] == sorted([target, api.get("/hosts/node1")["target_iqn"]])
    assert first["lunette_iqns"] == ["iqn.2026-01.com.example:node1"]
    assert first["lunette_wwpns"] == ["21:00:00:24:ff:00:01:01"]
    assert first["ansible_host"] == "node1.example.com"
    assert (
        first["lunette_portals"]
        == second["lunette_portals"]
        == [
            {"protocol": "iscsi", "address": "127.0.0.1", "port": 3260},
            {"protocol": "iscsi", "address": "2001:db8::1", "port": 3261},
        ]
    )
    assert db["lunette_subsystems"] == [api.get("/hosts/db")["subsystem_nqn"]]
    assert db["lunette_targets"] == []
    assert db["lunette_portals"] == [{"protocol": "nvme-tcp", "address": "192.0.2.1", "port": 4420}]
    assert (idle["lunette_targets"], idle["lunette_subsystems"], idle["lunette_portals"]) == ([], [], [])


def test_a_wrong_token_is_reported_and_lists_nothing(player: Player, tmp_path: Path) -> None:
    source = tmp_path / "san.lunette.yml"
    source.write_text(json.dumps(PLUGIN))
    said = " ".join(player.inventory(source, env={"LUNETTE_TOKEN": "lnt_wrong"}).split())
    assert "san.lunette.yml" in said
    assert "token" in said
    assert "node1" not in said


def test_every_way_to_connect_is_an_option_of_the_plugin(player: Player) -> None:
    shown = json.loads(player.documentation("inventory", "lunette.appliance.hosts"))["lunette.appliance.hosts"]["doc"]
    assert set(client.CONNECTION) <= set(shown["options"])
    for name, spec in client.CONNECTION.items():
        fallback = spec.get("fallback")
        names = [one["name"] for one in shown["options"][name].get("env", ())]
        assert names == (fallback[1] if fallback else []), name
