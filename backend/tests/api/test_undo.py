"""Undo as clients see it: the event tells whether, a dry run tells what, and who may."""

from backend.tests.scene import make_array
from backend.tests.wiring import Api, add_token
from lunette.api.requests.services import ApiServices
from lunette.domain.roles import Role

GIB = 1024**3
HOST = {"name": "h1", "iqns": ["iqn.2026-01.com.example:h1"]}


def last(api: Api, kind: str) -> int:
    """The number of the newest event of this kind."""
    return int(api.get("/events", kind=kind)["items"][0]["seq"])


def test_a_deleted_mapping_is_planned_brought_back_and_served_under_its_number(appliance: Api) -> None:
    make_array(appliance)
    appliance.made("/volumes", {"name": "v1", "array": "tank", "size_bytes": GIB})
    appliance.made("/hosts", HOST)
    mapping = appliance.made("/mappings", {"volume": "v1", "host": "h1", "lun": 7})
    deleted = appliance.delete(f"/mappings/{mapping['id']}")
    seq = last(appliance, "mapping.deleted")
    assert (deleted.status_code, deleted.headers["Lunette-Event"]) == (204, str(seq))
    shown = appliance.get(f"/events/{seq}")
    assert shown["undo"] == {"possible": True, "reason": None, "undone_by": None}
    assert [change["detail"] for change in shown["changes"]] == ["h1 loses LUN 7, which stays reserved for 24 hours"]
    plan = appliance.post(f"/events/{seq}:undo", dry_run=True)
    assert (plan.status_code, plan.json()["title"]) == (200, f"Undo event {seq}: Unmap volume v1 from h1")
    assert appliance.items("/mappings") == []
    done = appliance.post(f"/events/{seq}:undo")
    assert done.status_code == 201
    assert done.headers["Location"] == f"/api/v1/events/{done.json()['seq']}"
    assert done.json()["undo"]["possible"]
    (back,) = appliance.items("/mappings")
    assert (back["id"], back["lun"]) == (mapping["id"], 7)
    assert appliance.get(f"/events/{seq}")["undo"]["undone_by"] == done.json()["seq"]
    again = appliance.post(f"/events/{seq}:undo")
    assert (again.status_code, again.json()["type"]) == (409, "conflict")


def test_what_holds_data_says_why_not_in_its_event_and_its_job(appliance: Api) -> None:
    make_array(appliance)
    (job,) = appliance.items("/jobs")
    assert not job["undo"]["possible"]
    assert "Hosts may already have written data" in job["undo"]["reason"]
    seq = last(appliance, "array.created")
    assert appliance.get(f"/events/{seq}")["undo"]["reason"] == job["undo"]["reason"]
    assert appliance.post(f"/events/{seq}:undo").status_code == 409


def test_undo_needs_the_role_of_the_opposite_change(api: Api, services: ApiServices) -> None:
    made = api.patch("/settings", {"session_hours": 5})
    assert made.status_code == 200
    seq = last(api, "setting.changed")
    api.made("/hosts", HOST)
    operator = Api(api.http, add_token(services.store, Role.OPERATOR))
    refused = operator.post(f"/events/{seq}:undo")
    assert (refused.status_code, "administrator" in refused.json()["detail"]) == (403, True)
    assert operator.post(f"/events/{last(api, 'host.created')}:undo").status_code == 201
    viewer = Api(api.http, add_token(services.store, Role.VIEWER))
    assert viewer.get(f"/events/{seq}")["undo"]["possible"]
    assert viewer.post(f"/events/{seq}:undo").status_code == 403
    assert api.post(f"/events/{seq}:undo").status_code == 201
    assert api.get("/settings")["session_hours"] == 12


def test_the_same_request_under_one_key_undoes_once(api: Api) -> None:
    api.made("/hosts", HOST)
    seq, key = last(api, "host.created"), {"Idempotency-Key": "undo-1"}
    first = api.post(f"/events/{seq}:undo", headers=key)
    again = api.post(f"/events/{seq}:undo", headers=key)
    assert (first.status_code, again.json()) == (201, first.json())
    assert api.items("/hosts") == []


def test_an_unknown_event_is_refused(api: Api) -> None:
    assert api.call("GET", "/events/99999").status_code == 404
    assert api.call("GET", "/events/none").status_code == 422
    assert api.post("/events/99999:undo").status_code == 404


def test_a_schedule_is_restored_as_it_was_and_its_plan_says_what_it_lost(appliance: Api) -> None:
    make_array(appliance)
    volume = {"name": "t1", "array": "tank", "size_bytes": "64MiB", "provisioning": "thin"}
    appliance.made("/volumes", volume)
    spec = {"name": "nightly", "action": "snapshot", "volumes": ["t1"], "when": "0 3 * * *", "keep": {"last": 2}}
    made = appliance.made("/schedules", spec)
    changed = appliance.patch("/schedules/nightly", {"when": "0 4 * * *", "enabled": False, "keep": {"daily": 3}})
    assert changed.status_code == 200
    patched = last(appliance, "schedule.changed")
    assert appliance.delete("/schedules/nightly").status_code == 204
    deleted = last(appliance, "schedule.deleted")
    early = appliance.post(f"/events/{patched}:undo")
    assert (early.status_code, "no longer exists" in early.json()["detail"]) == (409, True)
    plan = appliance.post(f"/events/{deleted}:undo", dry_run=True).json()
    assert any("does not delete snapshots that it took before" in line for line in plan["warnings"])
    assert appliance.post(f"/events/{deleted}:undo").status_code == 201
    assert appliance.post(f"/events/{patched}:undo").status_code == 201
    back = appliance.get("/schedules/nightly")
    fields = ("id", "name", "volumes", "when", "keep", "enabled", "snapshot_name", "missed")
    assert {name: back[name] for name in fields} == {name: made[name] for name in fields}
