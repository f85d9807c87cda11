"""Export to targetcli over HTTP: who may have the secrets, and what is reported."""

import json
from pathlib import Path

import pytest

from backend.tests.fakemachine import FakeSystem
from backend.tests.scene import ADDRESS, make_array
from backend.tests.wiring import Api, add_token
from lunette.api.requests.services import ApiServices
from lunette.domain.roles import Role

IQN = "iqn.2026-01.com.example:db"
NQN = "nqn.2014-08.org.nvmexpress:uuid:12345678-1234-4234-8234-123456789abc"
SECRET = "secret-of-host"
CHAP = {"user": "db", "secret": SECRET, "mutual_user": "us", "mutual_secret": "secret-of-us"}


@pytest.fixture
def fake_services(appliance_on_sqlite: tuple[Api, ApiServices]) -> ApiServices:
    return appliance_on_sqlite[1]


@pytest.fixture
def mapped(appliance_on_sqlite: tuple[Api, ApiServices]) -> Api:
    """A host with CHAP and two volumes, a portal, and an unmapped volume."""
    appliance = appliance_on_sqlite[0]
    make_array(appliance)
    for name in ("one", "two", "idle"):
        appliance.made("/volumes", {"name": name, "array": "tank", "size_bytes": "16MiB"})
    appliance.made("/hosts", {"name": "db", "iqns": [IQN], "chap": CHAP})
    appliance.made("/portals", {"name": "front", "address": ADDRESS})
    appliance.made("/mappings", {"volume": "one", "host": "db", "lun": 4})
    appliance.made("/mappings", {"volume": "two", "host": "db", "lun": 0})
    return appliance


def test_the_document_retains_identities_and_numbers(mapped: Api) -> None:
    document = mapped.get("/site:saveconfig", secrets=True)["document"]
    volumes = {one["name"]: one for one in mapped.items("/volumes")}
    wwns = {one["name"]: one["wwn"] for one in document["storage_objects"]}
    assert wwns == {f"lunette-{volumes[name]['id']}": volumes[name]["serial"] for name in ("one", "two")}
    (target,) = document["targets"]
    assert (target["wwn"], target["fabric"]) == (mapped.get("/hosts/db")["target_iqn"], "iscsi")
    (group,) = target["tpgs"]
    assert {lun["index"]: lun["storage_object"].rpartition("-")[0] for lun in group["luns"]}.keys() == {0, 4}
    (acl,) = group["node_acls"]
    assert (acl["node_wwn"], acl["chap_password"]) == (IQN, SECRET)
    assert [(one["index"], one["tpg_lun"]) for one in acl["mapped_luns"]] == [(0, 0), (4, 4)]


def test_administrators_get_secrets_on_request_and_it_is_recorded(mapped: Api, fake_services: ApiServices) -> None:
    for role, status in ((Role.VIEWER, 403), (Role.OPERATOR, 403), (Role.ADMINISTRATOR, 200)):
        asking = Api(mapped.http, add_token(fake_services.store, role))
        assert asking.call("GET", "/site:saveconfig", params={"secrets": "true"}).status_code == status, role
        without = asking.call("GET", "/site:saveconfig")
        assert (without.status_code, without.json()["has_secrets"]) == (200, False)
        assert SECRET not in without.text
        assert "CHAP secrets of db" in without.json()["left_out"][0]
    reported = [one for one in mapped.items("/events") if one["kind"] == "site.secrets_read"]
    assert len(reported) == 1
    assert SECRET not in json.dumps(reported)


def test_without_the_agent_it_can_still_be_left(api: Api) -> None:
    found = api.get("/site:saveconfig")
    assert (found["document"]["targets"], found["has_secrets"]) == ([], True)


def test_volumes_over_nvme_are_named_as_left_out(appliance: Api, machine: FakeSystem) -> None:
    machine.run(["modprobe", "nvmet-tcp"])
    make_array(appliance)
    appliance.made("/volumes", {"name": "v", "array": "tank", "size_bytes": "16MiB"})
    appliance.made("/hosts", {"name": "n", "nqns": [NQN]})
    appliance.made("/mappings", {"volume": "v", "host": "n"})
    found = appliance.get("/site:saveconfig")
    assert found["document"]["targets"] == []
    assert found["left_out"][0].startswith("v over NVMe")


def test_operators_may_inspect_a_configuration_and_nothing_is_stored(api: Api, services: ApiServices) -> None:
    shape = Path(__file__).parents[1] / "planner/saveconfigs/several-portal-groups.json"
    body = {"saveconfig": json.loads(shape.read_text())}
    before = api.items("/events")
    for role, status in ((Role.VIEWER, 403), (Role.OPERATOR, 200)):
        assert Api(api.http, add_token(services.store, role)).post("/site:inspect", body).status_code == status
    reported = api.post("/site:inspect", body).json()
    assert reported["fits"] + reported["refused"] == len(reported["findings"])
    assert any("2 enabled portal groups" in one["words"] for one in reported["findings"])
    assert api.items("/events") == before
    assert (api.items("/hosts"), api.items("/portals")) == ([], [])


def test_a_secret_in_a_configuration_that_cannot_be_read_is_not_repeated(api: Api) -> None:
    acl = {"chap_password": "hunter2hunter2", "mapped_luns": []}
    body = {"saveconfig": {"targets": [{"wwn": "iqn.x", "fabric": "iscsi", "tpgs": [{"node_acls": [acl]}]}]}}
    refused = api.post("/site:inspect", body)
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "saveconfig.targets[0].tpgs[0].node_acls[0].node_wwn"
    assert "hunter2" not in refused.text
