"""Writing an array's sealed copy: killed anywhere, failing anywhere, done twice, and never on what is not ours."""

import base64
import contextlib
import datetime as dt

import pytest

from backend.tests.fakemachine import Crash, FakeSystem
from backend.tests.fakemachine.faults import When
from backend.tests.providers.rig import Rig
from lunette.domain.errors import Conflict, LunetteError, NoSpace, NotFound
from lunette.domain.sealed_copies import SLOT_BYTES, CopyHeader, FoundCopy, SealOrder
from lunette.domain.steps import GroupCreate, GroupRemove
from lunette.providers.arrays.md.observe import observe_arrays
from lunette.providers.disks.inventory import observe_disks
from lunette.providers.volumes.lvm import observe, parse, sealed_copy
from lunette.providers.volumes.lvm.group import remove
from lunette.providers.volumes.lvm.plan import COPY_NAME


@pytest.fixture
def group() -> tuple[FakeSystem, GroupCreate]:
    rig = Rig()
    create = rig.create()
    rig.do(create)
    group = rig.group(create)
    rig.do(group)
    return rig.machine, group


def order(group: GroupCreate, content: bytes, generation: int = 1) -> SealOrder:
    header = CopyHeader(
        generation=generation,
        written_at=dt.datetime(2026, 11, 1, tzinfo=dt.UTC),
        array_uuid=group.array_uuid,
        appliance_id="abc",
        appliance="box",
        version="1",
        schema_revision="0009",
    )
    return SealOrder(group=group.group, header=header, content=base64.b64encode(content).decode())


def read(machine: FakeSystem) -> FoundCopy:
    [array] = observe_arrays(machine, observe_disks(machine))
    return sealed_copy.read(machine, array, degraded=False)


def content(machine: FakeSystem) -> bytes | None:
    found = read(machine)
    return base64.b64decode(found.content) if found.header else None


def test_the_newest_copy_is_read_and_the_array_has_its_generation(group: tuple[FakeSystem, GroupCreate]) -> None:
    machine, made = group
    assert content(machine) is None
    assert sealed_copy.write(machine, order(made, b"one")) == 1
    assert sealed_copy.write(machine, order(made, b"two")) == 2, "whoever writes does not know what is there"
    assert sealed_copy.write(machine, order(made, b"three", 40)) == 40
    assert content(machine) == b"three"
    machine.reboot()
    assert content(machine) == b"three"


def struck(written: int, number: int, when: When, *, kills: bool) -> bool:
    """One run with a fault at the call `number`; False once the write has fewer calls."""
    rig = Rig()
    create = rig.create()
    rig.do(create)
    made = rig.group(create)
    rig.do(made)
    machine = rig.machine
    for count in range(written):
        sealed_copy.write(machine, order(made, b"old%d" % count))
    before, strike = content(machine), machine.faults.crash_at if kills else machine.faults.fail_at
    calls = len(machine.faults.calls)
    strike(number, when)
    with contextlib.suppress(Crash, LunetteError, OSError):
        sealed_copy.write(machine, order(made, b"new"))
    done = len(machine.faults.calls) - calls
    machine.faults.disarm()
    machine.reboot()
    assert content(machine) in (before, b"new")
    sealed_copy.write(machine, order(made, b"newer"))
    assert content(machine) == b"newer"
    return done >= number


@pytest.mark.parametrize("when", list(When))
@pytest.mark.parametrize("kills", [True, False])
@pytest.mark.parametrize("written", [0, 1, 2])
def test_whatever_strikes_leaves_the_copy_before_or_the_new_one(written: int, when: When, *, kills: bool) -> None:
    """At each call to the machine. Writing again then succeeds."""
    number = 1
    while struck(written, number, when, kills=kills):
        number += 1
    assert number > 3


def test_the_copy_is_not_a_volume_and_is_removed_with_its_group(group: tuple[FakeSystem, GroupCreate]) -> None:
    machine, made = group
    sealed_copy.write(machine, order(made, b"one"))
    pools, volumes = parse.observed(observe.observe_groups(machine, {}))
    assert (len(pools), volumes) == (1, ())
    step = GroupRemove(
        array_id=made.array_id, array_uuid=made.array_uuid, group=made.group, extent_bytes=made.extent_bytes
    )
    assert remove(machine, step) is not None
    assert observe.find_group(machine, made.group) is None


def test_what_is_not_ours_is_not_written_to(group: tuple[FakeSystem, GroupCreate]) -> None:
    machine, made = group
    with pytest.raises(Conflict, match="not that of array"):
        sealed_copy.write(machine, order(made.model_copy(update={"array_uuid": "0" * 32}), b"x"))
    with pytest.raises(NotFound):
        sealed_copy.write(machine, order(made.model_copy(update={"group": "other"}), b"x"))
    machine.run(["lvcreate", "-y", "--name", COPY_NAME, "--size", "8388608b", made.group])
    with pytest.raises(Conflict, match="does not carry the mark"):
        sealed_copy.write(machine, order(made, b"x"))


def test_a_full_array_and_a_copy_that_is_too_large_are_refused(group: tuple[FakeSystem, GroupCreate]) -> None:
    machine, made = group
    with pytest.raises(Conflict, match="do not fit"):
        sealed_copy.write(machine, order(made, b"x" * SLOT_BYTES))
    machine.run(["lvremove", "-y", f"{made.group}/{COPY_NAME}"])
    known = observe.find_group(machine, made.group)
    assert known is not None
    machine.run(["lvcreate", "-y", "--name", "all", "--size", f"{known.free_bytes}b", made.group])
    with pytest.raises(NoSpace):
        sealed_copy.write(machine, order(made, b"x"))
