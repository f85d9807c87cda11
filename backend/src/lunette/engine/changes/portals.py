"""Opens and closes portals."""

from dataclasses import replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.exports import ReleaseKind
from lunette.domain.mappings import PortalCreate, Protocol
from lunette.engine.context import connected
from lunette.engine.context.desk import Desk
from lunette.engine.context.lookup import name_taken, need
from lunette.engine.context.outcome import Actor, Outcome
from lunette.engine.exports import exportset
from lunette.engine.records.recording import recorded
from lunette.planner.access import portals as planner
from lunette.planner.access.portals import KnownPortal
from lunette.store.resources import Portal, Target


def create(
    tx: Session, desk: Desk, actor: Actor, wish: PortalCreate, dry_run: bool, kept_id: str | None = None
) -> Outcome:
    present = [known(row) for row in tx.scalars(select(Portal).order_by(Portal.name))]
    adopted = tx.scalars(select(Target.nqn).where(Target.subsystem.is_not(None)).limit(1)).first()
    taken = name_taken(tx, Portal, wish.name)
    new = planner.plan_create(wish, desk.seen(), taken, present, desk.identities, adopted)
    new = replace(new, id=kept_id or new.id)
    if dry_run:
        return Outcome(plan=new.plan)
    with recorded(tx, actor, "portal.created", new.plan, [new.id]):
        tx.add(
            Portal(
                id=new.id,
                name=wish.name,
                protocol=wish.protocol.value,
                engine=new.engine.value,
                address=wish.address,
                port=wish.wanted_port,
            )
        )
        exportset.changed(tx, desk)
    return Outcome(plan=new.plan, ids=(new.id,))


def delete(tx: Session, desk: Desk, actor: Actor, portal_id: str, dry_run: bool) -> Outcome:
    """Stops listening; the plan says whose sessions end."""
    portal = need(tx, Portal, portal_id)
    family = Protocol(portal.protocol).family
    others = [p for p in tx.scalars(select(Portal)) if p.id != portal.id and Protocol(p.protocol).family is family]
    through = connected.through_portal(connected.sessions(desk) or (), portal)
    plan = planner.plan_delete(known(portal), len(others), connected.among(tx, desk, family, through))
    if dry_run:
        return Outcome(plan=plan)
    with recorded(tx, actor, "portal.deleted", plan, [portal.id]):
        tx.delete(portal)
        exportset.changed(tx, desk, [(ReleaseKind.PORTAL, portal.id)])
    return Outcome(plan=plan, ids=(portal.id,))


def known(row: Portal) -> KnownPortal:
    return KnownPortal(
        id=row.id, name=row.name, protocol=row.protocol, address=row.address, port=row.port, engine=row.engine
    )
