"""Many mappings, snapshots or hosts deleted in one plan: all or none, each in the way named, and undone as one."""

from typing import Any

import pytest
from sqlalchemy import update

from backend.tests.api.test_batches import MIB, NOTHING_KEPT, snapshot, tank
from backend.tests.api.test_cascade import CASCADE, changed
from backend.tests.fakemachine import FakeSystem
from backend.tests.scene import disk_ids, make_scene
from backend.tests.wiring import Api
from lunette.api.requests.services import ApiServices
from lunette.store.resources import Volume

__all__ = ["tank"]


@pytest.fixture
def scene(appliance: Api) -> Api:
    """Volumes `lun01` to `lun08`, two of them mapped to each of `host1` to `host4`."""
    make_scene(appliance)
    return appliance


def delete(api: Api, noun: str, *references: str, dry_run: bool = False, **spec: Any) -> Any:
    return api.post(f"/{noun}:delete-batch", {noun: references, **spec}, dry_run=dry_run)


def reported(refused: Any) -> dict[str, str]:
    return {one["field"]: one["message"] for one in refused.json()["errors"]}


def ids_of(api: Api, path: str) -> dict[str, str]:
    return {row["name"]: row["id"] for row in api.items(path)}


def mapped(api: Api) -> set[tuple[str, str, str, int]]:
    return {(row["id"], row["volume"], row["host"], row["lun"]) for row in api.items("/mappings")}


def undo(api: Api, seq: str) -> Any:
    return api.post(f"/events/{seq}:undo")


def test_mappings_are_removed_as_one_change_and_restored_as_one(scene: Api) -> None:
    before = mapped(scene)
    rows = scene.items("/mappings", host="host1") + scene.items("/mappings", host="host2")
    ids = [row["id"] for row in rows]
    plan = delete(scene, "mappings", *ids, dry_run=True).json()
    assert (plan["title"], plan["steps"]) == ("Unmap 4 volumes", [])
    assert [line["name"] for line in plan["changes"]] == [row["volume"] for row in rows]
    assert mapped(scene) == before
    deleted = delete(scene, "mappings", *ids)
    assert deleted.status_code == 204
    assert {one[0] for one in mapped(scene)} == {one[0] for one in before} - set(ids)
    seq = deleted.headers["Lunette-Event"]
    assert undo(scene, seq).is_success
    assert mapped(scene) == before


def test_a_mapping_that_cannot_be_removed_is_named_and_all_stay(
    appliance_on_sqlite: tuple[Api, ApiServices],
) -> None:
    api, services = appliance_on_sqlite
    make_scene(api)
    free, busy = (row["id"] for row in api.items("/mappings", host="host1"))
    with services.store.write() as tx:
        tx.execute(update(Volume).where(Volume.name == "lun02").values(state="changing"))
    refused = delete(api, "mappings", free, busy, "nothing", free)
    assert refused.status_code == 422
    assert {field: message.partition(";")[0] for field, message in reported(refused).items()} == {
        "mappings[1]": "mapping of volume lun02 to host1: Volume lun02 is changing now",
        "mappings[2]": "mapping nothing was not found",
        "mappings[3]": "mapping of volume lun01 to host1 is listed twice, here and at mappings[0]",
    }
    only = delete(api, "mappings", free, busy)
    assert (only.status_code, only.json()["detail"].partition(":")[0]) == (409, "No volume was unmapped")
    assert len(api.items("/mappings")) == 8


def test_snapshots_go_as_one_job_and_each_can_be_recovered(tank: Api) -> None:
    tank.done(snapshot(tank, "t1", "t2", name="{volume}-old").json())
    tank.done(snapshot(tank, "t1", name="{volume}-new").json())
    ids = ids_of(tank, "/snapshots")
    plan = delete(tank, "snapshots", "t1-old", ids["t2-old"], dry_run=True).json()
    assert (plan["title"], plan["bytes_destroyed"]) == ("Delete 2 snapshots", 0)
    assert [(line["name"], "24 hours" in line["detail"]) for line in plan["changes"]] == [
        ("t1-old", True),
        ("t2-old", True),
    ]
    job = tank.done(delete(tank, "snapshots", "t1-old", ids["t2-old"]).json())
    assert (job["kind"], job["resource_ids"]) == ("snapshot.delete", [ids["t1-old"], ids["t2-old"]])
    assert set(ids_of(tank, "/snapshots")) == {"t1-new"}
    assert ids_of(tank, "/deleted-snapshots") == {name: ids[name] for name in ("t1-old", "t2-old")}
    (event,) = [one for one in tank.items("/events", noun="snapshot") if one["kind"] == "snapshot.deleted"]
    assert "recover it from the deleted snapshots" in undo(tank, event["seq"]).json()["detail"]
    tank.done(tank.call("POST", "/deleted-snapshots/t2-old:recover", json={}, headers={"If-Match": "*"}).json())
    assert ids_of(tank, "/snapshots")["t2-old"] == ids["t2-old"]
    assert tank.get("/drift")["items"] == []


def test_a_snapshot_with_clones_is_named_and_none_is_deleted(appliance: Api) -> None:
    appliance.made("/arrays", {"name": "pool", "engine": "zfs", "level": "mirror", "disks": disk_ids(appliance)[:2]})
    appliance.made("/volumes", {"name": "data", "array": "pool", "size_bytes": 16 * MIB})
    for name in ("s1", "s2"):
        appliance.made("/snapshots", {"name": name, "volume": "data"})
    appliance.made("/snapshots/s2:clone", {"name": "copy"})
    refused = delete(appliance, "snapshots", "s1", "s2")
    assert refused.status_code == 409
    assert reported(refused) == {
        "snapshots[1]": "snapshot s2: on this engine its clones depend on it: volume copy; delete these first"
    }
    assert refused.json()["detail"].startswith("No snapshot was deleted: ")
    assert set(ids_of(appliance, "/snapshots")) == {"s1", "s2"}
    alone = delete(appliance, "snapshots", "s2").json()
    assert alone["detail"].startswith("Snapshot s2 was not deleted: on this engine its clones depend on it")


def test_what_was_erased_before_a_step_failed_is_forgotten_and_the_rest_is_ready(
    tank: Api, machine: FakeSystem
) -> None:
    tank.done(snapshot(tank, "t1", "t2", name="{volume}-s").json())
    tank.call("PATCH", "/settings", json=NOTHING_KEPT, headers={"If-Match": "*"})
    machine.lvm.held.add(f"s{ids_of(tank, '/snapshots')['t2-s'].replace('-', '')[:12]}")
    filed = delete(tank, "snapshots", "t1-s", "t2-s").json()
    tank.until(lambda: tank.get(f"/jobs/{filed['id']}")["state"] not in ("pending", "running"))
    assert tank.get(f"/jobs/{filed['id']}")["state"] == "undone"
    assert [(row["name"], row["state"]) for row in tank.items("/snapshots")] == [("t2-s", "ready")]
    assert [
        event["message"].partition(": ")[2] for event in tank.items("/events", noun="snapshot", sort="-seq")[:2]
    ] == [
        "snapshot was not deleted and is ready again",
        "snapshot is deleted",
    ]


def test_hosts_are_deleted_as_one_change_and_restored_as_one(appliance: Api) -> None:
    for name in ("h1", "h2", "h3"):
        appliance.made("/hosts", {"name": name, "iqns": [f"iqn.2026-01.com.example:{name}"]})
    before = appliance.items("/hosts")
    plan = delete(appliance, "hosts", "h1", "h3", dry_run=True).json()
    assert (plan["title"], changed(plan)) == (
        "Delete 2 hosts",
        [("destroy", "host", "h1"), ("destroy", "host", "h3")],
    )
    deleted = delete(appliance, "hosts", "h1", "h3")
    assert (deleted.status_code, set(ids_of(appliance, "/hosts"))) == (204, {"h2"})
    restored = undo(appliance, deleted.headers["Lunette-Event"])
    assert restored.is_success
    same = ("id", "name", "iqns", "target_iqn", "subsystem_nqn")
    after = appliance.items("/hosts")
    assert [[row[key] for key in same] for row in after] == [[row[key] for key in same] for row in before]
    seq = appliance.items("/events", noun="host", sort="-seq")[0]["seq"]
    assert undo(appliance, seq).is_success, "what was restored as one is deleted as one"
    assert set(ids_of(appliance, "/hosts")) == {"h2"}


def test_each_host_in_the_way_is_named_and_cascade_frees_them(scene: Api) -> None:
    scene.made("/host-groups", {"name": "g", "hosts": ["host2", "host3", "host4"]})
    scene.made("/hosts", {"name": "spare"})
    before = mapped(scene)
    refused = delete(scene, "hosts", "spare", "host1", "host2", "nothing")
    assert refused.status_code == 422
    assert reported(refused) == {
        "hosts[1]": "host host1: it has 2 mappings (volumes lun01, lun02); delete them first",
        "hosts[2]": "host host2: it is a member of host group g; remove it from the group first",
        "hosts[3]": "host nothing was not found; it may have been deleted. Reload the list",
    }
    blocked = delete(scene, "hosts", "host1", "host2")
    assert [[one["name"] for one in error["blockers"]] for error in blocked.json()["errors"]] == [
        ["lun01", "lun02"],
        ["lun03", "lun04"],
        ["g"],
    ]
    plan = delete(scene, "hosts", "host1", "host2", "host3", dry_run=True, **CASCADE).json()
    assert [(noun, name) for _, noun, name in changed(plan) if noun != "mapping"] == [
        ("host group", "g"),
        ("host group", "g"),
        ("host", "host1"),
        ("host", "host2"),
        ("host", "host3"),
    ]
    assert {one["name"] for one in plan["volumes"]} == {f"lun0{number}" for number in range(1, 7)}
    assert mapped(scene) == before, "a dry run changes nothing"
    deleted = delete(scene, "hosts", "host1", "host2", "host3", **CASCADE)
    assert (deleted.status_code, "Lunette-Event" in deleted.headers) == (204, False), "no single event undoes it"
    assert (set(ids_of(scene, "/hosts")), scene.get("/host-groups/g")["hosts"]) == ({"host4", "spare"}, ["host4"])
    removed = ("host.deleted", "mapping.deleted", "host_group.changed")
    events = [one["seq"] for one in scene.items("/events", sort="-seq") if one["kind"] in removed]
    assert len(events) == 3
    for seq in events:
        assert undo(scene, seq).is_success
    assert mapped(scene) == before
    assert set(scene.get("/host-groups/g")["hosts"]) == {"host2", "host3", "host4"}


def test_a_host_whose_volume_a_job_uses_is_named_although_its_mappings_go_too(
    appliance_on_sqlite: tuple[Api, ApiServices],
) -> None:
    api, services = appliance_on_sqlite
    make_scene(api)
    with services.store.write() as tx:
        tx.execute(update(Volume).where(Volume.name == "lun03").values(state="changing"))
    refused = delete(api, "hosts", "host1", "host2", **CASCADE)
    assert refused.status_code == 409
    assert {field: message.partition(";")[0] for field, message in reported(refused).items()} == {
        "hosts[1]": "host host2: Volume lun03 is changing now"
    }
    assert len(api.items("/hosts")) == 4


def aside(api: Api, noun: str, verb: str, *references: str, dry_run: bool = False) -> Any:
    """Recovers or erases deleted ones."""
    return api.post(f"/deleted-{noun}:{verb}-batch", {f"deleted_{noun}": references}, dry_run=dry_run)


def test_deleted_volumes_are_recovered_as_one_job_with_their_ids(tank: Api) -> None:
    before = ids_of(tank, "/volumes")
    tank.done(tank.post("/volumes:delete-batch", {"volumes": ["a1", "a2", "t1"]}).json())
    plan = aside(tank, "volumes", "recover", "a1", before["t1"], dry_run=True).json()
    assert (plan["title"], changed(plan)) == (
        "Recover 2 volumes",
        [("create", "volume", "a1"), ("create", "volume", "t1")],
    )
    job = tank.done(aside(tank, "volumes", "recover", "a1", before["t1"]).json())
    assert (job["kind"], job["resource_ids"]) == ("volume.recover", [before["a1"], before["t1"]])
    assert ids_of(tank, "/volumes") == {name: id_ for name, id_ in before.items() if name != "a2"}
    assert set(ids_of(tank, "/deleted-volumes")) == {"a2"}
    assert tank.get("/drift")["items"] == []


def test_a_deleted_volume_whose_name_is_taken_is_named_and_none_is_recovered(tank: Api) -> None:
    ids = []
    for _ in range(2):
        ids.append(tank.get("/volumes/a2")["id"])
        tank.done(tank.delete("/volumes/a2").json())
        tank.made("/volumes", {"name": "a2", "array": "tank", "size_bytes": 64 * MIB})
    tank.done(tank.post("/volumes:delete-batch", {"volumes": ["a1", "a3"]}).json())
    tank.made("/volumes", {"name": "a3", "array": "tank", "size_bytes": 64 * MIB})
    refused = aside(tank, "volumes", "recover", "a1", "a3", "a2")
    assert refused.status_code == 422
    assert reported(refused) == {
        "deleted_volumes[1].name": (
            "deleted volume a3: another volume is now named a3; recover this one under a new name"
        ),
        "deleted_volumes[2]": "deleted volume a2 was not found; it may have been deleted. Reload the list",
    }
    tank.done(tank.delete("/volumes/a2").json())
    twice = aside(tank, "volumes", "recover", *ids)
    assert (twice.status_code, "several of these volumes were named a2" in twice.json()["detail"]) == (409, True)
    assert set(ids_of(tank, "/deleted-volumes")) == {"a1", "a2", "a3"}


def test_deleted_volumes_are_erased_as_one_job_and_the_thin_pool_with_the_last(tank: Api) -> None:
    tank.done(tank.post("/volumes:delete-batch", {"volumes": ["a1", "t1", "t2"]}).json())
    plan = aside(tank, "volumes", "delete", "a1", "t1", "t2", dry_run=True).json()
    assert (plan["title"], plan["bytes_destroyed"]) == ("Erase 3 deleted volumes", 3 * 64 * MIB)
    kinds = [step["kind"] for step in plan["steps"]]
    assert kinds == ["exports.gone", "volume.delete", "volume.delete", "volume.delete", "thin_pool.remove"]
    tank.done(aside(tank, "volumes", "delete", "a1", "t1", "t2").json())
    assert (tank.items("/deleted-volumes"), tank.get("/arrays/tank")["thin_pool"]) == ([], None)
    assert tank.get("/drift")["items"] == []


def test_a_deleted_volume_that_was_erased_before_a_step_failed_is_gone_and_the_rest_can_be_recovered(
    tank: Api, machine: FakeSystem
) -> None:
    tank.done(tank.post("/volumes:delete-batch", {"volumes": ["a1", "a2"]}).json())
    machine.lvm.held.add(f"d{ids_of(tank, '/deleted-volumes')['a2'].replace('-', '')[:12]}")
    filed = aside(tank, "volumes", "delete", "a1", "a2").json()
    tank.until(lambda: tank.get(f"/jobs/{filed['id']}")["state"] not in ("pending", "running"))
    machine.lvm.held.clear()
    assert [(row["name"], row["state"]) for row in tank.items("/deleted-volumes")] == [("a2", "ready")]
    tank.done(aside(tank, "volumes", "recover", "a2").json())
    assert "a2" in ids_of(tank, "/volumes")


def test_deleted_snapshots_are_recovered_and_erased_as_one_job_each(tank: Api) -> None:
    for name in ("s1", "s2", "s3", "s4"):
        tank.made("/snapshots", {"name": name, "volume": "t1"})
    tank.made("/snapshots", {"name": "other", "volume": "t2"})
    ids = ids_of(tank, "/snapshots")
    tank.done(delete(tank, "snapshots", *ids).json())
    tank.done(tank.delete("/volumes/t2").json())
    refused = aside(tank, "snapshots", "recover", "s1", "other")
    assert reported(refused) == {
        "deleted_snapshots[1]": "deleted snapshot other: its volume t2 was deleted after it; recover the volume first"
    }
    job = tank.done(aside(tank, "snapshots", "recover", "s1", "s2").json())
    assert (job["kind"], job["title"]) == ("snapshot.recover", "Recover 2 snapshots")
    assert ids_of(tank, "/snapshots") == {name: ids[name] for name in ("s1", "s2")}
    plan = aside(tank, "snapshots", "delete", "s3", "other", dry_run=True).json()
    assert (plan["title"], [step["irreversible"] for step in plan["steps"]]) == (
        "Erase 2 deleted snapshots",
        [True, True],
    )
    tank.done(aside(tank, "snapshots", "delete", "s3", "other").json())
    assert set(ids_of(tank, "/deleted-snapshots")) == {"s4"}
    assert tank.get("/drift")["items"] == []
