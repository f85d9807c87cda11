"""Kernel modules. Missing ones are reported by the parts that need them."""

from lunette.system.system_port import System

_TIMEOUT_S = 300.0
"""An emulated machine with slow disks takes a while for what drags in a dozen others."""


def load(system: System, module: str) -> None:
    """Load a module unless it is loaded or the kernel does not have it."""
    if not system.is_dir(f"/sys/module/{module.replace('-', '_')}") and system.find_tool("modprobe"):
        system.run(["modprobe", "-q", module], ok=(0, 1), timeout_s=_TIMEOUT_S)
