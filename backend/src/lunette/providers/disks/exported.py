"""Devices that LIO and nvmet export, for any system. Lunette exports only volumes: whole drives are exported by others.

nvmet and LIO's fileio open a device without claiming it, so the kernel shows no holder and lets other programs write to
it.
"""

import re

from lunette.system.system_port import System

_LIO = "/sys/kernel/config/target/core"
_NVMET = "/sys/kernel/config/nvmet/subsystems"
_PATHS = re.compile(r"(?:UDEV PATH|File): (/dev/\S+)")
"""In `info` of iblock, and of fileio (target_core_iblock.c, target_core_file.c)."""


def devices(system: System) -> dict[str, str]:
    """Real paths of the devices, each with its exporter in words."""
    found: dict[str, str] = {}
    for adapter in system.listdir(_LIO):
        for store in system.listdir(f"{_LIO}/{adapter}"):
            # Not every system that configures LIO writes udev_path; where it exists, `info` of thousands is not read.
            path = _text(system, f"{_LIO}/{adapter}/{store}/udev_path")
            reported = [path] if path else _PATHS.findall(_text(system, f"{_LIO}/{adapter}/{store}/info"))
            found |= dict.fromkeys(reported, f"LIO exports it as {adapter}/{store}")
    for subsystem in system.listdir(_NVMET):
        for number in system.listdir(f"{_NVMET}/{subsystem}/namespaces"):
            path = _text(system, f"{_NVMET}/{subsystem}/namespaces/{number}/device_path")
            found[path] = f"nvmet exports it as namespace {number} of {subsystem}"
    return {system.realpath(path): words for path, words in found.items() if path.startswith("/dev/")}


def _text(system: System, path: str) -> str:
    try:
        return system.read(path).strip()
    except OSError:
        return ""
