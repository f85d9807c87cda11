"""Deleted volumes: retained, recovered with their identity, erased. The whole control plane, on a fake machine."""

from typing import Any

import pytest

from backend.tests.fakemachine import FakeSystem
from backend.tests.scene import make_array, make_scene
from backend.tests.wiring import Api
from backend.tests.wiring_agent import passed
from lunette.agent.core import Agent

MIB = 1024**2
IDENTITY = ("id", "uuid", "serial", "naa", "nguid", "eui64", "size_bytes", "description")


def make(api: Api, name: str, kind: str = "thick", mib: int = 64) -> Any:
    api.made("/volumes", {"name": name, "array": "tank", "size_bytes": mib * MIB, "provisioning": kind})
    return api.get(f"/volumes/{name}")


def act(api: Api, path: str, body: Any) -> Any:
    return api.call("POST", path, json=body, headers={"If-Match": "*"})


@pytest.fixture
def tank(appliance: Api) -> Api:
    make_array(appliance)
    return appliance


@pytest.mark.parametrize("kind", ["thick", "thin"])
def test_a_deleted_volume_is_recovered_unmapped_with_its_data_and_identity(
    tank: Api, machine: FakeSystem, kind: str
) -> None:
    before = make(tank, "data", kind)
    machine.write_data(before["observed"]["device"], 4096, "a pattern")
    plan = tank.delete("/volumes/data", dry_run=True).json()
    assert "can be recovered for 24 hours, until 20" in plan["changes"][0]["detail"]
    tank.done(tank.delete("/volumes/data").json())
    (kept,) = tank.items("/deleted-volumes")
    assert tank.items("/volumes") == []
    assert {key: kept[key] for key in IDENTITY} == {key: before[key] for key in IDENTITY}
    assert tank.get("/arrays/tank")["deleted_bytes"] == kept["held_bytes"] > 0
    assert tank.get("/drift")["items"] == []
    assert not machine.exists(before["observed"]["device"])
    tank.done(act(tank, "/deleted-volumes/data:recover", {}).json())
    after = tank.get("/volumes/data")
    assert {key: after[key] for key in IDENTITY} == {key: before[key] for key in IDENTITY}
    assert (after["mapped_to"], after["state"]) == ([], "ready")
    assert machine.read_data(after["observed"]["device"], 4096) == "a pattern"
    assert (tank.items("/deleted-volumes"), tank.get("/arrays/tank")["deleted_bytes"]) == ([], 0)


def test_it_has_no_device_after_a_boot_either(tank: Api, machine: FakeSystem, agent: Agent) -> None:
    device, beside = (make(tank, name)["observed"]["device"] for name in ("data", "beside"))
    tank.done(tank.delete("/volumes/data").json())
    tank.until(lambda: tank.get("/status")["exports"]["state"] == "converged")
    machine.reboot()
    tank.until(lambda: passed(agent, lambda: machine.exists(beside)))
    assert not machine.exists(device)
    assert not machine.exists(device.replace("/v", "/d"))


def test_its_name_is_free_at_once_and_it_is_recovered_under_another(tank: Api) -> None:
    first = make(tank, "data")
    tank.done(tank.delete("/volumes/data").json())
    second = make(tank, "data")
    refused = act(tank, "/deleted-volumes/data:recover", {})
    assert (refused.status_code, "recover this one under a new name" in refused.text) == (409, True)
    tank.done(act(tank, "/deleted-volumes/data:recover", {"name": "data-again"}).json())
    assert tank.get("/volumes/data-again")["id"] == first["id"] != second["id"] == tank.get("/volumes/data")["id"]


def test_several_with_one_name_are_distinguished_by_id(tank: Api) -> None:
    ids = []
    for _ in range(2):
        ids.append(make(tank, "data")["id"])
        tank.done(tank.delete("/volumes/data").json())
    refused = act(tank, "/deleted-volumes/data:recover", {})
    assert (refused.status_code, "use the ID of one" in refused.text) == (409, True)
    tank.done(act(tank, f"/deleted-volumes/{ids[0]}:recover", {}).json())
    assert [row["id"] for row in tank.items("/deleted-volumes")] == ids[1:]


def test_erasing_frees_the_space_that_a_create_lacked(tank: Api) -> None:
    free = tank.get("/arrays/tank")["free_bytes"]
    make(tank, "data", mib=free // MIB // 8 * 8 - 8)
    tank.done(tank.delete("/volumes/data").json())
    body = {"name": "next", "array": "tank", "size_bytes": "64MiB"}
    refused = tank.post("/volumes", body)
    assert (refused.status_code, "erasing deleted volumes would free" in refused.text) == (409, True)
    plan = tank.delete("/deleted-volumes/data", dry_run=True).json()
    assert plan["bytes_destroyed"] > 0
    assert any(step["irreversible"] for step in plan["steps"])
    tank.done(tank.delete("/deleted-volumes/data").json())
    assert tank.get("/arrays/tank")["free_bytes"] == free
    tank.made("/volumes", body)


def test_with_no_hours_to_keep_it_a_delete_erases_at_once(tank: Api) -> None:
    free = tank.get("/arrays/tank")["free_bytes"]
    make(tank, "data")
    assert tank.call("PATCH", "/settings", json={"deleted_keep_hours": 0}, headers={"If-Match": "*"}).status_code == 200
    tank.done(tank.delete("/volumes/data").json())
    assert (tank.items("/deleted-volumes"), tank.get("/arrays/tank")["free_bytes"]) == ([], free)


def test_an_array_takes_its_deleted_volumes_along_and_its_plan_names_them(tank: Api) -> None:
    for name, kind in (("one", "thick"), ("two", "thin")):
        make(tank, name, kind)
        tank.done(tank.delete(f"/volumes/{name}").json())
    plan = tank.delete("/arrays/tank", dry_run=True).json()
    assert [change["name"] for change in plan["changes"]] == ["one", "two", "tank"]
    tank.done(tank.delete("/arrays/tank").json())
    assert (tank.items("/arrays"), tank.items("/deleted-volumes")) == ([], [])
    assert {disk["state"] for disk in tank.items("/disks")} == {"free"}


def test_a_volume_that_the_machine_lost_is_forgotten(tank: Api, machine: FakeSystem) -> None:
    path = make(tank, "data")["observed"]["device"].removeprefix("/dev/")
    machine.run(["lvremove", "-y", path])
    tank.until(lambda: tank.get("/volumes/data")["observed"] is None)
    tank.done(tank.delete("/volumes/data").json())
    assert (tank.items("/volumes"), tank.items("/deleted-volumes")) == ([], [])


def test_a_mapped_volume_is_still_not_deleted(appliance: Api) -> None:
    make_scene(appliance)
    assert appliance.delete("/volumes/lun01").status_code == 409
    assert appliance.items("/deleted-volumes") == []
