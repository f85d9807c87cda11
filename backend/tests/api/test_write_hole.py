"""The partial parity log of a raid5 and the write caches of its disks, with the real agent on a fake machine."""

from backend.tests.api.test_array_changes import REBUILD_S, alerts, drive, stand
from backend.tests.fakemachine import FakeSystem
from backend.tests.scene import disk_ids
from backend.tests.wiring import Api


def policy(api: Api) -> str:
    return str(api.get("/arrays/tank")["observed"]["write_hole"])


def test_an_array_has_its_partial_parity_log_while_no_disk_has_a_volatile_write_cache(
    appliance: Api, machine: FakeSystem
) -> None:
    disks = stand(appliance)
    machine.advance(REBUILD_S)
    assert policy(appliance) == "ppl"
    drive(machine, disks[1]).has_write_cache = True
    machine.changed()
    appliance.until(lambda: policy(appliance) == "bitmap")
    assert appliance.items("/jobs")[0]["title"].startswith("Replace the partial parity log of array tank")
    assert appliance.get("/arrays/tank")["write_hole"] == "ppl", "what is wanted stays"
    appliance.until(lambda: bool(alerts(appliance)))
    (alert,) = alerts(appliance)
    assert (alert["key"].partition(":")[0], alert["severity"]) == ("array.write_hole", "warning")
    assert disks[1] in alert["fix"]
    drive(machine, disks[1]).has_write_cache = False
    machine.changed()
    appliance.until(lambda: policy(appliance) == "ppl")
    appliance.until(lambda: not alerts(appliance))


def test_an_array_of_disks_with_volatile_write_caches_gets_a_bitmap_and_a_log_is_refused(
    appliance: Api, machine: FakeSystem
) -> None:
    disks = disk_ids(appliance)
    drive(machine, disks[0]).has_write_cache = True
    machine.changed()
    appliance.until(lambda: appliance.get(f"/disks/{disks[0]}")["observed"]["write_cache"])
    body = {"name": "tank", "level": "raid5", "disks": disks[:3]}
    refused = appliance.post("/arrays", {**body, "write_hole": "ppl"})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "write_hole")
    assert "volatile write cache" in refused.json()["errors"][0]["message"]
    plan = appliance.post("/arrays", body, dry_run=True).json()
    assert any("cache is active" in warning for warning in plan["warnings"])
    appliance.made("/arrays", body)
    assert policy(appliance) == "bitmap"
    assert not alerts(appliance)
