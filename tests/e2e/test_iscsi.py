"""What an administrator does about iSCSI sessions, on a real appliance with real initiators (open-iscsi)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from lunette.client import JsonObject, Refused
from tests.e2e.waiting import wait_until
from tests.initiators.kernel import KernelInitiator, LoginFailed
from tests.initiators.libiscsi import Chap
from tests.lab.appliance import Appliance, appliance
from tests.machines.model import MachineError
from tests.machines.pace import within
from tests.machines.uml import Uml

pytestmark = [pytest.mark.uml, pytest.mark.timeout(1500), pytest.mark.slow]

MIB = 1 << 20
PORTAL_PORT = 3260
HOSTS = ("db", "web")
TWIN = (Path(__file__).parents[1] / "initiators" / "twin.py").read_text()
SEED, BLOCKS = 20261123, 1024
COMES_BACK_S = 60.0


def iqn(host: str) -> str:
    return f"iqn.2026-01.com.example:{host}"


@dataclass(frozen=True)
class Scenario:
    """Two hosts, each with a volume of its own, in one guest."""

    appliance: Appliance
    guest: KernelInitiator
    targets: dict[str, str]
    devices: dict[str, str] = field(default_factory=dict)
    """Of each host's own volume, while it writes."""

    @property
    def portal(self) -> str:
        machine = self.appliance.machine
        return f"{machine.address}:{machine.forward(PORTAL_PORT)}"

    def session(self, host: str) -> JsonObject | None:
        """The session that the appliance lists for a host."""
        return next((one for one in self.appliance.client.list("/sessions") if one["host"] == host), None)

    def device(self, host: str) -> str:
        return self.guest.devices(self.targets[host], expected=1)[1]

    def depth(self, host: str) -> str:
        """The queue depth that the kernel of the appliance has for the host."""
        path = f"/sys/kernel/config/target/iscsi/{self.targets[host]}/tpgt_*/acls/{iqn(host)}/cmdsn_depth"
        return self.appliance.machine.check(f"cat {path}").strip()


@pytest.fixture(scope="module")
def scenario() -> Iterator[Scenario]:
    """On user-mode Linux."""
    with appliance(Uml("sessions", disks=2, disk_mib=1024)) as made, KernelInitiator("session-hosts") as guest:
        client = made.client
        disks = made.disk_ids("ubd")
        client.wait(client.post("/arrays", {"name": "tank", "engine": "md", "level": "raid1", "disks": disks}))
        client.post("/portals", {"name": "storage", "address": "0.0.0.0", "port": PORTAL_PORT})
        for host in HOSTS:
            client.wait(client.post("/volumes", {"name": host, "array": "tank", "size_bytes": 32 * MIB}))
            client.post("/hosts", {"name": host, "iqns": [iqn(host)]})
            client.post("/mappings", {"volume": host, "host": host})
        client.wait(client.post("/volumes", {"name": "more", "array": "tank", "size_bytes": 32 * MIB}))
        wait_until("every mapping is served", lambda: all(m["state"] == "open" for m in client.list("/mappings")))
        targets = {host: str(client.get(f"/hosts/{host}")["target_iqn"]) for host in HOSTS}
        yield Scenario(made, guest, targets)


@pytest.fixture
def working(scenario: Scenario) -> Iterator[Scenario]:
    """Both hosts are logged in and write all the while."""
    for host in HOSTS:
        scenario.guest.login(scenario.targets[host], scenario.portal, iqn(host))
        scenario.devices[host] = scenario.device(host)
        scenario.guest.start_logged_writer(scenario.devices[host], SEED, BLOCKS, 3600.0)
    wait_until("both sessions are listed", lambda: all(scenario.session(host) for host in HOSTS))
    yield scenario
    for host in HOSTS:
        scenario.guest.stop_logged_writer(scenario.device(host), SEED)
        scenario.guest.logout(scenario.targets[host])


def test_a_session_ends_its_host_comes_back_and_no_write_is_lost(working: Scenario) -> None:
    client, guest = working.appliance.client, working.guest
    before = {host: working.session(host) for host in HOSTS}
    ended = before["db"]
    assert ended is not None
    assert (ended["can_disconnect"], working.depth("db")) == (True, str(ended["queue_depth"]))
    plan = client.post(f"/sessions/{ended['id']}:disconnect", {}, dry_run=True)
    assert plan["hosts_interrupted"] == ["db"]
    unchanged = working.session("db")
    assert unchanged is not None
    assert unchanged["id"] == ended["id"]
    written = {host: guest.acknowledged(working.device(host), SEED) for host in HOSTS}
    job = client.wait(client.post(f"/sessions/{ended['id']}:disconnect", {}))
    assert [step["detail"] for step in job["steps"]] != ["that session had already ended"]
    back = wait_until(
        "the host has another session",
        lambda: (now := working.session("db")) and now["id"] != ended["id"] and now,
        COMES_BACK_S,
    )
    assert back["initiator"] == ended["initiator"]
    assert working.depth("db") == str(ended["queue_depth"])
    for host in HOSTS:
        wait_until(
            f"{host} goes on writing",
            lambda host=host: guest.acknowledged(working.device(host), SEED) > written[host] + 20,  # type: ignore[misc]
            COMES_BACK_S,
        )
    other = working.session("web")
    assert other is not None
    assert before["web"] is not None
    assert other["id"] == before["web"]["id"]
    for host in HOSTS:
        guest.stop_logged_writer(working.device(host), SEED)
        assert guest.verify_logged(working.device(host), SEED) > 0


def test_a_lun_that_somebody_took_out_of_configfs_comes_back_and_is_reported(scenario: Scenario) -> None:
    client, machine, target = scenario.appliance.client, scenario.appliance.machine, scenario.targets["db"]
    (mapping,) = (one for one in client.list("/mappings") if one["volume"] == "db")
    place = f"acls/{iqn('db')}/lun_{mapping['lun']}"
    folder = f"/sys/kernel/config/target/iscsi/{target}/tpgt_1/{place}"
    machine.check(f"rm {folder}/lun && rmdir {folder}")
    reported = wait_until("it is told", lambda: list(client.list("/events", kind="export.repaired")))
    assert f"host db: iscsi/{target}/tpgt_1/{place} was missing" in reported[0]["message"]
    machine.check(f"test -e {folder}/lun")


@pytest.mark.parametrize("cycles", [pytest.param(2, id="twice"), pytest.param(100, id="100")])
def test_one_more_volume_comes_and_goes_and_io_of_the_others_goes_on(working: Scenario, cycles: int) -> None:
    """Each time the host finds it, uses it, and removes the device as its administrator does, before it is unmapped."""
    client, guest, target = working.appliance.client, working.guest, working.targets["db"]
    session, device = working.session("db"), working.device("db")
    for cycle in range(cycles):
        before = {host: guest.acknowledged(working.devices[host], SEED) for host in HOSTS}
        mapping = client.post("/mappings", {"volume": "more", "host": "db"})
        wait_until("it is served", lambda: client.get(f"/mappings/{mapping['id']}")["state"] == "open")  # noqa: B023
        guest.rescan(target)
        more = guest.devices(target, expected=2)[mapping["lun"]]
        (guest.verify_pattern if cycle else guest.write_pattern)(more, SEED + 1, 16)
        guest.machine.check(f"echo 1 > /sys/block/{more.removeprefix('/dev/')}/device/delete")
        client.delete(f"/mappings/{mapping['id']}", confirm=["more"])
        assert working.device("db") == device
        for host in HOSTS:
            wait_until(
                f"{host} goes on writing",
                lambda host=host: guest.acknowledged(working.devices[host], SEED) > before[host],  # type: ignore[misc]  # noqa: B023
            )
    now = working.session("db")
    assert session is not None
    assert now is not None
    assert now["id"] == session["id"], "it was never logged out"
    for host in HOSTS:
        guest.stop_logged_writer(working.devices[host], SEED)
        assert guest.verify_logged(working.devices[host], SEED) > 0


def test_a_session_that_has_ended_is_not_found_and_its_successor_stays(working: Scenario) -> None:
    client = working.appliance.client
    first = working.session("db")
    assert first is not None
    client.wait(client.post(f"/sessions/{first['id']}:disconnect", {}))
    second = wait_until(
        "the host has another session",
        lambda: (now := working.session("db")) and now["id"] != first["id"] and now,
        COMES_BACK_S,
    )
    with pytest.raises(Refused) as caught:
        client.post(f"/sessions/{first['id']}:disconnect", {})
    assert (caught.value.status, "has ended" in str(caught.value)) == (404, True)
    now = working.session("db")
    assert now is not None
    assert now["id"] == second["id"]


def test_two_machines_under_one_name_raise_an_alert_until_they_stop(scenario: Scenario) -> None:
    client, machine = scenario.appliance.client, scenario.appliance.machine
    unit = ["systemd-run", "--unit=twins", "python3", "-c", TWIN, scenario.targets["db"], iqn("db")]
    machine.check([*unit, str(PORTAL_PORT), "12", "127.0.0.1", "127.0.0.2"])
    reported = wait_until(
        "it is told",
        lambda: [a for a in client.list("/alerts", active="true") if "alternately" in str(a["message"])],
        180,
    )
    (alert,) = reported
    assert alert["severity"] == "critical"
    assert str(alert["message"]).startswith(
        f"Initiator {iqn('db')} of host db logs in alternately from several machines: "
    )
    assert str(alert["message"]).endswith("127.0.0.1, 127.0.0.2")  # before them the host of the tests above, perhaps
    machine.check("systemctl stop twins")
    wait_until("nobody is logged in", lambda: scenario.session("db") is None)


def test_a_host_that_keeps_the_device_of_a_volume_writes_into_no_other(scenario: Scenario) -> None:
    """open-iscsi is not notified: the device stays until it is removed, which is the default of Linux."""
    client, guest, target = scenario.appliance.client, scenario.guest, scenario.targets["db"]
    client.wait(client.post("/volumes", {"name": "next", "array": "tank", "size_bytes": 32 * MIB}))
    guest.login(target, scenario.portal, iqn("db"))
    first = client.post("/mappings", {"volume": "more", "host": "db"})
    wait_until("it is served", lambda: client.get(f"/mappings/{first['id']}")["state"] == "open")
    guest.rescan(target)
    stale = guest.devices(target, expected=2)[first["lun"]]
    guest.write_pattern(stale, SEED, 64)
    wait_until("the session is listed", lambda: scenario.session("db"))
    client.delete(f"/mappings/{first['id']}", confirm=["more"])
    second = client.post("/mappings", {"volume": "next", "host": "db"})
    wait_until("it is served", lambda: client.get(f"/mappings/{second['id']}")["state"] == "open")
    assert second["lun"] != first["lun"]
    # Looks for what is new and leaves the old device as it is, which a rescan would find without a size.
    place = f"$(basename $(readlink -f /sys/block/{stale.removeprefix('/dev/')}/device) | cut -d: -f1)"
    guest.machine.check(f"echo '- - -' > /sys/class/scsi_host/host{place}/scan")
    fresh = guest.devices(target, expected=3)[second["lun"]]
    guest.write_pattern(fresh, SEED + 1, 64)
    with pytest.raises(MachineError):
        guest.write_pattern(stale, SEED + 2, 64)
    guest.verify_pattern(fresh, SEED + 1, 64)
    reported = guest.machine.check("dmesg")
    assert "LUN assignments on this target have changed" in reported, "REPORTED LUNS DATA HAS CHANGED reached the host"
    with pytest.raises(Refused) as refused:
        client.post("/mappings", {"volume": "next", "host": "db", "lun": first["lun"]})
    assert refused.value.status == 409
    client.delete(f"/mappings/{second['id']}", confirm=["next"])
    spec = {"volume": "next", "host": "db", "lun": first["lun"]}
    assert [one["former"] for one in client.post("/mappings", spec, dry_run=True)["reused"]] == ["more"]
    time.sleep(within(15.0))  # until the appliance has noted who was logged in without the volume
    guest.logout(target)
    guest.login(target, scenario.portal, iqn("db"))  # as another session, which has no old device
    wait_until("the number is free", lambda: client.post("/mappings", spec, dry_run=True)["reused"] == [], 60.0)
    again = client.post("/mappings", {"volume": "more", "host": "db"})
    wait_until("it is served", lambda: client.get(f"/mappings/{again['id']}")["state"] == "open")
    guest.rescan(target)
    guest.verify_pattern(guest.devices(target, expected=2)[again["lun"]], SEED, 64)
    guest.logout(target)
    client.delete(f"/mappings/{again['id']}", confirm=["more"])


ENFORCED = "/sys/kernel/config/target/iscsi/discovery_auth/enforce_discovery_auth"
RIGHT = Chap("hosts", "secret-of-hosts1", "lunette", "secret-of-ours-1")


def is_told(scenario: Scenario, chap: Chap | None, host: str = "db") -> bool:
    """Whether discovery with this login reports the target of the host, and no other."""
    try:
        found = scenario.guest.discover(scenario.portal, iqn(host), chap)
    except LoginFailed:
        return False
    assert set(found) == {scenario.targets[host]}
    return True


def test_a_host_is_told_its_targets_only_after_the_login(scenario: Scenario) -> None:
    client, machine = scenario.appliance.client, scenario.appliance.machine
    assert is_told(scenario, None)
    login = {"user": RIGHT.user, "secret": RIGHT.secret, "mutual_user": RIGHT.mutual_user}
    client.patch("/settings", {"discovery_auth": {**login, "mutual_secret": RIGHT.mutual_secret}})
    wait_until("it is asked for", lambda: not is_told(scenario, None))
    assert is_told(scenario, RIGHT)
    wrong = (
        Chap("hosts", "wrong-secret-1"),
        Chap("others", RIGHT.secret),
        Chap("hosts", RIGHT.secret, "lunette", "wrong-secret-of-us"[:16]),
    )
    assert [is_told(scenario, one) for one in wrong] == [False] * 3
    scenario.guest.login(scenario.targets["db"], scenario.portal, iqn("db"))  # who knows its target needs no discovery
    scenario.guest.logout(scenario.targets["db"])
    machine.check(f"echo 0 > {ENFORCED}")
    wait_until("what somebody switched off is on again", lambda: not is_told(scenario, None))
    machine.check("systemctl disable lunette-api && sync")
    machine.reset()
    machine.wait_for_shell()
    wait_until("it is told again, without the API", lambda: is_told(scenario, RIGHT), 240)
    assert not is_told(scenario, None)
    machine.check("systemctl enable --now lunette-api")
    scenario.appliance.wait_for_api()
    client.patch("/settings", {"discovery_auth": None})
    wait_until("nothing is asked for any more", lambda: is_told(scenario, None))
