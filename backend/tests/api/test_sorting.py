"""Every order that a list offers: by what is shown, the other way round with `-`, and the same from page to page."""

import json
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from backend.tests.fakemachine import FakeDisk, FakeSystem
from backend.tests.fakemachine.network.interfaces import FakeInterface
from backend.tests.fakemachine.network.traffic import Io
from backend.tests.scene import ADDRESS, disk_ids, make_array
from backend.tests.wiring import API, Api, add_token, make_services, running
from lunette.agent import serving
from lunette.agent.core import Agent
from lunette.domain.alerts import Severity
from lunette.domain.roles import Role

pytestmark = [pytest.mark.xdist_group("sorting"), pytest.mark.timeout(1200)]  # one process makes the scene
DOCUMENT = json.loads((Path(__file__).parents[2] / "openapi.json").read_text())
MIB = 1024**2


def orders() -> list[tuple[str, str]]:
    """Each list with each of its fields that it can be sorted by, from the API document."""
    found = [
        (path.removeprefix(API), field)
        for path, methods in DOCUMENT["paths"].items()
        for parameter in methods.get("get", {}).get("parameters", ())
        if parameter["name"] == "sort"
        for field in parameter["schema"]["enum"]
    ]
    upward = [(path, field) for path, field in found if not field.startswith("-")]
    assert {*found} == {*upward, *((path, f"-{field}") for path, field in upward)}
    return upward


ALIKE = {("/arrays", "state"), ("/volumes", "state")}
"""Where all of the scene are alike: they are ready."""


def make_small_scene(api: Api) -> None:
    """The scene of `make lab` with 8 volumes in place of 32."""
    make_array(api)
    api.made("/volumes:create-batch", {"array": "tank", "name_pattern": "lun%02d", "count": 8, "size_bytes": "16MiB"})
    for number in range(1, 5):
        api.made("/hosts", {"name": f"host{number}", "iqns": [f"iqn.2026-01.com.example:host{number}"]})
    api.made("/portals", {"name": "front", "address": ADDRESS})
    split = {"volumes": [f"lun{n:02d}" for n in range(1, 9)], "hosts": [f"host{n}" for n in range(1, 5)]}
    api.made("/mappings:create-batch", {"split": split})


def change_sizes(api: Api) -> None:
    """Volumes of several sizes and kinds; some are deleted for some time, some have snapshots, one was not made."""
    for number in range(3):
        assert api.patch("/settings", {"deleted_keep_hours": 24 - number}).status_code == 200
        thin = {"array": "tank", "size_bytes": (number + 2) * 16 * MIB, "provisioning": "thin"}
        api.made("/volumes", {"name": f"thin{number}", **thin})
        for name in (f"snap{2 - number}", f"lost{(number + 1) % 3}"):
            api.made("/snapshots", {"name": name, "volume": f"thin{number}"})
        api.done(api.delete(f"/snapshots/lost{(number + 1) % 3}").json())
        api.made("/volumes", {"name": f"gone{number % 2}", "array": "tank", "size_bytes": (4 - number) * 16 * MIB})
        api.done(api.delete(f"/volumes/gone{number % 2}").json())
        every = {"action": "scrub", "arrays": ["tank"], "when": f"0 {number} * * 0"}
        api.made("/schedules", {"name": f"weekly{number}", **every})


def people_and_hosts(api: Api) -> None:
    for number, role in enumerate(("viewer", "administrator", "operator")):
        api.made("/users", {"username": f"user{2 - number}", "role": role, "password": "given by another"})
        login = {"username": f"user{2 - number}", "password": "given by another"}
        assert api.http.post(f"{API}/login", json=login).status_code == 200
        api.http.cookies.clear()
        api.made("/tokens", {"name": f"token{(number + 1) % 3}", "role": "viewer"})
        api.made("/host-groups", {"name": f"group{2 - number}"})
    for name, os_type in {"another": "esxi", "third": "windows"}.items():
        api.made("/hosts", {"name": name, "os_type": os_type})
    api.made("/portals", {"name": "back", "address": ADDRESS, "port": 3261})
    api.made("/portals", {"name": "side", "address": "2001:db8::1", "port": 3259})


def log_in(api: Api, machine: FakeSystem) -> None:
    """Each host reads and writes something else on each of its volumes."""
    for number in (3, 1, 4, 2):
        target = api.get(f"/hosts/host{number}")["target_iqn"]
        session = machine.login(f"iqn.2026-01.com.example:host{number}", target, f"{ADDRESS}:3260")
        for lun in range(1, 3):
            io = Io(reads=number, read_bytes=lun * MIB, writes=lun, write_bytes=(9 - lun) * MIB, read_ms=5 * number)
            machine.carry(session, lun, io)


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """More of everything than fits a page."""
    machine = FakeSystem()
    machine.clock = time.time()
    machine.network.interfaces["eth2"] = FakeInterface("eth2", 4, "52:54:00:00:00:04")
    nvme = machine.add_disks(8)
    scsi = machine.add_disks(5, "scsi", size_bytes=1024**3)
    for number in (2, 1, 3):
        machine.add_fc_port(f"50:00:00:00:00:00:00:0{number}", "qla2xxx")
    serving.prepare(machine)
    services = make_services(tmp_path_factory.mktemp("sorted"), Agent(machine))
    with running(services) as http:
        services.control.performance.stop()
        api = Api(http, add_token(services.store, Role.ADMINISTRATOR))
        make_small_scene(api)
        for name, disks in {"right": disk_ids(api, "scsi")[:2], "left": disk_ids(api, "scsi")[2:]}.items():
            api.made("/arrays", {"name": name, "level": "raid1", "disks": disks})
        change_sizes(api)
        fail_a_job(api, machine)
        people_and_hosts(api)
        api.until(lambda: {one["state"] for one in api.items("/mappings")} == {"open"})
        services.control.performance.now()
        machine.advance(60.0)  # all arrays are in sync
        log_in(api, machine)
        machine.advance(5.0)
        services.control.performance.fresh_s = 0.0
        services.control.performance.now()
        services.control.performance.fresh_s = 3600.0
        lose(api, machine, nvme[0], alerts=1)
        lose(api, machine, *scsi[1:3], alerts=3)  # one more of "left" may be lost
        yield api


def fail_a_job(api: Api, machine: FakeSystem) -> None:
    machine.faults.break_calls(lambda call: call.detail.startswith("lvcreate"))
    job = api.post("/volumes", {"name": "never", "array": "tank", "size_bytes": 16 * MIB}).json()
    api.until(lambda: api.get(f"/jobs/{job['id']}")["state"] not in ("pending", "running"))
    machine.faults.disarm()


def lose(api: Api, machine: FakeSystem, *disks: FakeDisk, alerts: int) -> None:
    """Disks are pulled; when it returns their arrays have raised alerts, so many in all."""
    for disk in disks:
        machine.pull(disk)
    api.until(lambda: api.get("/alerts")["total"] == alerts)


def name_of(item: Any) -> Any:
    return next(item[key] for key in ("id", "seq", "wwpn", "name") if item.get(key) is not None)


def shown(items: list[Any], sort: str) -> list[Any]:
    return [(name_of(item), item[sort.removeprefix("-")]) for item in items]


def still(api: Api, path: str, sort: str) -> tuple[list[Any], list[Any]]:
    """A list as a whole, and what its pages name, two or more of them, while nothing came, went or changed."""
    while True:
        whole = api.items(path, sort=sort, limit=1000)
        pages = api.items(path, sort=sort, limit=max(2, len(whole) // 3))
        again = api.items(path, sort=sort, limit=1000)
        if shown(whole, sort) == shown(again, sort):
            return whole, [name_of(item) for item in pages]


def key(item: Any, field: str) -> tuple[bool, Any]:
    """What an order goes by: nothing comes before something, times as times, rates to the thousandth."""
    if field == "severity":
        return True, Severity(item[field]).rank
    value = item[field]
    if field.endswith("_at") and value:
        value = datetime.fromisoformat(value)
    return value is not None, round(value * 1000) if isinstance(value, float) else value or ""


@pytest.mark.parametrize(("path", "field"), orders(), ids=lambda part: part.strip("/"))
def test_a_list_is_in_the_requested_order(scene: Api, path: str, field: str) -> None:
    upward, pages = still(scene, path, field)
    assert len(upward) > 2
    assert pages == [name_of(item) for item in upward]
    keys = [key(item, field) for item in upward]
    assert keys == sorted(keys)
    assert len(set(keys)) > 1 or (path, field) in ALIKE
    downward, pages = still(scene, path, f"-{field}")
    assert pages == [name_of(item) for item in downward]
    assert pages == [name_of(item) for item in reversed(upward)]
