"""Types of names and identifiers. A valid value is safe in a path, a tag and a protocol.

iSCSI names: RFC 7143 section 4.2.7 (223 bytes; iqn., eui. and naa.), with the characters of RFC 3722. NQN: NVM Express
Base 2.0 section 4.5. WWPN: 16 hex digits, shown with colons as in Linux.
"""

import re
import unicodedata
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$"
_LABEL = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
_DATE_AND_AUTHORITY = rf"[0-9]{{4}}-(?:0[1-9]|1[0-2])\.{_LABEL}(?:\.{_LABEL})*"
_IQN = re.compile(rf"iqn\.{_DATE_AND_AUTHORITY}(?::(?P<own>.+))?")
_EUI_OR_NAA = re.compile(r"eui\.[0-9a-f]{16}|naa\.[0-9a-f]{16}(?:[0-9a-f]{16})?")
_NQN = re.compile(rf"nqn\.{_DATE_AND_AUTHORITY}:(?P<own>.+)")
_UUID_NQN = re.compile(r"nqn\.2014-08\.org\.nvmexpress:uuid:[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_WWPN = re.compile(r"[125c-f][0-9a-f]{15}")
"""The first digit says what kind of name it is; these are those of 64 bits (T11 FC-FS-5, Name_Identifier formats)."""

Name = Annotated[str, StringConstraints(pattern=NAME_PATTERN)]
"""A resource name: 1-63 of A-Z a-z 0-9 _ . - starting with a letter or digit."""

HostName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$")]
"""A host name without a domain (RFC 1123 section 2.1), in lower case."""


def check_iqn(value: str) -> str:
    """Return the iSCSI name in lower case (RFC 3722), or raise ValueError telling the expected form."""
    name = value.strip().lower()
    if len(name.encode(errors="replace")) > 223:
        raise ValueError("an iSCSI name has at most 223 bytes")
    if _EUI_OR_NAA.fullmatch(name):
        return name
    found = _IQN.fullmatch(name)
    if found is None:
        raise ValueError(
            "expected an iSCSI name such as iqn.2026-01.com.example:host1 (yyyy-mm, then a domain), or eui. with 16 or "
            "naa. with 16 or 32 hex digits"
        )
    if not unicodedata.is_normalized("NFKC", name):
        raise ValueError("expected an iSCSI name in Unicode normal form NFKC (RFC 3722): enter it again")
    if wrong := sorted({one for one in found["own"] or "" if not _may_be_in_iqn(one)}):
        raise ValueError(f"an IQN has only lowercase letters, digits, - . and :, not {' '.join(map(ascii, wrong))}")
    return name


def _may_be_in_iqn(character: str) -> bool:
    """Of ASCII what RFC 7143 section 4.2.7.1 names, beyond it letters."""
    if character.isascii():
        return character.isalnum() or character in "-.:"
    return character.isalpha()


def check_nqn(value: str) -> str:
    """Return the NVMe qualified name, or raise ValueError telling the expected form."""
    if len(value.encode(errors="replace")) > 223:
        raise ValueError("an NQN has at most 223 bytes")
    found = _NQN.fullmatch(value)
    if found is None:
        raise ValueError("expected an NQN such as nqn.2014-08.org.nvmexpress:uuid:…")
    if value.startswith("nqn.2014-08.org.nvmexpress:uuid:") and not _UUID_NQN.fullmatch(value):
        raise ValueError("after nqn.2014-08.org.nvmexpress:uuid: a UUID is expected, with 8-4-4-4-12 hex digits")
    if wrong := sorted({one for one in found["own"] if one in " /" or not one.isprintable()}):
        raise ValueError(f"an NQN has no spaces, slashes or control characters, such as {' '.join(map(ascii, wrong))}")
    return value


def check_wwpn(value: str) -> str:
    """Return a WWPN as 8 colon-separated hex pairs in lower case, or raise ValueError."""
    digits = re.sub(r"[:.\-\s]", "", value.lower()).removeprefix("0x").removeprefix("naa")
    if not _WWPN.fullmatch(digits) or digits == "f" * 16:
        raise ValueError("expected a WWPN of 16 hex digits such as 21:00:00:24:ff:00:00:01")
    return ":".join(digits[i : i + 2] for i in range(0, 16, 2))


Iqn = Annotated[str, Field(max_length=223), AfterValidator(check_iqn)]
Nqn = Annotated[str, Field(max_length=223), AfterValidator(check_nqn)]
Wwpn = Annotated[str, Field(max_length=32), AfterValidator(check_wwpn)]


def _plain(value: object) -> object:
    return value.strip() if isinstance(value, str) else value


Description = Annotated[str, BeforeValidator(_plain), Field(max_length=1000)]
