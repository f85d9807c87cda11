"""Sizes as people write them, and as the product shows them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunette.domain.units import GIB, TIB, counted, format_size, parse_size


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("2T", 2 * TIB),
        ("10GiB", 10 * GIB),
        ("10g", 10 * GIB),
        ("1.5 TB", 1_500_000_000_000),
        ("10GB", 10 * 10**9),
        ("512", 512),
        ("64k", 65536),
        (7, 7),
    ],
)
def test_a_size_is_read_as_other_storage_tools_read_it(text: object, count: int) -> None:
    assert parse_size(text) == count


@pytest.mark.parametrize("text", ["much", "1x", "T", "-1G", "1 000", "1e3", ""])
def test_an_invalid_size_is_refused_with_the_expected_form(text: str) -> None:
    with pytest.raises(ValueError, match="10GiB"):
        parse_size(text)


@given(st.integers(0, 2**62))
def test_a_shown_size_is_near_the_size(count: int) -> None:
    shown = parse_size(format_size(count))
    assert isinstance(shown, int)
    assert abs(shown - count) <= max(1, count // 100)


@pytest.mark.parametrize(("count", "text"), [(0, "0 volumes"), (1, "1 volume"), (2, "2 volumes")])
def test_one_thing_is_singular_and_any_other_number_plural(count: int, text: str) -> None:
    assert counted(count, "volume") == text
