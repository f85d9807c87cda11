"""The kernel module, loaded only when a pool needs it, and the hostid by which ZFS tells one machine from another."""

import secrets
import sys

from lunette.providers.arrays.zfs.plan import PACKAGES
from lunette.system.doorway import System
from lunette.system.tools import missing_tool

MODULE = "/sys/module/zfs"
HOSTID = "/etc/hostid"
"""Four bytes in the order of this machine (module/os/linux/spl/spl-generic.c). ZFS reads them at each import."""
_HOSTID_BYTES = 4


def hindrance(system: System, tool: str) -> str | None:
    """Why ZFS cannot be used on this machine; None if it can. The module is loaded only when a pool needs it."""
    if system.find_tool(tool) is None:
        return missing_tool(tool)
    if system.exists(MODULE) or system.run(["modprobe", "--dry-run", "--quiet", "zfs"], ok=(0, 1)).returncode == 0:
        return None
    return f"the kernel module zfs is not built for this kernel: install the Debian packages {PACKAGES} (contrib)"


def load(system: System) -> None:
    """Load the module, on a machine with a hostid. Raises ToolFailed where there is none, OSError if /etc is full."""
    keep_hostid(system)
    if not system.exists(MODULE):
        system.run(["modprobe", "zfs"], timeout_s=300)


def keep_hostid(system: System) -> None:
    """Give the machine a random hostid unless it has one.

    It lies on the disks of every pool that is in use: a machine with another one does not import them, and the one that
    lost power does. So it is on stable storage before any pool is made or imported, and never changes after that.
    Fewer than four bytes, or zeros, are none to ZFS.
    """
    found = system.read_file(HOSTID)
    if found is None or len(found) < _HOSTID_BYTES or not any(found[:_HOSTID_BYTES]):
        fresh = secrets.randbelow(2 ** (8 * _HOSTID_BYTES) - 1) + 1
        system.write_durably(HOSTID, fresh.to_bytes(_HOSTID_BYTES, sys.byteorder), 0o644)
