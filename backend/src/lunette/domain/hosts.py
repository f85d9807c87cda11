"""Hosts: client servers with their initiators and credentials, and groups of hosts that share volumes."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field, SecretStr, model_validator

from lunette.domain.base import Model
from lunette.domain.dhchap import DhChap
from lunette.domain.names import Description, Iqn, Name, Nqn, Wwpn


class OsType(StrEnum):
    LINUX = "linux"
    ESXI = "esxi"
    WINDOWS = "windows"
    PROXMOX = "proxmox"
    OTHER = "other"


class InitiatorKind(StrEnum):
    """What an initiator is named by: over iSCSI, over Fibre Channel, over NVMe."""

    IQN = "iqn"
    WWPN = "wwpn"
    NQN = "nqn"


def check_chap_text(value: str) -> str:
    """Return a CHAP name or secret, or raise ValueError, without the value, for one that would not arrive whole.

    LIO takes what begins with NULL for an order to clear it (iscsi_target_configfs.c, __DEF_NACL_AUTH_STR), and
    open-iscsi takes the blanks around a value off.
    """
    if value.startswith(CLEARED):
        raise ValueError(f"must not begin with {CLEARED}: the kernel takes that for none at all")
    if value != value.strip():
        raise ValueError("must not begin or end with blanks: hosts leave them out")
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
    """CHAP the host must answer, and with `mutual_*` the answer the host asks of us. The two secrets must differ."""

    user: ChapUser
    secret: ChapSecret
    mutual_user: ChapUser | None = None
    mutual_secret: ChapSecret | None = None

    @model_validator(mode="after")
    def _complete(self) -> "Chap":
        if (self.mutual_user is None) != (self.mutual_secret is None):
            raise ValueError("mutual CHAP needs both mutual_user and mutual_secret")
        check_chap_secrets(self.secret, self.mutual_secret)
        return self


OpensWithoutMissing = Annotated[int, Field(ge=30, le=86400)]
"""Seconds. An array that starts without its late disks does so after 30, and a day is as good as never."""


class HostCreate(Model):
    """The wish for a host. An initiator name belongs to one host only.

    Its paths open when all its volumes are there. With `opens_without_missing_after_s` they open after so many seconds
    of waiting without those that are missing, which the host then takes for gone. Null, the default, waits for ever.
    """

    name: Name
    os_type: OsType = OsType.LINUX
    iqns: Annotated[tuple[Iqn, ...], Field(max_length=64)] = ()
    wwpns: Annotated[tuple[Wwpn, ...], Field(max_length=64)] = ()
    nqns: Annotated[tuple[Nqn, ...], Field(max_length=64)] = ()
    chap: Chap | None = None
    dhchap: DhChap | None = None
    description: Description = ""
    opens_without_missing_after_s: OpensWithoutMissing | None = None


class HostPatch(Model):
    """Changes of a host; an absent field stays. `chap: null` takes CHAP away, `dhchap: null` DH-HMAC-CHAP.

    `opens_without_missing_after_s: null` takes the deadline away; paths that are open stay open.
    """

    name: Name | None = None
    os_type: OsType | None = None
    iqns: Annotated[tuple[Iqn, ...], Field(max_length=64)] | None = None
    wwpns: Annotated[tuple[Wwpn, ...], Field(max_length=64)] | None = None
    nqns: Annotated[tuple[Nqn, ...], Field(max_length=64)] | None = None
    chap: Chap | None = None
    dhchap: DhChap | None = None
    description: Description | None = None
    opens_without_missing_after_s: OpensWithoutMissing | None = None


class HostGroupCreate(Model):
    """A cluster of hosts that share volumes. Hosts by id or name; a host is in one group at most.

    `opens_without_missing_after_s` as of a host, for the volumes of the group.
    """

    name: Name
    hosts: Annotated[tuple[Annotated[str, Field(min_length=1, max_length=63)], ...], Field(max_length=256)] = ()
    description: Description = ""
    opens_without_missing_after_s: OpensWithoutMissing | None = None


class HostGroupPatch(Model):
    """Changes of a group; an absent field stays. `opens_without_missing_after_s: null` takes the deadline away."""

    name: Name | None = None
    hosts: Annotated[tuple[Annotated[str, Field(min_length=1, max_length=63)], ...], Field(max_length=256)] | None = (
        None
    )
    description: Description | None = None
    opens_without_missing_after_s: OpensWithoutMissing | None = None
