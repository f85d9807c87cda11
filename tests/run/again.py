"""A second look, alone, at the few tests that failed while other lanes had the processors.

Lanes share two processors, and a guest that is emulated beside three neighbours now and then misses what a test waits
for. Such a test runs once more with nothing beside it. What fails again has failed; what passes is told as unsteady,
with what it said at first, because the cause may as well be a race in the product. Never looked at again: more than
`MOST` failures, which is no coincidence, and wrong data, which no load excuses.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tests.run.command import ROOT
from tests.run.results import Case, TierResult
from tests.run.tiers import Tier

MOST = 3
"""Failures of a whole run that may be a coincidence."""
_WRONG_DATA = "wrong blocks"


def to_look_at(tiers: Sequence[Tier], results: dict[str, TierResult]) -> list[Tier]:
    """The tiers with failures, narrowed to these where pytest runs them; none if they are not to be run again."""
    failed = {tier.name: [case for case in results[tier.name].cases if case.outcome == "failed"] for tier in tiers}
    every = [case for cases in failed.values() for case in cases]
    if len(every) > MOST or any(_WRONG_DATA in case.reason for case in every):
        return []
    narrowed = [_narrowed(tier, failed[tier.name]) for tier in tiers if failed[tier.name]]
    return [tier for tier in narrowed if tier is not None]


def merged(first: TierResult, second: TierResult) -> TierResult:
    """What a tier did after the second look: a failure counts as passed only if its test now passed."""
    now = {case.name: case.outcome for case in second.cases}
    cases = [replace(case, outcome="passed", unsteady=True) if _steadied(case, now) else case for case in first.cases]
    return replace(first, seconds=first.seconds + second.seconds, cases=cases)


def _steadied(case: Case, now: Mapping[str, str]) -> bool:
    return case.outcome == "failed" and now.get(case.name) == "passed"


def _narrowed(tier: Tier, failed: Sequence[Case]) -> Tier | None:
    """The tier with these tests alone; None if one of them is no test, as with a tier that was stopped."""
    if not tier.is_pytest:
        return tier  # a browser's test works on what those before it have made
    ids = [_node_id(case.name) for case in failed]
    if None in ids:
        return None
    interpreter, results = tier.command[:3], tier.command[-1]
    arguments = [str(node) for node in ids]
    return replace(
        tier,
        command=(*interpreter, *arguments, "-n", "0", "-p", "no:randomly", results),
    )


def _node_id(name: str) -> str | None:
    """`package.module.Class::test[case]` as pytest names it; None if no file of the tree holds it."""
    dotted, _, test = name.partition("::")
    parts = dotted.split(".")
    for end in range(len(parts), 0, -1):
        path = Path(*parts[:end]).with_suffix(".py")
        if test and (ROOT / path).is_file():
            return "::".join([str(path), *parts[end:], test])
    return None
