"""Events: the numbered log, as a list and as a stream."""

import re
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated, Literal

from fastapi import Depends, Header, Path, Query, Request, Response
from fastapi.responses import StreamingResponse
from fastapi.sse import EventSourceResponse, ServerSentEvent
from sqlalchemy.orm import Session

from lunette.api.answers.base import Page
from lunette.api.answers.journal import Event, EventDetail, event_answer, event_detail
from lunette.api.auth.identity import Asking, still_lets_in
from lunette.api.auth.roles import UNDOING
from lunette.api.events.export import ExportFormat, export
from lunette.api.events.feed import EventFeed
from lunette.api.events.filters import WantedEvents
from lunette.api.lists.paging import Paging, stored_page
from lunette.api.openapi.responses import BATCHED, LISTED, Responses, refusals, router
from lunette.api.requests.changes import Replanning, answer
from lunette.api.requests.guard import check_may
from lunette.api.requests.services import UsedServices
from lunette.domain.errors import FieldProblem, Invalid
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.engine.undo import undo as undoing
from lunette.engine.undo.undo import need_event
from lunette.store.journal import Event as EventRow
from lunette.store.schema import utc_now
from lunette.store.undo import KeptState

routes = router("/events", "events")
verbs = router("", "events")
_TABLE = {"schema": {"type": "string", "format": "binary"}}
_RECORDS = {"schema": {"type": "array", "items": {"type": "object"}}}
_EXPORTED: Responses = {200: {"content": {"text/csv": _TABLE, "application/json": _RECORDS}}, **refusals()}
_RECONNECT_MS = 3000
_HEARTBEAT = ServerSentEvent(event="heartbeat", data={})
"""With data, because browsers drop a message without any; they take a named one for no event of the log."""
_EVENT_COLUMNS = {"id": EventRow.seq, "seq": EventRow.seq}


@routes.get("", operation_id="event_list", response_model=Page[Event], responses=LISTED)
def event_list(
    services: UsedServices,
    page: Paging,
    query: WantedEvents,
    sort: Annotated[
        Literal["-seq", "seq"], Query(description="Field to sort by. A leading `-` sorts in descending order.")
    ] = "-seq",
) -> Page[Event]:
    """Lists the events, newest first by default."""
    with services.store.read() as tx:
        found = stored_page(tx, query, page, sort, _EVENT_COLUMNS)
        items = tuple(event_answer(row) for row in found.rows)
    return Page(items=items, next_cursor=found.next_cursor, total=found.total)


@verbs.get("/events:export", operation_id="event_export", response_class=Response, responses=_EXPORTED)
def event_export(
    services: UsedServices,
    query: WantedEvents,
    shape: Annotated[ExportFormat, Query(alias="format", description="File format.")] = ExportFormat.JSON,
) -> Response:
    """Exports the events as a file, newest first.

    Each event has its actor, its time, its outcome, and the plan of the change.
    """
    name = f"lunette-events-{utc_now():%Y%m%d-%H%M%S}.{shape}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return StreamingResponse(export(services.store, query, shape), headers=headers, media_type=shape.media_type)


async def _feed(services: UsedServices, identity: Asking) -> AsyncIterator[EventFeed]:
    """Runs in the thread of the event loop and holds its seat until the stream ends, so that the count is exact."""
    with services.feed.seat(identity.key):
        yield services.feed


def _start(
    feed: Annotated[EventFeed, Depends(_feed)],
    last_event_id: Annotated[
        str | None,
        Header(max_length=32, description="Number of the last event received. If omitted, the stream starts now."),
    ] = None,
) -> int:
    """Determined before the stream is announced as connected, so that no event is missed."""
    if not last_event_id:
        return feed.start(None)
    if not re.fullmatch(r"[0-9]{1,18}", last_event_id):
        wrong = FieldProblem(field="Last-Event-ID", value=last_event_id, message="is not an event number")
        raise Invalid("Last-Event-ID is not an event number; omit it to start from now.", errors=(wrong,))
    return feed.start(int(last_event_id))


@routes.get(
    "/stream",
    operation_id="event_stream",
    response_class=EventSourceResponse,
    responses=refusals(),
)
async def event_stream(
    feed: Annotated[EventFeed, Depends(_feed)],
    start: Annotated[int, Depends(_start)],
    request: Request,
    services: UsedServices,
) -> AsyncIterator[ServerSentEvent]:
    """Streams events as they happen, as server-sent events.

    The `data` of each message is an Event, and its `id` is the number of the event. While there are none, a message
    with `event: heartbeat` is sent every five seconds; after 15 seconds without any message, treat the connection as
    lost. The stream ends after ten minutes, and when the login or API token of the request ends. Reconnect with
    `Last-Event-ID` to continue without a gap.
    """
    yield ServerSentEvent(comment="connected", retry=_RECONNECT_MS)
    async for event in feed.follow(start, partial(still_lets_in, request, services.store)):
        yield _HEARTBEAT if event is None else ServerSentEvent(data=event, id=str(event.seq))


Number = Annotated[int, Path(ge=1, le=2**62, description="Number of the event.")]


@routes.get("/{event:plain}", operation_id="event_show", response_model=EventDetail, responses=refusals(404))
def event_show(event: Number, services: UsedServices) -> EventDetail:
    """Shows an event, with its plan and whether its change can be undone."""
    with services.store.read() as tx:
        return event_detail(need_event(tx, event), tx.get(KeptState, event))


@routes.post("/{event}:undo", operation_id="event_undo", status_code=201, response_model=EventDetail, responses=BATCHED)
def event_undo(event: Number, change: Replanning) -> Response:
    """Undoes the change that an event records.

    The undo is a new change, planned against the current state. Returns the event of the undo, which can itself be
    undone. Fails with 409 and the reason if the change cannot be undone. Requires the role that the new change
    requires.
    """

    def act(context: ChangeContext) -> Outcome:
        kept = context.tx.get(KeptState, event)
        if kept is not None:
            check_may(change.identity, UNDOING[kept.noun])
        return undoing.undo(context, event)

    def show(tx: Session, outcome: Outcome) -> Response:
        made = need_event(tx, int(outcome.ids[0]))
        detail = event_detail(made, tx.get(KeptState, made.seq))
        return answer(detail, 201, location=f"/api/v1/events/{made.seq}")

    return change.apply(act, show, looks=True)
