"""Takes over what LIO and nvmet serve for others (decisions 0033 and 0051): judged object by object, adopted target by
target and subsystem by subsystem. Pure.

Each is taken over whole or not at all, for Lunette would take away what it does not know in one of its own.
"""

from dataclasses import dataclass

from lunette.domain.adopting import Foreign, Verdict
from lunette.domain.identity import IdentitySource
from lunette.domain.observations import Observation
from lunette.domain.plans import Plan
from lunette.planner.adopting.facts import Facts
from lunette.planner.adopting.judge import Judge
from lunette.planner.adopting.nvme_rows import NvmeRows
from lunette.planner.adopting.rows import Maker, Rows
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
    """What can be taken over, of the targets and subsystems `chosen` or of all. Raises Invalid for one that is not
    there.
    """
    judge = Judge(foreign, seen, facts, chosen)
    rows = make_rows(judge, identities)
    names = (*(target.wwn for target in judge.adopted), *(one.nqn for one in judge.nvme.adopted))
    return Adoption(verdict=Verdict(targets=names, findings=judge.findings()), rows=rows, plan=describe(judge, rows))


def make_rows(judge: Judge, identities: IdentitySource) -> Rows:
    """Chooses everything that is new. Empty where nothing is taken over."""
    maker = Maker(judge, identities)
    for target in judge.adopted:
        maker.take(target)
    over_nvme = NvmeRows(maker, judge.nvme)
    for subsystem in judge.nvme.adopted:
        over_nvme.take(subsystem)
    maker.mark()
    return maker.rows
