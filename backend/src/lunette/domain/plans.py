"""A plan is data a person can read (DESIGN R3): what changes, which steps run, what is lost, who is interrupted."""

from enum import StrEnum

from lunette.domain.base import Model
from lunette.domain.steps import AnyStep


class Action(StrEnum):
    CREATE = "create"
    CHANGE = "change"
    INTERRUPT = "interrupt"
    DESTROY = "destroy"


class Change(Model):
    """One line of the plan in words."""

    action: Action
    noun: str
    name: str
    detail: str


class Leaving(Model):
    """A volume that a host loses, or that is deleted."""

    volume_id: str
    name: str


class Plan(Model):
    """Everything a request would do. An empty plan means that nothing would change."""

    title: str
    changes: tuple[Change, ...]
    steps: tuple[AnyStep, ...]
    hosts_interrupted: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    leaving: tuple[Leaving, ...] = ()

    def devices(self) -> tuple[str, ...]:
        """Every device a step touches, once, in order."""
        return tuple(dict.fromkeys(device for step in self.steps for device in step.devices()))

    def bytes_destroyed(self) -> int:
        """Data that is gone once the plan ran."""
        return sum(step.bytes_destroyed() for step in self.steps)
