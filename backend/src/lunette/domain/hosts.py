"""Hosts: client servers with their initiators and credentials, and groups of hosts that share volumes."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field, SecretStr, model_validator

from lunette.domain.base import Model
from lunette.domain.dhchap import DhChap
from lunette.domain.names import Description, Iqn, Name, Nqn, Wwpn
from lunette.domain.volumes import MAX_BATCH


class OsType(StrEnum):
    """Operating system of a host."""

    LINUX = "linux"
    """Linux."""
    ESXI = "esxi"
    """VMware ESXi, which cannot use volumes with 4096-byte blocks."""
    WINDOWS = "windows"
    """Microsoft Windows."""
    PROXMOX = "proxmox"
    """Proxmox VE."""
    OTHER = "other"
    """Any other operating system."""


class HostConnection(StrEnum):
    """Connection of a host to the appliance."""

    ONLINE = "online"
    """The host is logged in, and no path is missing."""
    DEGRADED = "degraded"
    """The host is logged in, but some paths are missing."""
    OFFLINE = "offline"
    """The host is not logged in, but has been."""
    NEVER = "never"
    """The host has never logged in."""
    UNKNOWN = "unknown"
    """Unknown: the agent does not answer or cannot list the sessions of the host."""


class InitiatorKind(StrEnum):
    """Kind of an initiator name."""

    IQN = "iqn"
    """Initiator name for iSCSI and iSER."""
    WWPN = "wwpn"
    """Port name for Fibre Channel."""
    NQN = "nqn"
    """NVMe qualified name for NVMe-oF."""


def check_chap_text(value: str) -> str:
    """Return a CHAP name or secret, or raise ValueError, without the value, for one that would not arrive whole.

    LIO takes what begins with NULL for an order to clear it (iscsi_target_configfs.c, __DEF_NACL_AUTH_STR), and
    open-iscsi takes the blanks around a value off.
    """
    if value.startswith(CLEARED):
        raise ValueError(f"must not begin with {CLEARED}: the kernel treats this as no value")
    if value != value.strip():
        raise ValueError("must not begin or end with spaces: hosts remove them")
    return value


def _check_secret(secret: SecretStr) -> SecretStr:
    text = secret.get_secret_value()
    if not (text.isascii() and text.isprintable()):
        raise ValueError("a CHAP secret is printable ASCII")
    check_chap_text(text)
    return secret


CLEARED = "NULL"
ChapUser = Annotated[
    str, Field(min_length=1, max_length=223, pattern=r"^[A-Za-z0-9_.:@-]+$"), AfterValidator(check_chap_text)
]
ChapSecret = Annotated[SecretStr, Field(min_length=12, max_length=16), AfterValidator(_check_secret)]
"""12 to 16 characters: 12 bytes is the floor RFC 3720 section 8.2.1 asks for, 16 the ceiling of Windows' initiator."""


def is_cleared(names: Iterable[str | None], secrets: Iterable[SecretStr | None]) -> bool:
    """True if the kernel would take one of them for none."""
    texts = (*names, *(one.get_secret_value() for one in secrets if one))
    return any(text.startswith(CLEARED) for text in texts if text)


def check_chap_secrets(secret: SecretStr | None, mutual_secret: SecretStr | None) -> None:
    """Raises ValueError for two that are the same."""
    if secret is not None and secret == mutual_secret:
        raise ValueError("secret and mutual_secret must differ (RFC 3720 section 8.2.1)")


class Chap(Model):
    """CHAP credentials of a host. With `mutual_*`, the appliance also authenticates itself to the host."""

    user: ChapUser
    """User name that the host must present."""
    secret: ChapSecret
    """Secret that the host must present, 12 to 16 printable ASCII characters."""
    mutual_user: ChapUser | None = None
    """User name that the appliance presents to the host. Required together with `mutual_secret`. If omitted or `null`,
    the appliance does not authenticate itself."""
    mutual_secret: ChapSecret | None = None
    """Secret that the appliance presents to the host, 12 to 16 printable ASCII characters. Must differ from `secret`.
    Required together with `mutual_user`."""

    @model_validator(mode="after")
    def _complete(self) -> "Chap":
        if (self.mutual_user is None) != (self.mutual_secret is None):
            raise ValueError("mutual CHAP needs both mutual_user and mutual_secret")
        check_chap_secrets(self.secret, self.mutual_secret)
        return self


OpensWithoutMissing = Annotated[int, Field(ge=30, le=86400)]
"""Seconds. An array that starts without its late disks does so after 30, and a day is as good as never."""


class HostCreate(Model):
    """A host to create. An initiator name belongs to one host only."""

    name: Name
    """Name of the host."""
    os_type: OsType = OsType.LINUX
    """Operating system of the host."""
    iqns: Annotated[tuple[Iqn, ...], Field(max_length=64)] = ()
    """iSCSI initiator names (IQNs) of the host."""
    wwpns: Annotated[tuple[Wwpn, ...], Field(max_length=64)] = ()
    """Fibre Channel port names (WWPNs) of the host: 16 hexadecimal digits each, with or without colons."""
    nqns: Annotated[tuple[Nqn, ...], Field(max_length=64)] = ()
    """NVMe qualified names (NQNs) of the host."""
    chap: Chap | None = None
    """CHAP credentials that the host must present over iSCSI and iSER. If `null`, the host logs in without CHAP."""
    dhchap: DhChap | None = None
    """DH-HMAC-CHAP keys that the host must present over NVMe. If `null`, the host connects without DH-HMAC-CHAP."""
    description: Description = ""
    """Description of the host."""
    opens_without_missing_after_s: OpensWithoutMissing | None = None
    """Seconds, from 30 to 86400, after which the paths of the host open without missing volumes. Hosts then treat the
    missing volumes as lost. If `null`, the paths stay closed until all volumes are present."""


class HostPatch(Model):
    """Changes to a host. Fields that are omitted stay unchanged."""

    name: Name | None = None
    """New name of the host. If omitted or `null`, the name stays unchanged."""
    os_type: OsType | None = None
    """New operating system of the host. If omitted or `null`, the operating system stays unchanged."""
    iqns: Annotated[tuple[Iqn, ...], Field(max_length=64)] | None = None
    """New complete list of iSCSI initiator names (IQNs). Initiators that are not in the list are removed and lose their
    sessions. If omitted or `null`, the list stays unchanged."""
    wwpns: Annotated[tuple[Wwpn, ...], Field(max_length=64)] | None = None
    """New complete list of Fibre Channel port names (WWPNs). Initiators that are not in the list are removed and lose
    their sessions. If omitted or `null`, the list stays unchanged."""
    nqns: Annotated[tuple[Nqn, ...], Field(max_length=64)] | None = None
    """New complete list of NVMe qualified names (NQNs). Initiators that are not in the list are removed and lose their
    sessions. If omitted or `null`, the list stays unchanged."""
    chap: Chap | None = None
    """New CHAP credentials, required from the next login. `null` removes CHAP. If omitted, CHAP stays unchanged."""
    dhchap: DhChap | None = None
    """New DH-HMAC-CHAP keys, required from the next connection. `null` removes DH-HMAC-CHAP. If omitted, DH-HMAC-CHAP
    stays unchanged."""
    description: Description | None = None
    """New description of the host. If omitted or `null`, the description stays unchanged."""
    opens_without_missing_after_s: OpensWithoutMissing | None = None
    """New number of seconds, from 30 to 86400, after which the paths of the host open without missing volumes. `null`
    removes the limit; open paths stay open. If omitted, the limit stays unchanged."""


class HostDeleteBatch(Model):
    """Hosts to delete in one transaction, all or none."""

    hosts: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=63)], ...], Field(min_length=1, max_length=MAX_BATCH)
    ]
    """Names or IDs of the hosts. Unless `cascade` is set, a host with mappings or in a host group is refused."""
    cascade: bool = False
    """Whether the mappings of the hosts are deleted too, and the hosts leave their host groups."""


class HostGroupCreate(Model):
    """A host group to create: hosts, usually the nodes of a cluster, that share volumes."""

    name: Name
    """Name of the host group."""
    hosts: Annotated[tuple[Annotated[str, Field(min_length=1, max_length=63)], ...], Field(max_length=256)] = ()
    """Names or IDs of the hosts in the group. A host belongs to one group at most."""
    description: Description = ""
    """Description of the host group."""
    opens_without_missing_after_s: OpensWithoutMissing | None = None
    """Seconds, from 30 to 86400, after which the paths to the volumes of the group open without missing volumes. Hosts
    then treat the missing volumes as lost. If `null`, the paths stay closed until all volumes are present."""


class HostGroupPatch(Model):
    """Changes to a host group. Fields that are omitted stay unchanged."""

    name: Name | None = None
    """New name of the host group. If omitted or `null`, the name stays unchanged."""
    hosts: Annotated[tuple[Annotated[str, Field(min_length=1, max_length=63)], ...], Field(max_length=256)] | None = (
        None
    )
    """Names or IDs of all hosts in the group. Hosts that are not in the list leave the group and lose access to its
    volumes. If omitted or `null`, the hosts stay unchanged."""
    description: Description | None = None
    """New description of the host group. If omitted or `null`, the description stays unchanged."""
    opens_without_missing_after_s: OpensWithoutMissing | None = None
    """New number of seconds, from 30 to 86400, after which the paths to the volumes of the group open without missing
    volumes. `null` removes the limit; open paths stay open. If omitted, the limit stays unchanged."""
