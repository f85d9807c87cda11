"""Hosts with the kernel's NVMe/TCP initiator (nvme-cli), in a QEMU guest outside the appliance.

    with NvmeInitiator("hosts") as hosts:
        hosts.connect(subsystem, appliance.forward(4420), "nqn.2014-08.org.nvmexpress:uuid:…", DhChap("DHHC-1:…"))
        device = hosts.namespaces(subsystem)[1]
        hosts.write_pattern(device, seed=7, blocks=512)
        hosts.disconnect(subsystem)

User-mode Linux has no NVMe/TCP. One guest plays many hosts: the kernel takes a host name with every connection. It
reaches the appliance's port through QEMU's gateway, so it connects directly: a discovery log would name an address
that leads nowhere from here. The guest has no systemd, so nothing but the kernel itself reconnects.
"""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Self, TypeVar

from tests.initiators.block_io import IN_GUEST, BlockIo, put_program
from tests.machines.model import MachineError
from tests.machines.pace import deadline
from tests.machines.qemu import Qemu

_Seen = TypeVar("_Seen")
GATEWAY = "10.0.2.2"
_CONNECT_TIMEOUT_S = 180.0
_KILLED = (124, 137)
"""What timeout(1) says of a command it ended."""
_DEADLINE_S = 120.0
_ADMIN_TIMEOUT = "/sys/module/nvme_core/parameters/admin_timeout"
_SET_UP = f"""
set -e
mount -t proc proc /proc; mount -t sysfs sys /sys
mkdir -p {IN_GUEST} /run/logs
modprobe -a virtio_net nvme-tcp
id=$(cat /proc/sys/kernel/random/uuid); mkdir -p /etc/nvme
echo "$id" > /etc/nvme/hostid; echo "nqn.2014-08.org.nvmexpress:uuid:$id" > /etc/nvme/hostnqn
ip link set lo up; ip address add 10.0.2.15/24 dev eth0; ip link set eth0 up; ip route add default via {GATEWAY}
"""
_LOOK = """
import json, os
def read(path):
    try:
        return open(path).read().strip()
    except OSError:
        return ""
top = "/sys/class/nvme-subsystem"
found = {}
for name in os.listdir(top) if os.path.isdir(top) else ():
    at = f"{top}/{name}"
    inside = os.listdir(at)
    heads = [n for n in inside if read(f"/sys/block/{n}/nsid")]
    paths = [n for n in inside if read(f"{at}/{n}/state")]
    found[read(f"{at}/subsysnqn")] = {
        "devices": {read(f"/sys/block/{n}/nsid"): f"/dev/{n}" for n in heads},
        "states": [read(f"{at}/{n}/state") for n in paths],
    }
print(json.dumps(found))
"""


class ConnectFailed(Exception):
    """The subsystem refused the connection or was not there; the text is nvme-cli's own."""


@dataclass(frozen=True)
class DhChap:
    """Keys as `nvme gen-dhchap-key` prints them: the host's, and the one it asks of the appliance."""

    secret: str
    mutual_secret: str | None = None


class NvmeHosts(BlockIo):
    """nvme-cli in a guest. It reaches the appliance over `nvme_transport` at `address`."""

    nvme_transport = "tcp"
    address = GATEWAY

    def way_to(self, port: int) -> list[str]:
        """The address of the appliance, as arguments of nvme-cli."""
        return ["-a", self.address, "-s", str(port)]

    def new_key(self) -> str:
        """A fresh key."""
        return self.machine.check(["nvme", "gen-dhchap-key", "-m", "0"]).strip()

    def connect(self, subsystem: str, port: int, host: str, keys: DhChap | None = None, loss_s: int = 900) -> None:
        """Connect through a port at `address`. Raises ConnectFailed, and MachineError where it never came to an end.

        For `loss_s` the kernel tries to come back, every two seconds, before it gives the disks up.
        """
        argv = ["nvme", "connect", "-t", self.nvme_transport, *self.way_to(port), "-n", subsystem, "-q", host]
        argv += [f"--hostid={host.rpartition(':')[2]}", "--reconnect-delay=2", f"--ctrl-loss-tmo={loss_s}"]
        if keys is not None:
            argv.append(f"--dhchap-secret={keys.secret}")
            if keys.mutual_secret is not None:
                argv.append(f"--dhchap-ctrl-secret={keys.mutual_secret}")
        result = self.machine.run(shlex.join(argv), timeout_s=_CONNECT_TIMEOUT_S)
        if result.rc in _KILLED:
            raise MachineError(f"{host} to {subsystem}: no answer within {_CONNECT_TIMEOUT_S:.0f} s")
        if result.rc != 0:
            raise ConnectFailed(f"{host} to {subsystem}: {result.stdout.strip()}")

    @contextmanager
    def waiting_at_most(self, seconds: int) -> Iterator[None]:
        """For so long hosts wait for the answer to an administrative command, in place of the kernel's 60 s.

        Where a key is wrong, Linux 6.12's target says so and closes the connection, from two threads: now and then the
        answer is never sent, and the host asks three times more.
        """
        usual = self.machine.check(["cat", _ADMIN_TIMEOUT]).strip()
        self.machine.check(f"echo {seconds} > {_ADMIN_TIMEOUT}")
        try:
            yield
        finally:
            self.machine.check(f"echo {usual} > {_ADMIN_TIMEOUT}")

    def discovered(self, port: int, host: str) -> set[str]:
        """What discovery reports to a host: subsystems by NQN, and other portals as address:port."""
        argv = ["nvme", "discover", "-t", self.nvme_transport, *self.way_to(port), "-q", host, "-o", "json"]
        reported = self.machine.check([*argv, f"--hostid={host.rpartition(':')[2]}"], timeout_s=_CONNECT_TIMEOUT_S)
        records = json.loads(reported[reported.index("{") :])["records"] if "{" in reported else []
        subsystems = {str(one["subnqn"]) for one in records if one["subtype"] == "nvme subsystem"}
        others = [one for one in records if "referral" in one["subtype"]]
        return subsystems | {f"{one['traddr'].strip()}:{one['trsvcid'].strip()}" for one in others}

    def connect_all(self, port: int, host: str) -> None:
        """Connect to all that discovery reports to a host, also at the portals of its referrals."""
        argv = ["nvme", "connect-all", "-t", self.nvme_transport, *self.way_to(port), "-q", host]
        self.machine.check([*argv, f"--hostid={host.rpartition(':')[2]}"], timeout_s=_CONNECT_TIMEOUT_S)

    def disconnect(self, subsystem: str) -> None:
        self.machine.check(["nvme", "disconnect", "-n", subsystem], timeout_s=_CONNECT_TIMEOUT_S)

    def states(self, subsystem: str) -> list[str]:
        """What the kernel says of each connection: live, connecting, …; [] once it has given the subsystem up."""
        return list(self._look().get(subsystem, {"states": []})["states"])

    def namespaces(self, subsystem: str, expected: set[int] | None = None) -> dict[int, str]:
        """Device path by namespace id; with `expected`, waits until it is those that are there."""
        found = self._namespaces(subsystem)
        if expected is not None:
            found = self.wait_until(
                f"{subsystem} has namespaces {sorted(expected)}",
                lambda: self._namespaces(subsystem),
                lambda seen: set(seen) == expected,
            )
        return found

    def wait_live(self, subsystem: str, deadline_s: float = _DEADLINE_S) -> None:
        """Wait until the kernel's own reconnect succeeded."""
        self.wait_until(
            f"{subsystem} is live", lambda: self.states(subsystem), lambda seen: seen == ["live"], deadline_s
        )

    def wait_until(
        self, what: str, look: Callable[[], _Seen], is_right: Callable[[_Seen], bool], deadline_s: float = _DEADLINE_S
    ) -> _Seen:
        """The first look that is right. Raises MachineError with the last one."""
        end = deadline(deadline_s)
        while True:
            found = look()
            if is_right(found):
                return found
            if time.monotonic() > end:
                raise MachineError(f"not within {deadline_s:.0f} s: {what}; last seen: {found!r}")
            time.sleep(1.0)

    def _namespaces(self, subsystem: str) -> dict[int, str]:
        devices = self._look().get(subsystem, {"devices": {}})["devices"]
        return {int(nsid): path for nsid, path in devices.items()}

    def _look(self) -> dict[str, dict[str, dict[str, str]]]:
        found: dict[str, dict[str, dict[str, str]]] = json.loads(self.machine.check(["python3", "-c", _LOOK]))
        return found


class NvmeInitiator(NvmeHosts):
    """The guest; ports are those of this machine's loopback."""

    machine: Qemu

    def __init__(self, name: str, cable: str | None = None, memory_mib: int = 640) -> None:
        """With the free end of an appliance's `cable`, rdma.RdmaHosts can work in the same guest."""
        self.machine = Qemu(
            name, nvme=0, scsi=0, memory_mib=memory_mib, cpus=1, init="/bin/bash", product=False, cable=cable
        )

    def __enter__(self) -> Self:
        try:
            self.machine.start()
            self.machine.wait_for_shell(300.0)
            self.machine.check(_SET_UP, timeout_s=180.0)
            put_program(self.machine, "pattern.py")
        except BaseException:
            self.machine.close(failed=True)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.machine.__exit__(kind, error, trace)
