"""Hosts and host groups: their initiators, their targets and the state of their exports. Secrets are never returned."""

from datetime import datetime

from lunette.api.answers.base import Answer, Export
from lunette.domain.dhchap import DhGroup, DhHash
from lunette.domain.hosts import HostConnection, OsType
from lunette.store.resources import Host as HostRow


class ChapUsers(Answer):
    """CHAP user names of a host. The secrets are never returned."""

    user: str
    """User name that the host must present."""
    mutual_user: str | None
    """User name that the appliance presents to the host. `null` if the appliance does not authenticate itself."""


class DhChapAsked(Answer):
    """DH-HMAC-CHAP settings of a host. The keys are never returned."""

    hash: DhHash
    """Hash function of the authentication."""
    dh_group: DhGroup
    """Diffie-Hellman group of the authentication. The group named `null` is authentication without key exchange."""
    is_mutual: bool
    """Whether the appliance also authenticates itself to the host."""


class Host(Answer):
    """A client server, with its initiators and credentials."""

    id: str
    """Unique ID of the host."""
    name: str
    """Name of the host."""
    description: str
    """Description of the host."""
    os_type: OsType
    """Operating system of the host."""
    iqns: tuple[str, ...]
    """iSCSI initiator names (IQNs) of the host."""
    wwpns: tuple[str, ...]
    """Fibre Channel port names (WWPNs) of the host."""
    nqns: tuple[str, ...]
    """NVMe qualified names (NQNs) of the host."""
    chap: ChapUsers | None
    """CHAP user names of the host. `null` if the host logs in without CHAP."""
    dhchap: DhChapAsked | None
    """DH-HMAC-CHAP settings of the host. `null` if the host connects without DH-HMAC-CHAP."""
    opens_without_missing_after_s: int | None
    """Seconds after which the paths of the host open without missing volumes. If `null`, the paths stay closed until
    all volumes are present."""
    group: str | None
    """Name of the host group to which the host belongs. `null` if the host is in no group."""
    group_id: str | None
    """Unique ID of the host group to which the host belongs. `null` if the host is in no group."""
    target_iqn: str | None
    """IQN of the target that serves the host over iSCSI and iSER. `null` if the host has no target."""
    subsystem_nqn: str | None
    """NQN of the NVMe subsystem that serves the host. `null` if the host has no subsystem."""
    export: Export
    """Whether all volumes mapped to the host itself are served now. Volumes of the host group are not included."""
    mappings: int
    """Number of mappings to the host itself, not counting the mappings of its host group."""
    sessions: int | None
    """Number of sessions of the host now. `null` if the agent does not answer or cannot list sessions of the host's
    protocols."""
    connection: HostConnection
    """Connection of the host to the appliance now, over the paths to its own volumes and those of its host group."""
    last_seen_at: datetime | None
    """When the host was last logged in, in UTC. `null` if it never was, or not since the appliance records this."""
    created_at: datetime
    """When the host was created, in UTC."""
    updated_at: datetime
    """When the host was last changed, in UTC."""


class HostGroup(Answer):
    """Hosts, usually the nodes of a cluster, that share volumes."""

    id: str
    """Unique ID of the host group."""
    name: str
    """Name of the host group."""
    description: str
    """Description of the host group."""
    hosts: tuple[str, ...]
    """Names of the hosts in the group."""
    host_ids: tuple[str, ...]
    """Unique IDs of the hosts in the group, in the order of `hosts`."""
    opens_without_missing_after_s: int | None
    """Seconds after which the paths to the volumes of the group open without missing volumes. If `null`, the paths stay
    closed until all volumes are present."""
    target_iqn: str | None
    """IQN of the target that serves the group over iSCSI and iSER. `null` if the group has no target."""
    subsystem_nqn: str | None
    """NQN of the NVMe subsystem that serves the group. `null` if the group has no subsystem."""
    export: Export
    """Whether all volumes mapped to the group are served now."""
    mappings: int
    """Number of mappings to the group."""
    created_at: datetime
    """When the host group was created, in UTC."""
    updated_at: datetime
    """When the host group was last changed, in UTC."""


def chap_users(row: HostRow) -> ChapUsers | None:
    """The CHAP names of a host, None if it has no CHAP."""
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
