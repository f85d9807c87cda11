"""A host with the kernel's NVMe/FC initiator (nvme-cli), over nvme-fcloop: the appliance's guest is both ends.

    hosts = LoopHosts(appliance.machine)
    hosts.lay()
    hosts.plug()
    hosts.connect(subsystem, NO_PORT, "nqn.2014-08.org.nvmexpress:uuid:…")

nvme_fcloop is the kernel's own test fabric (drivers/nvme/target/fcloop.c): ports are made by writing their names, and
two of them see each other once one is entered as a remote port of the other.
"""

from __future__ import annotations

from contextlib import suppress

from tests.initiators.block_io import IN_GUEST, put_program
from tests.initiators.nvme import ConnectFailed, DhChap, NvmeHosts
from tests.machines.machine import Machine

NO_PORT = 0
TARGET = ("0x20000000c9000001", "0x10000000c9000001")
"""WWNN and WWPN of the appliance's port; HOST those of the host's."""
HOST = ("0x20000000c9000002", "0x10000000c9000002")
ADDRESS, HOST_ADDRESS = (f"nn-{node}:pn-{port}" for node, port in (TARGET, HOST))
_CTL = "/sys/class/fcloop/ctl"
_ROLES = "0x60"
"""FC_PORT_ROLE_NVME_TARGET and FC_PORT_ROLE_NVME_DISCOVERY (include/uapi/scsi/fc/fc_fs.h and nvme-fc-driver.h)."""


class LoopHosts(NvmeHosts):
    """Hosts in the appliance's guest. Names of ports end with the module, so they are gone after a reset."""

    nvme_transport = "fc"

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    def way_to(self, port: int) -> list[str]:
        """Ports find each other by name; there is no number."""
        return ["-a", ADDRESS, "-w", HOST_ADDRESS]

    def lay(self) -> None:
        """The fabric without the appliance's port, and the program that writes patterns."""
        self.machine.check(f"mkdir -p {IN_GUEST} /run/logs && modprobe nvme-fcloop", timeout_s=180.0)
        put_program(self.machine, "pattern.py")
        self._ctl("add_local_port", f"wwnn={HOST[0]},wwpn={HOST[1]}")

    def plug(self) -> None:
        """The appliance's port appears, and the host sees it."""
        name = f"wwnn={TARGET[0]},wwpn={TARGET[1]}"
        self._ctl("add_target_port", name)
        self._ctl("add_remote_port", f"{name},lpwwnn={HOST[0]},lpwwpn={HOST[1]},roles={_ROLES}")

    def unplug(self) -> None:
        """The appliance's port leaves the fabric."""
        name = f"wwnn={TARGET[0]},wwpn={TARGET[1]}"
        self._ctl("del_remote_port", name)
        self._ctl("del_target_port", name)

    def try_to_connect(self, subsystem: str, host: str, keys: DhChap | None) -> None:
        """Try to connect, with any result: nvme_fc connects in the background, and the command succeeds either way."""
        with suppress(ConnectFailed):
            self.connect(subsystem, NO_PORT, host, keys)

    def give_up(self, subsystem: str) -> None:
        """Stop connecting."""
        if self.states(subsystem):
            self.disconnect(subsystem)
        self.wait_until(f"{subsystem} is gone", lambda: self.states(subsystem), lambda seen: seen == [])

    def _ctl(self, verb: str, text: str) -> None:
        self.machine.check(f"echo '{text}' > {_CTL}/{verb}", timeout_s=120.0)
