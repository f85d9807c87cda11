"""The context of one change: its transaction, its actor, and whether it is only planned."""

from dataclasses import dataclass

from sqlalchemy.orm import Session

from lunette.engine.context.outcome import Actor
from lunette.engine.context.services import Services
from lunette.store import events
from lunette.store.journal import Event
from lunette.store.schema import Json


@dataclass(frozen=True)
class ChangeContext:
    """First argument of every change: `f(context, spec)`, or `f(context, id, spec)` for an existing object.

    With `dry_run` a change returns its plan and writes nothing.
    """

    tx: Session
    """A session of `Store.write()`; the caller commits it."""
    services: Services
    actor: Actor
    dry_run: bool = False

    def emit(self, kind: str, message: str, *, ref: str | None = None, data: Json | None = None) -> Event:
        """Writes an event of this change, under the actor's name."""
        return events.emit(self.tx, kind, message, actor=self.actor.name, ref=ref, data=data)
