"""Raises and resolves alerts. An alert is one row per cause; it resolves by itself when the cause is gone."""

import datetime as dt
import uuid
from collections.abc import Iterable

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.alerts import Severity
from lunette.domain.base import Model
from lunette.domain.messages import MessageKind
from lunette.engine.telling.outbox import post_alert
from lunette.store.database import Store
from lunette.store.events import emit
from lunette.store.journal import Alert


class Cause(Model):
    """Something a person must look at. `grace_s`: how long it must last before it is worth an alert."""

    key: str
    severity: Severity
    message: str
    cause: str
    fix: str
    grace_s: float = 0.0


def raise_alert(tx: Session, cause: Cause, now: dt.datetime) -> None:
    """Raises the alert, or brings its words up to date; an event tells only of what is new."""
    row = tx.scalars(select(Alert).where(Alert.key == cause.key)).one_or_none()
    words = {"severity": cause.severity.value, "message": cause.message, "cause": cause.cause, "fix": cause.fix}
    if row is None:
        row = Alert(id=str(uuid.uuid4()), key=cause.key, raised_at=now, **words)
        tx.add(row)
    elif row.resolved_at is not None:
        row.raised_at, row.resolved_at = now, None
    elif all(getattr(row, column) == value for column, value in words.items()):
        return
    is_new = row.raised_at == now
    for column, value in words.items():
        setattr(row, column, value)
    if is_new:
        post_alert(tx, row, MessageKind.RAISED, now)
    emit(tx, "alert.raised", cause.message, ref=row.id, data={"key": cause.key, "severity": cause.severity.value})


def resolve(tx: Session, key: str, now: dt.datetime) -> None:
    """Closes the alert if it is open."""
    query = select(Alert).where(Alert.key == key, Alert.resolved_at.is_(None))
    for row in tx.scalars(query):
        row.resolved_at = now
        post_alert(tx, row, MessageKind.RESOLVED, now)
        emit(tx, "alert.resolved", f"Over: {row.message}", ref=row.id, data={"key": key, "severity": row.severity})


class AlertBoard:
    """Keeps the alerts of some families (prefixes of keys) as the causes seen now say. One thread uses it."""

    def __init__(self, store: Store, families: tuple[str, ...]) -> None:
        self._store = store
        self._families = families
        self._since: dict[str, dt.datetime] = {}
        self._shown: dict[str, Cause] | None = None

    def show(self, causes: Iterable[Cause], now: dt.datetime) -> None:
        """Raises what has lasted longer than its grace, resolves what is gone; writes only if something changed."""
        present = {cause.key: cause for cause in causes}
        self._since = {key: self._since.get(key, now) for key in present}
        due = {
            key: cause for key, cause in present.items() if (now - self._since[key]).total_seconds() >= cause.grace_s
        }
        if due == self._shown:
            return
        with self._store.write() as tx:
            for cause in due.values():
                raise_alert(tx, cause, now)
            for key in tx.scalars(select(Alert.key).where(Alert.resolved_at.is_(None))).all():
                if key.startswith(self._families) and key not in due:
                    resolve(tx, key, now)
        self._shown = due
