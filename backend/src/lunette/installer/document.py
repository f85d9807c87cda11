"""The installation document: YAML without unknown words, validated as a whole before anything is written."""

import hashlib
import re
import uuid
from collections.abc import Hashable
from ipaddress import IPv4Address, IPv4Interface
from typing import Annotated, Any, Literal

import yaml
from pydantic import BeforeValidator, Field, SecretStr, ValidationError, field_validator, model_validator

from lunette.domain.base import Model
from lunette.domain.errors import FieldProblem, Invalid
from lunette.domain.first_start import FIRST_USER
from lunette.domain.interfaces import NtpServers
from lunette.domain.names import HostName
from lunette.domain.roles import NewPassword
from lunette.domain.settings import Zone
from lunette.installer.interfaces import NAME_OR_MAC, Spec, for_the_web_page

MAX_BYTES = 65536
Interface = Annotated[str, Field(pattern=NAME_OR_MAC)]
"""The kernel's name of an interface, or its hardware address in lower case, which stays the same in another slot."""

_FORMS = {
    "hostname": "must have at most 63 lower-case letters, digits and `-`, without a domain",
    "interface": "must be the name of an interface or its hardware address in lower case, such as 52:54:00:4c:55:01",
    "name": "must be the name of an interface, or a hardware address in lower case, such as 52:54:00:4c:55:01",
    "ntp": "must be an address or a name of a time server, such as 192.0.2.123 or time.example.com",
}
"""Requirements of fields with a pattern, in words."""


class Network(Model):
    """The one interface of the web page. DHCP unless an address is given."""

    interface: Interface
    address: IPv4Interface | None = None
    """With the length of the prefix: 192.0.2.7/24."""
    gateway: IPv4Address | None = None
    dns: tuple[IPv4Address, ...] = ()
    ntp: NtpServers = ()
    """Time servers, by address or name, in addition to those from DHCP."""

    @field_validator("address", mode="before")
    @classmethod
    def _with_prefix(cls, value: object) -> object:
        if not isinstance(value, str) or "/" not in value:
            raise ValueError("must have a prefix length, such as 192.0.2.7/24")
        return value

    @model_validator(mode="after")
    def _consistent(self) -> "Network":
        if self.address is None and (self.gateway or self.dns):
            raise ValueError("gateway and dns require a static address: specify `address`, or omit them to use DHCP")
        if self.address is not None and self.gateway is not None and self.gateway not in self.address.network:
            raise ValueError(f"the gateway {self.gateway} is outside {self.address.network}")
        return self


class Administrator(Model):
    """First login of the user admin: a password, or its Argon2id hash, which a document may contain openly."""

    password: NewPassword | None = None
    password_hash: Annotated[SecretStr, Field(max_length=256)] | None = None

    @model_validator(mode="after")
    def _one(self) -> "Administrator":
        if (self.password is None) == (self.password_hash is None):
            raise ValueError("specify either password or password_hash")
        if self.password is not None and self.password.get_secret_value() == FIRST_USER:
            raise ValueError("the password must not be the user name")
        text = self.password_hash.get_secret_value() if self.password_hash else ""
        if text and not re.fullmatch(
            r"\$argon2id\$v=19\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]{16,}\$[A-Za-z0-9+/]{32,}", text
        ):
            raise ValueError(
                "password_hash is not an Argon2id hash in the standard form ($argon2id$v=19$m=…,t=…,p=…$…$…)"
            )
        return self


class Root(Model):
    """Password for the shell of the console: without it, root is locked."""

    password_hash: Annotated[SecretStr, Field(max_length=256)]
    """As in shadow(5), made by `openssl passwd -6` or mkpasswd."""

    @field_validator("password_hash")
    @classmethod
    def _crypt(cls, value: SecretStr) -> SecretStr:
        if not re.fullmatch(r"\$(y|6|5)\$[A-Za-z0-9./=,$]{20,}", value.get_secret_value()):
            raise ValueError(
                "must be a hash as in /etc/shadow ($y$…, $6$… or $5$…), such as the output of `openssl passwd -6`"
            )
        return value


def _names(value: object) -> object:
    """One name, or a list of them, as a tuple of plain names. Raises ValueError for a name that is not stable."""
    found = value if isinstance(value, list) else [value]
    names = tuple(one.removeprefix("/dev/disk/by-id/") for one in found if isinstance(one, str))
    if len(names) < len(found):
        raise ValueError("must be text: put it in quotes")
    for name in names:
        if not name or "/" in name or re.fullmatch(r"(sd[a-z]+|vd[a-z]+|nvme\d+n\d+)", name):
            raise ValueError("must be a name below /dev/disk/by-id or a serial number: /dev/sdX changes between starts")
        if names.count(name) > 1:
            raise ValueError(f"names {name} twice: a mirror needs two disks")
    return names


Names = Annotated[tuple[Annotated[str, Field(max_length=256)], ...], BeforeValidator(_names)]
"""Disks by their names below /dev/disk/by-id or serial numbers; never /dev/sdX, which changes between starts."""


class Document(Model):
    """What to install, and where. `content` is the SHA-256 of the document's bytes: the installation's identity."""

    version: Literal[1]
    disks: Annotated[Names, Field(alias="disk", min_length=1, max_length=2)]
    """One disk, or the two of a mirror."""
    wipe: Names = ()
    """Disks whose content may be overwritten."""
    hostname: HostName = "lunette"
    time_zone: Zone | None = None
    """Time zone of schedules and of the web page; UTC if None."""
    network: Network | None = None
    """None: every wired interface uses DHCP."""
    interfaces: Annotated[tuple[Spec, ...], Field(max_length=64)] = ()
    """Instead of `network`: several interfaces with MTU and role, VLANs and bonds, each after its parents."""
    administrator: Administrator | None = None
    """None: a one-time password is shown on the console at the first start."""
    root: Root | None = None
    """None: no login at the console."""
    afterwards: Literal["power-off", "reboot", "stay"] = "power-off"
    dry_run: bool = False
    content: str = Field(exclude=True)

    @model_validator(mode="after")
    def _same_disks(self) -> "Document":
        for name in self.wipe:
            if name not in self.disks:
                known = " and ".join(self.disks)
                raise ValueError(
                    f"wipe names {name}, but the disk to install to is {known}: use the same name for both"
                )
        return self

    @model_validator(mode="after")
    def _one_network(self) -> "Document":
        if self.interfaces and self.network is not None:
            raise ValueError("specify either network or interfaces")
        if self.interfaces and not for_the_web_page(self.interfaces):
            raise ValueError(
                "no interface serves the web page: an interface with an address or DHCP must have the role "
                "management or both"
            )
        return self

    def identity(self, number: int = 0) -> uuid.UUID:
        """Identifies a disk that was installed by this document: it becomes the GUID of its partition table."""
        place = f":{number}" if number else ""
        return uuid.uuid5(uuid.NAMESPACE_URL, f"lunette:installation:{self.content}{place}")


def parse(content: bytes) -> Document:
    """The document. Raises Invalid, which names every field that is wrong."""
    if len(content) > MAX_BYTES:
        raise Invalid(f"the installation document has more than {MAX_BYTES} bytes: is it the right file?")
    try:
        raw = yaml.load(content, _Loader)  # noqa: S506 - a SafeLoader
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise Invalid(f"the installation document is not valid YAML: {' '.join(str(error).split())}") from error
    if not isinstance(raw, dict):
        raise Invalid(
            "the installation document is not a list of `word: value` lines: see docs/howto/install-from-the-iso"
        )
    if "content" in raw:
        raise Invalid("the installation document is not valid; nothing was written", errors=(_unknown("content"),))
    try:
        return Document.model_validate({**raw, "content": hashlib.sha256(content).hexdigest()})
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        problems = [FieldProblem(field=_place(one["loc"]), value=None, message=_words(one)) for one in found]
        raise Invalid("the installation document is not valid; nothing was written", errors=problems) from error


def _place(where: tuple[int | str, ...]) -> str:
    return ".".join(str(part) for part in where) or "document"


def _words(problem: Any) -> str:
    if problem["type"] == "extra_forbidden":
        return "is not a key of an installation document"
    if problem["type"] == "string_type":
        return "must be text: put it in quotes"
    if problem["type"] == "too_long" and problem["loc"] == ("disk",):
        return "must be one disk, or two disks for a mirror"
    if problem["type"] == "too_short" and problem["loc"][-1] == "password":
        return "must have 12 characters or more"
    if problem["type"] == "string_pattern_mismatch":
        field = next(str(part) for part in reversed(problem["loc"]) if isinstance(part, str))
        return _FORMS.get(field, str(problem["msg"]))
    return str(problem["msg"]).removeprefix("Value error, ")


def _unknown(field: str) -> FieldProblem:
    return FieldProblem(field=field, value=None, message="is not a key of an installation document")


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """Refuses duplicate keys: YAML would silently use the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        words = [self.construct_object(key, deep=True) for key, _ in node.value]
        for word in words:
            if words.count(word) > 1:
                raise yaml.constructor.ConstructorError(None, None, f"{word!r} is specified twice", node.start_mark)
        made: dict[Hashable, Any] = super().construct_mapping(node, deep)
        return made
