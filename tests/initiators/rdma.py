"""Hosts with the kernel's RDMA initiators, iSER (open-iscsi) and NVMe/RDMA (nvme-cli), in one QEMU guest.

    ours, theirs = cable_ends(free_port())
    with appliance(Qemu("rdma", cable=ours)) as made, RdmaInitiator("hosts", theirs) as hosts:
        lay(made.machine, APPLIANCE)
        hosts.login(target, f"{APPLIANCE}:3261", "iqn.2026-11.example:db")
        hosts.connect(subsystem, 4420, "nqn.2014-08.org.nvmexpress:uuid:…")

RDMA needs both guests on one Ethernet segment, so a cable joins them. Soft RoCE (rdma_rxe) stands in for the cards.
"""

from __future__ import annotations

from types import TracebackType
from typing import Self

from tests.initiators.block_io import IN_GUEST, put_program
from tests.initiators.kernel import IscsiHosts
from tests.initiators.nvme import NvmeHosts
from tests.machines.machine import Machine
from tests.machines.qemu import Qemu

APPLIANCE, HOSTS = "198.51.100.1", "198.51.100.2"
"""Addresses on the cable (TEST-NET-2)."""
CARD = "eth1"
_SET_UP = f"""
set -e
mount -t proc proc /proc; mount -t sysfs sys /sys
mkdir -p {IN_GUEST} /run/logs /run/lock/iscsi /etc/iscsi
modprobe -a virtio_net nvme-rdma ib_iser sd_mod
ip link set lo up; ip address add {HOSTS}/24 dev {CARD}; ip link set {CARD} up
hostname {{name}}
echo InitiatorName=iqn.2026-11.io.lunette.test:{{name}} > /etc/iscsi/initiatorname.iscsi
iscsid -f >/run/logs/iscsid 2>&1 &
"""


def add_device(machine: Machine) -> None:
    """Soft RoCE on the guest's end of the cable."""
    machine.check(f"modprobe rdma_rxe && rdma link add rxe0 type rxe netdev {CARD}", timeout_s=180.0)


def remove_device(machine: Machine) -> None:
    machine.check("rdma link delete rxe0", timeout_s=180.0)


class RdmaInitiator(IscsiHosts, NvmeHosts):
    """The guest at the second end of a cable."""

    machine: Qemu
    iscsi_transport, nvme_transport = "iser", "rdma"
    address = APPLIANCE

    def __init__(self, name: str, cable: str, memory_mib: int = 640) -> None:
        super().__init__()
        self.machine = Qemu(
            name, nvme=0, scsi=0, memory_mib=memory_mib, cpus=1, init="/bin/bash", product=False, cable=cable
        )

    def __enter__(self) -> Self:
        try:
            self.machine.start()
            self.machine.wait_for_shell(300.0)
            self.machine.check(_SET_UP.format(name=self.machine.name), timeout_s=180.0)
            for program in ("pattern.py", "luns.py"):
                put_program(self.machine, program)
            add_device(self.machine)
        except BaseException:
            self.machine.close(failed=True)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.machine.__exit__(kind, error, trace)
