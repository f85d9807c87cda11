"""The Makefile: every target explains itself in one line and does its work by calling one program."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.run.command import ROOT
from tests.run.tiers import load

_MAKEFILE = (ROOT / "Makefile").read_text()
_DESIGNED = [
    "help",
    "lab",
    "lab-down",
    "test",
    "test-full",
    "check",
    "dev",
    "e2e",
    "bench",
    "image",
    "update",
    "generate",
    "screenshots",
]


def _phony() -> list[str]:
    found = re.search(r"^\.PHONY: (.*)$", _MAKEFILE, re.MULTILINE)
    assert found is not None
    return found[1].split()


def _help() -> dict[str, str]:
    shown = subprocess.run(
        ["make", "--no-print-directory", "help"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    return {line.split(maxsplit=1)[0]: line.split(maxsplit=1)[1] for line in shown.splitlines()}


def test_help_lists_every_target_with_one_line() -> None:
    targets = set(re.findall(r"^([a-z][a-z0-9-]*):", _MAKEFILE, re.MULTILINE))
    assert targets == set(_phony())
    assert set(_help()) == targets
    assert all(len(text) > 10 for text in _help().values())


def test_the_targets_of_the_design_are_there() -> None:
    assert set(_DESIGNED) <= set(_phony())


def test_every_recipe_is_one_line() -> None:
    recipes = re.findall(r"^[a-z][a-z0-9-]*:.*\n((?:\t.*\n)*)", _MAKEFILE, re.MULTILINE)
    assert all(recipe.count("\n") == 1 for recipe in recipes), recipes


def test_the_end_to_end_tests_are_all_tiers_on_machines() -> None:
    (recipe,) = re.findall(r"^e2e:.*\n\t(.*)$", _MAKEFILE, re.MULTILINE)
    assert set(recipe.partition("--require-all ")[2].split()) == {
        tier.name for tier in load().tiers if tier.lane in ("native", "emulated")
    }


@pytest.mark.parametrize("script", ["tests/run/deps", ".ci/run"])
def test_shell_programs_parse_and_may_be_run(script: str) -> None:
    path = ROOT / script
    assert path.stat().st_mode & 0o111, f"{script} is not executable"
    subprocess.run(["bash", "-n", str(path)], check=True)


def test_ci_runs_the_test_command_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    assert "make test" in readme
    assert re.search(r"^phase make test$", (ROOT / ".ci/run").read_text(), re.MULTILINE)


def test_deps_refuses_an_unknown_group_and_names_the_known_ones(tmp_path: Path) -> None:
    done = subprocess.run(
        ["tests/run/deps", "coffee"],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LUNETTE_CACHE": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "unknown group coffee" in done.stderr
    assert "python, node, ui, machines, browser, database or docker" in done.stderr
