"""`make check`: every static check, one line each; all of them run even where one fails."""

import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.run import matrix
from tests.run.command import ROOT, Ran, cache_folder, run_quietly
from tests.run.tiers import load

_BIN = Path(sys.executable).parent
_SOURCES = (
    *("backend/src", "backend/tests", "tests", "image"),
    *(f"ansible/{path}" for path in ("generator", "plugins/module_utils", "plugins/doc_fragments")),
)
_PYTHON = [path for path in _SOURCES if (ROOT / path).is_dir()]
_RUFF = ["--config", "backend/pyproject.toml", *_PYTHON]
_TYPES = str(cache_folder() / "mypy")
"""What mypy knows of files, by their content: a new tree starts with it."""
_DEADLINE_S = 240
_AT_ONCE = 2

STEPS: dict[str, Sequence[str]] = {
    "format": [str(_BIN / "ruff"), "format", "--check", *_RUFF],
    "lint": [str(_BIN / "ruff"), "check", *_RUFF],
    "types": [str(_BIN / "mypy"), "--config-file", "backend/pyproject.toml", "--cache-dir", _TYPES, *_PYTHON],
    "import rule": [str(_BIN / "lint-imports"), "--config", "backend/pyproject.toml"],
    "sizes": [sys.executable, "-m", "tests.run.sizes"],
    "content": [sys.executable, "-m", "tests.run.content"],
    "words": [sys.executable, "-m", "tests.run.words"],
    "lock files": [sys.executable, "-m", "tests.run.locks"],
    "openapi.json": [sys.executable, "-m", "lunette.api.document", "--check"],
    "api changes": [sys.executable, "-m", "tests.run.api_changes", "--check"],
    "collection": [sys.executable, "ansible/generator", "--check"],
    "ansible-lint": [sys.executable, "-m", "tests.run.collection", "lint"],
    "python client": [sys.executable, "-m", "tests.run.python_client", "--check"],
    "matrix": [sys.executable, "-m", "tests.run.matrix", "--check"],
    "cli reference": [sys.executable, "-m", "lunette.cli.manual", "--check"],
    "web page, types": [sys.executable, "-m", "tests.run.web_checks", "types"],
    "web page, style": [sys.executable, "-m", "tests.run.web_checks", "style"],
}


def main() -> int:
    """Runs all steps, or those named; prints the output of the failed ones, then the table."""
    chosen = sys.argv[1:] or list(STEPS)
    started = time.monotonic()
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        # The slowest first, so that all the others run in parallel with it.
        running = {name: pool.submit(_run, name) for name in reversed(chosen)}
        ran = {name: running[name].result() for name in chosen}
    for name, result in ran.items():
        if result.code:
            ended = "stopped at its deadline" if result.timed_out else f"exit code {result.code}"
            print(f"\n== {name}: {ended}\n   {' '.join(STEPS[name])}\n\n{result.output.rstrip()}")
    print(f"\n{'check':<16}{'result':<8}{'time':>8}")
    for name, result in ran.items():
        print(f"{name:<16}{'failed' if result.code else 'ok':<8}{result.seconds:>6.1f} s")
    for line in matrix.aged(load(), matrix.read(), matrix.changed_since):
        print(line)
    failed = sum(bool(result.code) for result in ran.values())
    print(f"{len(ran) - failed} ok, {failed} failed in {time.monotonic() - started:.0f} s")
    return 1 if failed else 0


def _run(name: str) -> Ran:
    print(f"  … {name}", flush=True)
    return run_quietly(STEPS[name], deadline_s=_DEADLINE_S)


if __name__ == "__main__":
    sys.exit(main())
