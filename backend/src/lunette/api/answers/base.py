"""The base of every answer, pages, and the state of what is exported."""

from enum import StrEnum
from typing import Annotated, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field

T = TypeVar("T")


class Answer(BaseModel):
    """Data that leaves the API. Every field is always present."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="null")


class Page(Answer, Generic[T]):
    """One page of a list. `next_cursor` is null on the last page; `total` counts all pages."""

    items: tuple[T, ...]
    next_cursor: str | None
    total: int


class ExportState(StrEnum):
    """open: served now. blocked: wanted, and waiting for what the reason names. pending: not yet taken up.

    none: nothing asks for it to be served. unknown: the agent does not answer.
    """

    OPEN = "open"
    BLOCKED = "blocked"
    PENDING = "pending"
    NONE = "none"
    UNKNOWN = "unknown"


class Export(Answer):
    """Whether it is served to hosts now, and if not, why."""

    state: ExportState
    reason: str | None


Age = Annotated[float, Field(ge=0, description="Seconds since the machine was asked.")]
