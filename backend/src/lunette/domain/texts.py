"""What the docstrings below the fields of a model and the members of an enum say.

Python drops these strings, so they are read from the source: when a JSON Schema is made, and not at start-up, which
would read every module again.
"""

import ast
import inspect
import sys
from collections.abc import Iterator, Mapping
from enum import Enum, StrEnum
from functools import cache
from typing import Any

from pydantic import GetJsonSchemaHandler
from pydantic_core import CoreSchema

Json = dict[str, Any]
_FOREIGN = {"builtins", "enum", "pydantic", "typing"}


class Documented:
    """A model whose JSON Schema carries the text of each of its fields."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> Json:
        """The schema pydantic makes, with a description of each property that has a docstring."""
        schema: Json = handler(core_schema)
        properties: Json = handler.resolve_ref_schema(schema).get("properties", {})
        texts = field_texts(cls)
        for name, inner in properties.items():
            if name in texts:
                inner.setdefault("description", texts[name])
        return schema


def field_texts(model: type) -> dict[str, str]:
    """The text of each field of a class, by its name; where a base class declares it, that one's."""
    texts: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if base.__module__.partition(".")[0] not in _FOREIGN:
            texts |= _of_module(base.__module__).get(base.__qualname__, {})
    return texts


def member_texts(words: type[Enum]) -> dict[str, str]:
    """The text of each member of an enum, by its value."""
    texts = field_texts(words)
    return {str(one.value): texts[one.name] for one in words if one.name in texts}


def add_member_texts(name: str, schema: Json) -> None:
    """Adds what each value means to the schema of the enum of this name, as `x-enumDescriptions`; JSON Schema has no
    word for it. Nothing is added where no enum of this name has exactly these values."""
    if "enum" not in schema:
        return
    for kind in StrEnum.__subclasses__():
        # Two modules may have an enum of one name: its values identify it.
        if kind.__name__ == name and kind.__module__.startswith("lunette."):
            texts = member_texts(kind)
            if texts.keys() == {*schema["enum"]}:
                schema["x-enumDescriptions"] = {word: texts[word] for word in schema["enum"]}
                return


@cache
def _of_module(name: str) -> Mapping[str, Mapping[str, str]]:
    """The texts of every class of a module. Empty where the source is not installed."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[name]))
    except OSError:
        return {}
    return {node.name: dict(_of_class(node)) for node in tree.body if isinstance(node, ast.ClassDef)}


def _of_class(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for field, below in zip(node.body, node.body[1:], strict=False):
        match field, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield name, inspect.cleandoc(text)
