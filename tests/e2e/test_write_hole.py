"""The write hole of RAID5, on the kernel's own md: what it does to data, and that the partial parity log closes it.

A block is overwritten while the parity member loses its write, the members are copied as a power cut leaves them, and
the array is started again without another data disk: that disk's block, which was not written, is computed from parity.
The parity member drops only writes to the array's data: md's superblock, its bitmap and its log are before them.
Also tested: the effect of the log on flushes, on members with slow flushes.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.machines.uml import Uml

pytestmark = [pytest.mark.uml, pytest.mark.timeout(600), pytest.mark.slow]
_SET_UP = """
set -e
[ -e /proc/1 ] || mount -t proc proc /proc
[ -e /sys/block ] || mount -t sysfs sys /sys
modprobe -a raid456 dm_mod dm_flakey dm_delay
[ -e /dev/mapper/control ] || { mkdir -p /dev/mapper; mknod /dev/mapper/control c 10 236; }
"""
_CHUNK = 64
"""KiB. With three disks the first stripe has its parity on the third (left-symmetric, md's default)."""
_BEFORE_THE_CUT = """
set -e
md=/dev/md/hole; sys=/sys/block/md127/md
sectors=$(blockdev --getsz {parity})
dmsetup create --noudevsync parity --table "0 $sectors linear {parity} 0"; dmsetup mknodes
mdadm --create $md --run --force --metadata=1.2 --level=5 --raid-devices=3 --chunk={chunk} --size=32768 \
  {policy} {first} {second} /dev/mapper/parity
mdadm --wait $md || true
echo 0 >$sys/safe_mode_delay
tr '\\0' 'u' </dev/zero | dd of=$md bs=64k count=2 iflag=fullblock oflag=direct conv=fsync status=none
data=$(cat $sys/dev-dm-0/offset)
dmsetup suspend parity
dmsetup reload parity --table "0 $data linear {parity} 0
$data $((sectors - data)) flakey {parity} $data 0 3600 1 drop_writes"
dmsetup resume parity
tr '\\0' 'w' </dev/zero | dd of=$md bs=4k count=1 iflag=fullblock oflag=direct status=none
dd if={first} of={copy_first} bs=1M oflag=direct status=none
dd if={parity} of={copy_parity} bs=1M oflag=direct status=none
mdadm --stop $md; dmsetup remove --noudevsync parity
"""
_SLOW_FLUSHES = """
set -e
md=/dev/md/hole; sys=/sys/block/md127/md
for disk in {disks}; do
  sectors=$(blockdev --getsz /dev/$disk)
  dmsetup create --noudevsync slow-$disk --table "0 $sectors linear /dev/$disk 0"
done
dmsetup mknodes
mdadm --create $md --run --force --metadata=1.2 --level=5 --raid-devices=3 --chunk={chunk} --size=32768 \
  {policy} {members}
mdadm --wait $md || true
echo 0 >$sys/safe_mode_delay
dd if=/dev/zero of=$md bs=4k count=1 oflag=direct conv=fsync status=none
for disk in {disks}; do
  sectors=$(blockdev --getsz /dev/$disk)
  dmsetup suspend slow-$disk
  dmsetup reload slow-$disk --table "0 $sectors delay /dev/$disk 0 0 /dev/$disk 0 0 /dev/$disk 0 {flush_ms}"
  dmsetup resume slow-$disk
done
dd if=/dev/zero of=$md bs=4k count=1 seek=8 oflag=direct conv=fsync status=none
dmsetup status --target delay | awk '{{ busy += $NF }} END {{ print busy }}'
mdadm --stop $md >&2
for disk in {disks}; do dmsetup remove --noudevsync slow-$disk; done
"""
_AFTER_THE_CUT = """
set -e
mdadm --assemble --run {force} /dev/md/hole {copy_first} {copy_parity} >&2
echo 3 >/proc/sys/vm/drop_caches
dd if=/dev/md/hole bs=64k skip=1 count=1 iflag=direct status=none | tr -d 'u' | wc -c
mdadm --stop /dev/md/hole >&2
"""


@pytest.fixture
def machine() -> Iterator[Uml]:
    """Five disks of 48 MiB, and a shell."""
    with Uml("write-hole", disks=5, disk_mib=48, product=False, init="/bin/bash") as made:
        made.start()
        made.wait_for_shell(60.0)
        made.check(_SET_UP)
        yield made


def wrong_bytes_after_a_power_cut(machine: Uml, policy: str, force: str = "") -> int:
    """How many bytes differ in the block that was not written, after the loss of its disk."""
    first, second, parity, copy_first, copy_parity = (f"/dev/ubd{letter}" for letter in "bcdef")
    disks = {"first": first, "second": second, "parity": parity, "copy_first": copy_first, "copy_parity": copy_parity}
    machine.check(_BEFORE_THE_CUT.format(policy=policy, chunk=_CHUNK, **disks), timeout_s=120)
    shown = machine.run(_AFTER_THE_CUT.format(force=force, **disks), timeout_s=120)
    assert shown.rc == 0, shown.stdout
    return int(shown.stdout.split()[-1])


def test_a_bitmap_leaves_the_hole_open(machine: Uml) -> None:
    """md refuses to start it without force, which is right: when forced, it shows a block that was never written."""
    assert wrong_bytes_after_a_power_cut(machine, "--bitmap=internal", "--force") > 0


def test_a_partial_parity_log_closes_it_and_the_array_starts_by_itself(machine: Uml) -> None:
    assert wrong_bytes_after_a_power_cut(machine, "--bitmap=none --consistency-policy=ppl") == 0


def flushing_after_the_answer(machine: Uml, policy: str) -> int:
    """How many flushes of the members are in progress when a host's write and flush are answered.

    They take long, and the last figure of the target's status counts those that wait (drivers/md/dm-delay.c).
    """
    disks = ["ubdb", "ubdc", "ubdd"]
    members = " ".join(f"/dev/mapper/slow-{disk}" for disk in disks)
    words = {"disks": " ".join(disks), "members": members, "chunk": _CHUNK, "flush_ms": 3000}
    return int(machine.check(_SLOW_FLUSHES.format(policy=policy, **words), timeout_s=300).split()[-1])


def test_with_a_partial_parity_log_a_flush_is_answered_before_the_members_are_flushed(machine: Uml) -> None:
    """Why an array has it only while no disk has a volatile write cache: decision 0060."""
    assert flushing_after_the_answer(machine, "--bitmap=none --consistency-policy=ppl") > 0


@pytest.mark.parametrize("policy", ["--bitmap=internal", "--bitmap=none"])
def test_without_it_a_flush_waits_for_the_members(machine: Uml, policy: str) -> None:
    assert flushing_after_the_answer(machine, policy) == 0
