"""The network interfaces of the machine: addresses from the kernel, and who configures them from systemd-networkd."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from lunette.domain.errors import LunetteError, Unavailable
from lunette.domain.interfaces import InterfaceTrial, ObservedAddress, ObservedInterface
from lunette.providers.network import files, trial
from lunette.providers.reading import ODD, document, reader, rows, text_of, why
from lunette.system.system_port import System

Link = dict[str, Any]
OWN_FILES = ("10-lunette.network", "50-dhcp.network")
"""Files of the installer and the image: they belong to Lunette, and are what an interface returns to."""
_UNCONFIGURED = ("unmanaged", "pending", "initialized")
NO_NETWORKD = "the network of this machine is not configured by systemd-networkd"


def links(system: System) -> list[Link]:
    """Output of `ip` for every interface and its addresses; none if it is not installed. Raises ToolFailed."""
    try:
        return parse_links(system.run(["ip", "-j", "-d", "address", "show"]).stdout)
    except Unavailable:
        return []


@reader("ip")
def parse_links(text: str) -> list[Link]:
    """The interfaces of `ip -j -d address show`, each with its name. It prints {} for what it omits."""
    found = [link for link in rows(document(text or "[]")) if link]
    for link in found:
        text_of(link["ifname"])
        if not all(isinstance(one["local"], str) for one in link_addresses(link)):
            raise TypeError("an address that is no text")
    return found


def link_addresses(link: Link) -> list[Link]:
    """The addresses of an interface that `ip` tells."""
    return [entry for entry in rows(link.get("addr_info") or []) if "local" in entry]


def observe(system: System, seen: Sequence[Link], unread: dict[str, str]) -> tuple[ObservedInterface, ...]:
    """Every interface except the loopback and the ends of a container's cable.

    One that cannot be read goes into `unread`, by name with the reason.
    """
    networkd = _networkd(system)
    waiting = trial.pending(system)
    left = InterfaceTrial(id=waiting.id, left_s=max(0.0, waiting.until - system.monotonic())) if waiting else None
    found = tuple(_interfaces(system, seen, networkd, (waiting.interface, left) if waiting else ("", None), unread))
    if waiting is None or any(one.name == waiting.interface for one in found):
        return found
    return (*found, _removed(waiting.interface, left))


def _interfaces(
    system: System,
    seen: Sequence[Link],
    networkd: dict[str, Link] | None,
    on_trial: tuple[str, InterfaceTrial | None],
    unread: dict[str, str],
) -> Iterator[ObservedInterface]:
    for link in seen:
        name = str(link["ifname"])
        try:
            if "LOOPBACK" not in (link.get("flags") or ()) and link.get("link_type") != "loopback":
                yield _interface(system, link, networkd, on_trial[1] if on_trial[0] == name else None)
        except ODD as error:
            unread[name] = f"ip or networkctl reports data about it that Lunette cannot read ({why(error)})"


def _removed(name: str, waiting: InterfaceTrial | None) -> ObservedInterface:
    """One whose removal is on trial: it can be confirmed by its name."""
    return ObservedInterface(
        name=name,
        mac=None,
        kind="removed",
        link=False,
        state="removed",
        speed_mbit_s=None,
        mtu_bytes=0,
        mtu_min_bytes=None,
        mtu_max_bytes=None,
        addresses=(),
        configured_by=None,
        settings=None,
        reason=None,
        trial=waiting,
    )


def _interface(
    system: System, link: Link, networkd: dict[str, Link] | None, waiting: InterfaceTrial | None
) -> ObservedInterface:
    name = str(link["ifname"])
    state = networkd.get(name, {}) if networkd is not None else {}
    path = state.get("NetworkFile")
    addresses = tuple(
        ObservedAddress(address=f"{entry['local']}/{entry['prefixlen']}", dynamic=bool(entry.get("dynamic")))
        for entry in link_addresses(link)
        if entry.get("scope") == "global"
    )
    own = system.read_file(f"{files.READ}/{files.file_name(name)}")
    info = link.get("linkinfo") or {}
    is_vlan = info.get("info_kind") == "vlan"
    return ObservedInterface(
        name=name,
        mac=link.get("address"),
        kind=info.get("info_kind") or "physical",
        link="LOWER_UP" in (link.get("flags") or ()),
        state=str(link.get("operstate", "UNKNOWN")).lower(),
        speed_mbit_s=_speed(system, name),
        mtu_bytes=link.get("mtu", 1500),
        mtu_min_bytes=link.get("min_mtu") or None,
        mtu_max_bytes=link.get("max_mtu") or None,
        addresses=addresses,
        configured_by=path,
        settings=files.parse(own) if own is not None else None,
        trial=waiting,
        reason=_reason(networkd, link, path, bool(addresses), state),
        master=link.get("master"),
        parent=link.get("link") if is_vlan else None,
        vlan_id=(info.get("info_data") or {}).get("id") if is_vlan else None,
    )


def _reason(
    networkd: dict[str, Link] | None, link: Link, path: str | None, has_addresses: bool, state: Link
) -> str | None:
    """Why Lunette does not manage an interface."""
    if networkd is None:
        return NO_NETWORKD
    if link.get("master"):
        return f"it belongs to {link['master']}"
    file = path.rpartition("/")[2] if path else None
    if file is not None and file not in OWN_FILES and files.interface_of(file) is None:
        return f"it is configured by {path}, which is not Lunette's"
    if file is None and has_addresses and state.get("AdministrativeState") in _UNCONFIGURED:
        return "its addresses were not configured by systemd-networkd"
    return None


def _networkd(system: System) -> dict[str, Link] | None:
    """The state of each interface in systemd-networkd, by name; None if it does not run."""
    if system.find_tool("networkctl") is None:
        return None
    try:
        return parse_networkd(system.run(["networkctl", "--json=short", "list"], timeout_s=10.0).stdout)
    except LunetteError:
        return None


@reader("networkctl")
def parse_networkd(text: str) -> dict[str, Link]:
    """What `networkctl --json=short list` tells of each interface, by name."""
    return {text_of(one["Name"]): one for one in rows(document(text).get("Interfaces") or [])}


def _speed(system: System, name: str) -> int | None:
    """Mbit/s; a driver without a speed, and an interface that is down, return an error or -1."""
    with contextlib.suppress(OSError, ValueError):
        speed = int(system.read(f"/sys/class/net/{name}/speed"))
        return speed if speed > 0 else None
    return None
