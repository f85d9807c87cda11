"""Errors that end a command early."""


class UsageError(Exception):
    """A command line that cannot be run. `hint` says where to find help."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class NotConfirmed(Exception):
    """The user declined, or typed another name."""


class CheckFailed(Exception):
    """The command has shown the result of its check, which failed."""
