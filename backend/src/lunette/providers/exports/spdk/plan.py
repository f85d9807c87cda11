"""What SPDK's NVMe target offers on this machine."""

from lunette.domain.arrays import EngineCapability
from lunette.domain.mappings import Protocol

TOOL = "nvmf_tgt"
MISSING = (
    f"{TOOL} is not installed: Debian has no package of SPDK, so build SPDK 26.09 and put {TOOL} into /usr/local/bin "
    "(docs/howto/serve-over-spdk.md)"
)


def capability(reason: str | None = None) -> EngineCapability:
    """The engine's record; `reason` says why it is missing.

    SPDK could support reservations and compare-and-write; they would not survive a restart of the process, so it is
    configured to offer neither.
    """
    return EngineCapability(
        engine="spdk",
        kind="export",
        available=reason is None,
        reason=reason,
        protocols=(Protocol.NVME_TCP.value,) if reason is None else (),
        reservations=False,
        compare_and_write=False,
        needs=(TOOL,),
    )
