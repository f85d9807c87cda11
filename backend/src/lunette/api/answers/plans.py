"""A plan as an answer: words, devices and losses of each step instead of the step's own data."""

from lunette.api.answers.base import Answer
from lunette.domain.plans import Action, Plan
from lunette.domain.steps import AnyStep


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


class PlanAnswer(Answer):
    """Everything a request would do. Nothing has been changed."""

    title: str
    changes: tuple[PlanChange, ...]
    steps: tuple[PlanStep, ...]
    devices: tuple[str, ...]
    bytes_destroyed: int
    hosts_interrupted: tuple[str, ...]
    warnings: tuple[str, ...]


def step_answer(step: AnyStep) -> PlanStep:
    """A step in words."""
    return PlanStep(
        kind=step.kind, description=step.describe(), devices=step.devices(),
        bytes_destroyed=step.bytes_destroyed(), irreversible=step.irreversible,
    )  # fmt: skip


def plan_answer(plan: Plan) -> PlanAnswer:
    """A plan in words."""
    return PlanAnswer(
        title=plan.title,
        changes=tuple(PlanChange(action=c.action, noun=c.noun, name=c.name, detail=c.detail) for c in plan.changes),
        steps=tuple(step_answer(step) for step in plan.steps),
        devices=plan.devices(), bytes_destroyed=plan.bytes_destroyed(),
        hosts_interrupted=plan.hosts_interrupted, warnings=plan.warnings,
    )  # fmt: skip
