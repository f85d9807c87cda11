"""NVMe over Fibre Channel on a real appliance, over the kernel's test fabric nvme_fcloop.

The appliance's guest is both ends, with the kernel's own initiator. No HBA is involved. The tests may run in any order.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lunette.client import Refused
from tests.e2e.fabric import Fabric, volumes_of
from tests.e2e.waiting import wait_until
from tests.initiators.nvme import DhChap
from tests.initiators.nvme_fc import ADDRESS, NO_PORT, LoopHosts

pytestmark = [pytest.mark.timeout(1500), pytest.mark.qemu, pytest.mark.fabric, pytest.mark.slow]
DB, WEB, STRANGER = (f"nqn.2014-08.org.nvmexpress:uuid:00000000-0000-4000-8000-00000000f{n:03}" for n in (1, 2, 9))
PORTAL = {"name": "nvme-fc", "protocol": "nvme-fc", "address": ADDRESS}
BLOCKS, SEED = 256, 20261125
BOOT_S = 400.0


class Scenario:
    """The appliance with a volume for `db`, which shows a key, and one for `web`; and how a portal was refused before
    there was a port.
    """

    def __init__(self, fabric: Fabric) -> None:
        self.appliance, self.client = fabric.appliance, fabric.appliance.client
        self.machine = self.appliance.machine
        self.hosts = LoopHosts(self.machine)
        self.refusal = self._refused()
        self.hosts.lay()
        self.keys = DhChap(self.hosts.new_key(), self.hosts.new_key())
        wait_until("NVMe/FC is offered", self._is_offered, deadline_s=BOOT_S)
        fabric.volumes("nvmefc%d", 3, "16MiB")
        post = self.client.post
        dhchap = {"secret": self.keys.secret, "mutual_secret": self.keys.mutual_secret}
        post("/hosts", {"name": "db", "nqns": [DB], "dhchap": dhchap})
        post("/hosts", {"name": "web", "nqns": [WEB]})
        post("/mappings", {"volume": "nvmefc1", "host": "db"})
        post("/mappings", {"volume": "nvmefc2", "host": "web"})
        post("/portals", PORTAL)
        self.missed = wait_until("the port is missed", self.blocked, deadline_s=BOOT_S)
        self.hosts.plug()
        self.wait_served()
        self.db, self.web = (str(self.client.get(f"/hosts/{name}")["subsystem_nqn"]) for name in ("db", "web"))

    def _refused(self) -> str:
        with pytest.raises(Refused) as refusal:
            self.client.post("/portals", PORTAL)
        return "\n".join(refusal.value.lines())

    def _is_offered(self) -> bool:
        return any("nvme-fc" in engine["protocols"] for engine in self.client.list("/engines"))

    def blocked(self) -> str | None:
        portal = self.client.get("/portals/nvme-fc")
        return str(portal["reason"]) if portal["state"] == "blocked" else None

    def wait_served(self) -> None:
        """Until the portal is open, and every mapping."""
        wait_until("everything is served", self._serving, deadline_s=BOOT_S)

    def _serving(self) -> bool:
        everything = [self.client.get("/portals/nvme-fc"), *self.client.list("/mappings")]
        return all(one["state"] == "open" for one in everything)

    def connect(self, host: str) -> str:
        """Connects a host that is not. The device of its first namespace."""
        subsystem = self.db if host == DB else self.web
        if self.hosts.states(subsystem) != ["live"]:
            self.hosts.connect(subsystem, NO_PORT, host, self.keys if host == DB else None)
            self.hosts.wait_live(subsystem)
        return self.hosts.namespaces(subsystem, {1})[1]

    def disconnect(self, host: str) -> None:
        self.hosts.give_up(self.db if host == DB else self.web)


@pytest.fixture(scope="module")
def scenario(fabric: Fabric) -> Iterator[Scenario]:
    with fabric.cleared():
        made = Scenario(fabric)
        yield made
        # Their disks must not remain without a target: a scan of the disks of the machine would wait for them.
        for host in (DB, WEB):
            made.disconnect(host)


def test_what_a_host_wrote_is_there_when_it_comes_back(scenario: Scenario) -> None:
    """And what was said before there was a port."""
    assert "no Fibre Channel port of this appliance can be an NVMe target" in scenario.refusal
    assert "lpfc_enable_nvmet" in scenario.refusal
    assert f"NVMe target port {ADDRESS} does not exist" in scenario.missed
    scenario.hosts.write_pattern(scenario.connect(DB), SEED, BLOCKS)
    scenario.disconnect(DB)
    device = scenario.connect(DB)
    scenario.hosts.verify_pattern(device, SEED, BLOCKS)
    uuid = scenario.machine.check(["cat", f"/sys/block/{device.removeprefix('/dev/')}/uuid"]).strip()
    assert uuid == scenario.client.get("/volumes/nvmefc1")["uuid"]


def test_a_stranger_and_a_host_with_a_wrong_key_see_nothing(scenario: Scenario) -> None:
    """nvme_fc connects in the background: that it was refused is seen by what does not come."""
    hosts, other = scenario.hosts, scenario.hosts.new_key()
    for host in (DB, WEB):
        scenario.disconnect(host)
    for name, subsystem, keys in (
        (STRANGER, scenario.web, None),
        (STRANGER, scenario.db, scenario.keys),
        (WEB, scenario.db, None),
        (DB, scenario.db, None),
        (DB, scenario.db, DhChap(other, scenario.keys.mutual_secret)),
    ):
        hosts.try_to_connect(subsystem, name, keys)
        assert hosts.namespaces(subsystem) == {}
        assert "live" not in hosts.states(subsystem)
        hosts.give_up(subsystem)


def test_discovery_tells_a_host_only_what_it_may_reach(scenario: Scenario) -> None:
    reported = {host: scenario.hosts.discovered(NO_PORT, host) for host in (DB, WEB, STRANGER)}
    assert reported == {DB: {scenario.db}, WEB: {scenario.web}, STRANGER: set()}


def test_a_volume_comes_and_goes_on_a_connected_host_while_it_writes(scenario: Scenario) -> None:
    hosts, client = scenario.hosts, scenario.client
    device = scenario.connect(DB)
    hosts.start_logged_writer(device, SEED + 1, 64, 3600.0)
    try:
        for use in (hosts.write_pattern, hosts.verify_pattern):
            before = hosts.acknowledged(device, SEED + 1)
            mapping = client.post("/mappings", {"volume": "nvmefc3", "host": "db"})
            use(hosts.namespaces(scenario.db, {1, mapping["lun"]})[mapping["lun"]], SEED + 2, 64)
            client.delete(f"/mappings/{mapping['id']}", confirm=["nvmefc3"])
            hosts.namespaces(scenario.db, {1})
            wait_until("the writer goes on", lambda: hosts.acknowledged(device, SEED + 1) > before)  # noqa: B023
    finally:
        hosts.stop_logged_writer(device, SEED + 1)
    assert hosts.verify_logged(device, SEED + 1) > 0


def test_a_host_that_loses_its_name_is_cut_off(scenario: Scenario) -> None:
    hosts = scenario.hosts
    for host in (DB, WEB):
        hosts.write_pattern(scenario.connect(host), SEED + 4, BLOCKS)
    scenario.client.patch("/hosts/web", {"nqns": []}, confirm=volumes_of(scenario.client, "web"))
    hosts.wait_until("web gives its disk up", lambda: hosts.namespaces(scenario.web), lambda seen: seen == {})
    assert hosts.states(scenario.db) == ["live"]
    scenario.client.patch("/hosts/web", {"nqns": [WEB]})
    scenario.wait_served()
    hosts.verify_pattern(scenario.connect(WEB), SEED + 4, BLOCKS)


def test_after_a_reset_the_exports_come_back_and_wait_for_a_port_that_is_late(scenario: Scenario) -> None:
    scenario.hosts.write_pattern(scenario.connect(DB), SEED + 3, BLOCKS)
    scenario.machine.check("sync")
    scenario.machine.reset()
    scenario.appliance.wait_for_api(BOOT_S)
    blocked = wait_until("the port is missed", scenario.blocked, deadline_s=BOOT_S)
    assert "no Fibre Channel port of this appliance can be an NVMe target" in blocked
    scenario.hosts.lay()
    scenario.hosts.plug()
    scenario.wait_served()
    scenario.hosts.verify_pattern(scenario.connect(DB), SEED + 3, BLOCKS)
