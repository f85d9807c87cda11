"""The .network files of Lunette: settings as systemd-networkd reads them, and back (systemd.network(5), systemd 257).

networkd takes the first file by name that matches, whatever folder it is in: 05 comes before the installer's
10-lunette.network and the image's 50-dhcp.network. A kept file lies with the agent's state, which outlives the system;
what networkd reads lies in /run, so that after a power cut only what was kept is there.
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
    """The file that makes a VLAN or a bond."""
    return f"{PREFIX}{interface}{MADE}"


def interface_of(name: str) -> str | None:
    """The interface that a file of ours is for; None for a file of others."""
    return name[len(PREFIX) : -len(SUFFIX)] if name.startswith(PREFIX) and name.endswith(SUFFIX) else None


def parse(content: bytes) -> InterfaceSettings | None:
    """The settings that a file was made of; None if it does not tell."""
    first = content.decode(errors="replace").partition("\n")[0]
    try:
        return InterfaceSettings.model_validate_json(first.removeprefix(_HEADER))
    except ValidationError:
        return None


def render(interface: str, settings: InterfaceSettings) -> bytes:
    """The file for an interface.

    What came later stands in it only where it is used: the same settings stay the same bytes after an update, and the
    system before understands them.
    """
    later = {"ntp"} if not settings.ntp else None
    return "\n".join([_HEADER + settings.model_dump_json(exclude=later), *_lines(interface, settings), ""]).encode()


def device(interface: str, made: Made) -> bytes:
    """The file by which networkd makes a VLAN or a bond (systemd.netdev(5), systemd 257)."""
    lines = ["[NetDev]", f"Name={interface}", f"Kind={made.kind.value}", ""]
    if made.kind is InterfaceKind.VLAN:
        lines += ["[VLAN]", f"Id={made.vlan_id}"]
    else:
        lines += ["[Bond]", f"Mode={made.mode.value if made.mode else BondMode.ACTIVE_BACKUP.value}"]
        lines += [f"MIIMonitorSec={made.miimon_ms}ms"] if made.miimon_ms else []
        lines += [f"LACPTransmitRate={made.lacp_rate.value}"] if made.lacp_rate else []
    return "\n".join([_HEADER, *lines, ""]).encode()


def every(interface: str, settings: InterfaceSettings | None) -> dict[str, bytes | None]:
    """What each file of an interface is to hold, by its name; None for one that is not to be there."""
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
        yield "ConfigureWithoutCarrier=yes"  # a portal keeps its address while the cable is out
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
    """What comes from an address of this interface leaves through it, also where another is in the same network."""
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
