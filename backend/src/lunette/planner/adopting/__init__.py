"""Adopts exports that LIO and nvmet serve for other systems (decisions 0033 and 0051): judged by object, adopted by
target and subsystem. Pure.

Each is adopted completely or not at all, because Lunette removes unknown objects from its own targets and subsystems.
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
    """The verdict on every object, the rows of adopted objects, and the plan in words."""

    verdict: Verdict
    rows: Rows
    plan: Plan


def plan_adopt(
    foreign: Foreign, seen: Observation, facts: Facts, identities: IdentitySource, chosen: tuple[str, ...]
) -> Adoption:
    """Plans to adopt the targets and subsystems `chosen`, or all. Raises Invalid for one that does not exist."""
    judge = Judge(foreign, seen, facts, chosen)
    rows = make_rows(judge, identities)
    names = (*(target.wwn for target in judge.adopted), *(one.nqn for one in judge.nvme.adopted))
    return Adoption(verdict=Verdict(targets=names, findings=judge.findings()), rows=rows, plan=describe(judge, rows))


def make_rows(judge: Judge, identities: IdentitySource) -> Rows:
    """Chooses all new names and identities. Empty if nothing is adopted."""
    maker = Maker(judge, identities)
    for target in judge.adopted:
        maker.take(target)
    over_nvme = NvmeRows(maker, judge.nvme)
    for subsystem in judge.nvme.adopted:
        over_nvme.take(subsystem)
    maker.mark()
    return maker.rows
