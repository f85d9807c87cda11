"""RDMA devices: what iSER and NVMe/RDMA portals need."""

from lunette.api.answers.base import Answer
from lunette.api.answers.seen import Seen
from lunette.domain.rdma import RdmaDevice as ObservedDevice


class RdmaAddress(Answer):
    """An IP address that a portal over RDMA can have; `kind` is the RoCE version as the kernel says it."""

    address: str
    gid_index: int
    gid: str
    kind: str
    interface: str | None


class RdmaDevice(Answer):
    """One port of an RDMA device. `reason` tells why nobody gets through it; null if nothing speaks against it."""

    id: str
    """As the rdma tool names it: `mlx5_0/1`."""
    interface: str | None
    link_layer: str
    state: str
    """The link as the kernel says it: active, down, init, armed."""
    physical_state: str
    rate: str | None
    mtu_bytes: int | None
    """Of the network interface; RDMA messages carry the largest of 256 to 4096 bytes that fits with its headers."""
    firmware: str | None
    node_guid: str | None
    addresses: tuple[RdmaAddress, ...]
    reason: str | None
    lossless: tuple[int, ...] | None
    """Priorities with flow control (PFC), of which nothing is lost; null where the driver does not tell."""
    hint: str | None
    """What to look at for RoCE's sake; null where nothing is known."""
    age_s: float


def rdma_device_answer(device: ObservedDevice, seen: Seen) -> RdmaDevice:
    """What the last look at the machine showed."""
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
