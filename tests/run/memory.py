"""What `make test-full` remembers between runs: the shards that passed, for exactly this tree."""

import hashlib
import json
import os
import subprocess
from dataclasses import asdict
from pathlib import Path

from tests.run.command import ROOT
from tests.run.results import Case, TierResult

_OF_THE_MATRIX = (b"tests/run/matrix.json", b"docs/reference/matrix.md")


def tree_digest(root: Path = ROOT) -> str:
    """A digest of every file git would commit, with its content as it is now, but for what the matrix itself writes."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        check=True,
        capture_output=True,
    ).stdout
    digest = hashlib.sha256()
    for name in sorted(set(listed.split(b"\0")) - {b"", *_OF_THE_MATRIX}):
        path = root / os.fsdecode(name)
        content = os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes() if path.exists() else b""
        digest.update(name + b"\0" + hashlib.sha256(content).digest())
    return digest.hexdigest()[:16]


class Memory:
    """Results of passed shards in one small JSON file of the cache, named after the tree."""

    def __init__(self, folder: Path, digest: str) -> None:
        self._path = folder / f"{digest}.json"

    def passed(self, shard: str) -> list[TierResult] | None:
        """What a shard did when it last passed on this tree, or None."""
        return self._read().get(shard)

    def remember(self, shard: str, results: list[TierResult]) -> None:
        """Keeps a shard that passed; one that failed is run again next time."""
        if any(result.count("failed") for result in results):
            return
        known = self._read() | {shard: results}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self._path.with_suffix(".new")
        temporary.write_text(json.dumps({name: [asdict(one) for one in kept] for name, kept in known.items()}))
        temporary.replace(self._path)

    def _read(self) -> dict[str, list[TierResult]]:
        if not self._path.exists():
            return {}
        data: dict[str, list[dict[str, object]]] = json.loads(self._path.read_text())
        return {shard: [_result(entry) for entry in entries] for shard, entries in data.items()}


def _result(entry: dict[str, object]) -> TierResult:
    cases = entry["cases"]
    assert isinstance(cases, list)
    return TierResult(
        name=str(entry["name"]),
        seconds=float(str(entry["seconds"])),
        budget_s=float(str(entry["budget_s"])),
        cases=[Case(**case) for case in cases],
        remembered=True,
    )
