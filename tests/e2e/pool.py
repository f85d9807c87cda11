"""A ZFS pool on an appliance, with one volume for one host that writes to it."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from lunette.client import Client, JsonObject
from tests.e2e.waiting import wait_until
from tests.initiators.kernel import KernelInitiator, LoginFailed
from tests.lab.appliance import Appliance, appliance
from tests.lab.scene import MIB, PORTAL_PORT
from tests.machines.images import zfs_image
from tests.machines.qemu import Qemu

IQN = "iqn.2026-01.com.example:writer"
SEED, BLOCKS = 7, 1024
"""4 KiB blocks the host writes, over and over: 4 MiB."""
OLD, NEW = 21, 22
"""Seeds of what is there before and after a snapshot."""
VOLUME_BYTES = 64 * MIB
SLOW_S = 600.0
"""zpool takes up to a minute on an emulated machine that others share, and several run one after the other."""


@dataclass(frozen=True)
class Layout:
    level: str
    disks: int
    pulled: int = 1
    """How many disks it loses at once."""
    auxiliary: tuple[tuple[str, int], ...] = ()
    """How many disks it has of each role, in addition to the data disks."""

    def count(self) -> int:
        return self.disks + sum(count for _, count in self.auxiliary)


@dataclass
class Scenario:
    """A pool with one volume, mapped to one host. `ids` are its disks, then as many blank ones as it loses."""

    made: Appliance
    host: KernelInitiator
    layout: Layout
    ids: list[str]
    target: str

    @property
    def client(self) -> Client:
        return self.made.client

    def array(self) -> JsonObject:
        found: JsonObject = self.client.get("/arrays/tank")
        return found

    def members(self) -> set[str]:
        return {str(member["disk_id"]) for member in self.array()["members"]}

    def alerts(self, family: str = "array.health") -> list[JsonObject]:
        return [alert for alert in self.client.list("/alerts", active="true") if alert["key"].startswith(family)]

    def guest(self, command: str) -> str:
        return str(self.made.machine.check(command, timeout_s=SLOW_S)).strip()

    def login(self) -> str:
        """The host's device of the volume."""
        machine = self.made.machine
        self.host.login(self.target, f"{machine.address}:{machine.forward(PORTAL_PORT)}", IQN)
        return self.host.devices(self.target, expected=1)[1]

    def comes_in(self) -> str | None:
        """The device, or None while it is not served."""
        try:
            return self.login()
        except LoginFailed:
            return None

    def reset(self) -> None:
        """The machine starts again, and its hosts are not asked."""
        self.made.machine.reset()
        self.made.machine.wait_for_shell()

    def wait_for(self, health: str) -> None:
        wait_until(f"the array is {health}", lambda: self.array()["health"] == health, deadline_s=SLOW_S)


@contextlib.contextmanager
def scenario(layout: Layout) -> Iterator[Scenario]:
    """On an appliance of its own: the pool is whole, its volume exported, and the host logged out."""
    zfs_image()
    name = f"zfs-{layout.level}{'-roles' if layout.auxiliary else ''}"
    machine = Qemu(name, nvme=layout.count() + layout.pulled, disk_mib=512)
    with appliance(machine) as made, on_a_pool(made, layout, made.disk_ids("nvme")) as stands:
        yield stands


@contextlib.contextmanager
def on_a_pool(made: Appliance, layout: Layout, ids: list[str]) -> Iterator[Scenario]:
    """As `scenario`, on an appliance that is there and these blank disks of it."""
    client = made.client
    with KernelInitiator("zfs-host") as host:
        spec: JsonObject = {"name": "tank", "engine": "zfs", "level": layout.level, "disks": ids[: layout.disks]}
        left = iter(ids[layout.disks :])
        spec |= {role: list(itertools.islice(left, count)) for role, count in layout.auxiliary}
        client.wait(client.post("/arrays", spec), deadline_s=SLOW_S)
        volume = {"name": "lun", "array": "tank", "size_bytes": VOLUME_BYTES}
        client.wait(client.post("/volumes", volume), deadline_s=SLOW_S)
        client.post("/hosts", {"name": "writer", "iqns": [IQN]})
        client.post("/portals", {"name": "storage", "address": "0.0.0.0", "port": PORTAL_PORT})
        client.post("/mappings", {"volume": "lun", "host": "writer"})
        yield Scenario(made, host, layout, ids, str(client.get("/hosts/writer")["target_iqn"]))


def pull_while_writing(stands: Scenario, device: str, lost: list[str]) -> list[str]:
    """Pulls the disks during writes: the alert names array, disks and what to do. Returns their serials."""
    serials = [str(stands.client.get(f"/disks/{disk}")["serial"]) for disk in lost]
    wait_until("the host writes", lambda: stands.host.acknowledged(device, SEED) > 20, deadline_s=SLOW_S)
    for serial in serials:
        stands.made.machine.pull(serial)
    stands.wait_for("degraded")

    def reported() -> JsonObject | None:
        return next((one for one in stands.alerts() if all(disk in one["message"] for disk in lost)), None)

    alert = wait_until("an alert names the disks", reported, deadline_s=SLOW_S)
    assert "tank" in alert["message"]
    assert alert["fix"]
    return serials
