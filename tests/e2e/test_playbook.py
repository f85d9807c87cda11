"""From two plain Debian 13 guests to verified I/O over two paths, by the collection's own playbook.

The guests have Debian's packages of the appliance's image and nothing of Lunette: neither the product nor its
settings. What is not shown is the installation of packages, since guests reach no package source; the role finds that
none is missing.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.collection.playing import Player, Running
from tests.e2e.bare_server import PASSWORD, Server, booted, changed, inventory
from tests.initiators import kit as kits
from tests.initiators.block_io import IN_GUEST
from tests.machines.images import bundle
from tests.machines.netns import GUEST_ADDRESS
from tests.machines.uml import Uml

pytestmark = [pytest.mark.timeout(1500), pytest.mark.uml]
_ADDRESSES = (GUEST_ADDRESS, "10.0.2.16")
"""Of the appliance, whose portal listens on all: so the client's kit has two paths."""
_SETTING, _NEWCOMER = "etc/modules-load.d/lunette.conf", "etc/systemd/system/newcomer.service"
_BROKEN = "#!/bin/sh\necho this release is broken >&2\nexit 1\n"
_IO = """
set -e
udevadm settle
dm=$(readlink -e /dev/mapper/3{naa})
[ $(ls /sys/block/$(basename $dm)/slaves | wc -l) = 2 ]
[ -e /run/pattern ] || {{
    dd if=/dev/urandom of=/run/pattern bs=1M count=4 status=none
    dd if=/run/pattern of=$dm bs=1M oflag=direct conv=fsync status=none
}}
echo 3 >/proc/sys/vm/drop_caches
dd if=$dm bs=1M count=4 iflag=direct status=none | cmp - /run/pattern
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("play")
    share = folder / "share"
    share.mkdir()
    with Uml("play-server", disks=3, disk_mib=128, bare=True) as machine:
        booted(machine, share)
        assert machine.run("ls /opt/lunette /etc/systemd/system/target.service").rc, "the guest is not bare"
        machine.check(f"ip address add {_ADDRESSES[1]}/32 dev lo")
        hosts = folder / "hosts.json"
        hosts.write_text(json.dumps(inventory(machine.api_url)))
        yield Server(machine, Player(folder, Running("", "", "", folder)), hosts, share)


@pytest.fixture(scope="module")
def client(server: Server) -> Iterator[Uml]:
    """A host that reaches the appliance under both of its addresses: a relay in the guest stands for each."""
    with Uml("play-client", disks=0, memory_mib=512, bare=True) as machine:
        booted(machine, server.share)
        machine.check(f"ip address add {_ADDRESSES[1]}/32 dev lo; mkdir -p {IN_GUEST} /run/logs")
        kits.put_relay(machine)
        behind = machine.reach(3260, f"127.0.0.1:{server.appliance.forward(3260)}")
        for address in _ADDRESSES:
            kits.open_relay(machine, address, 3260, behind)
        yield machine


@pytest.fixture(scope="module")
def first(server: Server, client: Uml) -> str:
    """What the first run of the playbook printed."""
    return server.play()


def _does_io(server: Server, client: Uml) -> None:
    """The volume of the client is one device over two paths and keeps what was written; raises if not."""
    with server.api() as api:
        naa = next(one["naa"] for one in api.list("/volumes") if one["name"] == "lun01")
    client.check(_IO.format(naa=naa))


def _changes(printed: str) -> str:
    """What the tasks that changed something said of it."""
    tasks = re.split(r"^(?:TASK|RUNNING HANDLER) ", printed, flags=re.M)[1:]
    said = {task.partition("]")[0]: re.findall(r"^changed: .*", task, re.M) for task in tasks}
    return "\n".join(line for name, lines in said.items() if lines for line in (f"{name}]", *lines))


@pytest.mark.slow
def test_a_server_whose_own_volumes_would_not_come_back_is_refused(server: Server) -> None:
    server.appliance.check("pvcreate -qy /dev/ubdb && vgcreate -qy own /dev/ubdb && lvcreate -qqy -L 16M -n home own")
    refused = server.play()
    assert re.search(r"^san .*changed=0 .*failed=1", refused, re.M), refused
    assert "has own-home, ubdb. Lunette would keep them from being started" in " ".join(refused.split()), refused
    server.appliance.check("vgremove -qfy own && pvremove -qy /dev/ubdb && wipefs -qa /dev/ubdb")


@pytest.mark.slow
def test_bare_servers_become_a_san_and_the_second_run_changes_nothing(first: str, server: Server, client: Uml) -> None:
    assert changed(first, "san") > 5
    assert changed(first, "localhost") == 7, "the token, its file, and the five kinds of the scene"
    assert changed(first, "esx1") > 3
    _does_io(server, client)
    devices = server.appliance.check("cat /etc/lvm/devices/system.devices")
    assert "IDNAME=" in devices
    second = server.play()
    assert [changed(second, host) for host in ("san", "localhost", "esx1")] == [0, 0, 0], _changes(second)
    assert server.appliance.check("cat /etc/lvm/devices/system.devices") == devices, "LVM would not see its groups"
    server.appliance.check("test -s /usr/share/man/man1/lunette.1")
    server.appliance.check("test -x /usr/lib/lunette/health.d/xiraid")
    server.appliance.check("bash -c '. /usr/share/bash-completion/completions/lunette; complete -p lunette'")
    _does_io(server, client)
    assert PASSWORD not in first + second
    assert "esx1-secret" not in first + second


def _other(folder: Path, name: str, breaks: str | None = None) -> Path:
    """The bundle under another release's name; `breaks` is a program of it that then does nothing but fail."""
    made = folder / name
    shutil.copytree(bundle(), made)
    said = json.loads((made / "manifest.json").read_text())
    if breaks:
        _pack(made / "release.tar.gz", folder / "tree", {breaks: _BROKEN})
        _pack(made / "system.tar.gz", folder / "settings", {_SETTING: "# of the broken release\n", _NEWCOMER: ""})
        said["files"] = [*said["files"], f"/{_NEWCOMER}"]
    (made / "manifest.json").write_text(json.dumps({**said, "release": name}))
    return made


@pytest.mark.slow
@pytest.mark.usefixtures("first")
def test_a_name_is_not_changed_under_a_session(server: Server, client: Uml) -> None:
    names = ["iqn.2026-01.com.example:esx1", "iqn.2026-01.com.example:other"]
    with server.api() as api:
        api.patch("/hosts/esx1", {"iqns": names})
    before = client.check("iscsiadm -m session; cat /etc/iscsi/initiatorname.iscsi")
    refused = server.connect(initiator_iqn=names[1])
    with server.api() as api:
        api.patch("/hosts/esx1", {"iqns": names[:1]})
    assert re.search(r"^esx1 .*changed=0 .*failed=1", refused, re.M), refused
    assert "2 iSCSI sessions, which would be lost" in " ".join(refused.split()), refused
    assert client.check("iscsiadm -m session; cat /etc/iscsi/initiatorname.iscsi") == before


def _pack(archive: Path, tree: Path, changed: dict[str, str]) -> None:
    """Packs an archive again with other content in some files."""
    tree.mkdir()
    subprocess.run(["tar", "-xf", archive, "-C", tree], check=True)
    for name, content in changed.items():
        (tree / name).write_text(content)
    files = [str(one.relative_to(tree)) for one in sorted(tree.rglob("*")) if one.is_symlink() or not one.is_dir()]
    subprocess.run(["tar", "-cf", archive, "-C", tree, "-I", "gzip -1", *files], check=True)


def _database(server: Server) -> list[str]:
    with server.api() as api:
        return [one["id"] for path in ("/arrays", "/volumes", "/mappings") for one in api.list(path)]


@pytest.mark.slow
@pytest.mark.usefixtures("first")
def test_an_upgrade_keeps_the_database_and_every_session(server: Server, client: Uml, tmp_path: Path) -> None:
    kept, lost = _database(server), client.check("dmesg | grep -c 'conn error' || true")
    upgraded = server.install(_other(tmp_path, "newer"))
    assert changed(upgraded, "san") > 3
    assert server.appliance.check("readlink /opt/lunette").strip() == "/usr/lib/lunette/newer"
    assert _database(server) == kept
    assert client.check("dmesg | grep -c 'conn error' || true") == lost, "a host had to log in again"
    assert client.check("iscsiadm -m session").count("iqn.2026-11.io.lunette") == 2
    _does_io(server, client)


@pytest.mark.slow
@pytest.mark.usefixtures("first")
def test_a_release_that_does_not_start_is_reverted(server: Server, client: Uml, tmp_path: Path) -> None:
    kept, before = _database(server), server.appliance.check("readlink /opt/lunette")
    setting = server.appliance.check(f"cat /{_SETTING}")
    broken = server.install(_other(tmp_path, "broken", breaks="bin/lunette-api"), appliance_start_timeout=9)
    assert re.search(r"^san .*failed=1", broken, re.M), broken
    assert "this release is broken" in broken, broken
    assert server.appliance.check("readlink /opt/lunette") == before
    assert server.appliance.check(f"cat /{_SETTING}") == setting
    assert server.appliance.run(f"[ -e /{_NEWCOMER} ]").rc != 0
    server.appliance.wait_for_api()
    assert _database(server) == kept
    _does_io(server, client)
