"""A system drive without a free block, on a real appliance: hosts go on, and what is taken from one is really gone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from lunette.client import Refused
from tests.e2e.waiting import wait_until
from tests.initiators.kernel import KernelInitiator
from tests.lab.appliance import Appliance, appliance
from tests.machines.machine import Machine
from tests.machines.model import MachineError
from tests.machines.uml import Uml

pytestmark = [pytest.mark.uml, pytest.mark.timeout(1500), pytest.mark.slow]

MIB = 1 << 20
PORTAL_PORT = 3260
HOSTS = ("db", "web", "mail")
SEED, BLOCKS = 20261127, 1024
FOLDER = "/var/lib/lunette"
FILLER = f"{FOLDER}/filler"
LEDGER = f"{FOLDER}/agent/ledger.json"


def iqn(host: str) -> str:
    return f"iqn.2026-01.com.example:{host}"


def fill(machine: Machine) -> None:
    """As root, who gets the last block too."""
    for size in ("1M", "4k"):
        machine.run(f"dd if=/dev/zero of={FILLER} bs={size} oflag=append conv=notrunc; sync", timeout_s=300)
    refused = machine.run(f"head -c 4096 /dev/zero >{FOLDER}/one-block; rc=$?; rm -f {FOLDER}/one-block; exit $rc")
    assert refused.rc != 0


@dataclass(frozen=True)
class Scenario:
    """Three hosts, each with a volume of its own."""

    appliance: Appliance
    guest: KernelInitiator
    targets: dict[str, str]
    devices: dict[str, str]

    def goes_on(self, host: str) -> None:
        """Waits until the host has written more."""
        before = self.guest.acknowledged(self.devices[host], SEED)
        wait_until(
            f"{host} goes on writing", lambda: self.guest.acknowledged(self.devices[host], SEED) > before + 20, 300.0
        )

    def unmap(self, host: str) -> None:
        """Takes its volume from the host, and waits until it really is gone."""
        client = self.appliance.client
        mapping = next(one for one in client.list("/mappings") if one["host"] == host)
        client.delete(f"/mappings/{mapping['id']}", confirm=[host])
        wait_until(f"{host} cannot read its volume any more", lambda: not self.can_read(host))

    def can_read(self, host: str) -> bool:
        """Whether the host reads from its device, past the page cache."""
        device = self.devices[host]
        try:
            self.guest.machine.check(f"dd if={device} of=/dev/null bs=4k count=1 iflag=direct", timeout_s=120)
        except MachineError:
            return False
        return True

    def alerts(self) -> set[str]:
        return {str(alert["key"]) for alert in self.appliance.client.list("/alerts", active="true")}


@pytest.fixture(scope="module")
def scenario() -> Iterator[Scenario]:
    with appliance(Uml("full-disk", disks=2, disk_mib=512)) as made, KernelInitiator("full-disk-hosts") as guest:
        client = made.client
        disks = made.disk_ids("ubd")
        client.wait(client.post("/arrays", {"name": "tank", "engine": "md", "level": "raid1", "disks": disks}))
        client.post("/portals", {"name": "storage", "address": "0.0.0.0", "port": PORTAL_PORT})
        for host in HOSTS:
            client.wait(client.post("/volumes", {"name": host, "array": "tank", "size_bytes": 32 * MIB}))
            client.post("/hosts", {"name": host, "iqns": [iqn(host)]})
            client.post("/mappings", {"volume": host, "host": host})
        wait_until("every mapping is served", lambda: all(m["state"] == "open" for m in client.list("/mappings")))
        targets = {host: str(client.get(f"/hosts/{host}")["target_iqn"]) for host in HOSTS}
        portal = f"{made.machine.address}:{made.machine.forward(PORTAL_PORT)}"
        for host in HOSTS:
            # The others fail soon once their target is gone.
            guest.login(targets[host], portal, iqn(host), replacement_timeout_s=900 if host == "web" else 5)
        devices = {host: guest.devices(targets[host], expected=1)[1] for host in HOSTS}
        yield Scenario(made, guest, targets, devices)


def test_hosts_go_on_and_lose_what_is_taken_from_them_while_the_drive_is_full(scenario: Scenario) -> None:
    client, machine, guest = scenario.appliance.client, scenario.appliance.machine, scenario.guest
    guest.start_logged_writer(scenario.devices["web"], SEED, BLOCKS, 3600.0)
    fill(machine)
    for path in ("/status", "/volumes", "/mappings", "/events", "/site"):
        client.get(path)
    scenario.unmap("db")
    scenario.goes_on("web")
    with pytest.raises(Refused, match="The system drive is full"):
        client.post("/mappings", {"volume": "db", "host": "db"})

    machine.check("systemctl restart lunette-agent lunette-api", timeout_s=600)
    scenario.appliance.wait_for_api()
    assert {str(one["host"]) for one in client.list("/mappings")} == {"web", "mail"}
    scenario.goes_on("web")
    assert not scenario.can_read("db")

    # Now the reserve of the agent is gone too, and the boot ledger cannot be written.
    machine.check(f"rm {FOLDER}/agent/reserve")
    fill(machine)
    scenario.unmap("mail")
    wait_until("it is told", lambda: "exports.unkept" in scenario.alerts())
    assert "agent.away" not in scenario.alerts()
    machine.check(f"test ! -e {LEDGER}")
    machine.reset()
    scenario.appliance.wait_for_api()
    wait_until("what is left is served", lambda: all(m["state"] == "open" for m in client.list("/mappings")))
    wait_until("the host's path is back", lambda: guest.is_connected(scenario.targets["web"]), deadline_s=300)
    scenario.goes_on("web")
    assert {str(one["host"]) for one in client.list("/mappings")} == {"web"}
    served = machine.check("ls /sys/kernel/config/target/iscsi")
    assert [host for host in HOSTS if scenario.targets[host] in served] == ["web"]

    machine.check(f"rm {FILLER}")
    wait_until("nothing of it is left", lambda: not scenario.alerts() & {"exports.unkept", "system.drive_full"}, 300.0)
    wait_until("the boot ledger is written", lambda: machine.run(f"test -e {LEDGER}").rc == 0)
    wait_until("the reserve is made again", lambda: machine.run(f"test -s {FOLDER}/agent/reserve").rc == 0)
    machine.check(f"test ! -e {LEDGER}.outdated")
    client.post("/mappings", {"volume": "db", "host": "db"})
    wait_until("all is served", lambda: all(m["state"] == "open" for m in client.list("/mappings")))
    scenario.goes_on("web")
    guest.stop_logged_writer(scenario.devices["web"], SEED)
    assert guest.verify_logged(scenario.devices["web"], SEED) > 0
    assert client.get("/drift")["items"] == []
