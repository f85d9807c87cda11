"""A system drive that is full: reads and what takes access away go on, and what adds something is refused."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from backend.tests.api.test_main import started
from backend.tests.databases import fresh_file
from backend.tests.fakemachine import FakeSystem
from backend.tests.full_disk import empty, fill, small_file_system
from backend.tests.scene import make_scene
from backend.tests.wiring import PACE, QUICK, Api, add_token, make_services, running
from lunette.agent.core import Agent
from lunette.api.appliance.certificate import ensure_certificate
from lunette.api.auth.first_user import ensure_first_user
from lunette.api.auth.passwords import OneTimePassword, Passwords
from lunette.api.events.feed import EventFeed
from lunette.api.requests.services import ApiServices
from lunette.domain.roles import Role
from lunette.engine.conditions import system_drive
from lunette.engine.conditions.system_drive import LEAST_BYTES, DriveSpace
from lunette.engine.control import Control
from lunette.providers.exports.lio.converge import exported_volumes
from lunette.store.database import Store
from lunette.store.secrets import SecretBox

SIZE_BYTES = 128 << 20
WORDS = "The system drive is full: "


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with small_file_system(tmp_path / "small", SIZE_BYTES) as made:
        yield made


@pytest.fixture
def appliance_on_small(folder: Path, agent: Agent) -> Iterator[tuple[Api, ApiServices]]:
    """The whole control plane over the fake machine, with its database on a file system that can be filled."""
    services = make_services(folder, agent)
    services.store.close()
    store = Store.open(fresh_file(folder), services.store.box, lasting=True)
    control = Control(store, agent, pace=PACE, room=system_drive.look_at(folder))
    services = replace(services, store=store, control=control, feed=EventFeed(store))
    with running(services) as http:
        yield Api(http, add_token(services.store, Role.ADMINISTRATOR)), services


@pytest.mark.root
def test_a_volume_is_taken_from_its_host_and_nothing_is_added_while_the_drive_is_full(
    appliance_on_small: tuple[Api, ApiServices], machine: FakeSystem, folder: Path
) -> None:
    api, _ = appliance_on_small
    make_scene(api, volumes=4)
    api.until(lambda: len(exported_volumes(machine)) == 4)
    fill(folder)
    machine.faults.break_calls(lambda call: call.name.endswith("_durably"))
    for path in ("/status", "/volumes", "/mappings", "/site", "/events"):
        assert api.call("GET", path).status_code == 200, path
    first, second = api.items("/mappings")[:2]
    assert api.delete(f"/mappings/{first['id']}").status_code == 204
    api.until(lambda: first["volume_id"] not in exported_volumes(machine))
    for path, body in (
        ("/hosts", {"name": "late", "iqns": ["iqn.2026-01.com.example:late"]}),
        ("/mappings", {"volume": first["volume"], "host": first["host"]}),
        ("/site:apply", {"site": {"hosts": [{"name": "late"}]}}),
    ):
        for dry_run in (True, False):
            refused = api.post(path, body, dry_run=dry_run)
            assert (refused.status_code, refused.json()["type"]) == (503, "unavailable"), refused.text
            assert refused.json()["detail"].startswith(WORDS)
    gone = api.get(f"/hosts/{second['host']}")
    assert api.patch(f"/hosts/{gone['id']}", {"iqns": ["iqn.2026-01.com.example:other"]}).status_code == 200
    assert api.delete(f"/mappings/{second['id']}").status_code == 204
    api.until(lambda: second["volume_id"] not in exported_volumes(machine))
    assert api.delete(f"/hosts/{gone['id']}").status_code == 204
    api.until(lambda: "exports.unkept" in {alert["key"] for alert in api.items("/alerts")})
    assert not {alert["key"] for alert in api.items("/alerts")} & {"agent.away", "exports.failed"}
    machine.faults.disarm()
    empty(folder)
    api.until(lambda: "exports.unkept" not in {a["key"] for a in api.items("/alerts") if a["resolved_at"] is None})
    assert len(exported_volumes(machine)) == 2
    assert api.made("/hosts", {"name": "late"})["name"] == "late"


@pytest.mark.parametrize(
    ("room", "refused"),
    [
        (None, False),
        (DriveSpace("/var/lib/lunette", 97 << 30, 3 << 30), False),
        (DriveSpace("/v", 98 << 30, 2 << 30), True),
        (DriveSpace("/v", 50 << 20, LEAST_BYTES), False),
        (DriveSpace("/v", 50 << 20, LEAST_BYTES - 1), True),
    ],
)
def test_nothing_is_added_from_98_percent_or_where_little_is_free(
    appliance_on_sqlite: tuple[Api, ApiServices], room: DriveSpace | None, refused: bool
) -> None:
    api, services = appliance_on_sqlite
    services.control.room = lambda: room
    made = api.post("/hosts", {"name": "h1"})
    assert (made.status_code == 503) == refused, made.text
    services.control.room = lambda: None
    made = api.get("/hosts/h1") if not refused else api.made("/hosts", {"name": "h1"})
    services.control.room = lambda: room
    assert api.patch("/hosts/h1", {"description": "changed"}).status_code == 200
    assert api.post("/sessions/none:disconnect", {}).status_code == 404
    assert api.delete("/hosts/h1").status_code == 204


@pytest.mark.root
def test_the_api_starts_and_is_read_while_the_drive_is_full(folder: Path) -> None:
    data = folder / "data"
    data.mkdir()
    store = Store.open(fresh_file(data), SecretBox.at(data / "secret.key"))
    ensure_first_user(store, Passwords(QUICK), OneTimePassword(folder / "run/one-time-password"))
    token = add_token(store, Role.VIEWER)
    store.close()
    ensure_certificate(data / "tls/cert.pem", data / "tls/key.pem", "lunette", ())
    fill(folder)
    with started(folder) as process, process.client(headers={"Authorization": f"Bearer {token}"}) as http:
        assert "admin" in http.get("/api/v1/users").text
        assert http.get("/api/v1/site").status_code == 200
        process.stop()
