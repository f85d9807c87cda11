"""Refuses words that plain technical English does without, and British spelling: `python -m tests.run.words`.

In what users read, the documents, the texts of the API and those of the web page are checked; code, quoted output and
names of files are left out. In Python, docstrings and comments are checked, and the names of modules, classes,
functions and variables.
"""

import ast
import io
import json
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.run.command import ROOT
from tests.run.tree import is_generated

INSTEAD = {
    "anew": "again",
    "wish": "request, desired state",
    "nobody": "no one, no host, no user",
    "somebody": "a user, another system",
    "whoever": "the user who, anyone who",
    "unasked": "automatically",
    "lately": "recently",
    "knock": "connect",
    "mend": "repair, fix",
    "beside": "next to, in addition to",
    "told": "reported, notified",
    "kept": "retained, stored",
    "by itself": "automatically",
    "put right": "corrected",
    "taken back": "reverted, undone, rolled back",
    "no more": "no longer",
    "look whether": "check whether",
    "let go": "release, remove",
    "lets go": "releases, removes",
    "give up": "stop, drop, release",
    "gives up": "stops, drops, releases",
    "goes on": "continues",
    "stands by": "is a spare, is available",
    "stands on": "is on, depends on",
    "puts right": "corrects, repairs",
    "hands out": "gives, allocates",
    "as yet": "yet",
    "thereof": "of it",
    "way in": "access",
    "in small letters": "in lower case",
    "colour": "color",
    "behaviour": "behavior",
    "licence": "license",
    "neighbour": "neighbor",
    "recognise": "recognize",
    "initialise": "initialize",
    "synchronise": "synchronize",
    "labelled": "labeled",
    "favour": "favor",
    "afterwards": "afterward",
    "towards": "toward",
}
"""What is not written, and what is written instead."""
RETIRED = {
    "told": "reported",
    "untold": "unreported",
    "beside": "auxiliary, others",
    "door": "target, listener",
    "doors": "targets",
    "doorway": "system_port",
    "hindrance": "blocker",
    "hush": "stop_listening",
    "knock": "connect",
    "strays": "stale",
    "mended": "repaired",
    "anew": "again",
    "shop": "rig",
    "wish": "spec, desired",
    "giver": "donor",
    "taker": "recipient",
}
"""Parts of names that are not used in code, and what is used instead."""
_STORED = {"told", "is_told", "last_told_at", "beside"}
"""Fields of the database, of steps and of files on disk, which keep their names."""
_ALONE = (
    "README.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "ansible/README.md",
    "ansible/CHANGELOG.md",
    "ansible/plugins/doc_fragments/appliance.py",
    "ansible/plugins/inventory/hosts.py",
    "image/README.md",
)
"""What users read outside docs/; what the modules of the collection say comes from the API."""
_PHRASES = "|".join(INSTEAD).replace(" ", r"\s+")
_PARTS = re.compile(r"([a-z0-9])(?=[A-Z])")
_WORDS = re.compile(rf"\b({_PHRASES})(s|d|es|ed|ing)?\b", re.IGNORECASE)
_CODE = re.compile(r"^( *)```.*?^\1```|`[^`\n]*`|\]\([^)]*\)|<[^>\n]+>", re.MULTILINE | re.DOTALL)


def found(text: str) -> Iterator[tuple[int, str]]:
    """The line and the word, for each such word of a Markdown text outside code and link targets."""
    plain = _CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    for match in _WORDS.finditer(plain):
        yield plain.count("\n", 0, match.start()) + 1, " ".join(match[0].split())


def _documents() -> Iterator[Path]:
    yield from (ROOT / name for name in _ALONE)
    for path in sorted((ROOT / "docs").rglob("*.md")):
        if path.parent.name != "decisions":
            yield path


def _texts(part: Any) -> Iterator[str]:
    """Every text for people in a JSON document of the API."""
    if isinstance(part, dict):
        for key, inner in part.items():
            if key in ("description", "summary") and isinstance(inner, str):
                yield inner
            elif key == "x-enumDescriptions":
                yield from inner.values()
            else:
                yield from _texts(inner)
    elif isinstance(part, list):
        for one in part:
            yield from _texts(one)


def _leaves(part: Any) -> Iterator[str]:
    """Every text of the page, whatever its key."""
    if isinstance(part, dict):
        for inner in part.values():
            yield from _leaves(inner)
    else:
        yield part


def retired(source: str) -> Iterator[tuple[int, str]]:
    """The line and the name, for each name that Python source defines with a retired word; tests have sentences."""
    for node in ast.walk(ast.parse(source)):
        name = _defined(node)
        if name is None or name in _STORED or name.startswith("test_"):
            continue
        if not RETIRED.keys().isdisjoint(_PARTS.sub(r"\1_", name).lower().split("_")):
            yield getattr(node, "lineno", 1), name


def _defined(node: ast.AST) -> str | None:
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return node.name
    if isinstance(node, ast.arg):
        return node.arg
    if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
        return node.id if isinstance(node, ast.Name) else node.attr
    return None


def prose(source: str) -> str:
    """The comments and docstrings of Python source, also those of attributes, on their lines; the rest is blank."""
    written = source.split("\n")
    lines = [""] * len(written)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            lines[token.start[0] - 1] = token.string.lstrip("#")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            inside = slice(node.lineno - 1, node.end_lineno)
            lines[inside] = written[inside]
    return "\n".join(lines)


def _in_code() -> Iterator[str]:
    """Each such word in docstrings and comments, and each retired name. Generated code and migrations are left out."""
    for folder in ("backend/src", "backend/tests", "tests", "image", "ansible"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "versions" not in path.parts and not is_generated(path):
                if not RETIRED.keys().isdisjoint(path.stem.split("_")):
                    yield f"{path.relative_to(ROOT)}: the name has a retired word, see RETIRED"
                source = path.read_text()
                for line, name in retired(source):
                    yield f"{path.relative_to(ROOT)}:{line}: name '{name}' has a retired word, see RETIRED"
                # tokenizing is slow: skip files without such a word
                for line, word in found(prose(source)) if _WORDS.search(source.replace("#", " ")) else ():
                    yield f"{path.relative_to(ROOT)}:{line}: '{word}': {_instead(word)}"


def main() -> int:
    """Prints each such word with its place and what to write instead; 1 if there is one."""
    problems = [
        f"{path.relative_to(ROOT)}:{line}: '{word}': {_instead(word)}"
        for path in _documents()
        for line, word in found(path.read_text())
    ]
    api = json.loads((ROOT / "backend/openapi.json").read_text())
    problems += [
        f"backend/openapi.json: '{word}' in '{' '.join(text.split())[:80]}': {_instead(word)}"
        for text in dict.fromkeys(_texts(api))
        for _, word in found(text)
    ]
    problems += [
        f"{path.relative_to(ROOT)}: '{word}' in '{text[:80]}': {_instead(word)}"
        for path in sorted((ROOT / "frontend/src").rglob("en.json"))
        for text in dict.fromkeys(_leaves(json.loads(path.read_text())))
        for _, word in found(text)
    ]
    problems += _in_code()
    print("\n".join(problems))
    return 1 if problems else 0


def _instead(word: str) -> str:
    stem = next(one for one in INSTEAD if word.lower().startswith(one))
    return f"write {INSTEAD[stem]}"


if __name__ == "__main__":
    sys.exit(main())
