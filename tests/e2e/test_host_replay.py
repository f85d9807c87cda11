"""Fifty power cuts during the writes of a host: each leaves all data whose flush was acknowledged to the host.

A host writes through iSCSI to thick and thin volumes of a mirror, of a RAID5 with a bitmap, and of a RAID5 with a
partial parity log, whose disks have their write caches off, on the appliance's own kernel. Each disk keeps a log of its
writes and flushes. At fifty random moments the machine is frozen: which blocks were acknowledged by then, and how long
the log of each disk is, belong to one point in time. As after a power cut there, each disk is created again with all
that it had flushed and a random half of the rest; a disk whose cache is off gets all that it had written. Another
kernel then starts the arrays, with all of their disks and without force, and the volumes; every acknowledged block is
there. One writer never flushes: some of its writes must be lost, or the cuts drop nothing.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from lunette.client import Client
from tests.e2e.waiting import wait_until
from tests.initiators.block_io import IN_GUEST, PROGRAMS
from tests.initiators.kernel import KernelInitiator
from tests.lab.appliance import Appliance, appliance
from tests.lab.scene import MIB, PORTAL_PORT
from tests.lab.write_caches import turn_off_one
from tests.machines.log_writes import replay, survivors
from tests.machines.qemu import Qemu
from tests.machines.uml import Uml

pytestmark = [pytest.mark.qemu, pytest.mark.slow, pytest.mark.timeout(3000)]

POINTS, DISK_MIB, BLOCKS = 50, 192, 1024
ARRAYS = {"mirror": ("raid1", 2, "bitmap"), "parity": ("raid5", 3, "bitmap"), "logged": ("raid5", 3, "ppl")}
"""Level, how many disks, and how the write hole is treated. Those of the last have no volatile write cache."""
DISKS = sum(count for _, count, _ in ARRAYS.values())
UNCACHED = range(DISKS - ARRAYS["logged"][1], DISKS)
VOLUMES = {
    "mthick": "mirror",
    "mthin": "mirror",
    "pthick": "parity",
    "pthin": "parity",
    "lthick": "logged",
    "lthin": "logged",
    "hasty": "mirror",
}
"""Which array each is of. `hasty` is the one whose writer does not flush."""
IQN = "iqn.2026-01.com.example:writer"
LOGS, ACKNOWLEDGED = "/run/logs", "/run/acknowledged"
_SET_UP = f"""
set -e
mount -t proc proc /proc; mount -t sysfs sys /sys
mkdir -p {IN_GUEST} {ACKNOWLEDGED}
mount -t hostfs programs {IN_GUEST} -o hostfs={PROGRAMS}
mount -t hostfs acknowledged {ACKNOWLEDGED} -o hostfs={{folder}}
modprobe -a raid1 raid456 dm_mod dm_thin_pool
mkdir -p /dev/mapper; [ -e /dev/mapper/control ] || mknod /dev/mapper/control c 10 236
"""
_ACTIVATE = (
    "vgchange -ay --config 'devices {use_devicesfile=0 obtain_device_list_from_udev=0} "
    "activation {udev_sync=0 udev_rules=0 verify_udev_operations=0}'"
)


@dataclass(frozen=True)
class Point:
    """One moment: how many writes of each volume were acknowledged, and how long the log of each disk was."""

    acknowledged: dict[str, int]
    ends: dict[str, int]


@dataclass(frozen=True)
class Written:
    """All of a run. `folder` has the log of each disk, and a file of each volume with what was acknowledged."""

    points: list[Point]
    paths: dict[str, str]
    """Where the appliance had each volume."""
    disks: list[str]
    """The log of each disk, in the order of their serials."""
    folder: Path


@dataclass(frozen=True)
class Writing:
    """A host that writes to all volumes; the device and the seed of each."""

    made: Appliance
    host: KernelInitiator
    devices: dict[str, str]
    seeds: dict[str, int]

    def counts(self) -> dict[str, int]:
        """How many writes to each volume were acknowledged by now."""
        logs = " ".join(self.log(name) for name in VOLUMES)
        lines = self.host.machine.check(f"for log in {logs}; do wc -l <$log; done").split()
        return dict(zip(VOLUMES, map(int, lines), strict=True))

    def has_written(self, before: dict[str, int], more: int) -> bool:
        """Whether so many more writes were acknowledged since."""
        return sum(self.counts().values()) >= sum(before.values()) + more

    def log(self, name: str) -> str:
        """Where the host notes what was acknowledged."""
        return f"{LOGS}/{Path(self.devices[name]).name}-{self.seeds[name]}"


def is_clean(client: Client, array: str) -> bool:
    return bool(client.get(f"/arrays/{array}")["health"] == "clean")


def make(client: Client, disks: list[str]) -> str:
    """Arrays, volumes and mappings. The target of the host."""
    left = iter(disks)
    for name, (level, count, policy) in ARRAYS.items():
        client.wait(client.post("/arrays", {"name": name, "level": level, "disks": [next(left) for _ in range(count)]}))
        assert client.get(f"/arrays/{name}")["observed"]["write_hole"] == policy
    client.post("/hosts", {"name": "writer", "iqns": [IQN]})
    client.post("/portals", {"name": "storage", "address": "0.0.0.0", "port": PORTAL_PORT})
    for name, array in VOLUMES.items():
        kind = "thin" if name.endswith("thin") else "thick"
        client.wait(
            client.post("/volumes", {"name": name, "array": array, "size_bytes": 8 * MIB, "provisioning": kind})
        )
        client.post("/mappings", {"volume": name, "host": "writer"})
    wait_until("all is served", lambda: all(one["state"] == "open" for one in client.list("/mappings")), 300)
    for name in ARRAYS:
        wait_until("the first resync is over", partial(is_clean, client, name), 900)
    return str(client.get("/hosts/writer")["target_iqn"])


@contextmanager
def writing(made: Appliance, seed: int) -> Iterator[Writing]:
    machine, client = made.machine, made.client
    caches = machine.check("cat /sys/block/sd*/queue/write_cache").split("\n")
    assert set(filter(None, caches)) == {"write back"}, "the disks keep nothing back that the kernel does not flush"
    disks = made.disk_ids("scsi")
    for number in UNCACHED:
        turn_off_one(made, disks[number])
    target = make(client, disks)
    luns = {str(one["volume"]): int(one["lun"]) for one in client.list("/mappings")}
    with KernelInitiator("replay-host") as host:
        host.login(target, f"{machine.address}:{machine.forward(PORTAL_PORT)}", IQN, replacement_timeout_s=900)
        found = host.devices(target, expected=len(VOLUMES))
        devices = {name: found[luns[name]] for name in VOLUMES}
        seeds = {name: seed + number for number, name in enumerate(VOLUMES)}
        for name, device in devices.items():
            host.start_logged_writer(device, seeds[name], BLOCKS, 3000, flush=name != "hasty")
        yield Writing(made, host, devices, seeds)


def written(folder: Path, seed: int, choice: random.Random) -> Written:
    """Writes until there are enough points in time, and brings home what the host and the disks have noted."""
    machine = Qemu("replay-writes", nvme=0, scsi=DISKS, disk_mib=DISK_MIB, write_logs=True)
    points = list[Point]()
    with appliance(machine) as made, writing(made, seed) as now:
        paths = {str(one["name"]): str(one["observed"]["device"]) for one in made.client.list("/volumes")}
        while len(points) < POINTS:
            before, more = now.counts(), choice.randint(1, 12)
            wait_until("the host writes on", partial(now.has_written, before, more), 300, 0.05)
            with machine.frozen() as ends:
                points.append(Point(now.counts(), {log.name: size for log, size in ends.items()}))
        for name, device in now.devices.items():
            now.host.stop_logged_writer(device, now.seeds[name])
            (folder / name).write_text(now.host.machine.check(f"cat {now.log(name)}"))
        machine.kill()
        for log in ends:
            shutil.move(log, folder / log.name)
    return Written(points, paths, sorted(points[0].ends), folder)


def cut(found: Written, point: Point, machine: Uml, choice: random.Random) -> int:
    """Gives the machine the disks of this moment, and the list of what was acknowledged. How many writes were lost."""
    lost = 0
    for number, (disk, log) in enumerate(zip(machine.disks, found.disks, strict=True)):
        kept, dropped = survivors(found.folder / log, point.ends[log], choice, has_cache=number not in UNCACHED)
        with (machine.folder / f"{disk.serial.lower()}.raw").open("r+b") as device:
            device.truncate(0)
            device.truncate(disk.size_bytes)
            replay(found.folder / log, device, kept)
        lost += dropped
    for name, count in point.acknowledged.items():
        lines = (found.folder / name).read_text().splitlines(keepends=True)[:count]
        (machine.folder / f"{name}.acknowledged").write_text("".join(lines))
    return lost


def started(machine: Uml, paths: dict[str, str]) -> None:
    """Arrays and volumes, as a start of the appliance brings them up: every disk is there, and nothing is forced."""
    machine.start()
    machine.wait_for_shell(60.0)
    machine.check(_SET_UP.format(folder=machine.folder))
    left = iter("bcdefghi")
    for name, (_, count, _) in ARRAYS.items():
        members = " ".join(f"/dev/ubd{next(left)}" for _ in range(count))
        shown = machine.run(f"mdadm --assemble --config=none /dev/md/{name} {members}", timeout_s=120)
        assert f"started with {count} drives" in shown.stdout, shown.stdout
    shown = machine.run(_ACTIVATE, timeout_s=120)
    assert shown.rc == 0, shown.stdout
    missing = machine.check(f"for one in {' '.join(paths.values())}; do [ -e $one ] || echo $one; done")
    assert not missing, f"{shown.stdout}\nnot there: {missing}"


def wrong(machine: Uml, paths: dict[str, str], seed: int) -> dict[str, int]:
    """How many acknowledged blocks of each volume are not there."""
    found = {}
    for number, name in enumerate(VOLUMES):
        reported = f"verify-log {paths[name]} {seed + number} {ACKNOWLEDGED}/{name}.acknowledged"
        shown = machine.run(f"python3 -IS {IN_GUEST}/pattern.py {reported}", timeout_s=300)
        assert shown.rc in (0, 1), shown.stdout
        report = json.loads(shown.stdout.splitlines()[-1])
        if report["wrong"] and name != "hasty":
            print(name, report)
        found[name] = int(report["wrong"])
    return found


def test_what_a_host_was_told_is_flushed_is_there_after_a_power_cut_at_any_moment(tmp_path: Path) -> None:
    seed = int(os.environ.get("LUNETTE_SEED") or random.SystemRandom().randrange(1 << 32))
    print(f"LUNETTE_SEED={seed}")
    choice = random.Random(seed)
    found = written(tmp_path, seed, choice)
    lost, hasty = 0, 0
    with Uml(
        "replays-of-host", disks=DISKS, disk_mib=DISK_MIB, memory_mib=512, init="/bin/bash", product=False
    ) as machine:
        machine.start()
        for number, point in enumerate(found.points):
            machine.kill()
            lost += cut(found, point, machine, choice)
            started(machine, found.paths)
            bad = wrong(machine, found.paths, seed)
            hasty += bad.pop("hasty")
            assert not any(bad.values()), f"point {number}, LUNETTE_SEED={seed}: {bad}"
    counts = found.points[-1].acknowledged
    print(f"{counts} acknowledged; {lost} writes of disks and {hasty} of the writer that does not flush were lost")
    assert min(counts.values()) >= POINTS, "each volume was written to all the time"
    assert hasty, "a writer that does not flush lost nothing: the cuts drop nothing"
