"""RAUC itself writes a slot: a real bundle, real partitions, and the choice on two EFI file systems.

The kernel must be the appliance's: RAUC 1.13 does not read what dm-verity says since Linux 6.19, and user-mode Linux is
newer. A file mounted over /proc/cmdline says that the machine was started from a disk with two slots; GRUB and the
initrd are tested in test_boot_choice.py and test_update.py.
"""

from __future__ import annotations

import base64
import json
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.machines.images import update_bundle
from tests.machines.model import CommandResult
from tests.machines.qemu import Qemu

pytestmark = [pytest.mark.qemu, pytest.mark.slow, pytest.mark.iso, pytest.mark.timeout(1500)]

UUIDS = ("be6c4aa9-2a45-4c47-bfd9-590c9c7b95e8", "405e6600-2b59-47d5-94c0-083532fa0262")
EFI = "5DCB-62A1"
VERSION, BUNDLE = "77.1.0", "0" * 32
WORDS = f"root=UUID={UUIDS[0]} lunette.slots={','.join(UUIDS)} lunette.efi={EFI} rauc.slot=a quiet"
DISKS = ("/dev/nvme0n1", "/dev/nvme1n1")
SET_UP = f"""\
set -e
for disk in {" ".join(DISKS)}; do
    sgdisk --clear --new=2:0:+40M --typecode=2:ef00 --new=3:0:+200M --new=4:0:+200M $disk >/dev/null
done
sgdisk --partition-guid=3:{UUIDS[0]} --partition-guid=4:{UUIDS[1]} {DISKS[0]} >/dev/null
udevadm settle
for disk in {" ".join(DISKS)}; do
    mkfs.vfat -i {EFI.replace("-", "")} ${{disk}}p2 >/dev/null
    mount -t vfat ${{disk}}p2 /mnt
    mkdir -p /mnt/boot/grub
    cp /run/choice /mnt/boot/grub/choice
    umount /mnt
done
udevadm trigger --settle --subsystem-match=block
mkdir -p /run/live/medium/live /usr/lib/lunette/updates /var/lib/lunette/api/updates
echo 1.0 > /run/live/medium/live/version
echo '{WORDS}' > /run/cmdline
mount --bind /run/cmdline /proc/cmdline
"""
WRITE = f"""\
import sys
from lunette.system.local import LocalSystem
from lunette.domain.errors import LunetteError
from lunette.domain.steps import SlotWrite
from lunette.providers.updates import run
step = SlotWrite(bundle_id="{BUNDLE}", slot="b", version="{VERSION}", replaces=None)
try:
    print(run.write(LocalSystem(), step))
    print(run.observe(LocalSystem()).model_dump_json())
except LunetteError as error:
    sys.exit(error.detail + " | " + error.log)
"""
CHOICE = "from lunette.providers.updates.choice import Choice; import sys; sys.stdout.buffer.write(Choice().encode())"
B = f"{DISKS[0]}p4"
PYTHON = "/opt/lunette/bin/python3"


@pytest.fixture(scope="module")
def machine() -> Iterator[Qemu]:
    with Qemu("slots", nvme=2, disk_mib=512) as made:
        made.start()
        made.wait_for_shell(900)
        made.check(f"{PYTHON} -c {shlex.quote(CHOICE)} > /run/choice", timeout_s=300)
        made.check(SET_UP, timeout_s=600)
        yield made


def put(machine: Qemu, bundle: Path, change: str = "true") -> None:
    """Lay a bundle where the API would, with the certificate of the builder; `change` may damage it ($f)."""
    target = f"/var/lib/lunette/api/updates/{BUNDLE}.raucb"
    certificate = bundle.parent.parent / "signing/cert.pem"
    for file, path in ((certificate, "/usr/lib/lunette/updates/keyring.pem"), (bundle, target)):
        text = base64.encodebytes(file.read_bytes()).decode()
        machine.check(f"base64 -d > {path} <<'CONTENT'\n{text}CONTENT", timeout_s=300)
    machine.check(f"f={target}; {change}")


def write(machine: Qemu) -> CommandResult:
    return machine.run([PYTHON, "-c", WRITE], timeout_s=900)


def choices(machine: Qemu) -> list[str]:
    """The words on both EFI file systems."""
    look = "mount -t vfat -o ro ${d}p2 /mnt; head -5 /mnt/boot/grub/choice | tail -4 | xargs; umount /mnt"
    return machine.check(f"for d in {' '.join(DISKS)}; do {look}; done").splitlines()


def test_a_damaged_bundle_is_found_before_the_slot_is_written(machine: Qemu) -> None:
    put(machine, update_bundle(VERSION, "--empty"), "printf X | dd of=$f bs=1 seek=5000 conv=notrunc status=none")
    refused = write(machine)
    assert refused.rc != 0
    assert "the bundle was not written: its content was changed" in refused.stdout
    assert machine.run(f"blkid {B} -o value -s TYPE").stdout.strip() == ""


def test_a_bundle_is_written_to_the_other_slot_and_is_not_started_by_that(machine: Qemu) -> None:
    put(machine, update_bundle(VERSION, "--empty"))
    done = write(machine)
    assert done.rc == 0, done.stdout
    seen = json.loads(done.stdout.splitlines()[-1])
    assert (seen["running"], seen["next"], seen["versions"]) == ("a", "a", ["1.0", VERSION])
    assert machine.check(f"blkid {B} -o value -s UUID").strip() == UUIDS[1], "GRUB looks for it by this"
    held = machine.check(f"mount -t ext4 -o ro {B} /mnt; cat /mnt/live/version; umount /mnt")
    assert held.strip() == VERSION
    assert choices(machine)[0] == choices(machine)[1]
