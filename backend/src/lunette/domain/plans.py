"""A plan in readable form: changes, steps, losses and interrupted hosts."""

from enum import StrEnum

from lunette.domain.base import Model
from lunette.domain.steps import AnyStep


class Action(StrEnum):
    """Effect of a change on an object."""

    CREATE = "create"
    """The object is created."""
    CHANGE = "change"
    """The object is changed."""
    INTERRUPT = "interrupt"
    """Access is interrupted: a host loses paths or volumes, or a session or portal is closed."""
    DESTROY = "destroy"
    """The object is deleted, or the data on a disk is destroyed."""


class PlannedChange(Model):
    """One change in a plan."""

    action: Action
    """Effect of the change on the object."""
    noun: str
    """Kind of the object, such as `volume`."""
    name: str
    """Name of the object."""
    detail: str
    """Description of the change."""


class Leaving(Model):
    """A volume that is deleted or that a host loses."""

    volume_id: str
    """Unique ID of the volume."""
    name: str
    """Name of the volume."""


class Reuse(Model):
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
    """Name of the volume that had the number before."""

    def warning(self) -> str:
        """What may happen, and how to go on."""
        return (
            f"{self.number} of {self.owner} belonged to volume {self.former} until it was unmapped. A host that still "
            f"has that device would write to volume {self.volume}: remove the device on the hosts first, or use "
            f"another number. The number is reused only if `confirm` names {self.former}."
        )


class Unmapped(Model):
    """A mapping that a plan removes before its steps run. It is restored if the job is rolled back."""

    mapping_id: str
    """Unique ID of the mapping."""
    volume_id: str
    """Unique ID of the volume."""
    host_id: str | None
    """Unique ID of the host, if the volume was mapped to a host."""
    host_group_id: str | None
    """Unique ID of the host group, if the volume was mapped to a host group."""
    lun: int
    """LUN or namespace ID."""
    family: str
    """SCSI or NVMe."""
    shared: bool
    """Whether the volume may have several owners."""


class Plan(Model):
    """All effects of a request. An empty plan means that nothing would change."""

    title: str
    changes: tuple[PlannedChange, ...]
    steps: tuple[AnyStep, ...]
    hosts_interrupted: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    leaving: tuple[Leaving, ...] = ()
    reused: tuple[Reuse, ...] = ()
    unmapped: tuple[Unmapped, ...] = ()

    def after(self, first: "Plan") -> "Plan":
        """The plan with what another one does before it."""
        return self.model_copy(
            update={
                "changes": (*first.changes, *self.changes),
                "hosts_interrupted": tuple(sorted({*first.hosts_interrupted, *self.hosts_interrupted})),
                "warnings": tuple(dict.fromkeys((*first.warnings, *self.warnings))),
                "leaving": tuple(dict.fromkeys((*first.leaving, *self.leaving))),
                "reused": (*first.reused, *self.reused),
                "unmapped": (*first.unmapped, *self.unmapped),
            }
        )

    def reusing(self, reused: tuple[Reuse, ...]) -> "Plan":
        """The plan with numbers that it gives to other volumes than had them."""
        warnings = (*self.warnings, *(one.warning() for one in reused))
        return self.model_copy(update={"reused": (*self.reused, *reused), "warnings": warnings})

    def devices(self) -> tuple[str, ...]:
        """Every device a step touches, once, in order."""
        return tuple(dict.fromkeys(device for step in self.steps for device in step.devices()))

    def bytes_destroyed(self) -> int:
        """Data that is lost once the plan has run."""
        return sum(step.bytes_destroyed() for step in self.steps)
