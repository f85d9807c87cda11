"""Takes over what LIO serves for others (decision 0033): judged object by object, adopted target by target. Pure.

A target is taken over whole or not at all, for Lunette would take away what it does not know in a target of its own.
"""

from dataclasses import dataclass

from lunette.domain.adopting import Foreign, Verdict
from lunette.domain.identity import IdentitySource
from lunette.domain.observations import Observation
from lunette.domain.plans import Plan
from lunette.planner.adopting.facts import Facts
from lunette.planner.adopting.judge import Judge
from lunette.planner.adopting.rows import Rows, make_rows
from lunette.planner.adopting.words import describe


@dataclass(frozen=True)
class Adoption:
    """What becomes of everything, the rows of what is taken over, and the plan in words."""

    verdict: Verdict
    rows: Rows
    plan: Plan


def plan_adopt(
    foreign: Foreign, seen: Observation, facts: Facts, identities: IdentitySource, chosen: tuple[str, ...]
) -> Adoption:
    """What can be taken over, of the targets `chosen` or of all. Raises Invalid for one that is not there."""
    judge = Judge(foreign, seen, facts, chosen)
    rows = make_rows(judge, identities)
    verdict = Verdict(targets=tuple(target.wwn for target in judge.adopted), findings=judge.findings())
    return Adoption(verdict=verdict, rows=rows, plan=describe(judge, rows))
