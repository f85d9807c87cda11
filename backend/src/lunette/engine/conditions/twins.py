"""Finds an initiator name that two machines use, such as clones of one installation.

A login with the name and the ISID of an existing session ends that session (RFC 7143 section 6.3.5), and the ousted
machine logs in again: the two take turns, and both write to the same volumes. Only such turns are reported; machines
that use one name with different ISIDs look like one host with several paths.
"""

import datetime as dt
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple

from sqlalchemy import select

from lunette.domain.alerts import Severity
from lunette.domain.errors import Unavailable
from lunette.domain.exports import ObservedSession
from lunette.domain.observations import SessionsObservation
from lunette.engine.alerts.board import AlertBoard, Cause
from lunette.engine.context.loop import Loop
from lunette.store.database import Store
from lunette.store.resources import Host, HostInitiator
from lunette.store.schema import utc_now

FAMILY = "initiator."
PERIOD_S = 10.0
WINDOW_S = 600.0
TURNS = 3
"""A host whose path moves to another of its addresses moves once, and perhaps back."""


_Key = tuple[str, str, str]
"""Target, initiator and ISID."""


class _Login(NamedTuple):
    number: int
    peer: str


class _Turn(NamedTuple):
    at: float
    peers: frozenset[str]


class Twins:
    """Checks the sessions every 10 s. Observations end with the process: an alert then waits for new turns."""

    def __init__(
        self,
        store: Store,
        sessions: Callable[[], SessionsObservation],
        now: Callable[[], dt.datetime] = utc_now,
        monotonic: Callable[[], float] = time.monotonic,
        *,
        pace: float = 1.0,
    ) -> None:
        self._store, self._sessions = store, sessions
        self._now, self._monotonic = now, monotonic
        self._last: dict[_Key, _Login] = {}
        self._turns: dict[str, list[_Turn]] = defaultdict(list)
        self._board = AlertBoard(store, (FAMILY,))
        self._loop = Loop("twins", self.round, pace)
        self.start, self.stop = self._loop.start, self._loop.stop

    def round(self) -> float:
        """One check; none while the agent is down. Returns the pause until the next, in seconds."""
        try:
            found = self._sessions().sessions
        except Unavailable:
            return PERIOD_S
        at = self._monotonic()
        before, self._last = self._last, {}
        for session in found:
            self._follow(session, before, at)
        for initiator, turns in list(self._turns.items()):
            self._turns[initiator] = [turn for turn in turns if at - turn.at < WINDOW_S]
            if not self._turns[initiator]:
                del self._turns[initiator]
        self._board.show(self._causes(), self._now())
        return PERIOD_S

    def _follow(self, session: ObservedSession, known: dict[_Key, _Login], at: float) -> None:
        """Records that one login replaced another. A machine that logged out first was not ousted."""
        if session.isid is None or session.number is None or session.peer is None:
            return
        key = session.target, session.initiator, session.isid
        before, now = known.get(key), _Login(session.number, session.peer)
        self._last[key] = now
        if before is not None and before.number != now.number and before.peer != now.peer:
            self._turns[session.initiator].append(_Turn(at, frozenset({before.peer, now.peer})))

    def _causes(self) -> Iterator[Cause]:
        for initiator, turns in self._turns.items():
            if len(turns) < TURNS:
                continue
            peers = sorted(frozenset().union(*(turn.peers for turn in turns)))
            yield Cause(
                key=f"{FAMILY}twins:{initiator}",
                severity=Severity.CRITICAL,
                message=f"Initiator {initiator}{self._host(initiator)} logs in alternately from several machines: "
                f"{', '.join(peers)}",
                cause=(
                    "Each login with the same name ends the previous one. Neither machine keeps its paths, and both "
                    "can write to the same volumes, which destroys any file system that is not a cluster file system"
                ),
                fix=(
                    "Give each machine its own initiator name (Linux: /etc/iscsi/initiatorname.iscsi, which cloned "
                    "machines share), register the name with its host, and check the file systems of the volumes."
                ),
            )

    def _host(self, initiator: str) -> str:
        query = select(Host.name).join(HostInitiator).where(HostInitiator.name == initiator.lower())
        with self._store.read() as tx:
            name = tx.scalar(query)
        return f" of host {name}" if name else ""
