"""libiscsi's conformance tests (`iscsi-test-cu`) put to a LUN from outside of every guest, and what they found."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from typing import Literal

from tests.machines.pace import within

Outcome = Literal["passed", "failed", "skipped"]

_TEST = re.compile(r"^  Test: (\S+) \.\.\.", re.MULTILINE)
_ENDED = re.compile(r"^(passed|FAILED)", re.MULTILINE)
_SKIPPED = re.compile(r"\[SKIPPED\] *(.*)")
DEADLINE_S = 300.0
"""For one suite; the slowest takes 20 s where nothing else runs."""


@dataclass(frozen=True)
class Asked:
    """One test of a suite; `said` is the first reason of a skip, or what was expected and did not come."""

    suite: str
    test: str
    outcome: Outcome
    said: str


def suites() -> list[str]:
    """The names of all suites that this libiscsi knows, in its own order."""
    listed = subprocess.run(["iscsi-test-cu", "--list"], capture_output=True, text=True, check=False).stdout
    return re.findall(r"^ALL\.(\w+)$", listed, re.MULTILINE)


def ask(suite: str, url: str, first: str, second: str) -> list[Asked]:
    """Runs one suite, what it overwrites included. `first` and `second` are the initiator names it uses.

    The LUN is given twice: the second way is the multipath tests'. Raises AssertionError if the suite did not run to
    its end, with the end of what it printed.
    """
    names = ["--initiator-name", first, "--initiator-name-2", second]
    argv = ["iscsi-test-cu", "--dataloss", "--Verbose-scsi", *names, "--test", f"ALL.{suite}"]
    ended = subprocess.run([*argv, url, url], capture_output=True, timeout=within(DEADLINE_S), check=False)
    output = ended.stdout.decode(errors="replace")
    if "Run Summary" not in output:
        raise AssertionError(f"{suite} ended with {ended.returncode}: {output[-2000:]}{ended.stderr[-2000:]!r}")
    return read_output(suite, output)


def read_output(suite: str, output: str) -> list[Asked]:
    """The tests in what CUnit's console interface printed for one suite."""
    parts = _TEST.split(output.partition("Run Summary")[0])
    return [_read(suite, test, text) for test, text in zip(parts[1::2], parts[2::2], strict=True)]


def _read(suite: str, test: str, text: str) -> Asked:
    ended = _ENDED.search(text)
    skipped = _SKIPPED.search(text)
    if ended is None or ended[1] == "FAILED":
        wrong = re.search(r"\[FAILED\] *(.*)", text)
        return Asked(suite, test, "failed", wrong[1].strip() if wrong else text.strip()[-300:])
    if skipped:
        return Asked(suite, test, "skipped", skipped[1].strip())
    return Asked(suite, test, "passed", "")
