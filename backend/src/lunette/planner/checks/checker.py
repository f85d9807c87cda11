"""Refuses bad plans, without knowing how they were made (DESIGN R3).

Every fault found here is a mistake of the planner, not of the user: the change is refused as a whole.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from lunette.domain.arrays import ArrayState
from lunette.domain.base import Model
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import LunetteError
from lunette.domain.observations import Observation
from lunette.domain.plans import Plan
from lunette.domain.steps import (
    AnyStep,
    DiskErase,
    DiskWipe,
    ExportsGone,
    GroupCreate,
    LuksCreate,
    LvmRaidCreate,
    LvmRaidDestroy,
    LvmRaidReplace,
    MdAdd,
    MdCreate,
    MdDestroy,
    MdReplace,
    MdSpareOut,
    MdStep,
    MdWriteHole,
    MemberDisk,
    PoolAdd,
    PoolAddSpecial,
    PoolCreate,
    PoolDestroy,
    PoolReplace,
    PoolStep,
    SlotStart,
    SlotWrite,
    SnapshotAside,
    SnapshotDelete,
    ThinPoolCreate,
    ThinPoolGrow,
    VolumeAside,
    VolumeCut,
    VolumeDelete,
    VolumeGrow,
    VolumeRollBack,
    VolumeSetAside,
    VolumesSeal,
    VolumeSwap,
)
from lunette.domain.volumes import ObservedGroup, ObservedVolume, Provisioning
from lunette.planner.checks.unseen import check_seen


class Bounds(Model):
    """What a plan may do. `wipe` are the disks that the request named; `promised` bytes per group must not be
    allocated.
    """

    wipe: frozenset[str] = frozenset()
    promised: Mapping[str, int] = {}


class LunUse(Model):
    """One LUN of one owner."""

    owner_id: str
    volume_id: str
    lun: int


def check(plan: Plan, seen: Observation, bounds: Bounds) -> None:
    """Raises LunetteError, changing nothing, if the plan violates a rule, or Conflict if it changes what is not
    observed.
    """
    check_seen(plan.title, plan.steps, seen)
    _refuse(plan.title, [*faults(plan, seen, bounds)])


def check_luns(title: str, new: Sequence[LunUse], present: Sequence[LunUse]) -> None:
    """Raises LunetteError if an owner would have a LUN or a volume twice."""
    _refuse(title, [*lun_faults(new, present)])


def _refuse(title: str, found: Sequence[str]) -> None:
    if found:
        raise LunetteError(
            f"{title}: the plan failed its consistency check, and nothing was changed. This is a bug in Lunette; "
            f"report it: {'; '.join(found)}.",
            log="; ".join(found),
        )


def faults(plan: Plan, seen: Observation, bounds: Bounds) -> Iterator[str]:
    """Every rule that the plan violates, in words."""
    yield from _order(plan.steps)
    yield from _disks(plan.steps, seen, bounds.wipe)
    yield from _names(plan.steps, seen)
    yield from _space(plan.steps, seen, bounds.promised)
    yield from _seals(plan.steps)
    yield from _removals(plan.steps, seen)


def _order(steps: Sequence[AnyStep]) -> Iterator[str]:
    """A reversible step may follow an irreversible one only if it depends on such a step."""
    grounded: list[int] = []
    """Irreversible steps, and the steps that depend on them."""
    for index, step in enumerate(steps):
        if step.irreversible or any(_stands_on(step, steps[earlier]) for earlier in grounded):
            grounded.append(index)
        elif grounded:
            first = grounded[0]
            yield f"step {first} ({steps[first].kind}) cannot be undone and runs before step {index} ({step.kind})"


def _stands_on(later: AnyStep, earlier: AnyStep) -> bool:
    match later, earlier:
        case (
            MdCreate() | MdAdd() | MdReplace() | PoolCreate() | PoolAdd() | PoolReplace() | LvmRaidCreate(),
            DiskWipe(),
        ):
            return earlier.disk_id in later.devices()
        case GroupCreate() | LuksCreate(), MdCreate() | LvmRaidCreate() | LuksCreate():
            return later.array_id == earlier.array_id
        case GroupCreate(), DiskWipe():
            return earlier.disk_id in later.devices()
        case MdWriteHole(), MdAdd():
            return later.uuid == earlier.uuid
        case SlotStart(), SlotWrite():
            return later.slot == earlier.slot and later.version == earlier.version
        case VolumeSwap(), SnapshotDelete():  # ZFS rolls back past no newer snapshot
            return earlier.backing_name.startswith(f"{later.backing_name}@")
    return False


def _disks(steps: Sequence[AnyStep], seen: Observation, may_wipe: frozenset[str]) -> Iterator[str]:
    wipes = [step for step in steps if isinstance(step, DiskWipe | DiskErase)]
    members = [member for step in steps for member in _joining(step)]
    for disk_id, uses in Counter(member.disk_id for member in members).items():
        if uses > 1:
            yield f"disk {disk_id} is used {uses} times"
    for disk_id, uses in Counter(step.disk_id for step in wipes).items():
        if uses > 1:
            yield f"disk {disk_id} is wiped {uses} times"
        if disk_id not in may_wipe:
            yield f"disk {disk_id} would be wiped, but the request does not list it"
    wiped = {step.disk_id: step for step in wipes}
    given = {step.member.disk_id: step.uuid for step in steps if isinstance(step, MdSpareOut)}
    named = [(step.disk_id, step.serial) for step in wipes] + [(member.disk_id, member.serial) for member in members]
    for disk_id, serial in dict.fromkeys(named):
        disk = seen.disk(disk_id)
        if disk is None or disk.id != disk_id:
            yield f"disk {disk_id} was not found under this ID"
        elif disk.serial != serial:
            yield f"disk {disk_id} has serial {disk.serial}, the plan says {serial}"
        elif disk_id not in given:
            yield from _use(disk, wiped.get(disk_id))
        elif not _is_spare(seen, given[disk_id], disk_id):
            yield f"disk {disk_id} is not a spare of the array it is taken from"


def _use(disk: ObservedDisk, wipe: DiskWipe | DiskErase | None) -> Iterator[str]:
    """What prevents using this disk, whether it is wiped before or not."""
    if disk.is_busy():
        yield f"disk {disk.id} is busy"
    elif disk.occupation() and wipe is None:
        yield f"disk {disk.id} is not blank and is not wiped first"
    elif wipe is not None and wipe.signatures != disk.signatures:
        yield f"disk {disk.id} carries other signatures than the plan lists"


def _is_spare(seen: Observation, uuid: str, disk_id: str) -> bool:
    """True if the disk is an unused spare of this array, and the array is healthy."""
    found = next((one for one in seen.arrays if one.uuid == uuid), None)
    place = next((one for one in found.members if one.disk_id == disk_id), None) if found else None
    return place is not None and found is not None and (place.state, found.state) == ("spare", ArrayState.CLEAN)


def _joining(step: AnyStep) -> tuple[MemberDisk, ...]:
    """The disks that must be blank when the step runs."""
    match step:
        case MdCreate():
            return (*step.members, *step.spares)
        case MdAdd(returns=False):
            return (step.member,)
        case MdReplace() | PoolReplace() | LvmRaidReplace():
            return (step.new,)
        case LvmRaidCreate():
            return step.members
        case PoolCreate():
            return step.everyone()
        case PoolAdd() | PoolAddSpecial():
            return step.members
        case GroupCreate(disk=MemberDisk() as disk):
            return (disk,)
    return ()


def _names(steps: Sequence[AnyStep], seen: Observation) -> Iterator[str]:
    arrays = {array.name for array in seen.arrays} | {array.uuid for array in seen.arrays}
    groups = {pool.group for pool in seen.groups}
    cut = {(volume.group, volume.name) for volume in seen.volumes}
    for step in steps:
        if (made := _made_array(step)) is not None:
            if taken := {*made} & (arrays | groups):
                yield f"array name or UUID {', '.join(sorted(taken))} is taken"
            arrays |= {*made}
        match step:
            case GroupCreate():
                if step.group in groups:
                    yield f"group {step.group} exists"
                groups.add(step.group)
            case VolumeCut():
                if (step.group, step.backing_name) in cut:
                    yield f"volume {step.backing_name} exists in {step.group}"
                cut.add((step.group, step.backing_name))
            case VolumeAside():
                if {(step.group, name) for name in step.names()} <= cut:
                    yield f"{step.group} has both {' and '.join(step.names())}"
            case VolumeSwap():
                if (step.group, step.aside_name) in cut:
                    yield f"volume {step.aside_name} exists in {step.group}"


def _made_array(step: AnyStep) -> tuple[str, str] | None:
    """Name and UUID of the array that a step creates, as its engine knows it."""
    match step:
        case MdCreate():
            return step.md_name, step.uuid
        case PoolCreate():
            return step.pool, step.guid
        case LvmRaidCreate():
            return step.raid_group, step.uuid
    return None


def _space(steps: Sequence[AnyStep], seen: Observation, promised: Mapping[str, int]) -> Iterator[str]:
    wanted: Counter[str] = Counter()
    pools = {pool.group: pool for pool in seen.groups}
    thin = {pool.group for pool in seen.groups if pool.thin} | {s.group for s in steps if isinstance(s, ThinPoolCreate)}
    for step in steps:
        if not isinstance(step, VolumeCut | VolumeGrow | ThinPoolCreate | ThinPoolGrow):
            continue
        pool = pools.get(step.group)
        if pool is None:
            yield f"group {step.group} was not found"
            continue
        sizes = _taken(step, pool)
        pool_name = step.pool if isinstance(step, VolumeCut | VolumeGrow) else None
        is_thin = pool_name is not None or (isinstance(step, VolumeCut) and step.provisioning is Provisioning.THIN)
        wanted[step.group] += 0 if is_thin else sum(sizes)
        if any(size % pool.extent_bytes or size < 0 for size in sizes) or not any(sizes):
            yield f"{step.describe()}: {sizes} bytes are not a whole number of extents"
        if isinstance(step, VolumeCut) and pool_name and step.provisioning is not Provisioning.THIN:
            yield f"{step.describe()}: it is thick and takes from thin pool {pool_name}"
        if pool_name and step.group not in thin:
            yield f"{step.describe()}: {step.group} has no thin pool"
    for group, asked in wanted.items():
        free = pools[group].free_bytes - promised.get(group, 0) if group in pools else 0
        if group in pools and asked > free:
            yield f"{asked} bytes are to be allocated from {group}, which has {free} free"


def _taken(step: VolumeCut | VolumeGrow | ThinPoolCreate | ThinPoolGrow, pool: ObservedGroup) -> tuple[int, ...]:
    """The bytes that a step allocates from its group, part by part; (0,) is never correct."""
    match step:
        case VolumeCut():
            return (step.size_bytes,)
        case VolumeGrow():
            return (step.size_bytes - step.from_bytes,)
        case ThinPoolCreate():
            return step.data_bytes, step.metadata_bytes, step.metadata_bytes
        case ThinPoolGrow():
            data, metadata = (pool.thin.size_bytes, pool.thin.metadata_bytes) if pool.thin else (0, 0)
            return step.data_bytes - data, step.metadata_bytes - metadata, step.metadata_bytes - metadata


def _seals(steps: Sequence[AnyStep]) -> Iterator[str]:
    """Every created volume is sealed once, after the last one is created: a sealed volume cannot be undone."""
    cut = [(step.group, step.volume_id, step.backing_name) for step in steps if isinstance(step, VolumeCut)]
    sealed = [
        (step.group, volume.volume_id, volume.backing_name)
        for step in steps
        if isinstance(step, VolumesSeal)
        for volume in step.volumes
    ]
    if sorted(cut) != sorted(sealed):
        yield f"{len(cut)} volumes are created but {len(sealed)} are sealed, or others are sealed"
    kinds = [step.kind for step in steps]
    if "volumes.seal" in kinds and "volume.cut" in kinds[kinds.index("volumes.seal") :]:
        yield "a volume is sealed before the last one is created"


def _removals(steps: Sequence[AnyStep], seen: Observation) -> Iterator[str]:
    """What is removed waits for its exports, and carries Lunette's mark."""
    arrays = {array.uuid: array for array in seen.arrays}
    yield from _volumes_that_leave(steps, {(volume.group, volume.name): volume for volume in seen.volumes})
    for step in steps:
        match step:
            case MdDestroy() | MdStep():
                array = arrays.get(step.uuid)
                adopted = ":" in step.md_name  # it keeps its foreign name
                if array is not None and (array.system or not (array.marked or adopted)):
                    yield f"array {step.md_name} does not carry this appliance's mark"
            case LvmRaidDestroy() | LvmRaidReplace():
                array = arrays.get(step.uuid)
                if array is not None and not (array.ours and array.name == step.raid_group):
                    yield f"array {step.raid_group} does not carry this appliance's mark"
            case PoolDestroy() | PoolStep():
                array = arrays.get(step.guid)
                if array is not None and not (array.ours and array.name == step.pool):
                    yield f"pool {step.pool} does not carry this appliance's mark"


def _volumes_that_leave(
    steps: Sequence[AnyStep], on_machine: Mapping[tuple[str, str], ObservedVolume]
) -> Iterator[str]:
    idle: set[str] = set()
    for step in steps:
        if isinstance(step, ExportsGone):
            idle |= set(step.volume_ids)
        elif (
            isinstance(step, VolumeDelete | VolumeRollBack | VolumeSwap | VolumeSetAside) and step.volume_id not in idle
        ):
            yield f"{step.describe()}: without waiting for its exports"
        if isinstance(step, VolumeDelete | VolumeRollBack | VolumeSwap | VolumeGrow | VolumeAside):
            names = step.names() if isinstance(step, VolumeAside) else (step.backing_name,)
            for found in (on_machine.get((step.group, name)) for name in names):
                if found is not None and found.volume_id != step.volume_id:
                    yield f"volume {found.name} does not carry this appliance's mark"
        elif isinstance(step, SnapshotDelete | SnapshotAside):
            names = step.names() if isinstance(step, SnapshotAside) else (step.backing_name,)
            for found in (on_machine.get((step.group, name)) for name in names):
                if found is not None and found.snapshot_id != step.snapshot_id:
                    yield f"snapshot {found.name} does not carry this appliance's mark"


def lun_faults(new: Sequence[LunUse], present: Sequence[LunUse]) -> Iterator[str]:
    """Every LUN or volume that an owner would have twice."""
    numbers = {(use.owner_id, use.lun) for use in present}
    volumes = {(use.owner_id, use.volume_id) for use in present}
    for use in new:
        if not 0 <= use.lun <= 255:
            yield f"LUN {use.lun} is out of range"
        if (use.owner_id, use.lun) in numbers:
            yield f"LUN {use.lun} of {use.owner_id} is in use"
        if (use.owner_id, use.volume_id) in volumes:
            yield f"volume {use.volume_id} is already mapped to {use.owner_id}"
        numbers.add((use.owner_id, use.lun))
        volumes.add((use.owner_id, use.volume_id))
