"""Portals that are moved: they listen at their new place before they stop listening at the old one.

The document has a listener for each place. The old one is released once the agent reports that the new one is open, so
a portal is never missing: if it cannot listen at its new place, it continues at the old one.
"""

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.exports import ConvergeReport, ReleaseKind, ServingState
from lunette.engine.exports import exportset
from lunette.planner.access.portals import shown
from lunette.store.events import SYSTEM, emit
from lunette.store.resources import FormerListener, Portal


def by_portal(tx: Session, report: ConvergeReport) -> ConvergeReport:
    """The report with the IDs of portals instead of those of their listeners; former listeners are omitted."""
    portals = {row.listener_id: row.id for row in tx.scalars(select(Portal).where(Portal.listener_id.is_not(None)))}
    formers = frozenset(tx.scalars(select(FormerListener.id)))
    if not portals and not formers:
        return report
    named = (
        one.model_copy(update={"portal_id": portals.get(one.portal_id, one.portal_id)})
        for one in report.portals
        if one.portal_id not in formers
    )
    return report.model_copy(update={"portals": tuple(named)})


def has_moved(tx: Session, report: ConvergeReport) -> bool:
    """Whether a portal listens at its new place and still at an old one. Takes the report as the agent gave it."""
    return bool(_moved(tx, report))


def close_former(tx: Session, report: ConvergeReport) -> None:
    """Releases the former listeners of portals that listen at their new place."""
    for portal in _moved(tx, report):
        exportset.released(tx, [(ReleaseKind.PORTAL, former.id) for former in portal.formers])
        left = ", ".join(sorted(shown(former.address, former.port) for former in portal.formers))
        emit(
            tx,
            "portal.moved",
            f"Portal {portal.name} listens at its new place and no longer on {left}",
            actor=SYSTEM,
            ref=portal.id,
        )
        portal.formers.clear()


def _moved(tx: Session, report: ConvergeReport) -> list[Portal]:
    open_ones = {one.portal_id for one in report.portals if one.state is ServingState.OPEN}
    rows = tx.scalars(select(Portal).where(Portal.formers.any()).order_by(Portal.name))
    return [row for row in rows if row.listeners[0].id in open_ones]
