"""Blocks a path by a rule that rejects packets from one address of a host to one portal, and no others.

It is an element of a set with a timeout, so the kernel itself restores the path when the time is over (nft(8), "set
elements"): nothing that happens to the agent can block a host for longer. The table is not part of the firewall's. It
answers with a reset, so hosts notice immediately and retry. Resets from hosts pass: they end half-open connections.
"""

from ipaddress import ip_address

from lunette.domain.steps import HostLink
from lunette.providers.firewall.run import listed, load
from lunette.system.system_port import System

FAMILY, TABLE = "inet", "lunette_path"
FILE = "/run/lunette/path-away.nft"
_TABLE = """\
table inet lunette_path {{}}
delete table inet lunette_path
table inet lunette_path {{
	set away4 {{
		type ipv4_addr . ipv4_addr . inet_service
		flags timeout
{four}	}}
	set away6 {{
		type ipv6_addr . ipv6_addr . inet_service
		flags timeout
{six}	}}
	chain input {{
		type filter hook input priority filter - 10; policy accept;
		tcp flags rst accept
		ip saddr . ip daddr . tcp dport @away4 reject with tcp reset
		ip6 saddr . ip6 daddr . tcp dport @away6 reject with tcp reset
	}}
}}
"""
_REMOVAL = f"delete table {FAMILY} {TABLE}\n"


def render(link: HostLink, seconds: int) -> str:
    """The table that blocks this path for this many seconds."""
    peer, address = ip_address(link.peer), ip_address(link.address)
    line = f"\t\telements = {{ {peer} . {address} . {link.port} timeout {seconds}s }}\n"
    return _TABLE.format(four=line if peer.version == 4 else "", six=line if peer.version == 6 else "")


def put(system: System, link: HostLink, seconds: int) -> None:
    """Blocks the path from now on. Raises Unavailable if the kernel has no nftables, ToolFailed."""
    load(system, render(link, seconds), FILE)


def stands(system: System) -> bool:
    """True if the table exists, whether a path is still in it or not."""
    return listed(system, FAMILY, TABLE) is not None


def lift(system: System) -> bool:
    """Restores any blocked path immediately. False if there was none."""
    if system.find_tool("nft") is None or not stands(system):
        return False
    load(system, _REMOVAL, FILE)
    return True
