"""Machines the tests run the appliance on; machine.py has the interface and an example."""

from tests.machines.lab import Lab
from tests.machines.machine import Machine
from tests.machines.model import Capability, CommandResult, DiskInfo, MachineError, NotCapable
from tests.machines.qemu import Qemu
from tests.machines.uml import Uml

__all__ = ["Capability", "CommandResult", "DiskInfo", "Lab", "Machine", "MachineError", "NotCapable", "Qemu", "Uml"]
