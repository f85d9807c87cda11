"""Plans for the disks of a pool other than data disks: adding them, and removing them where possible."""

from collections.abc import Mapping

from lunette.domain.array_changes import ArrayAddDisks, ArrayAddSpares, ArrayDiskChoice
from lunette.domain.arrays import Level, MemberRole, ObservedMember
from lunette.domain.errors import Conflict, InUse, Invalid
from lunette.domain.observations import Observation
from lunette.domain.plans import Plan
from lunette.domain.sizes import MIB
from lunette.domain.steps import AnyStep, MemberDisk, PoolAdd, PoolAddSpecial, PoolTakeOut
from lunette.domain.units import counted
from lunette.planner.checks.ailing import ailing
from lunette.planner.engines.known_array import KnownArray
from lunette.planner.engines.request import ArrayChangeRequest
from lunette.providers.arrays.zfs import plan as zfs
from lunette.providers.arrays.zfs import space

MIRRORED = (MemberRole.LOG, MemberRole.SPECIAL)
"""Roles whose disks form one mirror."""
MAX_MIRROR = 4
FUZZ_BYTES = 16 * MIB
"""Tolerance within which disks have the same size for ZFS (ZPOOL_FUZZ, cmd/zpool/zpool_vdev.c)."""


def least_bytes(ask: ArrayChangeRequest, role: MemberRole) -> int:
    """Required capacity of a disk to replace, or be added to, one of this role."""
    if role is MemberRole.DATA:
        return ask.disk_bytes
    smallest = zfs.MIN_DISK_BYTES + FUZZ_BYTES
    if role in MIRRORED:
        ids = [m.disk_id for m in ask.found.members if m.role is role]
        sizes = [disk.size_bytes for id_ in ids if id_ and (disk := ask.seen.disk(id_))]
        smallest = max(smallest, min(sizes, default=0) - FUZZ_BYTES)
    return smallest


def plan_add(array: KnownArray, spec: ArrayAddDisks, seen: Observation, owners: Mapping[str, str]) -> Plan:
    """Adds log or special disks to the existing mirror. Refuses special disks that are less redundant than the data.

    Raises Conflict or Invalid with the reason.
    """
    role = MemberRole(spec.role)
    ask = ArrayChangeRequest(array, seen, f"No disk was added to array {array.name}", owners)
    present = [member for member in ask.found.members if member.role is role]
    beside = _mirrored(ask, role, present)
    _check_count(ask, role, len(present), len(spec.disks))
    fields = {f"disks[{index}]": reference for index, reference in enumerate(spec.disks)}
    disks, wipes, lost = ask.take(fields, spec.wipe, least_bytes(ask, role))
    kind = PoolAddSpecial if role is MemberRole.SPECIAL and beside is None else PoolAdd
    step: AnyStep = kind(
        array_id=array.id,
        guid=array.uuid,
        pool=array.group,
        role=role,
        beside=beside,
        disk_bytes=least_bytes(ask, role),
        members=tuple(MemberDisk(disk_id=disk.id, serial=disk.serial) for disk in disks),
    )
    count = counted(len(disks), f"{role.value} disk")
    warnings = (zfs.ONE_LOG,) if role is MemberRole.LOG and len(present) + len(disks) == 1 else ()
    return Plan(
        title=f"Add {count} to array {array.name}",
        changes=(*lost, *(ask.changed(f"disk {disk.id} becomes a {role.value} disk") for disk in disks)),
        steps=(*wipes, step),
        warnings=(*((zfs.SPECIAL_STAYS,) if kind is PoolAddSpecial else warnings), *ailing(disks)),
    )


def plan_spares(array: KnownArray, spec: ArrayAddSpares, seen: Observation, owners: Mapping[str, str]) -> Plan:
    """Adds spares; the first automatically replaces a disk that the pool has lost."""
    ask = ArrayChangeRequest(array, seen, f"No spare was added to array {array.name}", owners)
    if ask.found.level == Level.STRIPE:
        ask.add(Invalid, "disks", "stripe", f"array {array.name} is a stripe: a spare could not replace a lost disk")
    fields = {f"disks[{index}]": reference for index, reference in enumerate(spec.disks)}
    disks, wipes, lost = ask.take(fields, spec.wipe)
    step = PoolAdd(
        array_id=array.id,
        guid=array.uuid,
        pool=array.group,
        role=MemberRole.SPARE,
        disk_bytes=ask.disk_bytes,
        members=tuple(MemberDisk(disk_id=disk.id, serial=disk.serial) for disk in disks),
    )
    return Plan(
        title=f"Add {counted(len(disks), 'spare')} to array {array.name}",
        changes=(*lost, *(ask.changed(f"disk {disk.id} becomes a spare") for disk in disks)),
        steps=(*wipes, step),
        warnings=ailing(disks),
    )


def _mirrored(ask: ArrayChangeRequest, role: MemberRole, present: list[ObservedMember]) -> MemberDisk | None:
    """The disk whose mirror others of its role join; None if there is none yet. Refuses if none of them works."""
    if role not in MIRRORED or not present:
        return None
    whole = next((member for member in present if member.state == "in_sync"), None)
    if whole is None:
        words = f"none of its {role.value} disks works: replace or remove them first"
        ask.add(Conflict, "role", role.value, words)
        ask.refuse()
        return None
    return next(member for member in ask.array.members if member.disk_id == whole.disk_id)


def _check_count(ask: ArrayChangeRequest, role: MemberRole, present: int, added: int) -> None:
    if role in MIRRORED and present + added > MAX_MIRROR:
        words = f"a mirror of {role.value} disks can have up to {MAX_MIRROR} disks and already has {present}"
        ask.add(Invalid, "disks", str(added), words)
    if role is MemberRole.SPECIAL:
        problem = zfs.special_problem(Level(ask.found.level), ask.found.raid_disks, present + added)
        if problem is not None:
            ask.add(Invalid, "disks", problem.value, problem.message)


def plan_remove(array: KnownArray, spec: ArrayDiskChoice, seen: Observation) -> Plan:
    """Removes a log, cache or spare disk; a special disk only if the others are redundant enough without it."""
    ask = ArrayChangeRequest(array, seen, f"Disk {spec.disk} was not removed from array {array.name}")
    disk, place = ask.own(spec.disk)
    role = place.role if place else array.role(disk.disk_id)
    others = [m for m in ask.found.members if m.role is role and m.disk_id != disk.disk_id and m.state == "in_sync"]
    stand_in = _stand_in(ask, place)
    if role is MemberRole.SPARE and place is not None and place.slot is not None:
        message = f"spare {disk.disk_id} replaces a lost disk: replace or remove the lost disk first"
        ask.add(InUse, "disk", disk.disk_id, message)
    elif role is MemberRole.DATA and not stand_in:
        message = f"disk {disk.disk_id} contains data of array {array.name}, which needs all its data disks: replace it"
        ask.add(InUse, "disk", disk.disk_id, message)
    elif role is MemberRole.SPECIAL and zfs.special_problem(Level(ask.found.level), ask.found.raid_disks, len(others)):
        message = (
            f"disk {disk.disk_id} holds metadata of array {array.name}, and the other {len(others)} special disks "
            f"are not redundant enough without it{_for_good(ask.found.level)}: replace it"
        )
        ask.add(InUse, "disk", disk.disk_id, message)
    elif place is not None and place.state == "rebuilding":
        ask.add(
            Conflict, "disk", disk.disk_id, f"disk {disk.disk_id} is being rebuilt: wait until the rebuild has finished"
        )
    ask.refuse()
    is_here = seen.disk(disk.disk_id) is not None
    detail = "it becomes available" if is_here else "it is not attached and keeps its content"
    step = PoolTakeOut(array_id=array.id, guid=array.uuid, pool=array.group, role=role, member=disk, stays=stand_in)
    return Plan(
        title=f"Remove disk {disk.disk_id} from array {array.name}",
        changes=(
            ask.changed(f"{role.value} disk {disk.disk_id} is removed: {detail}"),
            *((ask.changed(f"spare {stand_in.disk_id} permanently replaces it"),) if stand_in else ()),
        ),
        steps=(step,),
        warnings=_without(role, len(others)),
    )


def _stand_in(ask: ArrayChangeRequest, place: ObservedMember | None) -> MemberDisk | None:
    """The spare disk that holds all data of a lost disk. A distributed spare is not a disk, and cannot replace one
    permanently.
    """
    if place is None or place.slot is None or place.state not in ("missing", "faulty"):
        return None
    spare = next(
        (m for m in ask.found.members if m.slot == place.slot and m.role is MemberRole.SPARE and m.state == "in_sync"),
        None,
    )
    return next((m for m in ask.array.members if spare is not None and m.disk_id == spare.disk_id), None)


def _for_good(level: str) -> str:
    """What OpenZFS does not support (spa_vdev_remove_top_check, module/zfs/vdev_removal.c)."""
    return "; the last special disks of a pool with raidz cannot be removed" if space.parity(Level(level)) else ""


def _without(role: MemberRole, left: int) -> tuple[str, ...]:
    if role is not MemberRole.LOG or left > 1:
        return ()
    return (zfs.ONE_LOG if left else "Synchronous writes then go to the data disks and take longer.",)
