"""Creates and destroys arrays of LVM RAID. Each call looks first, so that a repeated call recognizes its own work.

A power failure can leave: physical volumes with UUIDs that only this array has, a group over them, and an incomplete
RAID volume. The creation ends with a tag on the volume: before that nothing can be on it, so it is created again; after
that it is only recognized.
"""

from collections.abc import Mapping, Sequence

from lunette.domain.arrays import Level
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import Conflict, InUse, LunetteError, NotFound, ToolFailed
from lunette.domain.steps import LvmRaidCreate, LvmRaidDestroy, MemberDisk
from lunette.providers.arrays.lvm import assemble, observe, parse
from lunette.providers.arrays.lvm.plan import (
    METADATA_BYTES,
    TAG,
    VOLUME,
    carried_pv,
    data_images,
    device_path,
    pv_uuid,
)
from lunette.providers.disks.inventory import UNREADABLE, observe_disks, read_signatures, same_disk, settle
from lunette.providers.volumes.lvm.observe import physical_volume
from lunette.providers.volumes.lvm.parse import UNKNOWN_GROUP
from lunette.providers.volumes.lvm.plan import array_tag
from lunette.system.system_port import System

TIMEOUT_S = assemble.TIMEOUT_S


def create(system: System, step: LvmRaidCreate) -> str | None:
    """Create the array; None if it exists already. Refuses disks that are in use, exchanged, or not blank."""
    settle(system)
    present = observe_disks(system)
    own = observe.members(present, step.uuid)
    assemble.see(system, list(own.values()))
    found = observe.find(system, step.uuid) if own else None
    if found is not None and found.is_whole:
        _recognise(system, step, found)
        return None
    disks = [same_disk(present, member.disk_id, member.serial) for member in step.members]
    for disk in disks:
        check_blank(disk, step.uuid, step.disk_bytes)
    if own:
        _take_apart(system, found, own)
    for disk in disks:
        make_member(system, disk, step.uuid)
    devices = [disk.device for disk in disks]
    tags = ["--addtag", TAG, "--addtag", array_tag(step.uuid)]
    extent = f"--physicalextentsize={step.extent_bytes // 1024}k"
    system.run(["vgcreate", "-y", *tags, extent, "--", step.raid_group, *devices], timeout_s=TIMEOUT_S)
    system.run(_create_command(step, devices), timeout_s=TIMEOUT_S)
    settle(system)
    device = device_path(step.raid_group)
    # Data of earlier owners of the disks can show through a new array.
    if any(read_signatures(system, [system.realpath(device)]).values()):
        system.run(["wipefs", "--all", "--", device])
    system.run(["lvchange", "--addtag", array_tag(step.uuid), "--", f"{step.raid_group}/{VOLUME}"], timeout_s=TIMEOUT_S)
    settle(system)
    return f"LVM RAID {step.raid_group} runs as {device}"


def undo_create(system: System, step: LvmRaidCreate) -> str | None:
    """Undo the creation; None if nothing of it is left. Refuses while something uses it."""
    return _remove(system, step, step.members)


def destroy(system: System, step: LvmRaidDestroy) -> str | None:
    """Remove the array and clear its disks; None if that was done. Refuses while something uses it."""
    return _remove(system, step, step.members)


def check_blank(disk: ObservedDisk, uuid: str, least: int) -> None:
    """Raises InUse unless the disk is blank, or carries a member of this array and nothing else."""
    own = carried_pv(disk) == pv_uuid(uuid, disk.id)
    others = [s.type for s in disk.signatures if not (own and s.type == "LVM2_member")]
    busy = disk.used_by_system or disk.fabric or disk.mounts or disk.is_swap or (disk.holders and not own)
    if busy or others or disk.partitions:
        why = disk.occupation() or ("it carries the running system" if disk.used_by_system else "it is on a fabric")
        raise InUse(f"disk {disk.id} cannot be a member because {why}: allow wiping it, or choose another disk")
    if disk.size_bytes < least:
        raise Conflict(f"disk {disk.id} has {disk.size_bytes} bytes, but {least} are required: choose a larger disk")


def make_member(system: System, disk: ObservedDisk, uuid: str) -> None:
    """Mark a blank disk as a member of this array. The caller made sure that it is blank."""
    if system.is_held(disk.device):
        raise InUse(f"disk {disk.id} is in use by another program: free it first")
    named = ["--uuid", pv_uuid(uuid, disk.id), "--norestorefile"]
    size = f"--metadatasize={METADATA_BYTES // 1024}k"
    system.run(["pvcreate", "-y", size, *named, "--", disk.device], timeout_s=TIMEOUT_S)


def clear_member(system: System, disk: ObservedDisk, left: str = "") -> None:
    """Remove a member's mark from a disk that no group uses. `left`: the group it has left, whose metadata it can still
    contain if a vgreduce was interrupted.
    """
    device = disk.device
    known = physical_volume(system, device)
    if known is None:
        return
    if known.group not in ("", UNKNOWN_GROUP, left):
        raise Conflict(f"disk {disk.id} belongs to volume group {known.group} and was not changed")
    # Forced twice if a vgcreate or vgremove was interrupted: LVM cannot distinguish that from damage, the UUID can.
    force = ["-ff"] if known.group else []
    system.run(["pvremove", "-y", *force, "--", device], timeout_s=TIMEOUT_S)


def _create_command(step: LvmRaidCreate, devices: Sequence[str]) -> list[str]:
    count = len(devices)
    data = data_images(step.level, count)
    mirrors = ["--mirrors", str(count - 1 if step.level is Level.RAID1 else 1)]
    stripes = ["--stripes", str(data), "--stripesize", f"{(step.chunk_bytes or 0) // 1024}k"]
    shape = {Level.RAID1: mirrors, Level.RAID10: [*stripes, *mirrors]}.get(step.level, stripes)
    checked = ["--raidintegrity", "y", "--raidintegritymode", "journal"] if step.integrity else []
    return [
        "lvcreate",
        "-y",
        "--type",
        step.level.value,
        *shape,
        "--size",
        f"{step.size_bytes}b",
        "--name",
        VOLUME,
        *checked,
        "--",
        step.raid_group,
        *devices,
    ]


def _recognise(system: System, step: LvmRaidCreate, found: parse.RaidGroup) -> None:
    """The array as planned, started if a crash left it down. Raises Conflict for any other."""
    wanted = {pv_uuid(step.uuid, member.disk_id) for member in step.members}
    same = set(found.images) == wanted and (found.level, found.name) == (step.level.value, step.raid_group)
    if not same or found.integrity != step.integrity or found.size_bytes < step.size_bytes:
        raise Conflict(
            f"array {found.name} ({found.level}, {len(found.images)} disks) was not changed: it has the UUID planned "
            f"for {step.raid_group} ({step.level.value}, {len(step.members)} disks)"
        )
    if found.missing():
        raise Conflict(
            f"array {found.name} was created, but {len(found.missing())} of its disks are missing: attach them, then "
            "try again"
        )
    assemble.running(system, step.uuid)


def _remove(system: System, step: LvmRaidCreate | LvmRaidDestroy, members: Sequence[MemberDisk]) -> str | None:
    settle(system)
    disks = observe_disks(system)
    for member in members:
        try:
            same_disk(disks, member.disk_id, member.serial)
        except NotFound:
            continue
    own = observe.members(disks, step.uuid)
    if not own:
        return None
    assemble.see(system, list(own.values()))
    found = observe.find(system, step.uuid)
    if found is not None and found.is_whole:
        _check_unused(system, step, found)
    _take_apart(system, found, own)
    absent = len(members) - len(own)
    note = f"; {absent} of its disks are missing and retain their labels" if absent > 0 else ""
    return f"LVM RAID {step.raid_group} was removed from {len(own)} disks{note}"


def _check_unused(system: System, step: LvmRaidCreate | LvmRaidDestroy, found: parse.RaidGroup) -> None:
    """Raises InUse while something is on the array, which is started to check that. One that can no longer start is
    cleared.
    """
    if found.name != step.raid_group:
        raise Conflict(
            f"the group {found.name} on the disks of {step.raid_group} does not belong to this appliance and was not "
            "changed"
        )
    if not found.is_active:
        try:
            assemble.running(system, step.uuid, degraded=True)
        except LunetteError:
            return
    device = device_path(found.name)
    carried = [s.type for signs in read_signatures(system, [system.realpath(device)]).values() for s in signs]
    if UNREADABLE in carried:  # a tool failed: retried, because data erased before this step cannot return
        raise ToolFailed(f"array {found.name} cannot be read: check its disks, then try again")
    if carried or system.is_held(device):
        raise InUse(f"array {found.name} is in use ({', '.join(carried) or 'open'}): remove its volumes first")


def _take_apart(system: System, found: parse.RaidGroup | None, own: Mapping[str, ObservedDisk]) -> None:
    """Remove the group with its RAID volume, and every mark on the disks that are present. The caller ensured that
    nothing is on the volume.
    """
    found = (
        observe.find(system, found.uuid) if found is not None else None
    )  # an observation may have dropped what is missing
    if found is not None:
        if found.missing():
            system.run(["vgreduce", "--removemissing", "--force", "--", found.name], timeout_s=TIMEOUT_S)
        system.run(["vgchange", "-an", "--", found.name], timeout_s=TIMEOUT_S)
        system.run(["vgremove", "-y", "--force", "--", found.name], timeout_s=TIMEOUT_S)
        settle(system)
    for disk in own.values():
        clear_member(system, disk)
    settle(system)
    if any(pv in observe.members(observe_disks(system)) for pv in own):
        raise ToolFailed(
            "a disk still has the mark of an array after the array was removed; the job's log has the reason"
        )
