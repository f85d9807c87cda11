"""Observation of the SPDK process: the report about a process that had to be killed."""

from lunette.domain.base import Model


class SpdkEnded(Model):
    """The program answered nothing for `silent_s` seconds, so at `at` (seconds since the epoch) it was to be ended."""

    at: float
    silent_s: float
    reason: str
    """What its last answer, or none, came to."""
    is_ended: bool
    """False if it could not be ended: it is not run by its unit."""
    is_back: bool
    """Whether it has been given what it serves since."""
