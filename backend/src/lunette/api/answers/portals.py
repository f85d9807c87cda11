"""Portals: where hosts knock."""

from datetime import datetime

from lunette.api.answers.base import Answer, ExportState
from lunette.api.answers.seen import Seen
from lunette.domain.mappings import ExportEngine, Protocol
from lunette.store.resources import Portal as PortalRow


class Portal(Answer):
    """A listening address. `state` tells whether it listens now, `reason` why not. Fibre Channel has no `port`."""

    id: str
    name: str
    protocol: Protocol
    engine: ExportEngine
    address: str
    port: int | None
    state: ExportState
    reason: str | None
    created_at: datetime
    updated_at: datetime


def portal_answer(row: PortalRow, seen: Seen) -> Portal:
    """A stored portal joined with what is seen of it."""
    export = seen.portal_export(row.id)
    return Portal(
        id=row.id,
        name=row.name,
        protocol=Protocol(row.protocol),
        engine=ExportEngine(row.engine),
        address=row.address,
        port=row.port or None,
        state=export.state,
        reason=export.reason,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
