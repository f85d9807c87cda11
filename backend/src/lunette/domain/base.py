"""The base of every domain model: frozen, closed to unknown fields."""

import functools
from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

from lunette.domain.texts import Documented


class Model(Documented, BaseModel):
    """Immutable data; an unknown field is an error, so that a typing mistake never passes silently.

    The text of an error does not show what was wrong, which may be a secret: it ends up in the journal.
    A field with an alias is stored under the alias, and is read under either name, never under both (decision 0065).
    A model is built when it is first used: the unused ones would be a twelfth of the agent's memory.
    """

    model_config = ConfigDict(
        frozen=True,
        defer_build=True,
        extra="forbid",
        hide_input_in_errors=True,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
    )

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with these fields replaced, not validated. Raises TypeError for any other name, even an alias."""
        if update and not update.keys() <= self.__pydantic_fields__.keys():
            strange = ", ".join(sorted(update.keys() - self.__pydantic_fields__.keys()))
            raise TypeError(f"{type(self).__name__} has no field {strange}")
        return super().model_copy(update=update, deep=deep)

    def _refuse_null(self, *but: str) -> None:
        """For changes: of all fields only these can be removed. Raises ValueError if another one is given as `null`."""
        for name in sorted(self.model_fields_set.difference(but)):
            if getattr(self, name) is None:
                raise ValueError(f"{name}: cannot be removed; omit the field to leave it unchanged")


class Lean(Model):
    """For objects of which there are thousands: takes half the memory, because all of a class share the set of the
    fields that were given. It names every field, so `exclude_unset` leaves nothing out.
    """

    def model_post_init(self, _context: Any, /) -> None:
        """Called by pydantic once the fields are set."""
        object.__setattr__(self, "__pydantic_fields_set__", _all_fields(type(self)))

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """As for every model."""
        found = super().model_copy(update=update, deep=deep)
        object.__setattr__(found, "__pydantic_fields_set__", _all_fields(type(self)))
        return found


@functools.cache
def _all_fields(model: type[Lean]) -> set[str]:
    return set(model.__pydantic_fields__)
