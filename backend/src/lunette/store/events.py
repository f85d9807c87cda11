"""Writes events in the transaction of the change that they report."""

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from lunette.domain.events import EventOutcome, outcome_of
from lunette.store.database import after_commit, store_of
from lunette.store.journal import Event
from lunette.store.schema import Json

SYSTEM = "system"
"""The actor of spontaneous events: a failed disk, an expired session."""
PROGRESS = "job.progress"
"""Kind of the event of one step."""
CREATED = "job.created"
_BEGUN = "begun_events"


def emit(
    tx: Session, kind: str, message: str, *, actor: str = SYSTEM, ref: str | None = None, data: Json | None = None
) -> Event:
    """Adds one event (`kind` is noun.verb) and wakes the event stream once the transaction is durable."""
    noun = kind.partition(".")[0]
    event = Event(kind=kind, noun=noun, ref=ref, actor=actor, message=message, data=data or {})
    job_id = ref if noun == "job" else event.data.get("job_id")
    if job_id and kind != PROGRESS:
        begun = tx.info.pop(_BEGUN, []) if kind == CREATED else []
        for each in (*begun, event):
            _join(tx, each, job_id)
    elif outcome_of(kind) is EventOutcome.BEGUN:
        tx.info.setdefault(_BEGUN, []).append(event)
    tx.add(event)
    after_commit(tx, store_of(tx).announce)
    return event


def _join(tx: Session, event: Event, job_id: str) -> None:
    """One event stands for each job: the last one about its objects, or if there is none, the last about the job."""
    tx.flush()
    event.job_id = job_id
    others = select(Event.seq).where(Event.job_id == job_id, Event.noun != "job")
    if event.noun == "job" and tx.scalar(others.limit(1)) is not None:
        event.is_folded = True
    else:
        tx.execute(update(Event).where(Event.job_id == job_id, Event.seq != event.seq).values(is_folded=True))
