"""The documents stay true: every link leads somewhere, every file they name exists, every decision has its parts."""

import re
from pathlib import Path

import pytest

from tests.run.command import ROOT
from tests.run.tree import files

_DOCUMENTS = [path for path in files(".md") if "node_modules" not in path.parts]
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_CODE = re.compile(r"`([^`\n]+)`")
_TREE = ("backend/", "frontend/", "image/", "tests/", "docs/", ".ci/")
_DECISION_PARTS = ["## Context", "## Decision", "## Consequences", "## Alternatives"]


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("document", _DOCUMENTS, ids=_name)
def test_every_relative_link_leads_somewhere(document: Path) -> None:
    targets = [target.split("#")[0] for target in _LINK.findall(document.read_text()) if "://" not in target]
    dead = [target for target in targets if target and not (document.parent / target).exists()]
    assert dead == [], f"{_name(document)} links to what is not there"


@pytest.mark.parametrize("document", _DOCUMENTS, ids=_name)
def test_every_file_of_the_tree_that_is_named_exists(document: Path) -> None:
    named = [code for code in _CODE.findall(document.read_text()) if code.startswith(_TREE) and " " not in code]
    made = ("backend/.venv", "frontend/dist", "frontend/node_modules")
    dead = [path for path in named if not path.startswith(made) and not any(ROOT.glob(path.rstrip("/")))]
    assert dead == [], f"{_name(document)} names files that are not there"


def test_the_tour_names_the_files_it_passes_through() -> None:
    tour = (ROOT / "docs/explanation/tour.md").read_text()
    packages = set(re.findall(r"backend/src/lunette/([a-z]+)/", tour))
    assert {"api", "domain", "store", "planner", "engine", "agent", "providers", "system"} <= packages


def test_the_index_lists_every_document() -> None:
    index = (ROOT / "docs/index.md").read_text()
    documents = {str(path.relative_to(ROOT / "docs")) for path in files(".md") if path.is_relative_to(ROOT / "docs")}
    assert documents - {"index.md"} == {target for target in _LINK.findall(index) if target.endswith(".md")}


def test_every_decision_has_its_parts_and_the_next_number() -> None:
    decisions = sorted((ROOT / "docs/decisions").glob("*.md"))
    assert [int(path.name[:4]) for path in decisions] == list(range(1, len(decisions) + 1))
    for path in decisions:
        text = path.read_text()
        assert [part for part in _DECISION_PARTS if part not in text] == [], path.name
        assert text.startswith(f"# {path.name[:4]}: "), path.name
        assert text.count("\n") <= 60, f"{path.name} is more than a page"
