"""Volumes under hosts that use them: they grow, give space back, have snapshots, and a full pool harms no other.

The machine is a parameter: the appliance on user-mode Linux that tests share, and for the whole matrix QEMU with the
appliance's own kernel.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from lunette.client import Client, Refused
from lunette.providers.arrays.md.plan import device_path, md_uuid
from tests.e2e.counting import assert_agrees, fresh, of_session, of_volume
from tests.e2e.waiting import wait_until
from tests.initiators import fio
from tests.initiators.kernel import KernelInitiator
from tests.lab.appliance import Appliance, appliance
from tests.lab.scene import MIB, PORTAL_PORT
from tests.machines.model import MachineError
from tests.machines.qemu import Qemu

pytestmark = [pytest.mark.timeout(1200), pytest.mark.quick_on_uml]
IQN = "iqn.2026-01.com.example:volumes"
ARRAY = "lake"
BLOCKS_PER_MIB = MIB // 4096
OLD, NEW, THICK, MORE = 11, 22, 33, 44
"""Seeds of the patterns."""


@dataclass(frozen=True)
class Scenario:
    """An appliance with one array, and a host that is logged in. LUN 1 is the volume `thick`, LUN 2 `thin`."""

    made: Appliance
    host: KernelInitiator
    target: str

    @property
    def client(self) -> Client:
        return self.made.client

    def login(self) -> None:
        machine = self.made.machine
        self.host.login(self.target, f"{machine.address}:{machine.forward(PORTAL_PORT)}", IQN)

    def tuning(self) -> list[str]:
        """The array's stripe cache and threads, as the kernel has them."""
        device = device_path(md_uuid(self.client.get(f"/arrays/{ARRAY}")["uuid"]))
        at = f"/sys/block/$(basename $(readlink -e {device}))/md"
        return self.made.machine.check(f"cat {at}/stripe_cache_size {at}/group_thread_cnt").split()

    def device(self, lun: int) -> str:
        """The host's device for a LUN, once it is there."""
        return wait_until(f"LUN {lun} is there", lambda: self.host.devices(self.target).get(lun))

    def size(self, lun: int) -> int:
        """Bytes, as the host's kernel has it."""
        return int(self.host.machine.check(f"blockdev --getsize64 {self.device(lun)}"))

    def sessions(self) -> str:
        """The host's sessions by number: a new login would be a new number."""
        return self.host.machine.check("ls /sys/class/iscsi_session")

    def map(self, volume: str, lun: int) -> None:
        """Also under a number that another volume had: the host has no device of it any more."""
        spec = {"volume": volume, "host": "h", "lun": lun}
        plan = self.client.post("/mappings", spec, dry_run=True)
        self.client.post("/mappings", spec, confirm=[one["former"] for one in plan["reused"]])
        wait_until(f"{volume} is served", lambda: all(m["state"] == "open" for m in self.client.list("/mappings")))

    def unmap(self, volume: str) -> None:
        for mapping in [m for m in self.client.list("/mappings") if m["volume"] == volume]:
            self.client.delete(f"/mappings/{mapping['id']}", confirm=[volume])

    def delete(self, path: str) -> None:
        """A volume goes although the host read from it a moment ago; a snapshot for good."""
        noun, _, name = path.strip("/").partition("/")
        self.client.wait(self.client.delete(path, confirm=[name] if noun == "volumes" else []))
        if noun == "snapshots":
            self.client.wait(self.client.delete(f"/deleted-snapshots/{name}"))

    def used_mib(self, volume: str) -> float:
        """What a thin volume holds of its pool."""
        return float(self.client.get(f"/volumes/{volume}")["observed"]["used_bytes"] or 0) / MIB

    def make(self, name: str, size_mib: int, kind: str) -> None:
        spec = {"name": name, "array": ARRAY, "size_bytes": size_mib * MIB, "provisioning": kind}
        self.client.wait(self.client.post("/volumes", spec))

    def held(self) -> int:
        """Bytes that volumes take, of the array and of its thin pool together."""
        array = self.client.get(f"/arrays/{ARRAY}")
        return int(array["usable_bytes"] - array["free_bytes"] + (array["thin_pool"] or {}).get("used_bytes", 0))

    def alerts(self) -> list[str]:
        return [alert["message"] for alert in self.client.list("/alerts") if alert["resolved_at"] is None]

    def wait_for_alert(self, words: str) -> None:
        wait_until(f"an alert says {words!r}", lambda: any(words in message for message in self.alerts()))

    def pool_percent(self) -> float:
        """How full the data of the thin pool is at this moment; what the API says may be a look old."""
        return float(self.made.machine.check("lvs --noheadings -o data_percent -S lv_name=pool"))


@pytest.fixture(
    scope="module",
    params=[pytest.param("uml", marks=pytest.mark.uml), pytest.param("qemu", marks=pytest.mark.qemu)],
)
def scenario(request: pytest.FixtureRequest) -> Iterator[Scenario]:
    is_qemu = request.param == "qemu"
    with contextlib.ExitStack() as stack:
        if is_qemu:
            made = stack.enter_context(appliance(Qemu("volumes", nvme=3, disk_mib=512)))
        else:
            made = request.getfixturevalue("native")
        host = stack.enter_context(KernelInitiator("volumes-host"))
        client = made.client
        disks = made.disk_ids(made.machine.disks[0].bus)[-3:]
        client.wait(client.post("/arrays", {"name": ARRAY, "engine": "md", "level": "raid5", "disks": disks}))
        client.post("/hosts", {"name": "h", "iqns": [IQN]})
        if not list(client.list("/portals")):
            client.post("/portals", {"name": "storage", "address": "0.0.0.0", "port": PORTAL_PORT})
        first = Scenario(made, host, "")
        first.make("thick", 64, "thick")
        first.make("thin", 128, "thin")
        first.map("thick", 1)
        first.map("thin", 2)
        stands = Scenario(made, host, str(client.get("/hosts/h")["target_iqn"]))
        stands.login()
        yield stands


def test_a_volume_grows_under_a_host_that_writes_to_it_without_a_new_login(scenario: Scenario) -> None:
    device, before = scenario.device(1), scenario.sessions()
    naa = scenario.client.get("/volumes/thick")["naa"]
    scenario.host.start_logged_writer(device, THICK, 1024)
    wait_until("the host writes", lambda: scenario.host.acknowledged(device, THICK) > 20)
    scenario.client.wait(scenario.client.act("/volumes/thick", "grow", {"size_bytes": 128 * MIB}))
    assert scenario.client.get("/volumes/thick")["observed"]["size_bytes"] == 128 * MIB
    scenario.host.rescan(scenario.target)
    wait_until("the host sees the new size", lambda: scenario.size(1) == 128 * MIB)
    assert scenario.sessions() == before
    beyond = 64 * BLOCKS_PER_MIB
    scenario.host.write_pattern(device, NEW, beyond, first=beyond)
    scenario.host.verify_pattern(device, NEW, beyond, first=beyond)
    scenario.host.stop_logged_writer(device, THICK)
    assert scenario.host.verify_logged(device, THICK) > 0
    assert scenario.client.get("/volumes/thick")["naa"] == naa
    with pytest.raises(Refused, match="cannot be shrunk"):
        scenario.client.act("/volumes/thick", "grow", {"size_bytes": 64 * MIB})


@pytest.mark.slow
def test_metrics_agree_with_what_fio_did(scenario: Scenario) -> None:
    """Per volume and per session. A session's bytes are whole MiB, so 1 % needs more than 100 of them each way."""
    device, endpoint = scenario.device(1), scenario.made.access.endpoint
    before = fresh(endpoint)
    done = fio.mixed(scenario.host.machine, device, block_bytes=32768, total_bytes=288 * MIB, span_bytes=64 * MIB)
    assert min(done.read_bytes, done.written_bytes) > 128 * MIB
    after = fresh(endpoint)
    assert_agrees(before, after, of_volume(done), volume="thick")
    assert_agrees(before, after, of_session(done), host="h", initiator=IQN, protocol="iscsi", volume="thick")
    assert {one["name"] for one in scenario.client.list("/performance", of="volume")} >= {"thick", "thin"}
    volume = scenario.client.get("/volumes/thick")["id"]

    def history(figure: str) -> list[float | None]:
        highest: list[float | None] = scenario.client.get(f"/performance/{volume}")[figure]["max"]
        return highest

    wait_until("the history has the writes and their latency", lambda: any(history("write_latency_ms")))
    assert any(history("write_bytes_s"))
    assert any(history("read_bytes_s"))
    held = scenario.made.machine.check("grep VmRSS /proc/$(systemctl show -P MainPID lunette-agent)/status")
    assert int(held.split()[1]) < 60_000, f"the agent holds {held.split()[1]} kB"


@pytest.mark.slow
def test_what_a_host_unmaps_is_free_again_and_reads_as_zeros(scenario: Scenario) -> None:
    device, blocks = scenario.device(2), 64 * BLOCKS_PER_MIB
    scenario.host.write_pattern(device, OLD, blocks)
    wait_until("the volume holds what was written", lambda: scenario.used_mib("thin") >= 63)
    scenario.host.machine.check(f"blkdiscard --offset 0 --length {32 * MIB} {device}")
    wait_until("half of it is free again", lambda: scenario.used_mib("thin") <= 33)
    # Where a host cuts its request in the middle of a chunk (Linux 7.2 after 65535 blocks), that chunk keeps its data.
    zeros = scenario.host.machine.check(f"dd if={device} bs=1M count=31 iflag=direct status=none | tr -d '\\0' | wc -c")
    assert zeros.strip() == "0"
    scenario.host.verify_pattern(device, OLD, blocks // 2, first=blocks // 2)


@pytest.mark.slow
def test_clones_and_a_roll_back_have_what_was_there_when_the_snapshot_was_taken(scenario: Scenario) -> None:
    client, blocks = scenario.client, 4 * BLOCKS_PER_MIB
    device = scenario.device(2)
    scenario.host.write_pattern(device, OLD, blocks)
    client.wait(client.post("/snapshots", {"name": "before", "volume": "thin"}))
    scenario.host.write_pattern(device, NEW, blocks)
    client.wait(client.delete("/snapshots/before"))
    assert [one["name"] for one in client.list("/deleted-snapshots")] == ["before"]
    client.wait(client.act("/deleted-snapshots/before", "recover", {}))
    client.wait(client.post("/snapshots/before:clone", {"name_pattern": "copy%d", "count": 2}))
    scenario.map("copy1", 3)
    scenario.host.rescan(scenario.target)
    scenario.host.verify_pattern(scenario.device(3), OLD, blocks)
    scenario.host.write_pattern(scenario.device(3), MORE, blocks)
    scenario.host.verify_pattern(device, NEW, blocks)
    with pytest.raises(Refused, match="mapped to h"):
        client.act("/volumes/thin", "roll-back", {"snapshot": "before"})
    scenario.host.logout(scenario.target)
    for volume in ("thin", "copy1"):
        scenario.unmap(volume)
    client.wait(client.act("/volumes/thin", "roll-back", {"snapshot": "before"}))
    scenario.map("thin", 2)
    scenario.map("copy2", 3)
    scenario.login()
    scenario.host.verify_pattern(scenario.device(2), OLD, blocks)
    scenario.host.verify_pattern(scenario.device(3), OLD, blocks)
    (kept,) = [one for one in client.list("/deleted-volumes") if one["name"] == "thin"]
    client.wait(client.act(f"/deleted-volumes/{kept['id']}", "recover", {"name": "then"}))
    scenario.map("then", 4)
    scenario.host.rescan(scenario.target)
    scenario.host.verify_pattern(scenario.device(4), NEW, blocks)
    for volume in ("copy2", "then"):
        scenario.unmap(volume)
    comes_and_goes_with_its_snapshot(scenario, "copy2")
    for path in ("/snapshots/before", "/volumes/copy1", "/volumes/then"):
        scenario.delete(path)
    scenario.host.verify_pattern(scenario.device(2), OLD, blocks)


def comes_and_goes_with_its_snapshot(scenario: Scenario, volume: str) -> None:
    """A volume and its snapshot that were deleted come back together, and are erased together."""
    client = scenario.client
    client.wait(client.post("/snapshots", {"name": "of-it", "volume": volume}))
    client.wait(client.delete("/snapshots/of-it"))
    scenario.delete(f"/volumes/{volume}")
    with pytest.raises(Refused, match="recover the volume first"):
        client.act("/deleted-snapshots/of-it", "recover", {})
    client.wait(client.act(f"/deleted-volumes/{volume}", "recover", {}))
    client.wait(client.act("/deleted-snapshots/of-it", "recover", {}))
    client.wait(client.delete("/snapshots/of-it"))
    scenario.delete(f"/volumes/{volume}")
    client.wait(client.delete(f"/deleted-volumes/{volume}"))
    assert [*client.list("/deleted-snapshots")] == []
    assert client.get("/drift")["items"] == []


@pytest.mark.slow
def test_a_schedule_takes_snapshots_and_lets_the_oldest_of_its_own_go(scenario: Scenario) -> None:
    client, blocks = scenario.client, BLOCKS_PER_MIB
    client.wait(client.post("/snapshots", {"name": "by-hand", "volume": "thin"}))
    spec = {"name": "nightly", "action": "snapshot", "volumes": ["thin"], "when": "0 3 * * *", "keep": {"last": 2}}
    assert client.post("/schedules", spec)["next_runs"]
    held: list[list[str]] = []
    for seed in (OLD, NEW, MORE):
        scenario.host.write_pattern(scenario.device(2), seed, blocks)
        client.wait(client.post("/schedules/nightly:run"))
        held.append([one["name"] for one in client.list("/snapshots") if one["name"] != "by-hand"])
    assert [len(names) for names in held] == [1, 2, 2]
    assert held[0][0] not in held[2]
    on_machine = scenario.made.machine.check("lvs --noheadings -o lv_name,lv_tags | grep -c lunette.snapshot=")
    assert on_machine.strip() == "3", "two of the schedule and the one by hand"
    client.wait(client.post(f"/snapshots/{held[2][0]}:clone", {"name": "of-schedule"}))
    scenario.map("of-schedule", 3)
    scenario.host.rescan(scenario.target)
    scenario.host.verify_pattern(scenario.device(3), NEW, blocks)
    scenario.unmap("of-schedule")
    assert client.get("/schedules/nightly")["last_run"]["state"] == "succeeded"
    client.delete("/schedules/nightly")
    for path in ("/volumes/of-schedule", "/snapshots/by-hand", *(f"/snapshots/{name}" for name in held[2])):
        scenario.delete(path)


def test_snapshots_thin_volumes_and_the_tuning_are_there_after_a_reboot(scenario: Scenario) -> None:
    client, blocks, signature = scenario.client, BLOCKS_PER_MIB, "0bad1dea-0000-4000-8000-000000000001"
    scenario.host.write_pattern(scenario.device(2), OLD, blocks)
    scenario.host.machine.check(f"mkswap --uuid {signature} {scenario.device(1)} && sync")
    client.wait(client.post("/snapshots", {"name": "kept", "volume": "thin"}))
    client.patch(f"/arrays/{ARRAY}", {"stripe_cache_size": 512, "group_thread_cnt": 1})
    wait_until("the array is tuned", lambda: scenario.tuning() == ["512", "1"])
    scenario.host.logout(scenario.target)
    scenario.made.machine.stop()
    scenario.made.machine.start()
    scenario.made.wait_for_api()
    wait_until("all is served again", lambda: all(m["state"] == "open" for m in client.list("/mappings")))
    scenario.login()
    scenario.host.verify_pattern(scenario.device(2), OLD, blocks)
    active = scenario.made.machine.check("lvs --noheadings -o lv_name,lv_active,lv_tags | grep lunette.snapshot")
    assert active.split()[1] != "active"
    assert scenario.tuning() == ["512", "1"]
    client.patch(f"/arrays/{ARRAY}", {"stripe_cache_size": None, "group_thread_cnt": None})
    assert signature not in scenario.made.machine.check("ls /dev/disk/by-*/"), "what a host keeps there was looked at"
    scenario.delete("/snapshots/kept")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["thick", "thin"])
def test_a_deleted_volume_is_recovered_with_its_data_and_erasing_frees_its_space(scenario: Scenario, kind: str) -> None:
    client, host, name = scenario.client, scenario.host, f"deleted-{kind}"
    scenario.make(name, 64, kind)
    scenario.map(name, 5)
    host.rescan(scenario.target)
    host.write_pattern(scenario.device(5), MORE, 32 * BLOCKS_PER_MIB)
    before = client.get(f"/volumes/{name}")
    scenario.unmap(name)
    client.wait(client.delete(f"/volumes/{name}", confirm=[name]))
    (kept,) = [one for one in client.list("/deleted-volumes") if one["name"] == name]
    assert kept["naa"] == before["naa"]
    machine = scenario.made.machine
    assert not machine.check(f"ls {before['observed']['device']} 2>/dev/null || true").strip()
    retained = f"d{before['id'].replace('-', '')[:12]}"
    shown = machine.check(f"lvs --noheadings -o lv_name,lv_active --select lv_name={retained}")
    assert shown.split() == [retained], "it is there, and not active"
    client.wait(client.act(f"/deleted-volumes/{name}", "recover", {}))
    assert client.get(f"/volumes/{name}")["naa"] == before["naa"]
    scenario.map(name, 5)
    host.rescan(scenario.target)
    host.verify_pattern(scenario.device(5), MORE, 32 * BLOCKS_PER_MIB)
    used = scenario.held()
    scenario.unmap(name)
    client.wait(client.delete(f"/volumes/{name}", confirm=[name]))
    assert scenario.held() > used - 4 * MIB, "a deleted volume keeps its space until it is erased"
    client.wait(client.delete(f"/deleted-volumes/{name}"))
    wait_until("its space is free again", lambda: scenario.held() <= used - 32 * MIB)
    assert name not in {one["name"] for one in client.list("/deleted-volumes")}


@pytest.mark.parametrize("kind", ["thick", "thin"])
def test_many_volumes_are_made_blank_and_retained_and_erased_together(scenario: Scenario, kind: str) -> None:
    client, machine = scenario.client, scenario.made.machine
    names = [f"many-{kind}-{number}" for number in range(1, 9)]
    shape = {"array": ARRAY, "size_bytes": 4 * MIB, "provisioning": kind}
    archives = len(machine.check("ls /etc/lvm/archive").split())
    client.wait(client.post("/volumes:create-batch", {**shape, "name_pattern": f"many-{kind}-%d", "count": len(names)}))
    assert len(machine.check("ls /etc/lvm/archive").split()) < archives + len(names), "not one for each volume"
    devices = [str(client.get(f"/volumes/{name}")["observed"]["device"]) for name in names]
    group = devices[0].split("/")[2]
    numbers = machine.check(f"vgs --noheadings -o vg_seqno {group}; grep -m 1 seqno /etc/lvm/backup/{group}").split()
    assert numbers[1:] == ["seqno", "=", numbers[0]], "LVM's backup is of the last change"
    machine.check(f"for device in {' '.join(devices)}; do cmp --bytes={4 * MIB} $device /dev/zero || exit 1; done")
    if kind == "thin":
        client.wait(client.post("/snapshots:create-batch", {"volumes": names}))
    client.wait(client.post("/volumes:delete-batch", {"volumes": names, "cascade": True}, confirm=names))
    kept = [one["name"] for one in client.list("/deleted-volumes")]
    assert set(names) <= set(kept)
    assert machine.check(f"ls {' '.join(devices)} 2>/dev/null | wc -l").strip() == "0", (
        "a retained volume has no device"
    )
    for name in names:
        client.wait(client.delete(f"/deleted-volumes/{name}"))
    left = machine.check("lvs --noheadings -o lv_name --select 'lv_name=~^[ds]'").split()
    assert not set(left) & {device.rpartition("/")[2].replace("v", "d", 1) for device in devices}


def test_udev_does_not_read_an_array_again_at_each_change_to_a_volume(scenario: Scenario) -> None:
    device = device_path(md_uuid(scenario.client.get(f"/arrays/{ARRAY}")["uuid"]))
    number = scenario.made.machine.check(f"cat /sys/class/block/$(basename $(readlink -e {device}))/dev").strip()
    watched = scenario.made.machine.check("ls /run/udev/watch").split()
    assert f"b{number}" not in watched, "systemd links the number of a watched device there (udev-watch.c)"


def test_no_program_warns_of_a_volume_without_a_serial_number(scenario: Scenario) -> None:
    machine = scenario.made.machine
    scenario.make("unnumbered", 4, "thin")
    device = scenario.client.get("/volumes/unnumbered")["observed"]["device"]
    properties = machine.check(f"udevadm info --query=property --name={device}").splitlines()
    assert any(line.startswith("DM_VG_NAME=") for line in properties)
    assert not any(line.startswith("ID_SERIAL") for line in properties)
    warned = machine.check("journalctl --boot --quiet --output=cat --identifier=55-scsi-sg3_id.rules || true")
    assert not [word for word in ("device dm-", "device md") if word in warned]


@pytest.mark.slow
def test_a_full_pool_fails_new_writes_only_and_heals_when_it_can_grow(scenario: Scenario) -> None:
    client, host = scenario.client, scenario.host
    scenario.make("large", 1024, "thin")
    free = int(client.get(f"/arrays/{ARRAY}")["free_bytes"])
    scenario.make("filler", free // (4 * MIB) * 4, "thick")
    scenario.map("large", 4)
    host.rescan(scenario.target)
    large, thick = scenario.device(4), scenario.device(1)
    kept = 0
    for percent in (75, 85, 95):
        while scenario.pool_percent() <= percent:
            host.write_pattern(large, OLD, BLOCKS_PER_MIB, first=kept)
            kept += BLOCKS_PER_MIB
        scenario.wait_for_alert(f"more than {percent} % full")
    host.start_logged_writer(thick, MORE, 1024)
    with pytest.raises(MachineError):
        host.write_pattern(large, NEW, 200 * BLOCKS_PER_MIB, first=kept)
    scenario.wait_for_alert("is full")
    at_full = host.acknowledged(thick, MORE)
    wait_until("the thick volume goes on", lambda: host.acknowledged(thick, MORE) > at_full + 50)
    host.verify_pattern(large, OLD, kept)
    client.wait(client.delete("/volumes/filler", confirm=["filler"]))
    assert client.get(f"/arrays/{ARRAY}")["free_bytes"] < 4 * MIB, "a deleted volume keeps its space until it is erased"
    client.wait(client.delete("/deleted-volumes/filler"))
    wait_until("the pool has grown by itself", lambda: not any("is full" in a for a in scenario.alerts()))
    host.write_pattern(large, NEW, 8 * BLOCKS_PER_MIB, first=kept)
    host.verify_pattern(large, NEW, 8 * BLOCKS_PER_MIB, first=kept)
    host.verify_pattern(large, OLD, kept)
    host.stop_logged_writer(thick, MORE)
    assert host.verify_logged(thick, MORE) > 0
