"""Moves spares within a spare group: from a healthy array to one that lost a disk and has no spare.

The same as mdadm's monitor does for `spare-group` in mdadm.conf (mdadm(8)); here as a plan, one disk at a time.
"""

from collections.abc import Iterator, Sequence

from lunette.domain.arrays import ArrayState, ObservedArray
from lunette.domain.base import Model
from lunette.domain.disk_health import findings
from lunette.domain.disks import ObservedDisk
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.domain.steps import MdAdd, MdSpareOut, MemberDisk
from lunette.planner.engines.array_engines import ARRAY_ENGINES
from lunette.planner.engines.known_array import KnownArray
from lunette.planner.engines.md.changes import FULL

Pair = tuple[KnownArray, ObservedArray]
_LOST = ("missing", "faulty")


class Move(Model):
    """A spare that moves from `donor` to `recipient`, which are IDs of arrays."""

    plan: Plan
    donor: str
    recipient: str


def plan_move(group: str, pairs: Sequence[Pair], seen: Observation) -> Move | None:
    """The next move; None if no array of the group needs a spare, or no spare fits.

    `pairs`: the arrays of the group without a running job, with their observation. The smallest spare that fits is
    used.
    """
    for recipient, found in pairs:
        if not _needs(recipient, found):
            continue
        spares = sorted(_fitting(recipient, found, pairs, seen), key=lambda one: (one[1].size_bytes, one[0][0].name))
        if spares:
            (donor, lends), disk = spares[0]
            return _move(group, (recipient, found), (donor, lends), MemberDisk(disk_id=disk.id, serial=disk.serial))
    return None


def _needs(array: KnownArray, found: ObservedArray) -> bool:
    """True if it lost a disk, and no spare can replace it or is replacing it."""
    if not ARRAY_ENGINES[array.engine].shares_spares:
        return False
    if found.state is not ArrayState.DEGRADED or found.is_reshaping:
        return False
    is_short = any(member.slot is not None and member.state in _LOST for member in found.members)
    comes = any(member.state in ("spare", "rebuilding", "replacing") for member in found.members)
    return is_short and not comes and found.progress is None and found.disk_bytes is not None


def _fitting(
    recipient: KnownArray, short: ObservedArray, pairs: Sequence[Pair], seen: Observation
) -> Iterator[tuple[Pair, ObservedDisk]]:
    """Healthy spares of healthy arrays that are large enough and have the sector size of the degraded array."""
    sectors = {disk.logical_block_bytes for m in recipient.members if (disk := seen.disk(m.disk_id))}
    for donor, found in pairs:
        shares = ARRAY_ENGINES[donor.engine].shares_spares
        if not shares or found.state is not ArrayState.CLEAN or found.is_reshaping:
            continue
        serials = {member.disk_id: member.serial for member in donor.members}
        for member in found.members:
            disk = seen.disk(member.disk_id) if member.state == "spare" and member.disk_id else None
            if disk is None or serials.get(disk.id) != disk.serial or found.disk_bytes is None:
                continue
            is_failing = disk.health is not None and any(one.is_failing for one in findings(disk.health, {}))
            fits = disk.size_bytes >= (short.disk_bytes or 0) and sectors <= {disk.logical_block_bytes}
            if fits and not is_failing:
                yield (donor, found), disk


def _move(group: str, taking: Pair, giving: Pair, disk: MemberDisk) -> Move:
    (recipient, short), (donor, whole) = taking, giving
    out = MdSpareOut(
        array_id=donor.id, uuid=donor.uuid, md_name=donor.engine_name, member=disk, disk_bytes=whole.disk_bytes or 0
    )
    add = MdAdd(
        array_id=recipient.id,
        uuid=recipient.uuid,
        md_name=recipient.engine_name,
        member=disk,
        disk_bytes=short.disk_bytes or 0,
    )
    gets = f"spare {disk.disk_id} of array {donor.name} replaces the lost disk"
    lends = f"its spare {disk.disk_id} moves permanently to array {recipient.name}"
    plan = Plan(
        title=f"Spare {disk.disk_id} of array {donor.name} moves to array {recipient.name}, which lost a disk "
        f"(spare group {group})",
        changes=tuple(
            PlannedChange(action=Action.CHANGE, noun="array", name=name, detail=detail)
            for name, detail in ((recipient.name, gets), (donor.name, lends))
        ),
        steps=(out, add),
        warnings=(FULL,),
    )
    return Move(plan=plan, donor=donor.id, recipient=recipient.id)
