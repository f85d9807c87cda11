"""The base of every domain model: frozen, closed to unknown fields."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """Immutable data; an unknown field is an error, so that a typing mistake never passes silently."""

    model_config = ConfigDict(frozen=True, extra="forbid")
