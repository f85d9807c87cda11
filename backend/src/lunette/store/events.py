"""Writes events in the transaction of the change they tell of."""

from sqlalchemy.orm import Session

from lunette.store.database import after_commit, store_of
from lunette.store.journal import Event
from lunette.store.schema import Json

SYSTEM = "system"
"""The actor of spontaneous events: a failed disk, an expired session."""


def emit(
    tx: Session, kind: str, message: str, *, actor: str = SYSTEM, ref: str | None = None, data: Json | None = None
) -> Event:
    """Adds one event (`kind` is noun.verb) and wakes the event stream once the transaction is durable."""
    noun = kind.partition(".")[0]
    event = Event(kind=kind, noun=noun, ref=ref, actor=actor, message=message, data=data or {})
    tx.add(event)
    after_commit(tx, store_of(tx).announce)
    return event
