"""Foreign arrays over HTTP: a list, two verbs with plans, and the way back where the database was lost."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from backend.tests.api.rebuilding import rebuilt, reinstalled, settled
from backend.tests.fakemachine import FakeSystem
from backend.tests.faults.foreign_targets import UUID, make_group
from backend.tests.wiring import Api, add_token, make_services, running
from lunette.agent.core import Agent
from lunette.api.requests.services import ApiServices
from lunette.domain.roles import Role

WAY = f"/foreign-arrays/{UUID}"


@contextmanager
def appliance(folder: Path, agent: Agent, url: str) -> Iterator[tuple[Api, ApiServices]]:
    services = make_services(folder, agent, url)
    with running(services) as http:
        yield Api(http, add_token(services.store, Role.ADMINISTRATOR)), services


@pytest.fixture
def standing(tmp_path: Path, database_url: str, agent: Agent) -> Iterator[tuple[Api, ApiServices]]:
    with appliance(tmp_path, agent, database_url) as made:
        yield made


def brought(machine: FakeSystem) -> None:
    make_group(machine, machine.blocks.disks[:2], ("db", "web"))
    machine.run(["vgchange", "-an", "srv"])
    machine.run(["lvm", "lvmdevices", "-y", "--deldev", "/dev/md/0"])
    machine.run(["mdadm", "--stop", "/dev/md/0"])


def finished(api: Api, verb: str, body: object = None) -> None:
    answer = api.post(f"{WAY}:{verb}", body)
    assert answer.status_code == 202, answer.text
    job = answer.json()["id"]
    api.until(lambda: api.get(f"/jobs/{job}")["state"] == "succeeded")


def test_disks_of_another_machine_are_seen_started_and_adopted(
    standing: tuple[Api, ApiServices], machine: FakeSystem
) -> None:
    api, _ = standing
    brought(machine)
    (found,) = api.items("/foreign-arrays")
    assert (found["id"], found["home_host"], found["next"], found["group"]) == (UUID, "old", "start", None)
    refused = api.post(f"{WAY}:adopt", {})
    assert (refused.status_code, "start it and check its content first" in refused.json()["detail"]) == (409, True), (
        refused.text
    )
    finished(api, "start")
    (found,) = api.items("/foreign-arrays")
    assert (found["read_only"], found["next"], [one["name"] for one in found["volumes"]]) == (
        True,
        "adopt",
        ["db", "web"],
    )
    plan = api.post(f"{WAY}:adopt", {"volumes": ["db"]}, dry_run=True).json()
    assert [step["kind"] for step in plan["steps"]] == ["md.open", "group.adopt"]
    assert (plan["bytes_destroyed"], api.items("/arrays")) == (0, [])
    finished(api, "adopt", {"volumes": ["db"], "name": "archive"})
    (left,) = api.items("/foreign-arrays")
    assert (left["array"], [one["name"] for one in left["volumes"]]) == ("archive", ["web"])
    assert [one["name"] for one in api.items("/arrays")] == ["archive"]
    assert [one["name"] for one in api.items("/volumes")] == ["db"]
    assert api.post(f"{WAY}:start").status_code == 409
    finished(api, "adopt", {})
    assert api.items("/foreign-arrays") == []
    assert api.post(f"{WAY}:start").status_code == 404


def test_an_adopted_array_is_rebuilt_where_the_database_was_lost(
    standing: tuple[Api, ApiServices], machine: FakeSystem, tmp_path: Path
) -> None:
    api, services = standing
    brought(machine)
    finished(api, "start")
    finished(api, "adopt", {"name": "archive"})
    settled(services)
    before = {one["name"]: one["naa"] for one in api.items("/volumes")}
    with reinstalled(machine, services, tmp_path / "new") as (fresh, _new):
        (found,) = fresh.items("/foreign-arrays")
        assert found["next"] == "start", "md's name is another's, and more is not seen before it runs"
        finished(fresh, "start")
        (found,) = fresh.items("/foreign-arrays")
        assert (found["next"], "rebuild" in found["reason"]) == ("rebuild", True)
        assert fresh.post(f"{WAY}:adopt", {}).status_code == 409
        (array,) = rebuilt(fresh)["arrays"]
        assert (array["name"], array["volumes"], array["chosen"]) == ("archive", 2, True)
        assert {one["name"]: one["naa"] for one in fresh.items("/volumes")} == before
        assert fresh.items("/foreign-arrays") == []
