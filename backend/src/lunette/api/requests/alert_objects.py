"""The objects that alerts are about, from the keys of the alerts."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import ColumnElement, literal, or_, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from lunette.api.answers.journal import AlertObject
from lunette.domain.alerts import AlertFamily, AlertNoun, family_of
from lunette.store.journal import Alert, Job
from lunette.store.resources import Array, FcPort, Host, HostGroup, HostInitiator, Portal, Target, Volume
from lunette.store.resources import Mapping as MappingRow
from lunette.store.schedules import Schedule

_Place = tuple[AlertNoun, str]
_FAMILIES: Mapping[AlertFamily, AlertNoun] = {
    AlertFamily.ARRAY: AlertNoun.ARRAY,
    AlertFamily.DISK: AlertNoun.DISK,
    AlertFamily.FC_PORT: AlertNoun.FC_PORT,
    AlertFamily.HOST: AlertNoun.HOST,
    AlertFamily.INTERFACE: AlertNoun.INTERFACE,
    AlertFamily.JOB: AlertNoun.JOB,
    AlertFamily.PORTAL: AlertNoun.PORTAL,
    AlertFamily.SCHEDULE: AlertNoun.SCHEDULE,
    AlertFamily.SEALED_COPY: AlertNoun.ARRAY,
    AlertFamily.THIN_POOL: AlertNoun.ARRAY,
}
"""Families whose key has the ID of the object itself after the colon; for an array, perhaps with more after it."""
_NAMES: Mapping[AlertNoun, tuple[InstrumentedAttribute[str], InstrumentedAttribute[str]]] = {
    AlertNoun.ARRAY: (Array.id, Array.name),
    AlertNoun.FC_PORT: (FcPort.id, FcPort.wwpn),
    AlertNoun.HOST: (Host.id, Host.name),
    AlertNoun.HOST_GROUP: (HostGroup.id, HostGroup.name),
    AlertNoun.JOB: (Job.id, Job.title),
    AlertNoun.PORTAL: (Portal.id, Portal.name),
    AlertNoun.SCHEDULE: (Schedule.id, Schedule.name),
    AlertNoun.VOLUME: (Volume.id, Volume.name),
}
"""Disks and interfaces are not stored: their ID is their name."""
_TARGETS = ("target.blocked", "target.partial", "subsystem.blocked", "subsystem.partial")
_MAPPINGS = ("mapping.twice", "mapping.blocks")
_TWINS = "initiator.twins"


def objects(tx: Session, rows: Sequence[Alert]) -> list[AlertObject | None]:
    """The object of each alert; None for the appliance as a whole, and for an object that is gone."""
    places = _places(tx, [row.key for row in rows])
    wanted: dict[AlertNoun, set[str]] = defaultdict(set)
    for noun, id_ in filter(None, places):
        wanted[noun].add(id_)
    names: dict[_Place, str] = {}
    for noun, ids in wanted.items():
        if noun in _NAMES:
            id_column, name_column = _NAMES[noun]
            found = tx.execute(select(id_column, name_column).where(id_column.in_(ids)))
            names |= {(noun, id_): name for id_, name in found}
        else:
            names |= {(noun, id_): id_ for id_ in ids}
    return [AlertObject(noun=place[0], id=place[1], name=names[place]) if place in names else None for place in places]


def _places(tx: Session, keys: Sequence[str]) -> list[_Place | None]:
    parts = [(kind, subject) for kind, _, subject in (key.partition(":") for key in keys)]
    targets = _owners(tx, {subject for kind, subject in parts if kind in _TARGETS})
    volumes = select(MappingRow.id, MappingRow.volume_id)
    mapped = dict(
        tx.execute(volumes.where(MappingRow.id.in_({subject for kind, subject in parts if kind in _MAPPINGS}))).all()
    )
    hosts = select(HostInitiator.name, HostInitiator.host_id)
    twins = dict(
        tx.execute(
            hosts.where(HostInitiator.name.in_({subject.lower() for kind, subject in parts if kind == _TWINS}))
        ).all()
    )

    def place(kind: str, subject: str) -> _Place | None:
        noun = _FAMILIES.get(family_of(kind) or AlertFamily.AGENT)
        if noun is not None:
            return noun, subject.partition(":")[0] if noun is AlertNoun.ARRAY else subject
        if kind == "mapping.reservations":
            return AlertNoun.HOST_GROUP, subject
        if kind == "mapping.shared":
            return AlertNoun.VOLUME, subject
        if subject in mapped:
            return AlertNoun.VOLUME, mapped[subject]
        return (AlertNoun.HOST, twins[subject.lower()]) if subject.lower() in twins else targets.get(subject)

    return [place(kind, subject) for kind, subject in parts]


def _owners(tx: Session, target_ids: Iterable[str]) -> dict[str, _Place]:
    rows = tx.scalars(select(Target).where(Target.id.in_(set(target_ids))))
    return {
        row.id: (AlertNoun.HOST, row.host_id) if row.host_id else (AlertNoun.HOST_GROUP, row.host_group_id or "")
        for row in rows
    }


def is_about(ref: str) -> ColumnElement[bool]:
    """The condition for the alerts about the object with this ID, also those whose key names what belongs to it."""
    owned, mapped, named = (
        (Target.id, (Target.host_id == ref) | (Target.host_group_id == ref)),
        (MappingRow.id, MappingRow.volume_id == ref),
        (HostInitiator.name, HostInitiator.host_id == ref),
    )
    belonging = (*((kind, owned) for kind in _TARGETS), *((kind, mapped) for kind in _MAPPINGS), (_TWINS, named))
    return or_(
        Alert.key.endswith(f":{ref}", autoescape=True),
        Alert.key.contains(f":{ref}:", autoescape=True),
        *(Alert.key.in_(select(literal(f"{kind}:") + column).where(is_its)) for kind, (column, is_its) in belonging),
    )
