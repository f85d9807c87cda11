"""The action that removes the cause of an alert, from the key of the alert and the present state of its object."""

from collections.abc import Sequence

from sqlalchemy.orm import Session

from lunette.api.answers.arrays import Array, ArrayHealth, ArrayMember
from lunette.api.answers.journal import Remedy, RemedyAction
from lunette.api.answers.seen import Observed
from lunette.api.requests import joins
from lunette.domain.arrays import Level, MemberRole
from lunette.domain.jobs import JobState
from lunette.engine.conditions.disk_health import WITHOUT_REDUNDANCY, asks_for_replacement
from lunette.store.journal import Alert, Job
from lunette.store.resources import Array as ArrayRow
from lunette.store.resources import ArrayDisk, Host
from lunette.store.schedules import Schedule

_LOST = ("faulty", "missing")
_REPLACED = (MemberRole.DATA, MemberRole.LOG)
"""Roles in which a lost disk is replaced; a lost cache or spare is removed and another one added."""


def remedies(tx: Session, rows: Sequence[Alert], seen: Observed) -> list[Remedy | None]:
    """The remedy of each alert."""
    return [_remedy(tx, row, seen) if row.resolved_at is None else None for row in rows]


def _remedy(tx: Session, row: Alert, seen: Observed) -> Remedy | None:
    kind, _, subject = row.key.partition(":")
    if kind == "array.locked":
        locked = tx.get(ArrayRow, subject)
        return _of(RemedyAction.UNLOCK_ARRAY, array=locked.name) if locked else None
    if kind == "job.stuck":
        job = tx.get(Job, subject)
        return _of(RemedyAction.RESOLVE_JOB, job=job.id) if job and job.state == JobState.STUCK.value else None
    if kind == "schedule.failed":
        schedule = tx.get(Schedule, subject)
        return _of(RemedyAction.RUN_SCHEDULE, schedule=schedule.name) if schedule else None
    if kind == "host.secret":
        host = tx.get(Host, subject)
        return _of(RemedyAction.SET_HOST_SECRETS, host=host.name) if host else None
    return _replacement(tx, kind, subject, seen)


def _replacement(tx: Session, kind: str, subject: str, seen: Observed) -> Remedy | None:
    """Replacing a disk: one that an array lost, or one that will fail while its array is redundant."""
    array_id, _, disk_id = subject.partition(":")
    if kind.startswith("disk."):
        disk_id = subject
        member = tx.get(ArrayDisk, disk_id)
        array_id = member.array_id if member and asks_for_replacement(kind.removeprefix("disk.")) else ""
    elif kind not in ("array.health", "array.disk"):
        return None
    row = tx.get(ArrayRow, array_id)
    if row is None or Level(row.level) in WITHOUT_REDUNDANCY:
        return None
    (array,) = joins.arrays(tx, [row], seen)
    chosen = next((one for one in array.members if _is_replaced(array, one, kind, disk_id)), None)
    return _of(RemedyAction.REPLACE_DISK, array=array.name, disk=chosen.disk_id) if chosen else None


def _is_replaced(array: Array, member: ArrayMember, kind: str, disk_id: str) -> bool:
    if member.leaving or (disk_id and member.disk_id != disk_id):
        return False
    if kind.startswith("disk."):
        return array.health is ArrayHealth.CLEAN
    is_lost = member.state in _LOST and member.role in _REPLACED
    return is_lost and (kind == "array.disk" or array.health is ArrayHealth.DEGRADED)


def _of(
    action: RemedyAction,
    *,
    array: str | None = None,
    disk: str | None = None,
    job: str | None = None,
    schedule: str | None = None,
    host: str | None = None,
) -> Remedy:
    return Remedy(action=action, array=array, disk=disk, job=job, schedule=schedule, host=host)
