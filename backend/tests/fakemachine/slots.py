"""An installed appliance: two slots, GRUB with the choice on the EFI file systems of its disks, and RAUC.

GRUB does here what `providers.updates.choice.MENU` tells the real one; tests/e2e/test_update.py starts that one.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from backend.tests.fakemachine.files.plain import Files
from backend.tests.fakemachine.files.views import Tree, put
from backend.tests.fakemachine.md.manage import Answer
from backend.tests.fakemachine.tools import Tools

UUIDS = ("be6c4aa9-2a45-4c47-bfd9-590c9c7b95e8", "405e6600-2b59-47d5-94c0-083532fa0262")
EFI = "5DCB-62A1"
CHOICE = "boot/grub/choice"
_FRESH = b"# GRUB Environment Block\ngood=a\ntrial=\ntried=\ncount=0\n".ljust(1024, b"#")


class Machine(Protocol):
    """What of the machine this needs."""

    files: Files
    tools: Tools

    def changed(self) -> None: ...


def bundle(version: str, *, compatible: str = "lunette-x86_64", fault: str = "") -> bytes:
    """The content of a bundle; `fault` is what RAUC says against it."""
    return json.dumps({"compatible": compatible, "version": version, "fault": fault}).encode()


@dataclass
class FakeSlots:
    """The system disks. Made, it has started slot a."""

    machine: Machine
    disks: int = 1
    running: str = "a"
    on_trial: bool = False
    versions: dict[str, str | None] = field(default_factory=lambda: {"a": "1.0", "b": None})
    efi: dict[str, bytes] = field(default_factory=dict)
    """Content of the choice by device; what is mounted is a file for that time."""
    unloadable: set[str] = field(default_factory=set)
    """Slots that GRUB cannot load."""
    _mounted: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.efi = {f"/dev/nvme9{number}n1p2": _FRESH for number in range(self.disks)}
        tools, files = self.machine.tools, self.machine.files
        before = tools.command("lsblk")
        tools.add("lsblk", lambda argv: self._lsblk(argv) if argv[-1] == "NAME,UUID,FSTYPE" else before(argv))
        for name, run in {"mount": self._mount, "umount": self._umount, "rauc": self._rauc}.items():
            tools.add(name, run)
        for path in ("/run/live/medium/live/.keep", "/var/lib/lunette/api/updates/.keep", "/run/.keep"):
            files.seed(path, b"")
        self.boot()

    def add_to(self, tree: Tree) -> None:
        trial = "lunette.trial " if self.on_trial else ""
        words = f"lunette.slots={','.join(UUIDS)} lunette.efi={EFI} rauc.slot={self.running} {trial}quiet\n"
        put(tree, "/proc/cmdline", f"root=UUID={UUIDS[self.running == 'b']} {words}")

    def boot(self) -> None:
        """GRUB reads the choice of the first disk, and writes there what it starts for once."""
        device, block = next(iter(self.efi.items()))
        words = dict(line.split("=", 1) for line in block.decode().splitlines() if "=" in line)
        good, trial = words["good"], words["trial"]
        chosen, self.on_trial = good, False
        if trial:
            self.efi[device] = block.replace(
                f"trial={trial}\ntried={words['tried']}\n".encode(), f"trial=\ntried={trial}\n".encode()
            ).ljust(1024, b"#")[:1024]
            chosen, self.on_trial = trial, True
        if chosen in self.unloadable or self.versions[chosen] is None:
            chosen, self.on_trial = ("b" if chosen == "a" else "a"), False
        self.running = chosen
        self.machine.files.seed("/run/live/medium/live/version", f"{self.versions[chosen]}\n".encode())
        self.machine.changed()

    def _lsblk(self, _argv: Sequence[str]) -> Answer:
        found = [{"name": name, "uuid": EFI, "fstype": "vfat"} for name in self.efi]
        return 0, json.dumps({"blockdevices": [*found, {"name": "/dev/sdz", "uuid": None, "fstype": None}]}), ""

    def _mount(self, argv: Sequence[str]) -> Answer:
        device, folder = argv[-2], argv[-1]
        if device not in self.efi:
            return 32, "", f"mount: {folder}: special device {device} does not exist.\n"
        self.machine.files.seed(f"{folder}/{CHOICE}", self.efi[device])
        self._mounted[folder] = device
        return 0, "", ""

    def _umount(self, argv: Sequence[str]) -> Answer:
        device = self._mounted.pop(argv[-1])
        path = f"{argv[-1]}/{CHOICE}"
        self.efi[device] = self.machine.files.read(path)
        self.machine.files.unlink(path)
        return 0, "", ""

    def _rauc(self, argv: Sequence[str]) -> Answer:
        said = json.loads(self.machine.files.read(argv[-1]))
        if said["fault"]:
            return 1, "", f"{said['fault']}\n"
        if argv[1] == "info":
            return 0, json.dumps(said), ""
        self.versions["a" if self.running == "b" else "b"] = said["version"]
        return 0, "", ""
