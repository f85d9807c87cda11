"""The file of a backup: a line that identifies it, a header that anyone may read, and sealed content.

The passphrase is stretched by Argon2id (RFC 9106, section 4, second recommended option); the content is sealed by
AES-256-GCM, which also authenticates the header. A second part of the stretched key authenticates only the header, so
that a wrong passphrase is distinguished from a damaged file.
"""

import base64
import datetime as dt
import hmac
import os
from typing import Annotated

from argon2.low_level import Type, hash_secret_raw
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from pydantic import Field, ValidationError

from lunette.domain.base import Model
from lunette.domain.errors import FieldProblem, Invalid

MAGIC = b"lunette backup\n"
FORMAT = 1
_KEY_BYTES = 32
_MAC_BYTES = 32
_TAG_BYTES = 16
_MAX_HEADER_BYTES = 4096


class Stretching(Model):
    """How the passphrase becomes a key. The limits keep a file from asking for more than an appliance has."""

    passes: Annotated[int, Field(ge=1, le=10)] = 3
    memory_kib: Annotated[int, Field(ge=8 * 1024, le=256 * 1024)] = 64 * 1024
    lanes: Annotated[int, Field(ge=1, le=8)] = 4
    salt: str


class About(Model):
    """What a backup is of. `schema_revision` is that of the database, `version` the product's."""

    version: str
    schema_revision: str
    appliance: str
    appliance_id: str
    made_at: dt.datetime
    has_certificate: bool


class Header(About):
    """What can be read without the passphrase."""

    format: int
    stretching: Stretching
    nonce: str
    sealed_bytes: int


def seal(content: bytes, passphrase: str, about: About) -> bytes:
    """The whole file. Salt and nonce are drawn for each file, so no key ever seals twice."""
    nonce, stretching = os.urandom(12), Stretching(salt=_text(os.urandom(16)))
    header = Header(
        **dict(about),
        format=FORMAT,
        stretching=stretching,
        nonce=_text(nonce),
        sealed_bytes=len(content) + _TAG_BYTES,
    )
    opening = MAGIC + header.model_dump_json().encode() + b"\n"
    key, mac_key = _stretched(passphrase, stretching)
    return opening + _mac(mac_key, opening) + AESGCM(key).encrypt(nonce, content, opening)


def read_header(file: bytes) -> Header:
    """The header of a file. Raises Invalid for a file that is not a backup, is truncated, or has a newer format."""
    return _parts(file)[0]


def unseal(file: bytes, passphrase: str) -> tuple[Header, bytes]:
    """Header and content. Raises Invalid with the reason; content that is not vouched for is never looked at."""
    header, opening, mac, sealed = _parts(file)
    key, mac_key = _stretched(passphrase, header.stretching)
    if not hmac.compare_digest(mac, _mac(mac_key, opening)):
        raise _wrong("passphrase", "the passphrase does not match this backup, or the file was changed")
    try:
        return header, AESGCM(key).decrypt(base64.b64decode(header.nonce), sealed, opening)
    except (InvalidTag, ValueError) as error:
        raise _wrong("content", "the file is damaged; use another copy of it") from error


def _parts(file: bytes) -> tuple[Header, bytes, bytes, bytes]:
    if not file.startswith(MAGIC):
        raise _wrong("content", "this is not a Lunette backup")
    end = file.find(b"\n", len(MAGIC), len(MAGIC) + _MAX_HEADER_BYTES)
    if end < 0:
        raise _wrong("content", "the file is incomplete")
    try:
        header = Header.model_validate_json(file[len(MAGIC) : end])
    except ValidationError as error:
        raise _wrong("content", "its header cannot be read: it is damaged, or of a newer version of Lunette") from error
    if header.format != FORMAT:
        raise _wrong(
            "content", f"it has format {header.format}, but this version reads format {FORMAT}: upgrade this appliance"
        )
    opening, rest = file[: end + 1], file[end + 1 :]
    if len(rest) != _MAC_BYTES + header.sealed_bytes:
        more = len(rest) - _MAC_BYTES - header.sealed_bytes
        raise _wrong(
            "content",
            f"the file is incomplete: {-more} bytes are missing" if more < 0 else f"the file has {more} extra bytes",
        )
    return header, opening, rest[:_MAC_BYTES], rest[_MAC_BYTES:]


def _stretched(passphrase: str, how: Stretching) -> tuple[bytes, bytes]:
    try:
        salt = base64.b64decode(how.salt, validate=True)
        raw = hash_secret_raw(
            passphrase.encode(), salt, how.passes, how.memory_kib, how.lanes, _KEY_BYTES + _MAC_BYTES, Type.ID
        )
    except (ValueError, UnicodeEncodeError) as error:
        raise _wrong("content", "its header cannot be read: it is damaged") from error
    return raw[:_KEY_BYTES], raw[_KEY_BYTES:]


def _mac(key: bytes, opening: bytes) -> bytes:
    return hmac.digest(key, opening, "sha256")


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _wrong(field: str, message: str) -> Invalid:
    return Invalid(f"Nothing was changed: {message}.", errors=(FieldProblem(field=field, value=None, message=message),))
