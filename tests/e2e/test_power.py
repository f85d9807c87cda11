"""Power cuts and killed guests: acknowledged data is there afterward, and nothing is left half-created.

A killed guest loses its memory only; a power cut also loses what no flush had reached the disks (the drives' own write
caches). A second test disables our flush and shows that the first would notice. In `make test` the power is cut under a
RAID5 and a ZFS pool at once (test_zfs.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from lunette.client import JsonObject
from tests.e2e.power import (
    SEED,
    WRITES,
    Batch,
    Writer,
    cut_power_while_writing,
    health,
    lives_through_a_power_cut,
    writing_to,
)
from tests.e2e.waiting import wait_until
from tests.initiators.kernel import KernelInitiator
from tests.lab.appliance import appliance
from tests.lab.write_caches import SCSI, turn_off
from tests.machines.qemu import Qemu
from tests.machines.uml import Uml


@contextmanager
def writing(bus: str, policy: str) -> Iterator[Writer]:
    """An appliance of its own with a RAID5, which chooses this policy itself.

    Its drives lose unflushed writes: NVMe drives have volatile write caches, those of the SCSI drives are turned off.
    """
    nvme, scsi = (3, 0) if bus == "nvme" else (0, 3)
    with (
        appliance(Qemu("power", nvme=nvme, scsi=scsi, power_cut=True, disk_mib=256, cpus=1)) as made,
        KernelInitiator("power-host") as host,
    ):
        if bus == "scsi":
            turn_off(made, SCSI, bus)
        spec: JsonObject = {"name": "tank", "engine": "md", "level": "raid5", "disks": made.disk_ids(bus)}
        made.client.wait(made.client.post("/arrays", spec))
        assert made.client.get("/arrays/tank")["observed"]["write_hole"] == policy
        with writing_to(made, "tank", host) as writer:
            yield writer


@pytest.fixture
def writer() -> Iterator[Writer]:
    with writing("nvme", "bitmap") as writer:
        yield writer


@pytest.mark.slow
@pytest.mark.qemu
@pytest.mark.power_cut
@pytest.mark.timeout(1500)
def test_every_flushed_write_survives_a_power_cut(writer: Writer) -> None:
    """With a job under way, which ends with all of its volumes or none."""
    lives_through_a_power_cut(writer)


@pytest.mark.slow
@pytest.mark.qemu
@pytest.mark.power_cut
@pytest.mark.timeout(1500)
def test_every_flushed_write_survives_a_power_cut_on_drives_whose_cache_is_off() -> None:
    """Then a RAID5 has a partial parity log, after the next start too."""
    with writing("scsi", "ppl") as writer:
        lives_through_a_power_cut(writer)
        assert writer.appliance.client.get("/arrays/tank")["observed"]["write_hole"] == "ppl"


@pytest.mark.slow
@pytest.mark.qemu
@pytest.mark.power_cut
@pytest.mark.timeout(1500)
def test_a_host_rides_through_a_restart_that_was_asked_for(writer: Writer) -> None:
    client, device = writer.appliance.client, writer.device
    writer.host.start_logged_writer(device, SEED, 2048, 3000)
    wait_until("the host writes", lambda: writer.host.acknowledged(device, SEED) >= WRITES, deadline_s=300)
    plan = client.post("/appliance:restart", dry_run=True)
    assert plan["hosts_interrupted"] == ["database"]
    kernel = writer.appliance.machine.check("cat /proc/sys/kernel/random/boot_id")
    client.wait(client.post("/appliance:restart"), deadline_s=900)
    assert writer.appliance.machine.check("cat /proc/sys/kernel/random/boot_id") != kernel
    wait_until("the host's path is back", lambda: writer.host.is_connected(writer.target), deadline_s=300)
    before = writer.host.acknowledged(device, SEED)
    wait_until("the host writes on", lambda: writer.host.acknowledged(device, SEED) > before + 5, deadline_s=300)
    writer.host.stop_logged_writer(device, SEED)
    assert writer.host.verify_logged(device, SEED) >= 1
    assert health(writer.appliance, writer.array) == "clean"
    assert "about" in client.post("/appliance:restart", dry_run=True)["warnings"][0], "the outage was measured"


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


@pytest.mark.slow
@pytest.mark.uml
@pytest.mark.timeout(900)
def test_a_guest_killed_in_the_middle_of_a_batch_ends_with_all_volumes_or_none() -> None:
    with appliance(Uml("killed", disks=3, disk_mib=512)) as made:
        client, machine = made.client, made.machine
        disks = made.disk_ids("ubd")
        client.wait(client.post("/arrays", {"name": "tank", "engine": "md", "level": "raid5", "disks": disks}))
        batch = Batch(made, "tank", count=12, mib=16)
        job_id = batch.run_to_its_middle(5)
        machine.kill()
        machine.start()
        made.wait_for_api()
        batch.check_all_or_none(job_id, others=[])
