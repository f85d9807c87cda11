"""Hosts with the kernel's RDMA initiators, iSER (open-iscsi) and NVMe/RDMA (nvme-cli), in a QEMU guest.

    ours, theirs = cable_ends(free_port())
    with appliance(Qemu("rdma", cable=ours)) as made, NvmeInitiator("hosts", theirs) as guest:
        hosts = RdmaHosts(guest.machine)
        hosts.login(target, f"{APPLIANCE}:3261", "iqn.2026-11.example:db")
        hosts.connect(subsystem, 4420, "nqn.2014-08.org.nvmexpress:uuid:…")

RDMA needs both guests on one Ethernet segment, so a cable joins them. Soft RoCE (rdma_rxe) stands in for the cards.
"""

from __future__ import annotations

from tests.initiators.block_io import put_program
from tests.initiators.kernel import IscsiHosts
from tests.initiators.nvme import NvmeHosts
from tests.machines.machine import Machine
from tests.machines.qemu import Qemu

APPLIANCE, HOSTS = "198.51.100.1", "198.51.100.2"
"""Addresses on the cable (TEST-NET-2)."""
CARD = "eth1"
_SET_UP = f"""
set -e
mkdir -p /run/lock/iscsi /etc/iscsi
modprobe -a nvme-rdma ib_iser sd_mod
ip address add {HOSTS}/24 dev {CARD}; ip link set {CARD} up
hostname {{name}}
echo InitiatorName=iqn.2026-11.io.lunette.test:{{name}} > /etc/iscsi/initiatorname.iscsi
iscsid -f >/run/logs/iscsid 2>&1 &
"""


def add_device(machine: Machine) -> None:
    """Soft RoCE on the guest's end of the cable."""
    machine.check(f"modprobe rdma_rxe && rdma link add rxe0 type rxe netdev {CARD}", timeout_s=180.0)


def remove_device(machine: Machine) -> None:
    machine.check("rdma link delete rxe0", timeout_s=180.0)


class RdmaHosts(IscsiHosts, NvmeHosts):
    """Both initiators, in a guest of NvmeInitiator that has the second end of a cable."""

    iscsi_transport, nvme_transport = "iser", "rdma"
    address = APPLIANCE

    def __init__(self, machine: Qemu) -> None:
        super().__init__()
        self.machine = machine
        machine.check(_SET_UP.format(name=machine.name), timeout_s=180.0)
        put_program(machine, "luns.py")
        add_device(machine)
