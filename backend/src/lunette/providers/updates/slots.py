"""The two slots of an installed appliance, as GRUB's menu tells them on the kernel command line.

lunette.slots=UUID,UUID   of slot a and b: of file system, partition (one disk) and mirror (two disks)
lunette.efi=XXXX-XXXX     serial number of the EFI file systems, one a disk
rauc.slot=a               the slot that runs
lunette.trial             it is started once, to see whether it is healthy
"""

import uuid

from lunette.domain.base import Model
from lunette.domain.updates import SLOTS, Slot, other
from lunette.providers.reading import reader
from lunette.system.system_port import System

NAMES = SLOTS
FORMAT = ("-O", "^metadata_csum_seed,^orphan_file,^has_journal", "-m", "0")
"""How mke2fs makes a slot: without what GRUB does not know."""
CMDLINE = "/proc/cmdline"
DATA = "/run/live/data"
"""Where the initrd of an installed system mounts the data partition."""


class Slots(Model):
    """An installed appliance."""

    running: Slot
    on_trial: bool
    uuids: tuple[uuid.UUID, uuid.UUID]
    efi: str
    mirrored: bool

    def device(self, slot: Slot) -> str:
        """The device of a slot, by a name that is the same after every start."""
        name = self.uuids[SLOTS.index(slot)]
        if self.mirrored:
            return f"/dev/disk/by-id/md-uuid-{md_uuid(name)}"
        return f"/dev/disk/by-partuuid/{name}"

    @property
    def idle(self) -> Slot:
        """The idle slot."""
        return other(self.running)


def md_uuid(name: uuid.UUID) -> str:
    """A UUID as mdadm writes it: four times eight digits."""
    return ":".join(name.hex[start : start + 8] for start in range(0, 32, 8))


def find(system: System) -> Slots | None:
    """The slots of this machine; None if it was not started from an installed disk."""
    try:
        return parse(system.read(CMDLINE))
    except OSError:
        return None


@reader("/proc/cmdline")
def parse(cmdline: str) -> Slots | None:
    """The slots in a kernel command line, None if it has none."""
    words = cmdline.split()
    named = dict(word.split("=", 1) for word in words if "=" in word)
    running = named.get("rauc.slot")
    uuids = named.get("lunette.slots", "").split(",")
    if running not in SLOTS or len(uuids) != len(SLOTS) or "lunette.efi" not in named:
        return None
    return Slots.model_validate(
        {
            "running": running,
            "on_trial": "lunette.trial" in words,
            "uuids": uuids,
            "efi": named["lunette.efi"],
            "mirrored": named.get("root", "").startswith("MD="),
        }
    )
