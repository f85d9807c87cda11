"""What ends a command before its time."""


class UsageError(Exception):
    """A command line that cannot be run. `hint` is where to look next."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class NotConfirmed(Exception):
    """The user declined, or typed another name."""


class CheckFailed(Exception):
    """What the command checks was shown, and is not healthy."""
