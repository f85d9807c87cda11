"""What LIO offers on this machine."""

from lunette.domain.arrays import EngineAbility, EngineCapability, LackingAbility
from lunette.domain.mappings import Protocol

PACKAGE = "linux-image-amd64"
ISER_MODULE = "ib_isert"


def capability(
    reason: str | None = None, no_iser: str | None = None, without_fc: str | None = None
) -> EngineCapability:
    """The engine's record; `reason` says why it is missing, `no_iser` and `without_fc` why these are not available."""
    blocked = {EngineAbility.ISER: no_iser, EngineAbility.FC: without_fc}
    offered = (Protocol.ISCSI.value, *(one.value for one, why in blocked.items() if not why))
    return EngineCapability(
        engine="lio",
        kind="export",
        available=reason is None,
        reason=reason,
        reservations=True,
        compare_and_write=True,
        protocols=offered if reason is None else (),
        lacking=tuple(LackingAbility(ability=one, reason=why) for one, why in blocked.items() if why),
        needs=("target_core_mod", "target_core_iblock", "iscsi_target_mod", ISER_MODULE),
    )
