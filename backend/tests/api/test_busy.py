"""A volume that hosts use is deleted only when it is named; uncounted use is reported as unknown."""

from typing import Any

import pytest

from backend.tests.api.test_array_changes import is_known
from backend.tests.api.test_metrics import IQN, MIB, Serving, serving, standing
from backend.tests.api.test_undo import last
from backend.tests.fakemachine.network.traffic import Io
from backend.tests.scene import ADDRESS, make_array
from backend.tests.wiring import Api

__all__ = ["serving", "standing"]


@pytest.fixture
def busy(serving: Serving) -> Serving:
    """The host writes to volume `data`, and the recorder saw it."""
    serving.scrape()
    serving.machine.carry(serving.session, 1, Io(writes=500, write_bytes=5 * MIB))
    serving.scrape()
    serving.services.control.performance.fresh_s = 3600.0
    return serving


def mapping_path(api: Api) -> str:
    return f"/mappings/{api.items('/mappings')[0]['id']}"


def test_a_plan_that_unmaps_shows_what_the_host_does_and_names_the_volume(busy: Serving) -> None:
    plan = busy.api.delete(mapping_path(busy.api), dry_run=True).json()
    (volume,) = plan["volumes"]
    assert (volume["name"], volume["busy"]) == ("data", True)
    assert volume["iops"] > 1
    assert volume["last_io_at"] is not None


@pytest.mark.parametrize("confirm", [{}, {"confirm": "other"}, {"confirm": ["other", "tank"]}])
def test_it_is_not_unmapped_unless_it_is_named(busy: Serving, confirm: dict[str, Any]) -> None:
    api = busy.api
    refused = api.delete(mapping_path(api), **confirm)
    assert (refused.status_code, refused.json()["type"]) == (409, "in-use")
    (volume,) = api.delete(mapping_path(api), dry_run=True).json()["volumes"]
    assert f"data ({volume['iops']:.1f} IOPS)" in refused.json()["detail"]
    assert [error["field"] for error in refused.json()["errors"]] == ["confirm"]
    assert api.items("/mappings")[0]["state"] == "open"


def test_undoing_its_mapping_and_a_document_need_the_name_too(busy: Serving) -> None:
    api = busy.api
    seq = next(one["seq"] for one in api.items("/events", kind="mapping.created") if "cluster" not in one["message"])
    assert api.post(f"/events/{seq}:undo", dry_run=True).json()["volumes"][0]["busy"]
    assert api.post(f"/events/{seq}:undo").status_code == 409
    request = {"site": {"mappings": []}, "destroy": ["mapping/data/host/db"]}
    assert api.post("/site:plan", request).json()["volumes"][0]["busy"]
    assert api.post("/site:apply", request).json()["type"] == "in-use"
    assert len(api.items("/mappings")) == 1
    assert not [job for job in api.items("/jobs") if job["kind"] == "site.apply"]


def test_a_named_one_is_removed_and_restored_by_undo(busy: Serving) -> None:
    api = busy.api
    assert api.delete(mapping_path(api), confirm=["data", "other"]).status_code == 204
    assert api.items("/mappings") == []
    plan = api.delete("/volumes/data", dry_run=True).json()
    assert plan["volumes"][0]["busy"], "its last I/O was a moment ago"
    assert api.delete("/volumes/data").status_code == 409
    assert api.post(f"/events/{last(api, 'mapping.deleted')}:undo").status_code == 201
    api.until(lambda: is_known(api))
    assert api.items("/mappings")[0]["state"] == "open"
    busy.log_in()


def test_an_initiator_that_is_logged_in_leaves_only_if_its_volumes_are_named(busy: Serving) -> None:
    api = busy.api
    plan = api.patch("/hosts/db", {"iqns": []}, dry_run=True).json()
    assert [(one["name"], one["busy"]) for one in plan["volumes"]] == [("data", True)]
    refused = api.patch("/hosts/db", {"iqns": []})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (409, "confirm")
    assert api.post("/site:apply", {"site": {"hosts": [{"name": "db", "iqns": []}]}}).json()["type"] == "in-use"
    assert api.get("/hosts/db")["iqns"] == [IQN]
    more = [IQN, "iqn.2026-01.com.example:spare"]
    assert api.patch("/hosts/db", {"iqns": more}, dry_run=True).json()["volumes"] == []
    assert api.patch("/hosts/db", {"iqns": more}).status_code == 200
    assert api.patch("/hosts/db", {"iqns": [IQN]}).status_code == 200, "nobody was logged in by that name"
    assert api.patch("/hosts/db", {"iqns": []}, confirm="data").status_code == 200
    assert api.patch("/hosts/db", {"iqns": [IQN]}).status_code == 200
    api.until(lambda: is_known(api) and api.items("/mappings")[0]["state"] == "open")
    busy.log_in()


def test_a_host_that_is_logged_in_leaves_its_group_only_if_its_volumes_are_named(busy: Serving) -> None:
    api = busy.api
    api.made("/hosts", {"name": "idle", "iqns": ["iqn.2026-01.com.example:idle"]})
    api.made("/host-groups", {"name": "cluster", "hosts": ["db", "idle"]})
    assert api.delete(mapping_path(api), confirm="data").status_code == 204
    mapping = api.made("/mappings", {"volume": "data", "host_group": "cluster", "lun": 7})
    api.until(lambda: api.items("/mappings")[0]["state"] == "open")
    busy.machine.login(IQN, api.get("/host-groups/cluster")["target_iqn"], f"{ADDRESS}:3260")
    plan = api.patch("/host-groups/cluster", {"hosts": ["idle"]}, dry_run=True).json()
    assert [(one["name"], one["busy"]) for one in plan["volumes"]] == [("data", True)]
    refused = api.patch("/host-groups/cluster", {"hosts": ["idle"]})
    assert (refused.status_code, refused.json()["type"]) == (409, "in-use")
    assert api.get("/host-groups/cluster")["hosts"] == ["db", "idle"]
    assert api.patch("/host-groups/cluster", {"hosts": ["db"]}).status_code == 200, "it was not logged in"
    assert api.patch("/host-groups/cluster", {"hosts": []}, confirm="data").status_code == 200
    assert api.delete(f"/mappings/{mapping['id']}", confirm="data").status_code == 204
    for path in ("/host-groups/cluster", "/hosts/idle"):
        assert api.delete(path).status_code == 204
    api.made("/mappings", {"volume": "data", "host": "db"})
    api.until(lambda: api.items("/mappings")[0]["state"] == "open")
    busy.log_in()


def test_what_was_never_counted_is_unknown_and_is_deleted_without_a_name(appliance: Api) -> None:
    make_array(appliance)
    appliance.made("/volumes", {"name": "v1", "array": "tank", "size_bytes": 64 * MIB})
    appliance.made("/hosts", {"name": "h1", "iqns": ["iqn.2026-01.com.example:h1"]})
    mapping = appliance.made("/mappings", {"volume": "v1", "host": "h1"})
    appliance.delete(f"/mappings/{mapping['id']}")
    plan = appliance.delete("/volumes/v1", dry_run=True).json()
    assert plan["volumes"] == [{"name": "v1", "iops": None, "last_io_at": None, "busy": False}]
    assert appliance.delete("/volumes/v1").status_code == 202
