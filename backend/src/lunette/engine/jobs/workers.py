"""Threads that run queued jobs. The queue is only a hint: the database knows which jobs are unfinished."""

import queue
import threading
from collections.abc import Callable

import structlog

from lunette.domain.jobs import JobState

STOP_S = 5.0
RETRY_S = 5.0
"""Pause after a job could not even be journaled: the database is full or busy."""
_log = structlog.get_logger("lunette.engine")


class Workers:
    """`run` runs one job; a job is never run twice at the same time."""

    def __init__(self, run: Callable[[str], JobState], count: int = 4) -> None:
        self._run = run
        self._count = count
        self._queue: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._queued: set[str] = set()
        self._running: set[str] = set()
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        self._stopping.clear()
        self._threads = [
            threading.Thread(target=self._work, name=f"job-worker-{number}", daemon=True)
            for number in range(self._count)
        ]
        for thread in self._threads:
            thread.start()

    def enqueue(self, job_id: str) -> None:
        """Queues a job; one that is running is checked once more when it ends, because it may have been resolved
        since.
        """
        with self._lock:
            if job_id in self._queued:
                return
            self._queued.add(job_id)
        self._queue.put(job_id)

    def wait(self, seconds: float) -> bool:
        """Waits; True as soon as the process is stopping."""
        return self._stopping.wait(seconds)

    def stop(self) -> None:
        """A job in the middle of a step is left to the next start: its journal records its progress."""
        self._stopping.set()
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join(STOP_S)

    def _work(self) -> None:
        while (job_id := self._queue.get()) is not None and not self._stopping.is_set():
            with self._lock:
                if job_id in self._running:
                    self._queue.put(job_id)
                    busy = True
                else:
                    self._queued.discard(job_id)
                    self._running.add(job_id)
                    busy = False
            if busy:
                self.wait(0.05)
                continue
            self._run_one(job_id)

    def _run_one(self, job_id: str) -> None:
        try:
            self._run(job_id)
        except Exception:  # noqa: BLE001 the journal still has the job; it is resumed
            _log.exception("a job could not continue", job=job_id)
            if not self.wait(RETRY_S):
                self.enqueue(job_id)
        finally:
            with self._lock:
                self._running.discard(job_id)
