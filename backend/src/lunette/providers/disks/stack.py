"""What a drive consists of, and what a device lies on, from sysfs.

sysfs is followed only downwards, from a device to its drives: upwards it leads to every volume of an array.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lunette.system.system_port import System

_CLASS = "/sys/class/block"
_MAPPED = re.compile(r"/dm-uuid-(?:mpath-|(part)\d+-(?:mpath-|devnode_))")
"""Links of a multipath device, and of a partition that kpartx made on one or on a drive. Their UUIDs in sysfs say the
same, but they would have to be looked for among those of all volumes.
"""
Entry = dict[str, Any]


def drives(
    system: System, entries: Iterable[Entry], links: Iterable[str], mounted: Mapping[str, Sequence[str]]
) -> list[Entry]:
    """The drives of `lsblk -d` with their partitions as `children`, in the form of its entries.

    A multipath device represents all its paths, which `paths` names. `links`: all below /dev/disk/by-id; `mounted`:
    mount points as lsblk would show them, by number and by path of the device.
    """
    over, partitions = _mapped(system, links)
    whole: dict[str, Entry] = {}
    for entry in entries:
        path: str = entry["kname"]
        name = over.get(path, path)
        if name not in whole:
            more = _multipath(system, name, entry, mounted) if name != path else {}
            parts = [*_partitions(system, name), *partitions.get(name, ())]
            whole[name] = entry | more | {"paths": [], "children": [_device(system, one, mounted) for one in parts]}
        whole[name]["paths"].append(path)
    return list(whole.values())


def below(system: System, names: Iterable[str]) -> set[str]:
    """Kernel names of these devices and of everything that they lie on."""
    found: set[str] = set()
    left = list(names)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += system.listdir(f"{_CLASS}/{name}/slaves")
            if is_partition(system, name):
                left.append(system.realpath(f"{_CLASS}/{name}").split("/")[-2])
    return found


def is_partition(system: System, name: str) -> bool:
    """True for a partition of the kernel's, which has no slaves; one of kpartx has."""
    return system.exists(f"{_CLASS}/{name}/partition")


def kernel_name(system: System, device: str) -> str:
    """The kernel name of a device by its path or its number `major:minor`; the name of none if there is none."""
    real = system.realpath(device if device.startswith("/dev/") else f"/sys/dev/block/{device}")
    if real.startswith("/dev/mapper/"):  # no link: without udev it is a node of its own
        return next((name for name in system.listdir("/sys/block") if _mapping(system, name) == real), real)
    if real.startswith("/dev/"):
        return real.removeprefix("/dev/").replace("/", "!")
    return real if real.startswith("/sys/dev/") else real.rpartition("/")[2]


def attribute(system: System, path: str) -> str | None:
    """The text of an attribute; None if there is none."""
    try:
        return system.read(path).strip()
    except OSError:
        return None


def _mapped(system: System, links: Iterable[str]) -> tuple[dict[str, str], dict[str, list[str]]]:
    """The multipath device of each path, and the partitions by kpartx on each device, by kernel name."""
    over: dict[str, str] = {}
    partitions: dict[str, list[str]] = {}
    for link in links:
        if kind := _MAPPED.search(link):
            name = kernel_name(system, link)
            for slave in system.listdir(f"{_CLASS}/{name}/slaves"):
                if kind[1]:
                    partitions.setdefault(slave, []).append(name)
                else:
                    over[slave] = name
    return over, partitions


def _multipath(system: System, name: str, path: Entry, mounted: Mapping[str, Sequence[str]]) -> Entry:
    """What differs from the entry of its path."""
    size = attribute(system, f"{_CLASS}/{name}/size")
    own = {"path": f"/dev/{name}", "size": int(size) * 512 if size else path["size"]}
    return {**_device(system, name, mounted), "type": path["type"], **own}


def _partitions(system: System, name: str) -> list[str]:
    inside = (one for one in system.listdir(f"{_CLASS}/{name}") if one.startswith(name))
    return [one for one in inside if is_partition(system, one)]


def _device(system: System, name: str, mounted: Mapping[str, Sequence[str]]) -> Entry:
    """A partition, as lsblk shows it."""
    number, node = attribute(system, f"{_CLASS}/{name}/dev"), f"/dev/{name.replace('!', '/')}"
    path = _mapping(system, name) or node
    points = [point for key in dict.fromkeys((number or "", path, node)) for point in mounted.get(key, ())]
    return {"kname": name, "path": path, "type": "part", "maj:min": number, "mountpoints": points}


def _mapping(system: System, name: str) -> str | None:
    """The path below /dev/mapper, by which lsblk calls a device."""
    mapping = attribute(system, f"{_CLASS}/{name}/dm/name") if name.startswith("dm-") else None
    return f"/dev/mapper/{mapping}" if mapping else None
