"""The agent sees the rest of the machine, whatever one tool or one file of the kernel's says."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.tests import odd_output
from backend.tests.exploring import explored, fixed
from backend.tests.fakemachine import FakeSystem
from backend.tests.providers.rig import VOLUME_ID, Rig
from backend.tests.providers.test_zfs_steps import pool_step
from lunette.agent import counters, foreign
from lunette.agent.snapshot import take
from lunette.domain.errors import LunetteError
from lunette.domain.observations import Observation
from lunette.domain.sizes import MIB
from lunette.planner.engines.array_engines import hides_array
from lunette.providers.volumes.zvol import plan as zvol
from lunette.system.system_port import CommandResult

TOOLS = ("lsblk", "wipefs", "vgs", "lvs", "pvs", "zpool", "zfs", "mdadm", "ip", "networkctl", "dcb")
FILES = ("/sys/block", "/sys/class", "/proc", "/sys/kernel/config", "/sys/module")
FEW, MANY = 2, 500


class OddSystem:
    """A machine of which one tool, or one tree of the kernel's files, answers oddly; the rest is as it is."""

    def __init__(self, real: FakeSystem, odd: str, data: st.DataObject) -> None:
        self._real, self._odd, self._data = real, odd, data

    def __getattr__(self, name: str) -> object:
        return getattr(self._real, name)

    def run(self, argv: Sequence[str], **more: object) -> CommandResult:
        reported = self._real.run(argv, **more)  # type: ignore[arg-type]
        if argv[0] != self._odd:
            return reported
        return reported.model_copy(update={"stdout": self._data.draw(odd_output.odd(reported.stdout))})

    def read(self, path: str) -> str:
        text = self._real.read(path)
        return self._data.draw(odd_output.odd(text)) if path.startswith(self._odd) else text


@pytest.fixture(scope="module")
def machine() -> FakeSystem:
    """A pool with a zvol and an md array with a volume."""
    rig = Rig(8)
    rig.volume()
    pool = pool_step(rig, rig.disks[4:7]).model_copy(update={"array_id": VOLUME_ID})
    rig.do(pool)
    (cut,) = zvol.cut_steps(pool.pool, [(VOLUME_ID, 64 * MIB)])
    rig.do(cut)
    rig.machine.plug_rdma("rxe0")
    return rig.machine


def observed(system: object) -> Observation:
    """What the agent observes. Counters and foreign objects are read too; their errors are ignored."""
    seen = take(system)  # type: ignore[arg-type]
    for look in (counters.take, foreign.observe):
        try:
            look(system, None)  # type: ignore[arg-type]
        except (LunetteError, OSError):
            continue
    return seen


def check(machine: FakeSystem, odd: str, data: st.DataObject) -> None:
    """Nothing is missing unless it is reported as hidden, and no disk with content is blank."""
    before, seen = take(machine), observed(OddSystem(machine, odd, data))
    there = {array.uuid for array in seen.arrays}
    for array in before.arrays if odd in TOOLS else ():
        assert array.uuid in there or hides_array(seen, array.engine, array.uuid, array.name)
    devices = {disk.device: disk for disk in seen.disks}
    for disk in before.disks if odd in TOOLS else ():
        if disk.device not in devices:
            assert seen.hides_disks()
        elif disk.occupation():
            assert devices[disk.device].occupation()


@pytest.mark.parametrize("odd", [*TOOLS, *FILES])
def test_what_is_odd_hides_nothing_else(machine: FakeSystem, odd: str) -> None:
    @fixed(f"machine {odd}", FEW)
    @given(data=st.data())
    def property_(data: st.DataObject) -> None:
        check(machine, odd, data)

    property_()


@pytest.mark.slow
@pytest.mark.parametrize("odd", [*TOOLS, *FILES])
def test_what_is_odd_hides_nothing_else_explored(machine: FakeSystem, odd: str) -> None:
    @explored(f"machine {odd}", MANY)
    @given(data=st.data())
    def property_(data: st.DataObject) -> None:
        check(machine, odd, data)

    property_()
