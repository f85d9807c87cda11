"""A desired state as the difference to the one before, so that a change of one mapping is sent as one mapping."""

from typing import TypeVar

from lunette.domain import border
from lunette.domain.base import Model
from lunette.domain.exports import ExportSet, ExportSubsystem, ExportTarget, ExportVolume, Release

Part = TypeVar("Part", bound=ExportVolume | ExportTarget | ExportSubsystem)
_APART = frozenset({"generation", "released", "volumes", "targets", "subsystems"})


class ExportChange(Model):
    """Parts that are new or differ, and IDs of those that are gone. What it does not name stays as it is."""

    generation: int
    released: tuple[Release, ...]
    """All releases that were not acknowledged yet."""
    volumes: tuple[ExportVolume, ...] = ()
    targets: tuple[ExportTarget, ...] = ()
    subsystems: tuple[ExportSubsystem, ...] = ()
    gone_volumes: tuple[border.Id, ...] = ()
    gone_targets: tuple[border.Id, ...] = ()
    gone_subsystems: tuple[border.Id, ...] = ()

    def applied_to(self, before: ExportSet) -> ExportSet:
        """The desired state after the change."""
        return before.model_copy(
            update={
                "generation": self.generation,
                "released": self.released,
                "volumes": _replaced(before.volumes, self.volumes, self.gone_volumes),
                "targets": _replaced(before.targets, self.targets, self.gone_targets),
                "subsystems": _replaced(before.subsystems, self.subsystems, self.gone_subsystems),
            }
        )


def change_between(before: ExportSet, after: ExportSet) -> ExportChange | None:
    """None if more differs than a change can say."""
    if any(getattr(before, name) != getattr(after, name) for name in ExportSet.model_fields if name not in _APART):
        return None
    volumes, gone_volumes = _difference(before.volumes, after.volumes)
    targets, gone_targets = _difference(before.targets, after.targets)
    subsystems, gone_subsystems = _difference(before.subsystems, after.subsystems)
    return ExportChange(
        generation=after.generation,
        released=after.released,
        volumes=volumes,
        targets=targets,
        subsystems=subsystems,
        gone_volumes=gone_volumes,
        gone_targets=gone_targets,
        gone_subsystems=gone_subsystems,
    )


def _id(part: ExportVolume | ExportTarget | ExportSubsystem) -> str:
    return part.volume_id if isinstance(part, ExportVolume) else part.target_id


def _difference(before: tuple[Part, ...], after: tuple[Part, ...]) -> tuple[tuple[Part, ...], tuple[str, ...]]:
    """What is new or differs, and the IDs of what is gone. Quick for parts that are the same objects."""
    old = {_id(part): part for part in before}
    new = {_id(part): part for part in after}
    changed = tuple(part for id_, part in new.items() if (was := old.get(id_)) is not part and was != part)
    return changed, tuple(id_ for id_ in old if id_ not in new)


def _replaced(before: tuple[Part, ...], parts: tuple[Part, ...], gone: tuple[str, ...]) -> tuple[Part, ...]:
    if not parts and not gone:
        return before
    left = frozenset(gone)
    coming: dict[str, Part] = {_id(part): part for part in parts}
    staying: list[Part] = [coming.pop(_id(part), part) for part in before if _id(part) not in left]
    return (*staying, *coming.values())
