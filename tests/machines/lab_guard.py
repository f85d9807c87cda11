"""What decides whether destructive tests may touch a machine of the real world. Pure functions.

The listing in lab.toml and what the machine reports must agree in both directions: an unlisted disk may hold
data of others, and if a listed disk is missing, this is not the machine that was described.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.machines.model import Bus, Capability, DiskInfo, MachineError


class UnsafeMachine(MachineError):
    """The machine is not, or not provably, one that may be wiped."""


@dataclass(frozen=True)
class LabEntry:
    """One machine of lab.toml; `power` holds argument vectors for `on`, `off` and `reset`."""

    name: str
    address: str
    ssh: str
    chassis_serial: str
    system_disk: str
    disks: tuple[str, ...]
    capabilities: frozenset[Capability]
    power: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class SeenDisk:
    """A disk as the machine reports it; `in_use` when something on it is mounted or swapped to."""

    info: DiskInfo
    in_use: bool


@dataclass(frozen=True)
class Seen:
    """What the machine says of itself."""

    chassis_serial: str
    disks: tuple[SeenDisk, ...]


def parse_lab(text: str, name: str) -> LabEntry:
    """The entry of a machine; refuses what is missing, empty or listed twice."""
    try:
        entries = tomllib.loads(text).get("machines", {})
    except tomllib.TOMLDecodeError as error:
        raise MachineError(f"lab.toml is not TOML ({error}): see tests/machines/lab.example.toml") from error
    if name not in entries:
        raise MachineError(f"lab.toml names no machine {name}: it has {', '.join(sorted(entries)) or 'none'}")
    raw: dict[str, Any] = entries[name]
    for key in ("address", "ssh", "chassis_serial", "system_disk", "disks"):
        if not raw.get(key):
            raise MachineError(f"machine {name} in lab.toml has no {key}: see tests/machines/lab.example.toml")
    disks = tuple(str(serial) for serial in raw["disks"])
    if len({*disks, raw["system_disk"]}) != len(disks) + 1:
        raise MachineError(f"machine {name} in lab.toml lists a serial twice, or its system disk among the disks")
    return LabEntry(
        name=name,
        address=raw["address"],
        ssh=raw["ssh"],
        chassis_serial=raw["chassis_serial"],
        system_disk=raw["system_disk"],
        disks=disks,
        capabilities=frozenset(Capability(word) for word in raw.get("capabilities", [])),
        power={verb: tuple(argv) for verb, argv in raw.get("power", {}).items()},
    )


def parse_seen(chassis_serial: str, lsblk: str) -> Seen:
    """Read `lsblk --json --bytes -o NAME,TYPE,SERIAL,SIZE,TRAN,ID-LINK,MOUNTPOINTS`."""
    disks = []
    for device in json.loads(lsblk)["blockdevices"]:
        if device["type"] != "disk" or device["name"].startswith(("zram", "zd")) or not device["size"]:
            continue
        bus: Bus = "nvme" if device["tran"] == "nvme" else "scsi"
        info = DiskInfo(device["serial"] or "", int(device["size"]), bus, device["id-link"] or "")
        disks.append(SeenDisk(info, in_use=any(_mounts(device))))
    return Seen(chassis_serial.strip(), tuple(disks))


def _mounts(device: Mapping[str, Any]) -> Iterator[str]:
    yield from (place for place in device.get("mountpoints") or [] if place)
    for child in device.get("children") or []:
        yield from _mounts(child)


def objections(entry: LabEntry, seen: Seen) -> list[str]:
    """Why the machine must not be touched, all reasons at once; empty when it may."""
    found = []
    if seen.chassis_serial != entry.chassis_serial:
        found.append(f"its chassis serial is {seen.chassis_serial or 'empty'}, lab.toml says {entry.chassis_serial}")
    by_serial = {disk.info.serial: disk for disk in seen.disks}
    if len(by_serial) != len(seen.disks):
        found.append("two of its disks report the same serial")
    listed = {*entry.disks, entry.system_disk}
    found += [
        f"disk {disk.info.by_id or disk.info.serial or 'without serial'} is not listed"
        for disk in seen.disks
        if disk.info.serial not in listed
    ]
    found += [f"listed disk {serial} is not in it" for serial in sorted(listed - set(by_serial))]
    found += [
        f"disk {serial} is in use (mounted or swap) though it is to be wiped"
        for serial in entry.disks
        if serial in by_serial and by_serial[serial].in_use
    ]
    return found


def refuse_unless_ours(entry: LabEntry, seen: Seen) -> list[DiskInfo]:
    """The disks that may be wiped, in the order of lab.toml; UnsafeMachine with every objection otherwise."""
    found = objections(entry, seen)
    if found:
        raise UnsafeMachine(
            f"machine {entry.name} at {entry.address} is left alone: {'; '.join(found)}. "
            "Correct lab.toml only after you looked at the machine"
        )
    by_serial = {disk.info.serial: disk.info for disk in seen.disks}
    return [by_serial[serial] for serial in entry.disks]
