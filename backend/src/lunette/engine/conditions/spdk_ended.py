"""Reports an SPDK process that hung and was killed: an event each time, and an alert for a while."""

from collections.abc import Iterator

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.alerts import Severity
from lunette.domain.observations import Observation
from lunette.domain.spdk import SpdkEnded
from lunette.engine.alerts.board import Cause
from lunette.store.events import emit
from lunette.store.journal import Event

FAMILY = "spdk."
KIND = "spdk.ended"
REPORTED_S = 3600.0
"""How long an alert reports the hang, once SPDK serves again."""


def causes_of(seen: Observation) -> Iterator[Cause]:
    """An alert while SPDK is down, and for an hour after it hung."""
    ended = seen.spdk_ended
    if ended is None or (ended.is_back and seen.taken_at - ended.at >= REPORTED_S):
        return
    fix = (
        "No action is required. `journalctl -u lunette-spdk` shows its last messages. This alert resolves after an "
        "hour."
    )
    if not ended.is_back:
        fix = (
            "Its unit restarts it, and the agent restores all its exports; hosts wait until then. If this takes long, "
            "check `systemctl status lunette-spdk` and its journal."
            if ended.is_ended
            else "It was not started by its unit lunette-spdk: stop it manually; the agent then starts it correctly."
        )
    yield Cause(
        key=KIND,
        severity=Severity.WARNING if ended.is_back else Severity.CRITICAL,
        message=f"{words(ended)}{': it is running again' if ended.is_back else ''}",
        cause=f"Last request: {ended.reason}",
        fix=fix,
    )


def words(ended: SpdkEnded) -> str:
    end = "was stopped" if ended.is_ended else "could not be stopped"
    return f"SPDK did not respond for {ended.silent_s:.0f} s and {end}"


def report(tx: Session, ended: SpdkEnded) -> None:
    """An event for each time, once, also after a restart of the process."""
    last = tx.scalars(select(Event).where(Event.kind == KIND).order_by(Event.seq.desc()).limit(1)).one_or_none()
    if last is None or last.data.get("at") != ended.at:
        data = {"at": ended.at, "silent_s": ended.silent_s, "reason": ended.reason, "is_ended": ended.is_ended}
        emit(tx, KIND, words(ended), data=data)
