import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunette.domain.arrays import ArrayCreate, Level, WriteHole
from lunette.domain.sizes import GIB, KIB, MIB, TIB
from lunette.domain.steps import MemberDisk
from lunette.providers.arrays.md import plan

UUID = "01234567-89ab-cdef-0123-456789abcdef"
SIZES = st.integers(min_value=256 * MIB, max_value=30 * TIB)
LEVELS = st.sampled_from([facts.level for facts in plan.LEVELS])
CHUNKS = st.sampled_from([None, 4 * KIB, 64 * KIB, 512 * KIB, MIB, 8 * MIB])


def spec(level: Level = Level.RAID5, disks: int = 4, **more: object) -> ArrayCreate:
    return ArrayCreate.model_validate(
        {"name": "tank", "level": level, "disks": [f"d{n}" for n in range(disks)], **more}
    )


@given(st.lists(SIZES, min_size=1, max_size=8), CHUNKS)
def test_a_member_leaves_room_for_md_and_a_smaller_replacement(sizes: list[int], chunk: int | None) -> None:
    member = plan.member_bytes(sizes, chunk)
    assert member < min(sizes)
    assert member % MIB == 0
    assert member % (chunk or 1) == 0
    replacement = min(sizes) - min(sizes) // 1000
    assert plan.member_bytes([replacement], chunk) >= member - min(sizes) // 1000 - 2 * max(MIB, chunk or 0)
    assert min(sizes) - member <= min(sizes) // 500 + 5 * MIB + 6 * (chunk or 0) + MIB


@given(
    st.sampled_from([facts.level for facts in plan.LEVELS]),
    st.integers(min_value=1, max_value=4096),
    st.integers(min_value=4, max_value=24),
)
def test_redundancy_costs_what_it_must(level: Level, mib: int, disks: int) -> None:
    usable = plan.usable_bytes(level, mib * MIB, disks)
    lost = {Level.RAID0: 0, Level.RAID1: disks - 1, Level.RAID4: 1, Level.RAID5: 1, Level.RAID6: 2}
    if level is Level.RAID10:
        assert mib * MIB * disks // 2 - MIB < usable <= mib * MIB * disks // 2
    else:
        assert usable == mib * MIB * (disks - lost[level])


def test_raid5_closes_its_write_hole_as_far_as_ppl_reaches() -> None:
    assert plan.default_write_hole(Level.RAID5, 64) is WriteHole.PPL
    assert plan.default_write_hole(Level.RAID5, 65) is WriteHole.BITMAP
    assert plan.default_write_hole(Level.RAID6, 8) is WriteHole.BITMAP
    assert plan.default_write_hole(Level.RAID0, 8) is WriteHole.NONE


def test_a_volatile_write_cache_excludes_a_partial_parity_log() -> None:
    assert plan.default_write_hole(Level.RAID5, 4, ["d2"]) is WriteHole.BITMAP
    assert plan.problems(spec(), [GIB] * 4, ["d2"]) == ()
    (problem,) = plan.problems(spec(write_hole="ppl"), [GIB] * 4, ["d2"])
    assert (problem.field, problem.value) == ("write_hole", "ppl")
    assert "d2 has an active volatile write cache" in problem.message
    assert "use bitmap" in problem.message
    assert "and 6 more have active" in plan.no_log([f"d{number}" for number in range(10)])


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        (spec(Level.RAID5, 2), "disks"),
        (spec(Level.RAID6, 3), "disks"),
        (spec(Level.RAID1, 2, chunk_bytes=64 * KIB), "chunk_bytes"),
        (spec(chunk_bytes=96 * KIB), "chunk_bytes"),
        (spec(Level.RAID6, write_hole="ppl"), "write_hole"),
        (spec(Level.RAID0, write_hole="bitmap"), "write_hole"),
        (spec(Level.RAID5, 65, write_hole="ppl"), "write_hole"),
        (spec(Level.RAID4, 3, write_hole="ppl"), "write_hole"),
        (spec(Level.RAID5, layout="n2"), "layout"),
        (spec(Level.RAID10, 2, layout="f3"), "layout"),
    ],
)
def test_what_md_would_refuse_is_refused_with_its_field(bad: ArrayCreate, field: str) -> None:
    (problem,) = plan.problems(bad, [GIB] * len(bad.disks))
    assert problem.field == field
    assert problem.message


def test_disks_too_small_for_an_array_are_refused() -> None:
    assert [p.field for p in plan.problems(spec(), [8 * MIB, GIB, GIB, GIB])] == ["disks"]
    assert plan.problems(spec(), [256 * MIB] * 4) == ()


def test_a_step_carries_every_choice() -> None:
    members = [MemberDisk(disk_id=f"d{n}", serial=f"S{n}") for n in range(4)]
    step = plan.create_step(UUID, UUID, spec(), members, [2 * GIB, GIB, GIB, GIB])
    assert step.uuid == "0123456789abcdef0123456789abcdef"
    assert step.md_name == "a0123456789ab"
    assert step.chunk_bytes == 64 * KIB
    assert step.write_hole is WriteHole.PPL
    assert step.member_bytes == plan.member_bytes([GIB], 64 * KIB)
    assert plan.device_path(step.uuid) == "/dev/disk/by-id/md-uuid-01234567:89abcdef:01234567:89abcdef"
