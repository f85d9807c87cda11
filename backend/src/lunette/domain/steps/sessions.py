"""Steps on sessions of hosts."""

from typing import ClassVar, Literal

from pydantic import Field

from lunette.domain.border import IscsiName
from lunette.domain.steps.base import Step

MAX_DEPTH = 512
"""TA_DEFAULT_CMDSN_DEPTH_MAX (include/target/iscsi/iscsi_target_core.h, Linux 6.12)."""


class SessionEnd(Step):
    """Ends the sessions of one initiator with one of our targets, if `number` is still the newest of them.

    A change of the queue depth ends them, so the step contains the previous one.
    """

    irreversible: ClassVar[bool] = True
    kind: Literal["session.end"] = "session.end"
    target: IscsiName
    tag: int
    initiator: IscsiName
    number: int
    """LIO's own number of the session; each login has a new one."""
    queue_depth: int = Field(ge=1, le=MAX_DEPTH)

    @property
    def other_depth(self) -> int:
        """The temporary depth."""
        return self.queue_depth - 1 if self.queue_depth > 1 else 2

    def describe(self) -> str:
        return f"end the sessions of {self.initiator} with {self.target}"
