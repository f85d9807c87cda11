"""What the kind of an event says about how the change ended that it tells of."""

from enum import StrEnum

FAILED_VERBS = ("failed", "stuck", "stopped", "missed")
"""A verb ends with one of these, such as `volume.create_failed`, where something was not done as it was asked for."""
BEGUN_KINDS = ("job.created", "schedule.run_asked")
"""Besides every verb in -ing, such as `volume.creating`: the job that follows tells the end."""


class EventOutcome(StrEnum):
    """begun: a job follows. done: it is so now, or was seen. failed: it was not done, was taken back or is stuck."""

    BEGUN = "begun"
    DONE = "done"
    FAILED = "failed"


def outcome_of(kind: str) -> EventOutcome:
    """What an event of this kind (noun.verb) tells."""
    if kind.endswith(FAILED_VERBS):
        return EventOutcome.FAILED
    if kind in BEGUN_KINDS or kind.endswith("ing"):
        return EventOutcome.BEGUN
    return EventOutcome.DONE
