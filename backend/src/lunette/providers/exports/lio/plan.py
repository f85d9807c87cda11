"""What LIO offers on this machine."""

from lunette.domain.arrays import EngineCapability

PACKAGE = "linux-image-amd64"


def capability(reason: str | None = None) -> EngineCapability:
    """The engine's record; `reason` says why it is not available on this machine."""
    return EngineCapability(
        engine="lio", kind="export", available=reason is None, reason=reason, reservations=True,
        compare_and_write=True, protocols=("iscsi",) if reason is None else (),
        needs=("target_core_mod", "target_core_iblock", "iscsi_target_mod"),
    )  # fmt: skip
