"""Automatic values of md's tuning: what they come from, and that they stay within the memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.tests.fakemachine import FakeSystem
from lunette.domain.sizes import GIB, KIB, MIB
from lunette.providers.arrays.md.plan import MEMORY_SHARE, PAGE_BYTES
from lunette.providers.arrays.md.tuning import (
    LEAST_STRIPES,
    TOGETHER,
    MachineResources,
    automatic_stripes,
    automatic_threads,
    count_cpus,
    machine_resources,
    most_stripes,
)


@pytest.mark.parametrize(("cores", "threads"), [(1, 0), (2, 0), (4, 2), (6, 3), (8, 4), (64, 4)])
def test_threads_follow_the_cores(cores: int, threads: int) -> None:
    assert automatic_threads(cores)[0] == threads


def test_large_chunks_need_a_larger_cache_and_the_text_says_so() -> None:
    has = MachineResources(cores=8, memory_bytes=16 * GIB)
    assert automatic_stripes(has, 8, 64 * KIB)[0] == 256
    count, why = automatic_stripes(has, 8, MIB)
    assert count == 1024
    assert "4 stripes of 1 MiB chunks: 32 MiB with 8 disks, of 1/32 of 16 GiB memory" in why


def test_little_memory_is_named_as_the_reason() -> None:
    count, why = automatic_stripes(MachineResources(cores=1, memory_bytes=512 * MIB), 64, 64 * KIB)
    assert count == 64
    assert "all that 1/32 of 512 MiB memory allows" in why


def test_a_few_arrays_have_what_one_has_and_many_share() -> None:
    few, many = (MachineResources(cores=1, memory_bytes=4 * GIB, parity_arrays=count) for count in (4, 20))
    assert automatic_stripes(few, 16, MIB) == automatic_stripes(
        MachineResources(cores=1, memory_bytes=4 * GIB), 16, MIB
    )
    count, why = automatic_stripes(many, 16, MIB)
    assert count == 409
    assert "all that 1/160 of 4 GiB memory, because 20 parity arrays share 1/8 of it allows" in why


@given(st.integers(0, 2**42), st.lists(st.integers(1, 256), min_size=1, max_size=60), st.integers(2, 17))
def test_the_caches_never_take_more_than_their_share_but_for_the_least_md_takes(
    memory: int, arrays: list[int], power: int
) -> None:
    has, together = MachineResources(cores=1, memory_bytes=memory, parity_arrays=len(arrays)), 0
    for disks in arrays:
        count, _ = automatic_stripes(has, disks, 2**power * KIB)
        assert LEAST_STRIPES <= count <= 32768
        if count > LEAST_STRIPES:
            assert count * disks * PAGE_BYTES <= memory // MEMORY_SHARE
            together += count * disks * PAGE_BYTES
    assert together <= memory // TOGETHER


def test_only_arrays_with_parity_share_and_those_of_others_too() -> None:
    fake = FakeSystem()
    devices = [f"/dev/{disk.kernel_name}" for disk in fake.add_disks(20)]
    fake.memory_bytes = 4 * GIB
    assert machine_resources(fake).parity_arrays == 0
    for number in range(6):
        level, disks = ("raid1", devices[18:]) if number == 5 else ("raid5", devices[3 * number :][:3])
        fake.run(
            [
                "mdadm",
                "--create",
                f"/dev/md/x{number}",
                "--run",
                f"--uuid={str(number) * 32}",
                "--homehost=other",
                f"--name=x{number}",
                f"--level={level}",
                f"--raid-devices={len(disks)}",
                *disks,
            ]
        )
    has = machine_resources(fake)
    assert (has.parity_arrays, has.share) == (5, 40)
    assert most_stripes(has, 3) == 4 * GIB // 40 // (3 * PAGE_BYTES)


def test_cpus_are_counted_in_ranges() -> None:
    assert [count_cpus(text) for text in ("0", "0-3", "0-3,6,8-9", "")] == [1, 4, 7, 0]
