"""Records when each host was last logged in, so that a host that is offline differs from one that never connected.

The time is stored when a host is first seen, when its last session ends, and once an hour in between: what is written
does not depend on how long hosts stay.
"""

import datetime as dt
from collections.abc import Callable

from sqlalchemy import select

from lunette.domain.errors import Unavailable
from lunette.domain.observations import SessionsObservation
from lunette.engine.context import connected
from lunette.engine.context.loop import Loop
from lunette.store.database import Store
from lunette.store.resources import Host, HostInitiator, HostLogin
from lunette.store.schema import utc_now

PERIOD_S = 10.0
STORED_EVERY = dt.timedelta(hours=1)
"""A process that ends without its last round loses at most this much."""


class LoginWatch:
    """Checks the sessions every 10 s. Several processes may run one each."""

    def __init__(
        self,
        store: Store,
        sessions: Callable[[], SessionsObservation],
        now: Callable[[], dt.datetime] = utc_now,
        *,
        pace: float = 1.0,
    ) -> None:
        self._store, self._sessions, self._now = store, sessions, now
        self._last: dict[str, dt.datetime] = {}
        self._loop = Loop("logins", self.round, pace)
        self.start, self.stop = self._loop.start, self._loop.stop

    def round(self) -> float:
        """One check; none while the agent is down. Returns the pause until the next, in seconds."""
        try:
            names = connected.initiators(self._sessions().sessions)
        except Unavailable:
            return PERIOD_S
        now = self._now()
        with self._store.read() as tx:
            here = set(tx.scalars(select(HostInitiator.host_id).where(HostInitiator.name.in_(names))))
            stored = dict(tx.execute(select(HostLogin.host_id, HostLogin.last_seen_at)).all())
        due = {host_id: at for host_id, at in self._last.items() if host_id not in here}
        for host_id in here:
            before = stored.get(host_id)
            if before is None or now - before >= STORED_EVERY:
                due[host_id] = now
        if due:
            with self._store.write() as tx:
                there = set(tx.scalars(select(Host.id).where(Host.id.in_(due))))
                for host_id in there:
                    tx.merge(HostLogin(host_id=host_id, last_seen_at=due[host_id]))
        self._last = dict.fromkeys(here, now)
        return PERIOD_S
