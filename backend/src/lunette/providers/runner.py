"""How a kind of step is run: one function that does it and one that undoes it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lunette.domain.errors import Conflict, LunetteError
from lunette.domain.steps import Step
from lunette.system.system_port import System

Call = Callable[[System, Any], str | None]
"""Runs a step of its kind. Returns what it changed, in words; None if there was nothing to do."""


Outcomes = Mapping[int, str | LunetteError | None]
"""Results of several steps by their position: what a step changed, in words; None if there was nothing to do; or why it
was refused. A step without a result is not done, but may have begun.
"""
ManyCall = Callable[[System, Sequence[Any]], Outcomes]
"""Runs steps of its kind on one group. Raises only what it cannot attribute to a step."""


@dataclass(frozen=True)
class Runner:
    """The functions of one kind of step. Any may run again after it was interrupted."""

    do: Call
    undo: Call
    many: ManyCall | None = None
    """None: several steps are done one after the other."""

    def do_many(self, system: System, steps: Sequence[Step]) -> Outcomes:
        """Do several steps, as far as none is refused."""
        if self.many is not None and len(steps) > 1:
            return self.many(system, steps)
        outcomes: dict[int, str | LunetteError | None] = {}
        for index, step in enumerate(steps):
            try:
                outcomes[index] = self.do(system, step)
            except LunetteError as error:
                outcomes[index] = error
                break
        return outcomes


Runners = Mapping[type[Step], Runner]
"""By kind of step."""


def no_undo(_system: System, step: Step) -> None:
    """For a step that cannot be undone, such as a wipe. Raises Conflict."""
    raise Conflict(f"this cannot be undone: {step.describe()}")
