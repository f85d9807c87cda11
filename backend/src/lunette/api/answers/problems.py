"""Problem documents (RFC 9457): the format of every error response, and the conversion of errors to it."""

from typing import Any

from lunette.api.answers.base import Answer
from lunette.domain.errors import FieldProblem, LunetteError, ProblemType

MEDIA_TYPE = "application/problem+json"
MOST_FAULTS = 20
"""The most invalid fields that one answer names, however many the request has."""


class ProblemBlocker(Answer):
    """An object that prevents a change, such as a host that a volume is mapped to."""

    noun: str
    """Kind of the object, such as `host_group`."""
    id: str
    """Unique ID of the object."""
    name: str
    """Name of the object."""


class ProblemField(Answer):
    """One wrong field of a request."""

    field: str
    """Path of the field in the request, such as `volumes[0].size_bytes`."""
    value: str | None
    """Rejected value; `null` if the value is missing, structured, or possibly a secret."""
    message: str
    """Rule that the value violates."""
    blockers: tuple[ProblemBlocker, ...]
    """Objects that prevent the change; empty if the value itself is wrong."""


class Problem(Answer):
    """Error response according to RFC 9457, with the reason for the refusal and the action to take."""

    type: ProblemType
    """Type of the problem, from a closed set."""
    title: str
    """Short title of the problem type."""
    status: int
    """HTTP status code of the response."""
    detail: str
    """Explanation of the refusal, with the action to take."""
    instance: str
    """URL path of the request."""
    errors: tuple[ProblemField, ...]
    """Wrong fields of the request; empty if the problem does not concern single fields."""


class OutdatedProblem(Problem):
    """Error response for a resource that changed in the meantime, with its current state."""

    current: dict[str, Any] | None
    """Current state of the resource, as a GET request returns it; `null` if the state cannot be shown."""


def problem_of(error: LunetteError, instance: str) -> Problem:
    """The document of an error. The output of a tool (`log`) is omitted."""
    return Problem(
        type=error.type,
        title=error.title,
        status=error.status,
        detail=error.detail,
        instance=instance,
        errors=tuple(_field(wrong) for wrong in error.errors),
    )


def _field(wrong: FieldProblem) -> ProblemField:
    blockers = tuple(ProblemBlocker(noun=one.noun, id=one.id, name=one.name) for one in wrong.blockers)
    return ProblemField(field=wrong.field, value=wrong.value, message=wrong.message, blockers=blockers)
