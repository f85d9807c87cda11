"""Many volumes deleted, or a snapshot taken of each, in one plan: all or none, and each that is in the way named."""

from typing import Any

import pytest

from backend.tests.fakemachine import FakeSystem
from backend.tests.scene import disk_ids, make_array, make_scene
from backend.tests.wiring import Api

MIB = 1024**2
NOTHING_KEPT = {"deleted_keep_hours": 0}


def delete(api: Api, *names: str, **query: Any) -> Any:
    return api.call("POST", "/volumes:delete-batch", json={"volumes": names}, params=query)


def snapshot(api: Api, *names: str, dry_run: bool = False, **spec: Any) -> Any:
    query = {"dry_run": dry_run} if dry_run else None
    return api.call("POST", "/snapshots:create-batch", json={"volumes": names, **spec}, params=query)


@pytest.fixture
def tank(appliance: Api) -> Api:
    """An array with the thick volumes `a1` to `a4` and the thin ones `t1` and `t2`, all of 64 MiB."""
    make_array(appliance)
    for kind, count in (("thick", 4), ("thin", 2)):
        pattern = {"thick": "a%d", "thin": "t%d"}[kind]
        body = {"name_pattern": pattern, "array": "tank", "count": count, "size_bytes": 64 * MIB, "provisioning": kind}
        appliance.made("/volumes:create-batch", body)
    return appliance


def test_a_batch_is_one_plan_that_says_what_becomes_of_each_and_one_job(tank: Api) -> None:
    ids = [tank.get(f"/volumes/{name}")["id"] for name in ("a1", "t1")]
    plan = delete(tank, "a1", "a3", "t1", dry_run=True).json()
    assert (plan["title"], plan["bytes_destroyed"]) == ("Delete 3 volumes", 0)
    assert [(line["name"], "24 hours" in line["detail"]) for line in plan["changes"]] == [
        ("a1", True),
        ("a3", True),
        ("t1", True),
    ]
    assert plan["steps"][0]["kind"] == "exports.gone"
    assert len(tank.items("/volumes")) == 6
    job = tank.done(delete(tank, ids[0], "a3", ids[1]).json())
    assert (job["kind"], len(job["resource_ids"])) == ("volume.delete", 3)
    assert {row["name"] for row in tank.items("/volumes")} == {"a2", "a4", "t2"}
    assert {row["name"] for row in tank.items("/deleted-volumes")} == {"a1", "a3", "t1"}
    assert tank.get("/drift")["items"] == []
    tank.done(tank.call("POST", f"/deleted-volumes/{ids[0]}:recover", json={}, headers={"If-Match": "*"}).json())
    assert tank.get("/volumes/a1")["id"] == ids[0]


def test_obstacles_are_reported_for_each_and_nothing_is_deleted(tank: Api) -> None:
    tank.done(snapshot(tank, "t1").json())
    tank.made("/hosts", {"name": "h1", "os_type": "linux", "iqns": ["iqn.2001-04.com.example:h1"]})
    tank.made("/mappings", {"volume": "a2", "host": "h1"})
    refused = delete(tank, "a1", "a2", "t1", "nothing", "a1", dry_run=True)
    assert refused.status_code == 422
    reported = {one["field"]: one["message"] for one in refused.json()["errors"]}
    assert set(reported) == {"volumes[1]", "volumes[2]", "volumes[3]", "volumes[4]"}
    assert "volume a2: it is mapped to h1" in reported["volumes[1]"]
    assert "has the snapshots t1." in reported["volumes[2]"]
    assert "volume nothing was not found" in reported["volumes[3]"]
    assert "volume a1 is listed twice, here and at volumes[0]" in reported["volumes[4]"]
    assert delete(tank, "a1", "a2").status_code == 409
    assert (len(tank.items("/volumes")), tank.items("/deleted-volumes")) == (6, [])


def test_every_obstacle_is_listed_however_many(appliance: Api) -> None:
    make_scene(appliance)
    names = [row["name"] for row in appliance.items("/volumes")]
    refused = delete(appliance, *names, *(f"gone{number}" for number in range(60)))
    assert len(refused.json()["errors"]) == len(names) + 60


def test_with_zero_hours_of_retention_the_data_is_lost_and_the_last_thin_pool_removed(tank: Api) -> None:
    tank.call("PATCH", "/settings", json=NOTHING_KEPT, headers={"If-Match": "*"})
    plan = delete(tank, "t1", "a1", "t2", dry_run=True).json()
    assert plan["bytes_destroyed"] == 3 * 64 * MIB
    assert [step["kind"] for step in plan["steps"]] == [
        "exports.gone",
        "volume.delete",
        "volume.delete",
        "volume.delete",
        "thin_pool.remove",
    ]
    tank.done(delete(tank, "t1", "a1", "t2").json())
    assert tank.items("/deleted-volumes") == []
    assert tank.get("/arrays/tank")["thin_pool"] is None


def test_the_thin_pool_stays_for_retained_volumes(tank: Api) -> None:
    tank.done(tank.delete("/volumes/t2").json())
    tank.call("PATCH", "/settings", json=NOTHING_KEPT, headers={"If-Match": "*"})
    plan = delete(tank, "t1", dry_run=True).json()
    assert [step["kind"] for step in plan["steps"]] == ["exports.gone", "volume.delete"]


def test_what_was_destroyed_before_a_step_failed_is_forgotten_and_the_rest_is_ready(
    tank: Api, machine: FakeSystem
) -> None:
    tank.call("PATCH", "/settings", json=NOTHING_KEPT, headers={"If-Match": "*"})
    machine.lvm.held.add(tank.get("/volumes/a2")["observed"]["device"].rpartition("/")[2])
    filed = delete(tank, "a1", "a2", "a3").json()
    tank.until(lambda: tank.get(f"/jobs/{filed['id']}")["state"] not in ("pending", "running"))
    job = tank.get(f"/jobs/{filed['id']}")
    assert (job["state"], "except for irreversible steps" in job["message"]) == ("undone", True)
    assert {row["name"]: row["state"] for row in tank.items("/volumes") if row["name"][0] == "a"} == {
        "a2": "ready",
        "a4": "ready",
    }
    reported = [event["message"] for event in tank.items("/events", noun="volume", sort="-seq")[:2]]
    assert [words.partition(": ")[2] for words in reported] == [
        "volume was not deleted and is ready again",
        "2 volumes are deleted",
    ]


def test_a_snapshot_of_each_is_named_by_the_pattern(tank: Api) -> None:
    job = tank.done(snapshot(tank, "t1", "t2", name="{volume}-before", description="x").json())
    assert (job["kind"], job["title"]) == ("snapshots.create", "Take snapshots of 2 volumes")
    rows = tank.items("/snapshots")
    assert {(row["name"], row["volume"], row["description"]) for row in rows} == {
        ("t1-before", "t1", "x"),
        ("t2-before", "t2", "x"),
    }
    again = tank.done(snapshot(tank, "t1", name="{volume}-before").json())
    assert again["title"] == "Take a snapshot of volume t1"
    assert {row["name"] for row in tank.items("/snapshots", volume="t1")} == {"t1-before", "t1-before-2"}


def test_no_snapshot_is_taken_where_one_cannot_be(tank: Api) -> None:
    refused = snapshot(tank, "t1", "a1", "a2")
    assert (refused.status_code, [one["field"] for one in refused.json()["errors"]]) == (
        422,
        ["volumes[1]", "volumes[2]"],
    )
    assert "thin" in refused.json()["errors"][0]["message"]
    assert snapshot(tank, "t1", name="fixed-name").status_code == 422
    assert tank.items("/snapshots") == []


def test_snapshots_of_one_pool_are_taken_at_one_moment_and_lvm_says_that_it_cannot(tank: Api) -> None:
    refused = snapshot(tank, "t1", "t2", atomic=True)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "atomic")
    assert "one after the other" in refused.json()["errors"][0]["message"]
    assert len(snapshot(tank, "t1", "t2", dry_run=True).json()["steps"]) == 2
    for name, disks in (("pool", disk_ids(tank, "scsi")[:2]), ("other", disk_ids(tank, "scsi")[2:4])):
        tank.made("/arrays", {"name": name, "engine": "zfs", "level": "mirror", "disks": disks})
        body = {"name_pattern": f"{name}%d", "array": name, "count": 2, "size_bytes": 16 * MIB}
        tank.made("/volumes:create-batch", body)
    apart = snapshot(tank, "pool1", "other1", atomic=True)
    assert "several pools" in apart.json()["errors"][0]["message"]
    plan = snapshot(tank, "pool1", "other1", "pool2", "t1", dry_run=True).json()
    kinds = [step["kind"] for step in plan["steps"]]
    assert kinds == ["snapshots.take", "snapshot.take", "snapshot.take"]
    job = tank.done(snapshot(tank, "pool1", "pool2", name="{volume}-now", atomic=True).json())
    assert [step["kind"] for step in job["steps"]] == ["snapshots.take"]
    taken = {row["name"]: row["state"] for row in tank.items("/snapshots")}
    assert taken == {"pool1-now": "ready", "pool2-now": "ready"}
