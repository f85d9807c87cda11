"""Drift: differences between desired and observed state, each with the action to take."""

from enum import StrEnum

from lunette.domain.base import Model


class DriftKind(StrEnum):
    """Kind of a difference between desired and observed state."""

    REFUSED = "refused"
    """The agent refuses the desired state because the database is older or a different one, and serves the earlier
    exports."""
    UNEXPLAINED = "unexplained"
    """An export is served although the desired state does not contain it and no recorded request removes it."""
    UNSERVED = "unserved"
    """An export of the desired state is not served now."""
    MISSING = "missing"
    """An object of the desired state does not exist on the machine."""
    UNKNOWN = "unknown"
    """An object on the machine belongs to this appliance, but the database does not contain it."""
    FOREIGN = "foreign"
    """An object on the machine does not belong to this appliance. Lunette never changes it."""


class Drift(Model):
    """One difference between desired and observed state."""

    kind: DriftKind
    """Kind of the difference."""
    noun: str
    """Kind of the object, such as `array`."""
    name: str
    """Name of the object."""
    words: str
    """Description of the difference."""
    fix: str
    """Recommended action."""
    is_repaired: bool
    """Whether the appliance corrects the difference automatically, and retries until it succeeds."""


class DriftReport(Model):
    """All differences between desired and observed state."""

    items: tuple[Drift, ...]
    """Differences, the most serious kinds first."""
    complete: bool
    """Whether all parts of the machine could be inspected."""
    unseen: tuple[str, ...]
    """Parts that could not be inspected, each with the reason."""
    repaired: int | None
    """Number of kernel objects that the agent changed in its last comparison; 0 if all exports were correct. `null` if
    there was no comparison yet."""
