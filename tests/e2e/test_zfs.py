"""ZFS on a whole appliance: pools, zvols and iSCSI, from healthy to degraded and back.

The module is compiled once per kernel (`image/build zfs`), and only these tests wait for it. One layout runs in
`make test`; the others lose as many disks as their level survives.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from lunette.cli.client import Client, JsonObject
from tests.e2e.waiting import wait_until
from tests.initiators.kernel import KernelInitiator, LoginFailed
from tests.lab.appliance import Appliance, appliance
from tests.lab.scene import MIB, PORTAL_PORT
from tests.machines.images import zfs_image
from tests.machines.qemu import Qemu

pytestmark = [pytest.mark.qemu, pytest.mark.timeout(3000)]
IQN = "iqn.2026-01.com.example:zfs"
SEED, BLOCKS = 7, 1024
"""4 KiB blocks of pattern on each volume: 4 MiB."""
VOLUMES = ("one", "two")
SLOW_S = 600.0
"""zpool takes up to a minute under emulation, and several run one after the other."""


@dataclass(frozen=True)
class Scene:
    """An appliance with one pool, two volumes of it, and a host that wrote a pattern to both."""

    appliance: Appliance
    host: KernelInitiator
    disks: list[str]
    """Ids of the members; those after `members` are spare."""
    members: int
    target: str

    @property
    def client(self) -> Client:
        return self.appliance.client

    def array(self) -> JsonObject:
        return self.client.get("/arrays/tank")

    def serving(self) -> bool:
        return all(m["state"] == "open" for m in self.client.list("/mappings"))

    def serial(self, disk_id: str) -> str:
        return str(self.client.get(f"/disks/{disk_id}")["serial"])

    @contextlib.contextmanager
    def logged_in(self) -> Iterator[list[str]]:
        """The host's devices while it is logged in."""
        machine = self.appliance.machine
        self.host.login(self.target, f"{machine.address}:{machine.forward(PORTAL_PORT)}", IQN)
        try:
            found = self.host.devices(self.target, expected=len(VOLUMES))
            yield [found[lun] for lun in sorted(found)]
        finally:
            self.host.logout(self.target)

    def write(self, seed: int) -> None:
        with self.logged_in() as devices:
            for number, device in enumerate(devices):
                self.host.write_pattern(device, seed + number, BLOCKS)

    def verify(self, seed: int) -> bool:
        """The host comes, verifies and leaves; False while it cannot log in. Raises if a block is wrong."""
        try:
            with self.logged_in() as devices:
                for number, device in enumerate(devices):
                    self.host.verify_pattern(device, seed + number, BLOCKS)
        except LoginFailed:
            return False
        return True

    def wait_for_health(self, *wanted: str) -> JsonObject:
        wait_until(f"the array is {' or '.join(wanted)}", lambda: self.array()["health"] in wanted, deadline_s=SLOW_S)
        return self.array()


@contextlib.contextmanager
def scene(name: str, level: str, members: int, spares: int) -> Iterator[Scene]:
    """The scene on a fresh appliance."""
    zfs_image()
    machine = Qemu(name, nvme=members + spares, disk_mib=512)
    with appliance(machine) as made, KernelInitiator(f"{name}-host") as host:
        client, disks = made.client, made.disk_ids("nvme")
        wish: JsonObject = {"name": "tank", "engine": "zfs", "level": level, "disks": disks[:members]}
        client.wait(client.post("/arrays", wish), deadline_s=SLOW_S)
        for volume in VOLUMES:
            client.wait(client.post("/volumes", {"name": volume, "array": "tank", "size_bytes": 64 * MIB}))
        client.post("/hosts", {"name": "reader", "iqns": [IQN]})
        client.post("/portals", {"name": "storage", "address": "0.0.0.0", "port": PORTAL_PORT})
        for volume in VOLUMES:
            client.post("/mappings", {"volume": volume, "host": "reader"})
        target = str(client.get("/hosts/reader")["target_iqn"])
        stands = Scene(made, host, disks, members, target)
        wait_until("every mapping is served", stands.serving, deadline_s=SLOW_S)
        stands.write(SEED)
        yield stands


@pytest.fixture(scope="module")
def raidz1() -> Iterator[Scene]:
    with scene("zfs", "raidz1", members=3, spares=2) as stands:
        yield stands


def test_the_pool_is_as_planned(raidz1: Scene) -> None:
    array = raidz1.array()
    assert (array["health"], array["level"], array["write_hole"]) == ("clean", "raidz1", "copy_on_write")
    assert [m["state"] for m in array["members"]] == ["in_sync"] * 3
    free = array["free_bytes"]
    found = raidz1.client.get("/arrays/layouts", disks=raidz1.disks[3:])
    assert next(x for x in found["layouts"] if x["level"] == "mirror")["possible"]
    machine = raidz1.appliance.machine
    pool = machine.check("zpool list -H -o name").strip()
    properties = machine.check(f"zpool get -H -o value ashift,cachefile,autoexpand {pool}").split()
    assert properties == ["12", "none", "off"]
    shown = machine.check(f"zfs get -H -o value compression,atime,mountpoint,canmount {pool}").split()
    assert shown == ["lz4", "off", "none", "off"]
    # The planner's figure for a fresh pool is ZFS's own, less the two volumes.
    usable = int(machine.check(f"zfs list -Hp -o available {pool}")) + int(
        machine.check(f"zfs list -Hp -o used {pool}")
    )
    assert array["usable_bytes"] == usable
    assert free + 2 * 64 * MIB < usable


def test_it_comes_back_by_itself_after_a_reset(raidz1: Scene) -> None:
    raidz1.appliance.machine.reset()
    raidz1.appliance.machine.wait_for_shell()
    wait_until("the host reads its data", lambda: raidz1.verify(SEED), deadline_s=SLOW_S)
    raidz1.appliance.wait_for_api()
    assert raidz1.wait_for_health("clean")


def test_an_orderly_shutdown_exports_the_pool(raidz1: Scene) -> None:
    machine = raidz1.appliance.machine
    machine.stop(deadline_s=300)
    machine.start()
    raidz1.appliance.wait_for_api()
    wait_until("every mapping is served", raidz1.serving, deadline_s=SLOW_S)
    assert raidz1.verify(SEED)
    pool = machine.check("zpool list -H -o name").strip()
    assert "zpool export" in machine.check(f"zpool history {pool}")


def test_a_pulled_disk_is_reported_and_a_new_one_is_filled(raidz1: Scene) -> None:
    lose_and_replace(raidz1, 1)


def test_a_scrub_repairs_what_was_written_under_the_pool_and_counts_it(raidz1: Scene) -> None:
    machine = raidz1.appliance.machine
    device = raidz1.client.get(f"/disks/{raidz1.disks[0]}")["observed"]["device"]
    machine.check(f"dd if=/dev/urandom of={device}p1 bs=1M seek=8 count=400 conv=notrunc,fsync", timeout_s=300)
    raidz1.client.wait(raidz1.client.post("/arrays/tank:scrub", {"action": "check"}), deadline_s=SLOW_S)

    def repaired() -> bool:
        observed = raidz1.array()["observed"]
        return bool(observed["progress"] is None and observed["mismatch_count"])

    wait_until("the scrub is over and has counted", repaired, deadline_s=SLOW_S)
    assert raidz1.verify(SEED)
    raidz1.wait_for_health("clean")


@pytest.mark.slow
@pytest.mark.parametrize(("level", "members", "losses"), [("mirror", 2, 1), ("raidz2", 4, 2), ("raidz3", 5, 3)])
def test_a_pool_survives_what_its_level_promises(level: str, members: int, losses: int) -> None:
    with scene(f"zfs-{level}", level, members, spares=losses) as stands:
        lose_and_replace(stands, losses)


def lose_and_replace(stands: Scene, losses: int) -> None:
    """Pulls members while the host writes, sees it told, replaces them by blank disks, and verifies throughout."""
    lost, fresh = stands.disks[:losses] if losses > 1 else [stands.disks[1]], stands.disks[stands.members :]
    serials = [stands.serial(disk) for disk in lost]
    with stands.logged_in() as devices:
        stands.host.write_pattern(devices[0], SEED, BLOCKS)
        for serial in serials:
            stands.appliance.machine.pull(serial)
        stands.host.write_pattern(devices[1], SEED + 1, BLOCKS)
        stands.host.verify_pattern(devices[0], SEED, BLOCKS)
    stands.wait_for_health("degraded")
    told = wait_until(
        "an alert tells of the loss",
        lambda: [a for a in stands.client.list("/alerts") if "tank" in a["message"] and "degraded" in a["message"]],
        deadline_s=SLOW_S,
    )
    assert any(disk in told[0]["message"] + told[0]["cause"] for disk in lost)
    for old, new in zip(lost, fresh, strict=False):
        wish = {"disk": old, "new": new}
        stands.client.wait(stands.client.post("/arrays/tank:replace", wish), deadline_s=SLOW_S)
    array = stands.wait_for_health("clean")
    wanted = {*stands.disks[: stands.members], *fresh[: len(lost)]} - set(lost)
    assert {m["disk_id"] for m in array["members"]} == wanted
    assert stands.verify(SEED)
