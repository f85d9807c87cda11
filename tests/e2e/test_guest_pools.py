"""A pool that a host has on its volumes is never taken for the appliance's, even if it is a copy of the latter.

Volumes of a pool and of an md array hold the start of a member of that same pool, and a pool of another system, as with
a backup that a host restored, or a storage server in a guest. If volumes were scanned, the appliance would find two
devices of one pool at its start, and could import the host's as its own.
"""

from __future__ import annotations

import pytest

from tests.e2e.pool import IQN, SLOW_S, VOLUME_BYTES, Layout, Scenario, on_a_pool
from tests.e2e.waiting import wait_until
from tests.lab.appliance import appliance
from tests.lab.scene import PORTAL_PORT
from tests.machines.images import zfs_image
from tests.machines.qemu import Qemu

pytestmark = [pytest.mark.qemu, pytest.mark.zfs, pytest.mark.slow, pytest.mark.timeout(2400)]
CONTENTS = {"lun": "copy", "zvol": "foreign", "copied": "copy", "lent": "foreign"}
"""What each volume holds, from LUN 1; the first two are of the pool, the others of an md array."""
HEAD_MIB = 4
"""Two of the four labels that name a vdev lie in the first 512 KiB, and its data begin at 4 MiB."""
FOREIGN = "/dev/shm/foreign"
PIECE = 60_000
"""Characters of a word that a command line takes."""


def made_of(scenario: Scenario, disks: list[str]) -> None:
    """The other volumes, mapped to the same host."""
    client = scenario.client
    client.wait(client.post("/arrays", {"name": "plain", "level": "raid1", "disks": disks}), deadline_s=SLOW_S)
    for lun, name in enumerate(CONTENTS, 1):
        if name != "lun":
            spec = {"name": name, "array": "tank" if name == "zvol" else "plain", "size_bytes": VOLUME_BYTES}
            client.wait(client.post("/volumes", spec), deadline_s=SLOW_S)
            client.post("/mappings", {"volume": name, "host": "writer", "lun": lun})
    wait_until("all is served", lambda: is_served(scenario), deadline_s=SLOW_S)


def is_served(scenario: Scenario) -> bool:
    return all(one["state"] == "open" for one in scenario.client.list("/mappings"))


def devices(scenario: Scenario) -> dict[int, str]:
    machine, host = scenario.made.machine, scenario.host
    host.login(scenario.target, f"{machine.address}:{machine.forward(PORTAL_PORT)}", IQN)
    return host.devices(scenario.target, expected=len(CONTENTS))


def on_host(scenario: Scenario, command: str) -> str:
    return scenario.host.machine.check(command, timeout_s=SLOW_S).strip()


def writes_pools(scenario: Scenario, there: dict[int, str]) -> None:
    """The head of our member, and the whole of a pool that the appliance's tools made in memory."""
    member = scenario.guest("zpool status -PL | awk '$1 ~ \"^/dev/\" {print $1}' | head -1")
    assert member.startswith("/dev/")
    scenario.guest(
        f"truncate -s 64M {FOREIGN} && zpool create -o cachefile=none -m none foreign {FOREIGN} && zpool export foreign"
    )
    for (_, device), content in zip(sorted(there.items()), CONTENTS.values(), strict=True):
        source = f"dd if={member} bs=1M count={HEAD_MIB} status=none" if content == "copy" else f"cat {FOREIGN}"
        packed = scenario.guest(f"{source} | gzip -9 | base64 -w0")
        on_host(scenario, "rm -f /run/packed")
        for at in range(0, len(packed), PIECE):
            on_host(scenario, f"printf %s {packed[at : at + PIECE]} >>/run/packed")
        write = f"dd of={device} bs=1M oflag=direct iflag=fullblock conv=fsync status=none"
        on_host(scenario, f"base64 -d /run/packed | gunzip | {write}")
    scenario.guest(f"rm {FOREIGN}")


def world(scenario: Scenario) -> dict[str, str]:
    """Pools with what they lie on, and who holds the volumes."""
    return {
        "pools": scenario.guest("zpool list -H -o name,guid,health"),
        "members": scenario.guest("zpool status -P | awk '$1 ~ \"^/dev/\" {print $1, $2}' | sort"),
        "on volumes": scenario.guest("ls /sys/block/dm-*/holders/ /sys/block/zd*/holders/ | grep -v : | sort -u"),
        "links": scenario.guest("ls /dev/disk/by-label 2>/dev/null | sort || true"),
    }


def checksums(scenario: Scenario, there: dict[int, str]) -> list[str]:
    read = "dd if={} bs=1M iflag=direct status=none | sha256sum"
    return [on_host(scenario, read.format(device)) for _, device in sorted(there.items())]


def test_it_is_not_imported_and_its_volumes_can_be_deleted() -> None:
    zfs_image()
    layout = Layout("mirror", 2)
    with appliance(Qemu("guest-pools", nvme=4, disk_mib=512)) as made:
        ids = made.disk_ids("nvme")
        with on_a_pool(made, layout, ids[:2]) as scenario:
            client = scenario.client
            made_of(scenario, ids[2:])
            wait_until("the mirror is in step", lambda: client.get("/arrays/plain")["health"] == "clean", SLOW_S)
            there, before = devices(scenario), world(scenario)
            writes_pools(scenario, there)
            written = checksums(scenario, there)
            types = "for d in " + " ".join(there.values()) + "; do blkid -p -o value -s TYPE -s LABEL $d; done"
            assert on_host(scenario, types).split().count("zfs_member") == len(CONTENTS), "the host wrote pools"
            scenario.host.logout(scenario.target)

            scenario.reset()
            made.wait_for_api()
            wait_until("all is served", lambda: is_served(scenario), deadline_s=SLOW_S)
            scenario.guest("udevadm trigger --action=add --subsystem-match=block && udevadm settle --timeout=120")
            assert world(scenario) == before
            assert {client.get(f"/arrays/{name}")["health"] for name in ("tank", "plain")} == {"clean"}
            assert checksums(scenario, devices(scenario)) == written, "hosts find every byte as they left it"
            scenario.host.logout(scenario.target)

            for name in CONTENTS:
                for mapping in [one for one in client.list("/mappings") if one["volume"] == name]:
                    client.delete(f"/mappings/{mapping['id']}", confirm=[name])
                client.wait(client.delete(f"/volumes/{name}", confirm=[name]), deadline_s=SLOW_S)
                client.wait(client.delete(f"/deleted-volumes/{name}"), deadline_s=SLOW_S)
            for name in ("tank", "plain"):
                client.wait(client.delete(f"/arrays/{name}"), deadline_s=SLOW_S)
            wait_until("the disks are free", lambda: states(scenario) <= {"free", "system"}, deadline_s=SLOW_S)


def states(scenario: Scenario) -> set[str]:
    return {str(disk["state"]) for disk in scenario.client.list("/disks")}
