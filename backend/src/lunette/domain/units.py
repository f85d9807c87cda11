"""Reads and writes sizes in bytes. Nothing is imported here, so that a command line starts fast."""

import re

KIB, MIB, GIB, TIB = 1024, 1024**2, 1024**3, 1024**4
PIB = 1024**5
_UNITS = {
    "": 1,
    "b": 1,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "tb": 10**12,
    "pb": 10**15,
    "kib": KIB,
    "mib": MIB,
    "gib": GIB,
    "tib": TIB,
    "pib": PIB,
    "k": KIB,
    "m": MIB,
    "g": GIB,
    "t": TIB,
    "p": PIB,
}
"""A letter alone is binary, as lvcreate, truncate and qemu-img read it."""
_SIZE = re.compile(r"^([0-9]{1,19}(?:\.[0-9]{1,9})?)\s*([a-z]*)$")
SIZE_PATTERN = r"^[0-9]{1,19}(\.[0-9]{1,9})?\s*([KkMmGgTtPp]([Ii]?[Bb])?|[Bb])?$"
"""Every text that `parse_size` accepts matches it, apart from blanks around it: for a JSON Schema."""


def parse_size(value: object) -> object:
    """Turn "10GiB", "2T", "1.5 TB" or a whole number into bytes. Raises ValueError for anything else."""
    if not isinstance(value, str):
        return value
    match = _SIZE.match(value.strip().lower())
    if not match or match[2] not in _UNITS:
        raise ValueError('expected bytes as a number, or text such as "10GiB" or "10G" (binary) or "10GB" (decimal)')
    amount = float(match[1]) * _UNITS[match[2]] if "." in match[1] else int(match[1]) * _UNITS[match[2]]
    return int(amount)


def format_size(count: int) -> str:
    """Bytes as binary units with at most two decimals: 1536 -> "1.5 KiB"."""
    size, unit = float(count), "B"
    for unit in ("B", "KiB", "MiB", "GiB", "TiB", "PiB"):
        if abs(size) < 1024 or unit == "PiB":
            break
        size /= 1024
    text = f"{size:.2f}".rstrip("0").rstrip(".")
    return f"{text} {unit}"


def counted(count: int, noun: str) -> str:
    """A number with its noun: 1 -> "1 volume", 3 -> "3 volumes"."""
    return f"{count} {noun}{'s' if count != 1 else ''}"
