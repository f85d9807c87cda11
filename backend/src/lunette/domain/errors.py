"""The errors of Lunette. Each has one HTTP status and one problem type of a closed set (RFC 9457).

The message explains the refusal, its reason and the next action. The output of tools goes into `log`, never into the
message: it is written to the job log and the journal, and is not shown to the user.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import ClassVar

from lunette.domain.base import Model


class ProblemType(StrEnum):
    """Type of an error, from a closed set."""

    INVALID = "invalid"
    """The request is not valid (status 422)."""
    MALFORMED = "malformed"
    """The request cannot be read (status 400)."""
    UNAUTHENTICATED = "unauthenticated"
    """The request has no valid credentials (status 401)."""
    FORBIDDEN = "forbidden"
    """The user or API token is not allowed to do this (status 403)."""
    PASSWORD_CHANGE_REQUIRED = "password-change-required"
    """The user must change the password first (status 403)."""
    CODE_REQUIRED = "code-required"
    """The login also needs a code of the second factor (status 401)."""
    SECOND_FACTOR_REQUIRED = "second-factor-required"
    """The user must set up a second factor first (status 403)."""
    NOT_FOUND = "not-found"
    """The resource does not exist (status 404)."""
    METHOD_NOT_ALLOWED = "method-not-allowed"
    """The resource does not support the HTTP method (status 405)."""
    CONFLICT = "conflict"
    """The request conflicts with the current state (status 409)."""
    IN_USE = "in-use"
    """The resource contains data or is in use, and the request does not confirm the loss (status 409)."""
    STUCK = "stuck"
    """The resource is stuck; an administrator must resolve its job first (status 409)."""
    PRECONDITION_FAILED = "precondition-failed"
    """The resource was changed in the meantime (status 412)."""
    TOO_LARGE = "too-large"
    """The request is too large (status 413)."""
    TOO_SLOW = "too-slow"
    """The request did not arrive in time (status 408)."""
    LENGTH_REQUIRED = "length-required"
    """The request has no Content-Length header (status 411)."""
    PRECONDITION_REQUIRED = "precondition-required"
    """The request has no If-Match header (status 428)."""
    RATE_LIMITED = "rate-limited"
    """Too many attempts; the Retry-After header contains the waiting time (status 429)."""
    INTERNAL = "internal"
    """An internal error occurred (status 500)."""
    TOOL_FAILED = "tool-failed"
    """A system tool or the kernel refused an action (status 502)."""
    UNAVAILABLE = "unavailable"
    """A required part is not available, such as the agent or the database (status 503)."""
    NO_SPACE = "no-space"
    """The request needs more space than is available (status 409)."""


class Blocker(Model):
    """An object that prevents a change."""

    noun: str
    """Kind of the object, such as `host_group`."""
    id: str
    """Unique ID of the object."""
    name: str
    """Name of the object."""


class FieldProblem(Model):
    """One wrong field of a request."""

    field: str
    """Path of the field in the request."""
    value: str | None
    """Rejected value; None if the value is missing, structured, or possibly a secret."""
    message: str
    """Rule that the value violates."""
    blockers: tuple[Blocker, ...] = ()
    """Objects that prevent the change."""


class LunetteError(Exception):
    """Base of all errors: `detail` is for the user, `errors` name fields, and `log` is for the journal only."""

    type: ClassVar[ProblemType] = ProblemType.INTERNAL
    status: ClassVar[int] = 500
    title: ClassVar[str] = "Internal error"

    def __init__(self, detail: str, *, errors: Sequence[FieldProblem] = (), log: str = "") -> None:
        super().__init__(detail)
        self.detail = detail
        self.errors = tuple(errors)
        self.log = log


class Invalid(LunetteError):
    type, status, title = ProblemType.INVALID, 422, "Invalid input"


class Malformed(LunetteError):
    type, status, title = ProblemType.MALFORMED, 400, "Malformed request"


class Unauthenticated(LunetteError):
    type, status, title = ProblemType.UNAUTHENTICATED, 401, "Login required"


class Forbidden(LunetteError):
    type, status, title = ProblemType.FORBIDDEN, 403, "Permission denied"


class PasswordChangeRequired(LunetteError):
    type, status, title = ProblemType.PASSWORD_CHANGE_REQUIRED, 403, "Password change required"


class CodeRequired(LunetteError):
    """The password is correct, and the user has a second factor."""

    type, status, title = ProblemType.CODE_REQUIRED, 401, "Second-factor code required"


class SecondFactorRequired(LunetteError):
    """The settings require a second factor, and the user has none yet."""

    type, status, title = ProblemType.SECOND_FACTOR_REQUIRED, 403, "Second-factor setup required"


class NotFound(LunetteError):
    type, status, title = ProblemType.NOT_FOUND, 404, "Not found"


class MethodNotAllowed(LunetteError):
    type, status, title = ProblemType.METHOD_NOT_ALLOWED, 405, "Method not allowed"


class Conflict(LunetteError):
    type, status, title = ProblemType.CONFLICT, 409, "Conflict"


class InUse(LunetteError):
    """The resource contains data or is in use, and the request does not confirm its loss."""

    type, status, title = ProblemType.IN_USE, 409, "In use"


class Stuck(LunetteError):
    """A job could neither finish nor be rolled back; the resource cannot be changed until the job is resolved."""

    type, status, title = ProblemType.STUCK, 409, "Decision required"


class PreconditionFailed(LunetteError):
    type, status, title = ProblemType.PRECONDITION_FAILED, 412, "Changed by another request"


class TooLarge(LunetteError):
    type, status, title = ProblemType.TOO_LARGE, 413, "Too large"


class LengthRequired(LunetteError):
    type, status, title = ProblemType.LENGTH_REQUIRED, 411, "Content-Length is required"


class TooSlow(LunetteError):
    type, status, title = ProblemType.TOO_SLOW, 408, "Request timeout"


class PreconditionRequired(LunetteError):
    type, status, title = ProblemType.PRECONDITION_REQUIRED, 428, "If-Match is required"


class RateLimited(LunetteError):
    """Too many attempts; `wait_s` is the number of seconds until the next attempt is possible."""

    type, status, title = ProblemType.RATE_LIMITED, 429, "Too many attempts"

    def __init__(self, detail: str, *, errors: Sequence[FieldProblem] = (), log: str = "", wait_s: int = 60) -> None:
        super().__init__(detail, errors=errors, log=log)
        self.wait_s = wait_s


class ToolFailed(LunetteError):
    """A system tool or the kernel refused a step; `log` contains its output."""

    type, status, title = ProblemType.TOOL_FAILED, 502, "System tool failed"


class Unavailable(LunetteError):
    """A part is not available now: the agent, a kernel module, a tool, or the database for writing."""

    type, status, title = ProblemType.UNAVAILABLE, 503, "Not available"


class AgentAway(Unavailable):
    """The agent cannot be reached or stopped before its answer, so the result of the request is not known."""


class NoSpace(LunetteError):
    """The request needs more space than is available. The request is at fault, not the server: 409, not 507."""

    type, status, title = ProblemType.NO_SPACE, 409, "Not enough space"


ERRORS: dict[ProblemType, type[LunetteError]] = {
    LunetteError.type: LunetteError,
    **{error.type: error for error in LunetteError.__subclasses__()},
}
"""The error of each type."""
