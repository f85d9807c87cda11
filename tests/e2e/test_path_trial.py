"""Each path of a real host is removed in turn on the kernel of the appliance, while the host writes.

The host is a guest that was set up by its kit alone; every acknowledged write is verified afterward.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lunette.client import JsonObject, Refused
from tests.e2e.test_kits import CHAP, IQN, PORTS, Host
from tests.e2e.waiting import wait_until
from tests.lab.appliance import appliance
from tests.machines.netns import GUEST_ADDRESS
from tests.machines.qemu import Qemu
from tests.machines.uml import Uml

pytestmark = [pytest.mark.timeout(2400), pytest.mark.qemu, pytest.mark.slow]
SEED, BLOCKS = 20261124, 64
AWAY_S = 30
TABLE = "nft list table inet lunette_path"


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    """A host with one volume over two portals, at work on it."""
    machine = Uml("path-host", 0, product=False)
    with appliance(Qemu("paths", nvme=0, scsi=2, disk_mib=256, cpus=1)) as made, machine:
        client = made.client
        spec = {"name": "tank", "engine": "md", "level": "raid1", "disks": made.disk_ids("scsi")}
        client.wait(client.post("/arrays", spec))
        client.wait(client.post("/volumes", {"name": "data", "array": "tank", "size_bytes": "32MiB"}))
        client.post("/hosts", {"name": "db", "os_type": "linux", "iqns": [IQN], "chap": CHAP})
        for name, port in PORTS.items():
            client.post("/portals", {"name": name, "address": GUEST_ADDRESS, "port": port})
        client.post("/mappings", {"volume": "data", "host": "db"})
        wait_until("it is served", lambda: all(one["state"] == "open" for one in client.list("/mappings")))
        machine.start()
        machine.wait_for_shell(120.0)
        found = Host(machine, made)
        found.set_up()
        kit = client.get("/hosts/db/kit", secrets=True)
        found.write_files(kit)
        found.run_commands(kit)
        wait_until("both paths are there", lambda: found.paths()["state"] == "up", deadline_s=120.0)
        yield found


@pytest.fixture
def device(host: Host) -> Iterator[str]:
    """The multipath device, under constant writes. Afterward every acknowledged write is there."""
    path = f"/dev/mapper/3{host.appliance.client.get('/volumes/data')['naa']}"
    wait_until("both paths are there", lambda: host.paths()["state"] == "up", deadline_s=120.0)
    host.start_logged_writer(path, SEED, BLOCKS, 1800.0)
    wait_until("it writes", lambda: host.acknowledged(path, SEED) > 0)
    yield path
    host.stop_logged_writer(path, SEED)
    assert host.verify_logged(path, SEED) > 0
    assert host.appliance.machine.run(TABLE).rc != 0


def _asked(host: Host) -> JsonObject:
    job: JsonObject = host.appliance.client.post("/hosts/db:verify-paths", {"confirm": "db", "away_s": AWAY_S})
    return job


def test_the_host_goes_on_without_either_path_and_has_both_again(host: Host, device: str) -> None:
    before = host.acknowledged(device, SEED)
    host.appliance.client.wait(_asked(host))
    reported = host.paths()["verification"]
    assert reported["is_passed"], reported
    assert [f"was blocked for {AWAY_S} s" in words for words in reported["words"]] == [False, True, True], reported
    assert "bytes" in reported["words"][0]
    assert host.acknowledged(device, SEED) > before
    assert host.paths()["state"] == "up"


def test_the_path_is_back_although_the_agent_was_killed_while_it_was_away(host: Host, device: str) -> None:
    machine = host.appliance.machine
    job = _asked(host)
    wait_until("a path is away", lambda: machine.run(TABLE).rc == 0, deadline_s=120.0)
    machine.check("systemctl kill --signal=KILL lunette-agent")
    host.appliance.client.wait(job)
    assert host.paths()["verification"]["is_passed"]
    assert host.paths()["state"] == "up"


def test_while_a_path_is_missing_the_other_is_left_alone(host: Host, device: str) -> None:
    host.close("b")
    wait_until("it is missing", lambda: host.paths()["state"] == "down", deadline_s=120.0)
    with pytest.raises(Refused, match="no connection to portal b"):
        _asked(host)
    before = host.acknowledged(device, SEED)
    wait_until("the host goes on", lambda: host.acknowledged(device, SEED) > before, deadline_s=60.0)
    host.open("b")
    wait_until("both paths are there", lambda: host.paths()["state"] == "up", deadline_s=120.0)
