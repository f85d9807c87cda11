"""Unlocks encrypted arrays and changes their keys: immediately and not as a job, because no key is ever written down.

The agent is called before the transaction that records it: stretching a passphrase takes seconds, during which no other
writer may wait for the database. If the agent's reply was lost, the repeated call finds the work done.
"""

from dataclasses import dataclass

from sqlalchemy.orm import Session

from lunette.domain.encryption import ArrayKeyChange, ArrayUnlock, KeyChange, KeyUnlock
from lunette.domain.errors import Conflict
from lunette.domain.jobs import ResourceState
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.lookup import need
from lunette.engine.context.outcome import Outcome
from lunette.store.resources import Array


@dataclass(frozen=True)
class KeyAct:
    """The order for the agent, and its plan."""

    plan: Plan
    order: KeyUnlock | KeyChange


def unlocking(tx: Session, reference: str, spec: ArrayUnlock) -> KeyAct:
    """Raises NotFound, or Conflict for an array that is not encrypted or is not running."""
    row = _standing(tx, reference)
    detail = "it is unlocked until it stops, and its volumes are exported again"
    order = KeyUnlock(array_id=row.id, uuid=row.uuid, name=row.name, passphrase=spec.passphrase)
    return KeyAct(_plan(f"Unlock array {row.name}", row, [detail]), order)


def changing_key(tx: Session, reference: str, spec: ArrayKeyChange) -> KeyAct:
    """Raises as `unlocking`."""
    row = _standing(tx, reference)
    details = []
    if spec.new_passphrase is not None:
        details.append(
            "a second passphrase unlocks it too" if spec.keep_old else "a new passphrase replaces the old one"
        )
    if spec.keep_key is not None:
        details.append(
            "the appliance stores a key and unlocks it at every start"
            if spec.keep_key
            else "the appliance stores no key: each start requires the passphrase"
        )
    order = KeyChange(
        array_id=row.id,
        uuid=row.uuid,
        name=row.name,
        passphrase=spec.passphrase,
        new_passphrase=spec.new_passphrase,
        keep_old=spec.keep_old,
        keep_key=spec.keep_key,
    )
    return KeyAct(_plan(f"Change the keys of array {row.name}", row, details), order)


def record(context: ChangeContext, act: KeyAct) -> Outcome:
    """Records what the agent did, as an event."""
    order = act.order
    row = need(context.tx, Array, order.array_id)
    if isinstance(order, KeyChange) and order.keep_key is not None:
        row.keep_key = order.keep_key
    kind = "array.unlocked" if isinstance(order, KeyUnlock) else "array.key_changed"
    context.emit(kind, act.plan.title, ref=row.id)
    return Outcome(plan=act.plan, ids=(row.id,))


def _standing(tx: Session, reference: str) -> Array:
    row = need(tx, Array, reference)
    if row.encryption is None:
        words = "Encryption can be enabled only when an array is created."
        raise Conflict(f"Array {row.name} is not encrypted and has no keys. {words}")
    if row.state in (ResourceState.CREATING, ResourceState.DELETING):
        raise Conflict(f"Array {row.name} is {row.state} now; wait for its job to end, then repeat.")
    return row


def _plan(title: str, row: Array, details: list[str]) -> Plan:
    changes = tuple(
        PlannedChange(action=Action.CHANGE, noun="array", name=row.name, detail=detail) for detail in details
    )
    return Plan(title=title, changes=changes, steps=())
