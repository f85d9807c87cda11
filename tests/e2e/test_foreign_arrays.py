"""Disks of another machine, with an md array and a volume group that mdadm and LVM made by hand: adopted, then rebuilt.

A host reads what was written before Lunette knew of any of it, also after a reset, and after the database was lost.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.e2e.test_backup import lose_the_control_plane
from tests.e2e.waiting import wait_until
from tests.initiators.kernel import KernelInitiator
from tests.lab.appliance import Appliance, appliance
from tests.lab.scene import PORTAL_PORT
from tests.machines.uml import Uml

pytestmark = [pytest.mark.uml, pytest.mark.slow, pytest.mark.timeout(1200)]
LUNETTE = "/opt/lunette/bin/lunette"
IQN = "iqn.2026-01.com.example:foreign"
MIB = 1024**2
WRITTEN = 16 * MIB


def brought(made: Appliance) -> dict[str, str]:
    """A raid5 with group `srv` and two volumes with random data, taken down again. The checksum of each."""
    machine = made.machine
    disks = " ".join(f"/dev/disk/by-id/{one}" for one in made.disk_ids("ubd"))
    machine.check(
        "mdadm --create /dev/md/0 --run --homehost=old --name=0 --level=raid5 --raid-devices=3 --metadata=1.2 "
        f"--bitmap=none {disks}",
        timeout_s=120.0,
    )
    machine.check("udevadm settle; mdadm --wait /dev/md/0 || true", timeout_s=120.0)
    machine.check("vgcreate -y srv /dev/md/0", timeout_s=120.0)
    sums = {}
    for name in ("db", "web"):
        machine.check(f"lvcreate -y --name {name} --size 48m srv", timeout_s=120.0)
        machine.check(f"head -c {WRITTEN} /dev/urandom | dd of=/dev/srv/{name} bs=1M oflag=direct iflag=fullblock")
        sums[name] = machine.check(f"head -c {WRITTEN} /dev/srv/{name} | sha256sum").split()[0]
    machine.check("lvcreate -y --type thin-pool --name pool --size 32m srv", timeout_s=120.0)
    machine.check("lvcreate -y --thin --virtualsize 32m --name thin srv/pool", timeout_s=120.0)
    machine.check(
        "vgchange -an srv; lvm lvmdevices -y --deldev /dev/md/0; udevadm settle; mdadm --stop /dev/md/0; sync", 120.0
    )
    return sums


def asked(made: Appliance, words: str) -> Any:
    return json.loads(made.machine.check(f"{LUNETTE} {words} --json", timeout_s=300))


def superblocks(made: Appliance) -> str:
    """What every member's superblock says of events and time: it changes with each write of md's."""
    shown = "mdadm --examine $disk | grep -E 'Events|Update Time|Checksum'"
    return made.machine.check(f"for disk in $(ls /dev/ubd[b-d]); do {shown}; done")


def read(host: KernelInitiator, device: str) -> str:
    return host.machine.check(f"head -c {WRITTEN} {device} | sha256sum", timeout_s=120).split()[0]


def started(made: Appliance) -> Any:
    """Seen by its superblocks, then started; what is on it then. Nothing is written meanwhile."""
    before = superblocks(made)
    (found,) = asked(made, "foreign-array list")
    assert (found["name"], found["home_host"], found["level"], found["next"]) == ("0", "old", "raid5", "start")
    made.machine.check(f"{LUNETTE} foreign-array start {found['id']}", timeout_s=300)
    (found,) = asked(made, "foreign-array list")
    assert superblocks(made) == before, "neither the look nor the start wrote anything"
    return found


def states(made: Appliance) -> list[str]:
    return [one["state"] for one in asked(made, "mapping list")]


def served(made: Appliance, host: KernelInitiator) -> dict[str, str]:
    """What the host reads of each volume, by name; the host logs out again."""
    wait_until("all is served", lambda: states(made) == ["open", "open"], deadline_s=300)
    target = asked(made, "host list")[0]["target_iqn"]
    host.login(target, f"{made.machine.address}:{made.machine.forward(PORTAL_PORT)}", IQN)
    devices = host.devices(target, expected=2)
    found = {name: read(host, devices[lun]) for lun, name in ((1, "db"), (2, "web"))}
    host.logout(target)
    return found


def test_an_array_of_another_machine_is_adopted_with_its_data_and_rebuilt_from_its_disks() -> None:
    with appliance(Uml("foreign", disks=3, disk_mib=256)) as made, KernelInitiator("foreign-host") as host:
        machine, sums = made.machine, brought(made)
        machine.reset()
        made.wait_for_api()
        found = started(made)
        reasons = {one["name"]: one["reason"] for one in found["volumes"]}
        assert (found["read_only"], found["group"], found["next"]) == (True, "srv", "adopt"), found
        assert (reasons["db"], reasons["web"], reasons["thin"] is None) == (None, None, False)
        machine.check(f"{LUNETTE} foreign-array adopt {found['id']} --name archive", timeout_s=300)
        (left,) = asked(made, "foreign-array list")
        assert (left["array"], sorted(one["name"] for one in left["volumes"])) == ("archive", ["pool", "thin"])
        naas = {one["name"]: one["naa"] for one in asked(made, "volume list")}
        assert sorted(naas) == ["db", "web"]

        made.client.post("/hosts", {"name": "h", "iqns": [IQN]})
        made.client.post("/portals", {"name": "storage", "address": "0.0.0.0", "port": PORTAL_PORT})
        for lun, name in ((1, "db"), (2, "web")):
            made.client.post("/mappings", {"volume": name, "host": "h", "lun": lun})
        assert served(made, host) == sums

        machine.reset()
        made.wait_for_api()
        assert served(made, host) == sums
        wait_until("the copy is there", lambda: machine.run("test -e /dev/srv/sealed").rc == 0, deadline_s=180)
        machine.check("sleep 10")  # the sealer follows changes after some seconds

        lose_the_control_plane(made)
        assert started(made)["next"] == "rebuild"
        machine.check(f"{LUNETTE} rebuild --yes --adopt", timeout_s=300)
        assert served(made, host) == sums
        assert {one["name"]: one["naa"] for one in asked(made, "volume list")} == naas


def test_an_array_is_released_seen_by_plain_tools_and_adopted_again_with_its_data() -> None:
    with appliance(Uml("released", disks=3, disk_mib=256)) as made:
        machine, client = made.machine, made.client
        spec = {"name": "tank", "engine": "md", "level": "raid5", "disks": made.disk_ids("ubd")}
        client.wait(client.post("/arrays", spec))
        for name, kind in (("db", "thick"), ("lean", "thin")):
            volume = {"name": name, "array": "tank", "size_bytes": 48 * MIB, "provisioning": kind}
            client.wait(client.post("/volumes", volume))
        client.post("/hosts", {"name": "h", "iqns": [IQN]})
        mapping = client.post("/mappings", {"volume": "db", "host": "h"})
        volume_id = client.get("/volumes/db")["id"]
        place = machine.check(f"lvs --noheadings -o lv_path,lv_tags | grep {volume_id}").split()[0]
        wait_until("it is served", lambda: states(made) == ["open"], deadline_s=120)
        client.delete(f"/mappings/{mapping['id']}")
        wait_until("it is whole", lambda: client.get("/arrays/tank")["health"] == "clean", deadline_s=180)
        machine.check(f"head -c {WRITTEN} /dev/urandom | dd of={place} bs=1M oflag=direct iflag=fullblock")
        before = machine.check(f"head -c {WRITTEN} {place} | sha256sum").split()[0]

        machine.check(f"{LUNETTE} array release tank --confirm tank", timeout_s=300)
        assert asked(made, "array list") == asked(made, "volume list") == []
        names = machine.check("for disk in /dev/ubd[b-d]; do mdadm --examine --export $disk | grep MD_NAME; done")
        assert [line.partition("=")[2].partition(":")[0] for line in names.split()] == ["released"] * 3
        assert "active" not in machine.check("cat /proc/mdstat")
        machine.reset()
        made.wait_for_api()
        assert "active" not in machine.check("cat /proc/mdstat"), "nobody starts it"

        (found,) = asked(made, "foreign-array list")
        assert (found["home_host"], found["next"]) == ("released", "start")
        machine.check(f"{LUNETTE} foreign-array start {found['id']}", timeout_s=300)
        device = "/dev/" + machine.check("awk '/^md/ {print $1}' /proc/mdstat").split()[0]
        tags = machine.check(f"lvs --devices {device} --noheadings -o lv_tags,vg_tags").replace(",", " ").split()
        assert tags
        assert all(tag.startswith("released") for tag in tags)
        machine.check(f"{LUNETTE} foreign-array adopt {found['id']} --name again", timeout_s=300)
        assert [one["array"] for one in asked(made, "volume list")] == ["again"]
        wait_until("it is up", lambda: machine.run(f"test -e {place}").rc == 0, deadline_s=120)
        assert machine.check(f"head -c {WRITTEN} {place} | sha256sum").split()[0] == before
