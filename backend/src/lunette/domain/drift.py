"""Where the machine and the database differ, in words with the fix."""

from enum import StrEnum

from lunette.domain.base import Model


class DriftKind(StrEnum):
    """refused: the agent serves what it served, because the database is older or another one. unexplained: it is
    served though the database does not ask for it, and nothing says that it was given up. unserved: the database asks
    for it and it is not served now. missing: the database has it and the machine does not. unknown: it carries our mark
    and the database does not know it. foreign: it is not ours.
    """

    REFUSED = "refused"
    UNEXPLAINED = "unexplained"
    UNSERVED = "unserved"
    MISSING = "missing"
    UNKNOWN = "unknown"
    FOREIGN = "foreign"


class Drift(Model):
    """One difference. `is_repaired` is true for what the appliance tries again by itself until it is as wanted."""

    kind: DriftKind
    noun: str
    name: str
    words: str
    fix: str
    is_repaired: bool


class DriftReport(Model):
    """Every difference, what needs a person first. `complete` is false where a part could not be looked at.

    `repaired` counts what the last round of the reconciler put right in the kernel by itself: 0 means that all was as
    wanted. Null: there was no round yet.
    """

    items: tuple[Drift, ...]
    complete: bool
    unseen: tuple[str, ...]
    """What could not be looked at, and why."""
    repaired: int | None
