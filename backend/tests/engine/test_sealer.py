"""The sealer's share of the machine's time; what it writes is in backend/tests/api/test_rebuild.py."""

import threading
import time

from backend.tests.engine.memory_agent import MemoryAgent
from lunette.engine.background.sealer import BREAKS, PERIOD_S, Sealer
from lunette.store.database import Store

LOOK_S = 0.05
PACE = 0.05
"""Changes that come within 0.25 s share a look, and no pause is longer than 3 s."""


class SlowLooks(Sealer):
    """Each look takes long, and another change is there after each."""

    def __init__(self, store: Store) -> None:
        super().__init__(store, MemoryAgent(), pace=PACE)
        self.looks: list[tuple[float, float]] = []
        self.looked = threading.Semaphore(0)

    def round(self) -> float:
        began = time.monotonic()
        time.sleep(LOOK_S)
        self.looks.append((began, time.monotonic()))
        self.looked.release()
        return 0.0


def test_long_observations_are_rare(sqlite_store: Store) -> None:
    sealer = SlowLooks(sqlite_store)
    sealer.start()
    try:
        assert sealer.looked.acquire(timeout=50.0)
        assert sealer.looked.acquire(timeout=50.0), "the next one comes all the same"
    finally:
        sealer.stop()
    (began, ended), (next_began, _) = sealer.looks[:2]
    assert next_began - ended >= min(PERIOD_S * PACE, BREAKS * (ended - began))
