"""What is counted must be what was done."""

from __future__ import annotations

from lunette.client import Endpoint
from tests.e2e.waiting import wait_until
from tests.initiators.fio import Done
from tests.lab.scrape import Scrape, scrape

TIME = "lunette_counted_timestamp_seconds"
WITHIN = 0.01
Expected = dict[str, int]


def fresh(endpoint: Endpoint) -> Scrape:
    """Metrics of a pass that began after the call."""
    before = scrape(endpoint).sum(TIME)
    return wait_until(
        "the counters are read anew", lambda: found if (found := scrape(endpoint)).sum(TIME) != before else None
    )


def of_volume(done: Done) -> Expected:
    """What a volume's metrics must have grown by."""
    return {
        "lunette_volume_reads_total": done.reads,
        "lunette_volume_read_bytes_total": done.read_bytes,
        "lunette_volume_writes_total": done.writes,
        "lunette_volume_written_bytes_total": done.written_bytes,
    }


def of_session(done: Done) -> Expected:
    """What a session's metrics must have grown by."""
    return {
        "lunette_session_commands_total": done.reads + done.writes,
        "lunette_session_read_bytes_total": done.read_bytes,
        "lunette_session_written_bytes_total": done.written_bytes,
    }


def assert_agrees(before: Scrape, after: Scrape, expected: Expected, **labels: str) -> None:
    """Each metric grew by what was done, within 1 %."""
    grown = {name: (after.sum(name, **labels) or 0) - (before.sum(name, **labels) or 0) for name in expected}
    wrong = {
        name: f"counted {grown[name]:.0f}, done {done}"
        for name, done in expected.items()
        if abs(grown[name] - done) > WITHIN * done
    }
    assert not wrong, f"{labels}: {wrong}"
