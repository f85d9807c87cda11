"""Two of SPDK's programs on this machine: the target as our unit starts it, and another that is its host.

Nothing here needs root or hugepages. The devices are files; their attributes in sysfs are simulated.
"""

import base64
import re
import shutil
import signal
import struct
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from lunette.domain.errors import ToolFailed
from lunette.providers.exports.spdk import process
from lunette.system import jsonrpc
from lunette.system.local import LocalSystem
from lunette.system.system_port import RpcCall

UNIT = Path(__file__).parents[2] / "image/server/usr/lib/systemd/system/lunette-spdk.service"
START_S = 120.0
"""A busy machine."""
BLOCK = 512
needed = pytest.mark.skipif(
    shutil.which("nvmf_tgt") is None, reason="SPDK is not packaged by Debian: no nvmf_tgt is on the path"
)


class Refused(Exception):
    """The program refused a request."""


class Program:
    """nvmf_tgt with a socket in a folder of its own."""

    def __init__(self, folder: Path, *options: str) -> None:
        folder.mkdir(mode=0o700)
        self.folder, self._options = folder, options
        self.start()

    def start(self) -> None:
        path = shutil.which("nvmf_tgt")
        assert path
        with (self.folder / "log").open("ab") as log:
            # each in a session of its own: a kill must reach no other process
            self._process = subprocess.Popen([path, *self._options], stdout=log, stderr=log, start_new_session=True)
        deadline = time.monotonic() + START_S
        while not self._is_ready():
            if self._process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"nvmf_tgt did not start: {(self.folder / 'log').read_text()[-2000:]}")
            time.sleep(0.2)

    def _is_ready(self) -> bool:
        """It listens before it answers."""
        try:
            return process.answers(LocalSystem(), str(self.folder))
        except ToolFailed:
            return False

    def ask(self, method: str, **params: Any) -> Any:
        """One request. Raises Refused."""
        answer = jsonrpc.call(process.socket_in(str(self.folder)), [RpcCall(method=method, params=params)], 60)[0]
        if answer.error is not None:
            raise Refused(f"{method}: {answer.error}")
        return answer.result

    def kill(self) -> None:
        """As a fault does: it leaves its socket behind."""
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()


def target_options(folder: Path) -> list[str]:
    """The command line of our unit, with another socket, and on cores that other programs share."""
    line = re.search(r"^ExecStart=nvmf_tgt (.*)$", UNIT.read_text(), re.MULTILINE)
    assert line
    return [*line[1].replace(process.RUN_DIR, str(folder)).split(), "--disable-cpumask-locks"]


class Initiator(Program):
    """A host: SPDK's own initiator, asked by its RPCs."""

    def __init__(self, folder: Path) -> None:
        options = f"-r {process.socket_in(str(folder))} -m 0x1 --no-huge -s 512 --no-pci --iova-mode va"
        super().__init__(folder, *options.split(), "--disable-cpumask-locks")

    def connect(self, host: str, subsystem: str, port: int, **keys: str) -> list[str]:
        """Names of the disks it sees behind a subsystem. Raises Refused."""
        found: list[str] = self.ask(
            "bdev_nvme_attach_controller",
            name="seen",
            trtype="TCP",
            adrfam="ipv4",
            traddr="127.0.0.1",
            trsvcid=str(port),
            subnqn=subsystem,
            hostnqn=host,
            **keys,
        )
        return found

    def discover(self, host: str, port: int, *, waits: bool = True) -> list[str]:
        """The subsystems that discovery tells a host of; it waits for ever if there are none."""
        self.ask(
            "bdev_nvme_start_discovery",
            name="found",
            trtype="TCP",
            adrfam="ipv4",
            traddr="127.0.0.1",
            trsvcid=str(port),
            hostnqn=host,
            wait_for_attach=waits,
        )
        time.sleep(0 if waits else 5)
        reported = self.ask("bdev_nvme_get_controllers")
        self.ask("bdev_nvme_stop_discovery", name="found")
        return [one["ctrlrs"][0]["trid"]["subnqn"] for one in reported]

    def disconnect(self) -> None:
        self.ask("bdev_nvme_detach_controller", name="seen")

    def disks(self) -> dict[str, dict[str, Any]]:
        return {one["name"]: one for one in self.ask("bdev_get_bdevs")}

    def add_key(self, name: str, secret: str) -> str:
        path = self.folder / f"{name}.key"
        path.write_text(secret)
        path.chmod(0o600)
        self.ask("keyring_file_add_key", name=name, path=str(path))
        return name

    def read(self, nsid: int, block: int) -> bytes:
        return self._send("io", "c2h", _command(0x02, nsid, block & 0xFFFFFFFF, 0, 0), data_len=BLOCK)

    def write(self, nsid: int, block: int, data: bytes) -> None:
        self._send("io", "h2c", _command(0x01, nsid, block & 0xFFFFFFFF, 0, 0), data=_encoded(data))

    def flush(self, nsid: int) -> None:
        self._send("io", "c2h", _command(0x00, nsid, 0, 0, 0), data_len=BLOCK)

    def identity(self, nsid: int) -> dict[int, bytes]:
        """The identifiers of a namespace by their type: 2 is the NGUID, 3 the UUID (NVMe Base 2.0, figure 277)."""
        reported = self._send("admin", "c2h", _command(0x06, nsid, 0x03, 0, 0), data_len=4096)
        found, at = {}, 0
        while reported[at + 1]:
            found[reported[at]] = reported[at + 4 : at + 4 + reported[at + 1]]
            at += 4 + reported[at + 1]
        return found

    def features(self) -> tuple[int, int]:
        """ONCS and FUSES of Identify Controller."""
        reported = self._send("admin", "c2h", _command(0x06, 0, 0x01, 0, 0), data_len=4096)
        oncs, fuses = struct.unpack_from("<HH", reported, 520)
        return oncs, fuses

    def _send(self, kind: str, direction: str, command: bytes, **data: Any) -> bytes:
        answer = self.ask(
            "bdev_nvme_send_cmd", name="seen", cmd_type=kind, data_direction=direction, cmdbuf=_encoded(command), **data
        )
        status = struct.unpack("<IIHHHH", _decoded(answer["cpl"]))[5] >> 1
        if status:
            raise Refused(f"status {status:#x}")
        return _decoded(answer["data"]) if "data" in answer else b""


def _command(opcode: int, nsid: int, dword10: int, dword11: int, dword12: int) -> bytes:
    """A submission queue entry without its data pointer."""
    return (
        struct.pack("<BBHI", opcode, 0, 0, nsid)
        + bytes(32)
        + struct.pack("<III", dword10, dword11, dword12)
        + bytes(12)
    )


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode()


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text)


class FileSystem(LocalSystem):
    """This machine, with files in the place of devices."""

    def __init__(self) -> None:
        self.write_cache: dict[str, str] = {}

    def is_block_device(self, path: str) -> bool:
        return Path(path).is_file()

    def is_held(self, device: str) -> bool:
        return False

    def read(self, path: str) -> str:
        if not path.startswith("/sys/class/block/"):
            return super().read(path)
        name, _, attribute = path.removeprefix("/sys/class/block/").partition("/")
        found = next(file for file in self.files if file.name == name)
        reported = {
            "size": str(found.stat().st_size // 512),
            "queue/logical_block_size": str(BLOCK),
            "queue/write_cache": self.write_cache.get(name, "write through"),
        }
        if attribute not in reported:
            raise FileNotFoundError(path)
        return reported[attribute]

    files: tuple[Path, ...] = ()
