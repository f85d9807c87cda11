"""The one report of `make bench`: what each benchmark found when it was last run, or why it failed.

`report.json` in this directory is the record; `docs/reference/benchmarks.md` is generated from it. Figures
about large sites are also recorded for the release (`releases.py`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from tests.benchmarks import releases
from tests.benchmarks.output import cell, markdown
from tests.benchmarks.runs import Run, as_run
from tests.run.command import ROOT

RECORD = ROOT / "tests/benchmarks/report.json"
DOCUMENT = ROOT / "docs/reference/benchmarks.md"
_REASON_LETTERS = 300


@dataclass(frozen=True)
class Benchmark:
    """A module of this folder. `small` are arguments with which it only shows that it works."""

    name: str
    small: tuple[str, ...]
    about: str
    unasked: bool = True
    """Whether `make bench` runs it by default."""
    module: str = ""
    """Name of the module, if it is another one."""
    words: tuple[str, ...] = ()
    """Arguments that it always has."""

    def argv(self, *, small: bool) -> list[str]:
        """Its words for this Python."""
        return ["-m", f"tests.benchmarks.{self.module or self.name}", *self.words, *(self.small if small else ())]


BENCHMARKS = (
    Benchmark(
        "parity",
        ("1", "1"),
        """\
Random writes of 4 KiB on MD RAID, 32 at a time, on four disks of user-mode Linux (one CPU, files as disks). Every round
uses each setting once, in turn. `ratio` compares with mdadm's defaults in the same round: the median of all rounds,
then the lowest and the highest. If the lowest and the highest lie on both sides of 1.00, neither setting is shown to be
faster. With one CPU the automatic values are the kernel's own; only the chunk (64 instead of 512 KiB) and the log (PPL
with RAID 5, a bitmap with RAID 6; mdadm's arrays have neither) differ from mdadm's defaults.""",
    ),
    Benchmark(
        "exports",
        ("20",),
        """\
The agent's work on LIO over iSCSI, in seconds, on user-mode Linux with one CPU; each volume is mapped to a host group
of four hosts, and a host group has 250 volumes. `restore` creates all exports from an empty state, `again` checks all
exports and changes nothing. `one more` and `one fewer` serve a difference of one volume of a host group, `one host`
another host group with one volume, and `one portal` another portal, on which all targets listen then. `withdraw`
removes all exports. `floor` is the time to replay the writes of the restore with bare system calls. These are medians
of three rounds. `rtslib` is the time that rtslib needs to restore its own file of the same exports, if rtslib ends in
reasonable time. `agent` is the resident memory, in MiB, of an agent that started, loaded its ledger, restored these
exports and was then sent all of them again by the API, `peak` the most that it had until then; `guest` is the memory
that the whole guest used while it served all exports: most of it belongs to the kernel. The last row is the power of
the number of volumes by which a column grows, from 100 on.""",
    ),
    Benchmark(
        "exports-nvme",
        ("20",),
        """\
The same with nvmet over TCP, on QEMU: an emulated computer with one CPU, so only the ratios are worth anything.""",
        unasked=False,
        module="exports",
        words=("nvme",),
    ),
    Benchmark(
        "volumes",
        ("10", "20"),
        """\
A whole appliance on user-mode Linux with one CPU: thin volumes on an array of four disks, created in one change in
addition to those that are there, and deleted in the same parts. `reading` is a list of the disks, `dry run` the plan of
one more volume, `mapping` the time from the request until the host is served, each with a reading of the machine that
is too old to be used; `boot` is the time from the start of the machine until all volumes, each mapped to one host, are
served. The last row is the power of the number of volumes by which a column grows; of a volume created or deleted it
should stay near 0.""",
    ),
    Benchmark(
        "scale",
        ("20,40", "4"),
        """\
The control plane on a large site: 500 hosts, each volume mapped to one host and every fifth volume to two, over SQLite
and loopback without TLS. The agent only reports that it serves everything. `ratio` compares the largest with the
smallest number of volumes in the same run, `power` is the corresponding power of the number of volumes: a list of 50
rows should stay near 0, a list of all volumes would be at 1. Processor time is that of the API and of the client, in
one process; it depends less on other work of the machine. [Large sites](scale.md) has the details.""",
    ),
    Benchmark(
        "first_run",
        (),
        """\
From the first login to data that a host read back, in a real browser on a fresh appliance (user-mode Linux, one CPU):
an array, a volume, a portal, a host and a mapping, in the guided set-up. The browser does not wait for a reader, so
the seconds are those of the page and of the appliance; a person adds the time to read. A test fails above 15
clicks.""",
    ),
    Benchmark(
        "scene",
        (),
        """\
The scene of `make lab` on QEMU, and the speed at which `qemu-img bench`, as the only host, reads and writes one of its
volumes: one connection, sequential, no flush between writes. It compares versions of Lunette on the same computer.""",
        unasked=False,
    ),
    Benchmark(
        "scrape",
        ("10", "100"),
        """\
One scrape of `/metrics`, the best of five by processor time: transferring, naming and writing the counters, without
reading them from the kernel. `ratio` compares the processor time for each sample with that of the first row.""",
        unasked=False,
    ),
)
_HEAD = """\
# Benchmarks

This page shows the last result of each benchmark. `make bench` runs `parity`, `exports`, `volumes`, `scale` and
`first_run`, one after the other, and writes this page; `make bench WHAT=exports` runs only one of them.
`exports-nvme`, `scene` and `scrape` run by name only. A commit with a `+` had changes that were not committed. Figures
depend on the machine that produced them, and no test asserts them. Compare only the ratios: both sides of a ratio come
from the same run.

| benchmark | result | commit | date | minutes | kernel | machine | load before |
|---|---|---|---|---|---|---|---|
"""


def known() -> dict[str, Run]:
    """The last run of each benchmark, by name."""
    if not RECORD.exists():
        return {}
    return {name: as_run(one) for name, one in json.loads(RECORD.read_text()).items()}


def note(name: str, run: Run) -> None:
    """Records the last run of a benchmark, and renders the page again."""
    runs = known() | {name: run}
    listed = {one.name: asdict(runs[one.name]) for one in BENCHMARKS if one.name in runs}
    RECORD.write_text(json.dumps(listed, indent=1) + "\n")
    DOCUMENT.write_text(render(known()))
    releases.note(name, run)


def render(runs: Mapping[str, Run]) -> str:
    """The page: every benchmark that `make bench` runs, those never run too, and what else was run by name."""
    shown = [one for one in BENCHMARKS if one.unasked or one.name in runs]
    rows = [_row(one.name, runs.get(one.name)) for one in shown]
    return _HEAD + "".join(rows) + "".join(_section(one, runs.get(one.name)) for one in shown)


def reason(output: str) -> str:
    """Why a benchmark failed: the last line it wrote, which of an uncaught error is its message."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1][:_REASON_LETTERS] if lines else "it said nothing"


def _row(name: str, run: Run | None) -> str:
    if run is None:
        return f"| `{name}` | never run | | | | | | |\n"
    found = "**failed**" if run.failure else "measured"
    where = run.facts
    shown = (found, where.commit, where.date, run.minutes, run.kernel or "none", where.machine, where.load)
    return f"| `{name}` | {' | '.join(cell(str(one)) for one in shown)} |\n"


def _section(benchmark: Benchmark, run: Run | None) -> str:
    parts = [f"## {benchmark.name}", benchmark.about]
    if run and run.failure:
        parts.append(f"**It failed.** {cell(run.failure)}")
        parts.append("What it had measured by then:" if run.tables else "It had measured nothing by then.")
    for table in run.tables if run else ():
        parts += [f"### {table.title}", markdown(table)]
    return "\n" + "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    DOCUMENT.write_text(render(known()))
    releases.DOCUMENT.write_text(releases.render(releases.known()))
