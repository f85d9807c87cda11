"""Undoes one recorded change: a new change, planned against the present state (decision 0022)."""

from collections.abc import Collection

from pydantic import ValidationError
from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.errors import Conflict, FieldProblem, LunetteError, NotFound, Unavailable
from lunette.domain.site import SiteNoun
from lunette.domain.undo import why_not
from lunette.engine.changes.nouns import NOUNS
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.engine.records import states
from lunette.engine.records.recording import Around, recorded_states, take_recorded
from lunette.engine.records.states import REFERENCES, States
from lunette.planner.site.changes import SPECS, Verb
from lunette.store.journal import Event
from lunette.store.schema import Json
from lunette.store.undo import KeptState


def undo(context: ChangeContext, seq: int) -> Outcome:
    """Restores what the event's change altered. The IDs of the outcome are the number of its own event.

    Raises NotFound if the event does not exist, and Conflict with the reason: it cannot be undone at all, it was undone
    already, its objects changed since, or the present state refuses it.
    """
    tx = context.tx
    event = need_event(tx, seq)
    row = tx.get(KeptState, seq)
    if row is None:
        raise Conflict(f"Event {seq} ({event.message}) cannot be undone. {why_not(event.kind)}")
    if row.undone_by is not None:
        raise Conflict(
            f"Event {seq} ({event.message}) was undone already, by event {row.undone_by}. "
            f"To have the change again, undo event {row.undone_by}."
        )
    take_recorded(tx)
    try:
        around = recorded_states(tx, row)
    except Unavailable:
        raise Conflict(
            f"Event {seq} ({event.message}) cannot be undone: the previous state is sealed with a different key than "
            "the current one in the key file. Change it manually, or restore the key file."
        ) from None
    try:
        outcome = _Undoing(tx, event, row.noun, around).perform(context)
    except ValidationError as error:
        places = [[str(part) for part in one["loc"]] for one in error.errors()]
        fields = ", ".join(map(".".join, places))
        if all("secret" in place[-1] for place in places):
            raise Conflict(f"Event {seq} was not undone: {fields} could not be read. Enter it again.") from None
        raise Conflict(f"Event {seq} was not undone: this version does not allow what {fields} held.") from None
    except Unavailable:
        raise
    except LunetteError as error:
        kind = type(error) if error.status == Conflict.status else Conflict
        words = f"Event {seq} ({event.message}) was not undone: {error.detail}"
        raise kind(words, errors=error.errors, log=error.log) from error
    plan = outcome.plan.model_copy(update={"title": f"Undo event {seq}: {event.message}"})
    made = take_recorded(tx)
    if context.dry_run or made is None:
        return Outcome(plan=plan)
    made.message = f"{made.message}, undoing event {seq}"
    row.undone_by = made.seq
    return Outcome(plan=plan, ids=(str(made.seq),))


def need_event(tx: Session, seq: int) -> Event:
    """Raises NotFound."""
    found = tx.get(Event, seq)
    if found is None:
        raise NotFound(f"There is no event {seq}; see the event log.")
    return found


class _Undoing:
    """One undo: the previous state, the state after the change, and the present state."""

    def __init__(self, tx: Session, event: Event, noun: str, around: Around) -> None:
        self._tx, self._event, self._around = tx, event, around
        self._kind = SiteNoun(noun.replace("_", "-"))
        self._noun = NOUNS[self._kind]
        self._now = states.read(tx, noun, sorted({*around.before, *around.after}))

    def perform(self, context: ChangeContext) -> Outcome:
        """Raises Conflict if the present state prevents it, and what the noun's own change raises."""
        before, after = self._around.before, self._around.after
        if not before:
            self._check_unchanged(after)
            return self._noun.delete(context, tuple(after))
        self._check_references(before)
        if not after:
            self._check_gone(before)
            return self._noun.restore(context, before)
        ((id_, held),) = before.items()
        spec = SPECS[Verb.PATCH][self._kind].model_validate(self._fields(id_, held, after[id_]))
        return self._noun.verbs[Verb.PATCH](context, id_, spec)

    def _check_unchanged(self, made: States) -> None:
        """A created object is deleted only if it is unchanged: later additions are not discarded."""
        for id_, state in made.items():
            now = self._held_now(id_, state)
            changed = [field for field in state if now[field] != state[field]]
            if changed:
                raise Conflict(self._changed_since(id_, state, changed))

    def _check_gone(self, before: States) -> None:
        for id_, state in before.items():
            if id_ in self._now:
                raise Conflict(f"{self._name(state)} already exists{self._by_whom(id_)}; there is nothing to undo.")

    def _check_references(self, before: States) -> None:
        """Raises Conflict naming what the earlier state needs and no longer exists."""
        wanted = {one for state in before.values() for one in states.references(state)}
        present = states.names_of(self._tx, before.values())
        for field, ref in sorted(wanted):
            if ref not in present:
                known = self._around.names.get(ref, ref)
                message = f"{REFERENCES[field][0]} {known} no longer exists, and another with that name is not the same"
                detail = f"{message[0].upper()}{message[1:]}. Create what you need instead."
                raise Conflict(detail, errors=(FieldProblem(field=field, value=known, message=message),))

    def _fields(self, id_: str, before: Json, after: Json) -> Json:
        """The values to restore. A field that the change did not alter stays as it is now."""
        now = self._held_now(id_, before)
        touched = [field for field in before if before[field] != after[field]]
        back = [field for field in touched if now[field] != before[field]]
        if not back:
            words = f"{self._name(now)} already has its previous values{self._by_whom(id_)}"
            raise Conflict(f"{words}; there is nothing to undo.")
        if changed := [field for field in back if now[field] != after[field]]:
            raise Conflict(self._changed_since(id_, now, changed))
        return {field: before[field] for field in back}

    def _held_now(self, id_: str, state: Json) -> Json:
        if id_ not in self._now:
            raise Conflict(f"{self._name(state)} no longer exists{self._by_whom(id_)}. Undo that first.")
        return self._now[id_]

    def _changed_since(self, id_: str, state: Json, fields: Collection[str]) -> str:
        named = ", ".join(sorted(fields)).replace("_", " ")
        by_whom = self._by_whom(id_) or ", by another event"
        return f"{self._name(state)} was changed since ({named}){by_whom}. Undo that first, or change it manually."

    def _by_whom(self, id_: str) -> str:
        """The last event about an object after the one to undo."""
        later = select(Event).where(Event.ref == id_, Event.seq > self._event.seq).order_by(Event.seq.desc()).limit(1)
        found = self._tx.scalars(later).first()
        return f", last by event {found.seq} ({found.message}, {found.actor})" if found else ""

    def _name(self, state: Json) -> str:
        """Name for messages: `Host esx1`, or `The mapping of volume data1 to esx1`."""
        words = self._noun.words
        if "name" in state and "time_zone" not in state:
            return f"{words[0].upper()}{words[1:]} {state['name']}"
        if "wwpn" in state:
            return f"{words} {state['wwpn']}"
        if "volume" in state:
            names = self._around.names
            owner = state["host"] or state["host_group"]
            return f"The mapping of volume {names.get(state['volume'], '')} to {names.get(owner, '')}"
        return "The setting"
