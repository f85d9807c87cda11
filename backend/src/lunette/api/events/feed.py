"""The live end of the event log: waits for new rows without a thread or a database session per listener.

The rows are authoritative; a wake only says "read again". A listener that missed a wake reads again after a while
anyway.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager

from sqlalchemy import func, select
from starlette.concurrency import run_in_threadpool

from lunette.api.answers.journal import Event, event_answer
from lunette.domain.errors import LunetteError, Unavailable
from lunette.store.database import Store
from lunette.store.journal import Event as EventRow

PAGE = 500
LOOK_AGAIN_S = 5.0
"""How often a follower reads again. Without new events it at least learns that the connection still works."""
LONGEST_S = 600.0
"""A stream ends after ten minutes and the client reconnects."""
MAX_STREAMS = 64
MAX_OF_ONE = 16
"""Maximum streams of one user or token, so that none can use all of them."""
LOGIN_CHECKED_S = 30.0
"""How often a follower's login is checked; immediately after an event about users or tokens."""
_OF_LOGINS = frozenset({"user", "token"})


class EventFeed:
    """One per process. `open` and `close` run on the event loop's thread."""

    def __init__(self, store: Store, longest_s: float = LONGEST_S) -> None:
        self._store = store
        self._longest_s = longest_s
        self._waiting: set[asyncio.Event] = set()
        self._streams: Counter[str] = Counter()
        self._closed = False
        self._unsubscribe: Callable[[], None] | None = None

    def open(self) -> None:
        """Starts listening for commits."""
        loop = asyncio.get_running_loop()

        def announced() -> None:
            loop.call_soon_threadsafe(self._wake)

        self._unsubscribe = self._store.subscribe(announced)

    def close(self) -> None:
        """Ends every stream at once, so that a shutdown does not wait for them."""
        self._closed = True
        if self._unsubscribe:
            self._unsubscribe()
            self._unsubscribe = None
        self._wake()

    def start(self, last: int | None) -> int:
        """The number to follow from: the one given, or the newest.

        A number beyond the newest one is from another database: it means "from now on".
        """
        with self._store.read() as tx:
            newest = tx.scalar(select(func.max(EventRow.seq))) or 0
        return newest if last is None or last > newest else last

    def after(self, seq: int) -> tuple[Event, ...]:
        """The events after this number, oldest first, at most one page."""
        with self._store.read() as tx:
            rows = tx.scalars(select(EventRow).where(EventRow.seq > seq).order_by(EventRow.seq).limit(PAGE))
            return tuple(event_answer(row) for row in rows)

    @contextmanager
    def seat(self, identity: str) -> Iterator[None]:
        """Reserves one stream of this identity, from before it is opened until it has ended.

        Raises Unavailable if too many are open, in all or of this identity.
        """
        if self._closed or self._streams.total() >= MAX_STREAMS:
            raise Unavailable(
                f"{self._streams.total()} event streams are open, which is the maximum; close a browser tab or read "
                "GET /events."
            )
        if self._streams[identity] >= MAX_OF_ONE:
            raise Unavailable(
                f"{MAX_OF_ONE} event streams of this user or token are open, which is the maximum; close a browser "
                "tab or read GET /events."
            )
        self._streams[identity] += 1
        try:
            yield
        finally:
            self._streams[identity] -= 1
            self._streams += Counter()  # forgets identities without streams

    async def follow(self, seq: int, is_let_in: Callable[[], bool] = lambda: True) -> AsyncIterator[Event | None]:
        """Events after this number, until ten minutes have passed, `is_let_in` returns False, or the process stops.

        None if there are no new events: a heartbeat, which shows that log and server still answer.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + self._longest_s
        checked = loop.time()
        wake = asyncio.Event()
        self._waiting.add(wake)
        try:
            while not self._closed and loop.time() < until:
                wake.clear()
                found = await run_in_threadpool(self.after, seq)
                if loop.time() - checked >= LOGIN_CHECKED_S or any(event.noun in _OF_LOGINS for event in found):
                    if not await run_in_threadpool(is_let_in):
                        return
                    checked = loop.time()
                for event in found:
                    seq = event.seq
                    yield event
                    wake.set()
                if not found:
                    yield None
                await _wait(wake, min(LOOK_AGAIN_S, until - loop.time()))
        except LunetteError:
            return  # the database is unavailable: the client reconnects and gets a status
        finally:
            self._waiting.discard(wake)

    def _wake(self) -> None:
        for wake in self._waiting:
            wake.set()


async def _wait(wake: asyncio.Event, timeout_s: float) -> None:
    try:
        await asyncio.wait_for(wake.wait(), max(0.0, timeout_s))
    except TimeoutError:
        return
