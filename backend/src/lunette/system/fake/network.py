"""Network interfaces and systemd-networkd: what `ip`, `networkctl` and `systemctl` do on the fake machine.

networkd reads its files when it is told to, and takes the first by name that matches; an interface that no file
matches any more keeps its MTU. The timer that takes a change back runs on the machine's clock, whoever lives.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from lunette.system.fake.files import Files
from lunette.system.fake.mdadm_manage import Answer
from lunette.system.fake.views import Tree, put

READ, KEPT = "/run/systemd/network", "/var/lib/lunette/agent/network"
TRIAL = "/run/lunette/interface-trial"
TIMER_S = 60.0
DHCP_FILE = "/etc/systemd/network/50-dhcp.network"


@dataclass
class FakeInterface:
    """`given` are addresses that something else than networkd laid on it; `file` is what configures it."""

    name: str
    number: int
    mac: str
    given: set[str] = field(default_factory=set)
    link: bool = True
    mtu: int = 1500
    file: str | None = None
    set_up: set[str] = field(default_factory=set)
    """Addresses with prefix that networkd laid on it."""


class Network:
    """The interfaces. eth0 has every address of `addresses` that no other one has, with DHCP."""

    def __init__(self, addresses: set[str], files: Files, later: Callable[[float, Callable[[], None]], None]) -> None:
        self._addresses, self._files, self._later = addresses, files, later
        self.interfaces = {
            "eth0": FakeInterface("eth0", 2, "52:54:00:00:00:02", file=DHCP_FILE),
            "eth1": FakeInterface("eth1", 3, "52:54:00:00:00:03"),
        }
        self._armed = 0
        self.is_running = True

    def add_to(self, tree: Tree) -> None:
        for one in self.interfaces.values():
            put(tree, f"/sys/class/net/{one.name}/mtu", f"{one.mtu}\n")

    def ip(self, _argv: Sequence[str]) -> Answer:
        """`ip -j -d address show`."""
        return 0, json.dumps([self._link(one) for one in self.interfaces.values()]), ""

    def _link(self, one: FakeInterface) -> dict[str, Any]:
        flags = ["BROADCAST", "UP", *(["LOWER_UP"] if one.link else [])]
        return {
            "ifindex": one.number, "ifname": one.name, "flags": flags, "mtu": one.mtu, "min_mtu": 68, "max_mtu": 9216,
            "operstate": "UP" if one.link else "DOWN", "link_type": "ether", "address": one.mac,
            "addr_info": [_info(text) for text in self._on(one)],
        }  # fmt: skip

    def _on(self, one: FakeInterface) -> list[str]:
        if one.name != "eth0" or one.set_up:
            return sorted(one.set_up)
        others = {text.partition("/")[0] for other in self.interfaces.values() for text in other.set_up}
        return sorted(self._addresses - others)

    def networkctl(self, argv: Sequence[str]) -> Answer:
        if not self.is_running:
            return 1, "", "Failed to connect to systemd-networkd"
        if "reload" in argv:
            self._reload()
            return 0, "", ""
        told = [
            {"Index": one.number, "Name": one.name, "AdministrativeState": "configured" if one.file else "unmanaged"}
            | ({"NetworkFile": one.file} if one.file else {})
            for one in self.interfaces.values()
        ]
        return 0, json.dumps({"Interfaces": told}), ""

    def systemctl(self, argv: Sequence[str]) -> Answer:
        verb, unit = argv[1], argv[-1]
        if unit not in ("lunette-network-revert.timer", "lunette-network-revert.service"):
            return 1, "", f"Unit {unit} could not be found."
        if unit.endswith(".timer"):
            self._armed += 1
            if verb == "restart":
                number = self._armed
                self._later(TIMER_S, lambda: self._settle() if number == self._armed else None)
        else:
            self._settle()
        return 0, "", ""

    def boot(self) -> None:
        """Interfaces come up as they were last confirmed."""
        self._armed += 1
        for one in self.interfaces.values():
            one.mtu = 1500
        self._settle()
        self._reload()

    def _settle(self) -> None:
        """What settle-network does."""
        kept = {name: self._files.read(f"{KEPT}/{name}") for name in self._ours(KEPT)}
        for name in self._ours(READ):
            if name not in kept:
                self._files.unlink(f"{READ}/{name}")
        for folder in ("/run/systemd", READ):
            if not self._files.is_dir(folder):
                self._files.mkdir(folder)
        for name, content in kept.items():
            self._files.write_durably(f"{READ}/{name}", content, 0o644)
        if not self._files.exists(TRIAL):
            return
        self._reload()
        _, name, mtu, _ = self._files.read(TRIAL).decode().split()
        if b"MTUBytes=" not in kept.get(f"05-lunette-{name}.network", b""):
            self.interfaces[name].mtu = int(mtu)
        self._files.unlink(TRIAL)

    def _ours(self, folder: str) -> list[str]:
        return [name for name in self._files.listdir(folder) if name.startswith("05-lunette-")]

    def _reload(self) -> None:
        for one in self.interfaces.values():
            path = f"{READ}/05-lunette-{one.name}.network"
            if not self._files.exists(path):
                if one.file == path:
                    one.file = DHCP_FILE if one.name == "eth0" else None
                    self._lay(one, set())
                continue
            text = self._files.read(path).decode()
            one.file = path
            self._lay(one, set(re.findall(r"^Address=(.*)$", text, re.MULTILINE)))
            mtu = re.search(r"^MTUBytes=(\d+)$", text, re.MULTILINE)
            one.mtu = int(mtu.group(1)) if mtu else one.mtu

    def _lay(self, one: FakeInterface, wanted: set[str]) -> None:
        self._addresses -= {text.partition("/")[0] for text in one.set_up - wanted}
        self._addresses |= {text.partition("/")[0] for text in wanted}
        one.set_up = wanted


def _info(text: str) -> dict[str, Any]:
    address, _, prefix = text.partition("/")
    six = ":" in address
    return {
        "family": "inet6" if six else "inet", "local": address, "prefixlen": int(prefix or (64 if six else 24)),
        "scope": "host" if address.startswith("127.") else "global",
    }  # fmt: skip
