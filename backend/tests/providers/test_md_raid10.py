"""How raid10 lays out its copies: numbers and words of the kernel and mdadm, room, and which losses it survives."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunette.domain.arrays import Level, Raid10Layout
from lunette.domain.sizes import KIB, MIB
from lunette.providers.arrays.md import plan, raid10

LAYOUTS = st.sampled_from(list(Raid10Layout))


@pytest.mark.parametrize(
    ("word", "number"),
    [("n2", 0x102), ("f2", 0x201), ("o2", 0x10201), ("n3", 0x103), ("f3", 0x301), ("o3", 0x10301), ("n4", 0x104)],
)
def test_numbers_are_those_of_mdadm(word: str, number: int) -> None:
    """mdadm, util.c, parse_layout_10."""
    assert raid10.copies_of(word).number == number
    assert raid10.word_of(number) == word


def test_what_mdadm_has_no_name_for_retains_its_number() -> None:
    both, sets = 0x202, 0x60201  # two near copies twice; the far sets that dm-raid makes
    assert [raid10.word_of(number) for number in (both, sets)] == [str(both), str(sets)]
    assert raid10.copies_of(str(both)).count == 4


@given(LAYOUTS, st.integers(min_value=3, max_value=7))
def test_what_is_survived_is_one_copy_of_every_chunk(layout: Raid10Layout, disks: int) -> None:
    """Each loss against the places of all copies: near ones follow one another, the others are shifted by them."""
    copies = raid10.copies_of(layout)
    chunks = [
        {
            (copies.near * chunk + near + far * copies.near) % disks
            for near in range(copies.near)
            for far in range(copies.far)
        }
        for chunk in range(disks)
    ]
    assert all(len(places) == copies.count for places in chunks)
    for lost in itertools.chain.from_iterable(itertools.combinations(range(disks), n) for n in range(disks + 1)):
        working = frozenset(range(disks)) - set(lost)
        assert plan.survives("raid10", disks, working, layout) == all(places & working for places in chunks)
        assert len(lost) >= copies.count or plan.survives("raid10", disks, working, layout)


@given(LAYOUTS, st.integers(min_value=3, max_value=24), st.integers(min_value=16, max_value=4096))
def test_room_is_what_the_copies_leave(layout: Raid10Layout, disks: int, mib: int) -> None:
    """raid10_size in drivers/md/raid10.c never gives less."""
    copies, chunk = raid10.copies_of(layout), 64 * KIB
    usable = plan.usable_bytes(Level.RAID10, mib * MIB, disks, chunk, layout)
    kernel = mib * MIB // chunk // copies.far * disks // copies.near * chunk
    assert kernel - MIB < usable <= kernel
