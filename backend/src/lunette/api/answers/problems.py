"""Problem documents (RFC 9457): the one shape of every refusal, and how each error becomes one."""

from typing import Any

from lunette.api.answers.base import Answer
from lunette.domain.errors import FieldProblem, LunetteError, ProblemType

MEDIA_TYPE = "application/problem+json"
MOST_FAULTS = 20
"""Fields that do not fit their types and are named in one answer; who sends a hundred thousand gets no more back."""


class ProblemField(Answer):
    """One wrong field: where it stands in the request, what it held, which rule it broke."""

    field: str
    value: str | None
    message: str


class Problem(Answer):
    """What was refused, why, and what to do next. `type` is of a closed set; `errors` names the wrong fields."""

    type: ProblemType
    title: str
    status: int
    detail: str
    instance: str
    errors: tuple[ProblemField, ...]


class OutdatedProblem(Problem):
    """As a problem, and the resource as it is now, as GET answers it; null where it cannot be shown."""

    current: dict[str, Any] | None


def problem_of(error: LunetteError, instance: str) -> Problem:
    """The document of an error. What a tool printed (`log`) stays out of it."""
    return Problem(
        type=error.type,
        title=error.title,
        status=error.status,
        detail=error.detail,
        instance=instance,
        errors=tuple(_field(wrong) for wrong in error.errors),
    )


def _field(wrong: FieldProblem) -> ProblemField:
    return ProblemField(field=wrong.field, value=wrong.value, message=wrong.message)
