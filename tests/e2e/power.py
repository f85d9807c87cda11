"""A host that writes to an array, a job in its middle, and the power that goes then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from lunette.client import FINISHED, JsonObject
from lunette.providers.volumes.lvm.plan import group_name
from tests.e2e.waiting import wait_until
from tests.initiators.kernel import KernelInitiator
from tests.lab.appliance import Appliance
from tests.lab.scene import MIB, PORTAL_PORT

IQN = "iqn.2026-01.com.example:database"
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


@contextmanager
def writing_to(made: Appliance, array: str, host: KernelInitiator) -> Iterator[Writer]:
    """A host logged in to a new volume of an array, through a portal at PORTAL_PORT, which is made if it is missing."""
    client, machine = made.client, made.machine
    client.wait(client.post("/volumes", {"name": "written", "array": array, "size_bytes": 64 * MIB}))
    client.post("/hosts", {"name": "database", "iqns": [IQN]})
    if not any(portal["port"] == PORTAL_PORT for portal in client.list("/portals")):
        client.post("/portals", {"name": "storage", "address": "0.0.0.0", "port": PORTAL_PORT})
    client.post("/mappings", {"volume": "written", "host": "database"})
    wait_until("the mapping is served", lambda: is_serving(made))
    wait_until("the first resync is over", lambda: health(made, array) == "clean", deadline_s=600)
    target = str(client.get("/hosts/database")["target_iqn"])
    host.login(target, f"{machine.address}:{machine.forward(PORTAL_PORT)}", IQN, replacement_timeout_s=900)
    yield Writer(made, array, host, target)
    host.logout(target)


def health(made: Appliance, array: str) -> str:
    """Of an array, as the API says it."""
    return str(made.client.get(f"/arrays/{array}")["health"])


def is_serving(made: Appliance) -> bool:
    """Whether every mapping is open."""
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
        spec = {"array": self.array, "name_pattern": self.pattern, "count": self.count, "size_bytes": self.mib * MIB}
        job_id = str(client.post("/volumes:create-batch", spec)["id"])
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
    # It must not continue when the path is back: another pass over the volume would overwrite what was lost.
    writer.host.stop_logged_writer(device, seed)
    writer.appliance.machine.start()
    writer.appliance.wait_for_api()
    wait_until("the mapping is served again", lambda: is_serving(writer.appliance), deadline_s=600)
    wait_until("the host's path is back", lambda: writer.host.is_connected(writer.target), deadline_s=300)
    return device


def lives_through_a_power_cut(writer: Writer) -> None:
    """Every flushed write of the host is there, and a job that was under way ended with all of its volumes or none."""
    made, array = writer.appliance, writer.array
    others = [str(volume["name"]) for volume in made.client.list("/volumes") if volume["array"] == array]
    batch, jobs = Batch(made, array, count=8, mib=4), list[str]()
    device = cut_power_while_writing(writer, SEED, lambda: jobs.append(batch.run_to_its_middle(1)))
    assert writer.host.verify_logged(device, SEED) >= 1
    assert health(made, array) in {"clean", "resyncing"}
    batch.check_all_or_none(jobs[0], others)
