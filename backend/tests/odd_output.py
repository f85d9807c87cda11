"""What a tool may print instead of what it printed when it was recorded: examples for properties of readers."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import strategies as st

Place = tuple[Any, Any]
"""A container and a key of it."""
ODD_VALUES: tuple[Any, ...] = (
    None,
    "x",
    [],
    {},
    "",
    "-",
    "7",
    "-1",
    0,
    -1,
    2**70,
    1.5,
    True,
    [None],
    {"x": None},
    [[]],
)
ODD_WORDS = ("", "-", "0", "-1", "x", "99999999999999999999", "(null)", ":", "{", '"', "\x00", "\ufffd", "é")
ODD_LINES = (
    "",
    "  WARNING: something is odd",
    "[note] odd",
    '"odd" is odd',
    "{",
    "}",
    "null",
    "\x00",
    "odd: 1",
    "odd=1",
)
EMPTY = ("", "\n", "null", "[]", "{}", "0", '""', "true", "no such thing", "\x00" * 8, "[" * 3000)


def odd(text: str) -> st.SearchStrategy[str]:
    """The text with one to three oddities, or something else altogether."""
    return st.one_of(_changed(text), _changed(text), st.sampled_from(EMPTY))


@st.composite
def _changed(draw: st.DrawFn, text: str) -> str:
    for _ in range(draw(st.integers(1, 3))):
        text = draw(st.sampled_from(_ways(text)))(draw, text)
    return text


def _ways(text: str) -> list[Callable[[st.DrawFn, str], str]]:
    of_text: list[Callable[[st.DrawFn, str], str]] = [_cut_short, _with_a_line, _without_a_line, _with_another_word]
    return [_another_value, _another_value, _without_a_key, *of_text] if is_document(text) else of_text


def is_document(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict | list)
    except (ValueError, RecursionError):
        return False


def another_value(text: str, number: int, value: Any) -> str:
    """The document with another value in the place of this number."""
    document = json.loads(text)
    places = list(_places(document))
    container, key = places[number % len(places)] if places else ([document], 0)
    container[key] = value
    return json.dumps(document)


def _another_value(draw: st.DrawFn, text: str) -> str:
    return another_value(text, draw(st.integers(0, 10**6)), draw(st.sampled_from(ODD_VALUES)))


def _without_a_key(draw: st.DrawFn, text: str) -> str:
    document = json.loads(text)
    places = list(_places(document))
    if places:
        container, key = places[draw(st.integers(0, 10**6)) % len(places)]
        del container[key]
    return json.dumps(document, indent=draw(st.sampled_from((None, 1))))


def _cut_short(draw: st.DrawFn, text: str) -> str:
    return text[: draw(st.integers(0, len(text)))]


def _with_a_line(draw: st.DrawFn, text: str) -> str:
    lines = text.splitlines()
    lines.insert(draw(st.integers(0, len(lines))), draw(st.sampled_from(ODD_LINES)))
    return "\n".join(lines)


def _without_a_line(draw: st.DrawFn, text: str) -> str:
    lines = text.splitlines()
    del lines[draw(st.integers(0, max(0, len(lines) - 1))) : draw(st.integers(0, len(lines)))]
    return "\n".join(lines)


def _with_another_word(draw: st.DrawFn, text: str) -> str:
    words = text.split(" ")
    words[draw(st.integers(0, len(words) - 1))] = draw(st.sampled_from(ODD_WORDS))
    return " ".join(words)


def _places(value: Any) -> Iterator[Place]:
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in [*keys]:
        yield value, key
        yield from _places(value[key])
