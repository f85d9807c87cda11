"""How what was done, or refused, is said to whoever asked."""

import logging
from collections.abc import Callable
from typing import TypeVar

from lunette.domain.agent_protocol import StepReply
from lunette.domain.errors import LunetteError, ToolFailed

log = logging.getLogger(__name__)
Answer = TypeVar("Answer")


def replied(detail: str | None, word: str) -> StepReply:
    """The answer of a step: what changed, None if nothing did."""
    return StepReply(changed=detail is not None, detail=detail or f"it was already {word}")


def in_words(call: Callable[[], Answer]) -> Answer:
    """Run a call; what the kernel refuses without words becomes a refusal of ours."""
    try:
        return call()
    except OSError as error:
        raise system_refused(error) from error
    except LunetteError as error:
        log.warning("refused: %s log=%r", error.detail, error.log)
        raise


def system_refused(error: OSError) -> ToolFailed:
    """What the kernel refused, in words."""
    where = f" at {error.filename}" if error.filename else ""
    return ToolFailed(
        f"the system refused ({error.strerror or error}){where}: check the journal, then try again", log=repr(error)
    )
