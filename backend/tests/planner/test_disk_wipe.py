"""The plan that empties a disk: what it names, and everything it refuses."""

import pytest

from backend.tests import seen
from lunette.domain.disk_health import DriveReading, EraseSupport
from lunette.domain.disks import DiskWipeRequest, ObservedDisk, Transport, WipeMethod
from lunette.domain.errors import LunetteError
from lunette.domain.identity import IdentitySource
from lunette.domain.plans import Plan
from lunette.planner.disks.wipe import plan_wipe

CAN = EraseSupport(format=True, crypto=False, reaches_all=False)


def plan(disk: ObservedDisk, owner: str | None = None, *others: ObservedDisk, **spec: object) -> Plan:
    asked = {"method": WipeMethod.SIGNATURES, "confirm": disk.serial or "x"} | spec
    machine = seen.machine().model_copy(update={"disks": (disk, *others)})
    return plan_wipe(disk, DiskWipeRequest.model_validate(asked), machine, owner, IdentitySource())


def nvme(number: int = 1, erases: EraseSupport | None = CAN, **changes: object) -> ObservedDisk:
    return seen.disk(number, **changes).model_copy(update={"health": DriveReading(read_at=1.0, erases=erases)})


def test_a_wipe_says_that_the_data_stays_readable() -> None:
    made = plan(seen.disk(1, signatures=(seen.EXT4,)))
    assert [(step.kind, step.irreversible) for step in made.steps] == [("disk.wipe", True)]
    assert "stays on the disk" in made.warnings[0]
    assert "an ext4 signature (label data)" in made.changes[0].detail


def test_a_format_is_one_step_that_names_all_it_destroys() -> None:
    made = plan(nvme(), method=WipeMethod.FORMAT)
    assert [(step.kind, step.irreversible) for step in made.steps] == [("disk.erase", True)]
    assert made.steps[0].bytes_destroyed() == nvme().size_bytes


@pytest.mark.parametrize(
    ("disk", "owner", "spec", "refusal"),
    [
        (seen.disk(1), None, {"confirm": "D2"}, "it must be the serial of the disk, D1"),
        (seen.disk(1), "tank", {}, "belongs to array tank"),
        (seen.disk(1, used_by_system=True), None, {}, "carries the running system"),
        (seen.disk(1, fabric=True), None, {}, "over a fabric"),
        (seen.disk(1, mounts=("/mnt",)), None, {}, "it is mounted at /mnt"),
        (seen.disk(1, holders=("md127",)), None, {}, "md127 is built on it"),
        (seen.disk(1, is_swap=True), None, {}, "it is swap space"),
        (seen.disk(1, serial=""), None, {}, "reports no serial"),
        (seen.disk(1, signatures=(seen.MD_MEMBER,)), None, {}, "it carries linux_raid_member"),
        (seen.disk(1), None, {"method": WipeMethod.FORMAT}, "or was not queried yet"),
        (nvme(), None, {"method": WipeMethod.CRYPTO}, "does not support it"),
    ],
)
def test_what_is_refused_says_why(disk: ObservedDisk, owner: str | None, spec: dict[str, object], refusal: str) -> None:
    with pytest.raises(LunetteError, match=refusal):
        plan(disk, owner, **spec)


def test_a_superblock_of_others_is_destroyed_where_it_is_named() -> None:
    assert plan(seen.disk(1, signatures=(seen.MD_MEMBER,)), signatures=("linux_raid_member",)).steps


def test_a_format_that_reaches_a_sibling_is_refused_with_its_name() -> None:
    all_of_them = EraseSupport(format=True, crypto=True, reaches_all=True)
    first = nvme(1, all_of_them, kernel_name="nvme0n1")
    sibling = seen.disk(2, kernel_name="nvme0n2")
    with pytest.raises(LunetteError, match="is one drive with nvme-D2"):
        plan(first, None, sibling, method=WipeMethod.FORMAT)
    assert plan(first, None, seen.disk(2, kernel_name="nvme1n1"), method=WipeMethod.FORMAT).steps


@pytest.mark.parametrize("kernel_name", ["nvme0n2", "nvme1n1"])
def test_a_sanitize_is_refused_where_the_drive_has_another_namespace_on_any_controller(kernel_name: str) -> None:
    able = EraseSupport(format=True, crypto=True, reaches_all=False, sanitize_block=True)
    first = nvme(1, able, kernel_name="nvme0n1")
    twin = seen.disk(2, kernel_name=kernel_name).model_copy(update={"serial": first.serial})
    with pytest.raises(LunetteError, match="is one drive with nvme-D2"):
        plan(first, None, twin, method=WipeMethod.SANITIZE_BLOCK)
    assert plan(
        first, None, twin.model_copy(update={"serial": "S", "kernel_name": "nvme9n1"}), method=WipeMethod.SANITIZE_BLOCK
    ).steps
    assert plan(first, None, twin, method=WipeMethod.FORMAT).steps, "it formats each namespace by itself"


def test_two_sata_drives_are_distinct_but_two_units_with_one_serial_are_one() -> None:
    can = EraseSupport(sanitize_block=True)
    first, second = (
        nvme(number, can, transport=Transport.SATA, kernel_name=f"sd{letter}")
        for number, letter in ((1, "a"), (2, "b"))
    )
    made = plan(first, None, second, method=WipeMethod.SANITIZE_BLOCK)
    assert [step.kind for step in made.steps] == ["disk.erase"]
    twin = second.model_copy(update={"serial": first.serial})
    with pytest.raises(LunetteError, match="is one drive with nvme-D2"):
        plan(first, None, twin, method=WipeMethod.SANITIZE_BLOCK)
