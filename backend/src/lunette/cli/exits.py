"""The exit codes of `lunette`, for the program, its manual page and its tests."""

OK, BROKEN, USAGE, REFUSED, NOT_FOUND, CONFLICT, NOT_ALLOWED, UNREACHABLE, JOB_FAILED, NOT_CONFIRMED = range(10)
NOT_WELL = 10
INTERRUPTED = 130

MEANINGS = {
    OK: "Success.",
    BROKEN: "Internal error of the command.",
    USAGE: "Incorrect usage: an unknown command or option, an unusable file or configuration, "
    "or a question that cannot be asked without a terminal.",
    REFUSED: "The appliance refused the request, because it is not valid or not possible now.",
    NOT_FOUND: "The object does not exist.",
    CONFLICT: "The object conflicts with another one, is in use, is stuck, or was changed by another user meanwhile.",
    NOT_ALLOWED: "Not logged in, or not permitted.",
    UNREACHABLE: "No answer, an answer from a server other than the trusted appliance, "
    "or a part of the appliance is not available.",
    JOB_FAILED: "The job failed, was rolled back, is stuck, or did not end in time.",
    NOT_CONFIRMED: "The confirmation was declined. Nothing was changed.",
    NOT_WELL: "A check found a problem: a path is missing, an alert channel did not accept the test, "
    "or an object of a configuration cannot be served.",
    INTERRUPTED: "Interrupted with Ctrl-C. A job in progress continues on the appliance.",
}

OF_PROBLEMS = {
    "invalid": REFUSED,
    "malformed": REFUSED,
    "method-not-allowed": REFUSED,
    "too-large": REFUSED,
    "too-slow": REFUSED,
    "length-required": REFUSED,
    "precondition-required": REFUSED,
    "internal": REFUSED,
    "tool-failed": REFUSED,
    "no-space": REFUSED,
    "not-found": NOT_FOUND,
    "conflict": CONFLICT,
    "in-use": CONFLICT,
    "stuck": CONFLICT,
    "precondition-failed": CONFLICT,
    "unauthenticated": NOT_ALLOWED,
    "forbidden": NOT_ALLOWED,
    "password-change-required": NOT_ALLOWED,
    "code-required": NOT_ALLOWED,
    "second-factor-required": NOT_ALLOWED,
    "rate-limited": NOT_ALLOWED,
    "unavailable": UNREACHABLE,
}
"""Every type of problem that the API can return (a test compares), with its exit code."""
