"""RDMA devices as reported by the kernel, and the addresses on which a portal over RDMA can listen.

The kernel's connection manager binds an address to the device with a GID of that address, and refuses every other
address (cma_acquire_dev_by_src_ip in drivers/infiniband/core/cma.c, Linux 6.12). The wildcard address binds on every
device, and on devices that are added later.
"""

from collections.abc import Sequence
from ipaddress import ip_address

from lunette.domain.base import Model
from lunette.domain.mappings import Protocol

NO_DEVICE = (
    "no RDMA device found: install an RDMA network card, or add a software device (rdma link add rxe0 type rxe netdev "
    "INTERFACE)"
)


class RdmaAddress(Model):
    """An IP address in the GID table of an RDMA device."""

    address: str
    """IP address."""
    gid_index: int
    """Index of the entry in the GID table."""
    gid: str
    """GID of the entry."""
    kind: str
    """Type of the GID as reported by the kernel: `RoCE v2` (over UDP, routable) or `IB/RoCE v1` (one Ethernet segment
    only)."""
    interface: str | None
    """Network interface of the address. None if the kernel names no interface."""


class RdmaDevice(Model):
    """One port of an RDMA device."""

    name: str
    port: int
    interface: str | None
    """Network interface of the port. None if the kernel names no interface, as for InfiniBand without IPoIB."""
    link_layer: str
    """Link layer of the port: Ethernet or InfiniBand."""
    state: str
    """State of the port as reported by the kernel, in lower case: down, init, armed, active, active_defer."""
    physical_state: str
    """Physical state of the port as reported by the kernel."""
    rate: str | None
    """Link speed as reported by the kernel, such as `100 Gb/sec (4X EDR)`. Soft RoCE reports an arbitrary value."""
    mtu_bytes: int | None
    """MTU of the network interface in bytes. RoCE uses the largest size from 256 to 4096 that fits with its headers: an
    MTU of 4200 allows 4096."""
    firmware: str | None
    """Firmware version of the device. None if not reported."""
    node_guid: str | None
    """Node GUID of the device. None if not reported."""
    addresses: tuple[RdmaAddress, ...]
    """IP addresses on which a portal over RDMA can listen."""
    lossless: tuple[int, ...] | None = None
    """Priorities (0 to 7, IEEE 802.1Qbb) whose traffic the interface pauses instead of dropping. None if the driver or
    the tool does not report the priorities."""

    @property
    def hint(self) -> str | None:
        """What to look at for RoCE's sake; None where nothing is known."""
        if self.lossless is None:
            return None
        if not self.lossless:
            return (
                f"flow control (PFC) is not enabled for any priority of {self.interface}: RDMA becomes very slow if "
                "the network drops packets under load; enable it for one priority, here and on the switch"
            )
        shown = ", ".join(map(str, self.lossless))
        return (
            f"flow control (PFC) is enabled for priority {shown} of {self.interface}: the switch must use the same "
            "priority"
        )

    @property
    def id(self) -> str:
        """As the `rdma` tool names it, with the port: `mlx5_0/1`."""
        return f"{self.name}/{self.port}"

    @property
    def reason(self) -> str | None:
        """Why no host can connect through it; None if nothing prevents it."""
        where = f" of {self.interface}" if self.interface else ""
        if not self.state.startswith("active"):
            return f"its link is {self.state} ({self.physical_state}): check the cable and the switch port{where}"
        if not self.addresses:
            return f"it has no IP address: assign one to {self.interface or 'its network interface'}"
        return None


def blocker(address: str, devices: Sequence[RdmaDevice]) -> str | None:
    """Why RDMA is not possible on this address; None if it is."""
    if not devices:
        return NO_DEVICE
    wanted = ip_address(address)
    carried = {ip_address(one.address): device for device in devices for one in device.addresses}
    if wanted.is_unspecified or wanted in carried:
        return None
    there = ", ".join(f"{one} ({device.id})" for one, device in carried.items())
    places = f"use one of {there}" if there else f"assign it to {' or '.join(_interfaces(devices))}"
    return f"no RDMA device has the address {wanted}: {places}"


def _interfaces(devices: Sequence[RdmaDevice]) -> list[str]:
    return [f"{device.interface or 'the interface'} of {device.id}" for device in devices]


def bar(protocol: Protocol, address: str, devices: Sequence[RdmaDevice]) -> str | None:
    """Why a portal of this protocol cannot listen on this address; None if RDMA does not prevent it."""
    return blocker(address, devices) if protocol.is_rdma else None
