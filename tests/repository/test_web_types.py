"""What vue-tsc knew of an earlier tree saves a new one its time, and never hides a mistake."""

import os
import shutil
import subprocess
from pathlib import Path

from tests.run.command import ROOT
from tests.run.web_types import bring, keep

_MODULES = ROOT / "frontend/node_modules"
_SETTINGS = '{"compilerOptions": {"strict": true, "noEmit": true, "incremental": true, "types": [], "lib": ["ES2022"], '
_SETTINGS += '"tsBuildInfoFile": "./known/app.tsbuildinfo"}, "include": ["*.ts"]}'


def _check(tree: Path) -> subprocess.CompletedProcess[str]:
    program = [str(_MODULES / ".bin/vue-tsc"), "--build", "--verbose"]
    return subprocess.run(program, cwd=tree, capture_output=True, text=True, check=False, timeout=300)


def _tree(folder: Path, value: str) -> Path:
    """A tree of one file, written long before anything was checked."""
    folder.mkdir()
    (folder / "tsconfig.json").write_text(_SETTINGS)
    (folder / "one.ts").write_text(f"export const one: number = {value}\n")
    for path in folder.iterdir():
        os.utime(path, (1_000_000_000, 1_000_000_000))
    return folder


def test_a_new_tree_starts_with_what_an_earlier_one_knew_and_a_mistake_in_it_is_found(tmp_path: Path) -> None:
    later = tmp_path / "cache/packages"
    first = _tree(tmp_path / "first", "1")
    assert _check(first).returncode == 0
    keep(first / "known", later)

    same = _tree(tmp_path / "same", "1")
    bring(later, same / "known")
    assert _check(same).returncode == 0
    assert (same / "known/app.tsbuildinfo").stat().st_mtime == 1, "it had nothing to add"

    wrong = _tree(tmp_path / "wrong", '"text"')
    bring(later, wrong / "known")
    found = _check(wrong)
    assert found.returncode != 0
    assert "TS2322" in found.stdout


def test_what_a_tree_knows_itself_is_not_replaced_and_other_packages_are_forgotten(tmp_path: Path) -> None:
    ours, later = tmp_path / "ours", tmp_path / "cache/new"
    ours.mkdir()
    (ours / "app.tsbuildinfo").write_text("its own")
    old = tmp_path / "cache/old"
    old.mkdir(parents=True)
    keep(ours, later)
    assert [path.name for path in later.parent.iterdir()] == ["new"]
    (later / "app.tsbuildinfo").write_text("another's")
    bring(later, ours)
    assert (ours / "app.tsbuildinfo").read_text() == "its own"
    shutil.rmtree(ours)
    bring(later, ours)
    assert (ours / "app.tsbuildinfo").read_text() == "another's"
