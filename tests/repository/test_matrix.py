"""The page of the whole matrix says what was run, and what was not."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.run import matrix
from tests.run.command import ROOT
from tests.run.results import Case, TierResult
from tests.run.tiers import Suite, Tier, load


def _tier(name: str, *covers: str) -> Tier:
    return Tier(name, "a sample", name, "", 0, (), 10, 30, True, ("true",), False, covers)


SUITE = Suite((_tier("one", "a/**"), _tier("two", "b/**")), ())


@pytest.fixture(autouse=True)
def paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A record and a page of its own."""
    monkeypatch.setattr(matrix, "RECORD", tmp_path / "matrix.json")
    monkeypatch.setattr(matrix, "DOCUMENT", tmp_path / "matrix.md")
    monkeypatch.setattr(matrix.read, "__defaults__", (tmp_path / "matrix.json",))
    monkeypatch.setattr(matrix, "_commit", lambda: "abc123def")
    return tmp_path / "matrix.md"


def _ran(shard: str, *outcomes: str) -> None:
    cases = [
        Case(f"t{n}", "failed" if one == "failed" else "passed", unsteady=one == "unsteady")
        for n, one in enumerate(outcomes)
    ]
    tiers = [tier for tier in SUITE.tiers if tier.shard == shard]
    matrix.note(shard, tiers, [TierResult(shard, 130, 10, cases)], SUITE)


def _row(paper: Path, shard: str) -> list[str]:
    (line,) = [line for line in paper.read_text().splitlines() if line.startswith(f"| `{shard}`")]
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_a_shard_that_ran_shows_what_it_did_and_one_that_never_ran_says_so(paper: Path) -> None:
    _ran("one", "passed", "unsteady")
    ran = _row(paper, "one")
    assert (ran[1], ran[4:9], ran[9]) == ("abc123def", ["2", "2", "0", "0", "1"], "this one")
    assert (_row(paper, "two")[1], _row(paper, "two")[-1]) == ("never run", "never")


def test_a_failure_keeps_the_last_green_run(paper: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _ran("one", "failed")
    assert _row(paper, "one")[-1] == "never"
    _ran("one", "passed")
    monkeypatch.setattr(matrix, "_commit", lambda: "0123456+")
    _ran("one", "passed", "failed")
    row = _row(paper, "one")
    assert (row[1], row[6]) == ("0123456+", "1")
    assert row[-1].startswith("abc123def, ")


def test_a_shard_of_which_files_changed_since_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, Sequence[str]]] = []

    def changed(commit: str, covers: Sequence[str]) -> list[str]:
        asked.append((commit, covers))
        return ["a/x", "a/y"]

    monkeypatch.setattr(matrix, "_commit", lambda: "0123456+")
    _ran("one", "passed")
    assert matrix.aged(SUITE, matrix.read(), changed) == [
        "shards of the whole matrix never seen green: two",
        "shards of the whole matrix older than files they cover: one (0123456+, 2 files since)",
    ]
    assert asked == [("0123456", ["a/**"])]
    assert matrix.aged(replace(SUITE, tiers=SUITE.tiers[:1]), matrix.read(), lambda *_: []) == []


def test_every_tier_covers_files_that_exist() -> None:
    empty = [tier.name for tier in load().tiers if not tier.covers]
    assert empty == []
    nothing = [
        f"{tier.name}: {glob}"
        for tier in load().tiers
        for glob in tier.covers
        if not any(ROOT.glob(glob.replace("**", "*")))
    ]
    assert nothing == []


def test_a_release_is_read_from_the_kernel_itself() -> None:
    bz_image = bytearray(0x400)
    struct.pack_into("<H", bz_image, 0x20E, 0x80)
    bz_image[0x280:] = b"6.12.1-amd64 (somebody) #1 SMP\0"
    assert matrix.version_of(bytes(bz_image)) == "6.12.1-amd64"
    assert matrix.banner_of(b"\0Linux version 7.2.7 (gcc)\0") == "7.2.7"


def test_a_removed_shard_is_forgotten(paper: Path) -> None:
    record = paper.with_suffix(".json")
    _ran("one", "passed")
    known = json.loads(record.read_text())
    record.write_text(json.dumps({**known, "gone": known["one"]}))
    _ran("two", "passed")
    assert list(json.loads(record.read_text())) == ["one", "two"]
