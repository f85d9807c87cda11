"""Creates, changes and deletes portals."""

from dataclasses import replace

from sqlalchemy import select

from lunette.domain.exports import ReleaseKind
from lunette.domain.mappings import PortalCreate, PortalPatch, Protocol
from lunette.engine.context import connected
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.lookup import name_taken, need
from lunette.engine.context.outcome import Outcome
from lunette.engine.exports import exportset
from lunette.engine.records.recording import recorded
from lunette.planner.access import portals as planner
from lunette.planner.access.portals import ChangedPortal, KnownPortal
from lunette.store.resources import FormerListener, Portal, Target


def create(context: ChangeContext, spec: PortalCreate, kept_id: str | None = None) -> Outcome:
    tx, services = context.tx, context.services
    present = [one for row in tx.scalars(select(Portal).order_by(Portal.name)) for one in listeners(row)]
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


def patch(context: ChangeContext, portal_id: str, spec: PortalPatch) -> Outcome:
    """Renames or moves a portal; the plan lists the hosts that are logged in where it closes."""
    tx, services = context.tx, context.services
    row = need(tx, Portal, portal_id)
    through = connected.through_portal(connected.sessions(services) or (), row)
    changed = planner.plan_patch(
        listeners(row),
        spec,
        services.seen(),
        name_taken(tx, Portal, spec.name or row.name),
        [one for other in tx.scalars(select(Portal)) if other.id != row.id for one in listeners(other)],
        connected.among(tx, services, Protocol(row.protocol).family, through),
    )
    if context.dry_run or not changed.plan.changes:
        return Outcome(plan=changed.plan, ids=() if context.dry_run else (row.id,))
    with recorded(context, "portal.changed", changed.plan, [row.id]):
        row.name = changed.portal.name
        if changed.is_moved:
            exportset.changed(tx, services, _move(context, row, changed))
    return Outcome(plan=changed.plan, ids=(row.id,))


def _move(context: ChangeContext, row: Portal, changed: ChangedPortal) -> list[tuple[ReleaseKind, str]]:
    """Gives the portal a listener at its new place: the one it had there before if that still stands. Returns the
    listeners that close before it opens.
    """
    left = FormerListener(**row.listeners[0]._asdict())
    place = (changed.portal.address, changed.portal.port)
    back = next((one for one in row.formers if (one.address, one.port) == place), None)
    row.formers = [one for one in (*row.formers, left) if one is not back and one.id not in changed.overlaps]
    row.address, row.port = place
    row.listener_id = back.id if back else context.services.identities.id()
    row.adopted = back.adopted if back else None
    return [(ReleaseKind.PORTAL, listener_id) for listener_id in sorted(changed.overlaps)]


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
    leaving = [(ReleaseKind.PORTAL, one.id) for one in listeners(portal)]
    with recorded(context, "portal.deleted", plan, [portal.id]):
        tx.delete(portal)
        exportset.changed(tx, services, leaving)
    return Outcome(plan=plan, ids=(portal.id,))


def known(row: Portal) -> KnownPortal:
    return KnownPortal(
        id=row.id, name=row.name, protocol=row.protocol, address=row.address, port=row.port, engine=row.engine
    )


def listeners(row: Portal) -> list[KnownPortal]:
    """Where a portal listens, with the IDs of its listeners: its place, then those that it has left and not closed."""
    own, *formers = (replace(known(row), id=one.id, address=one.address, port=one.port) for one in row.listeners)
    return [own, *(replace(former, is_former=True) for former in formers)]
