"""Automatic values of md's tuning: what they come from, and that they stay within the memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunette.domain.sizes import GIB, KIB, MIB
from lunette.providers.arrays.md.plan import MEMORY_SHARE, PAGE_BYTES
from lunette.providers.arrays.md.tuning import (
    LEAST_STRIPES,
    Machine,
    automatic_stripes,
    automatic_threads,
    count_cpus,
)


@pytest.mark.parametrize(("cores", "threads"), [(1, 0), (2, 0), (4, 2), (6, 3), (8, 4), (64, 4)])
def test_threads_follow_the_cores(cores: int, threads: int) -> None:
    assert automatic_threads(cores)[0] == threads


def test_large_chunks_ask_for_a_larger_cache_and_the_words_say_so() -> None:
    has = Machine(cores=8, memory_bytes=16 * GIB)
    assert automatic_stripes(has, 8, 64 * KIB)[0] == 256
    count, why = automatic_stripes(has, 8, MIB)
    assert count == 1024
    assert "4 stripes of 1 MiB chunks: 32 MiB with 8 disks, of 1/32 of 16 GiB memory" in why


def test_little_memory_is_named_as_the_reason() -> None:
    count, why = automatic_stripes(Machine(cores=1, memory_bytes=512 * MIB), 64, 64 * KIB)
    assert count == 64
    assert "all that 1/32 of 512 MiB memory allows" in why


@given(st.integers(0, 2**42), st.integers(1, 256), st.integers(2, 17).map(lambda power: 2**power * KIB))
def test_the_cache_never_takes_more_than_its_share_but_for_the_least_md_takes(
    memory: int, disks: int, chunk: int
) -> None:
    count, _ = automatic_stripes(Machine(cores=1, memory_bytes=memory), disks, chunk)
    assert LEAST_STRIPES <= count <= 32768
    assert count == LEAST_STRIPES or count * disks * PAGE_BYTES <= memory // MEMORY_SHARE


def test_cpus_are_counted_in_ranges() -> None:
    assert [count_cpus(text) for text in ("0", "0-3", "0-3,6,8-9", "")] == [1, 4, 7, 0]
