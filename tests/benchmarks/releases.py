"""The figures of each release about large sites, so that a later release can be compared with it.

`releases.json` in this directory is the record; `docs/reference/scale.md` is generated from it. A run replaces the
figures of the version it was made with, and a run that failed replaces nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict

import lunette
from tests.benchmarks.output import markdown
from tests.benchmarks.runs import Run, as_run
from tests.run.command import ROOT

RECORD = ROOT / "tests/benchmarks/releases.json"
DOCUMENT = ROOT / "docs/reference/scale.md"
ABOUT = {
    "exports": "Exports over iSCSI",
    "exports-nvme": "Exports over NVMe/TCP",
    "volumes": "Volumes",
    "scale": "The API and the page",
}
"""The benchmarks whose figures stay, and their headings, in the order of the page."""
_HEAD = """\
# Large sites

This page shows what a large site costs in each release of Lunette. `make bench WHAT='exports exports-nvme volumes
scale'` measures it, and replaces the figures of the version that was measured. [Benchmarks](benchmarks.md) explains
every column.

Seconds and milliseconds depend on the machine and on its other work. Compare releases by the columns that do not:
`power` is the exponent by which a figure grows with the number of volumes (0: it stays the same, 1: it grows as they
do), and `restore/floor` compares with bare system calls in the same run.
"""
Releases = dict[str, dict[str, Run]]
"""Runs by version, then by name of the benchmark."""


def known() -> Releases:
    """The record."""
    stored = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    return {version: {name: as_run(run) for name, run in runs.items()} for version, runs in stored.items()}


def note(name: str, run: Run) -> None:
    """Records a run as that of this version, and renders the page again."""
    if name not in ABOUT or run.failure:
        return
    releases = known()
    runs = releases.pop(lunette.__version__, {}) | {name: run}
    releases = {lunette.__version__: runs} | releases
    stored = {version: {one: asdict(run) for one, run in runs.items()} for version, runs in releases.items()}
    RECORD.write_text(json.dumps(stored, indent=1) + "\n")
    DOCUMENT.write_text(render(known()))


def render(releases: Mapping[str, Mapping[str, Run]]) -> str:
    """The page: the latest release first."""
    parts = [_HEAD.rstrip()]
    for version, runs in releases.items():
        parts.append(f"## {version}")
        for name, heading in ABOUT.items():
            if run := runs.get(name):
                parts += _section(heading, run)
    return "\n\n".join(parts) + "\n"


def _section(heading: str, run: Run) -> list[str]:
    where = run.facts
    measured = f"Commit {where.commit}, {where.date}, kernel {run.kernel}, {where.machine}."
    parts = [f"### {heading}", measured]
    for table in run.tables:
        parts += [f"{table.title}:", markdown(table)]
    return parts
