"""Where machine and database differ. An older or empty database removes nothing, and the difference is reported."""

import shutil
import sqlite3
from pathlib import Path

import pytest

from backend.tests.api.test_metrics import IQN
from backend.tests.fakemachine import FakeSystem
from backend.tests.fakemachine.network.traffic import Io
from backend.tests.scene import ADDRESS, make_array
from backend.tests.wiring import Api, add_token, make_services, running
from lunette.agent.core import Agent
from lunette.api.requests.services import ApiServices
from lunette.domain.roles import Role

PORTAL = f"{ADDRESS}:3260"


def serve_first(api: Api) -> str:
    """Volume `data` for host `db`; the name of its target."""
    make_array(api)
    api.made("/volumes", {"name": "data", "array": "tank", "size_bytes": "64MiB"})
    api.made("/hosts", {"name": "db", "iqns": [IQN]})
    api.made("/portals", {"name": "front", "address": ADDRESS})
    api.made("/mappings", {"volume": "data", "host": "db"})
    api.until(lambda: api.items("/mappings")[0]["state"] == "open")
    return str(api.get("/hosts/db")["target_iqn"])


def kinds(api: Api) -> dict[str, set[str]]:
    """Names by kind of difference."""
    found: dict[str, set[str]] = {}
    for one in api.get("/drift")["items"]:
        assert one["words"]
        assert one["fix"]
        found.setdefault(one["kind"], set()).add(f"{one['noun']} {one['name']}")
    return found


def read_both(machine: FakeSystem, target: str) -> None:
    """The host logs in again and reads from both of its volumes."""
    session = machine.login(IQN, target, PORTAL)
    for lun in (1, 2):
        machine.carry(session, lun, Io(reads=1, read_bytes=4096))


def test_what_is_as_wanted_has_no_drift(appliance: Api) -> None:
    serve_first(appliance)
    appliance.until(lambda: appliance.get("/drift") == {"items": [], "complete": True, "unseen": [], "repaired": 0})


def test_without_the_agent_it_says_what_was_not_checked(api: Api) -> None:
    found = api.get("/drift")
    assert (found["items"], found["complete"], found["repaired"]) == ([], False, None)
    assert [one.partition(":")[0] for one in found["unseen"]] == ["arrays and volumes", "exports"]


@pytest.mark.parametrize("restored", ["of yesterday", "empty"])
def test_a_database_that_knows_less_takes_nothing_away_and_is_reported(
    restored: str, tmp_path: Path, machine: FakeSystem, agent: Agent
) -> None:
    first = tmp_path / "first"
    services = make_services(first, agent)
    with running(services) as http:
        api = Api(http, add_token(services.store, Role.ADMINISTRATOR))
        target = serve_first(api)
        with sqlite3.connect(first / "lunette.db") as live, sqlite3.connect(tmp_path / "yesterday.db") as copy:
            live.backup(copy)
        api.made("/volumes", {"name": "more", "array": "tank", "size_bytes": "64MiB"})
        api.made("/mappings", {"volume": "more", "host": "db"})
        api.until(lambda: {one["state"] for one in api.items("/mappings")} == {"open"})
        read_both(machine, target)
    second = tmp_path / "second"
    second.mkdir()
    if restored == "of yesterday":
        shutil.copy(tmp_path / "yesterday.db", second / "lunette.db")
    services = make_services(second, agent)
    with running(services) as http:
        api = Api(http, add_token(services.store, Role.ADMINISTRATOR))
        api.until(lambda: "refused" in kinds(api))
        found = kinds(api)
        assert any(name.startswith("volume ") for name in found["unknown"])
        assert any(name.startswith("array ") for name in found["unknown"]) is (restored == "empty")
        read_both(machine, target)
        for _ in range(3):
            services.control._reconciler.round()
        read_both(machine, target)


def test_a_portal_that_was_removed_from_configfs_is_restored(appliance: Api, machine: FakeSystem) -> None:
    target = serve_first(appliance)
    portal = f"/sys/kernel/config/target/iscsi/{target}/tpgt_1/np/{PORTAL}"
    machine.rmdir(portal)
    assert not machine.is_dir(portal)
    assert appliance.patch("/hosts/db", {"description": "wakes the reconciler"}).status_code == 200
    appliance.until(lambda: machine.is_dir(portal))
    machine.login(IQN, target, PORTAL)
    appliance.until(lambda: appliance.get("/drift") == {"items": [], "complete": True, "unseen": [], "repaired": 0})


def test_foreign_removals_are_restored_and_reported_once(
    appliance_on_sqlite: tuple[Api, ApiServices], machine: FakeSystem, agent: Agent
) -> None:
    appliance, services = appliance_on_sqlite
    target = serve_first(appliance)
    group = f"/sys/kernel/config/target/iscsi/{target}/tpgt_1"
    mapped, lun = f"{group}/acls/{IQN}/lun_1", f"{group}/lun/lun_1"
    assert agent.bring_up()
    assert appliance.items("/events", kind="export.repaired") == [], "what was asked for is no repair"
    for turn in range(2):
        with services.control._reconciler.held():
            machine.unlink(f"{mapped}/lun")
            machine.rmdir(mapped)
            machine.unlink(f"{lun}/volume")
            machine.rmdir(lun)
            assert agent.bring_up(), "its own round, with nobody to tell"
            assert machine.is_dir(mapped)
            assert machine.is_dir(lun)
        assert appliance.patch("/hosts/db", {"description": f"wakes the reconciler {turn}"}).status_code == 200
        appliance.until(lambda: appliance.items("/events", kind="export.repaired") != [])
    (event,) = appliance.items("/events", kind="export.repaired")
    assert event["message"] == (
        "Exports were changed by something other than the appliance and were restored: "
        f"host db: iscsi/{target}/tpgt_1/lun/lun_1 was missing; "
        f"host db: iscsi/{target}/tpgt_1/acls/{IQN}/lun_1 was missing"
    )
    assert event["actor"] == "system"
