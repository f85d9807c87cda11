"""Lunette's .network files: settings as systemd-networkd reads them, and back (systemd.network(5), systemd 257).

networkd uses the first matching file by name, in any directory: 05 comes before the installer's 10-lunette.network and
the image's 50-dhcp.network. A stored file is with the agent's state, which survives updates of the system; the files
that networkd reads are in /run, so that after a power failure only stored ones are there.
"""

from collections.abc import Iterator
from ipaddress import IPv4Address

from pydantic import ValidationError

from lunette.domain.interfaces import BondMode, InterfaceKind, InterfaceRole, InterfaceSettings, Made

KEPT = "/var/lib/lunette/agent/network"
READ = "/run/systemd/network"
PREFIX, SUFFIX, MADE = "05-lunette-", ".network", ".netdev"
_HEADER = "# Written by Lunette, do not edit: `lunette interface change` does. "


def file_name(interface: str) -> str:
    return f"{PREFIX}{interface}{SUFFIX}"


def device_name(interface: str) -> str:
    """The file that creates a VLAN or a bond."""
    return f"{PREFIX}{interface}{MADE}"


def interface_of(name: str) -> str | None:
    """The interface of one of Lunette's files; None for other files."""
    return name[len(PREFIX) : -len(SUFFIX)] if name.startswith(PREFIX) and name.endswith(SUFFIX) else None


def parse(content: bytes) -> InterfaceSettings | None:
    """The settings from which a file was written; None if it does not contain them."""
    first = content.decode(errors="replace").partition("\n")[0]
    try:
        return InterfaceSettings.model_validate_json(first.removeprefix(_HEADER))
    except ValidationError:
        return None


def render(interface: str, settings: InterfaceSettings) -> bytes:
    """The file for an interface.

    Newer settings appear in it only if they are used: the same settings stay the same bytes after an update, and the
    previous system understands them.
    """
    later = {"ntp"} if not settings.ntp else None
    return "\n".join([_HEADER + settings.model_dump_json(exclude=later), *_lines(interface, settings), ""]).encode()


def device(interface: str, made: Made) -> bytes:
    """The file with which networkd creates a VLAN or a bond (systemd.netdev(5), systemd 257)."""
    lines = ["[NetDev]", f"Name={interface}", f"Kind={made.kind.value}", ""]
    if made.kind is InterfaceKind.VLAN:
        lines += ["[VLAN]", f"Id={made.vlan_id}"]
    else:
        lines += ["[Bond]", f"Mode={made.mode.value if made.mode else BondMode.ACTIVE_BACKUP.value}"]
        lines += [f"MIIMonitorSec={made.miimon_ms}ms"] if made.miimon_ms else []
        lines += [f"LACPTransmitRate={made.lacp_rate.value}"] if made.lacp_rate else []
    return "\n".join([_HEADER, *lines, ""]).encode()


def every(interface: str, settings: InterfaceSettings | None) -> dict[str, bytes | None]:
    """The desired content of each file of an interface, by its name; None for one that must not exist."""
    made = settings.made if settings else None
    return {
        device_name(interface): device(interface, made) if made else None,
        file_name(interface): render(interface, settings) if settings else None,
    }


def _lines(interface: str, settings: InterfaceSettings) -> Iterator[str]:
    yield from ("[Match]", f"Name={interface}")
    if settings.mtu_bytes is not None:
        yield from ("", "[Link]", f"MTUBytes={settings.mtu_bytes}")
    if settings.bond is not None:
        yield from ("", "[Network]", f"Bond={settings.bond}", "LinkLocalAddressing=no", "IPv6AcceptRA=no")
        return
    has_own = settings.dhcp or bool(settings.addresses)
    yield from ("", "[Network]", f"LinkLocalAddressing={'ipv6' if has_own else 'no'}")
    yield from (f"VLAN={one}" for one in settings.vlans)
    yield from (f"DHCP={_yes(settings.dhcp)}", f"IPv6AcceptRA={_yes(settings.dhcp)}")
    if not settings.dhcp:
        yield "ConfigureWithoutCarrier=yes"  # a portal keeps its address while the cable is unplugged
    yield from (f"Address={one}" for one in settings.addresses)
    yield from (f"DNS={one}" for one in settings.dns)
    yield from (f"NTP={one}" for one in settings.ntp)
    if settings.gateway is not None and settings.role is not InterfaceRole.STORAGE:
        yield f"Gateway={settings.gateway}"
    if settings.dhcp:
        yield from ("", "[DHCPv4]", "ClientIdentifier=mac", "UseDomains=yes")
        if settings.role is InterfaceRole.STORAGE:
            yield from ("UseGateway=no", "UseDNS=no", "", "[IPv6AcceptRA]", "UseGateway=no", "UseDNS=no")
    if settings.table is not None:
        yield from _answers(settings, settings.table)


def _answers(settings: InterfaceSettings, table: int) -> Iterator[str]:
    """Packets from an address of this interface leave through it, even if another interface is in the same network."""
    for address in settings.addresses:
        yield from ("", "[RoutingPolicyRule]", f"From={address.ip}", f"Table={table}", f"Priority={table}")
    for network in dict.fromkeys(address.network for address in settings.addresses):
        yield from ("", "[Route]", f"Destination={network}", f"Table={table}")
        if isinstance(network.network_address, IPv4Address):
            yield "Scope=link"
    if settings.gateway is not None:
        yield from ("", "[Route]", f"Gateway={settings.gateway}", f"Table={table}")


def _yes(value: bool) -> str:
    return "yes" if value else "no"
