"""The output of a health command for an external array's device: one line of JSON. The contract for authors of such
commands.
"""

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lunette.domain.errors import ToolFailed

TIMEOUT_S = 10.0
LIMIT_BYTES = 64 * 1024


class DeviceState(StrEnum):
    """rebuilding: redundancy is being restored. failed: data cannot be read or written."""

    HEALTHY = "healthy"
    DEGRADED = "degraded"
    REBUILDING = "rebuilding"
    FAILED = "failed"
    UNKNOWN = "unknown"


class DeviceMember(BaseModel):
    """A drive behind the device, in the words of what presents it."""

    name: Annotated[str, Field(max_length=128)]
    state: Annotated[str, Field(max_length=64)]


class DeviceHealth(BaseModel):
    """Further fields are passed over, so that a command may print more."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    state: DeviceState
    progress_percent: Annotated[float, Field(ge=0, le=100)] | None = None
    """Progress of a rebuild."""
    message: Annotated[str, Field(max_length=500)] = ""
    members: Annotated[tuple[DeviceMember, ...], Field(max_length=1024)] = ()

    def words(self) -> str:
        """All it says, in one line."""
        drives = ", ".join(f"{member.name} {member.state}" for member in self.members[:20])
        return "; ".join(part for part in (self.message.strip(), drives) if part)


def read_health(text: str) -> DeviceHealth:
    """What a health command printed. Raises ToolFailed, telling what is wrong with it."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) != 1:
        raise ToolFailed(f"it printed {len(lines)} lines instead of one line of JSON", log=text[:2000])
    try:
        return DeviceHealth.model_validate_json(lines[0])
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the line"
        words = f"its output is not a valid health report: {where}: {first['msg']}"
        raise ToolFailed(words, log=text[:2000]) from error
