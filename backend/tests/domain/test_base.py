"""What every domain model refuses."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import pytest
from pydantic import BaseModel, Field

import lunette
from lunette.domain.base import Lean, Model


class Volume(Model):
    """A model with an alias."""

    name: str
    size_bytes: int = Field(default=1, alias="size")


def test_a_copy_has_the_replaced_fields_and_is_stored_under_the_alias() -> None:
    copy = Volume(name="logs").model_copy(update={"size_bytes": 2})
    assert copy == Volume(name="logs", size_bytes=2)
    assert copy.model_dump() == {"name": "logs", "size": 2}


@pytest.mark.parametrize("strange", ["nmae", "size"])
def test_a_copy_with_an_unknown_field_is_refused(strange: str) -> None:
    with pytest.raises(TypeError, match=f"^Volume has no field {strange}$"):
        Volume(name="logs").model_copy(update={"name": "db", strange: 2})


class Entry(Lean):
    name: str
    size_bytes: int = 0


def test_lean_objects_share_the_set_of_their_fields_whatever_was_given() -> None:
    given = (Entry(name="a"), Entry(name="b", size_bytes=1), Entry(name="a").model_copy(update={"name": "c"}))
    assert len({id(one.model_fields_set) for one in given}) == 1
    assert given[0].model_fields_set == {"name", "size_bytes"}
    assert given[0] == Entry(name="a", size_bytes=0)


def test_a_lean_object_is_sent_with_all_its_fields() -> None:
    assert Entry(name="a").model_dump(exclude_unset=True) == {"name": "a", "size_bytes": 0}


def subclasses(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for one in model.__subclasses__():
        yield one
        yield from subclasses(one)


def test_every_model_can_be_built() -> None:
    """A wrong annotation would otherwise be found by the first user of the model."""
    for module in pkgutil.walk_packages(lunette.__path__, "lunette."):
        if not module.name.startswith("lunette.store.migrations."):  # which run when they are imported
            importlib.import_module(module.name)
    models = [one for one in subclasses(Model) if one.__module__.startswith("lunette.")]
    assert len(models) > 300
    for one in models:
        one.model_rebuild(raise_errors=True)
    assert [one.__qualname__ for one in models if not one.__pydantic_complete__] == []
