"""Power cuts and killed guests: what was acknowledged is there afterwards, and nothing is left half-made.

A killed guest loses its memory only; a power cut also loses what no flush had reached the disks (the drives' own write
caches). A second test takes our flush out and shows that the first would notice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from lunette.client import FINISHED, JsonObject
from tests.e2e.waiting import wait_until
from tests.initiators.kernel import KernelInitiator
from tests.lab.appliance import Appliance, appliance
from tests.lab.scene import MIB, PORTAL_PORT
from tests.machines.qemu import Qemu
from tests.machines.uml import Uml

IQN = "iqn.2026-01.com.example:writer"
SEED = 42
WRITES = 150
"""Acknowledged writes before the power goes."""
VOLUMES = 12
"""Of the batch in the middle of which a guest is killed."""


@dataclass(frozen=True)
class Writer:
    """A host that writes to one volume of the appliance."""

    appliance: Appliance
    host: KernelInitiator
    target: str

    @property
    def device(self) -> str:
        return self.host.devices(self.target, expected=1)[1]


@pytest.fixture
def writer() -> Iterator[Writer]:
    """An appliance whose drives lose unflushed writes, a RAID5 with PPL, and a host logged in to a volume of it."""
    machine = Qemu("power", nvme=3, power_cut=True, disk_mib=256, cpus=1)
    with appliance(machine) as made, KernelInitiator("power-host") as host:
        client = made.client
        wish: JsonObject = {"name": "tank", "engine": "md", "level": "raid5", "disks": made.disk_ids("nvme")}
        client.wait(client.post("/arrays", {**wish, "write_hole": "ppl"}))
        client.wait(client.post("/volumes", {"name": "lun", "array": "tank", "size_bytes": 64 * MIB}))
        client.post("/hosts", {"name": "writer", "iqns": [IQN]})
        client.post("/portals", {"name": "storage", "address": "0.0.0.0", "port": PORTAL_PORT})
        client.post("/mappings", {"volume": "lun", "host": "writer"})
        wait_until("the mapping is served", lambda: _serving(made))
        wait_until("the first resync is over", lambda: client.get("/arrays/tank")["health"] == "clean", deadline_s=600)
        target = str(client.get("/hosts/writer")["target_iqn"])
        host.login(target, f"{machine.address}:{machine.forward(PORTAL_PORT)}", IQN, replacement_timeout_s=900)
        yield Writer(made, host, target)


def _serving(made: Appliance) -> bool:
    return all(m["state"] == "open" for m in made.client.list("/mappings"))


def cut_power_while_writing(writer: Writer, seed: int) -> str:
    """Cuts the power in the middle of flushed writes, boots again, and waits for the host's path. The device."""
    device = writer.device
    writer.host.start_logged_writer(device, seed, 2048, 3000)
    wait_until(
        f"{WRITES} writes are acknowledged", lambda: writer.host.acknowledged(device, seed) >= WRITES, deadline_s=300
    )
    writer.appliance.machine.power_cut()
    # It must not go on when the path is back: a lap over the volume would put right what was lost.
    writer.host.stop_logged_writer(device, seed)
    writer.appliance.machine.start()
    writer.appliance.wait_for_api()
    wait_until("the mapping is served again", lambda: _serving(writer.appliance), deadline_s=300)
    wait_until("the host's path is back", lambda: writer.host.is_connected(writer.target), deadline_s=300)
    return device


@pytest.mark.qemu
@pytest.mark.power_cut
@pytest.mark.timeout(1500)
def test_every_flushed_write_survives_a_power_cut(writer: Writer) -> None:
    device = cut_power_while_writing(writer, SEED)
    assert writer.host.verify_logged(device, SEED) >= 1
    assert writer.appliance.client.get("/arrays/tank")["health"] in {"clean", "resyncing"}
    assert [v["name"] for v in writer.appliance.client.list("/volumes")] == ["lun"]


@pytest.mark.slow
@pytest.mark.qemu
@pytest.mark.power_cut
@pytest.mark.timeout(1500)
def test_without_our_flush_a_power_cut_loses_writes_and_that_is_noticed(writer: Writer) -> None:
    # Linux sends no flush to a device it believes to write through: Documentation/block/writeback_cache_control.rst.
    writer.appliance.machine.check("for q in /sys/block/nvme*/queue/write_cache; do echo 'write through' >$q; done")
    device = cut_power_while_writing(writer, SEED)
    with pytest.raises(AssertionError, match="wrong blocks"):
        writer.host.verify_logged(device, SEED)


@pytest.mark.uml
@pytest.mark.timeout(900)
def test_a_guest_killed_in_the_middle_of_a_batch_ends_with_all_volumes_or_none() -> None:
    with appliance(Uml("killed", disks=3, disk_mib=512)) as made:
        client, machine = made.client, made.machine
        disks = made.disk_ids("ubd")
        client.wait(client.post("/arrays", {"name": "tank", "engine": "md", "level": "raid5", "disks": disks}))
        batch = {"array": "tank", "name_pattern": "lun%02d", "count": VOLUMES, "size_bytes": 16 * MIB}
        job = client.post("/volumes:batch", batch)
        wait_until(
            "the batch is in its middle", lambda: client.get(f"/jobs/{job['id']}")["steps_done"] >= 5, pause_s=0.05
        )
        machine.kill()
        machine.start()
        made.wait_for_api()
        wait_until(
            "the journal is resolved",
            lambda: client.get(f"/jobs/{job['id']}")["state"] in FINISHED,
            deadline_s=300,
        )
        ended = client.get(f"/jobs/{job['id']}")
        names = sorted(v["name"] for v in client.list("/volumes"))
        volumes = machine.check("lvs --noheadings -o lv_name,lv_tags").split("\n")
        made_here = [line for line in volumes if "lunette.volume=" in line]
        assert not [line for line in volumes if "lunette.fresh" in line]
        if ended["state"] == "succeeded":
            assert names == [f"lun{number:02d}" for number in range(1, VOLUMES + 1)]
            assert len(made_here) == VOLUMES
        else:
            assert ended["state"] in {"failed", "undone"}
            assert names == []
            assert made_here == []
