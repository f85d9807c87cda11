"""Raises and resolves alerts, and stores acknowledgements and silences.

An alert is one row per cause; it resolves automatically when the cause ends. An acknowledgement says that someone is
working on it: it ends with the alert, or when the alert gets worse. A silence suppresses messages about an alert for a
while, whether it resolves or returns; if it gets worse, messages are sent all the same.
"""

import datetime as dt
import uuid
from collections.abc import Collection, Iterable

from pydantic import field_validator
from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.alerts import AlertAcknowledge, AlertSilence, Severity, family_of
from lunette.domain.base import Model
from lunette.domain.errors import Conflict
from lunette.domain.messages import MessageKind
from lunette.engine.alerts.outbox import post_alert
from lunette.store.database import Store
from lunette.store.events import emit
from lunette.store.journal import Alert


class Cause(Model):
    """A condition that needs attention. `grace_s`: how long it must last before an alert is raised."""

    key: str
    severity: Severity
    message: str
    cause: str
    fix: str
    grace_s: float = 0.0

    @field_validator("key")
    @classmethod
    def _of_a_family(cls, key: str) -> str:
        if family_of(key) is None:
            raise ValueError(f"{key} is of no AlertFamily")
        return key


def raise_alert(tx: Session, cause: Cause, now: dt.datetime) -> None:
    """Raises the alert, or updates its text; an event is written only for what is new."""
    row = tx.scalars(select(Alert).where(Alert.key == cause.key)).one_or_none()
    is_worse = row is not None and row.resolved_at is None and cause.severity.rank > Severity(row.severity).rank
    words = {"severity": cause.severity.value, "message": cause.message, "cause": cause.cause, "fix": cause.fix}
    if row is None:
        row = Alert(id=str(uuid.uuid4()), key=cause.key, raised_at=now, **words)
        tx.add(row)
    elif row.resolved_at is not None:
        row.raised_at, row.resolved_at = now, None
        _forget_acknowledgement(row)
    elif all(getattr(row, column) == value for column, value in words.items()):
        return
    is_new = row.raised_at == now
    for column, value in words.items():
        setattr(row, column, value)
    if is_worse:
        _forget_acknowledgement(row)
        row.silenced_until = None
    if is_new or is_worse:
        post_alert(tx, row, MessageKind.RAISED, now)
    emit(tx, "alert.raised", cause.message, ref=row.id, data={"key": cause.key, "severity": cause.severity.value})


def resolve(tx: Session, key: str, now: dt.datetime) -> None:
    """Resolves the alert if it is open."""
    query = select(Alert).where(Alert.key == key, Alert.resolved_at.is_(None))
    for row in tx.scalars(query):
        row.resolved_at = now
        post_alert(tx, row, MessageKind.RESOLVED, now)
        emit(tx, "alert.resolved", f"Resolved: {row.message}", ref=row.id, data={"key": key, "severity": row.severity})


def acknowledge(tx: Session, row: Alert, spec: AlertAcknowledge, actor: str, now: dt.datetime) -> None:
    """Records who acknowledged an open alert. Raises Conflict if it is resolved."""
    if row.resolved_at is not None:
        raise Conflict(f"{row.message}: this alert is already resolved and cannot be acknowledged.")
    row.acknowledged_at, row.acknowledged_by, row.note = now, actor, spec.note
    note = f": {spec.note}" if spec.note else ""
    emit(tx, "alert.acknowledged", f"{actor} acknowledged: {row.message}{note}", actor=actor, ref=row.id)


def silence(tx: Session, row: Alert, spec: AlertSilence, actor: str, now: dt.datetime) -> None:
    """Suppresses messages about an alert for a while."""
    row.silenced_until = now + dt.timedelta(seconds=spec.duration_s)
    until = f"{row.silenced_until:%Y-%m-%d %H:%M} UTC"
    emit(tx, "alert.silenced", f"Silenced until {until}: {row.message}", actor=actor, ref=row.id)


def reopen(tx: Session, row: Alert, actor: str, now: dt.datetime) -> None:
    """Removes an acknowledgement and a silence; a silenced alert that is open is reported."""
    if row.acknowledged_at is None and row.silenced_until is None:
        return
    was_silent = row.silenced_until is not None and now < row.silenced_until
    _forget_acknowledgement(row)
    row.silenced_until = None
    if was_silent and row.resolved_at is None:
        post_alert(tx, row, MessageKind.RAISED, now)
    emit(tx, "alert.reopened", f"Reopened: {row.message}", actor=actor, ref=row.id)


def end_silences(store: Store, now: dt.datetime) -> None:
    """Reports alerts whose silence has ended and that are still open, unless they are acknowledged."""
    over = select(Alert).where(Alert.silenced_until <= now)
    with store.read() as tx:
        if tx.scalars(over.limit(1)).one_or_none() is None:
            return
    with store.write() as tx:
        for row in tx.scalars(over):
            row.silenced_until = None
            if row.resolved_at is None and row.acknowledged_at is None:
                post_alert(tx, row, MessageKind.RAISED, now)


def _forget_acknowledgement(row: Alert) -> None:
    row.acknowledged_at, row.acknowledged_by, row.note = None, None, ""


class AlertBoard:
    """Keeps the alerts of some families (prefixes of keys) in line with the observed causes. Used by one thread."""

    def __init__(self, store: Store, families: tuple[str, ...]) -> None:
        self._store = store
        self._families = families
        self._since: dict[str, dt.datetime] = {}
        self._shown: tuple[dict[str, Cause], Collection[str]] | None = None

    def show(self, causes: Iterable[Cause], now: dt.datetime, unknown: Collection[str] = ()) -> None:
        """Raises what has lasted longer than its grace period, resolves what has ended; writes only if something
        changed.

        Objects in `unknown`, named after the colon of a key, could not be observed, nor could families that end with a
        dot there: their alerts stay unchanged.
        """
        families = tuple(one for one in unknown if one.endswith("."))
        present = {cause.key: cause for cause in causes}
        self._since = {key: self._since.get(key, now) for key in present}
        due = {
            key: cause for key, cause in present.items() if (now - self._since[key]).total_seconds() >= cause.grace_s
        }
        if (due, unknown) == self._shown:
            return
        with self._store.write() as tx:
            for cause in due.values():
                raise_alert(tx, cause, now)
            for key in tx.scalars(select(Alert.key).where(Alert.resolved_at.is_(None))).all():
                is_known = key.partition(":")[2] not in unknown and not key.startswith(families)
                if key.startswith(self._families) and key not in due and is_known:
                    resolve(tx, key, now)
        self._shown = due, unknown
