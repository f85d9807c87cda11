"""The report of the benchmarks says what was measured, and what failed; one that fails stops no other."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import replace
from pathlib import Path

import pytest

import lunette
from tests.benchmarks import __main__ as bench
from tests.benchmarks import output, releases, report, runs
from tests.benchmarks.output import Table
from tests.benchmarks.releases import ABOUT
from tests.benchmarks.report import BENCHMARKS, Benchmark
from tests.benchmarks.runs import Facts, Run
from tests.run import command
from tests.run.command import Ran, run_shown

GOOD = """
from tests.benchmarks.output import print_kernel, print_table
print_kernel("7.1 (user-mode)")
print_table("sizes", ("what", "ratio"), [("one | two", "1.25")])
"""
BAD = GOOD + 'raise RuntimeError("the guest ended")'
ASKED = (Benchmark("one", (), "The first."), Benchmark("two", (), "The second."))


@pytest.fixture(autouse=True)
def paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A record and a page of its own, and a commit that needs no git."""
    monkeypatch.setattr(report, "RECORD", tmp_path / "report.json")
    monkeypatch.setattr(report, "DOCUMENT", tmp_path / "report.md")
    monkeypatch.setattr(report, "BENCHMARKS", (*ASKED, Benchmark("three", (), "By name only.", unasked=False)))
    monkeypatch.setattr(releases, "RECORD", tmp_path / "releases.json")
    monkeypatch.setattr(releases, "DOCUMENT", tmp_path / "releases.md")
    monkeypatch.setattr(releases, "ABOUT", {"one": "The first"})
    monkeypatch.setattr(runs, "_commit", lambda: "abc123def")
    return tmp_path / "report.md"


def _programs(monkeypatch: pytest.MonkeyPatch, **programs: str) -> None:
    """What stands for the modules of the benchmarks, by their names."""

    def shown(label: str, argv: list[str], *, deadline_s: float, env: dict[str, str], log: Path) -> Ran:
        return run_shown(label, [argv[0], "-c", programs[label]], deadline_s=deadline_s, env=env, log=log)

    monkeypatch.setattr(bench, "run_shown", shown)


def _row(paper: Path, name: str) -> list[str]:
    (line,) = [line for line in paper.read_text().splitlines() if line.startswith(f"| `{name}`")]
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_one_that_fails_says_so_and_the_others_run(paper: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _programs(monkeypatch, one=BAD, two=GOOD)
    assert bench.main([]) == 1
    assert [_row(paper, "one")[1], _row(paper, "two")[1]] == ["**failed**", "measured"]
    first, second = paper.read_text().split("## one")[1].split("## two")
    assert "**It failed.** RuntimeError: the guest ended\n\nWhat it had measured by then:" in first
    assert "failed" not in second
    table = "### sizes\n\n| what | ratio |\n| --- | ---: |\n| one \\| two | 1.25 |\n"
    assert table in first
    assert table in second


def test_a_row_shows_commit_date_kernel_and_machine(paper: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _programs(monkeypatch, one=GOOD, two=GOOD)
    assert bench.main([]) == 0
    _, result, commit, date, minutes, kernel, machine, load = _row(paper, "two")
    assert (result, commit, minutes, kernel) == ("measured", "abc123def", "0", "7.1 (user-mode)")
    assert date.startswith("20")
    assert "GiB" in machine
    assert float(load) >= 0


def test_one_that_is_named_runs_alone_and_leaves_the_others_on_the_page(
    paper: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _programs(monkeypatch, one=BAD, three=GOOD)
    assert bench.main(["one"]) == 1
    assert bench.main(["three"]) == 0
    assert [_row(paper, name)[1] for name in ("one", "two", "three")] == ["**failed**", "never run", "measured"]
    with pytest.raises(SystemExit) as refused:
        bench.main(["four"])
    assert refused.value.code == 2


def test_a_trial_writes_nothing(paper: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _programs(monkeypatch, one=GOOD, two=BAD)
    assert bench.main(["--small"]) == 1
    assert not paper.exists()


def test_one_that_never_ends_is_reported_as_that(monkeypatch: pytest.MonkeyPatch) -> None:
    _programs(monkeypatch, one=GOOD + "import time; time.sleep(60)")
    monkeypatch.setattr(bench, "_DEADLINE_S", 1.0)
    ran = bench.run(ASKED[0])
    assert ran.failure.startswith("not finished after")
    assert [table.title for table in ran.tables] in ([], ["sizes"])


def test_the_record_holds_all_that_the_page_is_made_of(paper: Path) -> None:
    ran = Run(Facts("abc", "2026-01-01", "2 × CPU, 4 GiB", 0.5), "7.1", 3, "", [Table("t", ["a", "b"], [["x", "1"]])])
    report.note("one", ran)
    report.note("two", replace(ran, failure="no memory", tables=[]))
    assert report.known()["one"] == ran
    assert "**It failed.** no memory\n\nIt had measured nothing by then." in paper.read_text()
    assert report.render(report.known()) == paper.read_text()
    assert list(json.loads(report.RECORD.read_text())) == ["one", "two"]


def test_the_figures_of_a_release_stay_when_the_next_is_measured(paper: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ran(figure: str) -> Run:
        tables = [Table("t", ["a", "b"], [["x", figure]])]
        return Run(Facts("abc", "2026-01-01", "2 × CPU, 4 GiB", 0.5), "7.1", 3, "", tables)

    report.note("one", ran("1"))
    monkeypatch.setattr(lunette, "__version__", "9.0.0")
    for figure in ("2", "3"):
        report.note("one", ran(figure))
    report.note("one", replace(ran("4"), failure="no memory"))
    report.note("two", ran("5"))
    page = (paper.parent / "releases.md").read_text()
    new, old = page.split("## 9.0.0")[1].split("## 0.")
    assert "The first" in new
    assert ["| x | 3 |" in new, "| x | 1 |" in old] == [True, True]
    assert [f"| x | {figure} |" in page for figure in "245"] == [False, False, False]


def test_a_table_on_the_terminal_has_its_figures_one_below_the_other() -> None:
    assert output.plain(Table("t", ["what", "ratio"], [["a long name", "1.00"], ["b", "10.00"]])).splitlines() == [
        "what         ratio",
        "a long name   1.00",
        "b            10.00",
    ]


def test_the_pages_of_the_tree_are_what_their_records_make(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "BENCHMARKS", BENCHMARKS)
    monkeypatch.setattr(report, "RECORD", command.ROOT / "tests/benchmarks/report.json")
    monkeypatch.setattr(releases, "ABOUT", ABOUT)
    monkeypatch.setattr(releases, "RECORD", command.ROOT / "tests/benchmarks/releases.json")
    pages = command.ROOT / "docs/reference"
    advice = "run `python -m tests.benchmarks.report`"
    assert (pages / "benchmarks.md").read_text() == report.render(report.known()), advice
    assert (pages / "scale.md").read_text() == releases.render(releases.known()), advice


def test_every_benchmark_is_a_module_and_make_bench_runs_five() -> None:
    assert all(importlib.util.find_spec(one.argv(small=True)[1]) for one in BENCHMARKS)
    assert [one.name for one in BENCHMARKS if one.unasked] == ["parity", "exports", "volumes", "scale", "first_run"]
