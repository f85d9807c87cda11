"""Puts the outcome of a call, or its refusal, into words."""

import logging
from collections.abc import Callable
from typing import TypeVar

from lunette.domain.agent_protocol import StepReply
from lunette.domain.errors import LunetteError, ToolFailed

log = logging.getLogger(__name__)
Answer = TypeVar("Answer")


def replied(detail: str | None, word: str) -> StepReply:
    """The reply to a step: what changed, or that nothing did."""
    return StepReply(changed=detail is not None, detail=detail or f"it was already {word}")


def in_words(call: Callable[[], Answer]) -> Answer:
    """Run a call, and turn errors of the kernel into refusals."""
    try:
        return call()
    except OSError as error:
        raise system_refused(error) from error
    except LunetteError as error:
        log.warning("refused: %s log=%r", error.detail, error.log)
        raise


def system_refused(error: OSError) -> ToolFailed:
    """An error of the kernel as a refusal."""
    where = f" at {error.filename}" if error.filename else ""
    return ToolFailed(
        f"the system refused ({error.strerror or error}){where}: check the journal, then try again", log=repr(error)
    )
