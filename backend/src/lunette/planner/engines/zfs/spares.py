"""Automatic handling of a pool's spares: one replaces a lost disk, and is returned later.

OpenZFS leaves that to its event daemon, which is masked here (docs/decisions/0038): the watcher does it instead, at
each observation of the machine.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from lunette.domain.arrays import MemberRole, ObservedArray, ObservedMember
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.domain.steps import AnyStep, MemberDisk, PoolSpareBack, PoolSpareIn
from lunette.planner.engines.known_array import KnownArray

_LOST = ("missing", "faulty")


def plan_spares(array: KnownArray, found: ObservedArray) -> Plan | None:
    """The next change; None if there is none. One at a time: the disks are filled one after another."""
    slots: dict[int, list[ObservedMember]] = defaultdict(list)
    for member in found.members:
        if member.slot is not None:
            slots[member.slot].append(member)
    return _back(array, found, slots) or _step_in(array, found, slots)


def _step_in(array: KnownArray, found: ObservedArray, slots: Mapping[int, Sequence[ObservedMember]]) -> Plan | None:
    """For the first place without a working disk, the first available spare."""
    spare = next((m for m in found.members if m.role is MemberRole.SPARE and m.state == "spare"), None)
    place = next((members for members in slots.values() if all(m.state in _LOST for m in members)), None)
    old = _known(array, place[0].disk_id) if place else None
    if spare is None or old is None:
        return None
    name = _name(spare)
    step = PoolSpareIn(
        array_id=array.id, guid=array.uuid, pool=array.group, old=old, spare=_known(array, spare.disk_id), name=name
    )
    return _plan(array, f"Spare {name} replaces disk {old.disk_id} of array {array.name}", step)


def _back(array: KnownArray, found: ObservedArray, slots: Mapping[int, Sequence[ObservedMember]]) -> Plan | None:
    """The disk that a spare replaces is back and up to date."""
    if found.progress is not None and found.progress.action == "recover":
        return None
    for members in slots.values():
        spare = next((member for member in members if member.role is MemberRole.SPARE), None)
        if spare is not None and any(m.role is MemberRole.DATA and m.state == "in_sync" for m in members):
            name = _name(spare)
            step = PoolSpareBack(
                array_id=array.id, guid=array.uuid, pool=array.group, spare=_known(array, spare.disk_id), name=name
            )
            return _plan(array, f"Spare {name} of array {array.name} is available again", step)
    return None


def _plan(array: KnownArray, title: str, step: AnyStep) -> Plan:
    change = PlannedChange(action=Action.CHANGE, noun="array", name=array.name, detail=title)
    return Plan(title=title, changes=(change,), steps=(step,))


def _name(spare: ObservedMember) -> str:
    """A disk by its ID, a distributed spare by its name in zpool."""
    return spare.disk_id or spare.device or ""


def _known(array: KnownArray, disk_id: str | None) -> MemberDisk | None:
    return next((member for member in array.members if member.disk_id == disk_id), None)
