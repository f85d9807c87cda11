"""Leaving: rtslib restores what `lunette export --format targetcli` wrote to the same tree, and a host finds its data.

Run with Debian's python3-rtslib-fb in the guest, which knows nothing of Lunette.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from lunette.client import JsonObject
from tests.e2e.waiting import wait_until
from tests.initiators.kernel import KernelInitiator, LoginFailed
from tests.initiators.libiscsi import Chap
from tests.lab.appliance import Appliance, appliance
from tests.lab.scene import MIB, PORTAL_PORT
from tests.machines.uml import Uml

pytestmark = [pytest.mark.uml, pytest.mark.slow, pytest.mark.timeout(900)]
DB, WEB1, WEB2 = (f"iqn.2026-01.com.example:{name}" for name in ("db", "web1", "web2"))
CHAP = {"user": "db", "secret": "secret-of-db12", "mutual_user": "us", "mutual_secret": "secret-of-us12"}
SHOWN = Chap("db", "secret-of-db12", "us", "secret-of-us12")
BLOCKS, SEED = 1024, 20261122
FILE = "/root/saveconfig.json"
_PICTURE = """
import json, os
root, found = "/sys/kernel/config/target", {}
for folder, names, files in os.walk(root):
    for name in names:
        if os.path.islink(path := os.path.join(folder, name)):
            found[path[len(root) + 1:]] = os.path.realpath(path)[len(root) + 1:]
    for name in files:
        path = os.path.join(folder, name)
        try:
            found[path[len(root) + 1:]] = open(path).read().strip()
        except OSError as error:
            found[path[len(root) + 1:]] = f"unreadable: {error.strerror}"
print(json.dumps(found))
"""
EXCEPTIONS = {
    r"core/iblock_N/[^/]+/wwn/(vendor_id|product_id|revision)": "a saveconfig has no place for them",
    r"core/iblock_N/(hba_info|[^/]+/info)": "words for people, with the number of the adapter",
    r".*/(statistics|fabric_statistics)/.*": "counters and indexes, given anew to whatever is made",
    r"dbroot": "rtslib keeps persistent reservations in a folder of its own",
    r"iscsi/[^/]+/tpgt_\d+/rtpi": "given by the kernel in the order groups are opened; no place in a saveconfig",
}


@dataclass(frozen=True)
class Left:
    """Two hosts and a group, in configfs as Lunette made it and as rtslib restored it."""

    made: Appliance
    host: KernelInitiator
    targets: dict[str, str]
    saved: JsonObject
    wwids: dict[int, str]
    before: dict[str, str]
    after: dict[str, str]
    printed: str
    """What targetctl printed."""

    def login(self, target: str, iqn: str, chap: Chap | None) -> None:
        machine = self.made.machine
        self.host.login(self.targets[target], f"{machine.address}:{machine.forward(PORTAL_PORT)}", iqn, chap)


def provision(made: Appliance) -> dict[str, str]:
    client = made.client
    disks = made.disk_ids("ubd")
    client.wait(client.post("/arrays", {"name": "tank", "engine": "md", "level": "raid1", "disks": disks}))
    for name, kind in (("thick", "thick"), ("thin", "thin"), ("shared", "thick")):
        spec = {"name": name, "array": "tank", "size_bytes": 32 * MIB, "provisioning": kind}
        client.wait(client.post("/volumes", spec))
    client.post("/hosts", {"name": "db", "iqns": [DB], "chap": CHAP})
    for name, iqn in (("web1", WEB1), ("web2", WEB2)):
        client.post("/hosts", {"name": name, "iqns": [iqn]})
    client.post("/host-groups", {"name": "web", "hosts": ["web1", "web2"]})
    client.post("/portals", {"name": "storage", "address": "0.0.0.0", "port": PORTAL_PORT})
    client.post("/mappings", {"volume": "thick", "host": "db", "lun": 0})
    client.post("/mappings", {"volume": "thin", "host": "db", "lun": 7})
    client.post("/mappings", {"volume": "shared", "host_group": "web"})
    wait_until("all is served", lambda: all(m["state"] == "open" for m in client.list("/mappings")))
    return {
        "db": str(client.get("/hosts/db")["target_iqn"]),
        "web": str(client.get("/host-groups/web")["target_iqn"]),
    }


def picture(made: Appliance) -> dict[str, str]:
    """Every attribute and link below target/, whatever the adapters are numbered."""
    found = json.loads(made.machine.check(f"python3 - <<'PICTURE'\n{_PICTURE}\nPICTURE", timeout_s=120.0))
    return {_plain(path): _value(value) for path, value in found.items()}


def _value(value: str) -> str:
    """A link's end by its plain path; NULL is LIO's word for a credential that was cleared.

    Members of a group are listed in the order they joined, which means nothing: they are sorted.
    """
    return "" if value == "NULL" else "\n".join(sorted(_plain(value).splitlines()))


def _plain(path: str) -> str:
    return re.sub(r"\biblock_\d+\b", "iblock_N", path)


def wwids(host: KernelInitiator, target: str) -> dict[int, str]:
    """How the host tells its disks apart, by LUN."""
    return {
        lun: host.machine.check(f"cat /sys/block/{device.rpartition('/')[2]}/device/wwid").strip()
        for lun, device in host.devices(target, expected=2).items()
    }


@pytest.fixture(scope="module")
def left() -> Iterator[Left]:
    """The appliance with its services stopped, and its exports restored by targetctl."""
    with appliance(Uml("targetcli", disks=2, disk_mib=256)) as made, KernelInitiator("targetcli-host") as host:
        targets = provision(made)
        portal = f"{made.machine.address}:{made.machine.forward(PORTAL_PORT)}"
        host.login(targets["db"], portal, DB, SHOWN)
        host.write_pattern(host.devices(targets["db"], expected=2)[7], SEED, BLOCKS)
        seen = wwids(host, targets["db"])
        host.logout(targets["db"])
        saved = made.client.get("/site:saveconfig", secrets=True)
        made.machine.check("systemctl stop lunette-api lunette-agent", timeout_s=120.0)
        before = picture(made)
        made.machine.check(f"umask 077; cat > {FILE} <<'SAVED'\n{json.dumps(saved['document'])}\nSAVED")
        made.machine.check("/opt/lunette/bin/lunette-agent withdraw", timeout_s=120.0)
        gone = picture(made)
        assert not [path for path in gone if path.startswith("iscsi/iqn.") or "/lunette-" in path]
        printed = made.machine.check(f"targetctl restore {FILE} 2>&1", timeout_s=120.0)
        yield Left(made, host, targets, saved, seen, before, picture(made), printed)


def test_rtslib_restores_the_tree_attribute_by_attribute(left: Left) -> None:
    def kept(tree: dict[str, str]) -> dict[str, str]:
        return {path: value for path, value in tree.items() if not any(re.fullmatch(one, path) for one in EXCEPTIONS)}

    before, after = kept(left.before), kept(left.after)
    group = f"iscsi/{left.targets['db']}/tpgt_1"
    for path in (f"{group}/enable", f"{group}/acls/{DB}/auth/password", f"{group}/acls/{DB}/lun_7/lun"):
        assert path in before, f"the tree that was to be compared has no {path}"
    differing = {
        path: (before.get(path), after.get(path))
        for path in before.keys() | after.keys()
        if before.get(path) != after.get(path)
    }
    assert differing == {}
    refused = [line for line in left.printed.splitlines() if line.strip() and "emulate_tp" not in line]
    assert refused == [], "only what the device cannot do may be refused"


def test_it_says_what_is_left_out_and_nothing_else_is(left: Left) -> None:
    (reported,) = left.saved["left_out"]
    assert reported.startswith("SCSI vendor and product")
    models = {value for path, value in left.after.items() if path.endswith("/wwn/product_id")}
    vendors = {value for path, value in left.after.items() if path.endswith("/wwn/vendor_id")}
    assert (vendors, models) == ({"LIO-ORG"}, {"IBLOCK"})


def test_the_host_comes_in_as_before_and_finds_its_disks_and_data(left: Left) -> None:
    with pytest.raises(LoginFailed):
        left.login("db", DB, Chap("db", "wrong-secret12"))
    with pytest.raises(LoginFailed):
        left.login("web", DB, None)
    left.login("db", DB, SHOWN)
    assert wwids(left.host, left.targets["db"]) == left.wwids
    left.host.verify_pattern(left.host.devices(left.targets["db"], expected=2)[7], SEED, BLOCKS)
    left.login("web", WEB2, None)
    assert left.host.devices(left.targets["web"], expected=1).keys() == {1}
