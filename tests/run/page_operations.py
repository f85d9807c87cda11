"""Writes docs/reference/page-operations.md: which page of the web page calls each operation of the API, and where.

The sources say so: the routes name the page of an address, the imports what belongs to it, and each operation is called
through a function of the generated client. Operations without one have their reason in `operations.spec.ts`.
"""

from __future__ import annotations

import functools
import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.run.command import ROOT

DOCUMENT = ROOT / "docs/reference/page-operations.md"
SOURCES = ROOT / "frontend/src"
_MOST = 12
"""An operation of more pages than this is one of most pages."""
_HEAD = """\
# Operations of the API on the web page

The web page is a client of the API and calls each of its operations. This table says on which page, and in which
part of the page's source: dialogs are named `…Dialog.vue`, panels `…Panel.vue`. `make generate` writes it from the
sources. See also [the web page](web-page.md) and [the command line](cli.md).

| operation | request | page | part |
|---|---|---|---|
"""
_IMPORT = re.compile(r"""(?:from|import)\s*\(?\s*'((?:@|\.{1,2})/[^']+)'""")
_PAGE = re.compile(r"page\(\s*'([^']*)',\s*'(\w+)',\s*\(\) => import\('([^']+)'\)")
_ROUTE = re.compile(r"path: '(/[^']+)',\s*name: '(\w+)',\s*component: \(\) => import\('([^']+)'\)")
_REASONS = re.compile(r"const OTHERWISE: Record<string, string> = \{\n(.*?)\n\}", re.DOTALL)
_REASON = re.compile(r"^\s*(\w+): '(.*)',$", re.MULTILINE)


@dataclass(frozen=True)
class Row:
    """One operation. `reason` says why no function of the client calls it."""

    operation: str
    request: str
    pages: tuple[str, ...]
    parts: tuple[str, ...]
    reason: str = ""

    @property
    def place(self) -> str:
        if self.reason:
            return self.reason
        return "most pages" if len(self.pages) > _MOST else ", ".join(self.pages)


def rows() -> list[Row]:
    """Every operation, in the order of the document of the API."""
    pages, reasons = dict(_pages()), _reasons()
    every = _closure([SOURCES / "app/App.vue", SOURCES / "app/AppShell.vue"])
    found = []
    for operation, request in _operations():
        callers = {file for file in _files() if _calls(file, operation)}
        places = [name for name, files in pages.items() if callers & files]
        parts = sorted({file.name for file in callers})
        found.append(
            Row(
                operation,
                request,
                ("every page",) if callers & every else tuple(places),
                tuple(parts),
                reasons.get(operation, ""),
            )
        )
    return found


def text() -> str:
    """The whole document."""
    lines = (
        f"| `{row.operation}` | `{row.request}` | {row.place} | {', '.join(f'`{part}`' for part in row.parts)} |\n"
        for row in rows()
    )
    return _HEAD + "".join(lines).replace("|  |", "| |")


def _operations() -> Iterator[tuple[str, str]]:
    document = json.loads((ROOT / "backend/openapi.json").read_text())
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield operation["operationId"], f"{method.upper()} {path.removeprefix('/api/v1')}"


def _reasons() -> dict[str, str]:
    held = _REASONS.search((SOURCES / "tests/operations.spec.ts").read_text())
    return dict(_REASON.findall(held.group(1))) if held else {}


def _pages() -> Iterator[tuple[str, set[Path]]]:
    """Each page by its title and address, with the files that it consists of."""
    router = SOURCES / "app/router.ts"
    source = router.read_text()
    found = [*_ROUTE.findall(source), *((f"/{path}", name, file) for path, name, file in _PAGE.findall(source))]
    for path, name, file in found:
        component = _resolved(router, file)
        if component is not None and name != "missing":
            address = re.sub(r"/:(\w+)(\([^)]*\))?\??", lambda part: f"/{part.group(1).upper()}", path)
            yield f"{_titles()[name]} (`{address}`)", _closure([component])


@functools.cache
def _titles() -> dict[str, str]:
    titles = {}
    for file in SOURCES.rglob("en.json"):
        for name, texts in json.loads(file.read_text()).items():
            if isinstance(texts, dict) and isinstance(texts.get("title"), str):
                titles[name] = texts["title"]
    return titles


@functools.cache
def _files() -> dict[Path, str]:
    files = (path for path in sorted(SOURCES.rglob("*")) if path.suffix in (".vue", ".ts"))
    own = (path for path in files if path.relative_to(SOURCES).parts[0] not in ("api", "tests"))
    return {path: path.read_text() for path in own if not path.name.endswith(".spec.ts")}


@functools.cache
def _words(file: Path) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", _files()[file]))


def _calls(file: Path, operation: str) -> bool:
    name = re.sub(r"_(\w)", lambda letter: letter.group(1).upper(), operation)
    return not _words(file).isdisjoint({name, f"{name}Options", f"{name}InfiniteOptions"})


def _closure(begin: Iterable[Path]) -> set[Path]:
    """Files and all that they import, except through the router, which imports every page."""
    todo, found = [*begin], set[Path]()
    while todo:
        file = todo.pop()
        if file in found or file == SOURCES / "app/router.ts":
            continue
        found.add(file)
        imported = (_resolved(file, name) for name in _IMPORT.findall(_files().get(file, "")))
        todo += [one for one in imported if one is not None and one in _files()]
    return found


def _resolved(file: Path, name: str) -> Path | None:
    base = SOURCES / name[2:] if name.startswith("@/") else file.parent / name
    candidates = (base, base.with_name(f"{base.name}.ts"), base.with_name(f"{base.name}.vue"), base / "index.ts")
    return next((one.resolve() for one in candidates if one.is_file()), None)


def main() -> int:
    """Writes the document."""
    DOCUMENT.write_text(text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
