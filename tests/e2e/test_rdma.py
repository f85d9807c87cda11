"""iSER and NVMe/RDMA on a real appliance, with the kernel's own initiators in a second guest.

A cable joins the guests, and soft RoCE stands in for the network cards: it is added by hand, as in a lab, and so it is
gone after a reset. The host `db` has one volume over SCSI, with CHAP, and one over NVMe. Tests run in any order.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lunette.client import JsonObject, Refused
from tests.e2e.fabric import Fabric
from tests.e2e.waiting import wait_until
from tests.initiators.kernel import LoginFailed
from tests.initiators.libiscsi import Chap
from tests.initiators.nvme import ConnectFailed, NvmeHosts, NvmeInitiator
from tests.initiators.rdma import APPLIANCE, CARD, RdmaHosts, add_device, remove_device
from tests.lab.appliance import Appliance
from tests.machines.machine import Machine

pytestmark = [pytest.mark.timeout(1500), pytest.mark.qemu, pytest.mark.fabric]
ISER, NVME = 3261, 4420
BLOCKS, SEED = 256, 20261121
DB_IQN, STRANGER_IQN = "iqn.2026-01.com.example:db", "iqn.2026-01.com.example:stranger"
DB_NQN, STRANGER_NQN = (f"nqn.2014-08.org.nvmexpress:uuid:00000000-0000-4000-8000-00000000000{n}" for n in (1, 9))
CHAP = Chap("db", "secret-of-db-1")
PORTALS = ({"name": "iser", "protocol": "iser"}, {"name": "nvme", "protocol": "nvme-rdma"})
LUN, NSID = 1, 2
"""A host's numbers are drawn from one row, whatever the family."""
BOOT_S = 400.0


class Scenario:
    """The appliance, the hosts' guest, how `db` is served, and how portals were refused before there was a device."""

    def __init__(self, fabric: Fabric, hosts: RdmaHosts) -> None:
        made = fabric.appliance
        self.appliance, self.client, self.hosts = made, made.client, hosts
        lay_address(made)
        self.refusals = [self._refused(spec) for spec in PORTALS]
        self._provision(fabric)
        add_device(made.machine)
        wait_until("RDMA is offered", self._is_offered, deadline_s=BOOT_S)
        for spec in PORTALS:
            self.client.post("/portals", {**spec, "address": APPLIANCE})
        wait_until("both portals listen", lambda: not self.blocked(), deadline_s=BOOT_S)
        host = self.client.get("/hosts/db")
        self.target, self.subsystem = str(host["target_iqn"]), str(host["subsystem_nqn"])

    def _refused(self, spec: JsonObject) -> str:
        with pytest.raises(Refused) as refusal:
            self.client.post("/portals", {**spec, "address": APPLIANCE})
        return "\n".join(refusal.value.lines())

    def _provision(self, fabric: Fabric) -> None:
        post = self.client.post
        chap = {"user": CHAP.user, "secret": CHAP.secret}
        post("/hosts", {"name": "db", "iqns": [DB_IQN], "nqns": [DB_NQN], "chap": chap})
        fabric.volumes("rdma%d", 2, "16MiB")
        for volume, family in (("rdma1", "scsi"), ("rdma2", "nvme")):
            post("/mappings", {"volume": volume, "host": "db", "family": family})

    def _is_offered(self) -> bool:
        offered = {protocol for engine in self.client.list("/engines") for protocol in engine["protocols"]}
        return {"iser", "nvme-rdma"} <= offered

    def blocked(self) -> list[str]:
        """Why portals do not listen; empty once all do."""
        return [str(one["reason"]) for one in self.client.list("/portals") if one["state"] != "open"]

    def connect(self) -> tuple[str, str]:
        """`db` logs in over both fabrics, unless it is. The devices of its two volumes."""
        hosts = self.hosts
        if not hosts.is_logged_in(self.target):
            hosts.login(self.target, f"{APPLIANCE}:{ISER}", DB_IQN, CHAP, replacement_timeout_s=900)
        if not hosts.states(self.subsystem):
            hosts.connect(self.subsystem, NVME, DB_NQN)
        return hosts.devices(self.target, expected=1)[LUN], hosts.namespaces(self.subsystem, {NSID})[NSID]

    def disconnect(self) -> None:
        self.hosts.logout(self.target)
        if self.hosts.states(self.subsystem):
            self.hosts.disconnect(self.subsystem)

    def wait_back(self) -> None:
        """Both fabrics came back by themselves."""
        hosts = self.hosts
        hosts.wait_live(self.subsystem, BOOT_S)
        wait_until("iSER is back", lambda: hosts.is_connected(self.target), deadline_s=BOOT_S)


def lay_address(made: Appliance) -> None:
    """The appliance's address on the cable, as an administrator gives it."""
    file = f"[Match]\\nName={CARD}\\n[Network]\\nAddress={APPLIANCE}/24\\n"
    made.machine.check(f"printf '{file}' > /etc/systemd/network/40-cable.network && networkctl reload")
    has_address = f"ip address show dev {CARD} | grep -q {APPLIANCE}"
    wait_until("the appliance has its address", lambda: made.machine.run(has_address).rc == 0)


@pytest.fixture(scope="module")
def scenario(fabric: Fabric, hosts: NvmeInitiator) -> Iterator[Scenario]:
    with fabric.cleared():
        yield Scenario(fabric, RdmaHosts(hosts.machine))


@pytest.mark.slow
def test_without_a_device_portals_are_refused_with_what_to_do(scenario: Scenario) -> None:
    for refusal in scenario.refusals:
        assert "no RDMA device" in refusal
        assert "rdma link add" in refusal


@pytest.mark.slow
def test_an_address_without_rdma_is_refused_with_those_that_have_it(scenario: Scenario) -> None:
    with pytest.raises(Refused, match=f"take one of {APPLIANCE}"):
        scenario.client.post("/portals", {"name": "other", "protocol": "iser", "address": "10.0.2.15"})


@pytest.mark.slow
def test_the_device_is_shown_with_link_and_roce_version(scenario: Scenario) -> None:
    (device,) = scenario.client.list("/rdma-devices")
    assert (device["id"], device["interface"], device["state"]) == ("rxe0/1", CARD, "active")
    assert (device["link_layer"], device["mtu_bytes"], device["reason"]) == ("Ethernet", 1500, None)
    assert [(one["address"], one["kind"]) for one in device["addresses"]] == [(APPLIANCE, "RoCE v2")]


@pytest.mark.slow
def test_a_stranger_and_a_host_with_a_wrong_secret_see_nothing(scenario: Scenario) -> None:
    hosts, portal = scenario.hosts, f"{APPLIANCE}:{ISER}"
    scenario.disconnect()
    for initiator, chap in ((STRANGER_IQN, CHAP), (DB_IQN, Chap("db", "wrong-secret-1")), (DB_IQN, None)):
        with pytest.raises(LoginFailed):
            hosts.login(scenario.target, portal, initiator, chap)
    with pytest.raises(ConnectFailed):
        hosts.connect(scenario.subsystem, NVME, STRANGER_NQN)
    assert hosts.namespaces(scenario.subsystem) == {}


def test_what_a_host_wrote_is_there_when_it_comes_back(scenario: Scenario) -> None:
    for number, device in enumerate(scenario.connect()):
        scenario.hosts.write_pattern(device, SEED + number, BLOCKS)
    assert [one["protocol"] for one in scenario.client.list("/sessions", host="db")] == ["iser"]
    scenario.disconnect()
    for number, device in enumerate(scenario.connect()):
        scenario.hosts.verify_pattern(device, SEED + number, BLOCKS)


@pytest.mark.slow
def test_a_device_that_was_away_for_a_moment_is_listened_on_again(scenario: Scenario) -> None:
    """The kernel drops its listeners with the device and does not say so."""
    devices = scenario.connect()
    for number, device in enumerate(devices):
        scenario.hosts.write_pattern(device, SEED + 10 + number, BLOCKS)
    remove_device(scenario.appliance.machine)
    add_device(scenario.appliance.machine)
    scenario.wait_back()
    for number, device in enumerate(devices):
        scenario.hosts.verify_pattern(device, SEED + 10 + number, BLOCKS)


@pytest.mark.slow
def test_after_a_reset_portals_wait_for_a_late_device_and_hosts_come_back_by_themselves(scenario: Scenario) -> None:
    hosts, machine = scenario.hosts, scenario.appliance.machine
    devices = scenario.connect()
    for number, device in enumerate(devices):
        hosts.write_pattern(device, SEED + 20 + number, BLOCKS)
    machine.check("sync")
    machine.reset()
    scenario.appliance.wait_for_api()
    reasons = wait_until("both portals wait for the device", lambda: _two(scenario.blocked()), deadline_s=BOOT_S)
    assert all("no RDMA device" in reason for reason in reasons)
    assert len(hosts.states(scenario.subsystem)) == 1  # it was not given up
    add_device(machine)
    wait_until("both portals listen", lambda: not scenario.blocked(), deadline_s=BOOT_S)
    scenario.wait_back()
    assert scenario.connect() == devices
    for number, device in enumerate(devices):
        hosts.verify_pattern(device, SEED + 20 + number, BLOCKS)


def _two(reasons: list[str]) -> list[str]:
    return reasons if len(reasons) == 2 and all("RDMA" in reason for reason in reasons) else []


class TcpHosts(NvmeHosts):
    """The same guest over TCP, on the cable: a discovery log names addresses that it reaches."""

    address = APPLIANCE

    def __init__(self, machine: Machine) -> None:
        self.machine = machine


@pytest.mark.slow
def test_who_asks_at_one_portal_over_tcp_is_led_to_all_of_them(scenario: Scenario) -> None:
    """Two portals that refer to each other; neither leads to the one over RDMA, nor a stranger to anything."""
    first, second = 4421, 4422
    hosts, names = TcpHosts(scenario.hosts.machine), {first: "tcp-a", second: "tcp-b"}
    device = scenario.connect()[1]
    scenario.hosts.write_pattern(device, SEED + 9, BLOCKS)
    scenario.disconnect()
    for port, name in names.items():
        scenario.client.post("/portals", {"name": name, "protocol": "nvme-tcp", "address": APPLIANCE, "port": port})
    wait_until("the portals listen", lambda: not scenario.blocked(), deadline_s=BOOT_S)
    assert hosts.discovered(first, DB_NQN) == {scenario.subsystem, f"{APPLIANCE}:{second}"}
    assert hosts.discovered(second, STRANGER_NQN) == {f"{APPLIANCE}:{first}"}
    hosts.connect_all(first, DB_NQN)
    hosts.wait_until("both paths are there", lambda: hosts.states(scenario.subsystem), ["live", "live"].__eq__)
    hosts.verify_pattern(hosts.namespaces(scenario.subsystem, {NSID})[NSID], SEED + 9, BLOCKS)
    hosts.disconnect(scenario.subsystem)
    for name in names.values():
        scenario.client.delete(f"/portals/{name}")
