"""Turns volatile write caches of a machine's drives off, now and at every later start, by a rule of udev."""

from __future__ import annotations

from collections.abc import Sequence

from tests.e2e.waiting import wait_until
from tests.lab.appliance import Appliance

SCSI = 'ACTION=="add|change", SUBSYSTEM=="scsi_disk", ATTR{cache_type}="write through"'
"""As docs/howto/watch-disks.md shows it. The kernel sets the caching mode page of the drive (drivers/scsi/sd.c,
cache_type_store)."""
BLOCK = 'ACTION=="add|change", SUBSYSTEM=="block", KERNEL=="{}", ATTR{{queue/write_cache}}="write through"'
"""Makes the kernel take the drives for such without a cache: right only where the test loses no cache."""
_RULES = "/etc/udev/rules.d/70-write-cache.rules"


def turn_off(made: Appliance, rule: str, bus: str) -> None:
    """Returns once the appliance shows that no drive on this bus has a volatile write cache any more."""
    made.machine.check(
        f"echo '{rule}' >{_RULES} && sync && udevadm control --reload && udevadm trigger --action=change "
        "--subsystem-match=scsi_disk --subsystem-match=block && udevadm settle"
    )
    _wait_for(made, made.disk_ids(bus))


def turn_off_one(made: Appliance, disk_id: str) -> None:
    """Of one SCSI drive, until it loses power."""
    drive = f"$(basename $(readlink -e /dev/disk/by-id/{disk_id}))"
    made.machine.check(f"echo 'write through' >$(echo /sys/block/{drive}/device/scsi_disk/*)/cache_type")
    _wait_for(made, [disk_id])


def _wait_for(made: Appliance, ids: Sequence[str]) -> None:
    shown = made.client.list
    wait_until(
        "the write caches are off",
        lambda: not any(disk["observed"]["write_cache"] for disk in shown("/disks") if disk["id"] in ids),
        deadline_s=60,
    )
