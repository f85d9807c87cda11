"""Single values from the kernel and mdadm: pure, and tolerant of odd ones."""

import re

_NUMBER = re.compile(r"[0-9]{1,20}")


def number(text: str | None) -> int | None:
    """The value of an attribute or a line, if it is a number that fits 64 bits and nothing else."""
    return int(text) if text and _NUMBER.fullmatch(text) else None


def first_number(text: str) -> int:
    """The value of an attribute; while a reshape runs it is followed by the previous one: `4 (3)`. 0 if it has none."""
    return number(text.partition(" ")[0]) or 0


def shown(text: str) -> str:
    """A name from a superblock, which can contain any bytes: what cannot be displayed is replaced."""
    return "".join(one if one.isprintable() else "?" for one in text)
