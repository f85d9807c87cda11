"""Find a machine by name, whichever process started it."""

from __future__ import annotations

from typing import Any

from tests.machines.machine import VirtualMachine
from tests.machines.model import MachineError
from tests.machines.qemu import Qemu
from tests.machines.state import StateFolder
from tests.machines.uml import Uml

_KINDS: dict[str, type[Qemu | Uml]] = {"qemu": Qemu, "uml": Uml}


def running_machine(name: str) -> VirtualMachine:
    """The machine with that name, made again from its record; MachineError when there is none."""
    record = StateFolder(name).read()
    if record is None:
        raise MachineError(f"there is no machine {name}: `python3 -m tests.machines list` shows which there are")
    settings: dict[str, Any] = dict(record.settings)
    machine = _KINDS[record.kind](name, keep=record.kept, **settings)
    machine.attach()
    return machine
