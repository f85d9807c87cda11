"""A tool that answers oddly, or not at all, costs its own view of the machine and no other."""

import json
import threading
import time
from collections.abc import Callable, Sequence

import pytest

from backend.tests.fakemachine import FakeSystem
from backend.tests.providers.test_zfs_steps import Farm
from lunette.agent.readings import Readings
from lunette.agent.snapshot import take
from lunette.domain.arrays import ArrayEngine, ArrayState
from lunette.domain.observations import Observation, Part
from lunette.planner.engines.array_engines import hides_array
from lunette.planner.engines.volume_engines import hides_volumes
from lunette.system.system_port import CommandResult
from tests.machines.pace import deadline

Answer = tuple[int, str, str]


@pytest.fixture
def machine() -> FakeSystem:
    found = FakeSystem()
    found.add_disks(4)
    for module in ("dm_mod", "zfs"):
        found.run(["modprobe", module])
    return found


def answers(machine: FakeSystem, tool: str, answer: Callable[[Answer], Answer]) -> None:
    """Lets a tool print something else than it does."""
    real = machine.tools.command(tool)

    def run(argv: Sequence[str]) -> Answer:
        return answer(real(argv))

    machine.tools.add(tool, run)


def parts(seen: Observation) -> list[tuple[Part, str]]:
    return [(one.part, one.name) for one in seen.unread]


@pytest.mark.parametrize(
    ("stderr", "name"),
    [
        ("  Skipping clustered volume group vgc\n", "vgc"),
        ("  WARNING: locking is off\n  Cannot access VG vgc with lock type sanlock that requires lvmlockd.\n", "vgc"),
        ('  Recovery of volume group "vgc" failed.\n', "vgc"),
        ("  Error reading device /dev/sdb at 0 length 512.\n", ""),
        ("", ""),
    ],
)
@pytest.mark.parametrize("tool", ["vgs", "lvs"])
def test_a_group_that_lvm_left_out_is_reported_and_hides_nothing_else(
    machine: FakeSystem, tool: str, stderr: str, name: str
) -> None:
    answers(machine, tool, lambda reported: (5, reported[1], stderr))
    seen = take(machine)
    assert len(seen.disks) == 4
    assert parts(seen) == [(Part.LVM, name)]
    assert hides_volumes(seen, ArrayEngine.MD, "vgc")
    assert hides_volumes(seen, ArrayEngine.MD, "vg0") is (name == "")
    assert not hides_volumes(seen, ArrayEngine.ZFS, "vgc")


ADVICE = "  Consider pruning vg0 VG archive with more then 128 MiB in 9000 files (see archiving settings in lvm.conf)."
PRETTY = ["  {", '   "report": [', "    {", '     "vg": [', "     ]", "    }", "   ]", "  }"]


@pytest.mark.parametrize("at", range(9))
@pytest.mark.parametrize("line", [ADVICE, '  "vg0" has duplicate devices', "  [lvmpolld] is not running"])
def test_an_advice_before_in_or_after_the_report_is_left_out(machine: FakeSystem, at: int, line: str) -> None:
    lines = [*PRETTY[:at], line, *PRETTY[at:]]
    answers(machine, "vgs", lambda _: (0, "\n".join(lines), ""))
    assert parts(take(machine)) == []


@pytest.mark.parametrize(
    "text",
    [
        '{"report": [{"vg": [{"vg_name":"vg0", "vg_uu',
        '{"report": [{"vg": [\n{"vg_name":"vg0", WARNING: x\n]}]}',
        '{"report": [{"vg": {}}]}',
        "",
        "[]",
        "null",
    ],
)
def test_a_report_that_is_cut_short_is_not_taken_for_an_empty_one(machine: FakeSystem, text: str) -> None:
    answers(machine, "vgs", lambda _: (0, text, ""))
    assert parts(take(machine)) == [(Part.LVM, "")]


class HangingMachine(FakeSystem):
    """`vgs` hangs until it is released."""

    def __init__(self) -> None:
        super().__init__()
        self.let_go, self.asked = threading.Event(), 0

    def run(
        self, argv: Sequence[str], *, timeout_s: float = 60.0, stdin: str | None = None, ok: tuple[int, ...] = (0,)
    ) -> CommandResult:
        if argv[0] == "vgs":
            self.asked += 1
            assert self.let_go.wait(60)
        return super().run(argv, timeout_s=timeout_s, stdin=stdin, ok=ok)


def test_a_tool_that_hangs_is_waited_for_once() -> None:
    """Its part is unread until it has answered; everything else is seen at each look."""
    machine = HangingMachine()
    machine.add_disks(4)
    machine.run(["modprobe", "dm_mod"])
    readings = Readings(patience_s=0.2)
    for _ in range(3):
        seen = take(machine, readings.look())
        assert len(seen.disks) == 4
        assert parts(seen) == [(Part.LVM, "")]
        assert "did not answer within" in seen.unread[0].reason
    assert machine.asked == 1
    machine.let_go.set()
    end = deadline(60)
    while take(machine, readings.look()).unread:
        assert time.monotonic() < end
        time.sleep(0.01)


def test_an_odd_entry_of_lsblk_hides_no_other_drive(machine: FakeSystem) -> None:
    def odd(reported: Answer) -> Answer:
        document = json.loads(reported[1])
        document["blockdevices"][1]["size"] = "20G"
        return 0, json.dumps(document), ""

    answers(machine, "lsblk", odd)
    seen = take(machine)
    assert len(seen.disks) == 3
    assert [part for part, _ in parts(seen)] == [Part.DISKS]
    assert seen.hides_disks()


@pytest.mark.parametrize("is_pulled", [True, False])
def test_a_drive_that_lsblk_does_not_list_is_reported_unless_it_is_gone(machine: FakeSystem, is_pulled: bool) -> None:
    def other(reported: Answer) -> Answer:
        document = json.loads(reported[1])
        del document["blockdevices"][1]
        if is_pulled:
            machine.pull(machine.blocks.disks[1])
        return 64, json.dumps(document), ""

    answers(machine, "lsblk", other)
    seen = take(machine)
    assert len(seen.disks) == 3
    assert seen.hides_disks() is not is_pulled


@pytest.fixture
def farm() -> Farm:
    """A machine with a pool of three disks and one zvol."""
    return Farm()


def odd_pool(farm: Farm, name: str) -> None:
    """Add a foreign pool next to that of the farm, reported in an unknown form."""

    def odd(reported: Answer) -> Answer:
        document = json.loads(reported[1])
        document["pools"][name] = {"name": name, "state": "ONLINE", "pool_guid": 1, "vdevs": []}
        return 0, json.dumps(document), ""

    answers(farm.machine, "zpool", odd)


def test_one_pool_that_cannot_be_read_hides_no_other(farm: Farm) -> None:
    odd_pool(farm, "theirs")
    seen = take(farm.machine)
    assert [array.name for array in seen.arrays] == [farm.create_step.pool]
    assert len(seen.volumes) == 1
    assert parts(seen) == [(Part.ZFS, "theirs")]
    assert not hides_array(seen, ArrayEngine.ZFS, farm.create_step.pool)
    assert farm.bring_up() is None


def test_a_pool_of_ours_that_cannot_be_read_is_not_missing(farm: Farm) -> None:
    odd_pool(farm, farm.create_step.pool)
    seen = take(farm.machine)
    assert seen.arrays == ()
    assert hides_array(seen, ArrayEngine.ZFS, farm.create_step.pool)
    assert hides_volumes(seen, ArrayEngine.ZFS, farm.create_step.pool)


def test_a_suspended_pool_is_shown_and_not_waited_for(farm: Farm) -> None:
    """`zfs list` would never come back from it: the fake machine refuses to be asked."""
    farm.machine.zfs.imported[farm.create_step.pool].is_suspended = True
    farm.machine.changed()
    seen = take(farm.machine)
    assert [(array.ours, array.state) for array in seen.arrays] == [(True, ArrayState.FAILED)]
    assert parts(seen) == [(Part.ZFS, farm.create_step.pool)]
    assert "zpool clear" in seen.unread[0].reason
    assert seen.volumes == ()
    assert len(seen.disks) == len(farm.machine.blocks.disks)


def test_where_no_drive_can_be_listed_pools_are_as_zfs_says(farm: Farm) -> None:
    answers(farm.machine, "lsblk", lambda _: (1, "", "lsblk: failed to access sysfs directory: /sys/dev/block"))
    seen = take(farm.machine)
    assert (seen.disks, parts(seen)) == ((), [(Part.DISKS, "")])
    assert [array.state for array in seen.arrays] == [ArrayState.CLEAN]
