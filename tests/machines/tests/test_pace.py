"""A wait is as long as the machine of today is slow, and never shorter than it was chosen."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, cast

import pytest

from lunette.client import Client, Endpoint
from tests.lab import access
from tests.lab.access import PatientClient
from tests.machines import pace
from tests.machines.machine import Machine
from tests.run import web
from tests.run.command import ROOT

ON_MACHINES = ("e2e", "initiators", "lab", "machines")
"""The folders whose tests wait for machines."""
PAUSES = {"2.0", "STILL_S"}
"""Between a question of the console and its answer, and between two signs of life: nothing fails after them."""
ALONE = {"forward.py", "twin.py"}
"""Programs that run without our modules, in a name space or a guest."""
NUMBER_OF_MS = re.compile(r"(?i)(timeout\w*\s*[:(]|_MS\s*=)\s*\d|\d_000\b")
"""A wait in a browser test that is a number."""


class Guest:
    """Counts what it is asked, and takes its time."""

    kind: ClassVar[str] = "uml"

    def __init__(self, moves: list[float]) -> None:
        self.asked = 0
        self._moves = moves

    def check(self, command: str, /) -> str:
        self.asked += 1
        self._moves.pop(0)
        return ""


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is known of guests, and the run says that this machine is as fast as that of the waits."""
    monkeypatch.setattr(pace, "_guests", {})
    monkeypatch.setenv(pace.ENVIRONMENT, "1.00")


def clock_of(monkeypatch: pytest.MonkeyPatch, moves: list[float]) -> None:
    """A clock that has moved on by the next of these each time a guest was asked."""
    total = sum(moves)
    monkeypatch.setattr(time, "monotonic", lambda: total - sum(moves))


def test_a_slow_machine_waits_longer_and_a_quick_one_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    for reported, factor in (("2.50", 2.5), ("0.40", 1.0), ("50", pace.MOST)):
        monkeypatch.setenv(pace.ENVIRONMENT, reported)
        assert pace.factor() == factor
        assert pace.within(10.0) == 10.0 * factor
        assert pace.deadline(10.0, lambda: 100.0) == 100.0 + 10.0 * factor


@pytest.mark.parametrize(("took", "factor"), [((1, 9, 1), 1.0), ((3, 3, 1), 3.0), ((0.5, 0.5, 0.5), 1.0)])
def test_one_disturbed_sample_does_not_weigh(
    monkeypatch: pytest.MonkeyPatch, took: tuple[float, ...], factor: float
) -> None:
    samples = [times * pace.NATIVE_S for times in took]
    monkeypatch.setattr(pace, "_sample", samples.pop)
    assert pace.measure_native(samples=3) == pytest.approx(factor)


def test_a_sample_is_the_time_of_real_work() -> None:
    assert pace._sample() > pace.NATIVE_S / 10


def test_who_belongs_to_no_run_measures_once_and_says_it_to_what_it_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(pace.ENVIRONMENT)
    measured = [1.5]
    monkeypatch.setattr(pace, "measure_native", measured.pop)
    assert (pace.native(), pace.native()) == (1.5, 1.5)
    assert os.environ[pace.ENVIRONMENT] == "1.50"


def test_a_guest_is_timed_once_by_the_better_of_two_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    moves = [9.0, 3 * pace.GUEST_S["uml"]]
    clock_of(monkeypatch, moves)
    first, second = Guest(moves), Guest(moves)
    pace.measure_guest(first)
    pace.measure_guest(second)
    assert (first.asked, second.asked) == (2, 0)
    assert pace.factor() == pytest.approx(3.0)


def test_a_test_of_a_slow_run_may_take_longer_wherever_it_is(tmp_path: Path) -> None:
    """The timeouts of markers follow the pace, as the one of pytest.toml does by the environment."""
    timeouts = {"backend/tests/cli/test_terminal.py": 120, "tests/machines/tests/test_machines.py": 900}
    (tmp_path / "told.py").write_text(
        "def pytest_collection_finish(session):\n"
        "    for item in session.items:\n"
        "        print(item.location[0], item.get_closest_marker('timeout').kwargs['timeout'])\n"
    )
    environment = {**os.environ, pace.ENVIRONMENT: "2.5", "PYTHONPATH": str(tmp_path)}
    argv = [sys.executable, "-m", "pytest", "-p", "told", "--collect-only", "-q", *timeouts]
    said = subprocess.run(argv, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert {f"{file} {timeout * 2.5}" for file, timeout in timeouts.items()} <= set(said.stdout.splitlines())


def test_a_client_of_a_slow_run_waits_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    def reported(_client: Client, _job: object, **options: Any) -> dict[str, Any]:
        return options

    monkeypatch.setenv(pace.ENVIRONMENT, "2.5")
    monkeypatch.setattr(Client, "wait", reported)
    client = PatientClient(Endpoint(url="https://127.0.0.1", fingerprint=""), timeout_s=10.0)
    assert client._wire.timeout_s == 25.0
    assert client.wait({}, deadline_s=100.0)["deadline_s"] == 250.0


def test_the_browser_waits_for_the_slowest_of_machine_and_guest(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, str] = {}

    def run(_argv: list[str], *, env: dict[str, str], **_: object) -> SimpleNamespace:
        seen.update(env)
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(pace, "_guests", {"uml": 3.0})
    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(web, "public_key_hash", lambda url: f"the key of {url}")
    assert web.playwright(cast("Machine", SimpleNamespace(api_url="a")), [], {}) == 0
    assert (seen[pace.ENVIRONMENT], seen["LUNETTE_SPKI"]) == ("3.00", "the key of a")


def is_fixed(value: ast.expr) -> bool:
    """A number, a constant, or a sum of such: nothing that was multiplied."""
    match value:
        case ast.Constant():
            return isinstance(value.value, int | float)
        case ast.Name():
            return value.id.isupper()
        case ast.BinOp():
            return is_fixed(value.left) and is_fixed(value.right)
    return False


def is_unscaled(node: ast.expr | ast.keyword) -> bool:
    """A wait that stays as it is on a slow machine."""
    match node:
        case ast.keyword(arg="timeout", value=value):
            return is_fixed(value)
        case ast.Call(func=ast.Name(id="Client" | "fetch_fingerprint")):
            return True
        case ast.BinOp(left=ast.Call(func=ast.Attribute(attr="monotonic")), op=ast.Add(), right=right):
            return is_fixed(right) and ast.unparse(right) not in PAUSES
    return False


def unscaled(text: str) -> list[int]:
    """The lines with such waits."""
    nodes = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.expr | ast.keyword))
    return sorted({node.lineno for node in nodes if is_unscaled(node)})


def test_no_test_on_machines_has_a_wait_that_the_pace_does_not_reach() -> None:
    at_the_source = [Path(str(module.__file__)) for module in (access, pace)]
    paths = [path for folder in ON_MACHINES for path in sorted((ROOT / "tests" / folder).rglob("*.py"))]
    found = {
        str(path.relative_to(ROOT)): lines
        for path in paths
        if path.name not in ALONE and path not in at_the_source and (lines := unscaled(path.read_text()))
    }
    assert found == {}, "take `within` or `deadline` of tests/machines/pace.py, PatientClient or fingerprint_of"


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("subprocess.run(argv, timeout=120)", True),
        ("subprocess.run(argv, timeout=DEADLINE_S)", True),
        ("subprocess.run(argv, timeout=_CONNECT_S + 30.0)", True),
        ("subprocess.run(argv, timeout=within(120))", False),
        ("subprocess.run(argv, timeout=deadline_s)", False),
        ("Client(endpoint, timeout_s=300.0)", True),
        ("PatientClient(endpoint, timeout_s=300.0)", False),
        ("fetch_fingerprint(url)", True),
        ("end = time.monotonic() + 60", True),
        ("end = time.monotonic() + seconds", False),
        ("machine.check('sync', timeout_s=120)", False),
    ],
)
def test_a_number_as_a_wait_is_found(text: str, is_found: bool) -> None:
    assert bool(unscaled(text)) == is_found


def test_no_browser_test_has_a_wait_that_the_pace_does_not_reach() -> None:
    frontend = ROOT / "frontend"
    unscaled = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in sorted([*frontend.glob("e2e/**/*.ts"), *frontend.glob("playwright*.ts")])
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if NUMBER_OF_MS.search(line)
    ]
    assert unscaled == [], "write `within(seconds)` of frontend/e2e/pace.ts instead"


@pytest.mark.parametrize(
    "line",
    [
        "timeout: 600_000,",
        "expect: { timeout: 5000 },",
        "await expect(row).toBeVisible({ timeout: 240000 })",
        "test.setTimeout(90 * 1000)",
        "await page.waitForTimeout(50)",
        "actionTimeout: 1e4,",
        "export const JOB_MS = 240000",
        "const patience = 240_000",
    ],
)
def test_a_number_as_a_wait_of_a_browser_test_is_found(line: str) -> None:
    assert NUMBER_OF_MS.search(line)
    assert not NUMBER_OF_MS.search("timeout: within(600),")
