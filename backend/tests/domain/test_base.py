"""What every domain model refuses."""

from __future__ import annotations

import pytest
from pydantic import Field

from lunette.domain.base import Model


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
