"""The second factor of a login: codes of an authenticator app (TOTP, RFC 6238), and recovery codes for its loss.

SHA-1, six digits and 30 seconds: what every authenticator app takes without asking.
"""

import base64
import hashlib
import hmac
import secrets
from typing import Annotated

from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.hotp import HOTP
from cryptography.hazmat.primitives.twofactor.totp import TOTP
from pydantic import AfterValidator, Field, SecretStr

SECRET_BYTES = 20
"""RFC 4226 section 4 asks for 16 at least and recommends 20."""
DIGITS = 6
PERIOD_S = 30
DRIFT = 1
"""Periods that the clocks of the appliance and the telephone may differ by (RFC 6238 section 5.2)."""
RECOVERY_CODES = 10
_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
_GROUPS, _LETTERS = 3, 4


def _check_code(value: SecretStr) -> SecretStr:
    text = tidy(value.get_secret_value())
    is_of_app = text.isascii() and text.isdecimal() and len(text) == DIGITS
    if not is_of_app and len(text) != _GROUPS * _LETTERS:
        raise ValueError("expected the six digits of the authenticator app, or a recovery code such as abcd-efgh-jkmn")
    return SecretStr(text)


Code = Annotated[SecretStr, Field(min_length=DIGITS, max_length=40), AfterValidator(_check_code)]
"""A code of the app or a recovery code, however it is spaced."""


def tidy(text: str) -> str:
    """Without the spaces and dashes that users type, in lower case."""
    return "".join(text.split()).replace("-", "").lower()


def new_secret() -> bytes:
    return secrets.token_bytes(SECRET_BYTES)


def base32(secret: bytes) -> str:
    """In the form that an authenticator app accepts if it cannot scan."""
    return base64.b32encode(secret).decode()


def address(secret: bytes, username: str, appliance: str) -> str:
    """The `otpauth://` address that authenticator apps read from a QR code."""
    return TOTP(secret, DIGITS, SHA1(), PERIOD_S).get_provisioning_uri(username, appliance)  # noqa: S303 RFC 6238


def matching_period(secret: bytes, code: str, now: float, last_used: int) -> int | None:
    """The 30-second period that a code belongs to; None if it is wrong, or not newer than the last one used.

    `now` is in seconds since 1970. Each code is good for one login alone (RFC 6238 section 5.2).
    """
    if len(code) != DIGITS:
        return None
    hotp, current = HOTP(secret, DIGITS, SHA1()), int(now // PERIOD_S)  # noqa: S303 RFC 6238
    periods = [period for period in range(current - DRIFT, current + DRIFT + 1) if period > last_used]
    matching = [period for period in periods if hmac.compare_digest(hotp.generate(period), code.encode())]
    return matching[-1] if matching else None


def new_recovery_codes() -> tuple[str, ...]:
    """Ten codes of 59 bits each, so that a plain hash of one is safe to store."""
    return tuple(
        "-".join("".join(secrets.choice(_ALPHABET) for _ in range(_LETTERS)) for _ in range(_GROUPS))
        for _ in range(RECOVERY_CODES)
    )


def recovery_hash(code: str) -> str:
    return hashlib.sha256(tidy(code).encode()).hexdigest()
