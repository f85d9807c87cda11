"""Hosts: client servers with their initiators and credentials, and groups of hosts that share volumes."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, SecretStr, model_validator

from lunette.domain.base import Model
from lunette.domain.dhchap import DhChap
from lunette.domain.names import Description, Iqn, Name, Nqn, Wwpn


class OsType(StrEnum):
    LINUX = "linux"
    ESXI = "esxi"
    WINDOWS = "windows"
    PROXMOX = "proxmox"
    OTHER = "other"


ChapUser = Annotated[str, Field(min_length=1, max_length=223, pattern=r"^[A-Za-z0-9_.:@-]+$")]
ChapSecret = Annotated[SecretStr, Field(min_length=12, max_length=16)]
"""12 to 16 characters: 12 bytes is the floor RFC 3720 section 8.2.1 asks for, 16 the ceiling of Windows' initiator."""


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
        if self.mutual_secret and self.mutual_secret.get_secret_value() == self.secret.get_secret_value():
            raise ValueError("secret and mutual_secret must differ (RFC 3720 section 8.2.1)")
        for secret in (self.secret, self.mutual_secret):
            text = secret.get_secret_value() if secret else ""
            if not text.isascii() or not text.isprintable():
                raise ValueError("a CHAP secret is printable ASCII")
        return self


class HostCreate(Model):
    """The wish for a host. An initiator name belongs to one host only."""

    name: Name
    os_type: OsType = OsType.LINUX
    iqns: Annotated[tuple[Iqn, ...], Field(max_length=64)] = ()
    wwpns: Annotated[tuple[Wwpn, ...], Field(max_length=64)] = ()
    nqns: Annotated[tuple[Nqn, ...], Field(max_length=64)] = ()
    chap: Chap | None = None
    dhchap: DhChap | None = None
    description: Description = ""


class HostPatch(Model):
    """Changes of a host; an absent field stays. `chap: null` takes CHAP away, `dhchap: null` DH-HMAC-CHAP."""

    name: Name | None = None
    os_type: OsType | None = None
    iqns: Annotated[tuple[Iqn, ...], Field(max_length=64)] | None = None
    wwpns: Annotated[tuple[Wwpn, ...], Field(max_length=64)] | None = None
    nqns: Annotated[tuple[Nqn, ...], Field(max_length=64)] | None = None
    chap: Chap | None = None
    dhchap: DhChap | None = None
    description: Description | None = None


class HostGroupCreate(Model):
    """A cluster of hosts that share volumes. Hosts by id or name; a host is in one group at most."""

    name: Name
    hosts: Annotated[tuple[Annotated[str, Field(min_length=1, max_length=63)], ...], Field(max_length=256)] = ()
    description: Description = ""


class HostGroupPatch(Model):
    """Changes of a group; an absent field stays."""

    name: Name | None = None
    hosts: Annotated[tuple[Annotated[str, Field(min_length=1, max_length=63)], ...], Field(max_length=256)] | None = (
        None
    )
    description: Description | None = None
