"""The site document over HTTP: what is exported can be applied, and nothing goes that is not named."""

import json
from pathlib import Path
from typing import Any

import pytest

from backend.tests.agent.exports import dhchap_key
from backend.tests.scene import ADDRESS, disk_ids, make_scene
from backend.tests.wiring import Api, add_token
from lunette.api.requests.services import ApiServices
from lunette.domain.roles import Role
from lunette.domain.site import Site

CHAP = {"user": "h1", "secret": "secret-of-h1-00"}


def document(api: Api, **sections: Any) -> dict[str, Any]:
    whole = {
        "arrays": [{"name": "tank", "level": "raid1", "disks": disk_ids(api)[:2]}],
        "volumes": [{"name": "v1", "array": "tank", "size_bytes": "16MiB"}],
        "hosts": [{"name": "h1", "iqns": ["iqn.2026-01.com.example:h1"], "chap": CHAP}],
        "portals": [{"name": "front", "address": ADDRESS}],
        "mappings": [{"volume": "v1", "host": "h1"}],
    }
    return whole | sections


def test_a_document_is_planned_applied_and_exported_again(appliance: Api) -> None:
    site = document(appliance)
    plan = appliance.post("/site:plan", {"site": site})
    assert (plan.status_code, plan.json()["bytes_destroyed"]) == (200, 0)
    assert [f"{c['action']} {c['noun']} {c['name']}" for c in plan.json()["changes"]] == [
        "create array tank",
        "create volume v1",
        "create host h1",
        "create portal front",
        "create mapping v1",
    ]
    assert appliance.items("/jobs") == []
    job = appliance.made("/site:apply", {"site": site})
    assert [(step["kind"], step["description"]) for step in job["steps"]][:2] == [
        ("array.create", "Create array tank"),
        ("volume.create", "Create volume v1"),
    ]
    assert job["steps"][0]["devices"] == site["arrays"][0]["disks"]
    assert (job["message"], job["progress_percent"]) == ("done", 100.0)
    exported = appliance.get("/site")
    assert exported["mappings"] == [{"volume": "v1", "host": "h1", "lun": 1, "family": "scsi", "shared": False}]
    assert exported["hosts"][0]["chap"] == {"user": "h1", "mutual_user": None}
    again = appliance.post("/site:apply", {"site": exported})
    assert (again.status_code, again.json()["changes"]) == (200, [])
    assert [event["actor"] for event in appliance.items("/events", noun="host")] == [job["actor"]]


def test_the_keys_of_an_nvme_host_are_retained_and_removed_by_null(api: Api) -> None:
    def apply(**host: Any) -> Any:
        return api.post("/site:apply", {"site": {"hosts": [{"name": "h1", **host}]}})

    nqns = ["nqn.2026-01.com.example:h1"]
    dhchap = {"secret": dhchap_key(1), "mutual_secret": dhchap_key(2), "hash": "sha512"}
    api.done(apply(nqns=nqns, dhchap=dhchap).json())
    assert apply(nqns=nqns, dhchap=dhchap).status_code == 200, "applied twice it changes nothing"
    exported = api.get("/site")["hosts"][0]["dhchap"]
    assert exported == {"is_mutual": True, "hash": "sha512", "dh_group": "ffdhe2048"}
    assert apply(dhchap=exported).status_code == 200
    elsewhere = api.post("/site:plan", {"site": {"hosts": [{"name": "h2", "dhchap": exported}]}})
    assert [error["field"] for error in elsewhere.json()["errors"]] == ["hosts[0].dhchap.secret"]
    api.done(apply(dhchap=None).json())
    assert (api.get("/hosts/h1")["dhchap"], api.get("/site")["hosts"][0]["dhchap"]) == (None, None)


@pytest.mark.timeout(300)
def test_the_scene_of_the_lab_survives_its_own_document(appliance: Api) -> None:
    make_scene(appliance)
    exported = appliance.get("/site")
    assert {name: len(section) for name, section in exported.items() if isinstance(section, list)} == {
        "arrays": 1,
        "volumes": 8,
        "hosts": 4,
        "host_groups": 0,
        "portals": 1,
        "fc_ports": 0,
        "mappings": 8,
        "schedules": 0,
    }
    assert appliance.post("/site:plan", {"site": exported}).json()["changes"] == []
    everything = [f"mapping/{m['volume']}/host/{m['host']}" for m in exported["mappings"]]
    everything += [f"volume/{v['name']}" for v in exported["volumes"]] + ["array/tank", "portal/front"]
    everything += [f"host/{h['name']}" for h in exported["hosts"]]
    empty: dict[str, list[Any]] = {name: [] for name, section in exported.items() if isinstance(section, list)}
    body = {"site": empty, "destroy": everything}
    plan = appliance.post("/site:plan", body).json()
    assert plan["bytes_destroyed"] > 8 * 16 * 1024**2
    assert appliance.post("/site:plan", {"site": empty}).json()["changes"] == []
    appliance.done(appliance.post("/site:apply", body).json(), deadline_s=200)
    assert {name: appliance.get("/site")[name] for name in empty} == empty


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"site": {"hosts": [{"name": "h1", "chap": {"user": "u"}}]}}, 422, "hosts[0].chap.secret"),
        ({"site": {"volumes": [{"name": "v", "array": "nope", "size_bytes": "16MiB"}]}}, 422, "volumes[0].array"),
        ({"site": {"hots": []}}, 422, "site.hots"),
        ({"site": {}, "destroy": ["everything"]}, 422, "destroy[0]"),
        ({"site": {}, "scope": ["mapping/v/host/h"]}, 422, "scope[0]"),
    ],
)
def test_a_refusal_names_the_place_in_the_document(appliance: Api, body: Any, status: int, field: str) -> None:
    for path in ("/site:plan", "/site:apply"):
        refused = appliance.post(path, body)
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (status, field)
    assert appliance.items("/jobs") == []


def test_without_the_agent_hosts_can_be_applied_and_disks_cannot(api: Api) -> None:
    hosts = {"hosts": [{"name": "h1", "iqns": ["iqn.2026-01.com.example:h1"]}]}
    job = api.made("/site:apply", {"site": hosts})
    assert job["state"] == "succeeded"
    assert api.get("/hosts/h1")["name"] == "h1"
    refused = api.post("/site:plan", {"site": {"arrays": [{"name": "a", "level": "raid1", "disks": ["x", "y"]}]}})
    assert (refused.status_code, refused.json()["type"]) == (503, "unavailable")


def test_who_may_read_plan_and_apply(api: Api, services: ApiServices) -> None:
    def statuses(role: Role) -> list[int]:
        asked = Api(api.http, add_token(services.store, role))
        return [
            asked.call("GET", "/site").status_code,
            asked.post("/site:plan", {"site": {}}).status_code,
            asked.post("/site:apply", {"site": {}}).status_code,
        ]

    assert statuses(Role.VIEWER) == [200, 403, 403]
    assert statuses(Role.OPERATOR) == [200, 200, 403]
    assert statuses(Role.ADMINISTRATOR) == [200, 200, 200]


def test_the_schema_of_the_document_is_published(api: Api) -> None:
    schema = api.get("/site:schema")
    assert schema["properties"].keys() == Site.model_fields.keys()
    committed = Path(__file__).parents[3] / "docs/reference/site.schema.json"
    assert json.loads(committed.read_text()) == schema, "run `make generate`"
