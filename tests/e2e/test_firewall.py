"""The firewall of a real appliance: what its kernel lets in from the network of management and from that of storage.

Two network namespaces of the guest are the hosts: each holds the far end of a cable (veth) whose near end is an
interface of the appliance. The user-mode kernel of the tests has no nftables for IP, so there it is shown that
nothing else suffers from that.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.waiting import wait_until
from tests.lab.appliance import Appliance, appliance
from tests.machines.qemu import Qemu
from tests.machines.uml import Uml

TRIAL_S = 60.0
STORAGE, MANAGEMENT = "stor0", "mgmt0"
OURS = {STORAGE: "192.0.2.10", MANAGEMENT: "198.51.100.10"}
THEIRS = {STORAGE: "192.0.2.20", MANAGEMENT: "198.51.100.20"}
SECOND = "192.0.2.11"
API, ISCSI, OTHER = 8443, 3260, 8000
PASSES, REFUSED, DROPPED = "passes", "refused", "dropped"


def cables(made: Appliance) -> None:
    """Gives each cable's far end to its namespace; the near ends are made at every start by networkd."""
    for name, address in THEIRS.items():
        if made.machine.run(f"ip netns exec {name} true").rc == 0:
            continue
        wait_until(f"{name} is there", lambda name=name: made.machine.run(f"ip link show far-{name}").rc == 0)  # type: ignore[misc]
        made.machine.check(
            f"ip netns add {name} && ip link set far-{name} netns {name} && ip -n {name} link set far-{name} up"
            f" && ip -n {name} address add {address}/24 dev far-{name}"
            f" && ip -n {name} route add default via {OURS[name]}"  # or nothing would drop it
        )


def comes_through(made: Appliance, interface: str, address: str, port: int) -> str:
    """What becomes of a connection that a host of this network opens."""
    script = f"timeout 4 bash -c 'exec 3<>/dev/tcp/{address}/{port}'"
    code = made.machine.run(f"ip netns exec {interface} {script}", timeout_s=60.0).rc
    return {0: PASSES, 124: DROPPED}.get(code, REFUSED)


def change(made: Appliance, interface: str, role: str) -> None:
    body = {"role": role, "addresses": [f"{OURS[interface]}/24", *([f"{SECOND}/24"] if interface == STORAGE else [])]}
    job = made.client.post(f"/interfaces/{interface}:change", body)
    assert made.client.wait(job, deadline_s=240.0)["state"] == "succeeded"
    wait_until("the address is there", lambda: OURS[interface] in made.machine.check(f"ip address show {interface}"))


def serve(made: Appliance) -> None:
    """A volume for a host, through a portal on the interface for storage."""
    client = made.client
    spec = {"name": "tank", "engine": "md", "level": "raid1", "disks": made.disk_ids("nvme")}
    client.wait(client.post("/arrays", spec), deadline_s=300.0)
    client.wait(client.post("/volumes", {"name": "data", "array": "tank", "size_bytes": "64MiB"}), deadline_s=300.0)
    client.post("/hosts", {"name": "db", "iqns": ["iqn.2026-01.com.example:db"]})
    client.post("/portals", {"name": "front", "address": OURS[STORAGE], "protocol": "iscsi"})
    client.post("/mappings", {"volume": "data", "host": "db"})
    wait_until("it is served", lambda: [one["state"] for one in client.list("/mappings")] == ["open"])


def in_force(made: Appliance) -> bool:
    return bool(made.client.get("/firewall")["state"] == "in_force")


def alerts(made: Appliance) -> list[str]:
    return [one["key"] for one in made.client.list("/alerts", active="true")]


@pytest.fixture(scope="module")
def made() -> Iterator[Appliance]:
    with appliance(Qemu("firewall", nvme=2, disk_mib=256, cpus=1)) as standing:
        for name in OURS:
            device = f"[NetDev]\\nName={name}\\nKind=veth\\n[Peer]\\nName=far-{name}\\n"
            standing.machine.check(f"printf '{device}' > /etc/systemd/network/30-{name}.netdev")
        standing.machine.check("networkctl reload")
        cables(standing)
        for name, role in ((MANAGEMENT, "management"), (STORAGE, "storage")):
            change(standing, name, role)
            standing.client.post(f"/interfaces/{name}:confirm")
        serve(standing)
        yield standing


@pytest.mark.slow
@pytest.mark.qemu
@pytest.mark.timeout(2400)
class TestOnTheKernelOfTheAppliance:
    def test_it_is_off_until_it_is_asked_for(self, made: Appliance) -> None:
        found = made.client.get("/firewall")
        assert (found["mode"], found["is_default"], found["state"]) == ("off", True, "off")
        assert comes_through(made, STORAGE, OURS[STORAGE], API) == PASSES
        assert made.machine.run("nft list table inet lunette").rc != 0

    def test_storage_reaches_its_portal_and_management_the_api(self, made: Appliance) -> None:
        made.machine.check("nft add table inet other")
        plan = made.client.patch("/settings", {"firewall": "managed"}, dry_run=True)
        assert any("are no longer reachable on stor0" in words for words in plan["warnings"])
        made.client.patch("/settings", {"firewall": "managed"})
        wait_until("it is in force", lambda: in_force(made))
        assert made.client.get("/firewall")["closed_on"] == [STORAGE]
        assert comes_through(made, STORAGE, OURS[STORAGE], ISCSI) == PASSES
        assert comes_through(made, STORAGE, SECOND, ISCSI) == DROPPED
        assert comes_through(made, STORAGE, OURS[STORAGE], API) == DROPPED
        assert comes_through(made, STORAGE, OURS[MANAGEMENT], API) == DROPPED
        assert comes_through(made, MANAGEMENT, OURS[MANAGEMENT], API) == PASSES
        assert comes_through(made, MANAGEMENT, OURS[MANAGEMENT], OTHER) == DROPPED
        assert made.machine.run(f"ip netns exec {STORAGE} ping -c 1 -W 5 {OURS[STORAGE]}").rc == 0

    def test_a_portal_opens_and_closes_its_port(self, made: Appliance) -> None:
        plan = made.client.post("/portals", {"name": "more", "address": SECOND, "protocol": "iscsi"}, dry_run=True)
        assert "TCP 3260 is opened in the firewall" in plan["changes"][0]["detail"]
        made.client.post("/portals", {"name": "more", "address": SECOND, "protocol": "iscsi"})
        wait_until("it opens", lambda: comes_through(made, STORAGE, SECOND, ISCSI) == PASSES)
        made.client.delete("/portals/more")
        wait_until("it closes", lambda: comes_through(made, STORAGE, SECOND, ISCSI) == DROPPED)
        assert comes_through(made, STORAGE, OURS[STORAGE], ISCSI) == PASSES

    def test_a_role_that_nobody_confirms_is_reverted_with_its_rules(self, made: Appliance) -> None:
        change(made, STORAGE, "both")
        assert comes_through(made, STORAGE, OURS[STORAGE], API) == PASSES
        made.machine.check(
            "systemctl stop lunette-api; systemctl kill --signal=KILL lunette-agent; systemctl stop lunette-agent"
        )
        wait_until(
            "the API is closed again",
            lambda: f'"{STORAGE}"' in made.machine.check("nft list set inet lunette closed"),
            deadline_s=TRIAL_S + 120,
        )
        assert comes_through(made, STORAGE, OURS[STORAGE], ISCSI) == PASSES
        made.machine.check("systemctl start lunette-agent lunette-api", timeout_s=300.0)
        made.wait_for_api()
        assert comes_through(made, STORAGE, OURS[STORAGE], API) == DROPPED

    def test_what_somebody_flushes_comes_back_and_is_reported(self, made: Appliance) -> None:
        made.machine.check("nft flush ruleset && nft add table inet other")
        wait_until("it is put right", lambda: made.client.get("/firewall")["repaired"])
        assert comes_through(made, STORAGE, OURS[STORAGE], API) == DROPPED
        wait_until("it is told", lambda: "firewall.repaired" in alerts(made))
        assert "table inet other" in made.machine.check("nft list tables")

    def test_after_a_reset_the_rules_are_there_before_the_network_and_portals_follow(self, made: Appliance) -> None:
        made.machine.reset()
        made.wait_for_api()
        cables(made)
        wait_until("the portal answers", lambda: comes_through(made, STORAGE, OURS[STORAGE], ISCSI) == PASSES)
        assert comes_through(made, STORAGE, OURS[STORAGE], API) == DROPPED
        assert comes_through(made, MANAGEMENT, OURS[MANAGEMENT], API) == PASSES
        order = {
            unit: int(made.machine.check(f"systemctl show --value --property={what} {unit}"))
            for unit, what in (
                ("lunette-firewall.service", "ExecMainExitTimestampMonotonic"),
                ("systemd-networkd.service", "ExecMainStartTimestampMonotonic"),
            )
        }
        assert 0 < order["lunette-firewall.service"] < order["systemd-networkd.service"]

    def test_off_takes_the_table_away_and_leaves_that_of_others(self, made: Appliance) -> None:
        made.machine.check("nft add table inet other")
        made.client.patch("/settings", {"firewall": "off"})
        wait_until("it is off", lambda: made.client.get("/firewall")["state"] == "off")
        assert comes_through(made, STORAGE, OURS[STORAGE], API) == PASSES
        assert made.machine.check("nft list tables").split("\n")[0] == "table inet other"
        assert made.machine.run("ls /var/lib/lunette/agent/firewall.nft").rc != 0


@pytest.mark.uml
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_kernel_without_nftables_says_so_and_serves() -> None:
    with appliance(Uml("nofilter", disks=2, disk_mib=128)) as standing:
        standing.client.patch("/settings", {"firewall": "managed"})
        found = wait_until(
            "it is told", lambda: (one := standing.client.get("/firewall"))["state"] == "unavailable" and one
        )
        assert "no nftables" in found["reason"]
        spec = {"name": "tank", "engine": "md", "level": "raid1", "disks": standing.disk_ids("ubd")}
        standing.client.wait(standing.client.post("/arrays", spec))
        wait_until("an alert says so", lambda: "firewall.failed" in alerts(standing))
        assert alerts(standing) == ["firewall.failed"], standing.client.list("/alerts", active="true")
