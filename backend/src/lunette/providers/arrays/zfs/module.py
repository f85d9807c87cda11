"""The kernel module, loaded only when a pool needs it; its cache; and the hostid that distinguishes machines."""

import contextlib
import secrets
import sys
import threading

from lunette.domain.errors import LunetteError
from lunette.domain.sizes import GIB
from lunette.providers.arrays.zfs.plan import PACKAGES
from lunette.system.memory import memory_bytes
from lunette.system.system_port import System
from lunette.system.tools import missing_tool

MODULE = "/sys/module/zfs"
HOSTID = "/etc/hostid"
"""Four bytes in the order of this machine (module/os/linux/spl/spl-generic.c). ZFS reads them at each import."""
_HOSTID_BYTES = 4
CACHE_LIMIT = f"{MODULE}/parameters/zfs_arc_max"
"""Maximum size of the cache (ARC) in bytes; 0 is the module's default (zfs.4)."""

_drawing = threading.Lock()
"""Two pools that start at once must find one hostid."""


def blocker(system: System, tool: str) -> str | None:
    """Why ZFS cannot be used on this machine; None if it can. The module is loaded only when a pool needs it."""
    if system.find_tool(tool) is None:
        return missing_tool(tool)
    try:
        if system.exists(MODULE) or system.run(["modprobe", "--dry-run", "--quiet", "zfs"], ok=(0, 1)).returncode == 0:
            return None
    except LunetteError as error:
        return f"whether the kernel has module zfs is not known: {error.detail}"
    return f"the kernel module zfs is not built for this kernel: install the Debian packages {PACKAGES} (contrib)"


def load(system: System) -> None:
    """Load the module, on a machine with a hostid. Raises ToolFailed if there is no module, OSError if /etc is full."""
    keep_hostid(system)
    if not system.exists(MODULE):
        system.run(["modprobe", "zfs"], timeout_s=300)
    keep_cache_limit(system)


def most_cache(memory_bytes: int) -> int:
    """The limit of the cache: a quarter of the memory stays free of it, at least 2 GiB, and at most 3/4.

    The default of OpenZFS 2.3 is all but 1 GiB (arc_default_max). It releases memory on request, but not immediately,
    and the export engines allocate for each command.
    """
    return max(memory_bytes - max(memory_bytes // 4, 2 * GIB), memory_bytes // 4)


def keep_cache_limit(system: System) -> None:
    """Limit the cache unless a limit was configured, as with an option of the module. Never prevents the start of a
    pool.
    """
    with contextlib.suppress(OSError):
        if system.read(CACHE_LIMIT).strip() == "0" and (memory := memory_bytes(system)):
            system.write(CACHE_LIMIT, str(most_cache(memory)))


def keep_hostid(system: System) -> None:
    """Give the machine a random hostid unless it has one.

    It is on the disks of every pool in use: a machine with another one does not import them, and the one that lost
    power does. So it is on stable storage before any pool is created or imported, and never changes after that. ZFS
    ignores fewer than four bytes, or zeros.
    """
    with _drawing:
        found = system.read_file(HOSTID)
        if found is None or len(found) < _HOSTID_BYTES or not any(found[:_HOSTID_BYTES]):
            fresh = secrets.randbelow(2 ** (8 * _HOSTID_BYTES) - 1) + 1
            system.write_durably(HOSTID, fresh.to_bytes(_HOSTID_BYTES, sys.byteorder), 0o644)
