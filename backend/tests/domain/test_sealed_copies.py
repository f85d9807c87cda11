"""The two slots of a sealed copy: what a power cut or a damage leaves is never taken for a copy."""

import datetime as dt

import pytest

from lunette.domain.sealed_copies import PREFIX_BYTES, SLOT_BYTES, CopyHeader, length, newest, pack, unpack

UUID = "0123456789abcdef0123456789abcdef"


def header(generation: int = 1, uuid: str = UUID, format_: int = 1) -> CopyHeader:
    return CopyHeader(
        format=format_,
        generation=generation,
        written_at=dt.datetime(2026, 11, 1, tzinfo=dt.UTC),
        array_uuid=uuid,
        appliance_id="abc",
        appliance="box",
        version="1",
        schema_revision="0009",
    )


def test_what_was_packed_is_unpacked_whatever_lies_behind_it() -> None:
    made = pack(header(), b"content")
    assert unpack(made + b"what an older, longer copy left") == (header(), b"content")
    assert length(made[:PREFIX_BYTES]) == len(made)


@pytest.mark.parametrize("old", [b"", b"\0" * 4096, pack(header(), b"o" * 5000)])
def test_a_torn_write_is_not_a_copy(old: bytes) -> None:
    """Whatever part of the new copy arrived over the old one, byte by byte."""
    made = pack(header(2), b"n" * 300)
    for arrived in range(1, len(made)):
        assert unpack(made[:arrived] + old[arrived:]) in (None, unpack(old)), "never a mixture"


def test_one_wrong_bit_anywhere_invalidates_a_copy() -> None:
    made = pack(header(), b"content")
    for at in range(len(made)):
        assert unpack(made[:at] + bytes([made[at] ^ 1]) + made[at + 1 :]) is None


def test_the_older_copy_is_valid_while_the_newer_is_torn() -> None:
    older, newer = pack(header(7), b"older"), pack(header(8), b"newer")
    assert newest([older, newer], UUID) == (1, header(8), b"newer")
    assert newest([older, newer[:-1]], UUID) == (0, header(7), b"older")
    assert newest([b"", newer[:-1]], UUID) is None


def test_what_another_array_left_at_this_place_is_not_a_copy() -> None:
    assert newest([pack(header(9, "f" * 32), b"another's"), pack(header(3), b"own")], UUID) == (1, header(3), b"own")


def test_a_newer_format_is_reported_as_such() -> None:
    found = newest([pack(header(format_=2), b"?")], UUID)
    assert found is not None
    assert found[1].format == 2


def test_what_does_not_fit_is_refused_and_not_cut() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        pack(header(), b"x" * SLOT_BYTES)
