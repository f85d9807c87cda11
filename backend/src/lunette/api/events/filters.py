"""Filters of the event log, the same for the list, the export, the command and the page."""

import datetime as dt
from typing import Annotated, Any

from fastapi import Depends, Query
from pydantic import AfterValidator, AwareDatetime
from sqlalchemy import ColumnElement, Select, and_, not_, or_, select

from lunette.api.lists.paging import name_like
from lunette.domain.events import BEGUN_KINDS, FAILED_VERBS, EventOutcome
from lunette.store.events import PROGRESS, SYSTEM
from lunette.store.journal import Event


def _in_utc(moment: dt.datetime) -> dt.datetime:
    try:
        return moment.astimezone(dt.UTC)
    except OverflowError:
        raise ValueError("is before the year 1 or after the year 9999 in UTC") from None


Moment = Annotated[AwareDatetime, AfterValidator(_in_utc)]
"""A time that can be expressed in UTC, as databases store it."""
_FAILED = or_(*(Event.kind.endswith(verb) for verb in FAILED_VERBS))
_BEGUN = and_(not_(_FAILED), or_(Event.kind.in_(BEGUN_KINDS), Event.kind.endswith("ing")))
_OUTCOMES: dict[EventOutcome, ColumnElement[bool]] = {
    EventOutcome.FAILED: _FAILED,
    EventOutcome.BEGUN: _BEGUN,
    EventOutcome.DONE: and_(not_(_FAILED), not_(_BEGUN)),
}


def _text(what: str) -> Any:
    return Query(max_length=255, description=f"{what}; `*` matches any text, `?` one character.")


def _about(
    noun: Annotated[
        str | None, Query(max_length=32, description="Only events about this kind of resource, such as `volume`.")
    ] = None,
    ref: Annotated[
        str | None, Query(max_length=255, description="Only events about the resource with this ID.")
    ] = None,
    text: Annotated[str | None, _text("Only events whose message contains this text, such as a name")] = None,
    actor: Annotated[str | None, _text("Only events that this user or API token caused")] = None,
    people: Annotated[
        bool, Query(description="Whether to return only events caused by users and API tokens, not by the appliance.")
    ] = False,
) -> list[ColumnElement[bool]]:
    wanted = [column == value for column, value in ((Event.noun, noun), (Event.ref, ref)) if value is not None]
    wanted += name_like(Event.message, None if text is None else f"*{text}*")
    wanted += name_like(Event.actor, actor)
    return [*wanted, Event.actor != SYSTEM] if people else wanted


def _when(
    since: Annotated[Moment | None, Query(description="Only events at or after this time.")] = None,
    until: Annotated[Moment | None, Query(description="Only events before this time.")] = None,
    after: Annotated[int | None, Query(ge=0, le=2**62, description="Only events with a number above this one.")] = None,
) -> list[ColumnElement[bool]]:
    wanted = [Event.at >= since] if since else []
    wanted += [Event.at < until] if until else []
    return [*wanted, Event.seq > after] if after is not None else wanted


def _operation(
    job: Annotated[str | None, Query(max_length=36, description="Only events of the job with this ID.")] = None,
    operations: Annotated[
        bool, Query(description="Whether to return one event for each operation: for a job, the one that describes it.")
    ] = False,
) -> list[ColumnElement[bool]]:
    wanted = [Event.job_id == job] if job is not None else []
    return [*wanted, Event.is_folded.is_(False)] if operations else wanted


def _wanted(
    about: Annotated[list[ColumnElement[bool]], Depends(_about)],
    when: Annotated[list[ColumnElement[bool]], Depends(_when)],
    operation: Annotated[list[ColumnElement[bool]], Depends(_operation)],
    kind: Annotated[
        str | None, Query(max_length=64, description="Only events of this kind, such as `volume.created`.")
    ] = None,
    outcome: Annotated[EventOutcome | None, Query(description="Only events with this outcome.")] = None,
    progress: Annotated[
        bool, Query(description="Whether to include an event for each step of a job. The job lists its steps, too.")
    ] = False,
) -> Select[Event]:
    query = select(Event).where(*about, *when, *operation)
    if not progress and kind != PROGRESS:
        query = query.where(Event.kind != PROGRESS)
    query = query.where(Event.kind == kind) if kind is not None else query
    return query.where(_OUTCOMES[outcome]) if outcome else query


WantedEvents = Annotated[Select[Event], Depends(_wanted)]
