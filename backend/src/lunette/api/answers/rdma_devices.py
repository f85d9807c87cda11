"""RDMA devices, which portals for iSER and NVMe over RDMA need."""

from lunette.api.answers.base import Answer
from lunette.api.answers.seen import Observed
from lunette.domain.rdma import RdmaDevice as ObservedDevice


class RdmaAddress(Answer):
    """An IP address of an RDMA device, on which a portal over RDMA can listen."""

    address: str
    """IP address."""
    gid_index: int
    """Index of the address in the GID table of the device."""
    gid: str
    """GID that belongs to the address."""
    kind: str
    """RoCE version as the kernel reports it: `RoCE v2` (UDP, routable) or `IB/RoCE v1` (one Ethernet segment only)."""
    interface: str | None
    """Name of the network interface that has the address, or null if the kernel does not report one."""


class RdmaDevice(Answer):
    """One port of an RDMA device in the appliance."""

    id: str
    """Unique ID of the device port, as the `rdma` tool shows it, such as `mlx5_0/1`."""
    interface: str | None
    """Name of the network interface of the device port, or null if the kernel reports none."""
    link_layer: str
    """Link layer of the device port: `Ethernet` or `InfiniBand`."""
    state: str
    """Link state as the kernel reports it: `active`, `active_defer`, `armed`, `init` or `down`."""
    physical_state: str
    """Physical link state as the kernel reports it, such as `linkup`."""
    rate: str | None
    """Link rate as the kernel reports it, such as `100 Gb/sec (4X EDR)`, or null if unknown."""
    mtu_bytes: int | None
    """MTU of the network interface in bytes, or null if unknown. RoCE uses the largest of 256 to 4096 that fits."""
    firmware: str | None
    """Firmware version of the device, or null if the driver does not report one."""
    node_guid: str | None
    """Node GUID of the device, or null if the driver does not report one."""
    addresses: tuple[RdmaAddress, ...]
    """IP addresses of the device port, on which portals over RDMA can listen."""
    reason: str | None
    """Reason why hosts cannot connect through the device port, or null if none is known."""
    lossless: tuple[int, ...] | None
    """Priorities (0 to 7) with priority flow control (PFC), or null if the driver does not report them."""
    hint: str | None
    """Advice on the flow control settings for RoCE, or null if they are unknown."""
    age_s: float
    """Age of the observed state in seconds."""


def rdma_device_answer(device: ObservedDevice, seen: Observed) -> RdmaDevice:
    """The device port as last observed."""
    return RdmaDevice(
        id=device.id,
        interface=device.interface,
        link_layer=device.link_layer,
        state=device.state,
        physical_state=device.physical_state,
        rate=device.rate,
        mtu_bytes=device.mtu_bytes,
        firmware=device.firmware,
        node_guid=device.node_guid,
        reason=device.reason,
        age_s=seen.age_s,
        lossless=device.lossless,
        hint=device.hint,
        addresses=tuple(
            RdmaAddress(
                address=one.address, gid_index=one.gid_index, gid=one.gid, kind=one.kind, interface=one.interface
            )
            for one in device.addresses
        ),
    )
