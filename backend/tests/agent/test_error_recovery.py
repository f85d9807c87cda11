"""A SATA member gives a bad sector up before the kernel gives the drive up."""

import pytest

from backend.tests.fakemachine import FakeDisk
from backend.tests.fakemachine.block import drives
from backend.tests.providers.rig import Rig
from lunette.agent.disk_health import DiskHealth
from lunette.domain.arrays import Level
from lunette.domain.disk_health import ErrorRecovery
from lunette.providers.disks.inventory import observe_disks

PERIOD_S = 600.0
HELD, PATIENT = ErrorRecovery(is_limitable=True, limit_s=7.0, wait_s=30), 180


class SataRig(Rig):
    """Four SATA drives whose own attempts have no end, and what looks after them."""

    def __init__(self) -> None:
        super().__init__(disks=0)
        self.disks = self.machine.add_disks(4, "sata")
        self.health = DiskHealth(self.machine)

    def reported(self, disk: FakeDisk, after_s: float = 0.0) -> ErrorRecovery | None:
        """What is known of a drive after the next round."""
        self.machine.advance(after_s)
        self.health.reported(observe_disks(self.machine))
        self.health.round(PERIOD_S)
        found = {one.serial: one.health for one in self.health.reported(observe_disks(self.machine))}
        reading = found[disk.serial]
        assert reading is not None
        return reading.recovery

    def has(self, disk: FakeDisk, tenths: int | None) -> None:
        """What the drive itself keeps."""
        self.machine.tools.drives.health(disk).recovery_tenths = tenths

    def orders(self) -> int:
        """How often the error recovery limit of a drive was set."""
        return sum("scterc," in call.detail for call in self.machine.faults.calls)


@pytest.fixture
def rig() -> SataRig:
    return SataRig()


def test_a_member_of_a_redundant_array_gets_a_limit_once_and_the_kernel_its_own_wait(rig: SataRig) -> None:
    free = ErrorRecovery(is_limitable=True)
    assert rig.reported(rig.disks[0]) == free
    rig.do(rig.create())
    assert rig.reported(rig.disks[0]) == HELD
    assert rig.reported(rig.disks[3]) == free
    assert (rig.orders(), rig.disks[3].command_timeout_s) == (3, 30)
    rig.reported(rig.disks[0], PERIOD_S)
    assert rig.orders() == 3


def test_a_drive_that_lost_its_limit_gets_it_again_at_the_next_check(rig: SataRig) -> None:
    rig.do(rig.create())
    rig.reported(rig.disks[0])
    rig.has(rig.disks[0], 0)
    assert rig.reported(rig.disks[0], PERIOD_S) == HELD
    assert rig.machine.tools.drives.health(rig.disks[0]).recovery_tenths == 70


def test_for_a_drive_without_a_limit_the_kernel_waits_longer_than_any_drive_tries(rig: SataRig) -> None:
    bare = rig.disks[0]
    rig.has(bare, None)
    rig.do(rig.create())
    assert rig.reported(bare) == ErrorRecovery(is_limitable=False, wait_s=PATIENT)
    assert [disk.command_timeout_s for disk in rig.disks] == [PATIENT, 30, 30, 30]
    bare.command_timeout_s = 600
    assert rig.reported(bare) == ErrorRecovery(is_limitable=False, wait_s=600)


def test_without_redundancy_a_drive_may_try_as_long_as_it_likes(rig: SataRig) -> None:
    rig.do(rig.create(Level.RAID0))
    assert rig.reported(rig.disks[0]) == ErrorRecovery(is_limitable=True, wait_s=PATIENT)
    assert rig.orders() == 0


def test_a_drive_that_refuses_is_queried_again_later(rig: SataRig, monkeypatch: pytest.MonkeyPatch) -> None:
    rig.do(rig.create())
    monkeypatch.setattr(drives, "_limit", lambda *_: (4, "{}", ""))
    assert rig.reported(rig.disks[0]) == ErrorRecovery(is_limitable=False, wait_s=PATIENT)
    tried = rig.orders()
    rig.reported(rig.disks[0], 1)
    assert rig.orders() == tried
    monkeypatch.undo()
    assert rig.reported(rig.disks[0], PERIOD_S) == HELD


def test_a_limit_longer_than_the_wait_does_not_apply(rig: SataRig) -> None:
    rig.has(rig.disks[0], 1200)
    rig.do(rig.create(Level.RAID0))
    assert rig.reported(rig.disks[0]) == ErrorRecovery(is_limitable=True, limit_s=120.0, wait_s=PATIENT)


def test_a_drive_that_sleeps_is_not_woken_for_it(rig: SataRig) -> None:
    rig.reported(rig.disks[0])
    rig.do(rig.create())
    rig.machine.tools.drives.health(rig.disks[0]).is_asleep = True
    assert rig.reported(rig.disks[0], PERIOD_S) == ErrorRecovery(is_limitable=True)
    assert rig.orders() == 2


def test_drives_of_other_kinds_have_none(rig: SataRig) -> None:
    (sas,) = rig.machine.add_disks(1, "sas")
    assert rig.reported(sas) is None
    assert sas.command_timeout_s == 30
