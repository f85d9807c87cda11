"""How a kind of step is run: one function that does it and one that undoes it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lunette.domain.errors import Conflict
from lunette.domain.steps import Step
from lunette.system.system_port import System

Call = Callable[[System, Any], str | None]
"""Runs a step of its kind. Returns what it changed, in words; None if there was nothing to do."""


@dataclass(frozen=True)
class Runner:
    """The two functions of one kind of step. Either may run again after it was interrupted."""

    do: Call
    undo: Call


Runners = Mapping[type[Step], Runner]
"""By kind of step."""


def no_undo(_system: System, step: Step) -> None:
    """For a step that cannot be undone, such as a wipe. Raises Conflict."""
    raise Conflict(f"this cannot be undone: {step.describe()}")
