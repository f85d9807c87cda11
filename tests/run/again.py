"""A second try for the few tests on machines that failed: once more, alone, on fresh machines.

An emulated guest next to others sometimes misses the deadline of a test. What fails twice has failed.
What passes the second time is counted as passed and reported as unsteady, with the output of both tries, because the
cause may as well be a race in the product. Never tried again: tests without a machine, failures in more than `MOST`
files, which is no coincidence, and wrong data, which no load excuses.
"""

import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tests.run.command import ROOT, cache_folder
from tests.run.results import NOT_RUN, Case, TierResult
from tests.run.tiers import Tier

MOST = 3
"""Files with failures, of a whole run, that may be a coincidence. A machine that does not boot fails all of a file.

A test that did not run because its prerequisite failed is not a separate failure.
"""
_WRONG_DATA = "wrong blocks"


def to_look_at(tiers: Sequence[Tier], results: Mapping[str, TierResult]) -> list[Tier]:
    """The tiers with failures, narrowed to these where pytest runs them; none if they are not to be run again."""
    failed = {tier.name: [case for case in results[tier.name].cases if case.outcome == "failed"] for tier in tiers}
    every = [case for cases in failed.values() for case in cases]
    files = {case.name.partition("::")[0] for case in every if not case.reason.startswith(NOT_RUN)}
    if len(files) > MOST or any(_WRONG_DATA in case.reason for case in every):
        return []
    if any(failed[tier.name] and not tier.has_machines for tier in tiers):
        return []
    narrowed = [_narrowed(tier, failed[tier.name]) for tier in tiers if failed[tier.name]]
    return [tier for tier in narrowed if tier is not None]


def merged(first: TierResult, second: TierResult) -> TierResult:
    """What a tier did after the second try: a failure counts as passed only if its test now passed."""
    now = {case.name: case.outcome for case in second.cases}
    cases = [replace(case, outcome="passed", unsteady=True) if _steadied(case, now) else case for case in first.cases]
    return replace(first, seconds=first.seconds + second.seconds, cases=cases)


def keep_outputs(tier: Tier, folder: Path) -> Path:
    """Copies what both tries of a tier printed and recorded from the folder of the results, and says where to."""
    kept = cache_folder() / "unsteady" / f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{tier.name}"
    kept.mkdir(parents=True)
    for name, results in (("first", folder), ("second", folder / "again")):
        for suffix in (".log", ".xml"):
            made = results / f"{tier.name}{suffix}"
            if made.exists():
                shutil.copyfile(made, kept / f"{name}{suffix}")
    return kept


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
    return replace(tier, command=(*interpreter, *arguments, "-n", "0", "-p", "no:randomly", results))


def _node_id(name: str) -> str | None:
    """`package.module.Class::test[case]` as pytest names it; None if no file of the tree holds it."""
    dotted, _, test = name.partition("::")
    parts = dotted.split(".")
    for end in range(len(parts), 0, -1):
        path = Path(*parts[:end]).with_suffix(".py")
        if test and (ROOT / path).is_file():
            return "::".join([str(path), *parts[end:], test])
    return None
