"""RDMA devices as the kernel shows them, and where a portal over RDMA can listen.

The kernel's connection manager binds an address to the device that has a GID made of it, and refuses every other
(cma_acquire_dev_by_src_ip in drivers/infiniband/core/cma.c, Linux 6.12). The wildcard binds on every device, and on
those that come later.
"""

from collections.abc import Sequence
from ipaddress import ip_address

from lunette.domain.base import Model
from lunette.domain.mappings import Protocol

NO_DEVICE = (
    "this machine has no RDMA device: install an RDMA network card, or add a software one "
    "(rdma link add rxe0 type rxe netdev INTERFACE)"
)


class RdmaAddress(Model):
    """One entry of a device's GID table that is an IP address."""

    address: str
    gid_index: int
    gid: str
    kind: str
    """As the kernel says it: `RoCE v2` (over UDP, can be routed), `IB/RoCE v1` (one Ethernet segment only)."""
    interface: str | None


class RdmaDevice(Model):
    """One port of an RDMA device."""

    name: str
    port: int
    interface: str | None
    """The network interface it belongs to; None where the kernel names none, as InfiniBand without IPoIB."""
    link_layer: str
    """Ethernet or InfiniBand."""
    state: str
    """The port as the kernel says it, in small letters: down, init, armed, active, active_defer."""
    physical_state: str
    rate: str | None
    """As the kernel says it, such as `100 Gb/sec (4X EDR)`. Soft RoCE invents it."""
    mtu_bytes: int | None
    """Of the network interface. RoCE takes the largest of 256 to 4096 that fits with its headers: 4200 gives 4096."""
    firmware: str | None
    node_guid: str | None
    addresses: tuple[RdmaAddress, ...]
    lossless: tuple[int, ...] | None = None
    """Priorities (0 to 7, IEEE 802.1Qbb) whose traffic the interface pauses instead of losing it. None where the driver
    or the tool does not tell."""

    @property
    def hint(self) -> str | None:
        """What to look at for RoCE's sake; None where nothing is known."""
        if self.lossless is None:
            return None
        if not self.lossless:
            return (
                f"no priority of {self.interface} has flow control (PFC): where the network drops packets under load, "
                "RDMA slows down badly; switch it on for one priority, here and on the switch"
            )
        shown = ", ".join(map(str, self.lossless))
        return f"flow control (PFC) is on for priority {shown} of {self.interface}: the switch must have the same"

    @property
    def id(self) -> str:
        """As the `rdma` tool names it, with the port: `mlx5_0/1`."""
        return f"{self.name}/{self.port}"

    @property
    def reason(self) -> str | None:
        """Why nobody gets through it; None if nothing speaks against it."""
        where = f" of {self.interface}" if self.interface else ""
        if not self.state.startswith("active"):
            return f"its link is {self.state} ({self.physical_state}): check the cable and the switch port{where}"
        if not self.addresses:
            return f"no IP address leads to it: give one to {self.interface or 'its network interface'}"
        return None


def hindrance(address: str, devices: Sequence[RdmaDevice]) -> str | None:
    """Why nobody can listen over RDMA on this address; None if somebody can."""
    if not devices:
        return NO_DEVICE
    wanted = ip_address(address)
    carried = {ip_address(one.address): device for device in devices for one in device.addresses}
    if wanted.is_unspecified or wanted in carried:
        return None
    there = ", ".join(f"{one} ({device.id})" for one, device in carried.items())
    places = f"take one of {there}" if there else f"give it to {' or '.join(_interfaces(devices))}"
    return f"no RDMA device has the address {wanted}: {places}"


def _interfaces(devices: Sequence[RdmaDevice]) -> list[str]:
    return [f"{device.interface or 'the interface'} of {device.id}" for device in devices]


def bar(protocol: Protocol, address: str, devices: Sequence[RdmaDevice]) -> str | None:
    """Why a portal of this protocol cannot listen on this address; None if RDMA does not stand in its way."""
    return hindrance(address, devices) if protocol.is_rdma else None
