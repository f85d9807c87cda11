"""Reserves the LUN of an unmapped volume, so that no other volume gets it (docs/decisions/0055).

A host keeps the device of a removed LUN, and would write to the volume that gets the number next. So there is a row for
each initiator that saw the volume, until that initiator has logged in again or the time is over.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from math import ceil
from typing import NamedTuple

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from lunette.domain.errors import Unavailable
from lunette.domain.exports import ObservedSession
from lunette.domain.mappings import Family
from lunette.domain.observations import SessionsObservation
from lunette.domain.plans import Reuse
from lunette.engine.context import uptime
from lunette.engine.context.loop import Loop
from lunette.engine.exports import exportset
from lunette.planner.access.hosts import family_of
from lunette.planner.access.numbers import Former, HeldNumbers, number_name
from lunette.store.database import Store
from lunette.store.resources import (
    HeldNumber,
    HostGroupMember,
    HostInitiator,
    Mapping,
    ReleaseRow,
    Target,
    Volume,
)
from lunette.store.schema import Json
from lunette.store.settings import read_settings

PERIOD_S = 10.0
_ANYWHERE = "wwpn"
"""A Fibre Channel port is one target for all volumes. Any other initiator finds one target per owner."""


def initiators(tx: Session, host_ids: Collection[str]) -> Sequence[HostInitiator]:
    """The initiators of some hosts."""
    return tx.scalars(select(HostInitiator).where(HostInitiator.host_id.in_(host_ids))).all()


def hold(tx: Session, mappings: Iterable[Mapping], seen_by: Collection[HostInitiator]) -> None:
    """Records that these initiators lose these mappings with the next counted change of the exports."""
    due_s = uptime.read(tx).due_s(read_settings(tx).number_held_hours)
    generation = exportset.generation(tx) + 1
    for mapping in mappings:
        target_id, name = _target_id(tx, mapping), tx.get_one(Volume, mapping.volume_id).name
        for one in seen_by:
            if family_of(one.kind) is Family(mapping.family):
                tx.merge(
                    HeldNumber(
                        initiator=one.name,
                        target_id=target_id,
                        lun=mapping.lun,
                        volume_id=mapping.volume_id,
                        kind=one.kind,
                        volume_name=name,
                        due_s=due_s,
                        generation=generation,
                        is_settled=False,
                        isid=None,
                    )
                )


def given(tx: Session, mappings: Iterable[Mapping]) -> None:
    """Deletes reservations for the same volume under the same number: those devices are correct again."""
    for mapping in mappings:
        owner_id = mapping.host_id or mapping.host_group_id or ""
        names = [one.name for one in initiators(tx, _hosts(tx, {owner_id})[owner_id])]
        same = (HeldNumber.target_id == _target_id(tx, mapping)) & (HeldNumber.lun == mapping.lun)
        same &= HeldNumber.volume_id == mapping.volume_id
        tx.execute(delete(HeldNumber).where(same, HeldNumber.initiator.in_(names)))


def held(tx: Session, owner_ids: Collection[str]) -> dict[str, HeldNumbers]:
    """By host or group, the devices that its initiators may still have."""
    hosts = _hosts(tx, owner_ids)
    names: dict[str, set[str]] = defaultdict(set)
    for one in initiators(tx, {host_id for ids in hosts.values() for host_id in ids}):
        names[one.host_id].add(one.name)
    rows = _standing(tx, {name for found in names.values() for name in found})
    targets = _targets(tx, owner_ids) if rows else {}
    found: dict[str, HeldNumbers] = {}
    for owner_id in owner_ids:
        own = {name for host_id in hosts[owner_id] for name in names[host_id]}
        formers: dict[int, dict[tuple[str, Family], Former]] = defaultdict(dict)
        for row, former in rows:
            if row.initiator in own and (row.kind == _ANYWHERE or row.target_id == targets.get(owner_id)):
                formers[row.lun][former.volume_id, former.family] = former
        found[owner_id] = {lun: tuple(ones.values()) for lun, ones in formers.items()}
    return found


def seen(tx: Session, host_id: str) -> Sequence[Mapping]:
    """The mappings of a host: its own and its group's."""
    groups = select(HostGroupMember.host_group_id).where(HostGroupMember.host_id == host_id)
    return tx.scalars(select(Mapping).where((Mapping.host_id == host_id) | Mapping.host_group_id.in_(groups))).all()


def reused(tx: Session, owner: str, joining: Iterable[str], mappings: Sequence[Mapping]) -> tuple[Reuse, ...]:
    """Conflicts for initiators that join an owner: they had other volumes under the same numbers."""
    rows = _standing(tx, joining) if mappings else []
    found: dict[Reuse, None] = {}
    for row, former in rows:
        for one in mappings:
            here = row.kind == _ANYWHERE or row.target_id == _target_id(tx, one)
            if here and (one.lun, one.family) == (row.lun, former.family) and one.volume_id != row.volume_id:
                number, volume = number_name(former.family, row.lun), tx.get_one(Volume, one.volume_id).name
                found[Reuse(number=number, owner=owner, volume=volume, former=former.volume)] = None
    return tuple(found)


def in_use(tx: Session) -> list[Json]:
    """Devices that hosts have now or may still have, before a backup replaces the database: it may not know of them."""
    mappings = tx.scalars(select(Mapping)).all()
    hosts = _hosts(tx, {one.host_id or one.host_group_id or "" for one in mappings})
    for one in mappings:
        hold(tx, [one], initiators(tx, hosts[one.host_id or one.host_group_id or ""]))
    tx.flush()
    now_s = uptime.read(tx).seconds
    rows = tx.execute(select(HeldNumber.__table__)).mappings()
    return [{**row, "due_s": row["due_s"] - now_s} for row in rows]


def take_over(tx: Session, rows: Iterable[Json], generation: int) -> None:
    """Reserves in the restored database what was in use. A mapping that is unchanged there needs no reservation."""
    now_s = uptime.read(tx).seconds
    for row in rows:
        tx.merge(HeldNumber(**row | {"due_s": int(row["due_s"] + now_s), "generation": generation}))
    tx.flush()
    given(tx, tx.scalars(select(Mapping)).all())


def _standing(tx: Session, names: Iterable[str]) -> list[tuple[HeldNumber, Former]]:
    """The rows of some initiators whose time is not over."""
    now_s = uptime.read(tx).seconds
    query = (
        select(HeldNumber, Volume.name)
        .outerjoin(Volume, Volume.id == HeldNumber.volume_id)
        .where(HeldNumber.initiator.in_(list(names)), HeldNumber.due_s > now_s)
        .order_by(HeldNumber.lun, HeldNumber.volume_id, HeldNumber.initiator)
    )
    return [
        (row, Former(row.volume_id, name or row.volume_name, family_of(row.kind), ceil((row.due_s - now_s) / 3600)))
        for row, name in tx.execute(query)
    ]


def _hosts(tx: Session, owner_ids: Collection[str]) -> dict[str, set[str]]:
    """The ID of a host, and the IDs of a group's hosts."""
    found = {owner_id: {owner_id} for owner_id in owner_ids}
    query = select(HostGroupMember.host_group_id, HostGroupMember.host_id)
    for group_id, host_id in tx.execute(query.where(HostGroupMember.host_group_id.in_(owner_ids))):
        found[group_id].add(host_id)
    return found


def _targets(tx: Session, owner_ids: Collection[str]) -> dict[str, str]:
    owner = func.coalesce(Target.host_id, Target.host_group_id)
    return dict(tx.execute(select(owner, Target.id).where(owner.in_(owner_ids))).all())


def _target_id(tx: Session, mapping: Mapping) -> str:
    owner_id = mapping.host_id or mapping.host_group_id or ""
    return _targets(tx, {owner_id})[owner_id]


class _Logins(NamedTuple):
    """The sessions over iSCSI and iSER as far as LIO shows them: the newest of each initiator."""

    by_place: dict[tuple[str, str], ObservedSession]
    """By target and initiator."""
    whole: frozenset[str]
    """Targets whose sessions are all shown."""

    @classmethod
    def of(cls, seen: SessionsObservation) -> "_Logins":
        shown = Counter(one.target for one in seen.sessions)
        whole = frozenset(one.target for one in seen.counts if one.sessions == shown[one.target])
        return cls({(one.target, one.initiator.lower()): one for one in seen.sessions}, whole)

    def isid(self, target: str, initiator: str) -> str | None:
        """Of the only session of an initiator; None if it has none, or may have others."""
        found = self.by_place.get((target, initiator))
        return found.isid if found and target in self.whole else None


class NumberWatch:
    """Checks every 10 s which initiators have logged in again. Several processes may run one each."""

    def __init__(self, store: Store, sessions: Callable[[], SessionsObservation], *, pace: float = 1.0) -> None:
        self._store, self._sessions = store, sessions
        self._loop = Loop("numbers", self.round, pace)
        self.start, self.stop = self._loop.start, self._loop.stop

    def round(self) -> float:
        """One check, if any number is reserved. Returns the seconds until the next.

        Exports that the agent may still serve are checked before the sessions: each session that is seen then, and each
        that comes later, has been without the volume.
        """
        with self._store.read() as tx:
            if tx.scalars(select(HeldNumber.lun).limit(1)).first() is None:
                return PERIOD_S
            served_from = tx.scalar(select(func.min(ReleaseRow.generation)))
        try:
            logins = _Logins.of(self._sessions())
        except Unavailable:
            return PERIOD_S
        with self._store.write() as tx:
            tx.execute(delete(HeldNumber).where(HeldNumber.due_s <= uptime.read(tx).seconds))
            query = select(HeldNumber, Target.iqn).join(Target, Target.id == HeldNumber.target_id)
            for row, iqn in tx.execute(query.where(HeldNumber.kind == "iqn")).all():
                if served_from is None or row.generation < served_from:
                    self._follow(tx, row, logins.isid(iqn, row.initiator))
        return PERIOD_S

    @staticmethod
    def _follow(tx: Session, row: HeldNumber, isid: str | None) -> None:
        """A session that returns under its old name (ISID) has its old devices; one with another name has not."""
        if not row.is_settled:
            row.is_settled, row.isid = True, isid
        elif row.isid is not None and isid is not None and isid != row.isid:
            tx.delete(row)
