"""Plans for adding members to an array, and for what remains to be done after the kernel has reshaped it.

Another level is planned in reshape.py; what remains after that is planned here too.
"""

from collections.abc import Mapping, Sequence

from lunette.domain.array_changes import ArrayGrow, ScrubAction
from lunette.domain.arrays import ArrayState, Level, ObservedArray, WriteHole
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import Conflict, Invalid
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.domain.sizes import format_size
from lunette.domain.steps import AnyStep, DiskWipe, GroupGrow, MdReshape, MdScrub, MdWriteHole
from lunette.domain.units import counted
from lunette.domain.volumes import ObservedGroup
from lunette.planner.checks.ailing import ailing
from lunette.planner.engines.known_array import KnownArray
from lunette.planner.engines.md.request import MdRequest
from lunette.planner.engines.md.write_hole import losing_log, possible
from lunette.providers.arrays.md.plan import MAX_DISKS, PPL_MAX_DISKS, parity_disks
from lunette.providers.arrays.md.raid10 import copies_of
from lunette.providers.encryption.plan import inner_bytes, mapping_of
from lunette.providers.volumes.lvm.plan import room_bytes

RAID0 = (
    "array {} is raid0: md can reshape it only as a raid4 without a parity disk, and a restart during the reshape "
    "would leave it in this state. Create a new array from the disks and move the volumes to it"
)
FAR = (
    "array {} is a raid10 with layout {}: the kernel can reshape near and offset layouts, but not far layouts. "
    "Create a new array from the disks and move the volumes to it"
)
_HOLE = (
    "The partial parity log is removed for the reshape and restored automatically afterward. Until then the write "
    "hole is open: a power failure followed by the loss of a disk can damage blocks that were not being written."
)
_RESHAPE = (
    "All blocks are read and rewritten while hosts use the array, which takes hours to days. The reshape continues "
    "automatically after a restart and cannot be undone. The added capacity is available when it has finished."
)
_COPIES = "The new disks are rebuilt from the others; until the rebuild has finished they add no redundancy."


def plan_grow(array: KnownArray, spec: ArrayGrow, seen: Observation, owners: Mapping[str, str]) -> Plan:
    """Disks become members. Refuses an array that is degraded or busy, and every layout that a power failure could
    damage.
    """
    ask = MdRequest(array, seen, f"Array {array.name} was not grown", owners)
    found, count = ask.found, len(spec.disks)
    _check(ask, count)
    fields = {f"disks[{index}]": reference for index, reference in enumerate(spec.disks)}
    disks, wipes, lost = ask.take(fields, spec.wipe)
    after = found.raid_disks + count
    reshapes = found.level != Level.RAID1
    logs = reshapes and found.write_hole is WriteHole.PPL
    steps = adding(ask, disks, wipes)
    if logs:
        steps.append(MdWriteHole(**ask.which, policy=WriteHole.NONE, was=WriteHole.PPL))
    steps.append(MdReshape(**ask.which, from_disks=found.raid_disks, to_disks=after))
    size = f", {format_size(found.size_bytes)} become about {format_size(_grown(found, after))}" if reshapes else ""
    return Plan(
        title=f"Grow array {array.name} by {counted(count, 'disk')}",
        changes=(
            *lost,
            *(ask.changed(f"disk {disk.id} becomes a member") for disk in disks),
            ask.changed(f"{found.level} of {found.raid_disks} disks becomes {found.level} of {after}{size}"),
        ),
        steps=tuple(steps),
        warnings=(
            *((_HOLE,) if logs else ()),
            _RESHAPE if reshapes else _COPIES,
            *losing_log(found, disks),
            *ailing(disks),
        ),
    )


def plan_finish(
    array: KnownArray, wanted: WriteHole, found: ObservedArray, pool: ObservedGroup | None, caches: Sequence[str] = ()
) -> Plan | None:
    """What remains to be done for a growing array; None while nothing can be; without steps, all is done.

    `caches`: its disks that have an active volatile write cache, with which a bitmap replaces the log.

    The partial parity log is restored once the array is idle: md takes a log that it could replay after a power failure
    as proof that parity is correct everywhere, and during a resync it is not (drivers/md/raid5-ppl.c, ppl_load). A
    repair corrects it, because Linux 7.2 forgets to do so after a power failure during the reshape.
    """
    if found.state in (ArrayState.MISSING, ArrayState.FAILED) or found.is_reshaping:
        return None
    steps: list[AnyStep] = []
    policy = possible(wanted, caches)
    if wanted is WriteHole.PPL and found.write_hole is not policy and found.level == Level.RAID5:
        if found.progress is not None and _runs(found) not in ("check", "repair"):
            return None
        steps.append(
            MdWriteHole(
                array_id=array.id, uuid=array.uuid, md_name=array.engine_name, policy=policy, was=found.write_hole
            )
        )
    if pool is None:
        return None
    is_larger = found.level != Level.RAID1 and pool.size_bytes < room_bytes(
        inner_bytes(found.size_bytes, array.encryption)
    )
    if is_larger:
        if found.state is ArrayState.CLEAN and found.progress is None:
            steps.append(
                MdScrub(array_id=array.id, uuid=array.uuid, md_name=array.engine_name, action=ScrubAction.REPAIR)
            )
        steps.append(
            GroupGrow(
                array_id=array.id,
                array_uuid=array.uuid,
                group=array.group,
                size_bytes=found.size_bytes,
                mapping=mapping_of(array.id, array.encryption),
            )
        )
    details = [step.describe() for step in steps]
    return Plan(
        title=f"Finish the growth of array {array.name}",
        changes=tuple(
            PlannedChange(action=Action.CHANGE, noun="array", name=array.name, detail=detail) for detail in details
        ),
        steps=tuple(steps),
    )


def must_be_quiet(ask: MdRequest, field: str, value: object, then: str = "try again") -> None:
    """Refuses an array that is degraded or busy. `then`: what to do afterward."""
    found, name = ask.found, ask.array.name
    if found.is_reshaping:
        done = f" ({found.progress.percent:.0f} % done)" if found.progress else ""
        ask.add(Conflict, field, value, f"array {name} is being reshaped{done}: wait until the reshape has finished")
    elif found.state in (ArrayState.DEGRADED, ArrayState.REBUILDING):
        message = f"array {name} is {found.state.value}: replace the lost disk, wait for the rebuild, then {then}"
        ask.add(Conflict, field, value, message)
    elif found.progress is not None or found.state is not ArrayState.CLEAN:
        runs = _runs(found) or found.state.value
        message = f"array {name} is busy ({runs}): wait until this has finished, or stop a scrub, then {then}"
        ask.add(Conflict, field, value, message)


def _check(ask: MdRequest, count: int) -> None:
    found, name = ask.found, ask.array.name
    if found.level == Level.RAID0:
        ask.add(Invalid, "disks", count, RAID0.format(name))
    elif found.level == Level.RAID10 and copies_of(found.layout).is_far:
        ask.add(Invalid, "disks", count, FAR.format(name, found.layout))
    else:
        must_be_quiet(ask, "disks", count, "grow")
    spares = sum(member.slot is None for member in found.members)
    if found.raid_disks + count + spares > MAX_DISKS:
        ask.add(Invalid, "disks", count, f"md supports up to {MAX_DISKS} disks, spares included")
    elif found.write_hole is WriteHole.PPL and found.raid_disks + count > PPL_MAX_DISKS:
        message = f"a partial parity log supports up to {PPL_MAX_DISKS} disks: create a second array from the new disks"
        ask.add(Invalid, "disks", count, message)
    ask.refuse()


def adding(ask: MdRequest, disks: Sequence[ObservedDisk], wipes: tuple[AnyStep, ...]) -> list[AnyStep]:
    """Blank disks first: reversible steps come before irreversible ones."""
    wiped = {step.disk_id for step in wipes if isinstance(step, DiskWipe)}
    blank = [ask.adding(disk) for disk in disks if disk.id not in wiped]
    return [*blank, *wipes, *(ask.adding(disk) for disk in disks if disk.id in wiped)]


def _grown(found: ObservedArray, after: int) -> int:
    parity = parity_disks(found.level)
    return found.size_bytes * (after - parity) // (found.raid_disks - parity)


def _runs(found: ObservedArray) -> str | None:
    return found.progress.action if found.progress else None
