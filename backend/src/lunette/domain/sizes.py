"""Sizes in bytes, and how people write them."""

import re
from typing import Annotated

from pydantic import BeforeValidator, Field

KIB, MIB, GIB, TIB = 1024, 1024**2, 1024**3, 1024**4
MAX_BYTES = 2**63 - 1
_UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12, "pb": 10**15,
          "kib": KIB, "mib": MIB, "gib": GIB, "tib": TIB, "pib": 1024**5}  # fmt: skip
_SIZE = re.compile(r"^(\d+(?:\.\d+)?)\s*([a-z]*)$")


def parse_size(value: object) -> object:
    """Turn "10GiB", "1.5 TB" or a whole number into bytes. Raises ValueError for anything else."""
    if not isinstance(value, str):
        return value
    match = _SIZE.match(value.strip().lower())
    if not match or match[2] not in _UNITS:
        raise ValueError('expected bytes as a number, or text such as "10GiB" (binary) or "10GB" (decimal)')
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


Bytes = Annotated[int, BeforeValidator(parse_size), Field(ge=0, le=MAX_BYTES)]
"""A byte count; text with a unit is accepted on input."""
