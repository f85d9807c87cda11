"""RDMA devices from /sys/class/infiniband, and the listeners on them.

Only the `rdma` tool (iproute2) shows listeners: configfs continues to show a portal as served after the kernel lost its
listener with the device (isert_np_cma_handler and nvmet_rdma_device_removal, Linux 6.12, which do not create a new
one).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address

from lunette.domain.errors import LunetteError
from lunette.domain.exports import ExportPortal
from lunette.domain.rdma import NO_DEVICE, RdmaAddress, RdmaDevice, bar
from lunette.providers.reading import document, reader, rows
from lunette.system import modules
from lunette.system.system_port import System

DEVICES = "/sys/class/infiniband"
_ALIVE = ("LISTEN", "CONNECT")
Place = tuple[IPv4Address | IPv6Address, int]


def observe(system: System) -> tuple[RdmaDevice, ...]:
    """Every port of every present device. One that disappears meanwhile is omitted."""
    found = (
        _device(system, name, port)
        for name in sorted(system.listdir(DEVICES))
        for port in sorted(system.listdir(f"{DEVICES}/{name}/ports"), key=int)
    )
    return tuple(device for device in found if device.link_layer)


def with_flow_control(system: System) -> tuple[RdmaDevice, ...]:
    """The devices with their flow control, which costs a command for each interface."""
    return tuple(
        device.model_copy(update={"lossless": _lossless(system, device.interface)})
        if device.interface and device.link_layer == "Ethernet"
        else device
        for device in observe(system)
    )


def _lossless(system: System, interface: str) -> tuple[int, ...] | None:
    """Priorities with PFC; None if unknown: a driver without it, such as soft RoCE's, makes dcb exit with 1."""
    if system.find_tool("dcb") is None:
        return None
    try:
        return parse_pfc(system.run(["dcb", "-j", "pfc", "show", "dev", interface], ok=(0, 1)).stdout)
    except LunetteError:
        return None


@reader("dcb")
def parse_pfc(text: str) -> tuple[int, ...]:
    """The enabled priorities, from `dcb -j pfc show dev` (iproute2, dcb/dcb_pfc.c)."""
    found = document(text)
    states = found.get("prio_pfc") if isinstance(found, dict) else None
    if not isinstance(states, list) or not all(isinstance(one, bool) for one in states):
        raise ValueError("no list of priorities")
    return tuple(priority for priority, is_on in enumerate(states) if is_on)


def load(system: System, module: str) -> None:
    """Load a module that serves a protocol over RDMA, if there is a device for it.

    RDMA loads a dozen modules, which cost an emulated machine seconds of its boot.
    """
    if system.listdir(DEVICES):
        modules.load(system, module)


def lacking(system: System, module: str, package: str) -> str | None:
    """Why nothing can be served over RDMA with this module; None if it can."""
    if not system.listdir(DEVICES):
        return NO_DEVICE
    if not system.is_dir(f"/sys/module/{module}"):
        return f"the kernel module {module} is not loaded: boot a kernel that has it (Debian package {package})"
    return None


@dataclass(frozen=True)
class ListenStatus:
    """Portals over RDMA that cannot listen now, by ID with the reason, and those that should and do not.

    The kernel's remains of either are to be removed; a portal that is not barred is then opened again.
    """

    blocked: dict[str, str]
    not_listening: frozenset[str]

    @property
    def unavailable(self) -> frozenset[str]:
        """All portals without a listener."""
        return self.not_listening | self.blocked.keys()


def listen_status(system: System, portals: Iterable[ExportPortal], lacks: str | None) -> ListenStatus:
    """Checks the devices and listeners of these portals; nothing is read for portals without RDMA.

    `lacks` bars all of them: it says why their engine serves nothing over RDMA here.
    """
    over_rdma = [portal for portal in portals if portal.protocol.is_rdma]
    if not over_rdma:
        return ListenStatus({}, frozenset())
    devices, listened_on = observe(system), _listeners(system)
    reasons = {portal.portal_id: lacks or bar(portal.protocol, portal.address, devices) for portal in over_rdma}
    blocked = {id_: reason for id_, reason in reasons.items() if reason is not None}
    not_listening = frozenset(
        portal.portal_id
        for portal in over_rdma
        if portal.portal_id not in blocked and listened_on is not None and not _is_listened_on(portal, listened_on)
    )
    return ListenStatus(blocked, not_listening)


def _is_listened_on(portal: ExportPortal, listened_on: frozenset[Place]) -> bool:
    """The kernel itself extends a wildcard listener to every new device."""
    address = ip_address(portal.address)
    return address.is_unspecified or (address, portal.port) in listened_on


def _listeners(system: System) -> frozenset[Place] | None:
    """The kernel's listeners; None if unknown."""
    if system.find_tool("rdma") is None:
        return None
    try:
        return parse_listeners(system.run(["rdma", "-j", "resource", "show", "cm_id"]).stdout)
    except LunetteError:
        return None


@reader("rdma")
def parse_listeners(text: str) -> frozenset[Place]:
    """The addresses with listeners, from `rdma -j resource show cm_id`.

    An address with a connected host counts too: a host is never disconnected because its listener is not shown.
    """
    found = [one for one in rows(document(text or "[]")) if one.get("state") in _ALIVE and "src-addr" in one]
    places = (one["src-addr"].rpartition(":") for one in found)
    return frozenset((ip_address(address), int(port)) for address, _, port in places)


def parse_gid(gid: str) -> str | None:
    """The IP address that a GID is derived from; None for an empty entry, for the default one of every port, and for an
    invalid GID.
    """
    try:
        address = IPv6Address(gid)
    except ValueError:
        return None
    if address.is_unspecified or address.is_link_local:
        return None
    return str(address.ipv4_mapped or address)


def _device(system: System, name: str, port: str) -> RdmaDevice:
    device, at = f"{DEVICES}/{name}", f"{DEVICES}/{name}/ports/{port}"
    link_layer = _read(system, f"{at}/link_layer")
    addresses = tuple(_addresses(system, at)) if link_layer == "Ethernet" else ()
    interface = next((one.interface for one in addresses if one.interface), None) or _interface(system, device)
    mtu = _read(system, f"/sys/class/net/{interface}/mtu") if interface else ""
    return RdmaDevice(
        name=name,
        port=int(port),
        interface=interface,
        link_layer=link_layer,
        addresses=addresses,
        state=_word(_read(system, f"{at}/state")),
        physical_state=_word(_read(system, f"{at}/phys_state")),
        rate=_read(system, f"{at}/rate") or None,
        mtu_bytes=int(mtu) if mtu.isdigit() else None,
        firmware=_read(system, f"{device}/fw_ver") or None,
        node_guid=_read(system, f"{device}/node_guid") or None,
    )


def _addresses(system: System, port: str) -> Iterator[RdmaAddress]:
    """A GID that RoCE derived from an IP address. The table of a real adapter has hundreds of entries, most of them
    empty.
    """
    for index in sorted(system.listdir(f"{port}/gids"), key=int):
        gid = _read(system, f"{port}/gids/{index}")
        address = parse_gid(gid) if gid else None
        if address is not None:
            yield RdmaAddress(
                address=address,
                gid_index=int(index),
                gid=gid,
                kind=_read(system, f"{port}/gid_attrs/types/{index}"),
                interface=_read(system, f"{port}/gid_attrs/ndevs/{index}") or None,
            )


def _interface(system: System, device: str) -> str | None:
    """Soft RoCE names it in `parent`, a card in its PCI device's folder."""
    named = _read(system, f"{device}/parent")
    return named or next(iter(sorted(system.listdir(f"{device}/device/net"))), None)


def _word(text: str) -> str:
    """`4: ACTIVE` is active, `5: LinkUp` is linkup."""
    return text.rpartition(": ")[2].lower()


def _read(system: System, path: str) -> str:
    """An attribute without the newline; "" if the kernel refuses, as for an empty GID."""
    try:
        return system.read(path).strip()
    except OSError:
        return ""
