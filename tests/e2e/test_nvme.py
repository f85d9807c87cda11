"""NVMe/TCP on a real appliance, with the kernel's own initiator in a second guest.

Two hosts: `db` proves itself with DH-HMAC-CHAP in both directions and has its volumes on the array that is there; `web`
has its volume on array `late`, whose disks do not come with a reset. The tests may run in any order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from lunette.client import JsonObject, Refused
from tests.e2e.counting import assert_agrees, fresh, of_volume
from tests.e2e.fabric import Fabric, volumes_of
from tests.e2e.waiting import wait_until
from tests.initiators import fio
from tests.initiators import kit as kits
from tests.initiators.nvme import ConnectFailed, DhChap, NvmeInitiator
from tests.machines.netns import GUEST_ADDRESS

pytestmark = [pytest.mark.timeout(1500), pytest.mark.qemu, pytest.mark.fabric]
PORT = 4420
MIB = 1024**2
BLOCKS, SEED = 512, 20260301
DB, WEB, STRANGER = (f"nqn.2014-08.org.nvmexpress:uuid:00000000-0000-4000-8000-00000000000{n}" for n in (1, 2, 9))
BOOT_S = 400.0


class Scenario:
    """The appliance, the hosts' guest, the keys of `db`, and the subsystem of each host."""

    def __init__(self, fabric: Fabric, hosts: NvmeInitiator) -> None:
        made = fabric.appliance
        self.appliance, self.client, self.hosts = made, made.client, hosts
        self.keys = DhChap(hosts.new_key(), hosts.new_key())
        spec = {"name": "late", "engine": "md", "level": "raid1", "disks": made.disk_ids("scsi")}
        self.client.wait(self.client.post("/arrays", spec))
        fabric.volumes("nvme%d", 2, "32MiB")
        fabric.volumes("late%d", 1, "32MiB", array="late")
        self._provision()
        self.db, self.web = (str(self.client.get(f"/hosts/{name}")["subsystem_nqn"]) for name in ("db", "web"))
        self.port = made.machine.forward(PORT)

    def _provision(self) -> None:
        post = self.client.post
        dhchap = {"secret": self.keys.secret, "mutual_secret": self.keys.mutual_secret}
        post("/hosts", {"name": "db", "nqns": [DB], "dhchap": dhchap})
        post("/hosts", {"name": "web", "nqns": [WEB]})
        post("/portals", {"name": "nvme", "protocol": "nvme-tcp", "address": "0.0.0.0"})
        post("/mappings", {"volume": "nvme1", "host": "db"})
        post("/mappings", {"volume": "late1", "host": "web"})
        wait_until("every mapping is served", self.serving, deadline_s=BOOT_S)

    def serving(self) -> bool:
        """Whether every mapping is served now."""
        return all(m["state"] == "open" for m in self.client.list("/mappings"))

    def subsystem(self, host: str) -> str:
        return self.db if host == DB else self.web

    def connect(self, host: str) -> str:
        """Connects a host that is not, with its keys. The device of its first namespace."""
        subsystem = self.subsystem(host)
        if self.hosts.states(subsystem) != ["live"]:
            self.hosts.connect(subsystem, self.port, host, self.keys if host == DB else None)
        return self.hosts.namespaces(subsystem, {1})[1]

    def disconnect(self, host: str) -> None:
        self.hosts.disconnect(self.subsystem(host))


def _blocked(mapping: JsonObject) -> str | None:
    return str(mapping["reason"]) if mapping["state"] == "blocked" else None


@pytest.fixture(scope="module")
def scenario(fabric: Fabric, hosts: NvmeInitiator) -> Iterator[Scenario]:
    with fabric.cleared():
        yield Scenario(fabric, hosts)


@pytest.mark.parametrize(
    "tries",
    [
        pytest.param(("a stranger", "a wrong key"), id="two"),
        pytest.param(
            ("a stranger", "no keys of its own", "another host", "no key", "a wrong key", "a wrong answer"),
            id="all",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_stranger_and_a_host_with_a_wrong_key_see_nothing(scenario: Scenario, tries: Sequence[str]) -> None:
    hosts, other = scenario.hosts, scenario.hosts.new_key()
    scenario.disconnect(DB)
    scenario.disconnect(WEB)
    mutual = scenario.keys.mutual_secret
    strangers = {
        "a stranger": (STRANGER, scenario.db, scenario.keys),
        "no keys of its own": (STRANGER, scenario.web, None),
        "another host": (WEB, scenario.db, None),
        "no key": (DB, scenario.db, None),
        "a wrong key": (DB, scenario.db, DhChap(other, mutual)),
        "a wrong answer": (DB, scenario.db, DhChap(scenario.keys.secret, other)),
    }
    for name, subsystem, keys in (strangers[one] for one in tries):
        with pytest.raises(ConnectFailed), hosts.waiting_at_most(15):
            hosts.connect(subsystem, scenario.port, name, keys)
        assert hosts.namespaces(subsystem) == {}


def test_what_a_host_wrote_is_there_when_it_comes_back(scenario: Scenario) -> None:
    for host in (DB, WEB):
        scenario.hosts.write_pattern(scenario.connect(host), SEED, BLOCKS)
        scenario.disconnect(host)
        scenario.hosts.verify_pattern(scenario.connect(host), SEED, BLOCKS)


def test_a_host_sees_the_identity_that_is_stored(scenario: Scenario) -> None:
    shown = f"/sys/block/{scenario.connect(DB).removeprefix('/dev/')}"
    volume = scenario.client.get("/volumes/nvme1")
    assert scenario.hosts.machine.check(["cat", f"{shown}/uuid"]).strip() == volume["uuid"]
    assert scenario.hosts.machine.check(["cat", f"{shown}/nguid"]).strip().replace("-", "") == volume["nguid"]


def test_who_is_connected_is_unknown_and_not_nobody(scenario: Scenario) -> None:
    """Debian's kernel does not tell; a plan says so."""
    assert [one["family"] for one in scenario.client.get("/sessions")["unseen"]] == ["nvme"]
    assert scenario.client.get("/hosts/db")["sessions"] is None
    mapping = next(scenario.client.list("/mappings", host="db"))
    assert "not known" in scenario.client.delete(f"/mappings/{mapping['id']}", dry_run=True)["warnings"][0]


@pytest.mark.slow
def test_metrics_agree_with_what_fio_did(scenario: Scenario) -> None:
    """Per volume: Debian's kernel counts nothing per host, which is reported as unknown and not as zero."""
    device, endpoint = scenario.connect(DB), scenario.appliance.access.endpoint
    before = fresh(endpoint)
    done = fio.mixed(scenario.hosts.machine, device, block_bytes=16384, total_bytes=24 * MIB, span_bytes=16 * MIB)
    after = fresh(endpoint)
    assert_agrees(before, after, of_volume(done), volume="nvme1")
    assert after.sum("lunette_session_commands_total") is None
    page = scenario.client.get("/performance", of="session")
    assert (page["items"], [one["family"] for one in page["unseen"]]) == ([], ["nvme"])


@pytest.mark.slow
def test_a_host_is_connected_by_its_kit_alone(scenario: Scenario) -> None:
    """The kit names the appliance's own address, where a relay stands in this guest; it has no systemd."""
    hosts, machine = scenario.hosts, scenario.hosts.machine
    scenario.disconnect(DB)
    kit = scenario.client.get("/hosts/db/kit", secrets=True)
    portals = next(one["content"] for one in kit["files"] if one["path"].endswith("/nvme-portals"))
    addresses = {line.split()[1] for line in portals.splitlines()}
    assert addresses == {GUEST_ADDRESS}
    kits.put_relay(machine)
    kits.open_relay(machine, GUEST_ADDRESS, PORT, f"{hosts.address}:{scenario.port}")
    kits.write_files(machine, kit)
    kits.run_commands(machine, kit, without="systemctl")
    assert hosts.states(scenario.db) == ["live"]
    reported = kits.check(machine, kit)
    assert (reported.rc, "All checks passed." in reported.stdout) == (0, True), reported.stdout
    device = hosts.namespaces(scenario.db, {1})[1]
    hosts.write_pattern(device, SEED + 6, BLOCKS)
    hosts.verify_pattern(device, SEED + 6, BLOCKS)
    paths = scenario.client.get("/hosts/db/paths")
    assert (paths["state"], paths["volumes"][0]["seen"]) == ("unknown", None)
    scenario.disconnect(DB)
    gone = kits.check(machine, kit)
    kits.close_relay(machine, PORT)
    assert (gone.rc, f"no connection to portal {GUEST_ADDRESS}:{PORT}" in gone.stdout) == (1, True), gone.stdout


@pytest.mark.slow
@pytest.mark.parametrize("cycles", [1, 10])
def test_a_volume_comes_and_goes_on_a_connected_host_while_it_writes(scenario: Scenario, cycles: int) -> None:
    """Each time twice: what was written to the volume the first time is there the second."""
    hosts, client = scenario.hosts, scenario.client
    device = scenario.connect(DB)
    hosts.start_logged_writer(device, SEED + 1, 64, 3600.0)
    try:
        for use in (hosts.write_pattern, hosts.verify_pattern) * cycles:
            before = hosts.acknowledged(device, SEED + 1)
            mapping = client.post("/mappings", {"volume": "nvme2", "host": "db"})
            assert (mapping["family"], mapping["lun"]) == ("nvme", 2)
            use(hosts.namespaces(scenario.db, {1, 2})[2], SEED + 2, 64)
            client.delete(f"/mappings/{mapping['id']}", confirm=["nvme2"])
            hosts.namespaces(scenario.db, {1})
            wait_until("the writer goes on", lambda: hosts.acknowledged(device, SEED + 1) > before)  # noqa: B023
    finally:
        hosts.stop_logged_writer(device, SEED + 1)
        for left in client.list("/mappings", volume="nvme2"):
            client.delete(f"/mappings/{left['id']}", confirm=["nvme2"])
    assert hosts.verify_logged(device, SEED + 1) > 0
    assert hosts.states(scenario.db) == ["live"]


def test_a_volume_over_nvme_is_refused_over_scsi(scenario: Scenario) -> None:
    scenario.client.post("/hosts", {"name": "old", "iqns": ["iqn.2026-01.com.example:old"]})
    with pytest.raises(Refused, match="two disks"):
        scenario.client.post("/mappings", {"volume": "nvme1", "host": "old", "shared": True})


@pytest.mark.slow
def test_io_goes_on_when_the_agent_is_killed(scenario: Scenario) -> None:
    device = scenario.connect(DB)
    scenario.hosts.write_pattern(device, SEED + 3, BLOCKS)
    scenario.appliance.machine.check("systemctl kill --signal=KILL lunette-agent")
    scenario.hosts.verify_pattern(device, SEED + 3, BLOCKS)
    wait_until("every mapping is served", scenario.serving, deadline_s=BOOT_S)
    assert scenario.hosts.states(scenario.db) == ["live"]


@pytest.mark.slow
def test_after_a_reset_each_host_waits_for_its_own_volumes_and_comes_back_by_itself(scenario: Scenario) -> None:
    """`web` connects to a port that serves `db` while its own array is missing: it must keep trying."""
    hosts, machine = scenario.hosts, scenario.appliance.machine
    late = [disk.serial for disk in machine.disks if disk.bus == "scsi"]
    hosts.write_pattern(scenario.connect(DB), SEED + 4, BLOCKS)
    hosts.write_pattern(scenario.connect(WEB), SEED + 5, BLOCKS)
    machine.check("sync")
    machine.reset()
    for serial in late:
        machine.pull(serial)
    hosts.wait_live(scenario.db, BOOT_S)
    hosts.verify_pattern(hosts.namespaces(scenario.db, {1})[1], SEED + 4, BLOCKS)
    scenario.appliance.wait_for_api()
    blocked = wait_until(
        "web is told to wait",
        lambda: [m for m in scenario.client.list("/mappings", host="web") if m["state"] == "blocked"],
    )
    assert "late" in blocked[0]["reason"]
    assert hosts.states(scenario.web) == ["connecting"]
    for serial in late:
        machine.insert(serial)
    hosts.wait_live(scenario.web, BOOT_S)
    hosts.verify_pattern(hosts.namespaces(scenario.web, {1})[1], SEED + 5, BLOCKS)
    wait_until("every mapping is served", scenario.serving, deadline_s=BOOT_S)


@pytest.mark.slow
def test_a_host_that_loses_its_name_is_cut_off(scenario: Scenario) -> None:
    hosts = scenario.hosts
    for host in (DB, WEB):
        scenario.connect(host)
    scenario.client.patch("/hosts/web", {"nqns": []}, confirm=volumes_of(scenario.client, "web"))
    hosts.wait_until("web gives its disk up", lambda: hosts.namespaces(scenario.web), lambda seen: seen == {})
    assert hosts.states(scenario.db) == ["live"]
    scenario.client.patch("/hosts/web", {"nqns": [WEB]})
    wait_until("every mapping is served", scenario.serving, deadline_s=BOOT_S)
    scenario.connect(WEB)
