"""Limits that keep a file readable: its size, the size of its functions, and names that mean something.

Python is counted in statements, so that how the formatter breaks lines changes nothing; docstrings, also those of
attributes, count for nothing. The other languages are counted in lines. There are no exceptions, tests included: when
a limit hurts, split by verb.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.run.command import ROOT
from tests.run.tree import files, is_generated

_FILE_STATEMENTS = 320
_FUNCTION_STATEMENTS = 40
_FILE_LINES = {".vue": 250, ".ts": 250}
_EMPTY_NAMES = {"util", "utils", "helper", "helpers", "common", "manager", "misc"}


def problems(path: Path) -> Iterator[str]:
    """What is too big or named after nothing in one file."""
    text = path.read_text()
    if path.stem in _EMPTY_NAMES:
        yield "the name says nothing: name it after what it does"
    if path.suffix == ".py":
        yield from _too_many_statements(ast.parse(text))
        return
    lines = text.count("\n")
    limit = _FILE_LINES[path.suffix]
    if lines > limit:
        yield f"{lines} lines, the limit for {path.suffix} is {limit}: split it by verb"


def _too_many_statements(tree: ast.Module) -> Iterator[str]:
    total = _statements(tree)
    if total > _FILE_STATEMENTS:
        yield f"{total} statements, the limit for .py is {_FILE_STATEMENTS}: split it by verb"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            own = _statements(node)
            if own > _FUNCTION_STATEMENTS:
                yield f"line {node.lineno}: {node.name} has {own} statements, the limit is {_FUNCTION_STATEMENTS}"


def _statements(tree: ast.AST) -> int:
    """The statements below a node, without docstrings."""
    below = (node for node in ast.walk(tree) if isinstance(node, ast.stmt) and node is not tree)
    return sum(not _is_docstring(node) for node in below)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def main() -> int:
    """Prints every problem with its file; 1 if there is one."""
    found = [
        f"{path.relative_to(ROOT)}: {problem}"
        for path in files(".py", *_FILE_LINES)
        if not is_generated(path)
        for problem in problems(path)
    ]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
