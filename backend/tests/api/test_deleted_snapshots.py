"""Deleted snapshots on a fake machine: retained, recovered and erased, also together with their volume."""

from typing import Any

import pytest
from sqlalchemy import update

from backend.tests.api.test_backup import back_up, restored
from backend.tests.api.test_deleted_volumes import act, make
from backend.tests.fakemachine import FakeSystem
from backend.tests.scene import disk_ids, make_array
from backend.tests.wiring import Api, add_token
from lunette.agent.core import Agent
from lunette.api.requests.services import ApiServices
from lunette.domain.roles import Role
from lunette.store.resources import DeletedSnapshot


@pytest.fixture(params=["md", "zfs"])
def tank(request: pytest.FixtureRequest, appliance: Api) -> Api:
    """An array with a thin volume `data` that held "old" when its snapshot `before` was taken."""
    if request.param == "zfs":
        appliance.made(
            "/arrays", {"name": "tank", "engine": "zfs", "level": "raidz1", "disks": disk_ids(appliance)[:4]}
        )
    else:
        make_array(appliance)
    make(appliance, "data", "thin")
    return appliance


def device(api: Api, volume: str) -> str:
    return str(api.get(f"/volumes/{volume}")["observed"]["device"])


def take(api: Api, machine: FakeSystem, name: str, data: str) -> Any:
    machine.write_data(device(api, "data"), 0, data)
    api.made("/snapshots", {"name": name, "volume": "data"})
    return api.get(f"/snapshots/{name}")


def is_irreversible(plan: Any) -> bool:
    return any(step["irreversible"] for step in plan["steps"])


def gone(api: Api, path: str) -> None:
    api.done(api.delete(path).json())


def test_a_deleted_snapshot_is_recovered_and_a_volume_rolls_back_to_it(tank: Api, machine: FakeSystem) -> None:
    before = take(tank, machine, "before", "old")
    plan = tank.delete("/snapshots/before", dry_run=True).json()
    assert "can be recovered for 24 hours, until 20" in plan["changes"][0]["detail"]
    assert is_irreversible(plan) is False
    gone(tank, "/snapshots/before")
    assert tank.items("/snapshots") == []
    (kept,) = tank.items("/deleted-snapshots")
    same = ("id", "name", "volume", "volume_id", "size_bytes", "created_at")
    assert {key: kept[key] for key in same} == {key: before[key] for key in same}
    assert (kept["volume_deleted"], tank.get("/drift")["items"]) == (False, [])
    machine.write_data(device(tank, "data"), 0, "new")
    tank.done(act(tank, "/deleted-snapshots/before:recover", {}).json())
    assert (tank.items("/deleted-snapshots"), tank.get("/snapshots/before")["id"]) == ([], before["id"])
    tank.done(act(tank, "/volumes/data:roll-back", {"snapshot": "before"}).json())
    assert machine.read_data(device(tank, "data"), 0) == "old"


def test_its_name_is_free_at_once_and_it_is_recovered_under_another(tank: Api, machine: FakeSystem) -> None:
    first = take(tank, machine, "before", "old")
    gone(tank, "/snapshots/before")
    second = take(tank, machine, "before", "new")
    refused = act(tank, "/deleted-snapshots/before:recover", {})
    assert (refused.status_code, "recover this one under a new name" in refused.text) == (409, True)
    tank.done(act(tank, "/deleted-snapshots/before:recover", {"name": "earlier"}).json())
    assert tank.get("/snapshots/earlier")["id"] == first["id"] != second["id"] == tank.get("/snapshots/before")["id"]


def test_it_disappears_and_returns_with_its_volume(tank: Api, machine: FakeSystem) -> None:
    take(tank, machine, "before", "old")
    machine.write_data(device(tank, "data"), 0, "new")
    gone(tank, "/snapshots/before")
    assert "its deleted snapshots (before) are retained with it" in tank.delete("/volumes/data", dry_run=True).text
    gone(tank, "/volumes/data")
    (kept,) = tank.items("/deleted-snapshots")
    assert (kept["volume"], kept["volume_deleted"]) == ("data", True)
    refused = act(tank, "/deleted-snapshots/before:recover", {})
    assert (refused.status_code, "recover the volume first" in refused.text) == (409, True)
    tank.done(act(tank, "/deleted-volumes/data:recover", {}).json())
    tank.done(act(tank, "/deleted-snapshots/before:recover", {}).json())
    tank.done(act(tank, "/volumes/data:roll-back", {"snapshot": "before"}).json())
    assert machine.read_data(device(tank, "data"), 0) == "old"
    assert tank.get("/drift")["items"] == []


def test_it_is_erased_alone_before_and_after_its_volume_was_deleted(tank: Api, machine: FakeSystem) -> None:
    for name in ("one", "two"):
        take(tank, machine, name, name)
        gone(tank, f"/snapshots/{name}")
    assert is_irreversible(tank.delete("/deleted-snapshots/one", dry_run=True).json())
    gone(tank, "/deleted-snapshots/one")
    gone(tank, "/volumes/data")
    gone(tank, "/deleted-snapshots/two")
    assert tank.items("/deleted-snapshots") == []
    gone(tank, "/deleted-volumes/data")
    assert (tank.get("/drift")["items"], tank.items("/deleted-volumes")) == ([], [])


def test_a_deleted_volume_takes_its_deleted_snapshots_along_when_it_is_erased(tank: Api, machine: FakeSystem) -> None:
    take(tank, machine, "before", "old")
    gone(tank, "/snapshots/before")
    gone(tank, "/volumes/data")
    assert "its deleted snapshots (before) are also lost" in tank.delete("/deleted-volumes/data", dry_run=True).text
    gone(tank, "/deleted-volumes/data")
    assert (tank.items("/deleted-snapshots"), tank.get("/drift")["items"]) == ([], [])


def test_no_delete_of_a_volume_destroys_snapshots_that_were_promised_hours(tank: Api, machine: FakeSystem) -> None:
    """Erasing sooner is the administrators' right, and a step of its own."""
    take(tank, machine, "before", "old")
    gone(tank, "/snapshots/before")
    tank.patch("/settings", {"deleted_keep_hours": 0})
    refused = tank.delete("/volumes/data")
    assert (refused.status_code, "its deleted snapshots (before) can still be recovered" in refused.text) == (409, True)
    gone(tank, "/deleted-snapshots/before")
    gone(tank, "/volumes/data")
    assert (tank.items("/deleted-snapshots"), tank.get("/drift")["items"]) == ([], [])


@pytest.mark.parametrize("tank", ["md"], indirect=True)
def test_a_deleted_snapshot_of_a_volume_that_the_machine_lost_brings_its_data_back(
    tank: Api, machine: FakeSystem
) -> None:
    take(tank, machine, "before", "old")
    gone(tank, "/snapshots/before")
    *_, group, volume = device(tank, "data").split("/")
    machine.run(["lvremove", "-y", "--", f"{group}/{volume}"], timeout_s=1)
    refused = tank.delete("/volumes/data")
    assert (refused.status_code, "can still be recovered" in refused.text) == (409, True)
    tank.done(act(tank, "/deleted-snapshots/before:recover", {}).json())
    tank.done(act(tank, "/volumes/data:roll-back", {"snapshot": "before", "keep": False}).json())
    assert machine.read_data(device(tank, "data"), 0) == "old"


def test_an_array_takes_them_along_with_its_deleted_volumes(tank: Api, machine: FakeSystem) -> None:
    take(tank, machine, "before", "old")
    gone(tank, "/snapshots/before")
    gone(tank, "/volumes/data")
    assert "its deleted snapshots (before) are also lost" in tank.delete("/arrays/tank", dry_run=True).text
    gone(tank, "/arrays/tank")
    assert (tank.items("/deleted-snapshots"), tank.items("/deleted-volumes"), tank.items("/arrays")) == ([], [], [])


def test_with_no_hours_to_keep_it_a_delete_destroys_at_once(tank: Api, machine: FakeSystem) -> None:
    take(tank, machine, "before", "old")
    tank.patch("/settings", {"deleted_keep_hours": 0})
    assert is_irreversible(tank.delete("/snapshots/before", dry_run=True).json())
    gone(tank, "/snapshots/before")
    assert (tank.items("/deleted-snapshots"), tank.get("/drift")["items"]) == ([], [])


@pytest.mark.parametrize("tank", ["zfs"], indirect=True)
def test_zfs_rolls_back_past_no_deleted_snapshot_until_it_is_erased(tank: Api, machine: FakeSystem) -> None:
    take(tank, machine, "old", "old")
    take(tank, machine, "newer", "newer")
    gone(tank, "/snapshots/newer")
    refused = act(tank, "/volumes/data:roll-back", {"snapshot": "old"})
    assert (refused.status_code, "newer snapshots newer (deleted)" in refused.text) == (409, True)
    gone(tank, "/deleted-snapshots/newer")
    tank.done(act(tank, "/volumes/data:roll-back", {"snapshot": "old"}).json())
    assert machine.read_data(device(tank, "data"), 0) == "old"


def test_a_snapshot_that_the_machine_lost_is_forgotten(tank: Api, machine: FakeSystem) -> None:
    take(tank, machine, "before", "old")
    path = _path(tank)
    argv = ["zfs", "destroy", "--", path] if "@" in path else ["lvremove", "-y", "--", path]
    machine.run(argv, timeout_s=1)
    assert is_irreversible(tank.delete("/snapshots/before", dry_run=True).json())
    gone(tank, "/snapshots/before")
    assert tank.items("/deleted-snapshots") == []


def test_it_is_restored_from_a_backup_with_its_volume_and_omitted_without_one(
    appliance_on_sqlite: tuple[Api, ApiServices],
) -> None:
    api, services = appliance_on_sqlite
    make_array(api)
    api.made("/volumes", {"name": "data", "array": "tank", "size_bytes": "16MiB", "provisioning": "thin"})
    for name in ("kept", "orphan"):
        api.made("/snapshots", {"name": name, "volume": "data"})
        api.done(api.delete(f"/snapshots/{name}").json())
    with services.store.write() as tx:
        tx.execute(update(DeletedSnapshot).where(DeletedSnapshot.name == "orphan").values(volume_id="nowhere"))
    file = back_up(api)
    restored(api, file)
    api = Api(api.http, add_token(services.store, Role.ADMINISTRATOR))
    assert [(one["name"], one["volume"]) for one in api.items("/deleted-snapshots")] == [("kept", "data")]


@pytest.mark.parametrize("path", ["/snapshots/before", "/volumes/data"])
def test_nothing_is_deleted_while_its_array_is_not_active(
    tank: Api, machine: FakeSystem, agent: Agent, path: str
) -> None:
    """The step could be neither done nor undone: its job would be stuck."""
    take(tank, machine, "before", "old")
    if path == "/volumes/data":
        gone(tank, "/snapshots/before")
    group, array = _path(tank, "data").split("/")[0], tank.get("/arrays/tank")
    with agent._bring_up.hold((array["id"],)), agent._storage:  # nothing brings it up again meanwhile
        if array["engine"] == "zfs":
            machine.run(["zpool", "export", "--", group], timeout_s=1)
        else:
            machine.run(["vgchange", "-an", "--", group], timeout_s=1)
            machine.run(["mdadm", "--stop", array["observed"]["device"]], timeout_s=1)
        refused = tank.delete(path)
    assert (refused.status_code, "is not active" in refused.text) == (409, True), refused.text


def _path(api: Api, noun: str = "") -> str:
    """Where the engine has snapshot `before`, or the volume."""
    *_, group, volume = device(api, "data").split("/")
    if noun:
        return f"{group}/{volume}"
    short = f"s{api.get('/snapshots/before')['id'].replace('-', '')[:12]}"
    return f"{group}/{volume}@{short}" if api.get("/arrays/tank")["engine"] == "zfs" else f"{group}/{short}"
