"""Writes the event of a change, and stores what undoing it needs, in the change's own transaction."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pydantic import SecretStr
from sqlalchemy.orm import Session

from lunette.domain.base import Model
from lunette.domain.plans import Plan
from lunette.engine.context.change import ChangeContext
from lunette.engine.records import states
from lunette.engine.records.states import States
from lunette.store.database import store_of
from lunette.store.journal import Event
from lunette.store.undo import KeptState

_EVENTS = "recorded_events"


class Around(Model):
    """States before and after a change, by ID; an object that is missing in one did not exist then."""

    before: States
    after: States
    names: dict[str, str]
    """Names of the objects that the states refer to: they may be deleted when the event is read."""


@contextmanager
def recorded(
    context: ChangeContext, kind: str, plan: Plan, ids: Sequence[str], *, batch: bool = False
) -> Iterator[None]:
    """Wraps the change of the objects with these IDs: writes its event (`kind` is noun.verb) and their states.

    The event contains the lines of the plan, and no secret: the states, which contain secrets, are sealed. A `batch`
    has its IDs in the event's data, whatever their number.
    """
    tx = context.tx
    noun = kind.partition(".")[0]
    before = states.read(tx, noun, ids)
    yield
    tx.flush()
    after = states.read(tx, noun, ids)
    reported = {"plan": plan.model_dump(mode="json", include={"changes", "hosts_interrupted", "warnings"})}
    is_setting = noun == "setting"
    event = context.emit(
        kind,
        plan.title,
        ref=None if batch or is_setting else ids[0],
        data={**reported, "ids": list(ids)} if batch else reported,
    )
    around = Around(before=before, after=after, names=states.names_of(tx, [*before.values(), *after.values()]))
    tx.flush()
    tx.add(KeptState(event_seq=event.seq, noun=noun, sealed=_seal(tx, around)))
    tx.info.setdefault(_EVENTS, []).append(event)


def only_recorded(tx: Session) -> int | None:
    """The event by which all that was changed in this transaction can be undone; None if there is none, or several."""
    events: list[Event] = tx.info.get(_EVENTS, [])
    return events[0].seq if len(events) == 1 else None


def take_recorded(tx: Session) -> Event | None:
    """The event of the last change in this transaction that was not taken yet."""
    events: list[Event] = tx.info.pop(_EVENTS, [])
    return events[-1] if events else None


def recorded_states(tx: Session, row: KeptState) -> Around:
    """Raises Unavailable if the secrets were sealed with another key."""
    return Around.model_validate_json(store_of(tx).box.open(row.sealed).get_secret_value())


def _seal(tx: Session, around: Around) -> str:
    return store_of(tx).box.seal(SecretStr(json.dumps(around.model_dump(mode="json"))))
