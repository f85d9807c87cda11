"""What part of the log is meant: the same filters for the list, the export, the command and the page."""

import datetime as dt
from typing import Annotated, Any

from fastapi import Depends, Query
from pydantic import AfterValidator, AwareDatetime
from sqlalchemy import ColumnElement, Select, and_, not_, or_, select

from lunette.api.paging import name_like
from lunette.domain.events import BEGUN_KINDS, FAILED_VERBS, EventOutcome
from lunette.engine.journal import PROGRESS
from lunette.store.events import SYSTEM
from lunette.store.journal import Event


def _in_utc(moment: dt.datetime) -> dt.datetime:
    try:
        return moment.astimezone(dt.UTC)
    except OverflowError:
        raise ValueError("is before the year 1 or after the year 9999 in UTC") from None


Moment = Annotated[AwareDatetime, AfterValidator(_in_utc)]
"""A time that stays a time in UTC, as databases keep it."""
_FAILED = or_(*(Event.kind.endswith(verb) for verb in FAILED_VERBS))
_BEGUN = and_(not_(_FAILED), or_(Event.kind.in_(BEGUN_KINDS), Event.kind.endswith("ing")))
_OUTCOMES: dict[EventOutcome, ColumnElement[bool]] = {
    EventOutcome.FAILED: _FAILED,
    EventOutcome.BEGUN: _BEGUN,
    EventOutcome.DONE: and_(not_(_FAILED), not_(_BEGUN)),
}


def _text(what: str) -> Any:
    return Query(max_length=255, description=f"{what}; `*` stands for any text, `?` for a letter.")


def _about(
    noun: Annotated[str | None, Query(max_length=32)] = None,
    ref: Annotated[str | None, Query(max_length=255, description="Id of the resource it is about.")] = None,
    text: Annotated[str | None, _text("Only events whose words hold this, such as a name")] = None,
    actor: Annotated[str | None, _text("Only what this user or token did")] = None,
    people: Annotated[bool, Query(description="Only what somebody asked for, not what happened by itself.")] = False,
) -> list[ColumnElement[bool]]:
    wanted = [column == value for column, value in ((Event.noun, noun), (Event.ref, ref)) if value is not None]
    wanted += name_like(Event.message, None if text is None else f"*{text}*")
    wanted += name_like(Event.actor, actor)
    return [*wanted, Event.actor != SYSTEM] if people else wanted


def _when(
    since: Annotated[Moment | None, Query(description="Only events at this time or later.")] = None,
    until: Annotated[Moment | None, Query(description="Only events before this time.")] = None,
) -> list[ColumnElement[bool]]:
    return [*([Event.at >= since] if since else []), *([Event.at < until] if until else [])]


def _wanted(
    about: Annotated[list[ColumnElement[bool]], Depends(_about)],
    when: Annotated[list[ColumnElement[bool]], Depends(_when)],
    kind: Annotated[str | None, Query(max_length=64, description="Such as volume.created.")] = None,
    outcome: Annotated[EventOutcome | None, Query(description="Only what ended so.")] = None,
    after: Annotated[int | None, Query(ge=0, le=2**62, description="Only events with a higher number.")] = None,
    progress: Annotated[bool, Query(description="Each step of a job too; the job itself tells them as well.")] = False,
) -> Select[Event]:
    query = select(Event).where(*about, *when)
    if not progress and kind != PROGRESS:
        query = query.where(Event.kind != PROGRESS)
    query = query.where(Event.kind == kind) if kind is not None else query
    query = query.where(_OUTCOMES[outcome]) if outcome else query
    return query.where(Event.seq > after) if after is not None else query


WantedEvents = Annotated[Select[Event], Depends(_wanted)]
