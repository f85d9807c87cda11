"""States as plain JSON by ID: the spec that would create each object again, with its secrets and permanent names.

Other objects are referred to by ID, so that a rename does not count as a change of what refers to it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from pydantic import SecretStr
from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.identity import KeptIdentity
from lunette.domain.settings import SECRETS
from lunette.planner.access.hosts import KINDS
from lunette.store.database import store_of
from lunette.store.resources import Array, FcPort, Host, HostGroup, Portal, Target, Volume
from lunette.store.resources import Mapping as MappingRow
from lunette.store.schedules import Schedule
from lunette.store.schema import Json
from lunette.store.settings import with_secrets

States = dict[str, Json]
IDENTITY = "identity"
"""Key of the permanent identity of an object; no spec contains it."""
REFERENCES: Mapping[str, tuple[str, type[Volume] | type[Host] | type[HostGroup] | type[Array]]] = {
    "volume": ("volume", Volume),
    "host": ("host", Host),
    "host_group": ("host group", HostGroup),
    "hosts": ("host", Host),
    "volumes": ("volume", Volume),
    "arrays": ("array", Array),
}
"""Fields that name other objects: their noun, and their table."""


def read(tx: Session, noun: str, ids: Sequence[str]) -> States:
    """The existing objects of a noun with these IDs, in their order."""
    found = _READ[noun](tx, ids)
    return {id_: found[id_] for id_ in ids if id_ in found}


def references(state: Json) -> Iterable[tuple[str, str]]:
    """The field and the ID of everything that a state refers to."""
    for field in REFERENCES.keys() & state.keys():
        held = state[field]
        for ref in held if isinstance(held, list) else [held]:
            if ref is not None:
                yield field, ref


def names_of(tx: Session, states: Iterable[Json]) -> dict[str, str]:
    """By ID, the name of everything that these states refer to."""
    wanted: dict[type[Volume] | type[Host] | type[HostGroup] | type[Array], set[str]] = defaultdict(set)
    for state in states:
        for field, ref in references(state):
            wanted[REFERENCES[field][1]].add(ref)
    found: dict[str, str] = {}
    for table, ids in wanted.items():
        found.update(tx.execute(select(table.id, table.name).where(table.id.in_(ids))).all())
    return found


def _hosts(tx: Session, ids: Sequence[str]) -> States:
    identities = _identities(tx, ids)
    rows = tx.scalars(select(Host).where(Host.id.in_(ids)))
    return {row.id: {**_host(tx, row), IDENTITY: identities[row.id]} for row in rows}


def _host(tx: Session, row: Host) -> Json:
    initiators = {
        f"{kind}s": sorted(initiator.name for initiator in row.initiators if initiator.kind == kind) for kind in KINDS
    }
    chap = dhchap = None
    if row.chap_user is not None:
        chap = {
            "user": row.chap_user,
            "secret": _opened(tx, row.chap_secret_sealed),
            "mutual_user": row.chap_mutual_user,
            "mutual_secret": _opened(tx, row.chap_mutual_secret_sealed),
        }
    if row.dhchap_secret_sealed is not None:
        dhchap = {
            "secret": _opened(tx, row.dhchap_secret_sealed),
            "hash": row.dhchap_hash,
            "dh_group": row.dhchap_group,
            "mutual_secret": _opened(tx, row.dhchap_mutual_secret_sealed),
        }
    return {
        "name": row.name,
        "os_type": row.os_type,
        "description": row.description,
        **initiators,
        "chap": chap,
        "dhchap": dhchap,
        "opens_without_missing_after_s": row.opens_without_missing_after_s,
    }


def _opened(tx: Session, sealed: str | None) -> str | None:
    """None also for a secret that was sealed with another key."""
    secret = store_of(tx).box.open_if_known(sealed) if sealed else None
    return secret.get_secret_value() if secret else None


def _identities(tx: Session, owner_ids: Sequence[str]) -> dict[str, Json]:
    query = select(Target.host_id, Target.host_group_id, Target.id, Target.iqn, Target.nqn, Target.subsystem)
    owned = Target.host_id.in_(owner_ids) | Target.host_group_id.in_(owner_ids)
    return {
        owner: KeptIdentity(owner_id=owner, target_id=target, iqn=iqn, nqn=nqn, subsystem=subsystem).model_dump(
            mode="json"
        )
        for host, group, target, iqn, nqn, subsystem in tx.execute(query.where(owned))
        if (owner := host or group)
    }


def _host_groups(tx: Session, ids: Sequence[str]) -> States:
    identities = _identities(tx, ids)
    return {
        row.id: {
            "name": row.name,
            "description": row.description,
            "hosts": sorted(member.host_id for member in row.members),
            IDENTITY: identities[row.id],
            "opens_without_missing_after_s": row.opens_without_missing_after_s,
        }
        for row in tx.scalars(select(HostGroup).where(HostGroup.id.in_(ids)))
    }


def _mappings(tx: Session, ids: Sequence[str]) -> States:
    return {
        row.id: {
            "volume": row.volume_id,
            "host": row.host_id,
            "host_group": row.host_group_id,
            "lun": row.lun,
            "family": row.family,
            "shared": row.shared,
        }
        for row in tx.scalars(select(MappingRow).where(MappingRow.id.in_(ids)))
    }


def _portals(tx: Session, ids: Sequence[str]) -> States:
    return {
        row.id: {"name": row.name, "protocol": row.protocol, "address": row.address, "port": row.port or None}
        for row in tx.scalars(select(Portal).where(Portal.id.in_(ids)))
    }


def _fc_ports(tx: Session, ids: Sequence[str]) -> States:
    rows = tx.scalars(select(FcPort).where(FcPort.id.in_(ids)))
    return {row.id: {"wwpn": row.wwpn, "mode": row.mode} for row in rows}


def _volumes(tx: Session, ids: Sequence[str]) -> States:
    rows = tx.scalars(select(Volume).where(Volume.id.in_(ids)))
    return {row.id: {"name": row.name, "description": row.description} for row in rows}


def _schedules(tx: Session, ids: Sequence[str]) -> States:
    return {
        row.id: {
            "name": row.name,
            "action": row.action,
            "when": row.when,
            "keep": row.keep,
            "volumes": [one.volume_id for one in row.subjects if one.volume_id],
            "arrays": [one.array_id for one in row.subjects if one.array_id],
            "snapshot_name": row.snapshot_name,
            "missed": row.missed,
            "enabled": row.enabled,
            "description": row.description,
        }
        for row in tx.scalars(select(Schedule).where(Schedule.id.in_(ids)))
    }


def _settings(tx: Session, ids: Sequence[str]) -> States:
    held = with_secrets(tx)
    state = held.model_dump(mode="json")
    for name, field in SECRETS.values():
        secret: SecretStr | None = getattr(getattr(held, name), field, None)
        if secret is not None:
            state[name][field] = secret.get_secret_value()
    return dict.fromkeys(ids, state)


_READ: Mapping[str, Callable[[Session, Sequence[str]], States]] = {
    "host": _hosts,
    "host_group": _host_groups,
    "mapping": _mappings,
    "portal": _portals,
    "fc_port": _fc_ports,
    "volume": _volumes,
    "schedule": _schedules,
    "setting": _settings,
}
