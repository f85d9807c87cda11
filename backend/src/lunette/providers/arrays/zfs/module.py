"""The kernel module, loaded only when a pool needs it, its cache, and the hostid that tells machines apart."""

import contextlib
import secrets
import sys
import threading

from lunette.domain.errors import LunetteError
from lunette.domain.sizes import GIB
from lunette.providers.arrays.zfs.plan import PACKAGES
from lunette.system.doorway import System
from lunette.system.memory import memory_bytes
from lunette.system.tools import missing_tool

MODULE = "/sys/module/zfs"
HOSTID = "/etc/hostid"
"""Four bytes in the order of this machine (module/os/linux/spl/spl-generic.c). ZFS reads them at each import."""
_HOSTID_BYTES = 4
CACHE_LIMIT = f"{MODULE}/parameters/zfs_arc_max"
"""Bytes the cache (ARC) may have; 0 is what the module chooses (zfs.4)."""

_drawing = threading.Lock()
"""Two pools that come up at once must find one hostid."""


def hindrance(system: System, tool: str) -> str | None:
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
    """Load the module, on a machine with a hostid. Raises ToolFailed where there is none, OSError if /etc is full."""
    keep_hostid(system)
    if not system.exists(MODULE):
        system.run(["modprobe", "zfs"], timeout_s=300)
    keep_cache_limit(system)


def most_cache(memory_bytes: int) -> int:
    """How much the cache may have: a quarter of the memory stays free of it, 2 GiB at least, and never more than 3/4.

    OpenZFS 2.3 takes all but 1 GiB by itself (arc_default_max). It gives memory back when asked, but not at once, and
    what serves hosts allocates for each command.
    """
    return max(memory_bytes - max(memory_bytes // 4, 2 * GIB), memory_bytes // 4)


def keep_cache_limit(system: System) -> None:
    """Limit the cache unless somebody chose a limit, as with an option of the module. Keeps no pool from starting."""
    with contextlib.suppress(OSError):
        if system.read(CACHE_LIMIT).strip() == "0" and (memory := memory_bytes(system)):
            system.write(CACHE_LIMIT, str(most_cache(memory)))


def keep_hostid(system: System) -> None:
    """Give the machine a random hostid unless it has one.

    It lies on the disks of every pool that is in use: a machine with another one does not import them, and the one that
    lost power does. So it is on stable storage before any pool is made or imported, and never changes after that.
    Fewer than four bytes, or zeros, are none to ZFS.
    """
    with _drawing:
        found = system.read_file(HOSTID)
        if found is None or len(found) < _HOSTID_BYTES or not any(found[:_HOSTID_BYTES]):
            fresh = secrets.randbelow(2 ** (8 * _HOSTID_BYTES) - 1) + 1
            system.write_durably(HOSTID, fresh.to_bytes(_HOSTID_BYTES, sys.byteorder), 0o644)
