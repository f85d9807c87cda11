"""Disks of an existing pool other than data disks: what may be added, what may be removed, and every refusal."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from backend.tests import seen
from backend.tests.planner.test_array_changes import refused
from lunette.domain.array_changes import ArrayAddDisks, ArrayDiskChoice, ArrayReplace
from lunette.domain.arrays import ArrayEngine, MemberRole, ObservedMember
from lunette.domain.errors import Conflict, InUse, Invalid
from lunette.domain.observations import Observation
from lunette.domain.plans import Plan
from lunette.domain.sizes import GIB
from lunette.domain.steps import DiskWipe, MemberDisk, PoolAdd, PoolAddSpecial, PoolReplace, PoolTakeOut
from lunette.planner.checks.checker import Bounds, faults
from lunette.planner.engines.known_array import KnownArray
from lunette.planner.engines.zfs import changes as planner

GUID = "77"
ROLES = {"d": MemberRole.DATA, "l": MemberRole.LOG, "c": MemberRole.CACHE, "s": MemberRole.SPECIAL}


def known(roles: str) -> KnownArray:
    """Disks 1, 2, 3 … with the roles of these letters."""
    members = tuple(MemberDisk(disk_id=f"nvme-D{n}", serial=f"D{n}") for n in range(1, len(roles) + 1))
    return KnownArray(
        id="id",
        name="tank",
        state="ready",
        engine=ArrayEngine.ZFS,
        uuid=GUID,
        group="g",
        size_bytes=GIB,
        members=members,
        level="raidz1",
        roles={f"nvme-D{n}": ROLES[role] for n, role in enumerate(roles, 1)},
    )


def machine(
    roles: str, level: str = "raidz1", lost: Sequence[int] = (), disks: dict[int, dict[str, Any]] | None = None
) -> Observation:
    members = tuple(
        ObservedMember(
            disk_id=f"nvme-D{n}",
            device="/dev/x",
            state="missing" if n in lost else "in_sync",
            role=ROLES[role],
            slot=n - 1 if role == "d" else None,
        )
        for n, role in enumerate(roles, 1)
    )
    facts: dict[str, Any] = {
        "engine": ArrayEngine.ZFS,
        "level": level,
        "members": members,
        "disk_bytes": 9 * GIB,
        "raid_disks": roles.count("d"),
        "name": "g",
    }
    held = {"holders": ("g",), "partitions": 2, "array_uuid": GUID}
    taken = dict.fromkeys(range(1, len(roles) + 1), held)
    found = tuple(
        seen.disk(n, **{**taken.get(n, {}), **(disks or {}).get(n, {})}) for n in range(1, 11) if n not in lost
    )
    return seen.machine(disks=found, arrays=(seen.array(GUID, ()).model_copy(update=facts),))


def add(roles: str, role: str, *numbers: int, look: Observation | None = None, wipe: tuple[str, ...] = ()) -> Plan:
    ids = tuple(f"nvme-D{n}" for n in numbers)
    spec = ArrayAddDisks.model_validate({"role": role, "disks": ids, "wipe": wipe})
    look = look or machine(roles)
    plan = planner.plan_add_disks(known(roles), spec, look, {})
    assert not [*faults(plan, look, Bounds(wipe=frozenset(wipe)))]
    return plan


def remove(roles: str, number: int, **changes: Any) -> Plan:
    return planner.plan_remove(known(roles), ArrayDiskChoice(disk=f"nvme-D{number}"), machine(roles, **changes))


def test_a_first_log_is_a_vdev_of_its_own_and_a_further_disk_joins_its_mirror() -> None:
    (first,) = add("ddd", "log", 7).steps
    assert isinstance(first, PoolAdd)
    assert (first.beside, [m.disk_id for m in first.members]) == (None, ["nvme-D7"])
    plan = add("dddl", "log", 7)
    (second,) = plan.steps
    assert isinstance(second, PoolAdd)
    assert second.beside == MemberDisk(disk_id="nvme-D4", serial="D4")
    assert plan.warnings == ()
    assert "as a mirror of disk nvme-D4" in second.describe()


def test_a_log_of_one_disk_is_warned_about() -> None:
    assert "during a power failure" in add("ddd", "log", 7).warnings[0]
    assert add("ddd", "log", 7, 8).warnings == ()


def test_cache_disks_are_added_however_many_there_are() -> None:
    (step,) = add("dddcc", "cache", 7, 8).steps
    assert isinstance(step, PoolAdd)
    assert step.beside is None


def test_special_disks_stay_and_are_as_redundant_as_the_data() -> None:
    plan = add("ddd", "special", 7, 8)
    (step,) = plan.steps
    assert isinstance(step, PoolAddSpecial)
    assert step.irreversible
    assert "can never be removed" in plan.warnings[0]
    assert "a mirror of 2 special disks is required" in refused(Invalid, lambda: add("ddd", "special", 7))


def test_a_further_special_disk_joins_the_mirror_and_can_be_undone() -> None:
    (step,) = add("dddss", "special", 7).steps
    assert isinstance(step, PoolAdd)
    assert step.beside is not None
    remove("dddsss", 6)


def test_a_special_disk_that_holds_the_redundancy_stays() -> None:
    words = refused(InUse, lambda: remove("dddss", 5))
    assert "holds metadata" in words
    assert "the last special disks of a pool with raidz cannot be removed" in words
    assert "raidz" not in refused(InUse, lambda: remove("ddss", 3, level="mirror"))


def test_a_mirror_does_not_grow_without_end_or_alongside_what_is_lost() -> None:
    assert "can have up to 4 disks and already has 4" in refused(Invalid, lambda: add("dddllll", "log", 8))
    look = machine("dddl", lost=[4])
    assert "none of its log disks works" in refused(Conflict, lambda: add("dddl", "log", 7, look=look))


def test_what_joins_a_mirror_is_as_large_and_a_log_of_its_own_needs_little() -> None:
    small = {7: {"size_bytes": GIB}}
    assert add("ddd", "log", 7, look=machine("ddd", disks=small)).steps
    look = machine("dddl", disks=small)
    assert "use a larger disk" in refused(Invalid, lambda: add("dddl", "log", 7, look=look))


def test_a_used_disk_is_wiped_only_if_it_is_named_and_one_in_use_never() -> None:
    used = machine("ddd", disks={7: {"signatures": (seen.EXT4,)}})
    assert "wipe" in refused(InUse, lambda: add("ddd", "cache", 7, look=used))
    plan = add("ddd", "cache", 7, look=used, wipe=("nvme-D7",))
    assert [type(step) for step in plan.steps] == [DiskWipe, PoolAdd]
    mounted = machine("ddd", disks={7: {"mounts": ("/data",)}})
    assert "in use" in refused(InUse, lambda: add("ddd", "cache", 7, look=mounted, wipe=("nvme-D7",)))


def test_sector_sizes_are_not_mixed() -> None:
    look = machine("ddd", disks={7: {"logical_block_bytes": 4096}})
    assert "4096-byte sectors" in refused(Invalid, lambda: add("ddd", "log", 7, look=look))


def test_log_and_cache_disks_leave_and_data_disks_do_not() -> None:
    (step,) = remove("dddlc", 5).steps
    assert isinstance(step, PoolTakeOut)
    assert (step.role, step.member.disk_id) == (MemberRole.CACHE, "nvme-D5")
    assert "take longer" in remove("dddlc", 4).warnings[0]
    assert "a single disk" in remove("dddll", 4).warnings[0]
    assert "replace it" in refused(InUse, lambda: remove("dddlc", 1))


def test_a_missing_cache_disk_is_removed_too() -> None:
    plan = remove("dddc", 4, lost=[4])
    assert "keeps its content" in plan.changes[0].detail


def test_a_log_disk_is_replaced_by_one_as_large_and_a_cache_disk_is_not_replaced() -> None:
    spec = ArrayReplace(disk="nvme-D4", new="nvme-D7")
    (step,) = planner.plan_replace(known("dddl"), spec, machine("dddl"), {}).steps
    assert isinstance(step, PoolReplace)
    assert step.disk_bytes < 10 * GIB
    words = refused(Invalid, lambda: planner.plan_replace(known("dddc"), spec, machine("dddc"), {}))
    assert "remove it and add another" in words


def test_records_of_before_there_were_roles_are_data_disks() -> None:
    bare = dataclasses.replace(known("ddd"), roles={})
    spec = ArrayReplace(disk="nvme-D1", new="nvme-D7")
    (step,) = planner.plan_replace(bare, spec, machine("ddd"), {}).steps
    assert isinstance(step, PoolReplace)
    assert step.disk_bytes == 9 * GIB
