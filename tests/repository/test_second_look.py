"""A test that failed beside other lanes is run once more alone, and what that makes of it is told."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.run import again, suite
from tests.run.results import Case, TierResult, report
from tests.run.tiers import Suite, Tier

_FAILS_UNTIL = """
import pathlib, sys
results, needed = pathlib.Path(sys.argv[1]), int(sys.argv[2])
count = pathlib.Path(sys.argv[3])
runs = int(count.read_text()) + 1 if count.exists() else 1
count.write_text(str(runs))
child = "" if runs > needed else f"<failure message='{sys.argv[4]} of run {runs}'/>"
text = f"<testsuite><testcase classname='a' name='b'>{child}</testcase></testsuite>"
(results / "sample.xml").write_text(text)
sys.exit(0 if runs > needed else 1)
"""


def _tier(name: str, lane: str, *command: str, is_pytest: bool = False) -> Tier:
    return Tier(name, "a sample", "sample", lane, 0, (), 10, 30, False, command, is_pytest)


def _run(
    folder: Path,
    fails: int,
    *,
    lanes: int = 2,
    second_look: bool = True,
    why: str = "late",
) -> TierResult:
    argv = (
        sys.executable,
        "-c",
        _FAILS_UNTIL,
        "{results}",
        str(fails),
        str(folder / "count"),
        why,
    )
    passes = '<testsuite><testcase classname="a" name="good"/></testsuite>'
    beside = (
        sys.executable,
        "-c",
        f"import sys; open(sys.argv[1], 'w').write({passes!r})",
        "{results}/beside.xml",
    )
    tiers = [_tier("sample", "x", *argv), _tier("beside", "y", *beside)][:lanes]
    return suite.run_tiers(tiers, Suite((), ()), True, folder, second_look=second_look)[0]


def test_a_test_that_passes_alone_is_passed_and_told_as_unsteady(
    tmp_path: Path,
) -> None:
    result = _run(tmp_path, fails=1)
    assert result.cases == [Case("a::b", "passed", "late of run 1", unsteady=True)]
    text = report([result], 100)
    assert "unsteady: failed beside other lanes and passed alone:\n  sample: a::b\n      late of run 1" in text
    assert text.splitlines()[-1] == "1 passed, 0 failed, 0 skipped"


def test_a_test_that_fails_again_has_failed_for_its_first_reason(
    tmp_path: Path,
) -> None:
    result = _run(tmp_path, fails=5)
    assert result.cases == [Case("a::b", "failed", "late of run 1")]
    assert (tmp_path / "count").read_text() == "2"


@pytest.mark.parametrize(
    ("lanes", "second_look", "why"),
    [(1, True, "late"), (2, False, "late"), (2, True, "/dev/sda: 3 wrong blocks")],
)
def test_what_failed_alone_in_the_whole_matrix_or_by_wrong_data_is_not_run_again(
    tmp_path: Path, lanes: int, second_look: bool, why: str
) -> None:
    assert _run(tmp_path, 1, lanes=lanes, second_look=second_look, why=why).count("failed") == 1
    assert (tmp_path / "count").read_text() == "1"


def _failures(*names: str) -> dict[str, TierResult]:
    return {"sample": TierResult("sample", 1, 10, [Case(name, "failed", "late") for name in names])}


def test_pytest_runs_only_the_tests_that_failed() -> None:
    here = "tests.repository.test_second_look"
    tier = _tier(
        "sample",
        "x",
        sys.executable,
        "-m",
        "pytest",
        "tests",
        "-n",
        "3",
        "--junitxml=s",
        is_pytest=True,
    )
    [narrowed] = again.to_look_at([tier], _failures(f"{here}::test_one[a.b::c]", f"{here}.TestOf::test_two"))
    path = "tests/repository/test_second_look.py"
    nodes = f"{path}::test_one[a.b::c]", f"{path}::TestOf::test_two"
    assert narrowed.command == (
        *tier.command[:3],
        *nodes,
        "-n",
        "0",
        "-p",
        "no:randomly",
        "--junitxml=s",
    )


@pytest.mark.parametrize(
    "names",
    [
        ("sample",),
        ("no.such.module::test",),
        tuple(f"a::{n}" for n in range(again.MOST + 1)),
    ],
)
def test_a_tier_that_was_stopped_or_failed_at_large_is_not_run_again(
    names: tuple[str, ...],
) -> None:
    tier = _tier("sample", "x", "python", "-m", "pytest", "--junitxml=s", is_pytest=True)
    assert again.to_look_at([tier], _failures(*names)) == []
    assert again.to_look_at([replace(tier, is_pytest=False)], _failures("a::b")) != []
