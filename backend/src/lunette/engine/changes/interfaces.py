"""Changes network interfaces: as a job that puts a change on trial, and what ends the trial.

Nothing of it is in the database: what the way to the database hangs on cannot be asked of it (docs/decisions/0031).
"""

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.errors import NotFound
from lunette.domain.interfaces import InterfaceChange, InterfaceCreate, ObservedInterface
from lunette.domain.jobs import JobKind
from lunette.domain.mappings import Protocol
from lunette.domain.plans import Plan
from lunette.domain.steps import InterfaceKeep, InterfaceRevert
from lunette.engine.changes.portals import known
from lunette.engine.context import connected
from lunette.engine.context.desk import Desk
from lunette.engine.context.outcome import Actor, Outcome
from lunette.engine.journal.filing import file_job
from lunette.planner.access.connected import Connected
from lunette.planner.network import interfaces as planner
from lunette.planner.network import made_interfaces
from lunette.planner.network.interface_rules import Paths
from lunette.store.events import emit
from lunette.store.resources import Portal


def need_interface(desk: Desk, name: str) -> ObservedInterface:
    """The interface of this name. Raises NotFound, or Unavailable if the agent is away."""
    found = next((one for one in desk.seen().interfaces if one.name == name), None)
    if found is None:
        raise NotFound(f"This appliance has no network interface {name!r}; see the list of interfaces.")
    return found


class Interfaces:
    """What can be asked of interfaces."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def change(self, tx: Session, actor: Actor, name: str, wish: InterfaceChange, dry_run: bool = False) -> Outcome:
        """Puts a change on trial, as a job; without one if nothing would change."""
        interface = need_interface(self._desk, name)
        plan = planner.plan_change(
            interface, wish, self._desk.seen(), _paths(tx, self._desk, actor), self._desk.identities.id()
        )
        return _filed(tx, self._desk, actor, name, plan, dry_run)

    def create(self, tx: Session, actor: Actor, wish: InterfaceCreate, dry_run: bool = False) -> Outcome:
        """Makes a VLAN or a bond, on trial, as a job."""
        plan = made_interfaces.plan_create(
            wish, self._desk.seen(), _paths(tx, self._desk, actor), self._desk.identities.id()
        )
        return _filed(tx, self._desk, actor, wish.name, plan, dry_run)

    def remove(self, tx: Session, actor: Actor, name: str, dry_run: bool = False) -> Outcome:
        """Removes a VLAN or bond that Lunette made, on trial, as a job."""
        interface = need_interface(self._desk, name)
        plan = made_interfaces.plan_remove(
            interface, self._desk.seen(), _paths(tx, self._desk, actor), self._desk.identities.id()
        )
        return _filed(tx, self._desk, actor, name, plan, dry_run)

    def end(self, tx: Session, actor: Actor, name: str, *, keep: bool, dry_run: bool = False) -> Outcome:
        """Confirms what is on trial, or takes it back: at once and not as a job, for the time runs."""
        interface = need_interface(self._desk, name)
        plan = planner.plan_end(interface, keep=keep)
        if dry_run or interface.trial is None:
            return Outcome(plan=plan)
        step = InterfaceKeep if keep else InterfaceRevert
        self._desk.do_now(step(trial_id=interface.trial.id, interface=name))
        emit(tx, f"interface.{'confirmed' if keep else 'reverted'}", plan.title, actor=actor.name, ref=name)
        return Outcome(plan=plan, ids=(name,))


def _filed(tx: Session, desk: Desk, actor: Actor, name: str, plan: Plan, dry_run: bool) -> Outcome:
    if dry_run or not plan.steps:
        return Outcome(plan=plan, ids=(name,))
    return file_job(tx, desk, actor, JobKind.INTERFACE_CHANGE, Outcome(plan=plan, ids=(name,)))


def _paths(tx: Session, desk: Desk, actor: Actor) -> Paths:
    rows = tx.scalars(select(Portal).order_by(Portal.name)).all()
    losing = {row.name: _through(tx, desk, row) for row in rows}
    return Paths([known(row) for row in rows], losing, actor.came_to)


def _through(tx: Session, desk: Desk, portal: Portal) -> Connected:
    through = connected.through_portal(connected.sessions(desk) or (), portal)
    return connected.among(tx, desk, Protocol(portal.protocol).family, through)
