"""Reports of export engines: for a missing one, and the combination of several."""

from collections.abc import Sequence
from functools import reduce

from lunette.domain.exports import (
    ConvergeReport,
    ExportSet,
    FcPortReport,
    PortalReport,
    ServingState,
    TargetReport,
    VolumeReport,
)
from lunette.domain.unshared import by_key, keys


def absent(desired: ExportSet, reason: str) -> ConvergeReport:
    """The report of a missing engine: everything that it should serve is blocked."""
    blocked = ServingState.BLOCKED
    return ConvergeReport(
        generation=desired.generation,
        accepted=True,
        refusal=None,
        changed=0,
        unexplained=(),
        foreign=(),
        targets=tuple(TargetReport(target_id=t.target_id, state=blocked, reason=reason) for t in desired.targets),
        subsystems=tuple(TargetReport(target_id=s.target_id, state=blocked, reason=reason) for s in desired.subsystems),
        volumes=tuple(VolumeReport(volume_id=v.volume_id, state=blocked, reason=reason) for v in desired.volumes),
        portals=tuple(PortalReport(portal_id=p.portal_id, state=blocked, reason=reason) for p in desired.portals),
        fc_ports=tuple(FcPortReport(port_id=p.port_id, state=blocked, reason=reason) for p in desired.fc_ports),
    )


def joined(reports: Sequence[ConvergeReport], cleared: int) -> ConvergeReport:
    """One report of all engines in charge. `cleared` is the number of changes before they converged."""
    whole = reduce(_with, reports)
    return whole.model_copy(update={"changed": whole.changed + cleared})


def _with(one: ConvergeReport, other: ConvergeReport) -> ConvergeReport:
    return one.model_copy(
        update={
            "changed": one.changed + other.changed,
            "found": one.found + other.found,
            "waiting": one.waiting + other.waiting,
            "targets": one.targets + other.targets,
            "subsystems": one.subsystems + other.subsystems,
            "volumes": one.volumes + other.volumes,
            "portals": one.portals + other.portals,
            "fc_ports": one.fc_ports + other.fc_ports,
            "foreign": one.foreign + other.foreign,
        }
    )


def with_part(last: ConvergeReport, part: ConvergeReport, before: ExportSet, desired: ExportSet) -> ConvergeReport:
    """The last report, which is about `before`, with what a part of it is now. `desired` is everything that is served,
    in order.
    """
    targets = by_key("target_id", (*last.targets, *part.targets))
    subsystems = by_key("target_id", (*last.subsystems, *part.subsystems))
    return last.model_copy(
        update={
            "generation": desired.generation,
            "changed": part.changed,
            "found": (),
            "waiting": _still_waiting(last, part, desired) if last.waiting else (),
            "targets": tuple(map(targets.__getitem__, keys("target_id", desired.targets))),
            "subsystems": tuple(map(subsystems.__getitem__, keys("target_id", desired.subsystems))),
            "volumes": _volumes(last, part, before, desired),
            "portals": _portals(last, part, desired),
        }
    )


def _volumes(
    last: ConvergeReport, part: ConvergeReport, before: ExportSet, desired: ExportSet
) -> tuple[VolumeReport, ...]:
    """Of all volumes, without a look at each where they are the same ones as before."""
    changed = by_key("volume_id", part.volumes)
    if before.volumes is desired.volumes and len(last.volumes) == len(desired.volumes):
        return tuple(map(changed.get, keys("volume_id", last.volumes), last.volumes))
    found = by_key("volume_id", last.volumes) | changed
    return tuple(filter(None, map(found.get, keys("volume_id", desired.volumes))))


def _portals(last: ConvergeReport, part: ConvergeReport, desired: ExportSet) -> tuple[PortalReport, ...]:
    """Of all portals: those that were there before as in the last report, those that are new as in the part."""
    found = by_key("portal_id", (*part.portals, *last.portals))
    return tuple(filter(None, map(found.get, keys("portal_id", desired.portals))))


def _still_waiting(last: ConvergeReport, part: ConvergeReport, desired: ExportSet) -> tuple[str, ...]:
    """The IQNs and NQNs that waited and are not in the part."""
    served = {one.target_id for one in part.targets}, {one.target_id for one in part.subsystems}
    open_now = {one.iqn for one in desired.targets if one.target_id in served[0]}
    open_now |= {one.nqn for one in desired.subsystems if one.target_id in served[1]}
    return tuple(one for one in last.waiting if one not in open_now)
