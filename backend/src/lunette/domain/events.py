"""The outcome of a change, derived from the kind of its event."""

from enum import StrEnum

FAILED_VERBS = ("failed", "stuck", "stopped", "missed")
"""A verb ends with one of these, such as `volume.create_failed`, where something was not done as it was asked for."""
BEGUN_KINDS = ("job.created", "schedule.run_asked", "volume.rolling_back")
"""In addition to every verb in -ing, such as `volume.creating`: the following job reports the end."""


class EventOutcome(StrEnum):
    """Outcome of the change that an event reports."""

    BEGUN = "begun"
    """The change has started; the job that follows reports its end."""
    DONE = "done"
    """The change is complete, or the event reports an observation."""
    FAILED = "failed"
    """The change failed, was undone, is stuck or did not take place."""


def outcome_of(kind: str) -> EventOutcome:
    """What an event of this kind (noun.verb) reports."""
    if kind.endswith(FAILED_VERBS):
        return EventOutcome.FAILED
    if kind in BEGUN_KINDS or kind.endswith("ing"):
        return EventOutcome.BEGUN
    return EventOutcome.DONE
