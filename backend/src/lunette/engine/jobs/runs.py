"""Which steps of a job are requested together: those of one kind on one group, as far as they follow one another."""

from collections.abc import Hashable, Sequence

from lunette.domain.agent_protocol import MOST_STEPS
from lunette.domain.steps import MANY, AnyStep

Run = tuple[int, ...]
"""Indexes of steps, in their order."""


def runs(steps: Sequence[AnyStep], todo: Sequence[int]) -> list[Run]:
    """The steps `todo`, given by index, as runs of one or more."""
    found: list[list[int]] = []
    before: Hashable = None
    for index in todo:
        likeness = _likeness(steps[index])
        if likeness is not None and likeness == before and len(found[-1]) < MOST_STEPS:
            found[-1].append(index)
        else:
            found.append([index])
        before = likeness
    return [tuple(run) for run in found]


def _likeness(step: AnyStep) -> Hashable:
    """What steps of one request have in common; None for a step that is always alone."""
    return (step.kind, step.engine, step.group) if isinstance(step, MANY) else None
