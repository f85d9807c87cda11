"""Notifications: a raised or resolved alert, the daily heartbeat, a test."""

import datetime as dt
from enum import StrEnum

from lunette.domain.alerts import Severity
from lunette.domain.base import Model


class MessageKind(StrEnum):
    RAISED = "raised"
    RESOLVED = "resolved"
    HEARTBEAT = "heartbeat"
    TEST = "test"


class Message(Model):
    """One message. `id` stays the same however often it is sent, so that a receiver can recognize a repetition."""

    id: str
    kind: MessageKind
    at: dt.datetime
    appliance: str
    severity: Severity = Severity.INFO
    key: str | None = None
    text: str
    cause: str = ""
    fix: str = ""

    @property
    def subject(self) -> str:
        """One line."""
        return f"[{self.appliance}] {'Resolved: ' if self.kind is MessageKind.RESOLVED else ''}{self.text}"

    def body(self) -> str:
        """The whole message as text."""
        lines = [self.text, ""]
        lines += [f"Cause: {self.cause}", ""] if self.cause else []
        lines += [f"What to do: {self.fix}", ""] if self.fix and self.kind is MessageKind.RAISED else []
        state = {MessageKind.RAISED: "raised", MessageKind.RESOLVED: "resolved"}.get(self.kind, "sent")
        lines.append(f"Appliance {self.appliance}, {self.severity.value}, {state} at {self.at:%Y-%m-%d %H:%M:%S} UTC")
        return "\n".join(lines) + "\n"
