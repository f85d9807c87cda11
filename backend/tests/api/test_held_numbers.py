"""A number that another volume had is given to a host only by a request that names that volume."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.tests.api.rebuilding import rebuilt, reinstalled, settled
from backend.tests.fakemachine import FakeSystem
from backend.tests.scene import make_array
from backend.tests.wiring import Api, add_token, make_services, running
from lunette.agent.core import Agent
from lunette.api.requests.services import ApiServices
from lunette.domain.roles import Role

PASSPHRASE = "correct horse battery"


@pytest.fixture
def services(tmp_path: Path, sqlite_url: str, agent: Agent) -> ApiServices:
    return make_services(tmp_path, agent, sqlite_url)


@pytest.fixture
def tank(services: ApiServices) -> Iterator[Api]:
    """Host h1 has volume `old` under LUN 1; there are the volumes `new` and `other` too."""
    with running(services) as http:
        api = Api(http, add_token(services.store, Role.ADMINISTRATOR))
        make_array(api)
        for name in ("old", "new", "other"):
            api.made("/volumes", {"name": name, "array": "tank", "size_bytes": 64 * 1024**2})
        api.made("/hosts", {"name": "h1", "os_type": "linux", "iqns": ["iqn.2001-04.com.example:h1"]})
        api.made("/mappings", {"volume": "old", "host": "h1"})
        yield api


def unmap(api: Api, volume: str = "old") -> None:
    (found,) = api.items("/mappings", volume=volume)
    answer = api.call("DELETE", f"/mappings/{found['id']}", headers={"If-Match": "*"})
    assert answer.status_code == 204, answer.text


def post(api: Api, path: str, body: Any, **query: Any) -> Any:
    return api.call("POST", path, json=body, params=query)


def luns(api: Api) -> dict[str, int]:
    return {one["volume"]: one["lun"] for one in api.items("/mappings")}


@pytest.mark.parametrize("form", ["one", "batch"])
def test_a_number_is_reused_only_where_its_old_volume_is_named(tank: Api, form: str) -> None:
    unmap(tank)
    spec: dict[str, Any] = {"volume": "new", "host": "h1", "lun": 1}
    path, body = ("/mappings", spec) if form == "one" else ("/mappings:create-batch", {"mappings": [spec]})
    plan = post(tank, path, body, dry_run=True).json()
    assert plan["reused"] == [{"number": "LUN 1", "owner": "h1", "volume": "new", "former": "old"}]
    for confirm in ([], ["new"]):
        refused = post(tank, path, body, confirm=confirm)
        assert (refused.status_code, refused.json()["type"].rpartition("/")[2]) == (409, "in-use")
        assert "LUN 1 of h1 (volume old)" in refused.json()["detail"]
    assert luns(tank) == {}
    assert post(tank, path, body, confirm=["old"]).status_code == 201
    assert luns(tank) == {"new": 1}


def test_without_a_number_the_next_one_is_given(tank: Api) -> None:
    unmap(tank)
    plan = post(tank, "/mappings", {"volume": "new", "host": "h1"}, dry_run=True).json()
    assert plan["reused"] == []
    assert any("LUN 1 (old)" in line for line in plan["warnings"])
    tank.made("/mappings", {"volume": "new", "host": "h1"})
    tank.made("/mappings", {"volume": "old", "host": "h1", "lun": 1})
    assert luns(tank) == {"new": 2, "old": 1}


def test_a_document_that_gives_the_number_at_once_to_another_volume_has_to_name_the_old_one(tank: Api) -> None:
    request = {
        "site": {"mappings": [{"volume": "new", "host": "h1", "lun": 1}]},
        "destroy": ["mapping/old/host/h1"],
    }
    plan = post(tank, "/site:plan", request).json()
    assert [one["former"] for one in plan["reused"]] == ["old"]
    assert post(tank, "/site:apply", request).status_code == 409
    assert luns(tank) == {"old": 1}
    tank.done(post(tank, "/site:apply", request, confirm="old").json())
    assert luns(tank) == {"new": 1}


def test_a_document_that_gives_a_volume_its_number_again_needs_no_confirmation(tank: Api) -> None:
    unmap(tank)
    request = {"site": {"mappings": [{"volume": "old", "host": "h1", "lun": 1}]}}
    assert post(tank, "/site:plan", request).json()["reused"] == []
    tank.done(post(tank, "/site:apply", request).json())
    assert luns(tank) == {"old": 1}


def test_a_backup_of_before_holds_back_what_hosts_got_since(tank: Api) -> None:
    """The backup knows of no number but that of `old`; the host has one of `new`, and may have one of `other`."""
    for volume in ("new", "other"):
        tank.made("/mappings", {"volume": volume, "host": "h1"})
    unmap(tank, "new")
    file = post(tank, "/appliance:backup", {"passphrase": PASSPHRASE}).content
    tank.made("/mappings", {"volume": "new", "host": "h1"})
    unmap(tank, "other")
    unmap(tank, "new")
    body = {"content": base64.b64encode(file).decode(), "passphrase": PASSPHRASE}
    answer = post(tank, "/appliance:restore", body)
    assert answer.status_code == 200, answer.text
    assert luns(tank) == {"old": 1, "other": 3}
    unmap(tank, "other")
    plan = post(tank, "/mappings", {"volume": "other", "host": "h1", "lun": 2}, dry_run=True).json()
    assert [one["former"] for one in plan["reused"]] == ["new"]


def test_numbers_that_hosts_may_still_have_are_held_back_again(
    tank: Api, services: ApiServices, machine: FakeSystem, tmp_path: Path
) -> None:
    unmap(tank)
    settled(services)
    with reinstalled(machine, services, tmp_path / "new") as (fresh, _):
        words = "Number 1 is reserved for iqn.2001-04.com.example:h1: it belonged to volume old"
        assert words in rebuilt(fresh, dry_run=True)["changes"]
        rebuilt(fresh)
        assert fresh.made("/mappings", {"volume": "new", "host": "h1"})["lun"] == 2
