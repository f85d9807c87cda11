"""A plan as an answer: a description, the disks and the losses of each step instead of its internal data."""

from collections.abc import Iterable
from datetime import datetime

from lunette.api.answers.base import Answer
from lunette.domain.plans import Action, Plan
from lunette.domain.steps import AnyStep
from lunette.domain.usage import VolumeUse
from lunette.store.schema import utc_now


class PlanChange(Answer):
    """One change in a plan."""

    action: Action
    """Effect of the change on the object."""
    noun: str
    """Kind of the object, such as `volume`."""
    name: str
    """Name of the object."""
    detail: str
    """Description of the change."""


class PlanStep(Answer):
    """One step of a plan, with its effects."""

    kind: str
    """Kind of the step, such as `md.create`."""
    description: str
    """Description of the action."""
    devices: tuple[str, ...]
    """IDs of the disks that the step acts on; empty if none."""
    bytes_destroyed: int
    """Amount of data that the step destroys, in bytes."""
    irreversible: bool
    """Whether the step cannot be undone."""


class PlanVolume(Answer):
    """A volume that is deleted or that a host loses, with its current use."""

    name: str
    """Name of the volume."""
    iops: float | None
    """Current number of I/Os per second; `null` if not measured."""
    last_io_at: datetime | None
    """When the last I/O within the past hour took place, in UTC; `null` if there was none or it was not measured."""
    busy: bool
    """Whether the volume is in use or was within the last minute. The request is then refused unless `confirm` names
    the volume."""


class PlanReuse(Answer):
    """A LUN or namespace ID that belonged to another volume, whose device a host may still have.

    A host that still uses the old device would write into the new volume.
    """

    number: str
    """Number with its kind, such as `LUN 3` or `namespace 3`."""
    owner: str
    """Name of the host or host group."""
    volume: str
    """Name of the volume that gets the number."""
    former: str
    """Name of the volume that had the number before. The request is refused unless `confirm` names this volume."""


class PlanAnswer(Answer):
    """All effects of a request, before any change."""

    title: str
    """Title of the change."""
    changes: tuple[PlanChange, ...]
    """Objects that the request creates, changes, interrupts or destroys."""
    steps: tuple[PlanStep, ...]
    """Steps in the order in which they run."""
    devices: tuple[str, ...]
    """IDs of all disks that the steps act on."""
    bytes_destroyed: int
    """Amount of data that all steps destroy, in bytes."""
    hosts_interrupted: tuple[str, ...]
    """Names of the hosts whose access is interrupted."""
    warnings: tuple[str, ...]
    """Warnings about risks and side effects."""
    volumes: tuple[PlanVolume, ...]
    """Volumes that are deleted or that hosts lose, with their current use."""
    reused: tuple[PlanReuse, ...]
    """LUNs and namespace IDs under which hosts may still have the devices of other volumes."""


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
