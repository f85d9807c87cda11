"""Who asks, and what comes of it."""

from lunette.domain.base import Model
from lunette.domain.plans import Plan


class Actor(Model):
    """Who asks for a change, as events and jobs name them: `admin`, or `token:backup`."""

    name: str
    came_to: str | None = None
    """The address of ours that the request came to; None if it came from the machine itself."""


class Outcome(Model):
    """The answer to a change. A dry run has a plan only: no job, no ids, nothing written."""

    plan: Plan
    job_id: str | None = None
    ids: tuple[str, ...] = ()
    """Ids of what was created or changed, in the order asked for."""
