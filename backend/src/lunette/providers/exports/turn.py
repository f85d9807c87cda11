"""Input of one converging round in addition to the desired state."""

from lunette.domain.base import Model


class Turn(Model):
    keep_stale: bool = False
    """Nothing is removed: for a start without a ledger that could explain present exports."""
    released_ports: frozenset[str] = frozenset()
    """WWPNs of Fibre Channel ports that were managed until now."""
    overdue: frozenset[str] = frozenset()
    """IQNs and NQNs of targets and subsystems that have waited long enough for their missing volumes: they open without
    them."""


PLAIN = Turn()
