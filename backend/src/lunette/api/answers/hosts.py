"""Hosts and host groups: who may come, under which target, and whether it is open. Secrets never leave."""

from datetime import datetime

from lunette.api.answers.base import Answer, Export
from lunette.domain.dhchap import DhGroup, DhHash
from lunette.domain.hosts import OsType
from lunette.store.resources import Host as HostRow


class ChapUsers(Answer):
    """That CHAP is asked for, and under which names. The secrets are never answered."""

    user: str
    mutual_user: str | None


class DhChapAsked(Answer):
    """That DH-HMAC-CHAP is asked for, and how. The keys are never answered."""

    hash: DhHash
    dh_group: DhGroup
    is_mutual: bool


class Host(Answer):
    """A client server. `export` tells whether all that is mapped to itself is served; its group has its own."""

    id: str
    name: str
    description: str
    os_type: OsType
    iqns: tuple[str, ...]
    wwpns: tuple[str, ...]
    nqns: tuple[str, ...]
    chap: ChapUsers | None
    dhchap: DhChapAsked | None
    opens_without_missing_after_s: int | None
    group: str | None
    group_id: str | None
    target_iqn: str | None
    subsystem_nqn: str | None
    export: Export
    mappings: int
    """Mappings to the host itself, without those of its group."""
    sessions: int | None
    """Logged in now; null if the agent does not answer, or cannot see sessions of this host's kind."""
    created_at: datetime
    updated_at: datetime


class HostGroup(Answer):
    """A cluster of hosts that share volumes."""

    id: str
    name: str
    description: str
    hosts: tuple[str, ...]
    host_ids: tuple[str, ...]
    opens_without_missing_after_s: int | None
    target_iqn: str | None
    subsystem_nqn: str | None
    export: Export
    mappings: int
    created_at: datetime
    updated_at: datetime


def chap_users(row: HostRow) -> ChapUsers | None:
    """The CHAP names of a host, None where it has no CHAP."""
    return ChapUsers(user=row.chap_user, mutual_user=row.chap_mutual_user) if row.chap_user else None


def dhchap_asked(row: HostRow) -> DhChapAsked | None:
    """How a host must prove itself over NVMe, None where it need not."""
    if row.dhchap_secret_sealed is None:
        return None
    return DhChapAsked(
        hash=DhHash(row.dhchap_hash or DhHash.SHA256),
        dh_group=DhGroup(row.dhchap_group or DhGroup.NULL),
        is_mutual=row.dhchap_mutual_secret_sealed is not None,
    )


def initiator_names(row: HostRow, kind: str) -> tuple[str, ...]:
    """The names of one kind: iqn, wwpn or nqn."""
    return tuple(initiator.name for initiator in row.initiators if initiator.kind == kind)
