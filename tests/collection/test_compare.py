"""What counts as the same: sizes, sets, addresses, and secrets that are never shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunette.domain.sizes import parse_size
from tests.collection.imported import compare


@given(
    number=st.integers(0, 10**6),
    unit=st.sampled_from(["", "B", "kB", "MiB", " GiB", "gb", "TiB", "PB", "G", "t", "1x"]),
)
def test_sizes_are_read_as_the_appliance_reads_them(number: int, unit: str) -> None:
    text = f"{number}{unit}"
    try:
        expected = parse_size(text)
    except ValueError:
        with pytest.raises(ValueError, match="is no size"):
            compare.size_in_bytes(text)
    else:
        assert compare.size_in_bytes(text) == expected


def test_a_fraction_is_a_size_and_a_word_is_none() -> None:
    assert compare.size_in_bytes("1.5GiB") == parse_size("1.5GiB")
    with pytest.raises(ValueError, match="'much' is no size"):
        compare.size_in_bytes("much")


@pytest.mark.parametrize(
    ("wanted", "shown", "same"),
    [
        (["a", "b"], ["b", "a"], True),
        (["a"], ["a", "b"], False),
        ("2001:DB8::1", "2001:db8:0::1", True),
        ("10.0.0.1", "10.0.0.2", False),
        ("nn-0x20000000C9000001:pn-0x10000000C9000001", "nn-0x20000000c9000001:pn-0x10000000c9000001", True),
        ({"user": "u", "secret": "s"}, {"user": "u", "mutual_user": None}, True),
        ({"user": "u", "secret": "s"}, {"user": "v"}, False),
        ({"user": "u"}, None, False),
        (None, None, True),
    ],
)
def test_lists_are_sets_and_secrets_do_not_count(wanted: object, shown: object, same: bool) -> None:
    assert compare.is_same(wanted, shown, {"secret"}) is same


@pytest.mark.parametrize(
    ("wanted", "same"),
    [("https://h", True), ("https://h/token", False), ("https://other", False)],
)
def test_what_is_shown_of_a_secret_counts(wanted: str, same: bool) -> None:
    shown = {"url": "https://h", "has_path": True, "has_secret": True}
    assert compare.is_same({"url": wanted, "secret": "s"}, shown, {"url", "secret"}) is same


def test_a_path_goes_through_lists() -> None:
    resource = {"members": [{"disk_id": "a"}, {"disk_id": "b"}], "export": None}
    assert compare.shown_at(resource, "members.disk_id") == ["a", "b"]
    assert compare.shown_at(resource, "export.state") is None


def test_secrets_are_not_printed() -> None:
    assert compare.without_secrets({"user": "u", "secret": "s"}, {"secret"}) == {"user": "u", "secret": "(secret)"}
