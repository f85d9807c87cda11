"""The base of every domain model: frozen, closed to unknown fields."""

from pydantic import BaseModel, ConfigDict

from lunette.domain.texts import Documented


class Model(Documented, BaseModel):
    """Immutable data; an unknown field is an error, so that a typing mistake never passes silently.

    The text of an error does not show what was wrong, which may be a secret: it ends up in the journal.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)
