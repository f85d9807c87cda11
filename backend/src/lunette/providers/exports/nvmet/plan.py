"""What the kernel's NVMe target offers on this machine."""

from lunette.domain.arrays import EngineAbility, EngineCapability, LackingAbility
from lunette.domain.mappings import Protocol

PACKAGE = "linux-image-amd64"
TRANSPORTS = {Protocol.NVME_TCP: "nvmet_tcp", Protocol.NVME_RDMA: "nvmet_rdma", Protocol.NVME_FC: "nvmet_fc"}
"""The kernel module behind each protocol."""


def capability(reason: str | None = None, lacking: dict[Protocol, str] | None = None) -> EngineCapability:
    """The engine's record; `reason` says why it is missing, `lacking` why a protocol is.

    nvmet of Linux 6.12 has neither reservations nor fused compare-and-write.
    """
    without = lacking or {}
    return EngineCapability(
        engine="nvmet",
        kind="export",
        available=reason is None,
        reason=reason,
        protocols=tuple(p.value for p in TRANSPORTS if reason is None and p not in without),
        lacking=tuple(LackingAbility(ability=EngineAbility(one.value), reason=why) for one, why in without.items()),
        reservations=False,
        compare_and_write=False,
        needs=("nvmet", *TRANSPORTS.values()),
    )
