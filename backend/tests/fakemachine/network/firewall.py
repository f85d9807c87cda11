"""nftables: what `nft` does on the fake machine, as far as a table that admits by sets needs it.

A file is loaded completely or not at all. Foreign tables are retained: tests show that they are untouched.
"""

import copy
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from backend.tests.fakemachine.files.plain import Files
from backend.tests.fakemachine.md.manage import Answer

KEPT, BROKEN = "/var/lib/lunette/agent/firewall.nft", "/run/lunette/firewall-broken"
UNIT = "/usr/lib/systemd/system/lunette-firewall.service"
BY_DEFAULT = "/usr/lib/lunette/firewall-managed"
_BLOCK = re.compile(r"^\t(set|chain) (\w+) \{\n(.*?)^\t\}$", re.MULTILINE | re.DOTALL)
_TIMEOUT = re.compile(r"(.*) timeout (\d+)s")
_ELEMENTS = re.compile(r"elements = \{ (.*) \}")
_NO_SUCH = "Error: No such file or directory\n"


@dataclass
class FakeTable:
    """Elements of sets as they were written, and rules by chain."""

    sets: dict[str, list[str]] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    chains: dict[str, list[str]] = field(default_factory=dict)
    expires: dict[str, float] = field(default_factory=dict)
    """When an element that has a timeout goes."""


class Nftables:
    """The tables of family inet, by name."""

    def __init__(self, files: Files, now: Callable[[], float] = lambda: 0.0) -> None:
        self._files, self._now = files, now
        self.tables: dict[str, FakeTable] = {}
        self.is_in_kernel = True
        self.has_netlink = True
        """Whether the kernel has NETFILTER_NETLINK, without which nft cannot even ask."""
        self.refuses: str | None = None
        """What nft says instead of loading anything."""
        self.loads = 0

    def install(self, *, by_default: bool = False) -> None:
        """The machine has what loads rules at its start; `by_default`: the ISO installed it."""
        self._files.seed(UNIT, b"")
        if by_default:
            self._files.seed(BY_DEFAULT, b"")

    def nft(self, argv: Sequence[str]) -> Answer:
        """`nft -j list table inet NAME`, `nft list ruleset` and `nft --file PATH`."""
        if not self.has_netlink:
            return 3, "", "src/mnl.c:64: Unable to initialize Netlink socket: Protocol not supported\n"
        if "ruleset" in argv:
            return 0, "".join(f"table inet {name} {{\n}}\n" for name in self.tables), ""
        if "list" in argv:
            table = self.tables.get(argv[-1])
            return (0, json.dumps({"nftables": _listing(argv[-1], table)}), "") if table else (1, "", _NO_SUCH)
        return self._load(self._files.read(argv[-1]).decode())

    def boot(self) -> None:
        """What lunette-firewall.service does."""
        self.tables.clear()
        self.settle()

    def settle(self) -> None:
        """Load the stored rules, as load-firewall does."""
        if self._files.exists(KEPT) and self._files.exists(UNIT):
            code, _, said = self._load(self._files.read(KEPT).decode())
            if code:
                self._files.write_durably(BROKEN, said.encode(), 0o644)

    def flush(self) -> None:
        """As if an administrator ran `nft flush ruleset`."""
        self.tables.clear()

    def admits(self, interface: str, address: str, transport: str, port: int, table: str = "lunette") -> bool:
        """Whether a packet that opens a connection comes through; without the table everything does."""
        found = self.tables.get(table)
        if found is None:
            return True
        version = "6" if ":" in address else "4"
        place = f"{transport} . {port}"
        if f"{address} . {place}" in found.sets[f"portals{version}"] or place in found.sets["portals"]:
            return True
        return f'"{interface}"' not in found.sets["closed"] and place in found.sets["management"]

    def holds(self, table: str, of_set: str, element: str) -> bool:
        """Whether a set has an element whose time is not over."""
        found = self.tables.get(table)
        if found is None or element not in found.sets.get(of_set, ()):
            return False
        return found.expires.get(element, self._now() + 1) > self._now()

    def _load(self, text: str) -> Answer:
        if not self.is_in_kernel:
            return 1, "", "netlink: Error: Could not process rule: Operation not supported\n"
        if self.refuses:
            return 1, "", self.refuses
        after = copy.deepcopy(self.tables)
        for part in re.split(r"^(?=table |delete )", text, flags=re.MULTILINE):
            verb, name = _named(part)
            if not name:
                continue
            if verb == "delete" and name not in after:
                return 1, "", _NO_SUCH
            if verb == "delete":
                del after[name]
            else:
                if part.count("{") != part.count("}"):
                    return 1, "", "/dev/stdin:1:1-1: Error: syntax error, unexpected end of file\n"
                after.setdefault(name, FakeTable())
                _read(after[name], part, self._now())
        self.tables = after
        self.loads += 1
        return 0, "", ""


def _named(part: str) -> tuple[str, str]:
    words = part.split()
    if not words:
        return "", ""
    return words[0], words[3] if words[0] == "delete" else words[2]


def _read(table: FakeTable, text: str, now: float) -> None:
    for kind, name, body in _BLOCK.findall(text):
        if kind == "chain":
            table.chains[name] = [line.strip() for line in body.splitlines()]
            continue
        held = _ELEMENTS.search(body)
        table.sets[name] = []
        for element in held.group(1).split(", ") if held else ():
            timed = _TIMEOUT.fullmatch(element)
            table.sets[name].append(timed[1] if timed else element)
            if timed:
                table.expires[timed[1]] = now + int(timed[2])
        table.types[name] = body.splitlines()[0].strip().removeprefix("type ")


def _listing(name: str, table: FakeTable) -> list[dict[str, Any]]:
    """As libnftables-json(5) shows it; of a rule only its text, which is the fake's own."""
    found: list[dict[str, Any]] = [{"metainfo": {"version": "1.1.3", "json_schema_version": 1}}]
    found.append({"table": {"family": "inet", "name": name, "handle": 1}})
    for number, (of_set, elements) in enumerate(table.sets.items()):
        shown: dict[str, Any] = {"family": "inet", "name": of_set, "table": name, "handle": number}
        shown["type"] = table.types[of_set].split(" . ")
        if elements:
            shown["elem"] = [_element(one) for one in elements]
        found.append({"set": shown})
    found += [
        {"rule": {"family": "inet", "table": name, "chain": chain, "handle": number, "expr": [rule]}}
        for chain, rules in table.chains.items()
        for number, rule in enumerate(rules)
    ]
    return found


def _element(text: str) -> Any:
    parts = [part.strip('"') for part in text.split(" . ")]
    return parts[0] if len(parts) == 1 else {"concat": [*parts[:-1], int(parts[-1])]}
