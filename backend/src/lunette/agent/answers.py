"""Puts the outcome of a call, or its refusal, into words."""

import logging
from collections.abc import Callable
from typing import TypeVar

from lunette.domain.agent_protocol import ProblemReply, StepReply, StepsReply
from lunette.domain.errors import LunetteError, ToolFailed
from lunette.providers.runner import Outcomes

log = logging.getLogger(__name__)
Answer = TypeVar("Answer")


def replied(detail: str | None, word: str) -> StepReply:
    """The reply to a step: what changed, or that nothing did."""
    return StepReply(changed=detail is not None, detail=detail or f"it was already {word}")


def many_replied(outcomes: Outcomes, count: int) -> StepsReply:
    """The replies to this many steps."""

    def one(index: int) -> StepReply | ProblemReply | None:
        if index not in outcomes:
            return None
        outcome = outcomes[index]
        return ProblemReply.of(outcome) if isinstance(outcome, LunetteError) else replied(outcome, "done")

    return StepsReply(replies=tuple(one(index) for index in range(count)))


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
