"""Input of one converging round in addition to the desired state."""

from collections.abc import Callable

from lunette.domain.base import Model


def _at_once() -> None:
    """The round is not interrupted."""


class Turn(Model):
    keep_stale: bool = False
    """Nothing is removed: for a start without a ledger that could explain present exports."""
    released_ports: frozenset[str] = frozenset()
    """WWPNs of Fibre Channel ports that were managed until now."""
    overdue: frozenset[str] = frozenset()
    """IQNs and NQNs of targets and subsystems that have waited long enough for their missing volumes: they open without
    them."""
    breathe: Callable[[], None] = _at_once
    """Called between small pieces of work, where the round may be interrupted, or ended by an exception."""


PLAIN = Turn()
