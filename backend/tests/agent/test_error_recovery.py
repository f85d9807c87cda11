"""A SATA member gives a bad sector up before the kernel gives the drive up."""

import pytest

from backend.tests.fakemachine import FakeDisk
from backend.tests.fakemachine.block import drives
from backend.tests.providers.shop import Shop
from lunette.agent.disk_health import DiskHealth
from lunette.domain.arrays import Level
from lunette.domain.disk_health import ErrorRecovery
from lunette.providers.disks.inventory import observe_disks

PERIOD_S = 600.0
HELD, PATIENT = ErrorRecovery(is_limitable=True, limit_s=7.0, wait_s=30), 180


class SataShop(Shop):
    """Four SATA drives whose own attempts have no end, and what looks after them."""

    def __init__(self) -> None:
        super().__init__(disks=0)
        self.disks = self.machine.add_disks(4, "sata")
        self.health = DiskHealth(self.machine)

    def told(self, disk: FakeDisk, after_s: float = 0.0) -> ErrorRecovery | None:
        """What is known of a drive after the next round."""
        self.machine.advance(after_s)
        self.health.told(observe_disks(self.machine))
        self.health.round(PERIOD_S)
        found = {one.serial: one.health for one in self.health.told(observe_disks(self.machine))}
        reading = found[disk.serial]
        assert reading is not None
        return reading.recovery

    def has(self, disk: FakeDisk, tenths: int | None) -> None:
        """What the drive itself keeps."""
        self.machine.tools.drives.health(disk).recovery_tenths = tenths

    def orders(self) -> int:
        """How often a drive was told when to give up."""
        return sum("scterc," in call.detail for call in self.machine.faults.calls)


@pytest.fixture
def shop() -> SataShop:
    return SataShop()


def test_a_member_of_a_redundant_array_gets_a_limit_once_and_the_kernel_its_own_wait(shop: SataShop) -> None:
    free = ErrorRecovery(is_limitable=True)
    assert shop.told(shop.disks[0]) == free
    shop.do(shop.create())
    assert shop.told(shop.disks[0]) == HELD
    assert shop.told(shop.disks[3]) == free
    assert (shop.orders(), shop.disks[3].command_timeout_s) == (3, 30)
    shop.told(shop.disks[0], PERIOD_S)
    assert shop.orders() == 3


def test_a_drive_that_forgot_its_limit_gets_it_again_at_the_next_look(shop: SataShop) -> None:
    shop.do(shop.create())
    shop.told(shop.disks[0])
    shop.has(shop.disks[0], 0)
    assert shop.told(shop.disks[0], PERIOD_S) == HELD
    assert shop.machine.tools.drives.health(shop.disks[0]).recovery_tenths == 70


def test_for_a_drive_without_a_limit_the_kernel_waits_longer_than_any_drive_tries(shop: SataShop) -> None:
    bare = shop.disks[0]
    shop.has(bare, None)
    shop.do(shop.create())
    assert shop.told(bare) == ErrorRecovery(is_limitable=False, wait_s=PATIENT)
    assert [disk.command_timeout_s for disk in shop.disks] == [PATIENT, 30, 30, 30]
    bare.command_timeout_s = 600
    assert shop.told(bare) == ErrorRecovery(is_limitable=False, wait_s=600)


def test_without_redundancy_a_drive_may_try_as_long_as_it_likes(shop: SataShop) -> None:
    shop.do(shop.create(Level.RAID0))
    assert shop.told(shop.disks[0]) == ErrorRecovery(is_limitable=True, wait_s=PATIENT)
    assert shop.orders() == 0


def test_a_drive_that_refuses_is_given_time_instead_and_asked_again_later(
    shop: SataShop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.do(shop.create())
    monkeypatch.setattr(drives, "_limit", lambda *_: (4, "{}", ""))
    assert shop.told(shop.disks[0]) == ErrorRecovery(is_limitable=False, wait_s=PATIENT)
    tried = shop.orders()
    shop.told(shop.disks[0], 1)
    assert shop.orders() == tried
    monkeypatch.undo()
    assert shop.told(shop.disks[0], PERIOD_S) == HELD


def test_a_limit_longer_than_the_wait_is_none(shop: SataShop) -> None:
    shop.has(shop.disks[0], 1200)
    shop.do(shop.create(Level.RAID0))
    assert shop.told(shop.disks[0]) == ErrorRecovery(is_limitable=True, limit_s=120.0, wait_s=PATIENT)


def test_a_drive_that_sleeps_is_not_woken_for_it(shop: SataShop) -> None:
    shop.told(shop.disks[0])
    shop.do(shop.create())
    shop.machine.tools.drives.health(shop.disks[0]).is_asleep = True
    assert shop.told(shop.disks[0], PERIOD_S) == ErrorRecovery(is_limitable=True)
    assert shop.orders() == 2


def test_drives_of_other_kinds_have_none(shop: SataShop) -> None:
    (sas,) = shop.machine.add_disks(1, "sas")
    assert shop.told(sas) is None
    assert sas.command_timeout_s == 30
