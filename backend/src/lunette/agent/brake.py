"""The brake (DESIGN R2): an export is removed only if the document names its release. Pure.

The ledger is what is served. A document of another database, or one older than the ledger, changes nothing at all. If
nothing is served, the document may come from any database, because a new appliance accepts the content of a backup or
another database.

What is the same in ledger and document stays the same object, so that later comparisons are quick.

In an accepted document, whatever the ledger contains and the document neither contains nor releases stays and is
reported as unexplained, with everything it depends on. Permanent facts, such as a LUN or a serial, stay unchanged.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Generic, TypeVar

from lunette.domain.base import Model
from lunette.domain.exports import (
    ExportArray,
    ExportFcInitiator,
    ExportFcPort,
    ExportInitiator,
    ExportLun,
    ExportNvmeHost,
    ExportPortal,
    ExportSet,
    ExportSubsystem,
    ExportTarget,
    ExportVolume,
    ReleaseKind,
)
from lunette.domain.unshared import at_differing, by_key, keys, shared_ends

Item = TypeVar("Item", bound=Model)
AnyTarget = TypeVar("AnyTarget", ExportTarget, ExportSubsystem)
"""The access points of one owner."""
_Place = tuple[ReleaseKind, str]


@dataclass(frozen=True)
class _Kind(Generic[Item]):
    """How objects of one kind are identified, and which of their properties never change."""

    release: ReleaseKind
    key: Callable[[Item], str]
    fixed: Callable[[Item], object]


_ARRAY = _Kind[ExportArray](ReleaseKind.ARRAY, lambda a: a.array_id, lambda a: (a.engine, a.uuid, a.group))
_VOLUME = _Kind[ExportVolume](
    ReleaseKind.VOLUME, lambda v: v.volume_id, lambda v: (v.array_id, v.group, v.device, v.identity, v.adopted)
)
_PORTAL = _Kind[ExportPortal](
    ReleaseKind.PORTAL, lambda p: p.portal_id, lambda p: (p.protocol, p.engine, p.address, p.port)
)
_TARGET = _Kind[ExportTarget](ReleaseKind.TARGET, lambda t: t.target_id, lambda t: (t.iqn, t.tag))
_SUBSYSTEM = _Kind[ExportSubsystem](
    ReleaseKind.SUBSYSTEM, lambda s: s.target_id, lambda s: (s.nqn, s.serial, s.adopted)
)
_NVME_HOST = _Kind[ExportNvmeHost](ReleaseKind.INITIATOR, lambda h: h.initiator_id, lambda h: h.nqn)
_INITIATOR = _Kind[ExportInitiator](ReleaseKind.INITIATOR, lambda i: i.initiator_id, lambda i: i.iqn)
_FC_INITIATOR = _Kind[ExportFcInitiator](ReleaseKind.INITIATOR, lambda i: i.initiator_id, lambda i: i.wwpn)
_FC_PORT = _Kind[ExportFcPort](ReleaseKind.FC_PORT, lambda p: p.port_id, lambda p: p.wwpn)
_LUN = _Kind[ExportLun](ReleaseKind.MAPPING, lambda m: m.mapping_id, lambda m: (m.lun, m.volume_id))


class Verdict(Model):
    """What to serve now. After a refusal it is the unchanged ledger."""

    effective: ExportSet
    unexplained: tuple[str, ...]
    refusal: str | None


def merge(ledger: ExportSet | None, wanted: ExportSet) -> Verdict:
    """Judge a document against what is served."""
    if ledger is None:
        return Verdict(effective=wanted.model_copy(update={"released": ()}), unexplained=(), refusal=None)
    refusal = _refusal(ledger, wanted)
    if refusal is not None:
        return Verdict(effective=ledger, unexplained=(), refusal=refusal)
    return _Merge(ledger, wanted).verdict()


def _refusal(ledger: ExportSet, wanted: ExportSet) -> str | None:
    if ledger.is_empty and wanted.database_id != ledger.database_id:
        return None
    if wanted.appliance_id != ledger.appliance_id:
        return (
            f"the exports belong to appliance {wanted.appliance_id} and this system serves {ledger.appliance_id}: it "
            "continues to serve its present exports"
        )
    if wanted.database_id != ledger.database_id:
        return (
            f"the exports come from database {wanted.database_id}, but the present exports came from "
            f"{ledger.database_id}: they remain in service; restore the right database"
        )
    if wanted.generation < ledger.generation:
        return (
            f"the database is older (generation {wanted.generation}) than the present exports ({ledger.generation}), "
            "which remain in service; restore a newer database"
        )
    return None


def with_objects_of(effective: ExportSet, wanted: ExportSet) -> ExportSet:
    """The document with the objects that are served, which are equal to its own."""
    parts = {"volumes": effective.volumes, "targets": effective.targets, "subsystems": effective.subsystems}
    return wanted.model_copy(update=parts)


class _Merge:
    def __init__(self, ledger: ExportSet, wanted: ExportSet) -> None:
        self.ledger, self.wanted = ledger, wanted
        self.unexplained: list[str] = []
        self._held: dict[str, _Place] = {}
        self._released = {(r.kind, r.id) for r in wanted.released if r.generation <= wanted.generation}

    def verdict(self) -> Verdict:
        old, new = self.ledger, self.wanted
        targets = self._join(_TARGET, old.targets, new.targets)
        subsystems = self._join(_SUBSYSTEM, old.subsystems, new.subsystems)
        arriving = frozenset((*_arriving(old.targets, new.targets), *_arriving(old.subsystems, new.subsystems)))
        self._held = {
            **self._holding(_TARGET, old.targets, targets, arriving),
            **self._holding(_SUBSYSTEM, old.subsystems, subsystems, arriving),
        }
        targets = self._fill(_TARGET, targets, old.targets, new.targets, self._fill_target)
        subsystems = self._fill(_SUBSYSTEM, subsystems, old.subsystems, new.subsystems, self._fill_subsystem)
        luns = chain.from_iterable(keys("luns", (*targets, *subsystems)))
        volumes = self._join(_VOLUME, old.volumes, new.volumes, lambda: frozenset(keys("volume_id", luns)))
        arrays = self._join(_ARRAY, old.arrays, new.arrays, lambda: frozenset(keys("array_id", volumes)))
        portals = self._join(_PORTAL, old.portals, new.portals)
        effective = new.model_copy(
            update={
                "arrays": arrays,
                "volumes": volumes,
                "portals": portals,
                "targets": targets,
                "subsystems": subsystems,
                "fc_ports": self._join(_FC_PORT, old.fc_ports, new.fc_ports),
                "released": (),
            }
        )
        return Verdict(effective=effective, unexplained=tuple(self.unexplained), refusal=None)

    def _holding(
        self, kind: _Kind[AnyTarget], old: Sequence[AnyTarget], joined: Sequence[AnyTarget], arriving: frozenset[str]
    ) -> dict[str, _Place]:
        """Where each of these mappings is served if it was not released: in one place, until it is released there."""
        if arriving.isdisjoint(keys("mapping_id", chain.from_iterable(keys("luns", old)))):
            return {}
        staying = frozenset(keys("target_id", joined))
        return {
            lun.mapping_id: (kind.release, target.target_id)
            for target in old
            if target.target_id in staying
            for lun in target.luns
            if lun.mapping_id in arriving and (ReleaseKind.MAPPING, lun.mapping_id) not in self._released
        }

    def _fill(
        self,
        kind: _Kind[AnyTarget],
        joined: Sequence[AnyTarget],
        old: Sequence[AnyTarget],
        new: Sequence[AnyTarget],
        fill: Callable[[AnyTarget, AnyTarget | None, AnyTarget | None], AnyTarget],
    ) -> tuple[AnyTarget, ...]:
        """Each target or subsystem with its content: what the document says, and what was not released."""
        before, after = by_key("target_id", old), by_key("target_id", new)
        filled = list(joined)
        ids = tuple(keys("target_id", joined))
        for at in at_differing(map(before.get, ids), map(after.get, ids)):
            target, was, becomes = joined[at], before.get(ids[at]), after.get(ids[at])
            place = (kind.release, target.target_id)
            coming = becomes.luns if becomes else ()
            if self._held:
                coming = tuple(m for m in coming if self._held.get(m.mapping_id, place) == place)
            luns = self._numbered(self._join(_LUN, was.luns if was else (), coming))
            made = fill(target, was, becomes).model_copy(update={"luns": luns})
            filled[at] = was if was is not None and was == made else made
        return tuple(filled)

    def _fill_target(self, target: ExportTarget, old: ExportTarget | None, new: ExportTarget | None) -> ExportTarget:
        joined = self._join(_INITIATOR, old.initiators if old else (), new.initiators if new else ())
        over_fc = self._join(_FC_INITIATOR, old.fc_initiators if old else (), new.fc_initiators if new else ())
        return target.model_copy(
            update={
                "initiators": self._unique(_INITIATOR, joined),
                "fc_initiators": self._unique(_FC_INITIATOR, over_fc),
            }
        )

    def _fill_subsystem(
        self, target: ExportSubsystem, old: ExportSubsystem | None, new: ExportSubsystem | None
    ) -> ExportSubsystem:
        joined = self._join(_NVME_HOST, old.hosts if old else (), new.hosts if new else ())
        return target.model_copy(update={"hosts": self._unique(_NVME_HOST, joined)})

    def _join(
        self,
        kind: _Kind[Item],
        old: tuple[Item, ...],
        new: tuple[Item, ...],
        needed: Callable[[], Container[str]] = frozenset,
    ) -> tuple[Item, ...]:
        """What the ledger contains and was not released or is still needed, as the document has it; then what is
        new.
        """
        if old is new:
            return old
        start, end = shared_ends(old, new)
        coming = {kind.key(item): item for item in new[start : len(new) - end]}
        result: list[Item] = []
        needed_ids: Container[str] | None = None
        for item in old[start : len(old) - end]:
            id_ = kind.key(item)
            renewed = coming.pop(id_, None)
            if renewed is item:
                pass
            elif renewed is None:
                if (kind.release, id_) in self._released:
                    needed_ids = needed() if needed_ids is None else needed_ids
                    if id_ not in needed_ids:
                        continue
                self._note(kind.release, id_, "is no longer in the configuration, but no recorded request removes it")
            elif kind.fixed(renewed) != kind.fixed(item):
                self._note(kind.release, id_, "would change a permanent property")
            is_new = renewed is not None and renewed is not item and kind.fixed(renewed) == kind.fixed(item)
            result.append(renewed if renewed is not None and is_new and renewed != item else item)
        return (*old[:start], *result, *old[len(old) - end :], *coming.values())

    def _unique(self, kind: _Kind[Item], initiators: Iterable[Item]) -> tuple[Item, ...]:
        """One entry per name, which never changes. The ledger's entry comes first, and therefore stays."""
        found: dict[object, Item] = {}
        for initiator in initiators:
            if found.setdefault(kind.fixed(initiator), initiator) is not initiator:
                self._note(kind.release, kind.key(initiator), f"repeats {kind.fixed(initiator)}")
        return tuple(found.values())

    def _numbered(self, luns: tuple[ExportLun, ...]) -> tuple[ExportLun, ...]:
        """One mapping per number. The ledger's mapping comes first, and therefore stays."""
        if len(frozenset(keys("lun", luns))) == len(luns):
            return luns
        found: dict[int, ExportLun] = {}
        for lun in luns:
            if found.setdefault(lun.lun, lun) is not lun:
                self._note(ReleaseKind.MAPPING, lun.mapping_id, f"wants LUN {lun.lun}, which is taken")
        return tuple(found.values())

    def _note(self, kind: ReleaseKind, id_: str, what: str) -> None:
        self.unexplained.append(f"{kind.value} {id_} {what}: the present export remains")


def _arriving(old: Sequence[AnyTarget], new: Sequence[AnyTarget]) -> Iterator[str]:
    """IDs of the mappings that the targets or subsystems of these IDs did not have before."""
    before, after = by_key("target_id", old), by_key("target_id", new)
    ids = tuple(after)
    for at in at_differing(map(before.get, ids), after.values()):
        was, becomes = before.get(ids[at]), after[ids[at]]
        yield from set(keys("mapping_id", becomes.luns)).difference(keys("mapping_id", was.luns if was else ()))
