"""The few errors of the product. Each maps to one HTTP status and one closed problem type (RFC 9457).

The message says what was refused, why, and what to do next. What a tool printed goes into `log`, never into the
message: it reaches the job log and the journal, not the person who only wanted a volume.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import ClassVar

from lunette.domain.base import Model


class ProblemType(StrEnum):
    """The closed set of `type` values a problem document can carry."""

    INVALID = "invalid"
    MALFORMED = "malformed"
    UNAUTHENTICATED = "unauthenticated"
    FORBIDDEN = "forbidden"
    PASSWORD_CHANGE_REQUIRED = "password-change-required"
    CODE_REQUIRED = "code-required"
    SECOND_FACTOR_REQUIRED = "second-factor-required"
    NOT_FOUND = "not-found"
    METHOD_NOT_ALLOWED = "method-not-allowed"
    CONFLICT = "conflict"
    IN_USE = "in-use"
    STUCK = "stuck"
    PRECONDITION_FAILED = "precondition-failed"
    TOO_LARGE = "too-large"
    TOO_SLOW = "too-slow"
    LENGTH_REQUIRED = "length-required"
    PRECONDITION_REQUIRED = "precondition-required"
    RATE_LIMITED = "rate-limited"
    INTERNAL = "internal"
    TOOL_FAILED = "tool-failed"
    UNAVAILABLE = "unavailable"
    NO_SPACE = "no-space"


class FieldProblem(Model):
    """One field that was wrong: where it stands in the request, what it held, which rule it broke."""

    field: str
    value: str | None
    message: str


class LunetteError(Exception):
    """Base of all refusals. `detail` is for people; `errors` name fields; `log` is for the journal only."""

    type: ClassVar[ProblemType] = ProblemType.INTERNAL
    status: ClassVar[int] = 500
    title: ClassVar[str] = "Internal error"

    def __init__(self, detail: str, *, errors: Sequence[FieldProblem] = (), log: str = "") -> None:
        super().__init__(detail)
        self.detail = detail
        self.errors = tuple(errors)
        self.log = log


class Invalid(LunetteError):
    type, status, title = ProblemType.INVALID, 422, "The request is not valid"


class Malformed(LunetteError):
    type, status, title = ProblemType.MALFORMED, 400, "The request cannot be read"


class Unauthenticated(LunetteError):
    type, status, title = ProblemType.UNAUTHENTICATED, 401, "Log in first"


class Forbidden(LunetteError):
    type, status, title = ProblemType.FORBIDDEN, 403, "Not allowed"


class PasswordChangeRequired(LunetteError):
    type, status, title = ProblemType.PASSWORD_CHANGE_REQUIRED, 403, "Change the password first"


class CodeRequired(LunetteError):
    """The password is right, and the user has a second factor."""

    type, status, title = ProblemType.CODE_REQUIRED, 401, "A code of the second factor is needed"


class SecondFactorRequired(LunetteError):
    """The settings ask for a second factor, and the user has none yet."""

    type, status, title = ProblemType.SECOND_FACTOR_REQUIRED, 403, "Set up the second factor first"


class NotFound(LunetteError):
    type, status, title = ProblemType.NOT_FOUND, 404, "Not found"


class MethodNotAllowed(LunetteError):
    type, status, title = ProblemType.METHOD_NOT_ALLOWED, 405, "Method not allowed"


class Conflict(LunetteError):
    type, status, title = ProblemType.CONFLICT, 409, "Conflicts with what exists"


class InUse(LunetteError):
    """The thing holds data or has users, and the request did not name it to be destroyed."""

    type, status, title = ProblemType.IN_USE, 409, "In use"


class Stuck(LunetteError):
    """An undo failed earlier; the resource can be read, and changed only by an explicit resolve."""

    type, status, title = ProblemType.STUCK, 409, "Needs a decision first"


class PreconditionFailed(LunetteError):
    type, status, title = ProblemType.PRECONDITION_FAILED, 412, "Changed by someone else meanwhile"


class TooLarge(LunetteError):
    type, status, title = ProblemType.TOO_LARGE, 413, "Too large"


class LengthRequired(LunetteError):
    type, status, title = ProblemType.LENGTH_REQUIRED, 411, "Content-Length is required"


class TooSlow(LunetteError):
    type, status, title = ProblemType.TOO_SLOW, 408, "Too slow"


class PreconditionRequired(LunetteError):
    type, status, title = ProblemType.PRECONDITION_REQUIRED, 428, "If-Match is required"


class RateLimited(LunetteError):
    """`wait_s`: how many seconds it takes until the next attempt is possible."""

    type, status, title = ProblemType.RATE_LIMITED, 429, "Too many attempts"

    def __init__(self, detail: str, *, errors: Sequence[FieldProblem] = (), log: str = "", wait_s: int = 60) -> None:
        super().__init__(detail, errors=errors, log=log)
        self.wait_s = wait_s


class ToolFailed(LunetteError):
    """A system tool or the kernel refused a step; `log` holds its own words."""

    type, status, title = ProblemType.TOOL_FAILED, 502, "The system refused"


class Unavailable(LunetteError):
    """A part is not there now: the agent, a kernel module, a tool, the database for writing."""

    type, status, title = ProblemType.UNAVAILABLE, 503, "Not available"


class AgentAway(Unavailable):
    """The agent cannot be reached, or went away before it answered: what it was asked may or may not have happened."""


class NoSpace(LunetteError):
    """What is asked for does not fit. It is the request that is too large, not the server that fails: 409, not 507."""

    type, status, title = ProblemType.NO_SPACE, 409, "Not enough space"


ERRORS: dict[ProblemType, type[LunetteError]] = {
    error.type: error
    for error in (
        Invalid,
        Malformed,
        Unauthenticated,
        Forbidden,
        PasswordChangeRequired,
        NotFound,
        MethodNotAllowed,
        Conflict,
        InUse,
        Stuck,
        PreconditionFailed,
        TooLarge,
        TooSlow,
        LengthRequired,
        PreconditionRequired,
        RateLimited,
        ToolFailed,
        Unavailable,
        NoSpace,
        LunetteError,
    )
}
