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


class Standing:
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
def standing(fabric: Fabric) -> Iterator[Standing]:
    with fabric.cleared():
        made = Standing(fabric)
        yield made
        # Their disks must not stay behind without a target: whoever looked at the machine would wait for them.
        for host in (DB, WEB):
            made.disconnect(host)


def test_what_a_host_wrote_is_there_when_it_comes_back(standing: Standing) -> None:
    """And what was said before there was a port."""
    assert "no Fibre Channel port of this appliance can be an NVMe target" in standing.refusal
    assert "lpfc_enable_nvmet" in standing.refusal
    assert f"NVMe target port {ADDRESS} does not exist" in standing.missed
    standing.hosts.write_pattern(standing.connect(DB), SEED, BLOCKS)
    standing.disconnect(DB)
    device = standing.connect(DB)
    standing.hosts.verify_pattern(device, SEED, BLOCKS)
    uuid = standing.machine.check(["cat", f"/sys/block/{device.removeprefix('/dev/')}/uuid"]).strip()
    assert uuid == standing.client.get("/volumes/nvmefc1")["uuid"]


def test_a_stranger_and_a_host_with_a_wrong_key_see_nothing(standing: Standing) -> None:
    """nvme_fc connects in the background: that it was refused is seen by what does not come."""
    hosts, other = standing.hosts, standing.hosts.new_key()
    for host in (DB, WEB):
        standing.disconnect(host)
    for name, subsystem, keys in (
        (STRANGER, standing.web, None),
        (STRANGER, standing.db, standing.keys),
        (WEB, standing.db, None),
        (DB, standing.db, None),
        (DB, standing.db, DhChap(other, standing.keys.mutual_secret)),
    ):
        hosts.try_to_connect(subsystem, name, keys)
        assert hosts.namespaces(subsystem) == {}
        assert "live" not in hosts.states(subsystem)
        hosts.give_up(subsystem)


def test_discovery_tells_a_host_only_what_it_may_reach(standing: Standing) -> None:
    told = {host: standing.hosts.discovered(NO_PORT, host) for host in (DB, WEB, STRANGER)}
    assert told == {DB: {standing.db}, WEB: {standing.web}, STRANGER: set()}


def test_a_volume_comes_and_goes_on_a_connected_host_while_it_writes(standing: Standing) -> None:
    hosts, client = standing.hosts, standing.client
    device = standing.connect(DB)
    hosts.start_logged_writer(device, SEED + 1, 64, 3600.0)
    try:
        for use in (hosts.write_pattern, hosts.verify_pattern):
            before = hosts.acknowledged(device, SEED + 1)
            mapping = client.post("/mappings", {"volume": "nvmefc3", "host": "db"})
            use(hosts.namespaces(standing.db, {1, mapping["lun"]})[mapping["lun"]], SEED + 2, 64)
            client.delete(f"/mappings/{mapping['id']}", confirm=["nvmefc3"])
            hosts.namespaces(standing.db, {1})
            wait_until("the writer goes on", lambda: hosts.acknowledged(device, SEED + 1) > before)  # noqa: B023
    finally:
        hosts.stop_logged_writer(device, SEED + 1)
    assert hosts.verify_logged(device, SEED + 1) > 0


def test_a_host_that_loses_its_name_is_cut_off(standing: Standing) -> None:
    hosts = standing.hosts
    for host in (DB, WEB):
        hosts.write_pattern(standing.connect(host), SEED + 4, BLOCKS)
    standing.client.patch("/hosts/web", {"nqns": []}, confirm=volumes_of(standing.client, "web"))
    hosts.wait_until("web gives its disk up", lambda: hosts.namespaces(standing.web), lambda seen: seen == {})
    assert hosts.states(standing.db) == ["live"]
    standing.client.patch("/hosts/web", {"nqns": [WEB]})
    standing.wait_served()
    hosts.verify_pattern(standing.connect(WEB), SEED + 4, BLOCKS)


def test_after_a_reset_the_exports_come_back_and_wait_for_a_port_that_is_late(standing: Standing) -> None:
    standing.hosts.write_pattern(standing.connect(DB), SEED + 3, BLOCKS)
    standing.machine.check("sync")
    standing.machine.reset()
    standing.appliance.wait_for_api(BOOT_S)
    blocked = wait_until("the port is missed", standing.blocked, deadline_s=BOOT_S)
    assert "no Fibre Channel port of this appliance can be an NVMe target" in blocked
    standing.hosts.lay()
    standing.hosts.plug()
    standing.wait_served()
    standing.hosts.verify_pattern(standing.connect(DB), SEED + 3, BLOCKS)
