"""Alerts: conditions that need attention, and their acknowledgements and silences."""

import datetime as dt
from collections.abc import Callable
from typing import Annotated, Literal

from fastapi import Depends, Query, Response
from sqlalchemy import Select, or_, select
from sqlalchemy.orm import Session

from lunette.api.answers.base import Page
from lunette.api.answers.journal import Alert, alert_answer
from lunette.api.answers.plans import PlanAnswer
from lunette.api.answers.seen import Observed
from lunette.api.lists.paging import Paging, name_like, stored_page
from lunette.api.openapi.responses import LISTED, SHOWN, Responses, refusals, router
from lunette.api.requests.alert_objects import is_about, objects
from lunette.api.requests.changes import ChangeRequest, Creating, answer
from lunette.api.requests.lookup import Reference, find
from lunette.api.requests.observed import observed_now
from lunette.api.requests.remedies import remedies
from lunette.api.requests.services import UsedServices
from lunette.domain.alerts import AlertAcknowledge, AlertSilence, Severity
from lunette.domain.plans import Action, Plan
from lunette.domain.plans import PlannedChange as Line
from lunette.engine.alerts import board
from lunette.store.journal import Alert as AlertRow
from lunette.store.schema import utc_now

routes = router("/alerts", "alerts")
_COLUMNS = {"id": AlertRow.id, "raised_at": AlertRow.raised_at, "severity": AlertRow.severity_rank}
_TEXTS = (AlertRow.message, AlertRow.cause)
_CARED: Responses = {
    200: {"model": Alert | PlanAnswer, "description": "Changed alert, or the plan for a dry run."},
    **refusals(404, 409, 413),
}


def _wanted(
    active: Annotated[
        bool | None, Query(description="Whether to return active (true) or resolved (false) alerts. If omitted, both.")
    ] = None,
    acknowledged: Annotated[
        bool | None,
        Query(description="Whether to return acknowledged (true) or unacknowledged (false) alerts. If omitted, both."),
    ] = None,
    severity: Annotated[Severity | None, Query(description="Only alerts of this severity.")] = None,
    ref: Annotated[
        str | None, Query(max_length=255, description="Only alerts about the resource with this ID.")
    ] = None,
    text: Annotated[
        str | None,
        Query(
            max_length=255,
            description="Only alerts whose message or cause contains this text; `*` matches any text, `?` one "
            "character.",
        ),
    ] = None,
) -> Select[AlertRow]:
    """The alerts that match the filters of a list."""
    query = select(AlertRow)
    if active is not None:
        query = query.where(AlertRow.resolved_at.is_(None) if active else AlertRow.resolved_at.is_not(None))
    if acknowledged is not None:
        seen_to = AlertRow.acknowledged_at
        query = query.where(seen_to.is_not(None) if acknowledged else seen_to.is_(None))
    query = query.where(AlertRow.severity == severity.value) if severity else query
    if text is not None:
        query = query.where(or_(*(like for column in _TEXTS for like in name_like(column, f"*{text}*"))))
    return query.where(is_about(ref)) if ref else query


@routes.get("", operation_id="alert_list", response_model=Page[Alert], responses=LISTED)
def alert_list(
    services: UsedServices,
    page: Paging,
    query: Annotated[Select[AlertRow], Depends(_wanted)],
    sort: Annotated[
        Literal["-raised_at", "raised_at", "severity", "-severity"],
        Query(
            description="Field to sort by. A leading `-` sorts in descending order: `-severity` from critical to info."
        ),
    ] = "-raised_at",
) -> Page[Alert]:
    """Lists the alerts, with their causes and fixes."""
    seen = observed_now(services)
    with services.store.read() as tx:
        found = stored_page(tx, query, page, sort, _COLUMNS)
        items = tuple(map(alert_answer, found.rows, remedies(tx, found.rows, seen), objects(tx, found.rows)))
    return Page(items=items, next_cursor=found.next_cursor, total=found.total)


@routes.get("/{alert:plain}", operation_id="alert_show", response_model=Alert, responses=SHOWN)
def alert_show(alert: Reference, services: UsedServices) -> Response:
    """Shows an alert."""
    seen = observed_now(services)
    with services.store.read() as tx:
        row = find(tx, AlertRow, alert)
        return answer(_shown(tx, row, seen), version=row.version)


@routes.post("/{alert}:acknowledge", operation_id="alert_acknowledge", response_model=None, responses=_CARED)
def alert_acknowledge(alert: Reference, body: AlertAcknowledge, change: Creating) -> Response:
    """Acknowledges an active alert.

    The acknowledgement ends when the alert is raised again after its end, or when its severity rises.
    """
    return _care(
        change,
        alert,
        "it is acknowledged",
        lambda tx, row: board.acknowledge(tx, row, body, change.actor.name, utc_now()),
    )


@routes.post("/{alert}:silence", operation_id="alert_silence", response_model=None, responses=_CARED)
def alert_silence(alert: Reference, body: AlertSilence, change: Creating) -> Response:
    """Silences the notifications of an alert for a limited time.

    The silence also applies if the alert is resolved and raised again meanwhile. It ends early if the severity of the
    alert rises. When the silence ends, an alert that is still active and not acknowledged is sent again.
    """
    until = utc_now() + dt.timedelta(seconds=body.duration_s)
    return _care(
        change,
        alert,
        f"its notifications are silenced until {until:%Y-%m-%d %H:%M} UTC",
        lambda tx, row: board.silence(tx, row, body, change.actor.name, utc_now()),
    )


@routes.post("/{alert}:reopen", operation_id="alert_reopen", response_model=None, responses=_CARED)
def alert_reopen(alert: Reference, change: Creating) -> Response:
    """Removes the acknowledgement and the silence of an alert.

    An active alert that was silenced is sent again.
    """
    return _care(
        change,
        alert,
        "its acknowledgement and silence end",
        lambda tx, row: board.reopen(tx, row, change.actor.name, utc_now()),
    )


def _care(change: ChangeRequest, reference: str, what: str, act: Callable[[Session, AlertRow], None]) -> Response:
    """Applies the change. A dry run also applies the change and rolls back, so that the same refusals occur."""

    seen = observed_now(change.services)

    def work(tx: Session) -> Response:
        row = find(tx, AlertRow, reference)
        act(tx, row)
        tx.flush()
        line = Line(action=Action.CHANGE, noun="alert", name=row.key, detail=what)
        plan = Plan(title=f"{row.message}: {what}", changes=(line,), steps=())
        return change.plan_or(plan, lambda: answer(_shown(tx, row, seen), version=row.version))

    return change.run(work)


def _shown(tx: Session, row: AlertRow, seen: Observed) -> Alert:
    (remedy,), (about,) = remedies(tx, [row], seen), objects(tx, [row])
    return alert_answer(row, remedy, about)
