"""How much memory the machine has."""

from lunette.system.system_port import System

_KIB = 1024


def memory_bytes(system: System) -> int:
    """What the kernel manages (MemTotal, proc_meminfo(5)); 0 where it does not say."""
    try:
        lines = system.read("/proc/meminfo").splitlines()
    except OSError:
        return 0
    total = next((line for line in lines if line.startswith("MemTotal:")), "")
    return next((int(word) * _KIB for word in total.split() if word.isdigit()), 0)
