"""Result of the adoption of exports that another system created."""

from lunette.api.answers.plans import PlanAnswer
from lunette.domain.targetcli import Finding


class AdoptionAnswer(PlanAnswer):
    """Plan of an adoption, and the result for every object. Nothing has been changed."""

    targets: tuple[str, ...]
    """IQNs of the targets and NQNs of the subsystems that are adopted, each with all that belongs to it."""
    findings: tuple[Finding, ...]
    """Result for every object. Objects that fit are adopted; for the others, the finding gives the reason and the
    action to take."""
