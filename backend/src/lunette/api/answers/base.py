"""Base classes of API answers: pages and export states."""

from enum import StrEnum
from typing import Annotated, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from lunette.domain.texts import Documented

T = TypeVar("T")


class Answer(Documented, BaseModel):
    """Data that the API returns. Every field is always present."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="null")


class Page(Answer, Generic[T]):
    """One page of a list."""

    items: tuple[T, ...]
    """Entries on this page."""
    next_cursor: str | None
    """Cursor of the next page. `null` on the last page."""
    total: int
    """Number of entries on all pages."""


class ExportState(StrEnum):
    """State of an export."""

    OPEN = "open"
    """Served to hosts now."""
    BLOCKED = "blocked"
    """Not served yet, because of the condition that the reason names."""
    PENDING = "pending"
    """Not yet applied by the agent."""
    NONE = "none"
    """Not exported, because nothing requires an export."""
    UNKNOWN = "unknown"
    """Unknown, because the agent does not answer."""


class Export(Answer):
    """Whether an object is served to hosts now, and the reason if it is not."""

    state: ExportState
    """State of the export."""
    reason: str | None
    """Explanation of the state, such as the volumes that are missing. `null` if no explanation is needed."""


Age = Annotated[float, Field(ge=0, description="Seconds since the machine was asked.")]
