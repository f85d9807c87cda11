"""Creates and deletes portals."""

from dataclasses import replace

from sqlalchemy import select

from lunette.domain.exports import ReleaseKind
from lunette.domain.mappings import PortalCreate, Protocol
from lunette.engine.context import connected
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.lookup import name_taken, need
from lunette.engine.context.outcome import Outcome
from lunette.engine.exports import exportset
from lunette.engine.records.recording import recorded
from lunette.planner.access import portals as planner
from lunette.planner.access.portals import KnownPortal
from lunette.store.resources import Portal, Target


def create(context: ChangeContext, spec: PortalCreate, kept_id: str | None = None) -> Outcome:
    tx, services = context.tx, context.services
    present = [known(row) for row in tx.scalars(select(Portal).order_by(Portal.name))]
    adopted = tx.scalars(select(Target.nqn).where(Target.subsystem.is_not(None)).limit(1)).first()
    taken = name_taken(tx, Portal, spec.name)
    new = planner.plan_create(spec, services.seen(), taken, present, services.identities, adopted)
    new = replace(new, id=kept_id or new.id)
    if context.dry_run:
        return Outcome(plan=new.plan)
    with recorded(context, "portal.created", new.plan, [new.id]):
        tx.add(
            Portal(
                id=new.id,
                name=spec.name,
                protocol=spec.protocol.value,
                engine=new.engine.value,
                address=spec.address,
                port=spec.wanted_port,
            )
        )
        exportset.changed(tx, services)
    return Outcome(plan=new.plan, ids=(new.id,))


def delete(context: ChangeContext, portal_id: str) -> Outcome:
    """Deletes a portal; the plan lists the sessions that end."""
    tx, services = context.tx, context.services
    portal = need(tx, Portal, portal_id)
    family = Protocol(portal.protocol).family
    others = [p for p in tx.scalars(select(Portal)) if p.id != portal.id and Protocol(p.protocol).family is family]
    through = connected.through_portal(connected.sessions(services) or (), portal)
    plan = planner.plan_delete(known(portal), len(others), connected.among(tx, services, family, through))
    if context.dry_run:
        return Outcome(plan=plan)
    with recorded(context, "portal.deleted", plan, [portal.id]):
        tx.delete(portal)
        exportset.changed(tx, services, [(ReleaseKind.PORTAL, portal.id)])
    return Outcome(plan=plan, ids=(portal.id,))


def known(row: Portal) -> KnownPortal:
    return KnownPortal(
        id=row.id, name=row.name, protocol=row.protocol, address=row.address, port=row.port, engine=row.engine
    )
