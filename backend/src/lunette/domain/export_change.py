"""A desired state as the difference to the one before, so that a change of one mapping is sent as one mapping."""

from collections.abc import Iterable
from typing import Any, TypeVar

from lunette.domain import border
from lunette.domain.base import Model
from lunette.domain.exports import (
    ConvergeReport,
    ExportLun,
    ExportPortal,
    ExportSet,
    ExportSubsystem,
    ExportTarget,
    ExportVolume,
    Release,
)
from lunette.domain.unshared import by_key, unshared

Part = TypeVar("Part", bound=ExportVolume | ExportTarget | ExportSubsystem | ExportLun)
AnyTarget = TypeVar("AnyTarget", ExportTarget, ExportSubsystem)
_APART = frozenset({"generation", "released", "volumes", "targets", "subsystems", "portals"})


class LunChange(Model):
    """A target or subsystem of which only LUNs differ: those that are new or differ, and the mappings that are gone."""

    target_id: border.Id
    luns: tuple[ExportLun, ...] = ()
    gone_mappings: tuple[border.Id, ...] = ()


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
    target_luns: tuple[LunChange, ...] = ()
    subsystem_luns: tuple[LunChange, ...] = ()
    portals: tuple[ExportPortal, ...] | None = None
    """All of them, if one differs: there are few."""

    def applied_to(self, before: ExportSet) -> ExportSet:
        """The desired state after the change. Raises ValueError for LUNs of a target or subsystem that is not in it."""
        targets = _with_luns(before.targets, self.target_luns)
        subsystems = _with_luns(before.subsystems, self.subsystem_luns)
        return before.model_copy(
            update={
                "generation": self.generation,
                "released": self.released,
                "portals": before.portals if self.portals is None else self.portals,
                "volumes": _replaced("volume_id", before.volumes, self.volumes, self.gone_volumes),
                "targets": _replaced("target_id", targets, self.targets, self.gone_targets),
                "subsystems": _replaced("target_id", subsystems, self.subsystems, self.gone_subsystems),
            }
        )


class ReportChange(Model):
    """The report about a desired state that was sent as a change."""

    is_whole: bool
    report: ConvergeReport
    """Everything, or of each list only the entries that differ from the last report about the state before."""

    def completed(self, last: ConvergeReport, desired: ExportSet) -> ConvergeReport:
        """The whole report. `last` is that about the state before, and `desired` the state after the change."""
        if self.is_whole:
            return self.report
        entries = {name: _merged(name, last, self.report) for name in _KEYS}
        kept = {
            "targets": [one.target_id for one in desired.targets],
            "subsystems": [one.target_id for one in desired.subsystems],
            "volumes": [one.volume_id for one in desired.volumes],
            "portals": [one.portal_id for one in desired.portals],
        }
        lists = {
            name: tuple(found[id_] for id_ in kept.get(name, found) if id_ in found) for name, found in entries.items()
        }
        return self.report.model_copy(update=lists)


def report_change(before: ConvergeReport | None, after: ConvergeReport, base: int) -> ReportChange:
    """The report `after` as the change of the last one that was answered, if that is about the generation `base`."""
    if before is None or before.generation != base or not after.accepted or before.unexplained or after.unexplained:
        return ReportChange(is_whole=True, report=after)
    lists = {name: _new_entries(name, before, after) for name in _KEYS}
    return ReportChange(is_whole=False, report=after.model_copy(update=lists))


_KEYS = {
    "targets": "target_id",
    "subsystems": "target_id",
    "volumes": "volume_id",
    "portals": "portal_id",
    "fc_ports": "port_id",
}
"""The lists of a report, and what identifies their entries."""


def _by_id(name: str, report: ConvergeReport) -> dict[str, Any]:
    return by_key(_KEYS[name], getattr(report, name))


def _merged(name: str, last: ConvergeReport, part: ConvergeReport) -> dict[str, Any]:
    return {**_by_id(name, last), **_by_id(name, part)}


def _new_entries(name: str, before: ConvergeReport, after: ConvergeReport) -> tuple[Any, ...]:
    was, is_now = (by_key(_KEYS[name], entries) for entries in unshared(getattr(before, name), getattr(after, name)))
    return tuple(entry for id_, entry in is_now.items() if was.get(id_) != entry)


def change_between(before: ExportSet, after: ExportSet) -> ExportChange | None:
    """None if more differs than a change can say."""
    if any(getattr(before, name) != getattr(after, name) for name in ExportSet.model_fields if name not in _APART):
        return None
    volumes, gone_volumes = _difference("volume_id", before.volumes, after.volumes)
    targets, gone_targets = _difference("target_id", before.targets, after.targets)
    targets, target_luns = _only_luns(before.targets, targets)
    subsystems, gone_subsystems = _difference("target_id", before.subsystems, after.subsystems)
    subsystems, subsystem_luns = _only_luns(before.subsystems, subsystems)
    return ExportChange(
        generation=after.generation,
        released=after.released,
        volumes=volumes,
        targets=targets,
        subsystems=subsystems,
        gone_volumes=gone_volumes,
        gone_targets=gone_targets,
        gone_subsystems=gone_subsystems,
        target_luns=target_luns,
        subsystem_luns=subsystem_luns,
        portals=None if before.portals == after.portals else after.portals,
    )


def _only_luns(
    before: tuple[AnyTarget, ...], changed: Iterable[AnyTarget]
) -> tuple[tuple[AnyTarget, ...], tuple[LunChange, ...]]:
    """Of what is new or differs: what has to be given whole, and that of which only LUNs differ."""
    there = by_key("target_id", before)
    whole: list[AnyTarget] = []
    found: list[LunChange] = []
    for one in changed:
        was = there.get(one.target_id)
        if was is None or was.model_copy(update={"luns": one.luns}) != one:
            whole.append(one)
        else:
            luns, gone = _difference("mapping_id", was.luns, one.luns)
            found.append(LunChange(target_id=one.target_id, luns=luns, gone_mappings=gone))
    return tuple(whole), tuple(found)


def _with_luns(before: tuple[AnyTarget, ...], changes: tuple[LunChange, ...]) -> tuple[AnyTarget, ...]:
    if not changes:
        return before
    found = by_key("target_id", before)
    for change in changes:
        was = found.get(change.target_id)
        if was is None:
            raise ValueError(f"LUNs of {change.target_id}, which is not there")
        luns = _replaced("mapping_id", was.luns, change.luns, change.gone_mappings)
        found[change.target_id] = was.model_copy(update={"luns": luns})
    return tuple(found.values())


def _difference(
    key: str, before: tuple[Part, ...], after: tuple[Part, ...]
) -> tuple[tuple[Part, ...], tuple[str, ...]]:
    """What is new or differs, and the IDs of what is gone. Quick for parts that are the same objects."""
    old, new = (by_key(key, parts) for parts in unshared(before, after))
    changed = tuple(part for id_, part in new.items() if (was := old.get(id_)) is not part and was != part)
    return changed, tuple(id_ for id_ in old if id_ not in new)


def _replaced(key: str, before: tuple[Part, ...], parts: tuple[Part, ...], gone: tuple[str, ...]) -> tuple[Part, ...]:
    if not parts and not gone:
        return before
    found = by_key(key, before)
    for id_ in gone:
        found.pop(id_, None)
    found.update(by_key(key, parts))
    return tuple(found.values())
