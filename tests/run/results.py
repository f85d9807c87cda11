"""Reads what tests did from JUnit XML, and prints it as the table at the end of a run."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

Outcome = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True)
class Case:
    """One test and how it ended; `reason` is the first line of the failure or of the skip.

    `unsteady`: it failed at first, for that reason, and passed when it was run once more alone.
    """

    name: str
    outcome: Outcome
    reason: str = ""
    unsteady: bool = False


@dataclass
class TierResult:
    """What a tier did. `remembered` marks a result of an earlier run of the same tree.

    `outputs`: the folder with the output of both tries, where a test was unsteady.
    """

    name: str
    seconds: float
    budget_s: float
    cases: list[Case] = field(default_factory=list)
    remembered: bool = False
    outputs: str = ""

    def count(self, outcome: Outcome) -> int:
        """How many of its tests ended so."""
        return sum(case.outcome == outcome for case in self.cases)


def read_junit(path: Path) -> list[Case]:
    """The test cases of one file; a file that is missing or cut short gives none."""
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError):
        return []
    cases: dict[str, Case] = {}
    for element in root.iter("testcase"):
        case = _case(element)
        # A test that fails and whose teardown fails too is listed twice: it is one failed test.
        if case.name not in cases or case.outcome == "failed":
            cases[case.name] = case
    return list(cases.values())


def _case(element: ElementTree.Element) -> Case:
    name = f"{element.get('classname', '')}::{element.get('name', '')}".removeprefix("::")
    for child in element:
        if child.tag in {"failure", "error"}:
            return Case(name, "failed", _first_line(child))
        if child.tag == "skipped":
            return Case(name, "skipped", _first_line(child))
    return Case(name, "passed")


_INDIRECT = re.compile(r"\bsub-exceptions?\)|PytestUnraisableExceptionWarning|PytestUnhandledThreadExceptionWarning")
"""What only says that something else failed: a group, or what pytest found when it collected garbage."""
_RAISED = re.compile(r"^[|E\s]*((?:\w+\.)*\w+(?:Error|Warning|Exception): .+)$", re.MULTILINE)


def _first_line(element: ElementTree.Element) -> str:
    """The first line of the message; after a message that only points at other exceptions, these too."""
    text = element.get("message") or element.text or ""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "no reason given")
    if _INDIRECT.search(line):
        line = "; ".join(dict.fromkeys([line, *_RAISED.findall(element.text or "")]))
    return line[:600]


NOT_RUN = "skipped, but everything is required here"
"""How the reason begins of a test that counts as failed because it did not run."""


def required(cases: Iterable[Case], allowed_skips: Sequence[str]) -> list[Case]:
    """Turns every skip into a failure, except those whose reason begins as one of the allowed ones does."""
    return [
        Case(
            case.name,
            "failed",
            f"{NOT_RUN}: {case.reason}",
        )
        if case.outcome == "skipped" and not case.reason.startswith(tuple(allowed_skips))
        else case
        for case in cases
    ]


def report(results: Sequence[TierResult], total_s: float, promised_s: float | None = None, pace: float = 1.0) -> str:
    """The table, what failed, what was skipped and why; the last line is the sum and nothing else.

    `total_s` is what the run took and `promised_s` what it may take at its pace, None where nothing is promised.
    """
    lines = [
        "",
        f"{'tier':<16}{'passed':>8}{'failed':>8}{'skipped':>9}{'time':>9}{'budget':>9}",
    ]
    for result in results:
        note = "  earlier run" if result.remembered else "  over budget" if result.seconds > result.budget_s else ""
        lines.append(
            f"{result.name:<16}{result.count('passed'):>8}{result.count('failed'):>8}{result.count('skipped'):>9}"
            f"{_time(result.seconds):>9}{_time(result.budget_s):>9}{note}"
        )
    cases = [(result.name, case) for result in results for case in result.cases]
    lines += _listed(
        "failed",
        [f"{tier}: {case.name}\n      {case.reason}" for tier, case in cases if case.outcome == "failed"],
    )
    lines += _unsteady(results)
    reasons = Counter(f"{tier}: {case.reason}" for tier, case in cases if case.outcome == "skipped")
    lines += _listed("skipped", [f"{count} × {reason}" for reason, count in reasons.items()])
    lines += ["", _total(total_s, promised_s, pace)]
    total = Counter(case.outcome for _, case in cases)
    lines += [
        "",
        f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped",
    ]
    return "\n".join(lines)


def _unsteady(results: Sequence[TierResult]) -> list[str]:
    """Each test that failed at first and passed alone, why it failed, and where the output of both tries is."""
    return [
        line
        for result in results
        for case in result.cases
        if case.unsteady
        for line in ("", f"unsteady: {case.name} ({result.name})", f"      {case.reason}", f"      {result.outputs}")
    ]


def _total(total_s: float, promised_s: float | None, pace: float) -> str:
    """Tiers may run side by side, so this is not the sum of their times."""
    if promised_s is None:
        return f"total {_time(total_s)}"
    late = "  over budget" if total_s > promised_s else ""
    return f"total {_time(total_s)} of {_time(promised_s)} promised (pace {pace:.1f}){late}"


def _listed(title: str, entries: Sequence[str]) -> list[str]:
    return ["", f"{title}:", *(f"  {entry}" for entry in entries)] if entries else []


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"
