"""Files a person can hold in the head: lines of a file, lines of a function, and names that say nothing.

A function is counted without its docstring and blank lines. There are no exceptions, tests included: when a
limit hurts, split by verb.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.run.command import ROOT
from tests.run.tree import files, is_generated

_FILE_LINES = {".py": 400, ".vue": 250, ".ts": 250}
_FUNCTION_LINES = 40
_EMPTY_NAMES = {"util", "utils", "helper", "helpers", "common", "manager", "misc"}


def problems(path: Path) -> Iterator[str]:
    """What is too big or named after nothing in one file."""
    text = path.read_text()
    lines = text.count("\n")
    limit = _FILE_LINES[path.suffix]
    if lines > limit:
        yield f"{lines} lines, the limit for {path.suffix} is {limit}: split it by verb"
    if path.stem in _EMPTY_NAMES:
        yield "the name says nothing: name it after what it does"
    if path.suffix == ".py":
        yield from _long_functions(text)


def _long_functions(text: str) -> Iterator[str]:
    source = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            if not body:
                continue
            lines = sum(bool(line.strip()) for line in source[body[0].lineno - 1 : node.end_lineno])
            if lines > _FUNCTION_LINES:
                yield f"line {node.lineno}: {node.name} has {lines} lines, the limit is {_FUNCTION_LINES}"


def main() -> int:
    """Prints every problem with its file; 1 if there is one."""
    found = [
        f"{path.relative_to(ROOT)}: {problem}"
        for path in files(*_FILE_LINES)
        if not is_generated(path)
        for problem in problems(path)
    ]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
