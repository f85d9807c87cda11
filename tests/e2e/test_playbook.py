"""A play takes an appliance and a Linux host from nothing to verified I/O over two paths, and a second run is idle."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.collection.connections.guest import SHARE
from tests.collection.playing import Player, Running
from tests.lab.appliance import Appliance, appliance
from tests.machines.uml import Uml

pytestmark = [pytest.mark.timeout(1500), pytest.mark.uml, pytest.mark.slow]
_CHAP = {"user": "client", "secret": "client-secret1", "mutual_user": "lunette", "mutual_secret": "mutual-secret1"}
_IQN = "iqn.2026-01.com.example:client"
_IO = """
set -e
udevadm settle
dm=$(readlink -e /dev/mapper/3{naa})
[ $(ls /sys/block/$(basename $dm)/slaves | wc -l) = 2 ]
dd if=/dev/urandom of=/run/pattern bs=1M count=4 status=none
dd if=/run/pattern of=$dm bs=1M oflag=direct conv=fsync status=none
dd if=$dm bs=1M count=4 iflag=direct status=none | cmp - /run/pattern
"""


@pytest.fixture
def made() -> Iterator[Appliance]:
    with appliance(Uml("play", disks=3, disk_mib=256)) as there:
        yield there


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Uml]:
    """A Linux host with Debian's open-iscsi and multipath-tools, and nothing set up."""
    with Uml("play-client", disks=0, memory_mib=512, product=False) as machine:
        machine.start()
        machine.wait_for_shell()
        (tmp_path / "share").mkdir()
        machine.check(f"mkdir {SHARE} && mount -t hostfs share {SHARE} -o hostfs={tmp_path / 'share'}")
        yield machine


def _plays(made: Appliance, portals: list[str]) -> list[dict[str, Any]]:
    of = "lunette.appliance."
    disks = made.disk_ids("ubd")
    return [
        {
            "hosts": "localhost", "connection": "local", "gather_facts": False,
            "tasks": [
                {f"{of}array": {"name": "tank", "level": "raid5", "disks": disks}},
                {f"{of}volume": {"name": "data", "array": "tank", "size_bytes": "64MiB"}},
                {f"{of}host": {"name": "client", "iqns": [_IQN], "chap": _CHAP}},
                {f"{of}portal": {"name": "front", "address": "0.0.0.0"}},
                {f"{of}mapping": {"volume": "data", "host": "client"}},
            ],
        },
        {
            "hosts": "client", "gather_facts": False,
            "roles": [{
                "role": f"{of}initiator", "initiator_iqn": _IQN, "initiator_chap": _CHAP,
                "initiator_portals": portals, "initiator_install": False,
            }],
        },
    ]  # fmt: skip


def test_a_play_leads_to_verified_io_and_the_second_run_changes_nothing(
    made: Appliance, client: Uml, tmp_path: Path
) -> None:
    target = f"127.0.0.1:{made.machine.forward(3260)}"
    portals = [client.reach(port, target) for port in (3260, 3261)]
    book = tmp_path / "play.yml"
    book.write_text(json.dumps(_plays(made, portals)))
    endpoint = made.access.endpoint
    player = Player(tmp_path, Running(endpoint.url, endpoint.token or "", endpoint.fingerprint or "", tmp_path))
    hosts = "client ansible_connection=guest ansible_python_interpreter=/usr/bin/python3"
    (tmp_path / "hosts").write_text(f"localhost ansible_connection=local\n{hosts}\n")
    env = {"LUNETTE_GUEST": client.name, "LUNETTE_SHARE": str(tmp_path / "share")}
    first = player.run(book, "-i", str(tmp_path / "hosts"), env=env)
    assert re.search(r"localhost .*changed=5 .*failed=0", first), first
    assert re.search(r"client .*changed=[1-9]\d* .*failed=0", first), first
    naa = next(iter(made.client.list("/volumes")))["naa"]
    client.check(_IO.format(naa=naa))
    second = player.run(book, "-i", str(tmp_path / "hosts"), env=env)
    assert re.search(r"localhost .*changed=0 .*failed=0", second), second
    assert re.search(r"client .*changed=0 .*failed=0", second), second
    assert "-secret1" not in first + second
    client.check(_IO.format(naa=naa))
