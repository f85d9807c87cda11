"""A deletion with `cascade` also deletes what prevents it, in one plan: on a fake machine."""

from typing import Any

import pytest

from backend.tests.api.test_deleted_snapshots import device, take, tank
from backend.tests.api.test_deleted_volumes import act
from backend.tests.fakemachine import FakeSystem
from backend.tests.scene import ADDRESS
from backend.tests.wiring import Api

__all__ = ["tank"]
CASCADE: dict[str, Any] = {"cascade": True}


def share(api: Api, volume: str, *hosts: str) -> None:
    """Maps a volume to new hosts."""
    for name in hosts:
        api.made("/hosts", {"name": name, "iqns": [f"iqn.2026-01.com.example:{name}"]})
        api.made("/mappings", {"volume": volume, "host": name, "shared": True})


def changed(plan: Any) -> list[tuple[str, str, str]]:
    return [(one["action"], one["noun"], one["name"]) for one in plan["changes"]]


def test_a_volume_goes_with_its_mappings_and_snapshots_and_comes_back(tank: Api, machine: FakeSystem) -> None:
    before = take(tank, machine, "before", "old")
    machine.write_data(device(tank, "data"), 0, "new")
    share(tank, "data", "h1", "h2")
    refused = tank.delete("/volumes/data", dry_run=True)
    assert refused.status_code == 409
    assert [[(one["noun"], one["name"]) for one in error["blockers"]] for error in refused.json()["errors"]] == [
        [("host", "h1"), ("host", "h2")],
        [("snapshot", "before")],
    ]
    plan = tank.delete("/volumes/data", dry_run=True, **CASCADE).json()
    assert plan["title"] == "Delete volume data"
    assert changed(plan) == [
        ("destroy", "mapping", "data"),
        ("destroy", "mapping", "data"),
        ("destroy", "snapshot", "before"),
        ("destroy", "volume", "data"),
    ]
    assert [step["kind"] for step in plan["steps"]] == ["exports.gone", "snapshot.set_aside", "volume.set_aside"]
    assert (plan["bytes_destroyed"], any(step["irreversible"] for step in plan["steps"])) == (0, False)
    assert len(tank.items("/mappings")) == 2, "a dry run changes nothing"
    tank.done(tank.delete("/volumes/data", **CASCADE).json())
    assert [tank.items(path) for path in ("/volumes", "/snapshots", "/mappings")] == [[], [], []]
    assert tank.delete("/volumes/data", **CASCADE).status_code == 404, "nothing is left to delete"
    (kept,) = tank.items("/deleted-volumes")
    tank.done(act(tank, f"/deleted-volumes/{kept['id']}:recover", {}).json())
    tank.done(act(tank, f"/deleted-snapshots/{before['id']}:recover", {}).json())
    assert machine.read_data(device(tank, "data"), 0) == "new"
    tank.done(act(tank, "/volumes/data:roll-back", {"snapshot": "before"}).json())
    assert machine.read_data(device(tank, "data"), 0) == "old"
    assert tank.get("/drift")["items"] == []


def test_with_no_hours_to_keep_them_the_plan_names_each_loss(tank: Api, machine: FakeSystem) -> None:
    take(tank, machine, "before", "old")
    share(tank, "data", "h1")
    tank.patch("/settings", {"deleted_keep_hours": 0})
    plan = tank.delete("/volumes/data", dry_run=True, **CASCADE).json()
    lost = {one["noun"]: one["detail"] for one in plan["changes"] if "lost" in one["detail"]}
    assert set(lost) == {"snapshot", "volume"}
    assert plan["bytes_destroyed"] > 0
    tank.done(tank.delete("/volumes/data", **CASCADE).json())
    for path in ("/volumes", "/snapshots", "/deleted-volumes", "/deleted-snapshots", "/mappings"):
        assert tank.items(path) == []
    assert tank.get("/drift")["items"] == []


def test_a_batch_deletes_what_prevents_it_only_if_told_to(tank: Api, machine: FakeSystem) -> None:
    take(tank, machine, "before", "old")
    tank.made("/volumes", {"name": "other", "array": "tank", "size_bytes": "16MiB"})
    share(tank, "other", "h1")
    body = {"volumes": ["data", "other"]}
    assert tank.post("/volumes:delete-batch", body).status_code == 409
    tank.done(tank.post("/volumes:delete-batch", {**body, **CASCADE}).json())
    assert {one["name"] for one in tank.items("/deleted-volumes")} == {"data", "other"}
    assert [one["name"] for one in tank.items("/deleted-snapshots")] == ["before"]
    assert tank.items("/mappings") == []


def test_a_failed_deletion_maps_the_volume_again_as_before(tank: Api, machine: FakeSystem) -> None:
    take(tank, machine, "before", "old")
    share(tank, "data", "h1", "h2")
    tank.made("/portals", {"name": "front", "address": ADDRESS})
    tank.until(lambda: {one["state"] for one in tank.items("/mappings")} == {"open"})
    mapped = {(one["id"], one["lun"]) for one in tank.items("/mappings")}
    machine.faults.break_calls(
        lambda call: call.detail.startswith(("lvrename", "zfs rename")) and "before" not in call.detail
    )
    job = tank.delete("/volumes/data", **CASCADE).json()
    tank.until(lambda: tank.get(f"/jobs/{job['id']}")["state"] not in ("pending", "running"))
    machine.faults.break_calls(None)
    assert tank.get(f"/jobs/{job['id']}")["state"] in ("undone", "failed")
    assert {(one["id"], one["lun"]) for one in tank.items("/mappings")} == mapped
    assert (tank.get("/volumes/data")["state"], tank.get("/snapshots/before")["state"]) == ("ready", "ready")
    tank.until(lambda: {one["state"] for one in tank.items("/mappings")} == {"open"})
    assert any(one["kind"] == "mapping.restored" for one in tank.items("/events"))
    assert tank.get("/drift")["items"] == []


@pytest.mark.parametrize("tank", ["zfs"], indirect=True)
def test_a_clone_is_never_deleted_with_the_volume_it_depends_on(tank: Api, machine: FakeSystem) -> None:
    take(tank, machine, "before", "old")
    tank.made("/snapshots/before:clone", {"name": "copy"})
    refused = tank.delete("/volumes/data", **CASCADE)
    assert (refused.status_code, "clones depend on its snapshot before: volume copy" in refused.text) == (409, True)
    assert [one["name"] for error in refused.json()["errors"] for one in error["blockers"]] == ["copy"]


@pytest.mark.parametrize("tank", ["zfs"], indirect=True)
def test_a_roll_back_deletes_newer_snapshots_if_told_to(tank: Api, machine: FakeSystem) -> None:
    for name in ("old", "newer", "newest"):
        take(tank, machine, name, name)
    tank.done(tank.delete("/snapshots/newest").json())
    refused = act(tank, "/volumes/data:roll-back", {"snapshot": "old"})
    assert [one["noun"] for one in refused.json()["errors"][0]["blockers"]] == ["snapshot", "deleted_snapshot"]
    body = {"snapshot": "old", "delete_newer_snapshots": True}
    plan = act(tank, "/volumes/data:roll-back?dry_run=true", body).json()
    assert changed(plan) == [
        ("destroy", "snapshot", "newer"),
        ("destroy", "snapshot", "newest"),
        ("destroy", "volume", "data"),
    ]
    tank.done(act(tank, "/volumes/data:roll-back", body).json())
    assert machine.read_data(device(tank, "data"), 0) == "old"
    assert ([one["name"] for one in tank.items("/snapshots")], tank.items("/deleted-snapshots")) == (["old"], [])
    assert tank.get("/drift")["items"] == []


@pytest.mark.parametrize("tank", ["md"], indirect=True)
def test_a_roll_back_deletes_no_snapshot_that_does_not_prevent_it(tank: Api, machine: FakeSystem) -> None:
    for name in ("old", "newer"):
        take(tank, machine, name, name)
    tank.done(act(tank, "/volumes/data:roll-back", {"snapshot": "old", "delete_newer_snapshots": True}).json())
    assert {one["name"] for one in tank.items("/snapshots")} == {"old", "newer"}


def test_a_host_leaves_its_group_and_loses_its_mappings(tank: Api) -> None:
    share(tank, "data", "h1")
    host = tank.get("/hosts/h1")
    tank.made("/host-groups", {"name": "g", "hosts": ["h1"]})
    refused = tank.delete("/hosts/h1", dry_run=True)
    assert [one["noun"] for error in refused.json()["errors"] for one in error["blockers"]] == ["volume", "host_group"]
    plan = tank.delete("/hosts/h1", dry_run=True, **CASCADE).json()
    assert changed(plan) == [("destroy", "mapping", "data"), ("change", "host group", "g"), ("destroy", "host", "h1")]
    assert [one["name"] for one in plan["volumes"]] == ["data"]
    assert tank.get("/hosts/h1")["id"] == host["id"]
    deleted = tank.delete("/hosts/h1", **CASCADE)
    assert (deleted.status_code, "Lunette-Event" in deleted.headers) == (204, False), "no single event undoes it"
    assert (tank.items("/mappings"), tank.get("/host-groups/g")["hosts"]) == ([], [])
    removed = ("host.deleted", "mapping.deleted", "host_group.changed")
    events = [one["seq"] for one in tank.items("/events", sort="-seq") if one["kind"] in removed]
    for seq in events:
        assert tank.post(f"/events/{seq}:undo").is_success
    assert tank.get("/hosts/h1")["id"] == host["id"]
    assert [one["volume"] for one in tank.items("/mappings")] == ["data"]


def test_a_host_group_goes_with_its_mappings_and_its_hosts_stay(tank: Api) -> None:
    tank.made("/hosts", {"name": "h1", "iqns": ["iqn.2026-01.com.example:h1"]})
    tank.made("/host-groups", {"name": "g", "hosts": ["h1"]})
    tank.made("/mappings", {"volume": "data", "host_group": "g"})
    refused = tank.delete("/host-groups/g")
    assert [one["name"] for one in refused.json()["errors"][0]["blockers"]] == ["data"]
    assert tank.delete("/host-groups/g", **CASCADE).status_code == 204
    assert (tank.items("/mappings"), [one["name"] for one in tank.items("/hosts")]) == ([], ["h1"])


def test_an_array_goes_with_everything_on_it(tank: Api, machine: FakeSystem) -> None:
    take(tank, machine, "before", "old")
    take(tank, machine, "gone", "old")
    tank.done(tank.delete("/snapshots/gone").json())
    tank.made("/volumes", {"name": "other", "array": "tank", "size_bytes": "16MiB"})
    tank.made("/volumes", {"name": "deleted", "array": "tank", "size_bytes": "16MiB"})
    tank.done(tank.delete("/volumes/deleted").json())
    share(tank, "data", "h1")
    refused = tank.delete("/arrays/tank")
    assert [one["name"] for one in refused.json()["errors"][0]["blockers"]] == ["data", "other"]
    plan = tank.delete("/arrays/tank", dry_run=True, **CASCADE).json()
    assert changed(plan) == [
        ("destroy", "mapping", "data"),
        ("destroy", "deleted volume", "deleted"),
        ("destroy", "snapshot", "before"),
        ("destroy", "snapshot", "gone"),
        ("destroy", "volume", "data"),
        ("destroy", "volume", "other"),
        ("destroy", "array", "tank"),
    ]
    assert {one["name"] for one in plan["volumes"]} == {"data", "other"}
    tank.done(tank.delete("/arrays/tank", **CASCADE).json())
    for path in ("/arrays", "/volumes", "/snapshots", "/deleted-volumes", "/deleted-snapshots", "/mappings"):
        assert tank.items(path) == []
    assert tank.get("/drift")["items"] == []


def test_an_array_that_cannot_be_destroyed_keeps_everything(tank: Api, machine: FakeSystem) -> None:
    take(tank, machine, "before", "old")
    share(tank, "data", "h1")
    machine.faults.break_calls(lambda call: call.detail.startswith(("vgremove", "lvremove", "zpool destroy")))
    job = tank.delete("/arrays/tank", **CASCADE).json()
    tank.until(lambda: tank.get(f"/jobs/{job['id']}")["state"] not in ("pending", "running"))
    machine.faults.break_calls(None)
    assert tank.get(f"/jobs/{job['id']}")["state"] == "undone"
    states = {tank.get(path)["state"] for path in ("/arrays/tank", "/volumes/data", "/snapshots/before")}
    assert (states, len(tank.items("/mappings"))) == ({"ready"}, 1)
    assert machine.read_data(device(tank, "data"), 0) == "old"
    assert tank.get("/drift")["items"] == []
