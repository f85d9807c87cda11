"""A server to install on: the fake machine with disks of the right sizes, and network cards with or without a cable."""

from backend.tests.fakemachine.block.devices import FakeDisk
from backend.tests.fakemachine.block.media import FakeSignature
from backend.tests.fakemachine.machine import FakeSystem
from lunette.installer.layout import MINIMUM_BYTES
from lunette.system.system_port import CommandResult


class Server(FakeSystem):
    """One disk that is large enough, one that is not, and network interfaces with or without a link."""

    CRYPTED = "$6$0123456789abcdef$" + "x" * 86
    """What the fake `openssl passwd` makes of every password."""

    def __init__(self, links: dict[str, str]) -> None:
        super().__init__()
        self.large, self.twin = self.add_disks(2, "sas", MINIMUM_BYTES)
        self.small = self.add_disks(1, "sas", MINIMUM_BYTES - 512)[0]
        self.links = links
        self.tables: dict[str, str] = {}
        self.boot_codes: dict[str, str] = {}

    def run(self, argv, *, timeout_s=60.0, stdin=None, ok=(0,)):  # type: ignore[no-untyped-def]
        if argv[0] == "openssl":
            return CommandResult(argv=tuple(argv), returncode=0, stdout=f"{self.CRYPTED}\n", stderr="")
        answers = {"blkid": self.tables, "head": self.boot_codes}
        if argv[0] in answers:
            said = answers[argv[0]].get(argv[-1], "")
            return CommandResult(argv=tuple(argv), returncode=0, stdout=said, stderr="")
        return super().run(argv, timeout_s=timeout_s, stdin=stdin, ok=ok)

    def listdir(self, path: str) -> list[str]:
        return sorted([*self.links, "lo"]) if path == "/sys/class/net" else super().listdir(path)

    def exists(self, path: str) -> bool:
        return path.split("/")[4] != "lo" if path.startswith("/sys/class/net/") else super().exists(path)

    def read(self, path: str) -> str:
        if not path.startswith("/sys/class/net/"):
            return super().read(path)
        name, attribute = path.split("/")[4:]
        return self.links[name] if attribute == "carrier" else f"52:54:00:00:00:0{sorted(self.links).index(name)}"

    def put_ext4(self, disk: FakeDisk, label: str = "precious") -> None:
        """A foreign file system, in place of what was there."""
        disk.media.signatures = [FakeSignature("ext4", 1080, label, f"uuid-{label}")]
