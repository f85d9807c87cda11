"""A target that Debian's rtslib made over LVM on md is taken over while a host is logged in and writes.

The array, the group and the target are made by hand, before Lunette knows of any of it.
"""

from __future__ import annotations

import json

import pytest

from tests.e2e.waiting import wait_until
from tests.initiators.kernel import KernelInitiator, LoginFailed
from tests.initiators.libiscsi import Chap
from tests.lab.appliance import appliance
from tests.lab.scene import PORTAL_PORT
from tests.machines.machine import Machine
from tests.machines.uml import Uml

pytestmark = [pytest.mark.uml, pytest.mark.slow, pytest.mark.timeout(900)]
LUNETTE = "/opt/lunette/bin/lunette"
TARGET = "iqn.2003-01.org.linux-iscsi.old.x8664:sn.db"
DEMO = "iqn.2003-01.org.linux-iscsi.old.x8664:sn.demo"
HOST = "iqn.1994-05.com.redhat:db"
CHAP = {"chap_userid": "db", "chap_password": "secret-of-db12"}
SHOWN = Chap("db", "secret-of-db12")
SERIALS = {0: "2b0f7e62-7b1c-4b1e-9a35-5f7c6f0e1a01", 5: "9d3cfa10-0c52-4c0b-8d6f-0b7a5f4e2b02"}
BLOCKS, SEED = 1024, 20261123
WRITER = """
import os, sys, time
device = os.open(sys.argv[1], os.O_RDWR | os.O_DSYNC)
count = 0
while not os.path.exists("/run/stop"):
    data = count.to_bytes(8, "little") * 512
    os.pwrite(device, data, 16 << 20)
    os.posix_fadvise(device, 0, 0, os.POSIX_FADV_DONTNEED)
    assert os.pread(device, 4096, 16 << 20) == data, count
    count += 1
print(count)
"""


def document() -> str:
    """What targetctl restores: a host with CHAP and two LUNs, and a target in demo mode."""
    luns = {0: "disk0", 5: "disk1"}
    group = {
        "tag": 1,
        "enable": True,
        "attributes": {"authentication": 1, "generate_node_acls": 0},
        "luns": [
            {
                "alias": f"a{n}",
                "alua_tg_pt_gp_name": "default_tg_pt_gp",
                "index": n,
                "storage_object": f"/backstores/block/{name}",
            }
            for n, name in luns.items()
        ],
        "portals": [{"ip_address": "0.0.0.0", "port": PORTAL_PORT, "iser": False, "offload": False}],
        "node_acls": [
            {
                "node_wwn": HOST,
                "attributes": {},
                **CHAP,
                "mapped_luns": [{"alias": f"m{n}", "index": n, "tpg_lun": n, "write_protect": False} for n in luns],
            }
        ],
    }
    demo = {
        "tag": 1,
        "enable": True,
        "attributes": {"generate_node_acls": 1},
        "luns": [],
        "portals": [],
        "node_acls": [],
    }
    stores = [
        {
            "name": name,
            "plugin": "block",
            "dev": f"/dev/srv/{name}",
            "wwn": SERIALS[n],
            "readonly": False,
            "write_back": False,
            "attributes": {"emulate_tas": 0},
        }
        for n, name in luns.items()
    ]
    targets = [{"fabric": "iscsi", "wwn": wwn, "tpgs": [tpg]} for wwn, tpg in ((TARGET, group), (DEMO, demo))]
    return json.dumps({"fabric_modules": [], "storage_objects": stores, "targets": targets})


def make_by_hand(machine: Machine, disks: list[str], saved: str = "/root/saveconfig.json") -> None:
    """A mirror of two disks, a volume group and two logical volumes, and targets over them."""
    machine.check(
        "mdadm --create /dev/md/0 --run --homehost=old --name=0 --level=raid1 --raid-devices=2 --metadata=1.2 "
        f"{' '.join(disks)}",
        timeout_s=120.0,
    )
    machine.check("udevadm settle; vgcreate -y srv /dev/md/0", timeout_s=120.0)
    for name in ("disk0", "disk1", "idle"):
        machine.check(f"lvcreate -y --name {name} --size 48m srv", timeout_s=120.0)
    machine.check(f"umask 077; mkdir -p $(dirname {saved}); cat > {saved} <<'SAVED'\n{document()}\nSAVED")
    machine.check(f"targetctl restore {saved}", timeout_s=120.0)


def session_numbers(host: KernelInitiator) -> list[str]:
    """The kernel's numbers of its sessions: one that was lost and came back keeps it, so errors are counted too."""
    return host.machine.check("ls /sys/class/iscsi_session; dmesg | grep -c 'detected conn error' || true").split()


def shown(host: KernelInitiator, devices: dict[int, str]) -> dict[int, str]:
    """What the host reads of each disk: NAA, vendor, model and revision."""
    files = ("wwid", "vendor", "model", "rev")
    return {
        lun: host.machine.check(f"cd /sys/block/{device.rpartition('/')[2]}/device; cat {' '.join(files)}")
        for lun, device in devices.items()
    }


def test_a_running_target_is_adopted_while_a_host_writes_and_comes_back_after_a_reset() -> None:
    with appliance(Uml("adopt", disks=2, disk_mib=256)) as made, KernelInitiator("adopt-host") as host:
        machine = made.machine
        make_by_hand(machine, [f"/dev/disk/by-id/{one}" for one in made.disk_ids("ubd")])
        portal = f"{machine.address}:{machine.forward(PORTAL_PORT)}"
        host.login(TARGET, portal, HOST, SHOWN)
        devices = host.devices(TARGET, expected=2)
        host.write_pattern(devices[5], SEED, BLOCKS)
        before, seen = session_numbers(host), shown(host, devices)
        host.machine.check(f"cat > /run/writer.py <<'WRITER'\n{WRITER}\nWRITER")
        host.machine.check(f"python3 /run/writer.py {devices[0]} > /run/logs/writer 2>&1 &")

        looked = machine.check(f"{LUNETTE} adopt --dry-run", timeout_s=300)
        assert f"✓ /iscsi/{TARGET}" in looked
        assert f"✗ /iscsi/{DEMO}" in looked
        assert "demo mode" in looked
        machine.check(f"{LUNETTE} adopt --yes", timeout_s=300)
        wait_until("all is served", lambda: [m["state"] for m in made.client.list("/mappings")] == ["open", "open"])
        machine.check("sleep 15")  # some rounds of the agent

        host.machine.check("touch /run/stop; sleep 2")
        counted = host.machine.check("cat /run/logs/writer").strip()
        assert counted.isdigit(), counted
        assert int(counted) > 0
        assert session_numbers(host) == before
        assert shown(host, host.devices(TARGET, expected=2)) == seen
        host.verify_pattern(devices[5], SEED, BLOCKS)
        assert [one["initiator"] for one in made.client.list("/sessions")] == [HOST]
        assert machine.check(f"ls -d /sys/kernel/config/target/iscsi/{DEMO}").strip()

        machine.reset()
        made.wait_for_api()
        wait_until(
            "it is served again",
            lambda: [m["state"] for m in made.client.list("/mappings")] == ["open", "open"],
            deadline_s=300,
        )
        wait_until("the host is back", lambda: host.is_connected(TARGET), deadline_s=180)
        assert shown(host, host.devices(TARGET, expected=2)) == seen
        host.verify_pattern(devices[5], SEED, BLOCKS)
        host.logout(TARGET)
        with pytest.raises(LoginFailed):
            host.login(TARGET, portal, HOST, Chap("db", "wrong-secret12"))
