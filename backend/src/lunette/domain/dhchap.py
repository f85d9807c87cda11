"""DH-HMAC-CHAP: how an NVMe host proves who it is, and with a mutual key how the appliance does.

A key is text: `DHHC-1:HH:BASE64:` (NVMe TCP Transport 1.0c section 3.6.1.5, as `nvme gen-dhchap-key` prints it). HH
tells which hash transformed it (00 none, 01 SHA-256, 02 SHA-384, 03 SHA-512); BASE64 holds 32, 48 or 64 bytes and
their CRC-32, little endian. The kernel takes a broken key without a word and
then lets nobody in, so it is checked here.
"""

import base64
import binascii
import re
import zlib
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field, SecretStr, model_validator

from lunette.domain.base import Model

_FORM = re.compile(r"^DHHC-1:(0[0-3]):([A-Za-z0-9+/]+={0,2}):$")
_LENGTHS = {"00": (32, 48, 64), "01": (32,), "02": (48,), "03": (64,)}


def check_secret(key: SecretStr) -> SecretStr:
    """Return the key, or raise ValueError telling what is wrong with it without showing it."""
    found = _FORM.match(key.get_secret_value())
    if found is None:
        raise ValueError("expected a key such as `nvme gen-dhchap-key` prints: DHHC-1:00:…:")
    try:
        raw = base64.b64decode(found[2], validate=True)
    except binascii.Error:
        raise ValueError("the part after the second colon is not Base64: copy the whole key") from None
    secret, checksum = raw[:-4], raw[-4:]
    if len(secret) not in _LENGTHS[found[1]]:
        raise ValueError(f"a key of hash {found[1]} does not have {len(secret)} bytes: copy the whole key")
    if zlib.crc32(secret).to_bytes(4, "little") != checksum:
        raise ValueError("the key's checksum is wrong: it was not copied right")
    return key


DhChapSecret = Annotated[SecretStr, Field(max_length=128), AfterValidator(check_secret)]


class DhHash(StrEnum):
    """The hash of challenge and response."""

    SHA256 = "sha256"
    SHA384 = "sha384"
    SHA512 = "sha512"


class DhGroup(StrEnum):
    """The finite field of the Diffie-Hellman exchange (RFC 7919). `null` does without, as plain CHAP."""

    NULL = "null"
    FFDHE2048 = "ffdhe2048"
    FFDHE3072 = "ffdhe3072"
    FFDHE4096 = "ffdhe4096"
    FFDHE6144 = "ffdhe6144"
    FFDHE8192 = "ffdhe8192"


class DhChap(Model):
    """What an NVMe host must show, and with `mutual_secret` what it asks of us. The two must differ."""

    secret: DhChapSecret
    mutual_secret: DhChapSecret | None = None
    hash: DhHash = DhHash.SHA256
    dh_group: DhGroup = DhGroup.FFDHE2048

    @model_validator(mode="after")
    def _two_keys(self) -> "DhChap":
        if self.mutual_secret and self.mutual_secret.get_secret_value() == self.secret.get_secret_value():
            raise ValueError("secret and mutual_secret must differ: else a host's answer could be played back to it")
        return self
