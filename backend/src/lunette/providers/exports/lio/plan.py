"""What LIO offers on this machine."""

from lunette.domain.arrays import EngineCapability

PACKAGE = "linux-image-amd64"


def capability(reason: str | None = None, without_fc: str | None = None) -> EngineCapability:
    """The engine's record; `reason` says why it is not there, `without_fc` why not over Fibre Channel."""
    protocols = ("iscsi",) if without_fc else ("iscsi", "fc")
    return EngineCapability(
        engine="lio", kind="export", available=reason is None, reason=reason, reservations=True,
        compare_and_write=True, protocols=protocols if reason is None else (),
        lacking=(f"fc: {without_fc}",) if without_fc else (),
        needs=("target_core_mod", "target_core_iblock", "iscsi_target_mod"),
    )  # fmt: skip
