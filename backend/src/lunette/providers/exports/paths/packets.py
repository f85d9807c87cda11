"""Tests whether packets of full size reach a host: an unfragmented ping of the interface's MTU (ping(8))."""

from ipaddress import ip_address

from lunette.domain.errors import Conflict
from lunette.domain.steps import HostLink
from lunette.providers.network.observe import links
from lunette.system.system_port import System
from lunette.system.tools import missing_tool

SMALL = 56
_HEADERS = {4: 28, 6: 48}
"""Bytes of IP and ICMP in front of what a ping carries."""
_LARGEST = 65507
"""What ping(8) can carry."""


def full_size(system: System, link: HostLink) -> str:
    """The result in words. Raises Conflict if small packets return and full ones do not; a host that answers no ping is
    reported.
    """
    if system.find_tool("ping") is None:
        return f"full-size packets were not tested: {missing_tool('ping')}"
    mtu, interface = _mtu(system, link.address)
    if mtu is None:
        return f"full-size packets were not tested: no interface has the address {link.address}"
    if _answers(system, link, min(mtu - _HEADERS[ip_address(link.address).version], _LARGEST)):
        return f"packets of {mtu} bytes get through"
    if not _answers(system, link, SMALL):
        return f"packets of {mtu} bytes were not tested, because the host does not answer ping"
    raise Conflict(
        f"packets of {mtu} bytes, the MTU of {interface}, do not reach {link.peer}, but small ones do: set the same "
        "MTU on the host, the switches and the appliance. No path was blocked"
    )


def _mtu(system: System, address: str) -> tuple[int | None, str]:
    for one in links(system):
        for entry in one.get("addr_info", ()):
            if ip_address(entry.get("local", "::")) == ip_address(address):
                return int(one.get("mtu", 1500)), str(one["ifname"])
    return None, ""


def _answers(system: System, link: HostLink, size: int) -> bool:
    argv = ["ping", "-n", "-q", "-c", "2", "-W", "2", "-M", "do", "-s", str(size), "-I", link.address, link.peer]
    return system.run(argv, timeout_s=15.0, ok=(0, 1, 2)).returncode == 0
