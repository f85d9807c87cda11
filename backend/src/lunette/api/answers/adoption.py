"""What becomes of everything that LIO and nvmet serve for others."""

from lunette.api.answers.plans import PlanAnswer
from lunette.domain.targetcli import Finding


class AdoptionAnswer(PlanAnswer):
    """The plan, and a verdict on every object. Nothing has been changed."""

    targets: tuple[str, ...]
    """IQNs and NQNs of the targets and subsystems that are taken over, each with all that is in it."""
    findings: tuple[Finding, ...]
    """Those that fit are taken over; the others say why they stay as they are and what to do about it."""
