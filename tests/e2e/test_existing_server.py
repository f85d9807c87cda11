"""Lunette is installed on a server configured by hand with mdadm, LVM and targetcli, while a host writes to it.

It is installed next to the existing services, which a boot restores as before; it adopts the target; and when all is
adopted, it runs alone. Sessions of the host end only by the restarts, and every byte is there after each.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.collection.connections.guest import mount
from tests.collection.playing import Player, Running
from tests.e2e.bare_server import PASSWORD, Server, booted, changed, inventory
from tests.e2e.test_adopting import (
    BLOCKS,
    DEMO,
    HOST,
    LUNETTE,
    SEED,
    SHOWN,
    TARGET,
    WRITER,
    make_by_hand,
    session_numbers,
    shown,
)
from tests.e2e.waiting import wait_until
from tests.initiators.kernel import KernelInitiator
from tests.lab.scene import PORTAL_PORT
from tests.machines.images import bundle
from tests.machines.uml import Uml

pytestmark = [pytest.mark.uml, pytest.mark.slow, pytest.mark.timeout(1800)]
SAVED = "/etc/rtslib-fb-target/saveconfig.json"
RESTORES = "rtslib-fb-targetctl.service"
IN_TIME = (
    "mkdir -p /etc/systemd/system/{unit}.d; printf '[Service]\\nExecStartPre=/bin/sh -c \"until [ -e /dev/srv/disk1 ]; "
    "do sleep 0.2; done\"\\n' > /etc/systemd/system/{unit}.d/volumes.conf; systemctl daemon-reload; "
    "systemctl enable {unit}; systemctl start {unit}"
)
"""The unit waits for its volumes, as on any such server."""
SETTINGS = """
find /etc/mdadm /etc/lvm /etc/udev /etc/modprobe.d -type f ! -name '*lunette*' | sort | xargs sha256sum
find /etc -lname /dev/null | sort
cat /proc/sys/net/ipv4/conf/all/arp_*
"""


@contextmanager
def made_by_hand(folder: Path) -> Iterator[Server]:
    """Debian with a mirror, a volume group and targets, which a boot restores."""
    share, hosts = folder / "share", folder / "hosts.json"
    share.mkdir()
    with Uml("play-server", disks=2, disk_mib=256, bare=True) as machine:
        booted(machine, share)
        make_by_hand(machine, ["/dev/ubdb", "/dev/ubdc"], SAVED)
        machine.check(IN_TIME.format(unit=RESTORES), timeout_s=120)
        hosts.write_text(json.dumps(inventory(machine.api_url)))
        yield Server(machine, Player(folder, Running("", "", "", folder)), hosts, share)


def restarted(server: Server, host: KernelInitiator, *, api: bool = True) -> None:
    """The server loses its power; its host finds everything as it was."""
    server.appliance.reset()
    server.appliance.wait_for_shell()
    mount(server.appliance, server.share)
    if api:
        server.appliance.wait_for_api()
    wait_until("the host is back", lambda: host.is_connected(TARGET), deadline_s=300)
    host.verify_pattern(host.devices(TARGET, expected=2)[5], SEED, BLOCKS)


def is_served(server: Server) -> bool:
    with server.api() as api:
        return [one["state"] for one in api.list("/mappings")] == ["open", "open"]


def is_refused(server: Server, words: str) -> None:
    printed = server.install(bundle())
    assert re.search(r"^san .*changed=0 .*failed=1", printed, re.M), printed
    assert words in " ".join(printed.split()), printed


def written(host: KernelInitiator) -> int:
    """Ends the writer; how often it wrote and read back what it had written."""
    host.machine.check("touch /run/stop; sleep 2")
    counted = host.machine.check("cat /run/logs/writer").strip()
    assert counted.isdigit(), counted
    return int(counted)


def test_a_server_made_by_hand_becomes_an_appliance_while_its_host_writes(tmp_path: Path) -> None:
    with made_by_hand(tmp_path) as server, KernelInitiator("beside-host") as host:
        machine = server.appliance
        portal = f"{machine.address}:{machine.forward(PORTAL_PORT)}"
        host.login(TARGET, portal, HOST, SHOWN, replacement_timeout_s=900)
        devices = host.devices(TARGET, expected=2)
        host.write_pattern(devices[5], SEED, BLOCKS)
        seen, sessions, settings = shown(host, devices), session_numbers(host), machine.check(SETTINGS)
        host.machine.check(f"cat > /run/writer.py <<'WRITER'\n{WRITER}\nWRITER")
        host.machine.check(f"python3 /run/writer.py {devices[0]} > /run/logs/writer 2>&1 &")

        is_refused(server, "or install Lunette beside them: appliance_beside: true")
        first = server.install(bundle(), second_appliance=True, appliance_admin_password=PASSWORD)
        assert changed(first, "san") > 5
        assert changed(server.install(bundle(), second_appliance=True), "san") == 0
        assert machine.check(SETTINGS) == settings, "nothing is masked, and nothing is replaced"
        assert session_numbers(host) == sessions
        restarted(server, host)
        assert machine.check(f"ls -d /sys/kernel/config/target/iscsi/{DEMO}").strip(), (
            "what is not Lunette's is back too"
        )

        sessions = session_numbers(host)
        machine.check(f"{LUNETTE} adopt --yes", timeout_s=300)
        wait_until("it is Lunette's", lambda: is_served(server))
        assert session_numbers(host) == sessions
        machine.check("mkswap -q /dev/srv/idle && swapon /dev/srv/idle")
        is_refused(server, f"still has srv-idle in use by the server, open volume idle, /iscsi/{DEMO}")
        restarted(server, host)
        wait_until("it is served", lambda: is_served(server), deadline_s=300)

        sessions = session_numbers(host)
        machine.check(f"targetcli /iscsi delete {DEMO}", timeout_s=120)
        assert changed(server.install(bundle()), "san") > 3
        assert machine.check(f"readlink /etc/systemd/system/{RESTORES}").strip() == "/dev/null"
        assert "IDNAME=" in machine.check("cat /etc/lvm/devices/system.devices"), "LVM would not see the group"
        assert machine.check("ls /var/lib/lunette/replaced/etc/mdadm/mdadm.conf").strip()
        assert changed(server.install(bundle()), "san") == 0
        assert session_numbers(host) == sessions
        restarted(server, host)
        wait_until("it is served", lambda: is_served(server), deadline_s=300)
        assert machine.run(f"ls -d /sys/kernel/config/target/iscsi/{DEMO}").rc != 0
        assert shown(host, host.devices(TARGET, expected=2)) == seen
        assert written(host) > 0
