"""`make test`, `make e2e` and `make test-full`: runs tiers one after the other and says at the end what ran."""

import argparse
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.machines import pace
from tests.run import again, matrix, needs
from tests.run.command import ROOT, Ran, cache_folder, run_shown, stopping
from tests.run.memory import Memory, tree_digest
from tests.run.results import Case, TierResult, read_junit, report, required
from tests.run.tiers import Suite, Tier, blocks, load

PROMISED_S = 20 * 60
"""What a whole `make test` may take on 2 cores without KVM once the caches are warm, at a pace of 1."""
TEST_S = 120
"""What a test without a timeout of its own may take at a pace of 1, as in pytest.toml."""
NICE_STEP = 1.25
"""What one step of nice(1) is worth: the processor time of neighbors is in that proportion (sched(7))."""
FRESH_S = 60
"""For so long a pace that was measured is taken for that of now."""
_measuring = threading.Lock()
_measured_at: float | None = None
"""When the pace was measured last; None before a run has begun."""


def main() -> int:
    """Runs what was asked for; the exit code is 1 if anything failed or was missing though required.

    With `--strict-time` it is 1 too where the run took longer than was promised for the pace at which it began.
    """
    end_as_with_ctrl_c()
    suite = load()
    asked = _arguments(suite)
    if asked.shard == "list":
        print("\n".join(f"{shard:<16}{_contents(suite, shard)}" for shard in suite.shards()))
        return 0
    started = time.monotonic()
    _measure_pace()
    began_at = pace.native()
    promised_s = None if asked.full or asked.tiers else PROMISED_S * began_at
    with tempfile.TemporaryDirectory(prefix="lunette-results-") as folder:
        results = _run_full(suite, asked, Path(folder)) if asked.full else _run_some(suite, asked, Path(folder))
    total_s = time.monotonic() - started
    print(report(results, total_s, promised_s, began_at), flush=True)
    is_late = asked.strict_time and promised_s is not None and total_s > promised_s
    return 1 if is_late or any(result.count("failed") for result in results) else 0


def _measure_pace() -> None:
    """Times this machine before anything runs on it: for what was promised, and for the waits of the first tiers."""
    _keep_pace(pace.measure_native(samples=5, pause_s=0.25))
    print(f"pace: waits are {pace.native():.2f} times as long as on the machine they were chosen on", flush=True)


def _measure_pace_again() -> None:
    """Measures the machine again when a tier begins, while others run: from then on waits may be longer, never shorter.

    Skipped if the last measurement is recent; one lane at a time, because parallel measurements slow each other down.
    """
    with _measuring:
        if _measured_at is None or time.monotonic() - _measured_at < FRESH_S:
            return
        before = pace.native()
        _keep_pace(max(before, pace.measure_native()))
        if pace.native() > before:
            print(f"pace: what begins from now on has waits {pace.native():.2f} times as long", flush=True)


def _keep_pace(factor: float) -> None:
    """All waits of what begins from now on follow it: those of tiers here, the others by the environment."""
    global _measured_at
    pace.keep_native(factor)
    os.environ |= _patience(factor)
    _measured_at = time.monotonic()


def _remove_machines(environment: Mapping[str, str]) -> None:
    """Removes what a command that was ended had no time to stop: a machine is slower to go than `run_shown` waits."""
    sweep = [sys.executable, "-m", "tests.machines", "sweep"]
    subprocess.run(sweep, cwd=ROOT, env={**os.environ, **environment}, check=False, stdin=subprocess.DEVNULL)


def _patience(factor: float) -> dict[str, str]:
    """What a command that runs tests finds in its environment: how long it may wait, and how long a test may take."""
    factor = min(factor, pace.MOST)
    return {pace.ENVIRONMENT: f"{factor:.2f}", "PYTEST_TIMEOUT": f"{TEST_S * factor:.0f}"}


def end_as_with_ctrl_c() -> None:
    """SIGTERM breaks a run off as Ctrl-C does: machines and servers are stopped, nothing is left behind.

    SIGINT is set too: a shell that starts us in the background has us and all our children ignore it.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)


def _arguments(suite: Suite) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make test", description=__doc__)
    parser.add_argument(
        "tiers",
        nargs="*",
        choices=[[], *(tier.name for tier in suite.tiers)],
        help="only these",
    )
    parser.add_argument(
        "--require-all",
        action="store_true",
        help="what cannot run here fails instead of being skipped",
    )
    parser.add_argument(
        "--full",
        action="store_true",
        help="the whole matrix, without the shards that passed before",
    )
    parser.add_argument(
        "--shard",
        choices=["list", *suite.shards()],
        help="one shard of the whole matrix, or their list",
    )
    parser.add_argument(
        "--strict-time",
        action="store_true",
        help="a run that takes longer than promised at its pace has failed",
    )
    asked = parser.parse_args()
    if asked.strict_time and (asked.full or asked.tiers):
        parser.error("--strict-time: only a whole `make test` has a promised time")
    return asked


def _contents(suite: Suite, shard: str) -> str:
    tiers = [tier for tier in suite.tiers if tier.shard == shard]
    return "; ".join(tier.what for tier in tiers) + f" ({sum(tier.budget_s for tier in tiers) / 60:.0f} min)"


def _run_some(suite: Suite, asked: argparse.Namespace, folder: Path) -> list[TierResult]:
    chosen = [tier for tier in suite.tiers if (tier.name in asked.tiers if asked.tiers else not tier.only_full)]
    return run_tiers(chosen, suite, asked.require_all, folder, second_look=True)


def _run_full(suite: Suite, asked: argparse.Namespace, folder: Path) -> list[TierResult]:
    seed = secrets.randbelow(1 << 32)
    os.environ["PYTEST_ADDOPTS"] = f"{os.environ.get('PYTEST_ADDOPTS', '')} --hypothesis-seed={seed}".strip()
    print(f"properties and requests are drawn anew: --hypothesis-seed={seed}", flush=True)
    memory = Memory(cache_folder() / "test-full", tree_digest())
    results: list[TierResult] = []
    for shard in [asked.shard] if asked.shard else suite.shards():
        known = None if asked.shard else memory.passed(shard)
        if known is None:
            chosen = [tier for tier in suite.tiers if tier.shard == shard]
            known = run_tiers(chosen, suite, asked.require_all, folder)
            memory.remember(shard, known)
            matrix.note(shard, chosen, known, suite)
        results += known
    return results


def run_tiers(
    chosen: Sequence[Tier],
    suite: Suite,
    require_all: bool,
    folder: Path,
    *,
    second_look: bool = False,
) -> list[TierResult]:
    """Runs tiers in their order, lanes of one block side by side.

    `second_look`: what failed on machines runs once more, alone, as `again` says.
    """
    results: dict[str, TierResult] = {}
    for lanes in blocks(chosen):
        with ThreadPoolExecutor(len(lanes)) as pool:
            runs = [pool.submit(_run_lane, lane, suite, require_all, folder, len(lanes)) for lane in lanes]
            try:
                for run in runs:
                    results |= {result.name: result for result in run.result()}
            except BaseException:
                stopping.set()
                raise
        if second_look:
            results |= _second_look([tier for lane in lanes for tier in lane], results, suite, require_all, folder)
    return [results[tier.name] for tier in chosen]


def _second_look(
    tiers: Sequence[Tier], results: dict[str, TierResult], suite: Suite, require_all: bool, folder: Path
) -> dict[str, TierResult]:
    """The results of tiers whose failed tests were run again, with both."""
    (folder / "again").mkdir(exist_ok=True)
    found = {}
    for tier in again.to_look_at(tiers, results):
        print(f"\n{tier.name}: what failed is run once more, alone", flush=True)
        second = run_tier(tier, suite, require_all, folder / "again")
        found[tier.name] = again.merged(results[tier.name], second)
        if any(case.unsteady for case in found[tier.name].cases):
            found[tier.name].outputs = str(again.keep_outputs(tier, folder))
    return found


def _run_lane(
    tiers: Sequence[Tier],
    suite: Suite,
    require_all: bool,
    folder: Path,
    lanes: int,
) -> list[TierResult]:
    return [run_tier(tier, suite, require_all, folder, lanes) for tier in tiers if not stopping.is_set()]


def run_tier(
    tier: Tier,
    suite: Suite,
    require_all: bool,
    folder: Path,
    lanes: int = 1,
) -> TierResult:
    """Runs one tier and counts it: a missing need is a skip, or a failure where all is required.

    With several parallel `lanes`, each line names its tier, and each lane has a separate folder for its machines.
    """
    mark = f"{tier.name:<7}| " if lanes > 1 else ""
    print(f"\n{mark}== {tier.name}: {tier.what}", flush=True)
    started = time.monotonic()
    reasons = [f"needs {need}: {reason}" for need in tier.needs if (reason := needs.missing(need))]
    if reasons:
        cases = [Case(tier.name, "skipped", "; ".join(reasons))]
    else:
        environment = tier.environment | ({"LUNETTE_REQUIRE_ALL": "1"} if require_all else {})
        if lanes > 1:
            environment["LUNETTE_STATE"] = f"{os.environ.get('LUNETTE_STATE') or cache_folder() / 'run'}-{tier.lane}"
        _measure_pace_again()
        deadline_s = tier.deadline_s * pace.native()
        if tier.nice:
            environment |= _patience(pace.native() * lanes * NICE_STEP**tier.nice)
        ran = run_shown(
            tier.name,
            tier.argv(folder),
            deadline_s=deadline_s,
            env=environment,
            mark=mark,
            nice=tier.nice,
            log=folder / f"{tier.name}.log",
        )
        if ran.timed_out or stopping.is_set():
            _remove_machines(environment)
        cases = read_junit(folder / f"{tier.name}.xml") + _broken(tier, ran, folder, deadline_s)
    if require_all:
        cases = required(cases, suite.allowed_skips)
    return TierResult(tier.name, time.monotonic() - started, tier.budget_s, cases)


def _broken(tier: Tier, ran: Ran, folder: Path, deadline_s: float) -> list[Case]:
    """A command that ended badly without naming a failed test is itself a failure, as is one that ran no test."""
    cases = read_junit(folder / f"{tier.name}.xml")
    if ran.timed_out:
        return [
            Case(
                tier.name,
                "failed",
                f"stopped: not finished after its deadline of {deadline_s:.0f} s",
            )
        ]
    if not cases:
        return [
            Case(
                tier.name,
                "failed",
                f"no test ran (exit code {ran.code}): a tier without a test proves nothing",
            )
        ]
    if ran.code and not any(case.outcome == "failed" for case in cases):
        return [
            Case(
                tier.name,
                "failed",
                f"exit code {ran.code} although no test failed: see its output above",
            )
        ]
    return []


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("broken off: what was running has been stopped")
