"""A test on machines that failed runs once more alone, and the end of the run says so."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.run import again, needs, suite
from tests.run.results import Case, TierResult, report, required
from tests.run.tiers import Suite, Tier

_FAILS_UNTIL = """
import pathlib, sys
results, needed = pathlib.Path(sys.argv[1]), int(sys.argv[2])
count = pathlib.Path(sys.argv[3])
runs = int(count.read_text()) + 1 if count.exists() else 1
count.write_text(str(runs))
print("output of run", runs)
child = "" if runs > needed else f"<failure message='{sys.argv[4]} of run {runs}'/>"
text = f"<testsuite><testcase classname='a' name='b'>{child}</testcase></testsuite>"
(results / "sample.xml").write_text(text)
sys.exit(0 if runs > needed else 1)
"""
_HERE = "tests.repository.test_second_look"
_PATH = "tests/repository/test_second_look.py"


def _tier(*command: str, is_pytest: bool = False, needs: tuple[str, ...] = ("image",)) -> Tier:
    return Tier("sample", "a sample", "sample", "", 0, needs, 10, 30, False, command, is_pytest)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own, and no image that would have to be built."""
    monkeypatch.setenv("LUNETTE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(needs, "missing", lambda need: None)
    return tmp_path / "cache"


def _run(
    folder: Path, fails: int, *, second_look: bool = True, why: str = "late", needed: tuple[str, ...] = ("image",)
) -> TierResult:
    argv = (sys.executable, "-c", _FAILS_UNTIL, "{results}", str(fails), str(folder / "count"), why)
    return suite.run_tiers([_tier(*argv, needs=needed)], Suite((), ()), True, folder, second_look=second_look)[0]


def test_a_test_that_passes_alone_counts_as_passed_and_is_reported_with_both_outputs(
    tmp_path: Path, cache: Path
) -> None:
    result = _run(tmp_path, fails=1)
    assert result.cases == [Case("a::b", "passed", "late of run 1", unsteady=True)]
    (kept,) = (cache / "unsteady").iterdir()
    assert (kept / "first.log").read_text() == "output of run 1\n"
    assert (kept / "second.log").read_text() == "output of run 2\n"
    assert "late of run 1" in (kept / "first.xml").read_text()
    text = report([result], 100)
    assert f"unsteady: a::b (sample)\n      late of run 1\n      {kept}" in text
    assert text.splitlines()[-1] == "1 passed, 0 failed, 0 skipped"


def test_a_test_that_fails_again_has_failed_for_its_first_reason(tmp_path: Path) -> None:
    result = _run(tmp_path, fails=5)
    assert result.cases == [Case("a::b", "failed", "late of run 1")]
    assert (tmp_path / "count").read_text() == "2"


@pytest.mark.parametrize(
    ("second_look", "why", "needed"),
    [(False, "late", ("image",)), (True, "/dev/sda: 3 wrong blocks", ("image",)), (True, "late", ())],
    ids=["the whole matrix", "wrong data", "a tier without machines"],
)
def test_what_has_no_second_try(tmp_path: Path, second_look: bool, why: str, needed: tuple[str, ...]) -> None:
    assert _run(tmp_path, 1, second_look=second_look, why=why, needed=needed).count("failed") == 1
    assert (tmp_path / "count").read_text() == "1"


def _failures(*names: str) -> dict[str, TierResult]:
    return {"sample": TierResult("sample", 1, 10, [Case(name, "failed", "late") for name in names])}


def test_pytest_runs_only_the_tests_that_failed() -> None:
    argv = (sys.executable, "-m", "pytest")
    tier = _tier(*argv, "tests", "-n", "3", "--junitxml=s", is_pytest=True)
    [narrowed] = again.to_look_at([tier], _failures(f"{_HERE}::test_one[a.b::c]", f"{_HERE}.TestOf::test_two"))
    nodes = f"{_PATH}::test_one[a.b::c]", f"{_PATH}::TestOf::test_two"
    assert narrowed.command == (*argv, *nodes, "-n", "0", "-p", "no:randomly", "--junitxml=s")


def test_a_machine_that_failed_all_tests_of_a_file_is_one_failure() -> None:
    tier = _tier("python", "-m", "pytest", "--junitxml=s", is_pytest=True)
    [narrowed] = again.to_look_at([tier], _failures(*(f"{_HERE}::test_{n}" for n in range(20))))
    assert len(narrowed.command) == len(tier.command) + 20 + 4


def test_what_did_not_run_for_lack_of_another_is_not_a_failure_of_its_own() -> None:
    """In a browser the first file makes what those after it look at."""
    tier = _tier("web", is_pytest=False)
    rest = [Case(f"file{n}::test", "skipped", "no reason given") for n in range(again.MOST + 1)]
    cases = required([Case("first::test", "failed", "late"), *rest], ())
    assert {case.outcome for case in cases} == {"failed"}
    assert again.to_look_at([tier], {"sample": TierResult("sample", 1, 10, cases)}) == [tier]


@pytest.mark.parametrize(
    "names",
    [("sample",), ("no.such.module::test",), tuple(f"a{n}::test" for n in range(again.MOST + 1))],
    ids=["stopped", "no test of the tree", "too many files"],
)
def test_a_tier_that_was_stopped_or_failed_at_large_is_not_run_again(names: tuple[str, ...]) -> None:
    tier = _tier("python", "-m", "pytest", "--junitxml=s", is_pytest=True)
    assert again.to_look_at([tier], _failures(*names)) == []
    assert again.to_look_at([replace(tier, is_pytest=False)], _failures("a::b")) != []
