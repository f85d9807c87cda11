"""Lunette's only nftables table, as the text that `nft --file` loads in one transaction (nft(8), 1.1.3).

A table is added before it is deleted because `delete` fails if there is none; the new one replaces it in the same
transaction, so no packet meets an incomplete one. Portals are open whatever connection tracking says, so sessions from
before the table continue. Those on an address are not tracked at all: a full conntrack table drops none of their
packets. Those on every address are, because forwarded packets may go to the same port.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, ip_address
from typing import Any

from lunette.domain.firewall import Opening, PortProtocol

FAMILY, TABLE = "inet", "lunette"
_SETS = ("portals4", "portals6", "portals")
_BODY = """\
	chain untracked_in {
		type filter hook prerouting priority raw; policy accept;
		ip daddr . meta l4proto . th dport @portals4 notrack
		ip6 daddr . meta l4proto . th dport @portals6 notrack
	}
	chain untracked_out {
		type filter hook output priority raw; policy accept;
		ip saddr . meta l4proto . th sport @portals4 notrack
		ip6 saddr . meta l4proto . th sport @portals6 notrack
	}
	chain input {
		type filter hook input priority filter; policy drop;
		iifname "lo" accept
		ip daddr . meta l4proto . th dport @portals4 accept
		ip6 daddr . meta l4proto . th dport @portals6 accept
		meta l4proto . th dport @portals accept
		ct state established,related accept
		icmp type { echo-request, destination-unreachable, time-exceeded, parameter-problem } accept
		icmpv6 type { echo-request, destination-unreachable, packet-too-big, time-exceeded, parameter-problem } accept
		icmpv6 type { nd-router-advert, nd-neighbor-solicit, nd-neighbor-advert, mld-listener-query } accept
		udp sport 67 udp dport 68 accept
		ip6 saddr fe80::/10 udp dport 546 accept
		iifname != @closed meta l4proto . th dport @management accept
	}
"""


@dataclass(frozen=True)
class Rules:
    """What the table opens. `closed_on` are the interfaces on which nothing of `management` answers."""

    portals: frozenset[Opening]
    management: frozenset[Opening]
    closed_on: frozenset[str]


def render(rules: Rules) -> str:
    """The whole table, replacing the present one."""
    own = {name: [one for one in rules.portals if _set_of(one) == name] for name in _SETS}
    return "".join(
        (
            f"table {FAMILY} {TABLE} {{}}\n{removal()}table {FAMILY} {TABLE} {{\n",
            _set("portals4", "ipv4_addr . inet_proto . inet_service", own["portals4"]),
            _set("portals6", "ipv6_addr . inet_proto . inet_service", own["portals6"]),
            _set("portals", "inet_proto . inet_service", own["portals"]),
            _set("management", "inet_proto . inet_service", rules.management),
            _elements("closed", "ifname", (f'"{name}"' for name in sorted(rules.closed_on))),
            _BODY,
            "}\n",
        )
    )


def removal() -> str:
    """The text that removes the table, if it exists."""
    return f"delete table {FAMILY} {TABLE}\n"


def portals_of(listing: Iterable[dict[str, Any]]) -> frozenset[Opening]:
    """The portals that a table lets in, from the objects that `nft -j list table` shows."""
    found = set()
    for entry in listing:
        known = entry.get("set", {})
        if known.get("name") in _SETS:
            for element in known.get("elem", ()):
                *address, transport, port = element["concat"]
                found.add(Opening(protocol=PortProtocol(transport), port=port, address=address[0] if address else None))
    return frozenset(found)


def _set_of(opening: Opening) -> str:
    if opening.address is None:
        return "portals"
    return "portals4" if isinstance(ip_address(opening.address), IPv4Address) else "portals6"


def _set(name: str, kind: str, items: Collection[Opening]) -> str:
    ordered = sorted(items, key=lambda one: one.order)
    return _elements(
        name, kind, (" . ".join(filter(None, (o.address, o.protocol.value, str(o.port)))) for o in ordered)
    )


def _elements(name: str, kind: str, items: Iterable[str]) -> str:
    held = ", ".join(items)
    line = f"\t\telements = {{ {held} }}\n" if held else ""
    return f"\tset {name} {{\n\t\ttype {kind}\n{line}\t}}\n"
