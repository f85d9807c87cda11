"""The firewall of the agent on this machine's own kernel, in a network namespace that ends with this process.

    unshare --net python -m tests.contract.firewall_in_a_namespace FOLDER

Two interfaces, each with a host at its other end, in a namespace of its own. What came of each connection is printed as
JSON: passes, dropped, or refused.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from pathlib import Path

from backend.tests.agent.exports import exports, portal
from lunette.agent.firewall import Firewall
from lunette.domain.exports import ExportSet
from lunette.domain.firewall import DesiredFirewall, FirewallMode
from lunette.domain.interfaces import InterfaceRole, InterfaceSettings
from lunette.providers.firewall import run
from lunette.providers.network import files
from lunette.system.local import LocalSystem

NETWORKS = {"stor0": "192.0.2", "mgmt0": "198.51.100"}
FRONT, SECOND, MANAGEMENT = "192.0.2.10", "192.0.2.11", "198.51.100.10"
API, ISCSI, OTHER = 8443, 3260, 8000
HOST_S = 300
"""Longer than the test may take."""
DIAL = """
import socket, sys
link = socket.socket()
link.settimeout(2)
try:
    link.connect((sys.argv[1], int(sys.argv[2])))
    print("passes")
except TimeoutError:
    print("dropped")
except OSError:
    print("refused")
"""
"""Only the connection itself is timed, and not how long a program takes to start where others keep the processors."""


class Rig:
    """Both networks, with something that listens on every port."""

    def __init__(self, folder: Path) -> None:
        self.found: dict[str, object] = {}
        self._folder = folder
        self._hosts = {name: self._host(name, network) for name, network in NETWORKS.items()}
        self._listeners = [self._listen(port) for port in (API, ISCSI, OTHER)]

    def _host(self, name: str, network: str) -> subprocess.Popen[bytes]:
        quiet = subprocess.DEVNULL
        host = subprocess.Popen(["unshare", "--net", "sleep", str(HOST_S)], stdout=quiet, stderr=quiet)
        _ip("link", "add", name, "type", "veth", "peer", "name", f"far-{name}")
        for last in (10, 11):
            _ip("address", "add", f"{network}.{last}/24", "dev", name)
        _ip("link", "set", name, "up")
        own = Path("/proc/self/ns/net").readlink()
        while Path(f"/proc/{host.pid}/ns/net").readlink() == own:
            time.sleep(0.01)
        _ip("link", "set", f"far-{name}", "netns", str(host.pid))
        inside = ["nsenter", "--target", str(host.pid), "--net", "ip"]
        for words in (
            f"link set far-{name} up",
            f"address add {network}.20/24 dev far-{name}",
            f"route add default via {network}.10",
        ):
            subprocess.run([*inside, *words.split()], check=True)
        return host

    def _listen(self, port: int) -> socket.socket:
        listener = socket.socket()
        listener.bind(("0.0.0.0", port))
        listener.listen(16)
        return listener

    def role(self, role: InterfaceRole, *, kept: bool = True) -> None:
        """Sets the role of the interface for storage: on trial, or permanently."""
        settings = InterfaceSettings.model_validate({"role": role, "addresses": [f"{FRONT}/24"]})
        for folder in (files.READ, *([files.KEPT] if kept else [])):
            (Path(folder) / files.file_name("stor0")).write_bytes(files.render("stor0", settings))

    def note(self, name: str, interface: str, address: str, port: int) -> None:
        """What becomes of a connection that the host at this interface opens."""
        host = ["nsenter", "--target", str(self._hosts[interface].pid), "--net"]
        dial = [sys.executable, "-I", "-S", "-c", DIAL, address, str(port)]
        said = subprocess.run([*host, *dial], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.found[name] = said.strip()

    def end(self) -> None:
        for host in self._hosts.values():
            host.kill()
            host.wait()


def desired(*addresses: str, mode: FirewallMode = FirewallMode.MANAGED) -> ExportSet:
    portals = tuple(portal(20 + number, address) for number, address in enumerate(addresses))
    return exports(portals=portals, firewall=DesiredFirewall(mode=mode))


def rehearse(rig: Rig) -> None:
    """From nothing over roles, portals and meddling to off."""
    firewall, found = Firewall(LocalSystem()), rig.found
    rig.role(InterfaceRole.STORAGE)
    firewall.open_for(desired(FRONT))
    firewall.settle(desired(FRONT))
    found["reported"] = firewall.reported.model_dump(mode="json") if firewall.reported else None
    rig.note("portal", "stor0", FRONT, ISCSI)
    rig.note("address without portal", "stor0", SECOND, ISCSI)
    rig.note("api from storage", "stor0", FRONT, API)
    rig.note("api from storage at the other address", "stor0", MANAGEMENT, API)
    rig.note("api from management", "mgmt0", MANAGEMENT, API)
    rig.note("anything else", "mgmt0", MANAGEMENT, OTHER)
    found["second round"] = firewall.open_for(desired(FRONT)) + firewall.settle(desired(FRONT))
    firewall.open_for(desired(FRONT, SECOND))
    rig.note("portal that is about to open", "stor0", SECOND, ISCSI)
    firewall.settle(desired(FRONT))
    rig.note("portal that has closed", "stor0", SECOND, ISCSI)
    rig.role(InterfaceRole.BOTH, kept=False)
    firewall.follow_roles()
    rig.note("api on trial", "stor0", FRONT, API)
    subprocess.run(["nft", "--file", run.KEPT], check=True)  # as load-firewall does when the trial is reverted
    rig.note("api after the trial", "stor0", FRONT, API)
    rig.role(InterfaceRole.STORAGE)
    found["after the trial"] = firewall.settle(desired(FRONT))
    subprocess.run(["nft", "add table inet other; flush ruleset; add table inet other"], check=True)
    found["flushed"] = firewall.settle(desired(FRONT))
    subprocess.run(["nft", "add element inet lunette management { tcp . 8000 }"], check=True)
    rig.note("meddled with", "mgmt0", MANAGEMENT, OTHER)
    found["changed"] = firewall.open_for(desired(FRONT))
    rig.note("put right", "mgmt0", MANAGEMENT, OTHER)
    firewall.settle(desired(FRONT, mode=FirewallMode.OFF))
    rig.note("off", "stor0", FRONT, API)
    found["tables"] = subprocess.run(["nft", "list", "tables"], capture_output=True, text=True, check=True).stdout


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


def main(folder: Path) -> None:
    for name in ("KEPT", "NOW", "BROKEN", "BY_DEFAULT", "UNIT"):
        setattr(run, name, str(folder / name.lower()))
    Path(run.UNIT).touch()
    for name in ("READ", "KEPT"):
        setattr(files, name, str(folder / f"network-{name.lower()}"))
        (folder / f"network-{name.lower()}").mkdir()
    _ip("link", "set", "lo", "up")
    rig = Rig(folder)
    try:
        rehearse(rig)
    finally:
        rig.end()
    print(json.dumps(rig.found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
