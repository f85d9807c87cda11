"""A thread that works when it is woken and when its time has come, until it is stopped."""

import threading
from collections.abc import Callable

import structlog

from lunette.domain.errors import Unavailable

STOP_S = 5.0
_log = structlog.get_logger("lunette.engine")


class Loop:
    """`work` returns the maximum seconds to sleep until the next round; `pace` shortens every sleep."""

    def __init__(self, name: str, work: Callable[[], float], pace: float = 1.0) -> None:
        self._name = name
        self._pace = pace
        self._work = work
        self._woken = threading.Event()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._stopping.clear()
        self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Starts the next round now; thread-safe."""
        self._woken.set()

    def stop(self) -> None:
        self._stopping.set()
        self._woken.set()
        if self._thread:
            self._thread.join(STOP_S)

    def rest(self, seconds: float) -> None:
        """Called by the work itself: sleeps even if it is woken, but ends when it is stopped."""
        self._stopping.wait(seconds)

    def _run(self) -> None:
        while True:
            self._woken.clear()  # before the look: who stops this wakes it afterward
            if self._stopping.is_set():
                return
            try:
                pause_s = self._work()
            except Unavailable as error:
                _log.warning("a pass was not possible", loop=self._name, reason=error.detail)
                pause_s = 10.0
            except Exception:  # noqa: BLE001 a round that fails must not end all later rounds
                _log.exception("a pass failed", loop=self._name)
                pause_s = 10.0
            self._woken.wait(pause_s * self._pace)
