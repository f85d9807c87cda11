"""Plans for arrays: what is chosen, and every reason to refuse, naming the disk, the value and the rule."""

import itertools
import uuid
from typing import Any

import pytest

from backend.tests import seen
from lunette.domain.arrays import ArrayCreate, Level, WriteHole
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import Conflict, InUse, Invalid, LunetteError
from lunette.domain.identity import IdentitySource
from lunette.domain.observations import Observation
from lunette.domain.plans import Action
from lunette.domain.sizes import GIB, MIB
from lunette.domain.steps import DiskWipe, GroupCreate, MdCreate, PoolCreate
from lunette.planner.arrays import creation
from lunette.planner.arrays.creation import NewArray
from lunette.providers.arrays.md import plan as md

FOUR = ("nvme-D1", "nvme-D2", "nvme-D3", "nvme-D4")


SPREAD = 0x9E3779B97F4A7C15F39CC0605CEDC835
"""An odd number: its multiples differ in the leading digits, which names are made of."""


def identities() -> IdentitySource:
    counter = itertools.count(1)
    return IdentitySource(lambda: uuid.UUID(int=next(counter) * SPREAD % 2**128))


def spec(**changes: Any) -> ArrayCreate:
    return ArrayCreate(**({"name": "tank", "level": Level.RAID5, "disks": FOUR} | changes))


def plan(asked: ArrayCreate, machine: Observation | None = None, owners: dict[str, str] | None = None) -> NewArray:
    return creation.plan_create(asked, machine or seen.machine(), False, owners or {}, identities())


def with_disk(number: int, **changes: Any) -> Observation:
    disks: list[ObservedDisk] = [seen.disk(n, **(changes if n == number else {})) for n in range(1, 9)]
    return seen.machine(disks=tuple(disks))


def refused(
    error: type[LunetteError], asked: ArrayCreate, machine: Observation | None = None, **owners: str
) -> list[tuple[str, str | None, str]]:
    with pytest.raises(error) as refusal:
        plan(asked, machine, {key.replace("_", "-"): value for key, value in owners.items()})
    assert "was not created" in refusal.value.detail
    return [(problem.field, problem.value, problem.message) for problem in refusal.value.errors]


def test_the_planner_makes_every_choice() -> None:
    new = plan(spec())
    assert [type(step) for step in new.plan.steps] == [MdCreate, GroupCreate]
    assert new.made.engine_name == md.md_name(new.id)
    assert new.made.chunk_bytes == 64 * 1024
    assert new.made.write_hole is WriteHole.PPL
    assert [member.disk_id for member in new.members] == list(FOUR)
    assert [member.serial for member in new.members] == ["D1", "D2", "D3", "D4"]
    assert new.plan.steps[0].devices() == FOUR
    assert new.made.group is not None
    assert new.made.group.array_uuid == new.made.uuid
    assert new.made.size_bytes == 3 * new.made.member_bytes
    assert new.plan.bytes_destroyed() == 0


def test_a_volatile_write_cache_means_a_bitmap_and_the_plan_says_why() -> None:
    cache = with_disk(3, write_cache=True)
    new = plan(spec(), cache)
    assert new.made.write_hole is WriteHole.BITMAP
    assert any("cache is active on nvme-D3" in warning for warning in new.plan.warnings)
    ((field, value, message),) = refused(Invalid, spec(write_hole=WriteHole.PPL), cache)
    assert (field, value) == ("write_hole", "ppl")
    assert "nvme-D3 has an active volatile write cache" in message
    mirror = plan(spec(level=Level.RAID1), cache)
    assert not any("cache" in warning for warning in mirror.plan.warnings), "only a partial parity log is affected"


def test_a_smaller_replacement_still_fits() -> None:
    member = plan(spec()).made.member_bytes
    assert 10 * GIB - 200 * MIB < member <= 10 * GIB - 10 * MIB


def test_a_link_of_a_disk_is_as_good_as_its_id() -> None:
    new = plan(spec(disks=("nvme-eui.1", *FOUR[1:])))
    assert new.plan.steps[0].devices()[0] == "nvme-D1"


def test_an_unknown_disk_is_named() -> None:
    ((field, value, message),) = refused(Invalid, spec(disks=(*FOUR, "nvme-none")))
    assert (field, value) == ("disks[4]", "nvme-none")
    assert "disk nvme-none was not found" in message


def test_a_disk_named_twice_is_refused_under_any_of_its_names() -> None:
    ((field, value, message),) = refused(Invalid, spec(disks=(*FOUR, "nvme-eui.1")))
    assert (field, value) == ("disks[4]", "nvme-eui.1")
    assert "listed twice" in message


def test_a_disk_of_another_array_is_a_conflict_even_with_wipe() -> None:
    asked = spec(wipe=("nvme-D1",))
    ((field, value, message),) = refused(Conflict, asked, nvme_D1="pool1")
    assert (field, value) == ("disks[0]", "nvme-D1")
    assert "belongs to array pool1" in message


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"signatures": (seen.EXT4,)}, "it carries an ext4 signature (label data)"),
        ({"signatures": (seen.GPT,), "partitions": 2}, "it carries a gpt signature; it has 2 partitions"),
        ({"signatures": (seen.MD_MEMBER,)}, "it carries a linux_raid_member signature (label lunette:a1)"),
        ({"partitions": 1}, "it has 1 partition"),
    ],
)
def test_a_disk_that_is_not_blank_is_refused_naming_disk_and_signature(changes: dict[str, Any], words: str) -> None:
    ((field, value, message),) = refused(InUse, spec(), with_disk(2, **changes))
    assert (field, value) == ("disks[1]", "nvme-D2")
    assert "disk nvme-D2" in message
    assert words in message
    assert "List it in wipe" in message


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"mounts": ("/srv",), "signatures": (seen.EXT4,)}, "it is mounted at /srv; it carries an ext4"),
        ({"is_swap": True}, "it is swap space"),
        ({"holders": ("dm-3",)}, "dm-3 is built on it"),
    ],
)
def test_a_disk_that_is_in_use_is_refused_even_with_wipe(changes: dict[str, Any], words: str) -> None:
    ((field, value, message),) = refused(InUse, spec(wipe=("nvme-D2",)), with_disk(2, **changes))
    assert (field, value) == ("disks[1]", "nvme-D2")
    assert words in message


def test_the_disk_of_the_system_is_never_taken() -> None:
    machine = with_disk(1, used_by_system=True, signatures=(seen.GPT,), partitions=2)
    ((field, _, message),) = refused(InUse, spec(wipe=FOUR), machine)
    assert field == "disks[0]"
    assert "carries the running system" in message


def test_a_disk_behind_a_fabric_is_never_taken() -> None:
    ((field, _, message),) = refused(Invalid, spec(wipe=FOUR), with_disk(1, fabric=True))
    assert field == "disks[0]"
    assert "attached over a fabric" in message


def test_an_explicit_wipe_is_accepted_and_the_plan_lists_it() -> None:
    machine = with_disk(2, signatures=(seen.EXT4,))
    new = plan(spec(wipe=("nvme-D2", "nvme-D3")), machine)
    assert [type(step) for step in new.plan.steps] == [DiskWipe, MdCreate, GroupCreate]
    wipe = new.plan.steps[0]
    assert isinstance(wipe, DiskWipe)
    assert (wipe.disk_id, wipe.serial, wipe.signatures) == ("nvme-D2", "D2", (seen.EXT4,))
    assert new.plan.bytes_destroyed() == 10 * GIB
    lost = [change for change in new.plan.changes if change.action is Action.DESTROY]
    assert [(change.noun, change.name) for change in lost] == [("disk", "nvme-D2")]
    assert "ext4" in lost[0].detail


def test_a_wipe_of_a_disk_that_is_not_used_is_refused() -> None:
    ((field, value, _),) = refused(Invalid, spec(wipe=("nvme-D7",)))
    assert (field, value) == ("wipe[0]", "nvme-D7")


def test_mixed_sector_sizes_are_refused_naming_the_odd_disk() -> None:
    ((field, value, message),) = refused(Invalid, spec(), with_disk(3, logical_block_bytes=4096))
    assert (field, value) == ("disks", "nvme-D3")
    assert "512 and 4096" in message


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"disks": FOUR[:2]}, "disks"),
        ({"level": Level.RAID6, "disks": FOUR[:3]}, "disks"),
        ({"level": Level.RAID1, "chunk_bytes": 65536}, "chunk_bytes"),
        ({"chunk_bytes": 65536 + 4096}, "chunk_bytes"),
        ({"level": Level.RAID6, "write_hole": WriteHole.PPL}, "write_hole"),
        ({"level": Level.RAID0, "write_hole": WriteHole.BITMAP}, "write_hole"),
        ({"level": Level.RAIDZ1}, "level"),
        ({"name": "3f0c2b46-5b0c-4e0e-9d0b-1f2a3b4c5d6e"}, "name"),
    ],
)
def test_what_the_engine_does_not_offer_is_refused_by_field(changes: dict[str, Any], field: str) -> None:
    assert [problem[0] for problem in refused(Invalid, spec(**changes))] == [field]


def test_a_taken_name_is_a_conflict() -> None:
    with pytest.raises(Conflict) as refusal:
        creation.plan_create(spec(), seen.machine(), True, {}, identities())
    assert [(p.field, p.value) for p in refusal.value.errors] == [("name", "tank")]


def test_an_engine_whose_tool_is_missing_is_refused_with_the_reason() -> None:
    machine = seen.machine(engines=(md.capability("mdadm is not installed"), *seen.machine().engines[1:]))
    ((field, _, message),) = refused(Invalid, spec(), machine)
    assert field == "engine"
    assert "mdadm is not installed" in message


def test_all_problems_are_reported_at_once_and_the_gravest_decides() -> None:
    machine = with_disk(2, signatures=(seen.EXT4,))
    problems = refused(Invalid, spec(disks=("nope", *FOUR), wipe=("nvme-D8",)), machine, nvme_D1="pool1")
    assert [problem[0] for problem in problems] == ["disks[0]", "wipe[0]", "disks[1]", "disks[2]"]


def test_different_sizes_and_no_redundancy_are_warned_about() -> None:
    machine = with_disk(1, size_bytes=20 * GIB)
    new = plan(spec(level=Level.RAID0), machine)
    assert any("remains unused" in warning for warning in new.plan.warnings)
    assert any("no redundancy" in warning for warning in new.plan.warnings)


def test_a_pool_is_planned_without_a_group_and_under_a_guid_of_the_plan() -> None:
    new = plan(spec(engine="zfs", level=Level.RAIDZ1))
    (create,) = new.plan.steps
    assert isinstance(create, PoolCreate)
    assert (new.made.uuid, new.made.group_name, new.made.group) == (create.guid, create.pool, None)
    assert 0 < int(create.guid) < 2**64
    assert (create.ashift, create.level, new.made.write_hole) == (12, Level.RAIDZ1, WriteHole.COPY_ON_WRITE)
    assert new.made.member_bytes < 10 * GIB


def test_a_pool_is_planned_with_disks_for_each_role() -> None:
    auxiliary: dict[str, Any] = {
        "log": ("nvme-D4", "nvme-D5"),
        "cache": ("nvme-D6",),
        "special": ("nvme-D7", "nvme-D8"),
    }
    new = plan(spec(engine="zfs", level=Level.MIRROR, disks=("nvme-D1", "nvme-D2"), **auxiliary))
    (create,) = new.plan.steps
    assert isinstance(create, PoolCreate)
    found = {role.field: tuple(one.disk_id for one in members) for role, members in create.by_role().items() if members}
    assert found == {"disks": ("nvme-D1", "nvme-D2"), **auxiliary}
    assert [role.value for role in new.roles] == ["data"] * 2 + ["log"] * 2 + ["cache"] + ["special"] * 2
    bare = plan(spec(engine="zfs", level=Level.MIRROR, disks=("nvme-D1", "nvme-D2")))
    assert new.made.size_bytes == bare.made.size_bytes, "what stands beside the data disks is no room for volumes"
    assert "with 2 log disks, 1 cache disk, 2 special disks" in new.plan.changes[-1].detail
    assert any("can never be removed" in warning for warning in new.plan.warnings)


def test_a_log_of_one_disk_is_made_and_says_what_may_be_lost_with_it() -> None:
    (warning,) = plan(spec(engine="zfs", level=Level.RAIDZ2, log=("nvme-D5",))).plan.warnings
    assert "during a power failure" in warning


@pytest.mark.parametrize(
    ("level", "special", "needed"),
    [
        (Level.RAIDZ1, 1, 2),
        (Level.RAIDZ2, 2, 3),
        (Level.MIRROR, 3, 4),
        (Level.STRIPE, 1, None),
        (Level.RAIDZ1, 2, None),
    ],
)
def test_special_disks_are_at_least_as_redundant_as_the_data(level: Level, special: int, needed: int | None) -> None:
    """Losing them loses the pool, and zpool itself is run with -f, so it would not refuse them."""
    asked = spec(engine="zfs", level=level, special=tuple(f"nvme-D{5 + n}" for n in range(special)))
    if needed is None:
        assert plan(asked).plan.steps
        return
    ((field, value, message),) = refused(Invalid, asked)
    assert (field, value) == ("special", str(special))
    assert f"a mirror of {needed} special disks is required" in message


def test_a_special_disk_that_is_too_small_is_named_by_its_field() -> None:
    small = tuple(seen.disk(n, **({"size_bytes": 64 * MIB} if n == 5 else {})) for n in range(1, 6))
    asked = spec(engine="zfs", level=Level.STRIPE, special=("nvme-D5",))
    assert [problem[0] for problem in refused(Invalid, asked, seen.machine(disks=small))] == ["special"]


def test_a_draid_is_planned_with_groups_that_suit_volumes_and_a_distributed_spare() -> None:
    eight = tuple(f"nvme-D{n}" for n in range(1, 9))
    (create,) = plan(spec(engine="zfs", level=Level.DRAID2, disks=eight)).plan.steps
    assert isinstance(create, PoolCreate)
    assert create.layout == "draid2:4d:8c:1s"
    assert "draid2:4d:8c:1s" in create.describe()
    own = spec(engine="zfs", level=Level.DRAID1, disks=eight, group_data_disks=2, distributed_spares=0)
    (chosen,) = plan(own).plan.steps
    assert isinstance(chosen, PoolCreate)
    assert chosen.layout == "draid1:2d:8c:0s"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"level": Level.DRAID2, "group_data_disks": 4}, "group_data_disks"),
        ({"level": Level.DRAID1, "distributed_spares": 9}, "distributed_spares"),
        ({"level": Level.DRAID3}, "disks"),
        ({"level": Level.RAIDZ1, "group_data_disks": 2}, "group_data_disks"),
        ({"level": Level.RAIDZ1, "distributed_spares": 1}, "distributed_spares"),
    ],
)
def test_what_does_not_fit_a_draid_is_refused_by_field(changes: dict[str, Any], field: str) -> None:
    assert [problem[0] for problem in refused(Invalid, spec(engine="zfs", **changes))] == [field]


def test_md_has_no_disks_besides_members_and_spares() -> None:
    ((field, _, message),) = refused(Invalid, spec(log=("nvme-D5",)))
    assert (field, message) == ("log", "an array of engine md does not support log disks: omit log")


def test_one_disk_has_one_role() -> None:
    ((field, _, message),) = refused(Invalid, spec(engine="zfs", level=Level.RAIDZ1, cache=("nvme-D1",)))
    assert field == "cache[0]"
    assert "listed twice (also as disks[0])" in message


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"level": Level.RAID5}, "level"),
        ({"level": Level.RAIDZ3}, "disks"),
        ({"level": Level.MIRROR, "chunk_bytes": 65536}, "chunk_bytes"),
        ({"level": Level.MIRROR, "write_hole": WriteHole.PPL}, "write_hole"),
        ({"level": Level.STRIPE, "spares": ("nvme-D5",)}, "spares"),
        ({"level": Level.MIRROR, "sync_speed_max_bytes_s": 2**20}, "sync_speed_max_bytes_s"),
    ],
)
def test_what_zfs_does_not_offer_is_refused_by_field(changes: dict[str, Any], field: str) -> None:
    assert [problem[0] for problem in refused(Invalid, spec(engine="zfs", **changes))] == [field]


def test_a_pool_of_small_disks_is_refused() -> None:
    small = tuple(seen.disk(n, size_bytes=64 * MIB) for n in range(1, 5))
    ((field, _, message),) = refused(Invalid, spec(engine="zfs", level=Level.MIRROR), seen.machine(disks=small))
    assert field == "disks"
    assert "too small for a pool" in message
