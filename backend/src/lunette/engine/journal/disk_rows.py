"""Which disks belong to an array: rows follow the steps of jobs. A new disk has its row from the request on."""

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from lunette.domain.arrays import MemberRole
from lunette.domain.disks import ObservedDisk
from lunette.domain.jobs import ResourceState
from lunette.domain.observations import Observation
from lunette.domain.plans import Plan
from lunette.domain.steps import (
    LvmRaidReplace,
    MdAdd,
    MdRemove,
    MdReplace,
    MdSpareOut,
    MemberDisk,
    PoolAdd,
    PoolAddSpecial,
    PoolRelease,
    PoolReplace,
    PoolTakeOut,
)
from lunette.engine.context.services import Services
from lunette.engine.exports import exportset
from lunette.providers.disks.identity import is_shared
from lunette.store.database import Store
from lunette.store.journal import Job
from lunette.store.resources import Array, ArrayDisk


def joining(plan: Plan) -> tuple[MemberDisk, ...]:
    """The disks that the plan adds to an array. A disk lent by another array belongs to that array until the job is
    done.
    """
    lent = {step.member.disk_id for step in plan.steps if isinstance(step, MdSpareOut)}
    joins = [step.member for step in plan.steps if isinstance(step, MdAdd) and not step.returns]
    added = [member for member in joins if member.disk_id not in lent]
    joining = [member for step in plan.steps if isinstance(step, PoolAdd | PoolAddSpecial) for member in step.members]
    filled = [step.new for step in plan.steps if isinstance(step, MdReplace | PoolReplace | LvmRaidReplace)]
    return (*added, *joining, *filled)


def observed_roles(seen: Observation, uuid: str) -> dict[str, str]:
    """The roles of an array's disks on the machine, by ID, for rows; a spare of md counts as a data disk."""
    found = next((array for array in seen.arrays if array.uuid == uuid), None)
    return {member.disk_id: member.role.value for member in found.members if member.disk_id} if found else {}


def claim(array: Array, plan: Plan) -> None:
    """Assigns new disks to the array, so that no other request takes them meanwhile."""
    roles = {disk.disk_id: disk.role for disk in array.disks}
    for step in plan.steps:
        if isinstance(step, PoolAdd | PoolAddSpecial):
            roles |= {member.disk_id: step.role.value for member in step.members}
        elif isinstance(step, PoolReplace):
            roles[step.new.disk_id] = roles.get(step.old.disk_id, MemberRole.DATA.value)
    heirs = _heirs(plan)
    mostly = {new for new, old in heirs.items() if old in array.write_mostly}
    first = max((disk.slot for disk in array.disks), default=-1) + 1
    for slot, member in enumerate(joining(plan), first):
        role = roles.get(member.disk_id, MemberRole.DATA.value)
        array.disks.append(
            ArrayDisk(
                disk_id=member.disk_id,
                serial=member.serial,
                slot=slot,
                role=role,
                write_mostly=member.disk_id in mostly,
            )
        )


def _heirs(plan: Plan) -> dict[str, str]:
    """The disk that each new disk of md replaces, by ID: a working one is copied, any other is removed."""
    copied = {step.new.disk_id: step.old.disk_id for step in plan.steps if isinstance(step, MdReplace)}
    added = [step.member.disk_id for step in plan.steps if isinstance(step, MdAdd) and not step.returns]
    removed = [step.member.disk_id for step in plan.steps if isinstance(step, MdRemove)]
    return copied | dict(zip(added, removed, strict=False))


def changed(tx: Session, job: Job) -> None:
    """After success: removed disks leave, and copied disks leave later."""
    plan = Plan.model_validate(job.plan)
    gone = [step.member for step in plan.steps if isinstance(step, MdRemove | PoolRelease | PoolTakeOut)]
    gone += [step.old for step in plan.steps if isinstance(step, LvmRaidReplace)]
    _drop(tx, job, gone)
    for step in plan.steps:
        if isinstance(step, PoolTakeOut) and step.stays is not None:
            tx.get_one(ArrayDisk, step.stays.disk_id).role = MemberRole.DATA.value
    _hand_over(tx, plan)
    for step in plan.steps:
        if isinstance(step, MdReplace | PoolReplace) and step.old not in gone:
            tx.get_one(ArrayDisk, step.old.disk_id).leaving = True


def _hand_over(tx: Session, plan: Plan) -> None:
    """A spare that one array lent to another now belongs to the other."""
    lent = {step.member.disk_id for step in plan.steps if isinstance(step, MdSpareOut)}
    for step in plan.steps:
        if isinstance(step, MdAdd) and step.member.disk_id in lent:
            recipient, row = tx.get_one(Array, step.array_id), tx.get_one(ArrayDisk, step.member.disk_id)
            donor = tx.get_one(Array, row.array_id)
            row.slot = max((disk.slot for disk in recipient.disks), default=-1) + 1
            row.array_id, row.write_mostly = recipient.id, False
            tx.flush()
            for array in (recipient, donor):
                tx.expire(array, ["disks"])


def follow_links(store: Store, services: Services, seen: Observation) -> None:
    """Updates the IDs of disks that an older version stored under another of their links.

    A row follows only to a disk with the recorded serial that the machine shows as a member of the row's own array: a
    running array names its members, for a stopped one of md or LVM the superblocks do, also while disks are missing. A
    row whose array is not observed at all keeps its ID, because then a link is all there is, and udev may have moved it
    to the other LUN of the drive. Nothing waits for the ID: an array is started by the content of its disks, and the
    row follows as soon as the array is observed.
    """
    names = {disk.id for disk in seen.disks}
    query = select(ArrayDisk.disk_id, ArrayDisk.serial, Array.uuid).join(Array)
    with store.read() as tx:
        rows = tx.execute(query.where(Array.state == ResourceState.READY.value, ArrayDisk.disk_id.not_in(names))).all()
        taken = set(tx.scalars(select(ArrayDisk.disk_id))) if rows else set()
    renamed: dict[str, str] = {}
    for array in seen.arrays if rows else ():
        gone = {name: serial for name, serial, uuid in rows if uuid == array.uuid}
        free = {member.disk_id for member in array.members} - taken
        renamed |= _matched(gone, [disk for disk in seen.disks if disk.id in free], seen.disks)
    if not renamed:
        return
    with store.write() as tx:
        found = select(ArrayDisk).join(Array).where(ArrayDisk.disk_id.in_(renamed))
        for row in tx.scalars(found.where(Array.state == ResourceState.READY.value)):
            row.disk_id = renamed[row.disk_id]
        exportset.changed(tx, services)


def _matched(gone: Mapping[str, str], free: Sequence[ObservedDisk], disks: Sequence[ObservedDisk]) -> dict[str, str]:
    """Matches rows without a disk to members of their array without a row; `gone` has the serials of those.

    A link that udev derives from a serial leads to any one of the LUNs that report it, so it decides nothing while
    there is a choice: the row is then matched last, if one member is left for it, and no other row could be that.
    """
    found: dict[str, str] = {}
    for serial in {*gone.values()}:
        alike = [disk for disk in disks if disk.serial == serial]
        leads = {name: next((disk for disk in alike if name in disk.links), None) for name in gone}
        rows = [name for name, own in gone.items() if own == serial]
        shared = [name for name in rows if is_shared(name, [link for disk in alike for link in disk.links], serial)]
        for name in rows:
            disk = leads[name]
            if name not in shared and disk in free and disk is not None and disk.id not in found.values():
                found[name] = disk.id
        left = [disk for disk in free if disk in alike and disk.id not in found.values()]
        if serial and len(shared) == len(left) == 1 and leads[shared[0]]:
            found[shared[0]] = left[0].id
    return found


def recognise(store: Store, services: Services, seen: Observation) -> None:
    """Replaces kernel names of indistinguishable disks by the ID of their present content."""
    named = {disk.id for disk in seen.disks if not disk.is_known and disk.array_uuid}
    places = {array.uuid: {m.disk_id: m.device or "" for m in array.members if m.disk_id} for array in seen.arrays}
    if not named:
        return
    with store.write() as tx:
        for array in tx.scalars(select(Array).where(Array.state == ResourceState.READY.value)):
            members = places.get(array.uuid, {})
            taken = {row.disk_id for row in array.disks}
            new = {disk_id: device for disk_id, device in members.items() if disk_id in named - taken}
            for row in [row for row in array.disks if row.disk_id not in members]:
                same = [disk_id for disk_id, device in new.items() if device == f"/dev/{row.disk_id}"]
                if row.serial == "" and (chosen := next(iter([*same, *new]), None)) is not None:
                    row.disk_id = chosen
                    del new[chosen]
                    exportset.changed(tx, services)


def unchanged(tx: Session, job: Job) -> None:
    """The job was rolled back: disks that were to join do not belong to the array."""
    _drop(tx, job, joining(Plan.model_validate(job.plan)))


def _drop(tx: Session, job: Job, members: Iterable[MemberDisk]) -> None:
    ids = [member.disk_id for member in members]
    tx.execute(delete(ArrayDisk).where(ArrayDisk.array_id.in_(job.resource_ids), ArrayDisk.disk_id.in_(ids)))
