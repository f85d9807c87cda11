"""Long tuples of which two versions share most objects, compared without a step of Python for each entry."""

from collections.abc import Container, Iterable
from itertools import compress, count
from operator import attrgetter, is_not
from typing import Any, TypeVar

Entry = TypeVar("Entry")


def unshared(before: tuple[Entry, ...], after: tuple[Entry, ...]) -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
    """Both without the objects, not merely equal ones, that they share at the beginning and at the end."""
    start, end = shared_ends(before, after)
    return before[start : len(before) - end], after[start : len(after) - end]


def shared_ends(before: tuple[object, ...], after: tuple[object, ...]) -> tuple[int, int]:
    """How many objects they share at the beginning, and how many of the others at the end."""
    if before is after:
        return len(before), 0
    start = _length_of_same(before, after)
    return start, _length_of_same(before[start:][::-1], after[start:][::-1])


def at_differing(one: Iterable[object], other: Iterable[object]) -> Iterable[int]:
    """Where two iterables of one length do not have the same object."""
    return compress(count(), map(is_not, one, other))


def by_key(name: str, entries: Iterable[Entry]) -> dict[Any, Entry]:
    """The entries by the attribute of that name."""
    listed = tuple(entries)
    return dict(zip(keys(name, listed), listed, strict=True))


def chosen(name: str, entries: Iterable[Entry], wanted: Container[Any]) -> tuple[Entry, ...]:
    """The entries of which the attribute of that name is wanted, in their order."""
    listed = tuple(entries)
    return tuple(compress(listed, map(wanted.__contains__, keys(name, listed))))


def keys(name: str, entries: Iterable[object]) -> Iterable[Any]:
    """That attribute of each entry, in their order."""
    return map(attrgetter(name), entries)


def _length_of_same(one: tuple[object, ...], other: tuple[object, ...]) -> int:
    return next(iter(at_differing(one, other)), min(len(one), len(other)))
