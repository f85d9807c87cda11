"""Sizes in bytes as fields of a model. How they are written and read is in units.py."""

from typing import Annotated

from pydantic import BeforeValidator, Field

from lunette.domain.units import GIB, KIB, MIB, TIB, format_size, parse_size

__all__ = ["GIB", "KIB", "MAX_BYTES", "MIB", "TIB", "Bytes", "format_size", "parse_size"]
MAX_BYTES = 2**63 - 1

Bytes = Annotated[int, BeforeValidator(parse_size), Field(ge=0, le=MAX_BYTES)]
"""A byte count; text with a unit is accepted on input."""
