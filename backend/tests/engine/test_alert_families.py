"""Each thread resolves the alerts of its own families only, so no family may begin with that of another thread."""

from itertools import permutations

from lunette.engine import pools, reconciler, sealer, watcher


def test_no_thread_resolves_the_alerts_of_another() -> None:
    threads = [pools.FAMILIES, reconciler.FAMILIES, sealer.FAMILIES, watcher.FAMILIES]
    taken = [(own, other) for ours, theirs in permutations(threads, 2) for own in ours for other in theirs]
    assert [(own, other) for own, other in taken if own.startswith(other)] == []
