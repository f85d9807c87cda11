"""Power cuts and killed guests: what was acknowledged is there afterwards, and nothing is left half-made.

A killed guest loses its memory only; a power cut also loses what no flush had reached the disks (the drives' own write
caches). A second test takes our flush out and shows that the first would notice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from lunette.client import FINISHED, JsonObject
from lunette.providers.volumes.lvm.plan import group_name
from tests.e2e.fabric import ARRAY, Fabric
from tests.e2e.waiting import wait_until
from tests.initiators.kernel import KernelInitiator
from tests.lab.appliance import Appliance, appliance
from tests.lab.scene import MIB, PORTAL_PORT
from tests.machines.qemu import Qemu
from tests.machines.uml import Uml

IQN = "iqn.2026-01.com.example:writer"
SEED = 42
WRITES = 120
"""Acknowledged writes before the power goes."""


@dataclass(frozen=True)
class Writer:
    """A host that writes to one volume of an array of the appliance."""

    appliance: Appliance
    array: str
    host: KernelInitiator
    target: str

    @property
    def device(self) -> str:
        return self.host.devices(self.target, expected=1)[1]


@pytest.fixture
def writer() -> Iterator[Writer]:
    """An appliance of its own whose drives lose unflushed writes, with a RAID5."""
    with appliance(Qemu("power", nvme=3, power_cut=True, disk_mib=256, cpus=1)) as made:
        wish: JsonObject = {"name": "tank", "engine": "md", "level": "raid5", "disks": made.disk_ids("nvme")}
        made.client.wait(made.client.post("/arrays", {**wish, "write_hole": "ppl"}))
        with writing_to(made, "tank") as writer:
            yield writer


@contextmanager
def writing_to(made: Appliance, array: str) -> Iterator[Writer]:
    """A host logged in to a new volume of a RAID5 with PPL."""
    client, machine = made.client, made.machine
    with KernelInitiator("power-host") as host:
        client.wait(client.post("/volumes", {"name": "written", "array": array, "size_bytes": 64 * MIB}))
        client.post("/hosts", {"name": "writer", "iqns": [IQN]})
        client.post("/portals", {"name": "storage", "address": "0.0.0.0", "port": PORTAL_PORT})
        client.post("/mappings", {"volume": "written", "host": "writer"})
        wait_until("the mapping is served", lambda: _serving(made))
        wait_until("the first resync is over", lambda: _health(made, array) == "clean", deadline_s=600)
        target = str(client.get("/hosts/writer")["target_iqn"])
        host.login(target, f"{machine.address}:{machine.forward(PORTAL_PORT)}", IQN, replacement_timeout_s=900)
        yield Writer(made, array, host, target)


def _health(made: Appliance, array: str) -> str:
    return str(made.client.get(f"/arrays/{array}")["health"])


def _serving(made: Appliance) -> bool:
    return all(m["state"] == "open" for m in made.client.list("/mappings"))


@dataclass(frozen=True)
class Batch:
    """A job that makes many volumes of an array."""

    appliance: Appliance
    array: str
    count: int
    mib: int
    pattern: str = "new%02d"

    @property
    def names(self) -> list[str]:
        return [self.pattern % number for number in range(1, self.count + 1)]

    def run_to_its_middle(self, steps: int) -> str:
        """The job's id, when `steps` or more of its steps are done and some are not."""
        client = self.appliance.client
        wish = {"array": self.array, "name_pattern": self.pattern, "count": self.count, "size_bytes": self.mib * MIB}
        job_id = str(client.post("/volumes:batch", wish)["id"])
        seen: list[JsonObject] = []

        def is_far() -> bool:
            seen.append(client.get(f"/jobs/{job_id}"))
            return int(seen[-1]["steps_done"]) >= steps

        wait_until("the batch is in its middle", is_far, pause_s=0.05)
        assert seen[-1]["steps_done"] < seen[-1]["steps_total"], "it was over before anybody could disturb it"
        return job_id

    def check_all_or_none(self, job_id: str, others: list[str]) -> None:
        """Waits for the job's end; it and LVM show all of its volumes or none, and the `others` that were there."""
        client = self.appliance.client
        wait_until("the journal is resolved", lambda: client.get(f"/jobs/{job_id}")["state"] in FINISHED, 300)
        state = client.get(f"/jobs/{job_id}")["state"]
        assert state in {"succeeded", "failed", "undone"}
        volumes = [volume for volume in client.list("/volumes") if volume["array"] == self.array]
        assert sorted(v["name"] for v in volumes) == sorted([*others, *(self.names if state == "succeeded" else [])])
        assert {v["state"] for v in volumes} <= {"ready"}
        group = group_name(str(client.get(f"/arrays/{self.array}")["id"]))
        tags = self.appliance.machine.check(f"lvs --noheadings -o lv_tags {group}").replace(",", " ").split()
        assert "lunette.fresh" not in tags
        tagged = sorted(tag.removeprefix("lunette.volume=") for tag in tags if tag.startswith("lunette.volume="))
        assert tagged == sorted(str(v["id"]) for v in volumes)


def cut_power_while_writing(writer: Writer, seed: int, last: Callable[[], None] = lambda: None) -> str:
    """Cuts the power in the middle of flushed writes, after `last`, boots again, and waits for the host's path. The
    device."""
    device = writer.device
    writer.host.start_logged_writer(device, seed, 2048, 3000)
    wait_until(
        f"{WRITES} writes are acknowledged", lambda: writer.host.acknowledged(device, seed) >= WRITES, deadline_s=300
    )
    last()
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
def test_every_flushed_write_survives_a_power_cut(fabric: Fabric) -> None:
    """With a job under way, which ends with all of its volumes or none."""
    with fabric.cleared() as made, writing_to(made, ARRAY) as writer:
        others = [str(volume["name"]) for volume in made.client.list("/volumes") if volume["array"] == ARRAY]
        batch, jobs = Batch(made, ARRAY, count=8, mib=4), list[str]()
        device = cut_power_while_writing(writer, SEED, lambda: jobs.append(batch.run_to_its_middle(1)))
        assert writer.host.verify_logged(device, SEED) >= 1
        assert _health(made, ARRAY) in {"clean", "resyncing"}
        batch.check_all_or_none(jobs[0], others)
        writer.host.logout(writer.target)


@pytest.mark.slow
@pytest.mark.qemu
@pytest.mark.power_cut
@pytest.mark.timeout(1500)
def test_a_host_rides_through_a_restart_that_was_asked_for(writer: Writer) -> None:
    client, device = writer.appliance.client, writer.device
    writer.host.start_logged_writer(device, SEED, 2048, 3000)
    wait_until("the host writes", lambda: writer.host.acknowledged(device, SEED) >= WRITES, deadline_s=300)
    plan = client.post("/appliance:restart", dry_run=True)
    assert plan["hosts_interrupted"] == ["writer"]
    kernel = writer.appliance.machine.check("cat /proc/sys/kernel/random/boot_id")
    client.wait(client.post("/appliance:restart"), deadline_s=900)
    assert writer.appliance.machine.check("cat /proc/sys/kernel/random/boot_id") != kernel
    wait_until("the host's path is back", lambda: writer.host.is_connected(writer.target), deadline_s=300)
    before = writer.host.acknowledged(device, SEED)
    wait_until("the host writes on", lambda: writer.host.acknowledged(device, SEED) > before + 5, deadline_s=300)
    writer.host.stop_logged_writer(device, SEED)
    assert writer.host.verify_logged(device, SEED) >= 1
    assert _health(writer.appliance, writer.array) == "clean"
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
