"""Sizes in bytes as fields of a model. The text form of a size is defined in units.py."""

from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

from lunette.domain.units import GIB, KIB, MIB, SIZE_PATTERN, TIB, format_size, parse_size

__all__ = ["GIB", "KIB", "MAX_BYTES", "MIB", "OR_TEXT", "TIB", "format_size", "parse_size"]
MAX_BYTES = 2**63 - 1


class _OrText:
    """Annotation of a byte count that also accepts text with a unit, with the JSON Schema of requests to match."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(parse_size, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        number = handler(schema)
        if handler.mode == "serialization":
            return number
        return {"anyOf": [number, {"type": "string", "pattern": SIZE_PATTERN, "examples": ["10GiB", "1.5TB"]}]}


OR_TEXT = _OrText()
"""The last annotation of a size, after its limits, which are of the number: `Annotated[int, Field(ge=0), OR_TEXT]`."""
