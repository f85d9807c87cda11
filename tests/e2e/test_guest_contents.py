"""What hosts keep on their volumes is never looked at by the appliance, though it looks like the appliance's own.

The worst a host can write, by intent or by restoring an image: a copy of a member of our array, a copy of our volume
group with its names and UUIDs, a group of its own under our name, and a partition table with what lies behind it.
Taking any of it for its own would give the appliance two devices of one name, and who asks for ours a host's data.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from lunette.client import Client
from lunette.providers.volumes.lvm.plan import COPY_NAME
from tests.e2e.waiting import wait_until
from tests.initiators.kernel import KernelInitiator
from tests.lab.appliance import Appliance, appliance
from tests.lab.scene import MIB, PORTAL_PORT
from tests.machines.uml import Uml

pytestmark = [pytest.mark.uml, pytest.mark.timeout(900), pytest.mark.slow]
IQN = "iqn.2026-01.com.example:guests"
HEAD_MIB = 4
"""How much of a device holds what names it: md's superblock is at 4 KiB, LVM's label and metadata in the first MiB."""
CONTENTS = ("member", "group", "name", "partitions")
SIZE_MIB = 64
SWAP = "0bad1dea-0000-4000-8000-000000000002"
"""Lies in the partition: a link of it under /dev/disk would show that the table was read."""
MBR = (
    r"{ head -c 446 /dev/zero; printf '\0\0\2\0\x83\0\0\0\0\10\0\0\0\0\1\0'; "
    r"head -c 48 /dev/zero; printf '\x55\xaa'; }"
)
"""A partition of 32 MiB at 1 MiB, in the old form."""


@dataclass(frozen=True)
class Scenario:
    """A mirror of two disks, and a host with a volume for each of `CONTENTS`, from LUN 1."""

    made: Appliance
    host: KernelInitiator
    target: str

    @property
    def client(self) -> Client:
        return self.made.client

    def guest(self, command: str) -> str:
        return self.made.machine.check(command, timeout_s=120.0).strip()

    def on_host(self, command: str) -> str:
        return self.host.machine.check(command, timeout_s=120.0).strip()

    def login(self) -> dict[int, str]:
        machine = self.made.machine
        self.host.login(self.target, f"{machine.address}:{machine.forward(PORTAL_PORT)}", IQN)
        return self.host.devices(self.target, expected=len(CONTENTS))

    def checksums(self, devices: dict[int, str]) -> list[str]:
        """Of the whole contents of each volume, as the host reads them past its cache."""
        read = "dd if={} bs=1M iflag=direct status=none | sha256sum"
        return [self.on_host(read.format(devices[lun])) for lun in sorted(devices)]

    def wait_until_served(self) -> None:
        wait_until(
            "all is served", lambda: all(m["state"] == "open" for m in self.client.list("/mappings")), deadline_s=180
        )

    def holds_volumes(self) -> bool:
        return "lunette.volume" in self.guest("lvs --noheadings -o lv_tags")

    def world(self) -> dict[str, str]:
        """What the appliance has in use: members of arrays, groups, what lies on its volumes, links by content."""
        return {
            "arrays": self.guest("cd /sys/block && ls -d md*/slaves/* | sort"),
            "groups": self.guest("vgs --noheadings -o vg_name,vg_uuid,pv_count,lv_count"),
            "on volumes": self.guest("ls /sys/block/dm-*/holders/ | grep -v : | sort -u"),
            "mapped": self.guest("dmsetup ls | cut -f1 | sort"),
            "links": self.guest("ls /dev/disk/by-uuid /dev/disk/by-label 2>/dev/null | sort || true"),
        }


@pytest.fixture(scope="module")
def scenario() -> Iterator[Scenario]:
    with appliance(Uml("guests", disks=2, disk_mib=512)) as made, KernelInitiator("guests-host") as host:
        client = made.client
        spec = {"name": "tank", "engine": "md", "level": "raid1", "disks": made.disk_ids("ubd")}
        client.wait(client.post("/arrays", spec))
        client.post("/hosts", {"name": "h", "iqns": [IQN]})
        client.post("/portals", {"name": "storage", "address": "0.0.0.0", "port": PORTAL_PORT})
        for name in CONTENTS:
            volume = {"name": name, "array": "tank", "size_bytes": SIZE_MIB * MIB, "provisioning": "thick"}
            client.wait(client.post("/volumes", volume))
            client.post("/mappings", {"volume": name, "host": "h", "lun": CONTENTS.index(name) + 1})
        wait_until("the sealed copy exists", lambda: COPY_NAME in made.machine.check("lvs --noheadings -o lv_name"))
        wait_until("the mirror is in step", lambda: client.get("/arrays/tank")["health"] == "clean", deadline_s=180)
        yield Scenario(made, host, str(client.get("/hosts/h")["target_iqn"]))


def copies(scenario: Scenario, source: str, device: str) -> None:
    """The head of one of the appliance's devices, written by the host."""
    packed = scenario.guest(f"dd if={source} bs=1M count={HEAD_MIB} status=none | gzip -9 | base64 -w0")
    scenario.on_host(
        f"echo {packed} | base64 -d | gunzip | dd of={device} bs=1M oflag=direct iflag=fullblock status=none"
    )


def writes_what_looks_like_ours(scenario: Scenario, devices: dict[int, str]) -> None:
    array = scenario.guest("ls -d /dev/md*[0-9] | head -1")
    member = scenario.guest(f"mdadm --detail --export {array} | sed -n 's/^MD_DEVICE_.*_DEV=//p' | head -1")
    group = scenario.guest("vgs --noheadings -o vg_name")
    copies(scenario, member, devices[1])
    copies(scenario, array, devices[2])
    # Written to an image of its own, as another operating system would: this host's LVM may have rules of its own.
    loose = "--config " + shlex.quote("devices { use_devicesfile=0 } global { event_activation=0 }")
    scenario.on_host(
        f"pvcreate {loose} -qy {devices[3]} && vgcreate {loose} -qy {group} {devices[3]} && "
        f"lvcreate {loose} -qqy -Zn -an -L 16M -n home {group}; sync"
    )
    scenario.on_host(f"{MBR} | dd of={devices[4]} bs=512 oflag=direct iflag=fullblock status=none")
    scenario.on_host(f"mkswap -q --offset {MIB} --uuid {SWAP} {devices[4]}; sync")


def test_nothing_of_it_is_used_by_the_appliance_and_all_of_it_can_be_deleted(scenario: Scenario) -> None:
    scenario.wait_until_served()
    devices, before = scenario.login(), scenario.world()
    writes_what_looks_like_ours(scenario, devices)
    written = scenario.checksums(devices)
    seen = scenario.on_host(
        "for d in " + " ".join(devices.values()) + "; do blkid -p -o value -s TYPE -s PTTYPE $d; done"
    )
    assert seen.split() == ["linux_raid_member", "LVM2_member", "LVM2_member", "dos"], "the host wrote what was meant"

    scenario.host.logout(scenario.target)
    scenario.made.machine.reset()
    scenario.made.wait_for_api()
    scenario.wait_until_served()
    assert scenario.world() == before
    # What udev, a package's script or a person does at some time.
    scenario.guest("udevadm trigger --action=add --subsystem-match=block && udevadm settle --timeout=60")
    scenario.guest("mdadm --assemble --scan; mdadm --incremental --rebuild-map; pvscan --cache -aay; true")
    assert scenario.world() == before
    assert scenario.client.get("/arrays/tank")["health"] == "clean"

    assert scenario.checksums(scenario.login()) == written, "hosts find every byte as they left it"
    scenario.host.logout(scenario.target)
    for name in CONTENTS:
        for mapping in [m for m in scenario.client.list("/mappings") if m["volume"] == name]:
            scenario.client.delete(f"/mappings/{mapping['id']}", confirm=[name])
        scenario.client.wait(scenario.client.delete(f"/volumes/{name}", confirm=[name]))
        scenario.client.wait(scenario.client.delete(f"/deleted-volumes/{name}"))
    wait_until("their room is given back", lambda: not scenario.holds_volumes())
    assert scenario.client.get("/arrays/tank")["health"] == "clean"
