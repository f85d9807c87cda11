"""The life of an md array: a disk is pulled while a host writes, a spare takes its place, another comes, data verify.

On user-mode Linux, where md runs at native speed; the disks are drives of scsi_debug, which can be pulled. Once on
QEMU, on the appliance's own kernel.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from lunette.client import Client, JsonObject
from tests.e2e.waiting import slowness, wait_until
from tests.initiators.kernel import KernelInitiator
from tests.lab.appliance import Appliance, appliance
from tests.lab.scene import MIB, PORTAL_PORT
from tests.machines.machine import VirtualMachine
from tests.machines.model import Capability, DiskInfo
from tests.machines.qemu import Qemu
from tests.machines.uml import Uml

IQN = "iqn.2026-01.com.example:writer"
SEED = 7
BLOCKS = 2048
"""4 KiB blocks the host writes, over and over."""
SEEN_S = 5.0
"""A lost disk is reported within this time."""
SLOW = "2MiB"
"""A pace at which a rebuild can be watched."""
pytestmark = [pytest.mark.timeout(1500)]


@dataclass(frozen=True)
class Layout:
    level: str
    disks: int
    pulled: int = 1
    """How many disks it is to lose at once."""
    layout: str | None = None
    """Of raid10."""
    is_emulated: bool = False
    """On QEMU."""

    @property
    def name(self) -> str:
        return f"array-{self.level}{self.layout or ''}{'-qemu' if self.is_emulated else ''}"

    def machine(self) -> VirtualMachine:
        """One whose disks can be pulled: members, a spare, and one more."""
        if self.is_emulated:
            return Qemu(self.name, nvme=0, scsi=self.disks + 2, disk_mib=96)
        return Uml(self.name, disks=0, hot=self.disks + 2, hot_mib=96)


@dataclass
class Scenario:
    """An array with one spare, and a host that writes to a volume of it."""

    made: Appliance
    host: KernelInitiator
    layout: Layout
    target: str

    @property
    def client(self) -> Client:
        return self.made.client

    @property
    def hot(self) -> list[DiskInfo]:
        return [disk for disk in self.made.machine.disks if disk.bus == "scsi"]

    def array(self) -> JsonObject:
        found: JsonObject = self.client.get("/arrays/tank")
        return found

    def states(self) -> dict[str, str]:
        """State of each disk of the array, by serial."""
        return {member["serial"]: member["state"] for member in self.array()["members"]}

    def id_of(self, serial: str) -> str:
        return next(str(m["disk_id"]) for m in self.array()["members"] if m["serial"] == serial)

    def alerts(self, key: str) -> list[JsonObject]:
        return [alert for alert in self.client.list("/alerts", active="true") if alert["key"].startswith(key)]

    def pace(self, limit: str | None) -> None:
        self.client.patch("/arrays/tank", {"sync_speed_max_bytes_s": limit})

    def change(self, verb: str, body: JsonObject) -> JsonObject:
        """Asks for a change and waits for its job."""
        done: JsonObject = self.client.wait(self.client.post(f"/arrays/tank:{verb}", body))
        return done

    def wait_whole(self) -> None:
        wait_until(
            "redundancy is back",
            lambda: self.array()["health"] == "clean" and not self.array()["observed"]["progress"],
            deadline_s=300,
        )


@contextmanager
def scenario(layout: Layout) -> Iterator[Scenario]:
    """The array is whole, exported, and a host is logged in."""
    machine = layout.machine()
    machine.require(Capability.PULL)
    with appliance(machine) as made, KernelInitiator(f"{layout.name}-host") as host:
        client, ids = made.client, made.disk_ids("scsi")
        members, spare = ids[: layout.disks], ids[layout.disks]
        spec: JsonObject = {"name": "tank", "level": layout.level, "disks": members, "spares": [spare]}
        spec |= {"layout": layout.layout} if layout.layout else {}
        client.wait(client.post("/arrays", spec))
        client.wait(client.post("/volumes", {"name": "lun", "array": "tank", "size_bytes": 48 * MIB}))
        client.post("/hosts", {"name": "writer", "iqns": [IQN]})
        client.post("/portals", {"name": "storage", "address": "0.0.0.0", "port": PORTAL_PORT})
        client.post("/mappings", {"volume": "lun", "host": "writer"})
        wait_until("the mapping is served", lambda: all(m["state"] == "open" for m in client.list("/mappings")))
        target = str(client.get("/hosts/writer")["target_iqn"])
        host.login(target, f"{machine.address}:{machine.forward(PORTAL_PORT)}", IQN)
        stands = Scenario(made, host, layout, target)
        stands.wait_whole()
        assert layout.layout in (None, stands.array()["observed"]["layout"]), "the kernel says so too"
        yield stands


def pull_while_writing(stands: Scenario, serials: list[str]) -> None:
    """Pulls the disks during writes. The loss is reported in time, with array, disk and what to do."""
    device = stands.host.devices(stands.target, expected=1)[1]
    before = stands.host.acknowledged(device, SEED)
    wait_until("the host writes", lambda: stands.host.acknowledged(device, SEED) > before + 50)
    ids = [stands.id_of(serial) for serial in serials]
    stands.pace(SLOW)
    slow = slowness()
    pulled_at = float(stands.made.machine.check("date +%s.%N"))
    for serial in serials:
        stands.made.machine.pull(serial)
    (alert,) = wait_until("the loss is told", lambda: stands.alerts("array.health"), deadline_s=120, pause_s=0.2)
    raised_at = dt.datetime.fromisoformat(alert["raised_at"]).timestamp()
    took_s, slow = raised_at - pulled_at, max(slow, slowness())
    assert took_s < SEEN_S * slow, f"told {took_s:.1f} s after the disk was pulled, on processors {slow:.1f} times slow"
    wait_until(
        "the alert names the disks",
        lambda: all(any(disk_id in alert["message"] for alert in stands.alerts("array.health")) for disk_id in ids),
        deadline_s=30,
    )
    assert "tank" in alert["message"]
    assert alert["fix"]


def watch_rebuild(stands: Scenario, serial: str) -> None:
    """The disk is filled with progress, until the array is whole and says so."""
    wait_until("the disk is being filled", lambda: stands.states()[serial] in ("rebuilding", "replacing"))
    seen = [wait_until("the rebuild shows progress", lambda: stands.array()["observed"]["progress"])["percent"]]
    wait_until("the rebuild goes on", lambda: _percent(stands) > seen[0], deadline_s=60)
    stands.pace(None)
    stands.wait_whole()
    wait_until("the alert is over", lambda: not stands.alerts("array.health"), deadline_s=30)
    # The kernel ends the copy first and takes the disk for a full member in its next round.
    wait_until("the disk is a full member", lambda: stands.states()[serial] == "in_sync", deadline_s=30)


def _percent(stands: Scenario) -> float:
    progress = stands.array()["observed"]["progress"]
    return float(progress["percent"]) if progress else 100.0


@pytest.mark.parametrize(
    "layout",
    [
        pytest.param(Layout("raid5", 3), id="raid5", marks=pytest.mark.uml),
        pytest.param(Layout("raid1", 2), id="raid1", marks=[pytest.mark.uml, pytest.mark.slow]),
        pytest.param(Layout("raid4", 3), id="raid4", marks=[pytest.mark.uml, pytest.mark.slow]),
        pytest.param(Layout("raid6", 4, pulled=2), id="raid6", marks=[pytest.mark.uml, pytest.mark.slow]),
        pytest.param(Layout("raid10", 4), id="raid10", marks=[pytest.mark.uml, pytest.mark.slow]),
        pytest.param(Layout("raid10", 4, layout="f2"), id="raid10-far", marks=[pytest.mark.uml, pytest.mark.slow]),
        pytest.param(Layout("raid5", 3, is_emulated=True), id="raid5-qemu", marks=[pytest.mark.qemu, pytest.mark.slow]),
    ],
)
def test_disks_are_lost_and_replaced_while_a_host_writes(layout: Layout) -> None:
    with scenario(layout) as stands:
        serials = [disk.serial for disk in stands.hot]
        first, spare, fresh = serials[0], serials[layout.disks], serials[layout.disks + 1]
        lost = serials[1 : 1 + layout.pulled]
        device = stands.host.devices(stands.target, expected=1)[1]
        fresh_id = stands.made.disk_ids("scsi")[layout.disks + 1]
        stands.host.start_logged_writer(device, SEED, BLOCKS, 1200)

        pull_while_writing(stands, lost)
        lost_ids = [stands.id_of(serial) for serial in lost]
        if layout.pulled == 1:
            watch_rebuild(stands, spare)
            assert [a["key"].rpartition(":")[2] for a in stands.alerts("array.disk")] == lost_ids
            stands.change("replace", {"disk": lost_ids[0], "new": fresh_id})
            assert stands.states()[fresh] == "spare"
        else:
            stands.change("replace", {"disk": lost_ids[0], "new": fresh_id})
            stands.pace(None)
            stands.wait_whole()
            stands.change("remove", {"disk": lost_ids[1]})
        wait_until("nothing is missing", lambda: not stands.alerts("array."), deadline_s=60)
        assert set(lost).isdisjoint(stands.states())

        for serial in lost:
            stands.made.machine.insert(serial)
        back = wait_until("the pulled disk is listed", lambda: _listed(stands, lost[0]), deadline_s=60)
        stands.pace(SLOW)
        stands.change("replace", {"disk": stands.id_of(first), "new": back["id"], "wipe": [back["id"]]})
        assert stands.array()["health"] == "clean", "a disk that works is copied while it works"
        watch_rebuild(stands, lost[0])
        wait_until("the disk that was replaced is free", lambda: first not in stands.states(), deadline_s=120)
        wait_until("it carries nothing", lambda: (_listed(stands, first) or {}).get("state") == "free", deadline_s=60)

        verify(stands, device)
        scrub_finds_silent_corruption(stands, lost[0])


def verify(stands: Scenario, device: str) -> None:
    """The host leaves, comes back, and finds everything that was acknowledged."""
    machine = stands.made.machine
    stands.host.stop_logged_writer(device, SEED)
    stands.host.logout(stands.target)
    stands.host.login(stands.target, f"{machine.address}:{machine.forward(PORTAL_PORT)}", IQN)
    assert stands.host.devices(stands.target, expected=1)[1] == device, "the log of the writes is kept by device"
    assert stands.host.verify_logged(device, SEED) > 0


def _listed(stands: Scenario, serial: str) -> JsonObject | None:
    """The disk, once udev knows it: until then it goes by its kernel name, which it does not keep."""
    found = (disk for disk in stands.client.list("/disks") if disk["serial"] == serial)
    return next((disk for disk in found if not disk["id"].startswith("sd")), None)


def scrub(stands: Scenario, action: str) -> int:
    """Runs a scrub to its end; the sectors that did not agree."""
    stands.change("scrub", {"action": action})
    wait_until(
        f"the {action} is over",
        lambda: stands.array()["observed"]["last_scrub"] == action and not stands.array()["observed"]["progress"],
        deadline_s=300,
    )
    return int(stands.array()["observed"]["mismatch_count"])


def scrub_finds_silent_corruption(stands: Scenario, serial: str) -> None:
    """What was written below md is counted, and made to agree again; md alone cannot know which side was right."""
    assert scrub(stands, "check") == 0
    member = stands.made.machine.disk(serial)
    stands.made.machine.check(f"dd if=/dev/urandom of={member.path} bs=1M seek=60 count=1 oflag=direct conv=notrunc")
    stands.made.machine.check("sync; echo 3 >/proc/sys/vm/drop_caches")
    assert scrub(stands, "repair") > 0
    wait_until("what it found is told", lambda: stands.alerts("array.scrub"), deadline_s=60)
    assert scrub(stands, "check") == 0
    wait_until("that alert is over", lambda: not stands.alerts("array.scrub"), deadline_s=60)
