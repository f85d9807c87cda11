"""The actor of a change, and its outcome."""

from lunette.domain.base import Model
from lunette.domain.plans import Plan


class Actor(Model):
    """The actor of a change, as named in events and jobs: `admin`, or `token:backup`."""

    name: str
    came_to: str | None = None
    """The appliance's address that received the request; None if it came from the machine itself."""


class Outcome(Model):
    """The result of a change. A dry run has only a plan: no job, no IDs, nothing written."""

    plan: Plan
    job_id: str | None = None
    ids: tuple[str, ...] = ()
    """IDs of the created or changed objects, in the order of the request."""
