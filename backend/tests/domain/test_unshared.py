"""What two versions of a tuple do not share is what a plain comparison says."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from lunette.domain.unshared import shared_ends, unshared

VERSIONS = st.lists(st.integers(0, 5), max_size=12)


class Entry:
    """Equal to every other, so that only the identity tells them apart."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


ENTRIES = [Entry() for _ in range(6)]


def entries(numbers: Sequence[int]) -> tuple[Entry, ...]:
    return tuple(ENTRIES[number] for number in numbers)


@given(VERSIONS, VERSIONS)
def test_what_is_shared_at_both_ends_is_left_out_and_nothing_else(one: list[int], other: list[int]) -> None:
    start, end = shared_ends(entries(one), entries(other))
    assert one[:start] == other[:start]
    assert one[len(one) - end :] == other[len(other) - end :]
    left, right = one[start : len(one) - end], other[start : len(other) - end]
    assert [id(entry) for entry in unshared(entries(one), entries(other))[0]] == [id(ENTRIES[n]) for n in left]
    assert [id(entry) for entry in unshared(entries(one), entries(other))[1]] == [id(ENTRIES[n]) for n in right]
    if left and right:
        assert left[0] != right[0]
        assert left[-1] != right[-1]


def test_of_two_versions_that_are_the_same_nothing_is_left() -> None:
    assert unshared(entries([1, 2, 3]), entries([1, 2, 3])) == ((), ())
    assert unshared((), entries([1])) == ((), entries([1]))
