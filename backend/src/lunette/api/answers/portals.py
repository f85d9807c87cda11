"""Portals: addresses and ports on which the appliance serves a protocol."""

from datetime import datetime

from lunette.api.answers.base import Answer, Export, ExportState
from lunette.api.answers.seen import Observed
from lunette.domain.mappings import ExportEngine, Protocol
from lunette.store.resources import Portal as PortalRow


class FormerPlace(Answer):
    """An address and port that a portal has left and where it still listens."""

    address: str
    """IP address; for `nvme-fc`, WWNN and WWPN of an FC port."""
    port: int | None
    """Port number, or null over Fibre Channel."""


class Portal(Answer):
    """An address and port on which the appliance serves a protocol."""

    id: str
    """Unique ID of the portal."""
    name: str
    """Unique name of the portal."""
    protocol: Protocol
    """Protocol that the portal serves."""
    engine: ExportEngine
    """Export engine of the portal."""
    address: str
    """IP address on which the portal listens; `0.0.0.0` or `::` for all. For `nvme-fc`, WWNN and WWPN of an FC port."""
    port: int | None
    """Port number on which the portal listens, or null over Fibre Channel."""
    state: ExportState
    """Whether the portal listens now."""
    reason: str | None
    """Reason why the portal does not listen, or null if no reason is known."""
    former_places: tuple[FormerPlace, ...]
    """Places that the portal has left, where it continues to listen until it listens at its new one."""
    created_at: datetime
    """When the portal was created, in UTC."""
    updated_at: datetime
    """When the portal was last changed, in UTC."""


def portal_answer(row: PortalRow, seen: Observed) -> Portal:
    """A stored portal joined with its observed state. While it is being moved, what was seen open is its old place."""
    export = seen.portal_export(row.id)
    if row.formers and export.state is ExportState.OPEN:
        export = Export(state=ExportState.PENDING, reason="the agent has not applied it yet")
    return Portal(
        id=row.id,
        name=row.name,
        protocol=Protocol(row.protocol),
        engine=ExportEngine(row.engine),
        address=row.address,
        port=row.port or None,
        state=export.state,
        reason=export.reason,
        former_places=tuple(FormerPlace(address=one.address, port=one.port or None) for one in row.formers),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
