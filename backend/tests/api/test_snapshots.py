"""Growing, thin volumes and snapshots over the whole control plane on a fake machine."""

from typing import Any

import pytest

from backend.tests.fakemachine import FakeSystem
from backend.tests.scene import make_array, make_scene
from backend.tests.wiring import Api
from lunette.agent.core import Agent
from lunette.providers.exports.lio.configfs import ROOT
from lunette.providers.exports.lio.tree import HBA, PREFIX

MIB = 1024**2


def act(api: Api, path: str, body: Any, etag: str = "*") -> Any:
    return api.call("POST", path, json=body, headers={"If-Match": etag})


@pytest.fixture
def thin(appliance: Api) -> Api:
    """An array with a thin volume `t1` of 64 MiB."""
    make_array(appliance)
    appliance.made("/volumes", {"name": "t1", "array": "tank", "size_bytes": 64 * MIB, "provisioning": "thin"})
    return appliance


def device(machine: FakeSystem, api: Api, name: str) -> str:
    found: str = api.get(f"/volumes/{name}")["observed"]["device"]
    return found


def test_a_mapped_volume_grows_and_retains_its_identity_and_its_path(appliance: Api) -> None:
    make_scene(appliance)
    appliance.until(lambda: {m["state"] for m in appliance.items("/mappings")} == {"open"})
    before = appliance.get("/volumes/lun01")
    refused = appliance.call("POST", "/volumes/lun01:grow", json={"size_bytes": "32MiB"})
    assert refused.status_code == 428
    etag = appliance.call("GET", "/volumes/lun01").headers["ETag"]
    appliance.done(act(appliance, "/volumes/lun01:grow", {"size_bytes": "32MiB"}, etag).json())
    assert act(appliance, "/volumes/lun01:grow", {"size_bytes": "48MiB"}, etag).status_code == 412
    after = appliance.get("/volumes/lun01")
    assert (after["size_bytes"], after["observed"]["size_bytes"], after["state"]) == (32 * MIB, 32 * MIB, "ready")
    assert {key: after[key] for key in ("id", "naa", "serial")} == {key: before[key] for key in ("id", "naa", "serial")}
    appliance.until(lambda: appliance.get("/volumes/lun01")["export"]["state"] == "open")
    again = act(appliance, "/volumes/lun01:grow", {"size_bytes": "32MiB"})
    assert (again.status_code, again.json()["size_bytes"]) == (200, 32 * MIB)
    smaller = act(appliance, "/volumes/lun01:grow", {"size_bytes": "16MiB"})
    assert (smaller.status_code, "cannot be shrunk" in smaller.text) == (422, True)


def test_a_grown_volume_is_served_after_a_reboot_though_the_api_never_said_so(
    appliance: Api, machine: FakeSystem, agent: Agent
) -> None:
    make_scene(appliance)
    appliance.until(lambda: {m["state"] for m in appliance.items("/mappings")} == {"open"})
    path = device(machine, appliance, "lun01").removeprefix("/dev/")
    machine.run(["lvextend", "--size", "32m", path])
    before = exported(machine)
    machine.reboot()
    assert (len(before), exported(machine)) == (8, [])
    appliance.until(agent.bring_up)
    assert exported(machine) == before
    appliance.until(lambda: {m["state"] for m in appliance.items("/mappings")} == {"open"})


def exported(machine: FakeSystem) -> list[str]:
    """Backstores that stand in the kernel now."""
    return [name for name in machine.listdir(f"{ROOT}/{HBA}") if name.startswith(PREFIX)]


def test_snapshots_clones_and_roll_back(thin: Api, machine: FakeSystem) -> None:
    machine.write_data(device(machine, thin, "t1"), 0, "old")
    thin.made("/snapshots", {"name": "before", "volume": "t1", "description": "x"})
    machine.write_data(device(machine, thin, "t1"), 0, "new")
    (shown,) = thin.items("/snapshots", volume="t1")
    assert (shown["name"], shown["volume"], shown["state"], shown["size_bytes"]) == ("before", "t1", "ready", 64 * MIB)
    job = thin.made("/snapshots/before:clone", {"name_pattern": "vm%02d", "count": 3})
    assert len(job["resource_ids"]) == 3
    clones = thin.items("/volumes", name="vm*")
    assert {machine.read_data(clone["observed"]["device"], 0) for clone in clones} == {"old"}
    assert len({clone["naa"] for clone in clones}) == 3
    refused = thin.delete("/volumes/t1")
    assert (refused.status_code, "snapshots before" in refused.text) == (409, True)
    thin.done(act(thin, "/volumes/t1:roll-back", {"snapshot": "before"}).json())
    assert machine.read_data(device(machine, thin, "t1"), 0) == "old"
    thin.done(thin.delete("/snapshots/before").json())
    assert thin.items("/snapshots") == []
    for volume in thin.items("/volumes"):
        thin.done(thin.delete(f"/volumes/{volume['id']}").json())
    free = thin.get("/arrays/tank")["free_bytes"]
    thin.done(thin.delete("/arrays/tank").json())
    assert free > 0


def test_what_a_volume_held_when_it_was_rolled_back_can_be_recovered(thin: Api, machine: FakeSystem) -> None:
    machine.write_data(device(machine, thin, "t1"), 0, "old")
    thin.made("/snapshots", {"name": "before", "volume": "t1"})
    machine.write_data(device(machine, thin, "t1"), 0, "new")
    planned = act(thin, "/volumes/t1:roll-back?dry_run=true", {"snapshot": "before"}).json()
    assert "can be recovered for 24 hours" in planned["changes"][0]["detail"]
    assert thin.items("/deleted-volumes") == []
    thin.done(act(thin, "/volumes/t1:roll-back", {"snapshot": "before"}).json())
    assert machine.read_data(device(machine, thin, "t1"), 0) == "old"
    (kept,) = thin.items("/deleted-volumes")
    assert (kept["name"], kept["array"], kept["size_bytes"]) == ("t1", "tank", 64 * MIB)
    thin.done(act(thin, f"/deleted-volumes/{kept['id']}:recover", {"name": "t1-then"}).json())
    assert machine.read_data(device(machine, thin, "t1-then"), 0) == "new"
    assert machine.read_data(device(machine, thin, "t1"), 0) == "old"
    assert len({thin.get(f"/volumes/{name}")["naa"] for name in ("t1", "t1-then")}) == 2


def test_a_roll_back_retains_nothing_unless_requested(thin: Api, machine: FakeSystem) -> None:
    thin.made("/snapshots", {"name": "before", "volume": "t1"})
    planned = act(thin, "/volumes/t1:roll-back?dry_run=true", {"snapshot": "before", "keep": False}).json()
    assert "data written since then is lost" in planned["changes"][0]["detail"]
    thin.done(act(thin, "/volumes/t1:roll-back", {"snapshot": "before", "keep": False}).json())
    assert thin.items("/deleted-volumes") == []
    assert machine.exists(device(machine, thin, "t1"))


def test_an_array_shows_its_thin_pool_and_loses_it_with_the_last_thin_volume(thin: Api, machine: FakeSystem) -> None:
    machine.write_data(device(machine, thin, "t1"), 0, "x")
    machine.changed()
    thin.until(lambda: thin.get("/arrays/tank")["thin_pool"]["used_bytes"] > 0)
    pool = thin.get("/arrays/tank")["thin_pool"]
    assert (pool["size_bytes"], pool["volumes"]) == (64 * MIB, 1)
    before = thin.get("/arrays/tank")["free_bytes"]
    thin.done(thin.delete("/volumes/t1").json())
    assert thin.get("/arrays/tank")["thin_pool"]["size_bytes"] == pool["size_bytes"]
    thin.done(thin.delete("/deleted-volumes/t1").json())
    array = thin.get("/arrays/tank")
    assert array["thin_pool"] is None
    assert array["free_bytes"] == before + pool["size_bytes"] + 2 * pool["metadata_bytes"]


def test_a_pool_that_fills_is_reported_and_grows_as_soon_as_there_is_room(thin: Api, machine: FakeSystem) -> None:
    free = thin.get("/arrays/tank")["free_bytes"] // (4 * MIB) * 4 * MIB
    thin.made("/volumes", {"name": "filler", "array": "tank", "size_bytes": free})
    path = device(machine, thin, "t1")
    for chunk in range(900):
        machine.write_data(path, chunk * 65536, str(chunk))
    machine.changed()
    thin.until(lambda: any("more than 85 % full" in alert["message"] for alert in thin.items("/alerts")))
    thin.done(thin.delete("/volumes/filler").json())
    thin.done(thin.delete("/deleted-volumes/filler").json())
    thin.until(lambda: thin.get("/arrays/tank")["thin_pool"]["size_bytes"] == 128 * MIB)
    thin.until(lambda: not any("thin pool" in a["message"] and not a["resolved_at"] for a in thin.items("/alerts")))


def test_a_roll_back_of_a_mapped_volume_is_refused(thin: Api, machine: FakeSystem) -> None:
    thin.made("/snapshots", {"name": "before", "volume": "t1"})
    machine.write_data(device(machine, thin, "t1"), 0, "new")
    thin.made("/hosts", {"name": "h", "iqns": ["iqn.2026-01.com.example:h"]})
    thin.made("/mappings", {"volume": "t1", "host": "h"})
    refused = act(thin, "/volumes/t1:roll-back", {"snapshot": "before"})
    assert (refused.status_code, refused.json()["type"], "mapped to h" in refused.text) == (409, "in-use", True)
    assert machine.read_data(device(machine, thin, "t1"), 0) == "new"


def test_a_thick_volume_has_no_snapshots(thin: Api) -> None:
    thin.made("/volumes", {"name": "thick", "array": "tank", "size_bytes": 64 * MIB})
    refused = thin.post("/snapshots", {"name": "s", "volume": "thick"})
    assert (refused.status_code, "only thin volumes support snapshots" in refused.text) == (422, True)
    assert thin.items("/snapshots") == []


def test_the_engine_says_what_it_can(appliance: Api) -> None:
    (lvm,) = [
        engine for engine in appliance.items("/engines") if engine["engine"] == "lvm" and engine["kind"] == "volume"
    ]
    assert (lvm["can_grow"], lvm["can_thin"], lvm["can_snapshot"]) == (True, True, True)
