"""Network interfaces and systemd-networkd: what `ip`, `networkctl` and `systemctl` do on the fake machine.

networkd reads its files when it is reloaded, and uses the first matching one by name; an interface that no longer has
a matching file retains its MTU. The timer that reverts a change runs on the machine's clock, even without an agent.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from backend.tests.fakemachine.files.plain import Files
from backend.tests.fakemachine.files.views import Tree, put
from backend.tests.fakemachine.md.manage import Answer
from backend.tests.fakemachine.network.firewall import Nftables

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
    kind: str | None = None
    """vlan or bond, where networkd made it."""
    vlan_id: int | None = None
    parent: str | None = None
    master: str | None = None


class Network:
    """The interfaces. eth0 has every address of `addresses` that no other one has, with DHCP."""

    def __init__(
        self,
        addresses: set[str],
        files: Files,
        later: Callable[[float, Callable[[], None]], None],
        now: Callable[[], float],
    ) -> None:
        self._addresses, self._files, self._later = addresses, files, later
        self.interfaces = {
            "eth0": FakeInterface("eth0", 2, "52:54:00:00:00:02", file=DHCP_FILE),
            "eth1": FakeInterface("eth1", 3, "52:54:00:00:00:03"),
        }
        self.firewall = Nftables(files, now)
        self.commands = {"ip": self.ip, "networkctl": self.networkctl, "nft": self.firewall.nft}
        self._armed = 0
        self._numbers = 10
        self.is_running = True
        self.lacks: set[str] = set()
        """Kinds whose kernel module is missing."""

    def add(self, name: str, *, kind: str | None = None, vlan_id: int | None = None, parent: str | None = None) -> None:
        """Add an interface; `kind` if it is not a physical one."""
        self._numbers += 1
        mac = f"52:54:00:00:01:{self._numbers:02x}"
        self.interfaces[name] = FakeInterface(name, self._numbers, mac, kind=kind, vlan_id=vlan_id, parent=parent)

    def add_to(self, tree: Tree) -> None:
        for one in self.interfaces.values():
            put(tree, f"/sys/class/net/{one.name}/mtu", f"{one.mtu}\n")

    def ip(self, argv: Sequence[str]) -> Answer:
        """`ip -j -d address show`, and `ip link delete dev NAME`."""
        if "delete" in argv:
            return self._delete(argv[-1])
        return 0, json.dumps([self._link(one) for one in self.interfaces.values()]), ""

    def _link(self, one: FakeInterface) -> dict[str, Any]:
        flags = ["BROADCAST", "UP", *(["LOWER_UP"] if one.link else [])]
        return {
            "ifindex": one.number,
            "ifname": one.name,
            "flags": flags,
            "mtu": one.mtu,
            "min_mtu": 68,
            "max_mtu": 9216,
            "operstate": "UP" if one.link else "DOWN",
            "link_type": "ether",
            "address": one.mac,
            "addr_info": [_info(text) for text in self._on(one)],
            **({"master": one.master} if one.master else {}),
            **({"link": one.parent} if one.parent else {}),
            **({"linkinfo": {"info_kind": one.kind, "info_data": {"id": one.vlan_id}}} if one.kind else {}),
        }

    def _delete(self, name: str) -> Answer:
        if name not in self.interfaces:
            return 1, "", f'Cannot find device "{name}"'
        self._lay(self.interfaces.pop(name), set())
        for one in list(self.interfaces.values()):
            one.master = None if one.master == name else one.master
            if one.parent == name:
                self._delete(one.name)
        return 0, "", ""

    def _on(self, one: FakeInterface) -> list[str]:
        if one.name != "eth0" or one.set_up:
            return sorted(one.set_up)
        others = {text.partition("/")[0] for other in self.interfaces.values() for text in other.set_up}
        return sorted(self._addresses - others)

    def networkctl(self, argv: Sequence[str]) -> Answer:
        if not self.is_running:
            return 1, "", "Failed to connect to systemd-networkd"
        if "reload" in argv or "reconfigure" in argv:
            self._reload()
            return 0, "", ""
        reported = [
            {"Index": one.number, "Name": one.name, "AdministrativeState": "configured" if one.file else "unmanaged"}
            | ({"NetworkFile": one.file} if one.file else {})
            for one in self.interfaces.values()
        ]
        return 0, json.dumps({"Interfaces": reported}), ""

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
        self.firewall.boot()
        for one in list(self.interfaces.values()):
            one.mtu, one.master = 1500, None
            if one.kind and one.name in self.interfaces:
                self._delete(one.name)
        self._settle()
        self._reload()

    def _settle(self) -> None:
        """What settle-network does."""
        is_confirmed = self._finish()
        kept = {name: self._files.read(f"{KEPT}/{name}") for name in self._ours(KEPT)}
        stale = [_between(name) for name in self._ours(READ) if name not in kept and name.endswith(".netdev")]
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
        if is_confirmed:
            self._files.unlink(TRIAL)
            return
        self.firewall.settle()
        for name in stale:
            self._delete(name)
        self._reload()
        for line in self._files.read(TRIAL).decode().splitlines():
            words = line.split()
            name, mtu = (words[1], words[2]) if len(words) == 4 else (words[0], words[1])
            if (
                name in self.interfaces
                and mtu != "0"
                and b"MTUBytes=" not in kept.get(f"05-lunette-{name}.network", b"")
            ):
                self.interfaces[name].mtu = int(mtu)
        self._files.unlink(TRIAL)

    def _finish(self) -> bool:
        """Whether there was a confirmation to finish."""
        if not self._files.exists(f"{KEPT}/next/whole"):
            return False
        for name in self._files.read(f"{KEPT}/next/whole").decode().split():
            if self._files.exists(f"{KEPT}/next/{name}"):
                self._files.write_durably(f"{KEPT}/{name}", self._files.read(f"{KEPT}/next/{name}"), 0o644)
            elif self._files.exists(f"{KEPT}/{name}"):
                self._files.unlink(f"{KEPT}/{name}")
        self._files.unlink(f"{KEPT}/next/whole")
        return True

    def _ours(self, folder: str) -> list[str]:
        return [name for name in self._files.listdir(folder) if name.startswith("05-lunette-")]

    def _reload(self) -> None:
        """A VLAN is made when the file of what carries it names it; one whose file goes stays, as with networkd."""
        texts = {name: self._files.read(f"{READ}/{name}").decode() for name in self._ours(READ)}
        for name, text in texts.items():
            if name.endswith(".netdev") and _between(name) not in self.interfaces:
                self._make(_between(name), text, texts)
        for one in self.interfaces.values():
            master = re.search(r"^Bond=(.*)$", texts.get(f"05-lunette-{one.name}.network", ""), re.MULTILINE)
            there = master is not None and master.group(1) in self.interfaces
            one.master = master.group(1) if master is not None and there else one.master
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

    def _make(self, name: str, text: str, texts: dict[str, str]) -> None:
        number = re.search(r"^Id=(\d+)$", text, re.MULTILINE)
        carriers = [_between(one) for one, content in texts.items() if f"VLAN={name}\n" in content]
        if (number is not None and not carriers) or ("vlan" if number else "bond") in self.lacks:
            return
        self.add(
            name,
            kind="vlan" if number else "bond",
            vlan_id=int(number.group(1)) if number else None,
            parent=carriers[0] if carriers else None,
        )

    def _lay(self, one: FakeInterface, wanted: set[str]) -> None:
        self._addresses -= {text.partition("/")[0] for text in one.set_up - wanted}
        self._addresses |= {text.partition("/")[0] for text in wanted}
        one.set_up = wanted


def _between(name: str) -> str:
    """The interface a file of Lunette's is for."""
    return name.removeprefix("05-lunette-").rpartition(".")[0]


def _info(text: str) -> dict[str, Any]:
    address, _, prefix = text.partition("/")
    six = ":" in address
    return {
        "family": "inet6" if six else "inet",
        "local": address,
        "prefixlen": int(prefix or (64 if six else 24)),
        "scope": "host" if address.startswith("127.") else "global",
    }
