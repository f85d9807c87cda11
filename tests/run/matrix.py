"""What the whole matrix did when each shard was last run: written by `make test-full`, read by people.

`matrix.json` in this directory is the record; `docs/reference/matrix.md` is generated from it.
"""

from __future__ import annotations

import datetime as dt
import json
import platform
import re
import struct
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.machines.images import appliance_image
from tests.run.command import ROOT
from tests.run.results import TierResult
from tests.run.tiers import Suite, Tier, load

RECORD = ROOT / "tests/run/matrix.json"
DOCUMENT = ROOT / "docs/reference/matrix.md"
_HEAD = """\
# The whole matrix

What each shard of `make test-full` did when it was last run to its end, on which commit and kernel. `make test-full`
writes this page, and [how to run the tests](../howto/run-the-tests.md) says what the shards are. A commit with a `+`
had changes that were not committed. A shard is green if none of its tests failed.

| shard | commit | date | kernel | minutes | passed | failed | skipped | unsteady | last green |
|---|---|---|---|---|---|---|---|---|---|
"""


@dataclass(frozen=True)
class Run:
    """One run of a shard. `date` is that of UTC, `kernel` those its machines boot, or this machine's own."""

    commit: str
    date: str
    kernel: str
    minutes: int
    passed: int
    failed: int
    skipped: int
    unsteady: int


@dataclass(frozen=True)
class Shard:
    """The last run of a shard, and the last one in which nothing failed."""

    last: Run
    green: Run | None


def read(record: Path = RECORD) -> dict[str, Shard]:
    """What is known of each shard, by name."""
    if not record.exists():
        return {}
    raw = json.loads(record.read_text())
    return {name: Shard(Run(**one["last"]), Run(**one["green"]) if one["green"] else None) for name, one in raw.items()}


def note(shard: str, tiers: Sequence[Tier], results: Sequence[TierResult], suite: Suite) -> None:
    """Writes down what a shard just did, and creates the page again."""
    run = _run(tiers, results)
    known = read()
    before = known.get(shard)
    known[shard] = Shard(run, before.green if run.failed and before else None if run.failed else run)
    listed = {name: asdict(known[name]) for name in sorted(known) if name in suite.shards()}
    RECORD.write_text(json.dumps(listed, indent=1) + "\n")
    DOCUMENT.write_text(render(read(), suite))


def render(known: dict[str, Shard], suite: Suite) -> str:
    """The page: every shard in running order, those never seen green too."""
    return _HEAD + "".join(_row(name, known.get(name)) for name in suite.shards())


def _row(name: str, shard: Shard | None) -> str:
    if shard is None:
        return f"| `{name}` | never run | | | | | | | | never |\n"
    last, green = shard.last, shard.green
    reported = "this one" if green == last else f"{green.commit}, {green.date}" if green else "never"
    cells = (last.commit, last.date, last.kernel, last.minutes, last.passed, last.failed, last.skipped, last.unsteady)
    return f"| `{name}` | {' | '.join(str(cell) for cell in cells)} | {reported} |\n"


def aged(suite: Suite, known: dict[str, Shard], changed: Callable[[str, Sequence[str]], Sequence[str]]) -> list[str]:
    """A line on the shards that were never seen green, and one on those that are older than files they cover.

    `changed` tells which files that match these globs are not as in this commit.
    """
    never, older = [], []
    for name in suite.shards():
        shard = known.get(name)
        if shard is None or shard.green is None:
            never.append(name)
            continue
        covers = [one for tier in suite.tiers if tier.shard == name for one in tier.covers]
        if later := changed(shard.green.commit.rstrip("+"), covers):
            older.append(f"{name} ({shard.green.commit}, {len(later)} files since)")
    reported = {"never seen green": never, "older than files they cover": older}
    return [f"shards of the whole matrix {what}: {', '.join(names)}" for what, names in reported.items() if names]


def changed_since(commit: str, covers: Sequence[str]) -> list[str]:
    """Files that match these globs of git and differ from the commit; all of them where git does not know it."""
    globs = [f":(glob){one}" for one in covers]
    reported = subprocess.run(
        ["git", "diff", "--name-only", commit, "--", *globs], cwd=ROOT, check=False, capture_output=True, text=True
    )
    return reported.stdout.split() if reported.returncode == 0 else [f"a commit that is not known here ({commit})"]


def _run(tiers: Sequence[Tier], results: Sequence[TierResult]) -> Run:
    cases = [case for result in results for case in result.cases]
    return Run(
        commit=_commit(),
        date=dt.datetime.now(dt.UTC).date().isoformat(),
        kernel=", ".join(dict.fromkeys(kernel for tier in tiers for kernel in _kernels(tier))),
        minutes=round(sum(result.seconds for result in results) / 60),
        passed=sum(case.outcome == "passed" for case in cases),
        failed=sum(case.outcome == "failed" for case in cases),
        skipped=sum(case.outcome == "skipped" for case in cases),
        unsteady=sum(case.unsteady for case in cases),
    )


def _commit() -> str:
    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()

    touched = git("status", "--porcelain", "--", ".", f":(exclude){RECORD.relative_to(ROOT)}", ":(exclude)docs")
    return git("rev-parse", "--short=9", "HEAD") + ("+" if touched else "")


def _kernels(tier: Tier) -> list[str]:
    if not tier.has_machines:
        return [platform.release()]
    image, words = appliance_image(tier.uml_kernel), " ".join(tier.command)
    found = []
    if "uml" in words or "tests.run.web" in words:
        found.append(f"{banner_of(Path(image.uml[-1]).read_bytes())} (user-mode)")
    if any(word in words for word in ("qemu", "fabric", "zfs", "iso")):
        found.append(f"{version_of(image.kernel.read_bytes())} (QEMU)")
    return found


def banner_of(kernel: bytes) -> str:
    """The release in the banner of an uncompressed kernel, such as the program of user-mode Linux."""
    reported = re.search(rb"Linux version (\S+)", kernel)
    return reported[1].decode() if reported else "unknown"


def version_of(kernel: bytes) -> str:
    """The release of a bzImage: field kernel_version of Documentation/arch/x86/boot.rst points to it."""
    (place,) = struct.unpack_from("<H", kernel, 0x20E)
    text = kernel[0x200 + place :]
    return text[: text.index(b"\0")].decode().split()[0]


def main() -> int:
    """Writes the page from the record; with --check, 1 if it is not what the record makes."""
    text = render(read(), load())
    if sys.argv[1:] != ["--check"]:
        DOCUMENT.write_text(text)
        return 0
    if DOCUMENT.exists() and DOCUMENT.read_text() == text:
        return 0
    print(f"{DOCUMENT.relative_to(ROOT)} is not what {RECORD.relative_to(ROOT)} makes: run `make generate`")
    return 1


if __name__ == "__main__":
    sys.exit(main())
