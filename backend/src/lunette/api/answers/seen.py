"""The last observed state of the machine, indexed for merging with stored rows.

Stored facts are returned even while the agent does not answer. Everything observed is then null or `unknown`.
"""

import datetime as dt
import time
import weakref
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from typing import Generic, TypeVar

from lunette.api.answers.base import Export, ExportState
from lunette.domain.arrays import ObservedArray
from lunette.domain.disks import ObservedDisk
from lunette.domain.exports import (
    ConvergeReport,
    FcPortReport,
    ObservedSession,
    PortalReport,
    ServingState,
    TargetReport,
    VolumeReport,
)
from lunette.domain.mappings import Family
from lunette.domain.observations import Observation, SessionsObservation
from lunette.domain.volumes import ObservedGroup, ObservedVolume

AWAY = Export(state=ExportState.UNKNOWN, reason="the agent does not answer, so it is unknown what is served now")
NOTHING = Export(state=ExportState.NONE, reason=None)
_PENDING = Export(state=ExportState.PENDING, reason="the agent has not applied it yet")


Source = TypeVar("Source")
Entry = TypeVar("Entry")


class _Newest(Generic[Source, Entry]):
    """The index of the newest snapshot, shared by all requests that use that snapshot, and gone with it.

    Indexing 10,000 volumes takes as long as answering a request for 50 of them.
    """

    def __init__(self, build: Callable[[Source], dict[str, Entry]]) -> None:
        self._build = build
        self._held: tuple[weakref.ref[Source], dict[str, Entry]] | None = None

    def of(self, source: Source) -> dict[str, Entry]:
        held = self._held
        if held is None or held[0]() is not source:
            held = self._held = (weakref.ref(source, self._drop), self._build(source))
        return held[1]

    def _drop(self, gone: weakref.ref[Source]) -> None:
        held = self._held
        if held is not None and held[0] is gone:
            self._held = None


_VOLUMES = _Newest[Observation, ObservedVolume](
    lambda seen: {volume.volume_id: volume for volume in seen.volumes if volume.volume_id}
)
_EXPORTED = _Newest[ConvergeReport, VolumeReport](
    lambda report: {volume.volume_id: volume for volume in report.volumes}
)


class Observed:
    """One snapshot with its indexes. `clock` returns seconds since the epoch.

    `mapped` are the IDs of the mappings that the report covers, None if the report does not list single mappings.
    """

    def __init__(
        self,
        observation: Observation | None,
        report: ConvergeReport | None,
        mapped: frozenset[str] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.observation = observation
        self.report = report
        self._mapped = mapped
        self.age_s = max(0.0, clock() - observation.taken_at) if observation else 0.0

    @cached_property
    def disks(self) -> dict[str, ObservedDisk]:
        return {disk.id: disk for disk in self.observation.disks} if self.observation else {}

    @cached_property
    def arrays(self) -> dict[str, ObservedArray]:
        """By UUID."""
        return {array.uuid: array for array in self.observation.arrays} if self.observation else {}

    @cached_property
    def groups(self) -> dict[str, ObservedGroup]:
        """By group name."""
        return {pool.group: pool for pool in self.observation.groups if pool.ours} if self.observation else {}

    @cached_property
    def volumes(self) -> dict[str, ObservedVolume]:
        """By volume id."""
        return _VOLUMES.of(self.observation) if self.observation else {}

    @cached_property
    def _targets(self) -> dict[str, TargetReport]:
        return {target.target_id: target for target in self.report.targets} if self.report else {}

    @cached_property
    def _subsystems(self) -> dict[str, TargetReport]:
        return {one.target_id: one for one in self.report.subsystems} if self.report else {}

    @cached_property
    def _exported(self) -> dict[str, VolumeReport]:
        return _EXPORTED.of(self.report) if self.report else {}

    @cached_property
    def _portals(self) -> dict[str, PortalReport]:
        return {portal.portal_id: portal for portal in self.report.portals} if self.report else {}

    def volume_export(self, volume_id: str, mapping_ids: Collection[str]) -> Export:
        """Whether a volume is served now by any of these mappings. Without a mapping it is not served."""
        if not mapping_ids:
            return NOTHING
        if self._mapped is not None and self._mapped.isdisjoint(mapping_ids):
            return _PENDING if self.observation else AWAY
        return self._export(self._exported.get(volume_id))

    @cached_property
    def _fc_ports(self) -> dict[str, FcPortReport]:
        return {port.port_id: port for port in self.report.fc_ports} if self.report else {}

    def owner_export(self, target_id: str | None, mappings: Mapping[Family, Collection[str]]) -> Export:
        """Whether everything mapped to a host or group is served now; `mappings` are the IDs, by family.

        An open target says nothing about a mapping that the agent does not know yet.
        """
        found = [self.target_export(target_id, family) for family in sorted(mappings)] if target_id else []
        shown = next((one for one in found if one.state is not ExportState.OPEN), found[0] if found else NOTHING)
        return shown if shown.state is not ExportState.OPEN else self._unreported(mappings) or shown

    def _unreported(self, mappings: Mapping[Family, Collection[str]]) -> Export | None:
        """The number of these mappings that the report does not cover; None if it covers them all."""
        ids = [one for of_family in mappings.values() for one in of_family]
        if self._mapped is None or not (new := sum(one not in self._mapped for one in ids)):
            return None
        reason = f"the agent has not applied {new} of {len(ids)} mappings yet"
        return Export(state=ExportState.PENDING, reason=reason)

    def target_export(self, target_id: str | None, family: Family) -> Export:
        """Whether an owner's target (SCSI) or subsystem (NVMe) is open now."""
        known = self._targets if family is Family.SCSI else self._subsystems
        return self._export(known.get(target_id)) if target_id else NOTHING

    def portal_export(self, portal_id: str) -> Export:
        """Whether a portal listens now."""
        return self._export(self._portals.get(portal_id))

    def fc_port_export(self, port_id: str | None) -> Export:
        """Whether a Fibre Channel port is what it is to be; nothing is asked of one that is not managed."""
        return self._export(self._fc_ports.get(port_id)) if port_id else NOTHING

    def mapping_export(self, mapping_id: str, volume_id: str, target_id: str | None, family: Family) -> Export:
        """Whether a mapping is served: the agent knows it, its volume exists, its owner's target is open."""
        volume = self.volume_export(volume_id, (mapping_id,))
        return volume if volume.state is not ExportState.OPEN else self.target_export(target_id, family)

    def _export(self, report: TargetReport | VolumeReport | PortalReport | FcPortReport | None) -> Export:
        if self.observation is None:
            return AWAY
        if report is None:
            return _PENDING
        state = ExportState.OPEN if report.state is ServingState.OPEN else ExportState.BLOCKED
        return Export(state=state, reason=report.reason)


class ObservedSessions:
    """The sessions at one moment, by initiator name. `observed` is None if the agent does not answer."""

    def __init__(self, observed: SessionsObservation | None, clock: Callable[[], float] = time.time) -> None:
        self.observed = observed
        self.age_s = max(0.0, clock() - observed.taken_at) if observed else 0.0
        self.at = dt.datetime.fromtimestamp(observed.taken_at, dt.UTC) if observed else None

    @cached_property
    def by_initiator(self) -> dict[str, list[ObservedSession]]:
        found: dict[str, list[ObservedSession]] = {}
        for session in self.observed.sessions if self.observed else ():
            found.setdefault(session.initiator, []).append(session)
        return found

    @property
    def total(self) -> int | None:
        """The number of sessions; None if unknown, or if some cannot be seen."""
        return len(self.observed.sessions) if self.observed and not self.observed.unseen else None

    def count(self, initiators: Iterable[str], families: Collection[Family]) -> int | None:
        """The number of sessions of these initiators; None if unknown for one of their families."""
        if self.observed is None or any(one.family in families for one in self.observed.unseen):
            return None
        return sum(len(self.by_initiator.get(name, ())) for name in initiators)
