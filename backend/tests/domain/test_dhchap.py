"""Keys of DH-HMAC-CHAP: what the kernel would take and could not use is refused before it gets there."""

import base64
import zlib

import pytest
from pydantic import ValidationError

from lunette.domain.dhchap import DhChap


def key(secret: bytes, hash_id: str = "00", crc: int | None = None) -> str:
    checksum = (zlib.crc32(secret) if crc is None else crc).to_bytes(4, "little")
    return f"DHHC-1:{hash_id}:{base64.b64encode(secret + checksum).decode()}:"


@pytest.mark.parametrize(
    ("length", "hash_id"), [(32, "00"), (48, "00"), (64, "00"), (32, "01"), (48, "02"), (64, "03")]
)
def test_a_key_of_every_length_and_hash_is_taken(length: int, hash_id: str) -> None:
    given = key(bytes(range(length)), hash_id)
    assert DhChap.model_validate({"secret": given}).secret.get_secret_value() == given


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("secret", "gen-dhchap-key"),
        (key(bytes(32), "04"), "gen-dhchap-key"),
        (key(bytes(32))[:-1], "gen-dhchap-key"),
        ("DHHC-1:00:AAA:", "not Base64"),
        (key(bytes(31)), "31 bytes do not match hash 00"),
        (key(bytes(48), "01"), "48 bytes do not match hash 01"),
        (key(bytes(32), crc=1), "checksum of the key is wrong"),
    ],
)
def test_a_key_that_is_not_whole_is_refused_without_being_shown(given: str, why: str) -> None:
    with pytest.raises(ValidationError, match=why) as refusal:
        DhChap.model_validate({"secret": given})
    assert all(given not in problem["msg"] for problem in refusal.value.errors())


def test_the_two_keys_must_differ() -> None:
    with pytest.raises(ValidationError, match="must differ"):
        DhChap.model_validate({"secret": key(bytes(32)), "mutual_secret": key(bytes(32))})
    both = DhChap.model_validate({"secret": key(bytes(32)), "mutual_secret": key(bytes(48))})
    assert "DHHC" not in repr(both)
