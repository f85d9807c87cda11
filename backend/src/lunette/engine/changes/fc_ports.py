"""Manages Fibre Channel ports: starts managing them, changes their mode, and releases them."""

from dataclasses import replace

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from lunette.domain.errors import NotFound
from lunette.domain.exports import ReleaseKind
from lunette.domain.fc import FcMode, FcPortCreate, FcPortPatch
from lunette.domain.mappings import Family
from lunette.engine.context import connected
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.engine.context.services import Services
from lunette.engine.exports import exportset
from lunette.engine.records.recording import recorded
from lunette.planner.access import fc_ports as planner
from lunette.planner.access.connected import Connected
from lunette.store.resources import FcPort


def need_port(tx: Session, reference: str) -> FcPort:
    """The managed port with this id or WWPN. Raises NotFound."""
    found = tx.scalars(select(FcPort).where(or_(FcPort.id == reference, FcPort.wwpn == reference.lower()))).first()
    if found is None:
        raise NotFound(f"Fibre Channel port {reference} is not managed; create it with the required mode.")
    return found


def create(context: ChangeContext, spec: FcPortCreate, kept_id: str | None = None) -> Outcome:
    tx, services = context.tx, context.services
    managed = tx.scalars(select(FcPort.wwpn)).all()
    new = planner.plan_create(spec, services.seen(), managed, services.identities)
    new = replace(new, id=kept_id or new.id)
    if context.dry_run:
        return Outcome(plan=new.plan)
    with recorded(context, "fc_port.created", new.plan, [new.id]):
        tx.add(FcPort(id=new.id, wwpn=spec.wwpn, mode=spec.mode.value))
        exportset.changed(tx, services)
    return Outcome(plan=new.plan, ids=(new.id,))


def patch(context: ChangeContext, reference: str, spec: FcPortPatch) -> Outcome:
    """Changes the mode; the plan lists the hosts that lose paths."""
    tx, services = context.tx, context.services
    port = need_port(tx, reference)
    before = FcMode(port.mode)
    mode = spec.mode or before
    plan = planner.plan_mode(port.wwpn, before, mode, services.seen(), _connected(tx, services, port))
    if context.dry_run or mode is before:
        return Outcome(plan=plan, ids=(port.id,))
    with recorded(context, "fc_port.changed", plan, [port.id]):
        port.mode = mode.value
        exportset.changed(tx, services)
    return Outcome(plan=plan, ids=(port.id,))


def delete(context: ChangeContext, reference: str) -> Outcome:
    """Stops managing a port; the plan lists the hosts that lose paths."""
    tx = context.tx
    port = need_port(tx, reference)
    plan = planner.plan_delete(port.wwpn, FcMode(port.mode), _connected(tx, context.services, port))
    if context.dry_run:
        return Outcome(plan=plan)
    with recorded(context, "fc_port.deleted", plan, [port.id]):
        tx.delete(port)
        exportset.changed(tx, context.services, [(ReleaseKind.FC_PORT, port.id)])
    return Outcome(plan=plan, ids=(port.id,))


def _connected(tx: Session, services: Services, port: FcPort) -> Connected:
    through = [one for one in connected.sessions(services) or () if one.target == port.wwpn]
    return connected.among(tx, services, Family.SCSI, through)
