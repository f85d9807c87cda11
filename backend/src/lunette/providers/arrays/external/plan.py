"""Facts about a device of another RAID engine, and how it becomes an array. Pure.

The array's UUID is the UUID of the physical volume on the device: from the first write on, the device identifies the
array, whatever its kernel name is today.
"""

import re
from collections.abc import Sequence

from lunette.domain.arrays import (
    ArrayCreate,
    ArrayEngine,
    EngineAbility,
    EngineCapability,
    LackingAbility,
    Level,
    LevelCapability,
    WriteHole,
)
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import FieldProblem
from lunette.domain.sizes import GIB, MIB, format_size
from lunette.domain.tuning import TuningName, notation

NO_ENCRYPTION = (
    "the device is known by the physical volume on it, which a LUKS header would hide; an md array can be "
    "encrypted with LUKS2"
)
MIN_DISK_BYTES = 64 * MIB
_OWN_TOOLS = "the tools of the device manage them"
LEVELS = (
    LevelCapability(
        level=Level.EXTERNAL,
        min_disks=1,
        max_disks=1,
        small_write_ios=1,
        write_hole=(WriteHole.EXTERNAL,),
        verbs=(),
        survives_failures="unknown to Lunette: the device determines it",
        options=("health_command",),
    ),
)
_PV_UUID = re.compile(r"[0-9a-f]{6}(-[0-9a-f]{4}){5}-[0-9a-f]{6}")
"""LVM draws its own from all letters and digits: one of 32 hex digits does not occur by chance."""
_CUTS = (6, 10, 14, 18, 22, 26)


_WITHOUT = (EngineAbility.SPARES, EngineAbility.ADD_DISKS, EngineAbility.REPLACE)


def capability(reason: str | None = None, health_commands: tuple[str, ...] = ()) -> EngineCapability:
    """The engine's record; `reason` says why it is not available on this machine."""
    return EngineCapability(
        engine=ArrayEngine.EXTERNAL.value,
        kind="array",
        available=reason is None,
        reason=reason,
        levels=LEVELS,
        lacking=(
            *(LackingAbility(ability=one, reason=_OWN_TOOLS) for one in _WITHOUT),
            LackingAbility(ability=EngineAbility.HEALTH, reason="only what the health command of the array reports"),
        ),
        needs=("lvm", "dm_mod"),
        health_commands=health_commands,
    )


def array_uuid(uuid: str) -> str:
    """A UUID as the array carries it: 32 hex digits."""
    return uuid.replace("-", "").lower()


def pv_uuid(array: str) -> str:
    """The same in LVM's form."""
    return "-".join(array[start:end] for start, end in zip((0, *_CUTS), (*_CUTS, 32), strict=True))


def carried_uuid(disk: ObservedDisk) -> str | None:
    """The UUID of the array that the device is, or may be: the group on it decides."""
    found = [s.uuid for s in disk.signatures if s.type == "LVM2_member" and s.uuid and _PV_UUID.fullmatch(s.uuid)]
    return array_uuid(found[0]) if found else None


def problems(spec: ArrayCreate, disks: Sequence[ObservedDisk]) -> tuple[FieldProblem, ...]:
    """Options that are not possible for a device with external redundancy, each with the field, its value and the
    rule.
    """
    found = []
    if len(spec.disks) != 1:
        rule = f"an external array is one device, not {len(spec.disks)}"
        found.append(FieldProblem(field="disks", value=str(len(spec.disks)), message=rule))
    if spec.spares:
        rule = f"an external array takes no spares, {_OWN_TOOLS}: leave spares out"
        found.append(FieldProblem(field="spares", value=str(len(spec.spares)), message=rule))
    if spec.write_hole not in (None, WriteHole.EXTERNAL):
        rule = "the device itself may close its write hole: leave write_hole out"
        found.append(FieldProblem(field="write_hole", value=spec.write_hole, message=rule))
    others = (
        "chunk_bytes",
        "layout",
        "sync_speed_min_bytes_s",
        "sync_speed_max_bytes_s",
        *(n.value for n in TuningName),
    )
    found += [
        FieldProblem(field=field, value=notation(chosen), message=f"an external array has no {field}: leave it out")
        for field in others
        if (chosen := getattr(spec, field)) is not None
    ]
    smallest = min((disk.size_bytes for disk in disks), default=0)
    if not found and smallest < MIN_DISK_BYTES:
        rule = f"the device ({format_size(smallest)}) is too small for volumes; {format_size(GIB)} is enough"
        found.append(FieldProblem(field="disks", value=None, message=rule))
    return tuple(found)
