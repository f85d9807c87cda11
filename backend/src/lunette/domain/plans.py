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


class Reuse(Model):
    """A number that another volume had, whose device a host may still have: it would write into the new one."""

    number: str
    """LUN 3, or namespace 3."""
    owner: str
    volume: str
    former: str
    """Names of the volume that gets the number and of the one that had it."""

    def warning(self) -> str:
        """What may happen, and how to go on."""
        return (
            f"{self.number} of {self.owner} was volume {self.former}'s until it was unmapped. A host that still has "
            f"that device would write into volume {self.volume}: remove the device on the hosts first, or take "
            f"another number. It is given only if `confirm` names {self.former}."
        )


class Plan(Model):
    """Everything a request would do. An empty plan means that nothing would change."""

    title: str
    changes: tuple[Change, ...]
    steps: tuple[AnyStep, ...]
    hosts_interrupted: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    leaving: tuple[Leaving, ...] = ()
    reused: tuple[Reuse, ...] = ()

    def reusing(self, reused: tuple[Reuse, ...]) -> "Plan":
        """The plan with numbers that it gives to other volumes than had them."""
        warnings = (*self.warnings, *(one.warning() for one in reused))
        return self.model_copy(update={"reused": (*self.reused, *reused), "warnings": warnings})

    def devices(self) -> tuple[str, ...]:
        """Every device a step touches, once, in order."""
        return tuple(dict.fromkeys(device for step in self.steps for device in step.devices()))

    def bytes_destroyed(self) -> int:
        """Data that is gone once the plan ran."""
        return sum(step.bytes_destroyed() for step in self.steps)
