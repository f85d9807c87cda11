"""The scene of `make lab` on a real appliance, and what must be true while it runs.

The machine is a parameter: the whole scene on QEMU, a small one on user-mode Linux, on the appliance that tests share.
"""

from __future__ import annotations

import contextlib
import io
import struct
import tarfile
from collections.abc import Iterator
from dataclasses import replace

import pytest

from lunette.client import Refused
from tests.e2e.waiting import wait_until
from tests.initiators.kernel import LoginFailed
from tests.initiators.libiscsi import Chap, LibiscsiInitiator
from tests.lab.appliance import Appliance, appliance
from tests.lab.hosts import PATTERN_BLOCKS, LabHosts, lab_hosts
from tests.lab.scene import DISK_BYTES, MIB, PORTAL_PORT, VOLUMES, Scene, SceneHost, provision
from tests.machines.machine import Machine, VirtualMachine
from tests.machines.model import MachineError
from tests.machines.qemu import Qemu

pytestmark = [pytest.mark.timeout(1500), pytest.mark.quick_on_uml]
SEED = 20260101
FEW = 8
"""Volumes of the scene on user-mode Linux; there are VOLUMES of them on QEMU."""
IN_SYNC_EVERYWHERE = 2**64 - 1
"""What md writes as `resync_offset` of an array that it stopped clean: MaxSector of drivers/md/md.h."""
NOT_EVERYWHERE = {
    "logs/kernel-of-the-boot-before.txt",
    "hardware/pci.txt",
    "hardware/nvme.json",
    "network/firewall.txt",
    "network/rdma.txt",
    "arrays/arcstats.txt",
    "arrays/zpool-status.txt",
    "arrays/zpool-list.txt",
    "volumes/zfs.txt",
    "system/pressure-of-memory.txt",
    "system/pressure-of-io.txt",
}
"""Files of a support bundle that tell why there is nothing in them: user-mode Linux lacks what they are about."""


class Scenario:
    """The scene as it stands: appliance, hosts, and the pattern that was written to every volume."""

    def __init__(self, appliance: Appliance, scene: Scene, hosts: LabHosts) -> None:
        self.appliance, self.scene, self.hosts = appliance, scene, hosts

    @property
    def port(self) -> int:
        """Loopback port of the appliance's iSCSI portal."""
        return self.appliance.machine.forward(PORTAL_PORT)

    def login(self, host: SceneHost, chap: Chap | None) -> None:
        """One host with these credentials; its I/O waits long enough for a restart. Raises LoginFailed."""
        portal = f"{self.appliance.machine.address}:{self.port}"
        target = self.scene.targets[host.name]
        self.hosts.initiator.login(target, portal, host.iqn, chap, replacement_timeout_s=900)

    @property
    def counts(self) -> dict[str, int]:
        """How many volumes each host has."""
        return {host.name: len(host.volumes) for host in self.scene.hosts}

    def serving(self) -> bool:
        """Whether every mapping is served now."""
        return all(m["state"] == "open" for m in self.appliance.client.list("/mappings"))


@pytest.fixture(
    scope="module",
    params=[pytest.param("qemu", marks=pytest.mark.qemu), pytest.param("uml", marks=pytest.mark.uml)],
)
def scenario(request: pytest.FixtureRequest) -> Iterator[Scenario]:
    """The scene, provisioned through the API, with a pattern written to every volume by its host."""
    with contextlib.ExitStack() as stack:
        if request.param == "qemu":
            made = stack.enter_context(appliance(Qemu("scene", nvme=8, scsi=4, disk_mib=DISK_BYTES // MIB)))
            disks, volumes = made.disk_ids("nvme"), VOLUMES
        else:
            made = request.getfixturevalue("native")
            disks, volumes = made.disk_ids("ubd")[:4], FEW
        hosts = stack.enter_context(lab_hosts("scene-hosts"))
        scene = provision(made.client, disks, print, volumes=volumes)
        stands = Scenario(made, scene, hosts)
        wait_until("every mapping is served", stands.serving)
        hosts.write_and_verify(scene, made.machine, SEED)
        yield stands


def test_what_was_written_is_there_after_the_hosts_come_back(scenario: Scenario) -> None:
    assert scenario.hosts.verify(scenario.scene, scenario.appliance.machine, SEED) == scenario.counts


def test_sessions_are_listed_with_their_hosts(scenario: Scenario) -> None:
    with scenario.hosts.logged_in(scenario.scene, scenario.appliance.machine):
        sessions = wait_until(
            "four sessions are listed",
            lambda: (
                [s for s in scenario.appliance.client.list("/sessions") if s["host"]][3:]
                and list(scenario.appliance.client.list("/sessions"))
            ),
        )
        assert {s["host"]: s["target_iqn"] for s in sessions} == scenario.scene.targets


def test_a_host_sees_its_own_volumes_and_no_others(scenario: Scenario) -> None:
    plain = next(host for host in scenario.scene.hosts if host.chap is None)
    own = LibiscsiInitiator(plain.iqn, "127.0.0.1", scenario.port)
    assert own.inquire(scenario.scene.targets[plain.name], 1).ok
    last = len(plain.volumes)
    assert own.inquire(scenario.scene.targets[plain.name], last).ok
    assert not own.inquire(scenario.scene.targets[plain.name], last + 1).ok
    for name, target in scenario.scene.targets.items():
        assert own.inquire(target, 1).ok == (name == plain.name), name


def test_an_initiator_nobody_registered_gets_no_lun(scenario: Scenario) -> None:
    stranger = LibiscsiInitiator("iqn.2026-01.com.example:stranger", "127.0.0.1", scenario.port)
    for target in scenario.scene.targets.values():
        assert not stranger.inquire(target, 1).ok


def test_a_wrong_or_missing_chap_secret_gets_no_lun(scenario: Scenario) -> None:
    host = next(h for h in scenario.scene.hosts if h.chap and h.chap["mutual_user"] is None)
    assert host.chap is not None
    target = scenario.scene.targets[host.name]
    right = Chap(host.chap["user"], host.chap["secret"])
    assert LibiscsiInitiator(host.iqn, "127.0.0.1", scenario.port, right).inquire(target, 1).ok
    for chap in (None, Chap(right.user, "wrong-secret-1"), Chap("someone", right.secret)):
        assert not LibiscsiInitiator(host.iqn, "127.0.0.1", scenario.port, chap).inquire(target, 1).ok


def test_mutual_chap_takes_both_secrets(scenario: Scenario) -> None:
    host = next(h for h in scenario.scene.hosts if h.chap and h.chap["mutual_user"])
    right = mutual(host)
    for wrong in (replace(right, mutual_secret="wrong-secret-1"), replace(right, secret="wrong-secret-1"), None):
        with pytest.raises(LoginFailed, match=r"authorization failure|non-retryable iSCSI login failure"):
            scenario.login(host, wrong)
    scenario.login(host, right)
    target = scenario.scene.targets[host.name]
    assert scenario.hosts.initiator.devices(target, expected=len(host.volumes))
    scenario.hosts.initiator.logout(target)


def mutual(host: SceneHost) -> Chap:
    """The credentials of a host that has some."""
    assert host.chap is not None
    return Chap(**host.chap)


def test_a_host_sees_the_identity_that_is_stored(scenario: Scenario) -> None:
    guest = scenario.hosts.initiator
    with scenario.hosts.logged_in(scenario.scene, scenario.appliance.machine):
        for host in scenario.scene.hosts:
            devices = guest.devices(scenario.scene.targets[host.name], expected=len(host.volumes))
            for lun in (1, len(host.volumes)):
                volume = scenario.appliance.client.get(f"/volumes/{host.volumes[lun - 1]}")
                shown = f"/sys/block/{devices[lun].removeprefix('/dev/')}/device"
                assert guest.machine.check(f"cat {shown}/wwid").strip() == f"naa.{volume['naa']}"
                assert volume["serial"] in guest.machine.check(f"tr -d '\\0' <{shown}/vpd_pg80")


def test_a_volume_that_is_mapped_is_not_deleted(scenario: Scenario) -> None:
    with pytest.raises(Refused) as caught:
        scenario.appliance.client.delete("/volumes/lun01")
    assert caught.value.status == 409
    assert "esx1" in str(caught.value)


def test_unmapping_takes_the_lun_away_and_mapping_brings_it_back_with_its_data(scenario: Scenario) -> None:
    client = scenario.appliance.client
    plain = next(host for host in scenario.scene.hosts if host.chap is None)
    initiator = LibiscsiInitiator(plain.iqn, "127.0.0.1", scenario.port)
    target = scenario.scene.targets[plain.name]
    last = len(plain.volumes)
    mapping = next(m for m in client.list("/mappings", host=plain.name) if m["lun"] == last)
    client.delete(f"/mappings/{mapping['id']}", confirm=[mapping["volume"]])
    wait_until("the LUN is gone", lambda: not initiator.inquire(target, last).ok)
    assert initiator.inquire(target, last - 1).ok
    client.post("/mappings", {"volume": mapping["volume"], "host": plain.name, "lun": last})
    wait_until("the LUN is back", lambda: initiator.inquire(target, last).ok)
    assert scenario.hosts.verify(scenario.scene, scenario.appliance.machine, SEED) == scenario.counts


@pytest.mark.parametrize("unit", ["lunette-agent", pytest.param("lunette-api", marks=pytest.mark.slow)])
def test_exports_stay_when_a_process_is_killed(scenario: Scenario, unit: str) -> None:
    machine = scenario.appliance.machine
    with scenario.hosts.logged_in(scenario.scene, machine):
        machine.check(f"systemctl kill --signal=KILL {unit}")
        scenario.hosts.verify_logged_in(scenario.scene, SEED)
        scenario.appliance.wait_for_api()
        wait_until("every mapping is served", scenario.serving)
        assert all(scenario.hosts.initiator.is_connected(target) for target in scenario.scene.targets.values())


def test_exports_come_back_after_a_reset_even_without_the_api(scenario: Scenario) -> None:
    machine = scenario.appliance.machine
    machine.check("systemctl disable lunette-api && sync")
    machine.reset()
    machine.wait_for_shell()
    verified = wait_until(
        "all volumes are served without the API",
        lambda: scenario.hosts.verify_if_possible(scenario.scene, machine, SEED),
        deadline_s=240,
    )
    assert verified == scenario.counts
    machine.check("systemctl enable --now lunette-api")
    scenario.appliance.wait_for_api()
    wait_until("every mapping is served", scenario.serving)


@pytest.mark.slow
def test_an_orderly_shutdown_stops_the_array_clean(scenario: Scenario) -> None:
    """Under a host's writes: a machine that lost its power now would come back with an array to resynchronise."""
    machine, host, guest = scenario.appliance.machine, scenario.scene.hosts[0], scenario.hosts.initiator
    wait_until(
        "the first resync is over",
        lambda: scenario.appliance.client.get("/arrays/tank")["health"] == "clean",
        deadline_s=600,
    )
    plan = scenario.appliance.client.post("/appliance:power-off", dry_run=True)
    assert "until the system is switched on" in plan["warnings"][0]
    scenario.login(host, mutual(host))
    target = scenario.scene.targets[host.name]
    device = guest.devices(target, expected=len(host.volumes))[1]
    guest.start_logged_writer(device, SEED, 2048)
    wait_until("the host writes", lambda: guest.acknowledged(device, SEED) >= 50)
    wait_until("the disks say so", lambda: resync_offset(machine) != IN_SYNC_EVERYWHERE, pause_s=0.01)
    job = scenario.appliance.client.post("/appliance:power-off")
    wait_until("it is off", lambda: not is_running(machine), deadline_s=240)
    guest.stop_logged_writer(device, SEED)
    machine.kill()
    assert resync_offset(machine) == IN_SYNC_EVERYWHERE
    machine.start()
    scenario.appliance.wait_for_api()
    scenario.appliance.client.wait(job, deadline_s=120)
    wait_until("every mapping is served", scenario.serving)
    assert scenario.appliance.client.get("/arrays/tank")["health"] == "clean"
    wait_until("the host's path is back", lambda: guest.is_connected(target), deadline_s=300)
    assert guest.verify_logged(device, SEED) >= 50
    guest.logout(target)
    with scenario.hosts.logged_in(scenario.scene, machine):
        first = guest.devices(target, expected=len(host.volumes))[1]
        guest.write_pattern(first, SEED + 1, PATTERN_BLOCKS)  # it was written over
        assert scenario.hosts.verify_logged_in(scenario.scene, SEED) == scenario.counts


def resync_offset(machine: Machine) -> int:
    """What lies on the first disk: up to where, in sectors, md knows data and parity to agree.

    A superblock of version 1.2 lies 4096 bytes from the start, and the field 208 bytes from the superblock's: struct
    mdp_superblock_1 in include/uapi/linux/raid/md_p.h of the kernel.
    """
    assert isinstance(machine, VirtualMachine)
    with (machine.folder / f"{machine.disks[0].serial.lower()}.raw").open("rb") as disk:
        disk.seek(4096)
        magic, offset = struct.unpack("<I204xQ", disk.read(216))
    assert magic == 0xA92B4EFC
    return int(offset)


def is_running(machine: Machine) -> bool:
    try:
        machine.check_running()
    except MachineError:
        return False
    return True


def test_a_support_bundle_tells_of_this_machine_and_holds_no_secret(scenario: Scenario) -> None:
    content = scenario.appliance.client.operate("appliance_support")
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        files = {
            member.name.partition("/")[2]: file.read().decode()
            for member in archive.getmembers()
            if (file := archive.extractfile(member)) is not None
        }
    assert files["exports/target.txt"].count("/udev_path = /dev/") == sum(scenario.counts.values())
    assert "lunette-agent" in files["logs/lunette.txt"]
    assert "md127" in files["logs/kernel.txt"]
    assert "Raid Level : raid5" in files["arrays/md127.txt"]
    unread = [name for name, text in files.items() if text.startswith("not read") or "\n[exit " in text]
    assert set(unread) <= NOT_EVERYWHERE
    credentials = [host.chap for host in scenario.scene.hosts if host.chap]
    secrets = {chap[key] for chap in credentials for key in ("secret", "mutual_secret") if chap[key]}
    assert len(secrets) > 2
    assert not [name for name, text in files.items() if any(secret in text for secret in secrets)]
