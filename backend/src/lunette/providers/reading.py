"""Readers parse the output of a tool into the product's types, or say that it cannot be read.

A reader raises only ToolFailed, whatever its input; what it cannot read never counts as empty.
"""

import functools
import json
import re
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from lunette.domain.errors import ToolFailed

READERS: dict[str, Callable[..., Any]] = {}
"""Every reader by its module and name, once its module is imported."""
ODD = (ArithmeticError, AttributeError, LookupError, RecursionError, StopIteration, TypeError, ValueError)
"""Exceptions for unexpected values, pydantic's ValidationError among them."""
_SCALAR = r'(?:"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)'
_OF_JSON = re.compile(rf'\s*(?:$|[}}\],:]|[{{\[]\s*(?:$|[{{}}\[\]"\-\dtfn])|{_SCALAR}\s*(?:[:,\]}}]|$))')
"""How every line of a JSON document begins, however it is broken into lines."""
P = ParamSpec("P")
T = TypeVar("T")


def reader(tool: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Makes a function a reader of the output of `tool`."""

    def register(function: Callable[P, T]) -> Callable[P, T]:
        @functools.wraps(function)
        def read(*args: P.args, **kwargs: P.kwargs) -> T:
            try:
                return function(*args, **kwargs)
            except ODD as error:
                log = "\n".join(str(one)[:2000] for one in (*args, f"{type(error).__name__}: {error}"))
                raise ToolFailed(f"{tool} printed output that Lunette cannot read", log=log) from error

        READERS[f"{function.__module__}.{function.__qualname__}"] = read
        return read

    return register


def document(text: str) -> Any:
    """Output of a tool as JSON. Lines that cannot be part of it, such as an advice of LVM, are omitted.

    Only whole lines that begin as no JSON does: a damaged row is never dropped. Raises ValueError.
    """
    try:
        return json.loads(text)
    except ValueError:
        lines = text.splitlines()
        kept = [line for line in lines if _OF_JSON.match(line)]
        if len(kept) == len(lines):
            raise
        return json.loads("\n".join(kept))


def rows(value: Any) -> list[dict[str, Any]]:
    """A list of objects. Raises TypeError if it is anything else."""
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise TypeError("no list of objects")
    return value


def text_of(value: Any) -> str:
    """A value that is a text, or a number that stands for one. Raises TypeError."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise TypeError(f"no text: {value!r}"[:200])
    return str(value)


def word(value: Any) -> str:
    """A name: a text that is not empty. Raises TypeError."""
    if not isinstance(value, str) or not value:
        raise TypeError(f"no name: {value!r}"[:200])
    return value


def texts(value: Any) -> tuple[str, ...]:
    """A list of texts. Raises TypeError."""
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise TypeError(f"no list of texts: {value!r}"[:200])
    return tuple(value)


def why(error: Exception) -> str:
    """The error in an entry, in a few words."""
    return f"{type(error).__name__}: {error}"[:200]
