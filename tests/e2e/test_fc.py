"""Fibre Channel on a real appliance, over a software fabric: FCoE VN2VN on a veth pair, driven by libfcoe alone.

The appliance's guest is both ends: `fct` is its port, made a target; `fci` plays the host, with the kernel's own
initiator. No QLogic HBA is involved. The tests may run in any order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.e2e.fabric import Fabric, volumes_of
from tests.e2e.waiting import wait_until
from tests.initiators.block_io import IN_GUEST, PROGRAMS, BlockIo
from tests.initiators.libiscsi import LibiscsiInitiator
from tests.initiators.report_luns import report_luns

pytestmark = [pytest.mark.timeout(1500), pytest.mark.qemu, pytest.mark.fabric, pytest.mark.slow]
MACS = {"fct": "02:00:00:00:00:01", "fci": "02:00:00:00:00:02"}
PORT, HOST = (f"20:00:{mac}" for mac in MACS.values())
"""libfcoe takes a port's WWPN from the address of its interface."""
STRANGER = "20:00:02:00:00:00:00:09"
IQN = "iqn.2026-01.com.example:db"
VOLUME, LUN, BLOCKS, SEED = "fc1", 5, 512, 20260401
BOOT_S = 400.0
_FABRIC = f"""
set -e
modprobe -a veth fcoe
ip link add fct address {MACS["fct"]} type veth peer name fci address {MACS["fci"]}
ip link set fct up; ip link set fci up
"""
_PROGRAM = f"""
mkdir -p {IN_GUEST} /run/logs
cat > {IN_GUEST}/pattern.py <<'PROGRAM'
{{program}}
PROGRAM
"""


class Scenario(BlockIo):
    """The appliance with volume `fc1` as LUN 5 of host `db`, which has an IQN and a WWPN."""

    def __init__(self, fabric: Fabric) -> None:
        self.appliance, self.client = fabric.appliance, fabric.appliance.client
        self.machine = self.appliance.machine
        self.lay_cable()
        self.plug("fct")
        post = self.client.post
        fabric.volumes("fc%d", 2, "16MiB")
        wait_until("the port is listed", lambda: list(self.client.list("/fc-ports")))
        post("/fc-ports", {"wwpn": PORT, "mode": "target"})
        post("/hosts", {"name": "db", "iqns": [IQN], "wwpns": [HOST]})
        post("/hosts", {"name": "other", "wwpns": [STRANGER]})
        post("/portals", {"name": "iscsi", "protocol": "iscsi", "address": "0.0.0.0"})
        post("/mappings", {"volume": VOLUME, "host": "db", "lun": LUN})
        post("/mappings", {"volume": "fc2", "host": "other"})
        self.wait_served()

    def wait_served(self) -> None:
        """Until the port is a target, and every mapping is served."""
        wait_until("everything is served", self.serving, deadline_s=BOOT_S)

    def serving(self) -> bool:
        is_open = self.client.get(f"/fc-ports/{PORT}")["state"] == "open"
        return is_open and all(mapping["state"] == "open" for mapping in self.client.list("/mappings"))

    def lay_cable(self) -> None:
        """The fabric, and the program that writes patterns: both are gone after a reset."""
        program = (PROGRAMS / "pattern.py").read_text()
        self.machine.check(_PROGRAM.format(program=program))
        self.machine.check(_FABRIC, timeout_s=180.0)

    def plug(self, interface: str) -> None:
        """A port appears on the fabric. Its link comes last: Linux 6.12 does not survive a frame for a port that is
        being made (drivers/scsi/fcoe/fcoe_ctlr.c: fcoe_ctlr_vn_recv reads `fip->lp` before fcoe.c has set it).
        """
        make = f"echo {interface} > /sys/module/libfcoe/parameters/create_vn2vn"
        self.machine.check(f"ip link set {interface} down && {make} && ip link set {interface} up", timeout_s=120.0)

    def unplug(self, interface: str) -> None:
        """Returns when the port is gone: libfcoe only queues its end."""
        self.machine.check(f"echo {interface} > /sys/module/libfcoe/parameters/destroy", timeout_s=120.0)
        wait_until(f"port {interface} is gone", lambda: not self.is_there(interface), deadline_s=300.0)

    def disks(self) -> dict[int, str]:
        """What the kernel's initiator has, by LUN: of remote ports only, which no disk of the appliance hangs on."""
        found = self.machine.check(
            "for at in /sys/class/fc_remote_ports/rport-*/device/target*/*/block/*; "
            'do [ -e "$at/size" ] && echo "$at"; done; true'
        )
        paths = [line.split("/") for line in found.split()]
        return {int(parts[-3].rpartition(":")[2]): f"/dev/{parts[-1]}" for parts in paths}

    def disk(self) -> str:
        """The host's disk, once its port is on the fabric and has found it."""
        if not self.disks():
            self.unplug_if_there("fci")
            self.plug("fci")
        found = wait_until("the host finds its LUN", self.disks, deadline_s=180.0)
        assert set(found) == {LUN}
        return found[LUN]

    def unplug_if_there(self, interface: str) -> None:
        if self.is_there(interface):
            self.unplug(interface)

    def is_there(self, interface: str) -> bool:
        """True while the port or its FIP controller (/sys/bus/fcoe) is there."""
        seen = "cat /sys/class/fc_host/*/symbolic_name; ls -l /sys/bus/fcoe/devices/; true"
        return re.search(rf"over {interface}\b|/{interface}/", self.machine.check(seen)) is not None


@pytest.fixture(scope="module")
def scenario(fabric: Fabric) -> Iterator[Scenario]:
    with fabric.cleared():
        made = Scenario(fabric)
        yield made
        # Its disk must not remain without a target: a scan of the disks of the machine would wait for it.
        made.unplug_if_there("fci")


def test_what_a_host_wrote_is_there_when_its_port_comes_back(scenario: Scenario) -> None:
    scenario.write_pattern(scenario.disk(), SEED, BLOCKS)
    scenario.unplug("fci")
    wait_until("the disk is gone", lambda: not scenario.disks())
    scenario.verify_pattern(scenario.disk(), SEED, BLOCKS)


def test_a_host_sees_one_number_and_one_identity_over_iscsi_and_over_fibre_channel(scenario: Scenario) -> None:
    name = scenario.disk().removeprefix("/dev/")
    wwid = scenario.machine.check(f"cat /sys/block/{name}/device/wwid").strip()
    assert wwid == f"naa.{scenario.client.get(f'/volumes/{VOLUME}')['naa']}"
    initiator = LibiscsiInitiator(IQN, "127.0.0.1", scenario.machine.forward(3260))
    assert report_luns(initiator, str(scenario.client.get("/hosts/db")["target_iqn"])) == [LUN]


def test_the_port_and_who_is_logged_in_to_it_are_shown(scenario: Scenario) -> None:
    scenario.disk()
    port = scenario.client.get(f"/fc-ports/{PORT}")
    assert (port["mode"], port["observed"]["driver"], port["observed"]["link"]) == ("target", "fcoe", "Online")
    assert [(remote["wwpn"], remote["host"]) for remote in port["observed"]["remotes"]] == [(HOST, "db")]
    sessions = [one for one in scenario.client.list("/sessions") if one["protocol"] == "fc"]
    assert [(one["host"], one["initiator"], one["target_wwpn"]) for one in sessions] == [("db", HOST, PORT)]


def test_its_own_volume_seen_over_the_fabric_is_no_disk_for_an_array(scenario: Scenario) -> None:
    device = scenario.disk()
    disks = [disk for disk in scenario.client.list("/disks") if (disk["observed"] or {}).get("device") == device]
    assert [disk["observed"]["fabric"] for disk in disks] == [True]


def test_a_port_that_no_host_owns_sees_nothing(scenario: Scenario) -> None:
    """The host's WWPN is taken from it: the fabric shows a port that is no target."""
    scenario.disk()
    scenario.client.patch("/hosts/db", {"wwpns": []}, confirm=volumes_of(scenario.client, "db"))
    scenario.unplug("fci")
    wait_until(
        "the session is gone",
        lambda: not [one for one in scenario.client.list("/sessions") if one["protocol"] == "fc"],
    )
    scenario.plug("fci")
    seen = "cat /sys/class/fc_remote_ports/rport-*/roles"
    wait_until("the ports see each other", lambda: len(scenario.machine.check(f"{seen} || true").splitlines()) >= 2)
    assert "Target" not in scenario.machine.check(seen)
    assert scenario.disks() == {}
    scenario.client.patch("/hosts/db", {"wwpns": [HOST]})
    scenario.wait_served()
    scenario.unplug("fci")  # this kernel's initiator keeps what it once took for an initiator
    scenario.disk()


def test_io_goes_on_when_a_host_is_let_in_again_that_knew_its_disk(scenario: Scenario) -> None:
    """The ports log in again automatically; nothing is done on the host."""
    device = scenario.disk()
    scenario.write_pattern(device, SEED + 1, BLOCKS)
    scenario.client.patch("/hosts/db", {"wwpns": []}, confirm=volumes_of(scenario.client, "db"))
    wait_until("the ACL is gone", lambda: HOST not in scenario.machine.check(f"ls {_acls()}"))
    scenario.client.patch("/hosts/db", {"wwpns": [HOST]})
    wait_until("the ACL is back", lambda: HOST in scenario.machine.check(f"ls {_acls()}"))
    scenario.verify_pattern(device, SEED + 1, BLOCKS)


def test_after_a_reset_the_exports_come_back_and_wait_for_a_port_that_is_late(scenario: Scenario) -> None:
    scenario.write_pattern(scenario.disk(), SEED + 2, BLOCKS)
    scenario.machine.check("sync")
    scenario.machine.reset()
    scenario.appliance.wait_for_api(BOOT_S)
    port = wait_until(
        "the port is missed",
        lambda: next((p for p in scenario.client.list("/fc-ports") if p["state"] == "blocked"), None),
        deadline_s=BOOT_S,
    )
    assert "reinstall its HBA" in port["reason"]
    scenario.lay_cable()
    scenario.plug("fct")
    scenario.wait_served()
    scenario.verify_pattern(scenario.disk(), SEED + 2, BLOCKS)


def _acls() -> str:
    return f"/sys/kernel/config/target/fc/{PORT}/tpgt_1/acls"
