"""What the kernel and mdadm print, one value at a time: pure, and never stopped by what is odd."""

import re

_NUMBER = re.compile(r"[0-9]{1,20}")


def number(text: str | None) -> int | None:
    """What an attribute or a line says, where that is a number that fits 64 bits and nothing else."""
    return int(text) if text and _NUMBER.fullmatch(text) else None


def first_number(text: str) -> int:
    """What an attribute says; while a reshape runs it is followed by what was before: `4 (3)`. 0 if it says nothing."""
    return number(text.partition(" ")[0]) or 0


def shown(text: str) -> str:
    """A name out of a superblock, which can hold any bytes: what cannot be shown is replaced."""
    return "".join(one if one.isprintable() else "?" for one in text)
