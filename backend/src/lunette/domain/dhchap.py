"""DH-HMAC-CHAP: authentication of NVMe hosts and, with a mutual key, of the appliance.

A key is text: `DHHC-1:HH:BASE64:` (NVMe TCP Transport 1.0c section 3.6.1.5, as `nvme gen-dhchap-key` prints it). HH is
the hash that transformed the key (00 none, 01 SHA-256, 02 SHA-384, 03 SHA-512); BASE64 contains 32, 48 or 64 bytes and
their CRC-32, little endian. The kernel accepts a malformed key without an error and then refuses every host, so keys
are checked here.
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
        raise ValueError(f"{len(secret)} bytes do not match hash {found[1]} of the key: copy the whole key")
    if zlib.crc32(secret).to_bytes(4, "little") != checksum:
        raise ValueError("the checksum of the key is wrong: copy the key again")
    return key


DhChapSecret = Annotated[SecretStr, Field(max_length=128), AfterValidator(check_secret)]


class DhHash(StrEnum):
    """Hash of the DH-HMAC-CHAP exchange."""

    SHA256 = "sha256"
    """SHA-256."""
    SHA384 = "sha384"
    """SHA-384."""
    SHA512 = "sha512"
    """SHA-512."""


class DhGroup(StrEnum):
    """Diffie-Hellman group of the DH-HMAC-CHAP exchange (RFC 7919)."""

    NULL = "null"
    """No Diffie-Hellman exchange, as in plain CHAP."""
    FFDHE2048 = "ffdhe2048"
    """Finite field of 2048 bits."""
    FFDHE3072 = "ffdhe3072"
    """Finite field of 3072 bits."""
    FFDHE4096 = "ffdhe4096"
    """Finite field of 4096 bits."""
    FFDHE6144 = "ffdhe6144"
    """Finite field of 6144 bits."""
    FFDHE8192 = "ffdhe8192"
    """Finite field of 8192 bits."""


class DhChap(Model):
    """DH-HMAC-CHAP keys of an NVMe host and, optionally, of the appliance."""

    secret: DhChapSecret
    """Key of the host in the form `DHHC-1:…`, as `nvme gen-dhchap-key` prints it."""
    mutual_secret: DhChapSecret | None = None
    """Key of the appliance, in the same form. Must differ from `secret`.

    If omitted, the appliance does not authenticate to the host.
    """
    hash: DhHash = DhHash.SHA256
    """Hash of the exchange. Has no effect with the export engine `spdk`, which negotiates the hash."""
    dh_group: DhGroup = DhGroup.FFDHE2048
    """Diffie-Hellman group of the exchange. Has no effect with the export engine `spdk`, which negotiates the group."""

    @model_validator(mode="after")
    def _two_keys(self) -> "DhChap":
        if self.mutual_secret and self.mutual_secret.get_secret_value() == self.secret.get_secret_value():
            raise ValueError("secret and mutual_secret must differ: otherwise a response could be replayed to the host")
        return self
