"""The test runner tells the truth: nothing that failed, hung or did not run is counted as passed."""

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.e2e.waiting import wait_until
from tests.machines import pace
from tests.machines.process import OwnedProcess, is_alive
from tests.run import suite
from tests.run.command import ROOT, run_quietly, run_shown
from tests.run.memory import Memory, tree_digest
from tests.run.results import Case, TierResult, read_junit, report, required
from tests.run.tiers import Suite, Tier, blocks, load

_JUNIT = """<testsuites><testsuite>
<testcase classname="a" name="good"/>
<testcase classname="a" name="bad"><failure message="assert 1 == 2&#10;more">long text</failure></testcase>
<testcase classname="a" name="bad"><error message="teardown too"/></testcase>
<testcase classname="a" name="absent"><skipped message="SPDK is not packaged by Debian"/></testcase>
</testsuite></testsuites>"""


def _tier(*command: str, needs: tuple[str, ...] = (), deadline_s: float = 30) -> Tier:
    return Tier("sample", "a sample", "sample", "", 0, needs, 10, deadline_s, False, command, False)


def _suite(*allowed_skips: str) -> Suite:
    return Suite((), allowed_skips)


def _writing(junit: str, code: int = 0) -> tuple[str, ...]:
    program = f"import sys; open(sys.argv[1], 'w').write({junit!r}); sys.exit({code})"
    return sys.executable, "-c", program, "{results}/sample.xml"


def test_results_are_read_with_their_reasons(tmp_path: Path) -> None:
    (tmp_path / "r.xml").write_text(_JUNIT)
    assert read_junit(tmp_path / "r.xml") == [
        Case("a::good", "passed"),
        Case("a::bad", "failed", "teardown too"),
        Case("a::absent", "skipped", "SPDK is not packaged by Debian"),
    ]


def test_what_was_not_closed_is_named_also_where_several_things_were_not(tmp_path: Path) -> None:
    """pytest reports them as a group, whose own message says only how many they are."""
    (tmp_path / "pytest.toml").write_text('[pytest]\nfilterwarnings = ["error"]\n')
    (tmp_path / "test_leak.py").write_text(
        "import gc, socket\n"
        "def leak():\n"
        "    for found in (socket.socket(socket.AF_UNIX), socket.socket()):\n"
        "        circle = [found]\n"
        "        circle.append(circle)\n"
        "def test_one():\n"
        "    leak()\n"
        "    gc.collect()\n"
    )
    argv = [sys.executable, "-m", "pytest", "-q", f"--rootdir={tmp_path}", "--junitxml=r.xml", "test_leak.py"]
    subprocess.run(argv, cwd=tmp_path, capture_output=True, check=False, timeout=60)
    (case,) = read_junit(tmp_path / "r.xml")
    assert case.outcome == "failed"
    assert "2 sub-exceptions" in case.reason
    assert case.reason.count("ResourceWarning: unclosed <socket.socket") == 2


def test_a_cut_results_file_gives_nothing(tmp_path: Path) -> None:
    (tmp_path / "r.xml").write_text(_JUNIT[:80])
    assert read_junit(tmp_path / "r.xml") == []
    assert read_junit(tmp_path / "none.xml") == []


def test_where_all_is_required_only_an_allowed_reason_may_skip() -> None:
    cases = [Case("a", "skipped", "SPDK is not packaged"), Case("b", "skipped", "no root"), Case("c", "passed")]
    assert [case.outcome for case in required(cases, ["SPDK"])] == ["skipped", "failed", "passed"]


def test_a_tier_whose_need_is_missing_is_skipped_or_failed_where_all_is_required(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    tier = _tier(*_writing(_JUNIT), needs=("chromium",))
    lax = suite.run_tier(tier, _suite(), require_all=False, folder=tmp_path)
    strict = suite.run_tier(tier, _suite(), require_all=True, folder=tmp_path)
    assert (lax.count("skipped"), lax.count("failed")) == (1, 0)
    assert (strict.count("skipped"), strict.count("failed")) == (0, 1)
    assert "chromium not on the PATH: run `make deps`" in strict.cases[0].reason


def test_a_tier_that_passes_is_counted(tmp_path: Path) -> None:
    junit = '<testsuite><testcase classname="a" name="good"/></testsuite>'
    result = suite.run_tier(_tier(*_writing(junit)), _suite(), require_all=True, folder=tmp_path)
    assert result.cases == [Case("a::good", "passed")]


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ((sys.executable, "-c", "raise SystemExit(5)"), "no test ran (exit code 5)"),
        ((sys.executable, "-c", "pass"), "no test ran (exit code 0)"),
        (_writing('<testsuite><testcase classname="a" name="good"/></testsuite>', 3), "exit code 3 although no test"),
    ],
)
def test_a_broken_tier_is_a_failure(tmp_path: Path, command: tuple[str, ...], reason: str) -> None:
    result = suite.run_tier(_tier(*command), _suite(), require_all=False, folder=tmp_path)
    assert [case.outcome for case in result.cases][-1] == "failed"
    assert reason in result.cases[-1].reason


def test_a_tier_that_hangs_is_stopped_at_its_deadline(tmp_path: Path) -> None:
    tier = _tier(sys.executable, "-c", "import time; time.sleep(60)", deadline_s=0.5)
    result = suite.run_tier(tier, _suite(), require_all=False, folder=tmp_path)
    assert "not finished after its deadline" in result.cases[0].reason


def test_a_tier_that_is_ended_leaves_no_machine_running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUNETTE_STATE", str(tmp_path / "run"))
    program = (
        "import signal, sys, time\n"
        "from pathlib import Path\n"
        "from tests.machines.process import spawn\n"
        "from tests.machines.state import StateFolder\n"
        "signal.signal(signal.SIGINT, signal.SIG_DFL)\n"
        "folder = StateFolder('slow')\n"
        "record = folder.create('qemu', {}, kept=False)\n"
        "guest = record.processes['guest'] = spawn(['sleep', '600'], folder.path / 'log', cwd=folder.path)\n"
        "folder.write(record)\n"
        "Path(sys.argv[1], 'guest').write_text(f'{guest.pid} {guest.started}')\n"
        "time.sleep(600)"
    )
    tier = _tier(sys.executable, "-c", program, "{results}", deadline_s=10)
    suite.run_tier(tier, _suite(), require_all=False, folder=tmp_path)
    guest = OwnedProcess(*map(int, (tmp_path / "guest").read_text().split()))
    assert not is_alive(guest)
    assert not (tmp_path / "run" / "slow").exists()


def test_a_run_that_is_terminated_ends_its_tiers_politely(tmp_path: Path) -> None:
    """Started as a shell starts what it puts into the background: with SIGINT ignored."""
    tier = (
        "import pathlib, sys, time\n"
        "folder = pathlib.Path(sys.argv[1])\n"
        "try: (folder / 'started').touch(); time.sleep(60)\n"
        "except KeyboardInterrupt: (folder / 'cleaned').touch()"
    )
    program = (
        "import sys; from pathlib import Path; from tests.run import suite; from tests.run.tiers import *\n"
        "suite.end_as_with_ctrl_c()\n"
        f"command = (sys.executable, '-c', {tier!r}, '{{results}}')\n"
        "tier = Tier('sample', 'a sample', 'sample', '', 0, (), 10, 60, False, command, False)\n"
        f"suite.run_tiers([tier], Suite((), ()), True, Path({str(tmp_path)!r}))"
    )
    run = subprocess.Popen(["sh", "-c", 'trap "" INT; exec "$0" "$@"', sys.executable, "-c", program], cwd=ROOT)
    wait_until("the tier runs", (tmp_path / "started").exists, deadline_s=30, pause_s=0.05)
    run.terminate()
    assert run.wait(timeout=30) != 0
    assert (tmp_path / "cleaned").exists()


def test_lanes_run_side_by_side_and_each_line_says_whose_it_is(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Each of two tiers waits for a file of the other one, so neither ends unless both run."""

    def tier(name: str, other: str) -> Tier:
        program = (
            "import pathlib, sys, time\n"
            "folder, own, other = pathlib.Path(sys.argv[1]), *sys.argv[2:]\n"
            "(folder / own).touch(); print('from', own)\n"
            "while not (folder / other).exists(): time.sleep(0.01)\n"
            "(folder / f'{own}.xml').write_text('<testsuite><testcase classname=\"a\" name=\"b\"/></testsuite>')"
        )
        return replace(_tier(sys.executable, "-c", program, "{results}", name, other), name=name, lane=name)

    results = suite.run_tiers([tier("left", "right"), tier("right", "left")], _suite(), True, tmp_path)
    assert [(result.name, result.count("passed")) for result in results] == [("left", 1), ("right", 1)]
    out = capfd.readouterr().out
    assert "left   | from left" in out
    assert "right  | from right" in out


def test_only_neighbours_with_a_lane_run_side_by_side() -> None:
    lanes = {"unit": "", "a": "x", "b": "y", "c": "x", "last": ""}
    tiers = [replace(_tier(), name=name, lane=lane) for name, lane in lanes.items()]
    names = [[[tier.name for tier in lane] for lane in block] for block in blocks(tiers)]
    assert names == [[["unit"]], [["a", "c"], ["b"]], [["last"]]]


@pytest.mark.parametrize(("nice", "lanes", "longer"), [(0, 3, 1.0), (2, 1, 1.5625), (2, 3, 4.6875), (9, 3, 6.0)])
def test_a_tier_that_gives_way_waits_longer(
    nice: int,
    lanes: int,
    longer: float,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(pace.ENVIRONMENT, "1.00")
    monkeypatch.setenv("PYTEST_TIMEOUT", "120")
    program = "import os; print('has', *(os.environ[name] for name in ('LUNETTE_PACE', 'PYTEST_TIMEOUT')))"
    suite.run_tier(replace(_tier(sys.executable, "-c", program), nice=nice), _suite(), False, tmp_path, lanes)
    assert f"has {longer:.2f} {120 * longer:.0f}" in capfd.readouterr().out


def test_output_passes_through(capfd: pytest.CaptureFixture[str]) -> None:
    assert run_shown("x", [sys.executable, "-c", "print('seen')"], deadline_s=20).code == 0
    assert "seen" in capfd.readouterr().out
    assert run_quietly([sys.executable, "-c", "print('kept')"], deadline_s=20).output == "kept\n"


def test_a_tier_that_gives_way_runs_with_its_nice_value(capfd: pytest.CaptureFixture[str]) -> None:
    program = "import os; print('nice', os.nice(0), open('/proc/self/autogroup').read() if %r else '')"
    session = Path("/proc/self/autogroup").exists()
    before = os.nice(0)
    assert run_shown("x", [sys.executable, "-c", program % session], deadline_s=20, nice=3).code == 0
    shown = capfd.readouterr().out
    assert f"nice {before + 3} " in shown
    assert not session or shown.rstrip().endswith("nice 3")


def test_the_last_line_is_the_sum_and_nothing_else() -> None:
    cases = [Case("a", "passed"), Case("b", "failed", "why"), Case("c", "skipped", "reason")]
    text = report([TierResult("unit", 61, 30, cases)], 100)
    assert text.splitlines()[-1] == "1 passed, 1 failed, 1 skipped"
    assert "over budget" in text
    assert "unit: b\n      why" in text
    assert "1 × unit: reason" in text


@pytest.mark.parametrize(
    ("total_s", "begins_at", "reported"),
    [
        (1175, 1.0, "total 19:35 of 20:00 promised (pace 1.0)"),
        (1201, 1.0, "total 20:01 of 20:00 promised (pace 1.0)  over budget"),
        (1201, 1.5, "total 20:01 of 30:00 promised (pace 1.5)"),
        (7200, None, "total 120:00"),
    ],
)
def test_the_time_of_the_whole_run_is_reported_against_what_was_promised(
    total_s: float, begins_at: float | None, reported: str
) -> None:
    """Not the sum of the tiers: some run side by side."""
    results = [TierResult("unit", 1200, 1300, [Case("a", "passed")]), TierResult("qemu", 1100, 1200)]
    promise = (suite.PROMISED_S * begins_at, begins_at) if begins_at else ()
    assert report(results, total_s, *promise).splitlines()[-3] == reported


@pytest.mark.parametrize(
    ("words", "reported"), [((), r"total 0:\d\d of 20:00 promised \(pace 1\.0\)"), (("sample",), r"total 0:\d\d")]
)
def test_only_a_whole_run_is_held_against_the_promise(words: tuple[str, ...], reported: str) -> None:
    command = _writing('<testsuite><testcase classname="a" name="good"/></testsuite>')
    program = (
        "import sys; from tests.run import suite; from tests.run.tiers import *\n"
        f"tier = Tier('sample', 'a sample', 'sample', '', 0, (), 10, 60, False, {command!r}, False)\n"
        "suite.load = lambda: Suite((tier,), ()); suite.pace.measure_native = lambda **_: 1.0\n"
        "sys.exit(suite.main())"
    )
    run = run_quietly([sys.executable, "-c", program, *words], deadline_s=60, cwd=ROOT)
    assert run.code == 0, run.output
    *_, total, nothing, counts = run.output.splitlines()
    assert re.fullmatch(reported, total), run.output
    assert (nothing, counts) == ("", "1 passed, 0 failed, 0 skipped")


@pytest.fixture
def timed(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A run has begun at a pace of 1 and knows no other clock than `now`; `pace` is what it measures from then on."""
    time = SimpleNamespace(now=0.0, pace=1.0)
    for variable in (pace.ENVIRONMENT, "PYTEST_TIMEOUT"):
        monkeypatch.setenv(variable, "1")
    monkeypatch.setattr(pace, "measure_native", lambda **_: time.pace)
    monkeypatch.setattr(suite, "time", SimpleNamespace(monotonic=lambda: time.now))
    monkeypatch.setattr(suite, "_measured_at", None)
    suite._measure_pace()
    return time


def test_a_machine_that_grows_slow_later_has_longer_waits_and_never_shorter_ones(timed: SimpleNamespace) -> None:
    found = []
    for timed.now, timed.pace in ((30, 2.0), (100, 2.0), (200, 1.2), (210, 4.0), (300, 4.0)):
        suite._measure_pace_again()
        found.append((os.environ[pace.ENVIRONMENT], os.environ["PYTEST_TIMEOUT"]))
    assert found == [("1.00", "120"), ("2.00", "240"), ("2.00", "240"), ("2.00", "240"), ("4.00", "480")]


def test_where_no_run_has_begun_nothing_is_measured(timed: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite, "_measured_at", None)
    timed.now, timed.pace = 100, 2.0
    suite._measure_pace_again()
    assert pace.native() == 1.0


@pytest.mark.parametrize(
    ("words", "begins_at", "took_s", "code"),
    [
        ((), 1.0, 1201, 0),
        (("--strict-time",), 1.0, 1200, 0),
        (("--strict-time",), 1.0, 1201, 1),
        (("--strict-time",), 1.5, 1800, 0),
        (("--strict-time",), 1.5, 1801, 1),
    ],
)
def test_a_late_run_fails_only_where_the_time_is_strict(
    timed: SimpleNamespace,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    begins_at: float,
    took_s: float,
    code: int,
) -> None:
    """Against the pace at which the run began: that its own lanes slow each other down is part of the promise."""

    def run_tiers(*_: object, **__: object) -> list[TierResult]:
        timed.now, timed.pace = timed.now + took_s, 3.0
        suite._measure_pace_again()
        return [TierResult("unit", 1, 1, [Case("a", "passed")])]

    timed.pace = begins_at
    monkeypatch.setattr(sys, "argv", ["suite", *words])
    monkeypatch.setattr(suite, "end_as_with_ctrl_c", lambda: None)
    monkeypatch.setattr(suite, "load", _suite)
    monkeypatch.setattr(suite, "run_tiers", run_tiers)
    assert suite.main() == code
    assert pace.native() == 3.0


def test_the_time_of_a_part_cannot_be_strict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["suite", "--full", "--strict-time"])
    with pytest.raises(SystemExit):
        suite._arguments(_suite())


def test_only_a_shard_that_passed_is_remembered_and_only_for_its_tree(tmp_path: Path) -> None:
    good = TierResult("unit", 3, 10, [Case("a", "passed")])
    memory = Memory(tmp_path, "tree-1")
    memory.remember("backend", [good])
    memory.remember("ui", [TierResult("ui", 3, 10, [Case("a", "failed", "x")])])
    again = Memory(tmp_path, "tree-1").passed("backend")
    assert again is not None
    assert again[0].cases == good.cases
    assert again[0].remembered
    assert memory.passed("ui") is None
    assert Memory(tmp_path, "tree-2").passed("backend") is None


def test_the_digest_follows_the_content_of_the_tree(tmp_path: Path) -> None:
    run_quietly(["git", "init", "-q"], deadline_s=20, cwd=tmp_path)
    (tmp_path / "a").write_text("1")
    first = tree_digest(tmp_path)
    assert tree_digest(tmp_path) == first
    (tmp_path / "a").write_text("2")
    assert tree_digest(tmp_path) != first


def test_no_shard_may_take_more_than_an_hour() -> None:
    tiers = load().tiers
    for shard in load().shards():
        assert sum(tier.deadline_s for tier in tiers if tier.shard == shard) <= 60 * 60, shard
