"""Failed logins: events for the first, fifth, twenty-fifth and so on, and an alert while there are many.

Not one event each, because an attacker would fill the log. A name that belongs to no user is not recorded, because it
may be a password typed into the wrong field.
"""

import datetime as dt
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator

from lunette.domain.alerts import Severity
from lunette.engine.alerts.board import Cause
from lunette.store.database import Store
from lunette.store.events import emit
from lunette.store.schema import utc_now

FAMILY = "login."
WINDOW = dt.timedelta(minutes=10)
"""Within this time, failures of one user are reported again only when there are five times as many."""
MANY = {WINDOW: 20, dt.timedelta(days=1): 100}
"""Numbers of failures within a time that cause an alert: guessing may be fast, or patient."""
MOST = 10_000
FACTOR = 5


class FailedLogins:
    """Counts failures within a day. Thread-safe; starts again with the process."""

    def __init__(self, store: Store, now: Callable[[], dt.datetime] = utc_now) -> None:
        self._store, self._now = store, now
        self._lock = threading.Lock()
        self._failed: deque[tuple[dt.datetime, str | None, str]] = deque(maxlen=MOST)
        self._reported: dict[str | None, tuple[dt.datetime, int]] = {}

    def note(self, username: str | None, address: str) -> None:
        """Counts a failed login; None stands for a name that belongs to no user."""
        with self._lock:
            now = self._now()
            self._failed.append((now, username, address))
            count = sum(1 for at, of, _ in self._failed if of == username and at > now - WINDOW)
            reported_at, reported = self._reported.get(username, (now - WINDOW, 0))
            if now - reported_at < WINDOW and count < reported * FACTOR:
                return
            self._reported[username] = (now, count)
        whose = username or "an unknown user"
        times = "A login" if count == 1 else f"{count} logins within {WINDOW.total_seconds() / 60:g} minutes"
        data = {"address": address or None, "count": count}
        with self._store.write() as tx:
            emit(
                tx,
                "user.login_failed",
                f"{times} by {whose} failed, the last from {address or 'an unknown address'}",
                ref=username,
                data=data,
            )

    def causes(self) -> Iterator[Cause]:
        """The alert, while many logins failed within ten minutes or within a day."""
        with self._lock:
            now = self._now()
            while self._failed and self._failed[0][0] <= now - max(MANY):
                self._failed.popleft()
            failed = tuple(self._failed)
        counts = {period: sum(1 for at, _, _ in failed if at > now - period) for period in MANY}
        if not any(counts[period] >= many for period, many in MANY.items()):
            return
        names = Counter(of or "unknown users" for _, of, _ in failed)
        sources = Counter(address or "an unknown address" for _, _, address in failed)
        yield Cause(
            key="login.failed",
            severity=Severity.WARNING,
            message="Many logins fail: an attacker may be guessing passwords",
            cause=f"Mostly by {_most(names)}, from {_most(sources)}",
            fix="Find out who uses these addresses, and restrict the web page to an administration network. "
            "`lunette user logins` lists who is logged in now.",
        )


def _most(counted: Counter[str]) -> str:
    return ", ".join(name for name, _ in counted.most_common(3)) + (" and others" if len(counted) > 3 else "")
