"""What vue-tsc and eslint knew of an earlier tree saves a new one their time, and never hides a mistake."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.run.command import ROOT
from tests.run.web_checks import KNOWN, bring, keep

_PROGRAMS = ROOT / "frontend/node_modules/.bin"
_TYPES = '{"compilerOptions": {"strict": true, "noEmit": true, "incremental": true, "types": [], "lib": ["ES2022"], '
_TYPES += '"tsBuildInfoFile": "./known/app.tsbuildinfo"}, "include": ["*.ts"]}'
_RULES = "export default [{ files: ['**/*.js'], rules: { 'no-undef': 'error' } }]\n"
_CHECKS = {
    "types": (("vue-tsc", "--build"),),
    "style": (("eslint", "--cache", "--cache-location=known/eslint.json", "--cache-strategy=content", "one.js"),),
}
_GOOD = {"types": ("one.ts", "export const one: number = 1\n"), "style": ("one.js", "export const one = 1;\n")}
_WRONG = {
    "types": [("export const one: number = 'text'\n", "TS2322")],
    "style": [("export const one = unknown;\n", "no-undef")],
}


def _check(tree: Path, programs: Sequence[Sequence[str]]) -> tuple[bool, str]:
    """Whether all of them are content, and what they printed."""
    ran = [
        subprocess.run([_PROGRAMS / name, *more], cwd=tree, capture_output=True, text=True, check=False, timeout=300)
        for name, *more in programs
    ]
    return not any(one.returncode for one in ran), "".join(one.stdout + one.stderr for one in ran)


def _tree(folder: Path, name: str, content: str) -> Path:
    """A tree of one file, written long before anything was checked."""
    folder.mkdir()
    (folder / "tsconfig.json").write_text(_TYPES)
    (folder / "eslint.config.mjs").write_text(_RULES)
    (folder / name).write_text(content)
    for path in folder.iterdir():
        os.utime(path, (1_000_000_000, 1_000_000_000))
    return folder


@pytest.mark.parametrize("check", list(KNOWN))
def test_a_new_tree_starts_with_what_an_earlier_one_knew_and_a_mistake_in_it_is_found(
    check: str, tmp_path: Path
) -> None:
    later, (name, content) = tmp_path / "cache/packages", _GOOD[check]
    first = _tree(tmp_path / "first", name, content)
    good, said = _check(first, _CHECKS[check])
    assert good, said
    keep(check, first / "known", later, first)
    assert [one for one in later.iterdir() if str(first) in one.read_text()] == []

    same = _tree(tmp_path / "same", name, content)
    bring(check, later, same / "known", same)
    before = {path: path.read_text() for path in (same / "known").iterdir()}
    good, said = _check(same, _CHECKS[check])
    assert good, said
    assert {path: path.read_text() for path in (same / "known").iterdir()} == before != {}, "it had nothing to add"

    for number, (mistake, word) in enumerate(_WRONG[check]):
        wrong = _tree(tmp_path / f"wrong{number}", name, mistake)
        bring(check, later, wrong / "known", wrong)
        good, said = _check(wrong, _CHECKS[check])
        assert not good
        assert word in said


def test_what_a_tree_knows_itself_is_not_replaced_and_other_packages_are_forgotten(tmp_path: Path) -> None:
    ours, later = tmp_path / "ours", tmp_path / "cache/new"
    ours.mkdir()
    (ours / "app.tsbuildinfo").write_text("its own")
    (tmp_path / "cache/old").mkdir(parents=True)
    keep("types", ours, later)
    assert [path.name for path in later.parent.iterdir()] == ["new"]
    (later / "app.tsbuildinfo").write_text("another's")
    bring("types", later, ours)
    assert (ours / "app.tsbuildinfo").read_text() == "its own"
    shutil.rmtree(ours)
    bring("types", later, ours)
    assert (ours / "app.tsbuildinfo").read_text() == "another's"
