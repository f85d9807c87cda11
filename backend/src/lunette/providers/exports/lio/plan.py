"""What LIO offers on this machine."""

from lunette.domain.arrays import EngineCapability
from lunette.domain.mappings import Protocol

PACKAGE = "linux-image-amd64"
ISER_MODULE = "ib_isert"


def capability(reason: str | None = None, no_iser: str | None = None) -> EngineCapability:
    """The engine's record; `reason` says why it is not available on this machine, `no_iser` why iSER is not."""
    offered = (Protocol.ISCSI.value, *(() if no_iser else (Protocol.ISER.value,)))
    return EngineCapability(
        engine="lio", kind="export", available=reason is None, reason=reason, reservations=True,
        compare_and_write=True, protocols=offered if reason is None else (),
        lacking=(f"{Protocol.ISER.value}: {no_iser}",) if no_iser else (),
        needs=("target_core_mod", "target_core_iblock", "iscsi_target_mod", ISER_MODULE),
    )  # fmt: skip
