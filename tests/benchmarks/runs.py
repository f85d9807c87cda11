"""A run of a benchmark: what it found, when, where and of which commit."""

from __future__ import annotations

import datetime as dt
import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.output import Table
from tests.run.command import ROOT


@dataclass(frozen=True)
class Facts:
    """What was run, when, and where. `date` is that of UTC, `load` the average of the minute before."""

    commit: str
    date: str
    machine: str
    load: float


@dataclass(frozen=True)
class Run:
    """One run of a benchmark. `failure` is empty if it succeeded; `tables` are those printed until then."""

    facts: Facts
    kernel: str
    minutes: int
    failure: str
    tables: list[Table]


def facts() -> Facts:
    """Those of this moment."""
    return Facts(_commit(), dt.datetime.now(dt.UTC).date().isoformat(), _machine(), round(os.getloadavg()[0], 1))


def as_run(stored: Mapping[str, Any]) -> Run:
    """A run as a record has it."""
    tables = [Table(**table) for table in stored["tables"]]
    return Run(**{**stored, "facts": Facts(**stored["facts"]), "tables": tables})


def _commit() -> str:
    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()

    touched = git("status", "--porcelain", "--", ".", ":(exclude)tests/benchmarks/*.json", ":(exclude)docs")
    return git("rev-parse", "--short=9", "HEAD") + ("+" if touched else "")


def _machine() -> str:
    model = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)
    return f"{os.cpu_count()} × {model[1] if model else os.uname().machine}, {memory:.0f} GiB"
