"""Targets that were created with targetcli before Lunette: over logical volumes on an md array created by hand."""

import uuid
from collections.abc import Sequence
from typing import Any

from backend.tests.fakemachine import FakeDisk, FakeSystem
from backend.tests.providers.rtslib_moves import Restorer

UUID = "e" * 32
DB, WEB1, WEB2 = (f"iqn.2020-01.com.example:{name}" for name in ("db", "web1", "web2"))
DB_TARGET, WEB_TARGET = (f"iqn.2003-01.org.linux-iscsi.old:{name}" for name in ("db", "web"))
CHAP = {"chap_userid": "db", "chap_password": "secret-of-db"}
PORTAL = "192.0.2.1:3260"


def serial_of(name: str) -> str:
    """What rtslib gives a backstore: a UUID with its dashes."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, name))


def make_group(machine: FakeSystem, disks: Sequence[FakeDisk], names: Sequence[str]) -> None:
    """A mirror with a volume group `srv`, and a logical volume for each name."""
    devices = [f"/dev/{disk.kernel_name}" for disk in disks]
    machine.run(
        [
            "mdadm",
            "--create",
            "/dev/md/0",
            "--run",
            f"--uuid={UUID}",
            "--homehost=old",
            "--name=0",
            "--level=raid1",
            f"--raid-devices={len(disks)}",
            *devices,
        ]
    )
    machine.run(["vgcreate", "-y", "srv", "/dev/md/0"])
    for name in names:
        machine.run(["lvcreate", "-y", "--name", name, "--size", "64m", "srv"])
        machine.write_data(f"/dev/srv/{name}", 0, f"data of {name}")
    machine.advance(40)


def store(name: str, dev: str | None = None) -> dict[str, Any]:
    device = dev or f"/dev/srv/{name}"
    attributes = {"emulate_tpu": 0, "emulate_tas": 0}
    return {"name": name, "plugin": "block", "dev": device, "wwn": serial_of(name), "attributes": attributes}


def target(iqn: str, luns: dict[int, str], acls: dict[str, dict[str, str]]) -> dict[str, Any]:
    """One portal group; every initiator sees every LUN under its number there."""
    asks = any(acls.values())
    mapped = [{"alias": f"m{number}", "index": number, "tpg_lun": number} for number in luns]
    return {
        "fabric": "iscsi",
        "wwn": iqn,
        "tpgs": [
            {
                "tag": 1,
                "enable": True,
                "attributes": {"authentication": int(asks)},
                "luns": [
                    {"alias": f"a{number}", "index": number, "storage_object": f"/backstores/block/{name}"}
                    for number, name in luns.items()
                ],
                "portals": [{"ip_address": "192.0.2.1", "port": 3260, "iser": False}],
                "node_acls": [
                    {"node_wwn": initiator, "attributes": {}, "mapped_luns": mapped, **chap}
                    for initiator, chap in acls.items()
                ],
            }
        ],
    }


def restore(machine: FakeSystem, stores: Sequence[dict[str, Any]], targets: Sequence[dict[str, Any]]) -> None:
    """As targetctl does; nothing of it may be refused."""
    restorer = Restorer(machine)
    restorer.restore({"storage_objects": stores, "targets": targets})
    assert restorer.errors == []


def two_targets(machine: FakeSystem, disks: Sequence[FakeDisk]) -> None:
    """A host with CHAP and two LUNs, and a group of two hosts that share a third."""
    make_group(machine, disks, ("disk0", "disk1", "shared", "idle"))
    restore(
        machine,
        [store(name) for name in ("disk0", "disk1", "shared")],
        [
            target(DB_TARGET, {0: "disk0", 5: "disk1"}, {DB: CHAP}),
            target(WEB_TARGET, {1: "shared"}, {WEB1: {}, WEB2: {}}),
        ],
    )
