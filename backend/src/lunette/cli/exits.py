"""The exit codes of `lunette`, one place for the program, its manual page and its tests."""

OK, BROKEN, USAGE, REFUSED, NOT_FOUND, CONFLICT, NOT_ALLOWED, UNREACHABLE, JOB_FAILED, NOT_CONFIRMED = range(10)
NOT_WELL = 10
INTERRUPTED = 130

MEANINGS = {
    OK: "Done.",
    BROKEN: "A fault of the command itself.",
    USAGE: "Wrong usage: words, options, a file or a configuration that cannot be used, "
    "or a question that cannot be asked without a terminal.",
    REFUSED: "The appliance refused: the request breaks a rule, or it cannot be done now.",
    NOT_FOUND: "There is no such thing.",
    CONFLICT: "It conflicts with what exists, is in use, is stuck, or was changed by somebody else meanwhile.",
    NOT_ALLOWED: "Not logged in, or not allowed.",
    UNREACHABLE: "No answer, an answer by somebody else than the trusted appliance, or a part of it is not available.",
    JOB_FAILED: "The job failed, was undone, is stuck, or has not ended in time.",
    NOT_CONFIRMED: "The question was not answered with yes: nothing was changed.",
    NOT_WELL: "What was asked about is not well: a path is missing, a channel did not take the test, "
    "or a part of a configuration does not fit.",
    INTERRUPTED: "Interrupted with Ctrl-C. A job that was being followed goes on.",
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
"""Every type of problem the API can answer (a test compares), and the exit code it becomes."""
