"""Names and identifiers as types: what passes here is safe in a path, a tag and a protocol.

IQN: RFC 3720 section 3.2.6.3 (223 bytes, naming authority is a dotted domain). NQN: NVM Express Base 2.0 section 4.5.
WWPN: 16 hex digits, shown with colons as Linux does.
"""

import re
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$"
_IQN = re.compile(
    r"^iqn\.\d{4}-(0[1-9]|1[0-2])\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+(?::[^\s/]+)?$"
)
_EUI = re.compile(r"^eui\.[0-9a-f]{16}$")
_NQN = re.compile(r"^nqn\.\d{4}-(0[1-9]|1[0-2])\.[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::[^\s/]+)$")
_HEX16 = re.compile(r"^[0-9a-f]{16}$")

Name = Annotated[str, StringConstraints(pattern=NAME_PATTERN)]
"""A resource name: 1-63 of A-Z a-z 0-9 _ . - starting with a letter or digit."""


def check_iqn(value: str) -> str:
    """Return the iSCSI name in lower case (RFC 3722), or raise ValueError telling the expected form."""
    name = value.strip().lower()
    if len(name.encode()) > 223:
        raise ValueError("an iSCSI name has at most 223 bytes")
    if not (_IQN.match(name) or _EUI.match(name)):
        raise ValueError("expected an iSCSI name such as iqn.2026-01.com.example:host1 (yyyy-mm, then a dotted domain)")
    return name


def check_nqn(value: str) -> str:
    """Return the NVMe qualified name, or raise ValueError telling the expected form."""
    if len(value.encode()) > 223:
        raise ValueError("an NQN has at most 223 bytes")
    if not _NQN.match(value):
        raise ValueError("expected an NQN such as nqn.2014-08.org.nvmexpress:uuid:…")
    return value


def check_wwpn(value: str) -> str:
    """Return a WWPN as 8 colon-separated hex pairs in lower case, or raise ValueError."""
    digits = re.sub(r"[:.\-\s]", "", value.lower()).removeprefix("0x").removeprefix("naa")
    if not _HEX16.match(digits):
        raise ValueError("expected a WWPN of 16 hex digits such as 21:00:00:24:ff:00:00:01")
    return ":".join(digits[i : i + 2] for i in range(0, 16, 2))


Iqn = Annotated[str, Field(max_length=223), AfterValidator(check_iqn)]
Nqn = Annotated[str, Field(max_length=223), AfterValidator(check_nqn)]
Wwpn = Annotated[str, Field(max_length=32), AfterValidator(check_wwpn)]


def _plain(value: object) -> object:
    return value.strip() if isinstance(value, str) else value


Description = Annotated[str, BeforeValidator(_plain), Field(max_length=1000)]
