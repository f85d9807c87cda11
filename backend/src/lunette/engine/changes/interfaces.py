"""Changes network interfaces: a job starts the trial of a change, and a request ends it.

Nothing of it is in the database, because access to the database may depend on it (docs/decisions/0031).
"""

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.errors import NotFound
from lunette.domain.interfaces import InterfaceChange, InterfaceCreate, ObservedInterface
from lunette.domain.jobs import JobKind
from lunette.domain.mappings import Protocol
from lunette.domain.plans import Plan
from lunette.domain.steps import InterfaceKeep, InterfaceRevert
from lunette.engine.changes.portals import listeners
from lunette.engine.context import connected
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.engine.context.services import Services
from lunette.engine.journal.filing import file_job
from lunette.planner.access.connected import Connected
from lunette.planner.network import interfaces as planner
from lunette.planner.network import made_interfaces
from lunette.planner.network.interface_rules import Paths
from lunette.store.resources import Portal


def need_interface(services: Services, name: str) -> ObservedInterface:
    """The interface of this name. Raises NotFound, or Unavailable if the agent is away."""
    found = next((one for one in services.seen().interfaces if one.name == name), None)
    if found is None:
        raise NotFound(f"This appliance has no network interface {name!r}; see the list of interfaces.")
    return found


def change(context: ChangeContext, name: str, spec: InterfaceChange) -> Outcome:
    """Starts the trial of a change, as a job; no job if nothing would change."""
    services = context.services
    interface = need_interface(services, name)
    plan = planner.plan_change(interface, spec, services.seen(), _paths(context), services.identities.id())
    return _filed(context, name, plan)


def create(context: ChangeContext, spec: InterfaceCreate) -> Outcome:
    """Creates a VLAN or a bond, on trial, as a job."""
    services = context.services
    plan = made_interfaces.plan_create(spec, services.seen(), _paths(context), services.identities.id())
    return _filed(context, spec.name, plan)


def remove(context: ChangeContext, name: str) -> Outcome:
    """Removes a VLAN or bond that Lunette created, on trial, as a job."""
    services = context.services
    interface = need_interface(services, name)
    plan = made_interfaces.plan_remove(interface, services.seen(), _paths(context), services.identities.id())
    return _filed(context, name, plan)


def end(context: ChangeContext, name: str, *, keep: bool) -> Outcome:
    """Confirms or reverts the change on trial: immediately and not as a job, because the trial has a time limit."""
    interface = need_interface(context.services, name)
    plan = planner.plan_end(interface, keep=keep)
    if context.dry_run or interface.trial is None:
        return Outcome(plan=plan)
    step = InterfaceKeep if keep else InterfaceRevert
    context.services.do_now(step(trial_id=interface.trial.id, interface=name))
    context.emit(f"interface.{'confirmed' if keep else 'reverted'}", plan.title, ref=name)
    return Outcome(plan=plan, ids=(name,))


def _filed(context: ChangeContext, name: str, plan: Plan) -> Outcome:
    if context.dry_run or not plan.steps:
        return Outcome(plan=plan, ids=(name,))
    return file_job(context, JobKind.INTERFACE_CHANGE, Outcome(plan=plan, ids=(name,)))


def _paths(context: ChangeContext) -> Paths:
    rows = context.tx.scalars(select(Portal).order_by(Portal.name)).all()
    losing = {row.name: _through(context.tx, context.services, row) for row in rows}
    return Paths([one for row in rows for one in listeners(row)], losing, context.actor.came_to)


def _through(tx: Session, services: Services, portal: Portal) -> Connected:
    through = connected.through_portal(connected.sessions(services) or (), portal)
    return connected.among(tx, services, Protocol(portal.protocol).family, through)
