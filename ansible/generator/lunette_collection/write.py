"""Writes the modules, and for the web page which module makes which change; `--check` only says what is stale."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from lunette_collection.document import GENERATOR, Document, load
from lunette_collection.render import as_yaml, info_module, noun_module, verb_module
from lunette_collection.requests import of_requests

COLLECTION = GENERATOR.parent
MODULES = COLLECTION / "plugins/modules"
OF_REQUESTS = COLLECTION.parent / "frontend/src/changes/commands/modules.gen.json"


def texts(document: Document) -> dict[str, str]:
    """Every module by its name."""
    modules = {noun.name: noun_module(document, noun) for noun in document.nouns()}
    modules |= {verb.name: verb_module(document, verb) for verb in document.verbs()}
    return modules | {info.name: info_module(document, info) for info in document.infos()}


def files(document: Document) -> Iterator[tuple[Path, str]]:
    """Every generated file with its text."""
    modules = texts(document)
    for name, text in sorted(modules.items()):
        yield MODULES / f"{name}.py", text
    runtime = {"requires_ansible": ">=2.16.0", "action_groups": {"all": sorted(modules)}}
    head = "---\n# Generated from backend/openapi.json by `make generate`; do not edit.\n"
    yield COLLECTION / "meta/runtime.yml", head + as_yaml(runtime)
    yield OF_REQUESTS, json.dumps(of_requests(document), indent=1) + "\n"


def main(arguments: Sequence[str]) -> int:
    """Writes what differs and removes what is not generated any more, or only names both."""
    wanted = dict(files(load()))
    stale = [path for path, text in wanted.items() if not path.is_file() or path.read_text() != text]
    left = [path for path in sorted(MODULES.glob("*.py")) if path not in wanted]
    if "--check" in arguments:
        for path in [*stale, *left]:
            print(f"{path.relative_to(COLLECTION.parent)} is stale: run `make generate`")
        return 1 if stale or left else 0
    MODULES.mkdir(parents=True, exist_ok=True)
    for path in stale:
        path.write_text(wanted[path])
    for path in left:
        path.unlink()
    return 0
