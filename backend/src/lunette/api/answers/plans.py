"""A plan as an answer: words, devices and losses of each step instead of the step's own data."""

from collections.abc import Iterable
from datetime import datetime

from lunette.api.answers.base import Answer
from lunette.domain.plans import Action, Plan
from lunette.domain.steps import AnyStep
from lunette.domain.usage import VolumeUse
from lunette.store.schema import utc_now


class PlanChange(Answer):
    """One line of the plan in words."""

    action: Action
    noun: str
    name: str
    detail: str


class PlanStep(Answer):
    """One step: what it does, on which devices, what is lost, and whether it can be taken back."""

    kind: str
    description: str
    devices: tuple[str, ...]
    bytes_destroyed: int
    irreversible: bool


class PlanVolume(Answer):
    """A volume that a host loses or that is deleted, and how much it is used. Null: not counted, which is not zero."""

    name: str
    iops: float | None
    """I/Os per second now."""
    last_io_at: datetime | None
    """Its last I/O within the last hour."""
    busy: bool
    """It is in use, or was within the last minute: it goes only if `confirm` names it."""


class PlanReuse(Answer):
    """A number that another volume had, whose device a host may still have: it would write into the new one."""

    number: str
    """LUN 3, or namespace 3."""
    owner: str
    """The host or host group."""
    volume: str
    """The volume that gets the number."""
    former: str
    """The volume that had it: the number is given only if `confirm` names it."""


class PlanAnswer(Answer):
    """Everything a request would do. Nothing has been changed."""

    title: str
    changes: tuple[PlanChange, ...]
    steps: tuple[PlanStep, ...]
    devices: tuple[str, ...]
    bytes_destroyed: int
    hosts_interrupted: tuple[str, ...]
    warnings: tuple[str, ...]
    volumes: tuple[PlanVolume, ...]
    """Those that hosts lose or that are deleted."""
    reused: tuple[PlanReuse, ...]
    """Numbers that hosts may have the devices of other volumes under."""


def step_answer(step: AnyStep) -> PlanStep:
    """A step in words."""
    return PlanStep(
        kind=step.kind,
        description=step.describe(),
        devices=step.devices(),
        bytes_destroyed=step.bytes_destroyed(),
        irreversible=step.irreversible,
    )


def plan_answer(plan: Plan, uses: Iterable[VolumeUse] = ()) -> PlanAnswer:
    """A plan in words, and how the volumes are used that it takes away."""
    now = utc_now()
    return PlanAnswer(
        title=plan.title,
        changes=tuple(PlanChange(action=c.action, noun=c.noun, name=c.name, detail=c.detail) for c in plan.changes),
        steps=tuple(step_answer(step) for step in plan.steps),
        devices=plan.devices(),
        bytes_destroyed=plan.bytes_destroyed(),
        hosts_interrupted=plan.hosts_interrupted,
        warnings=plan.warnings,
        volumes=tuple(
            PlanVolume(name=one.name, iops=one.iops, last_io_at=one.last_io_at, busy=one.is_busy(now)) for one in uses
        ),
        reused=tuple(PlanReuse.model_validate(one.model_dump()) for one in plan.reused),
    )
