"""The commands that are installed on the fake machine, and which of them only look."""

from collections.abc import Callable, Sequence

from backend.tests.fakemachine.block import drives
from backend.tests.fakemachine.block import tools as block_tools
from backend.tests.fakemachine.block.devices import Blocks
from backend.tests.fakemachine.block.drives import DriveTools
from backend.tests.fakemachine.block.tools import BlockTools
from backend.tests.fakemachine.lvm import tools as lvm_tools
from backend.tests.fakemachine.lvm.groups import Lvm
from backend.tests.fakemachine.lvm.tools import LvmTools
from backend.tests.fakemachine.md.kernel import Md
from backend.tests.fakemachine.md.manage import Answer
from backend.tests.fakemachine.md.mdadm import Mdadm

LOOKING = (
    "lsblk",
    "blkid",
    "udevadm",
    "pvs",
    "vgs",
    "lvs",
    "ip",
    "status",
    "list",
    "--dry-run",
    "rdma",
    "--examine",
    "--detail",
    "--no-act",
    "info",
    "-E",
    "-D",
    "-n",
    "smartctl",
    "luksDump",
    "--test-passphrase",
    "id-ctrl",
    "id-ns",
    "list-ns",
    "ping",
    "journalctl",
)
_MIXED = ("networkctl", "mdadm", "wipefs", "zpool", "zfs", "modprobe", "rauc", "nft", "nvme", "cryptsetup", "dmsetup")
"""Commands that look or change, as one of their words says."""


class Tools:
    """Finds and runs the simulated commands."""

    def __init__(
        self, blocks: Blocks, md: Md, lvm: Lvm, half_way: Callable[[], None], now: Callable[[], float]
    ) -> None:
        mdadm, self.lvm = Mdadm(blocks, md, half_way, now), LvmTools(blocks, lvm, half_way, now)
        block_commands = BlockTools(blocks, md, half_way)
        self._commands: dict[str, Callable[[Sequence[str]], Answer]] = {"mdadm": mdadm.run}
        self._commands |= dict.fromkeys(lvm_tools.COMMANDS, self.lvm.run)
        self.raid = self.lvm.raid
        self._commands |= dict.fromkeys(block_tools.COMMANDS, block_commands.run)
        self.drives = DriveTools(blocks, half_way)
        self._commands |= dict.fromkeys(drives.COMMANDS, self.drives.run)
        self._commands["thin_check"] = lambda _argv: (0, "", "")

    def add(self, name: str, command: Callable[[Sequence[str]], Answer]) -> None:
        """Install a further command."""
        self._commands[name] = command

    def command(self, name: str) -> Callable[[Sequence[str]], Answer]:
        """What is installed under this name."""
        return self._commands[name]

    def remove(self, name: str) -> None:
        """Uninstall a command, as if its package were missing."""
        del self._commands[name]

    def find(self, name: str) -> str | None:
        return f"/usr/sbin/{name}" if name.rpartition("/")[2] in self._commands else None

    def run(self, argv: Sequence[str]) -> Answer | None:
        """Exit code, stdout, stderr; None if the command is not installed."""
        name = argv[0].rpartition("/")[2]
        command = self._commands.get(name)
        return command([name, *argv[1:]]) if command else None

    def only_looks(self, argv: Sequence[str]) -> bool:
        """True if this command line changes nothing."""
        name = argv[0].rpartition("/")[2]
        if name in LOOKING or (name == "wipefs" and "--all" not in argv and "-a" not in argv):
            return True
        if name == "ss":
            return "-K" not in argv
        return name in _MIXED and any(word in LOOKING for word in argv[1:])
