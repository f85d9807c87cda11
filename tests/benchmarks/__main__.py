"""`make bench [WHAT='NAME…']`: runs benchmarks one after the other and writes docs/reference/benchmarks.md.

Each is a process of its own. One that fails says so in the report and in the exit code, and the others still run.
With --small each only shows that it works, in a minute or two, and nothing is written.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.benchmarks import output, report
from tests.benchmarks.report import Benchmark
from tests.benchmarks.runs import Run, facts
from tests.run.command import run_shown

_DEADLINE_S = 3 * 3600.0


def main(words: list[str]) -> int:
    """Runs the named benchmarks, or by default all that `unasked` selects; 1 if one of them failed."""
    named = {one.name: one for one in report.BENCHMARKS}
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(named))
    parser.add_argument("--small", action="store_true", help="a trial: tiny sizes, no report")
    given = parser.parse_args(words)
    if strange := [name for name in given.names if name not in named]:
        parser.error(f"no benchmark is named {', '.join(strange)}: there are {', '.join(named)}")
    chosen = [named[name] for name in dict.fromkeys(given.names)] or [one for one in named.values() if one.unasked]
    found = {}
    for one in chosen:
        print(f"\n== {one.name}", flush=True)
        found[one.name] = run(one, small=given.small)
        if not given.small:
            report.note(one.name, found[one.name])
    print()
    for name, ran in found.items():
        print(f"{name:<14}{f'failed: {ran.failure}' if ran.failure else 'measured'}, {ran.minutes} min")
    if not given.small:
        print(f"the report is {report.DOCUMENT}")
    return 1 if any(ran.failure for ran in found.values()) else 0


def run(benchmark: Benchmark, *, small: bool = False) -> Run:
    """Runs one, whatever becomes of it."""
    where = facts()
    with tempfile.TemporaryDirectory(prefix="lunette-bench-") as name:
        reported, log = Path(name, "output"), Path(name, "log")
        argv = [sys.executable, *benchmark.argv(small=small)]
        ended = run_shown(
            benchmark.name, argv, deadline_s=_DEADLINE_S, env={output.ENVIRONMENT: str(reported)}, log=log
        )
        failure = ""
        if ended.timed_out:
            failure = f"not finished after {_DEADLINE_S / 60:.0f} minutes"
        elif ended.code:
            failure = report.reason(log.read_text())
        found = output.read(reported)
    return Run(where, found.kernel, round(ended.seconds / 60), failure, found.tables)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
