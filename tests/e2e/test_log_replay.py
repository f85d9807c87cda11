"""Fifty power cuts at random writes of the control plane: what was acknowledged is in what each leaves behind.

Database, secrets and ledger lie on a file system of their own, whose device keeps a log of all writes in the order in
which a drive would have had them for good (dm-log-writes). A change is marked in that log once the API has answered.
Then the log is replayed to a random write, as if the power had gone there: the file system has nothing to repair but
what every boot does, database and ledger are whole, every change that was marked before is there, and at most the one
that was under way.
"""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest

from lunette.agent.ledger import Ledger
from lunette.system.local import LocalSystem
from tests.lab.appliance import Appliance, appliance
from tests.machines.log_writes import entries, replay
from tests.machines.uml import Uml

pytestmark = [pytest.mark.uml, pytest.mark.slow, pytest.mark.timeout(2400)]

MIB = 1 << 20
DISK_MIB, REPLAYS, CHANGES = 512, 50, 60
STATE_MIB = 128
"""Room for the reserves of agent and database, and as much again."""
STATE = "/var/lib/lunette"
KEPT = tuple(
    Path(f"/{name}")
    for name in (
        "api/lunette.db",
        "api/lunette.db-wal",
        "agent/ledger.json",
        "agent/ledger.json.outdated",
        "agent/ledger.log",
        "agent/ledger.key",
    )
)


def logged(made: Appliance) -> None:
    """Moves what the control plane keeps onto a device whose writes are logged, the making of its file system too."""
    disk, log = (one.path for one in made.machine.disks[2:4])
    sectors = STATE_MIB * MIB // 512
    made.machine.check(
        f"""
        set -e
        modprobe dm-log-writes
        systemctl stop lunette-api lunette-agent
        dmsetup create logged --table "0 {sectors} log-writes {disk} {log}"
        mkfs.ext4 -q -E nodiscard /dev/mapper/logged
        mkdir /run/logged && mount -o nodiscard /dev/mapper/logged /run/logged
        cp -a {STATE}/. /run/logged/
        umount /run/logged && mount -o nodiscard /dev/mapper/logged {STATE}
        systemctl start lunette-agent lunette-api
        """,
        timeout_s=300,
    )
    made.wait_for_api()
    marked(made, "begin")


def marked(made: Appliance, words: str) -> None:
    made.machine.check(f"dmsetup message logged 0 mark {words}")


def changed(made: Appliance) -> None:
    """Hosts, volumes by jobs, and mappings that the agent's ledger takes up; each is marked once it was answered."""
    client = made.client
    disks = made.disk_ids("ubd")[:2]
    client.wait(client.post("/arrays", {"name": "tank", "engine": "md", "level": "raid1", "disks": disks}))
    for number in range(1, CHANGES + 1):
        client.post("/hosts", {"name": f"h{number}", "iqns": [f"iqn.2026-01.com.example:h{number}"]})
        marked(made, f"h{number}")
        if number % 10 == 0:
            volume = {"name": f"v{number}", "array": "tank", "size_bytes": 4 * MIB}
            client.wait(client.post("/volumes", volume))
            client.post("/mappings", {"volume": f"v{number}", "host": f"h{number}"})
            marked(made, f"v{number}")


def stopped(made: Appliance) -> None:
    made.machine.check(
        f"systemctl stop lunette-api lunette-agent; umount {STATE}; dmsetup remove logged; sync", timeout_s=180
    )


def left_behind(device: Path, folder: Path) -> None:
    """Puts into the folder what a start after the power cut would find, after the repairs that every boot makes."""
    copy = folder / "cut.img"
    shutil.copy(device, copy)
    repaired = subprocess.run(["e2fsck", "-fp", copy], capture_output=True, text=True, check=False)
    assert repaired.returncode in (0, 1), repaired.stdout + repaired.stderr
    for path in KEPT:
        target = folder / path.name
        target.unlink(missing_ok=True)
        subprocess.run(["debugfs", "-R", f"dump {path} {target}", copy], capture_output=True, check=True)
    (folder / "lunette.db-shm").unlink(missing_ok=True)


def check(folder: Path, marks: list[str], where: str) -> None:
    """Ledger and database are whole, and there is what was acknowledged before the cut, and at most one change more."""
    ledger = Ledger(LocalSystem(), str(folder)).load()
    served = {volume.name for volume in ledger.volumes} if ledger else set()
    with closing(sqlite3.connect(folder / "lunette.db")) as found:
        assert found.execute("PRAGMA integrity_check").fetchall() == [("ok",)], where
        assert found.execute("PRAGMA foreign_key_check").fetchall() == [], where
        hosts = {name for (name,) in found.execute("SELECT name FROM host")}
        ready = {name for (name,) in found.execute("SELECT name FROM volume WHERE state = 'ready'")}
        mapped = {name for (name,) in found.execute("SELECT v.name FROM mapping m JOIN volume v ON v.id = m.volume_id")}
    acknowledged = [one for one in marks if one.startswith("h")]
    count = len(acknowledged)
    assert hosts in ({f"h{n}" for n in range(1, count + 1)}, {f"h{n}" for n in range(1, count + 2)}), where
    assert ready >= {one for one in marks if one.startswith("v")}, where
    assert served <= mapped, f"{where}: the agent was told what the database forgot"


def test_what_was_acknowledged_is_there_after_a_power_cut_at_any_write(tmp_path: Path) -> None:
    seed = int(os.environ.get("LUNETTE_SEED") or random.SystemRandom().randrange(1 << 32))
    print(f"LUNETTE_SEED={seed}")
    machine = Uml("replays", disks=4, disk_mib=DISK_MIB)
    with appliance(machine) as made:
        logged(made)
        changed(made)
        stopped(made)
        log = tmp_path / "writes.log"
        shutil.copy(machine.folder / f"{machine.disks[3].serial.lower()}.raw", log)
    every = list(entries(log))
    begun = next(index for index, one in enumerate(every) if one.mark == "begin")
    cuts = sorted(random.Random(seed).sample(range(begun + 1, len(every)), REPLAYS))
    device, marks, done = tmp_path / "device.img", list[str](), 0
    device.write_bytes(bytes(STATE_MIB * MIB))
    with device.open("r+b") as file:
        for cut in cuts:
            marks += replay(log, file, islice(every, done, cut))
            done = cut
            where = f"cut before write {cut} of {len(every)}, LUNETTE_SEED={seed}"
            left_behind(device, tmp_path)
            check(tmp_path, marks, where)
    assert len({one for one in marks if one.startswith("h")}) > CHANGES // 2, "the cuts are spread over the changes"
