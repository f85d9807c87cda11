"""The brake (DESIGN R2): what is served leaves only if the document names its release. Pure.

The ledger is what is served. A document of another database, or older than the ledger, changes nothing at all. In one
that is accepted, whatever the ledger holds and the document neither holds nor releases stays, and is told as
unexplained; so does everything it stands on. Permanent facts, such as a LUN number or a serial, stay as they were.
"""

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from lunette.domain.base import Model
from lunette.domain.exports import (
    ExportArray,
    ExportInitiator,
    ExportLun,
    ExportPortal,
    ExportSet,
    ExportTarget,
    ExportVolume,
    ReleaseKind,
)

Item = TypeVar("Item", bound=Model)


@dataclass(frozen=True)
class _Kind(Generic[Item]):
    """How things of one kind are told apart, and what about them never changes."""

    release: ReleaseKind
    key: Callable[[Item], str]
    fixed: Callable[[Item], object]


_ARRAY = _Kind[ExportArray](ReleaseKind.ARRAY, lambda a: a.array_id, lambda a: (a.engine, a.uuid, a.group))
_VOLUME = _Kind[ExportVolume](
    ReleaseKind.VOLUME, lambda v: v.volume_id, lambda v: (v.array_id, v.group, v.device, v.identity)
)
_PORTAL = _Kind[ExportPortal](
    ReleaseKind.PORTAL, lambda p: p.portal_id, lambda p: (p.protocol, p.engine, p.address, p.port)
)
_TARGET = _Kind[ExportTarget](ReleaseKind.TARGET, lambda t: t.target_id, lambda t: (t.iqn, t.tag))
_INITIATOR = _Kind[ExportInitiator](ReleaseKind.INITIATOR, lambda i: i.initiator_id, lambda i: i.iqn)
_LUN = _Kind[ExportLun](ReleaseKind.MAPPING, lambda m: m.mapping_id, lambda m: (m.lun, m.volume_id))


class Verdict(Model):
    """What to serve now. With a refusal it is the ledger as it was."""

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
    if wanted.appliance_id != ledger.appliance_id:
        return (
            f"the exports are of appliance {wanted.appliance_id} and this machine serves {ledger.appliance_id}: "
            "it keeps serving what it served"
        )
    if wanted.database_id != ledger.database_id:
        return (
            f"the exports come from database {wanted.database_id}, and what is served came from {ledger.database_id}: "
            "it keeps serving; restore the right database"
        )
    if wanted.generation < ledger.generation:
        return (
            f"the database is older (generation {wanted.generation}) than what is served ({ledger.generation}): "
            "it keeps serving; restore a newer database"
        )
    return None


class _Merge:
    def __init__(self, ledger: ExportSet, wanted: ExportSet) -> None:
        self.ledger, self.wanted = ledger, wanted
        self.unexplained: list[str] = []
        self._released = {(r.kind, r.id) for r in wanted.released if r.generation <= wanted.generation}

    def verdict(self) -> Verdict:
        old, new = self.ledger, self.wanted
        targets = self._targets()
        needed = {lun.volume_id for target in targets for lun in target.luns}
        volumes = self._join(_VOLUME, old.volumes, new.volumes, needed)
        arrays = self._join(_ARRAY, old.arrays, new.arrays, {volume.array_id for volume in volumes})
        portals = self._join(_PORTAL, old.portals, new.portals)
        effective = new.model_copy(
            update={"arrays": arrays, "volumes": volumes, "portals": portals, "targets": targets, "released": ()}
        )
        return Verdict(effective=effective, unexplained=tuple(self.unexplained), refusal=None)

    def _targets(self) -> tuple[ExportTarget, ...]:
        joined = self._join(_TARGET, self.ledger.targets, self.wanted.targets)
        staying = {target.target_id for target in joined}
        held = {
            lun.mapping_id: target.target_id
            for target in self.ledger.targets
            if target.target_id in staying
            for lun in target.luns
            if (ReleaseKind.MAPPING, lun.mapping_id) not in self._released
        }
        return tuple(self._fill(target, held) for target in joined)

    def _fill(self, target: ExportTarget, held: dict[str, str]) -> ExportTarget:
        """The inside of a target: initiators and LUNs of the document, and of the ledger what was not released.

        `held` tells which target serves a mapping: it is served in one place, until it is released there.
        """
        old = next((t for t in self.ledger.targets if t.target_id == target.target_id), None)
        new = next((t for t in self.wanted.targets if t.target_id == target.target_id), None)
        initiators = self._join(_INITIATOR, old.initiators if old else (), new.initiators if new else ())
        coming = [m for m in (new.luns if new else ()) if held.get(m.mapping_id, target.target_id) == target.target_id]
        luns = self._join(_LUN, old.luns if old else (), coming)
        return target.model_copy(update={"initiators": self._unique(initiators), "luns": self._numbered(luns)})

    def _join(
        self, kind: _Kind[Item], old: Iterable[Item], new: Iterable[Item], needed: Container[str] = ()
    ) -> tuple[Item, ...]:
        """What the ledger holds and was not released or is still needed, as the document has it, then what is new."""
        coming = {kind.key(item): item for item in new}
        result: list[Item] = []
        for item in old:
            id_ = kind.key(item)
            renewed = coming.pop(id_, None)
            if renewed is None:
                if (kind.release, id_) in self._released and id_ not in needed:
                    continue
                self._note(kind.release, id_, "is not wanted any more, and nothing says that it was given up")
            elif kind.fixed(renewed) != kind.fixed(item):
                self._note(kind.release, id_, "would change what is permanent")
            result.append(renewed if renewed is not None and kind.fixed(renewed) == kind.fixed(item) else item)
        return (*result, *coming.values())

    def _unique(self, initiators: Iterable[ExportInitiator]) -> tuple[ExportInitiator, ...]:
        """One ACL per name: the ledger's comes first, and so stays."""
        found: dict[str, ExportInitiator] = {}
        for initiator in initiators:
            if found.setdefault(initiator.iqn, initiator) is not initiator:
                self._note(ReleaseKind.INITIATOR, initiator.initiator_id, f"repeats {initiator.iqn}")
        return tuple(found.values())

    def _numbered(self, luns: Iterable[ExportLun]) -> tuple[ExportLun, ...]:
        """One mapping per number: the ledger's comes first, and so stays."""
        found: dict[int, ExportLun] = {}
        for lun in luns:
            if found.setdefault(lun.lun, lun) is not lun:
                self._note(ReleaseKind.MAPPING, lun.mapping_id, f"wants LUN {lun.lun}, which is taken")
        return tuple(found.values())

    def _note(self, kind: ReleaseKind, id_: str, what: str) -> None:
        self.unexplained.append(f"{kind.value} {id_} {what}: what is served stays")
