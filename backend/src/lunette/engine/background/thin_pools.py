"""Watches the space that thin volumes share: raises alerts before it is full, and grows thin pools if their array has
space.
"""

import datetime as dt
from collections.abc import Callable, Iterator

from sqlalchemy import select, union_all
from sqlalchemy.orm import Session

from lunette.domain.alerts import Severity
from lunette.domain.arrays import ArrayEngine
from lunette.domain.errors import Unavailable
from lunette.domain.jobs import JobKind, JobState, ResourceState
from lunette.domain.observations import Observation
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.domain.sizes import format_size
from lunette.domain.steps import ThinPoolGrow
from lunette.domain.volumes import ObservedGroup, Provisioning
from lunette.engine.alerts.board import AlertBoard, Cause
from lunette.engine.changes.volumes import promised_bytes
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.loop import Loop
from lunette.engine.context.outcome import Actor, Outcome
from lunette.engine.context.services import Services
from lunette.engine.journal.filing import file_job
from lunette.planner.checks.checker import Bounds, check
from lunette.planner.engines.volume_engines import thin_pooling
from lunette.providers.volumes.lvm import plan as lvm
from lunette.store.database import Store
from lunette.store.events import SYSTEM
from lunette.store.journal import Job
from lunette.store.resources import Array, DeletedVolume, Volume
from lunette.store.schema import utc_now

PERIOD_S, BUSY_PERIOD_S = 10.0, 3.0
BUSY_PERCENT = 60
"""From this usage on, a pool is checked more often: a host can fill the rest quickly."""
RETRY_AFTER = dt.timedelta(minutes=10)
"""A pool that could not grow is not retried before this."""
FAMILIES = ("thin_pool.",)
LEVELS = ((100, Severity.CRITICAL), (95, Severity.CRITICAL), (85, Severity.WARNING), (75, Severity.WARNING))
"""Thresholds in percent used, with their severity."""
_FULL = {
    "data": "hosts get errors when they write to unallocated blocks of thin volumes",
    "metadata": "hosts get errors for writes, and the pool may need a repair",
    "space": "hosts get errors for writes to their thin volumes",
}


class PoolWatcher:
    """`look` gives an observation of at most the given age in seconds. Without thin volumes it is not called."""

    def __init__(
        self,
        store: Store,
        services: Services,
        look: Callable[[float], Observation],
        now: Callable[[], dt.datetime] = utc_now,
        *,
        pace: float = 1.0,
    ) -> None:
        self._store = store
        self._services = services
        self._look = look
        self._now = now
        self._max_age_s = BUSY_PERIOD_S * pace
        self._board = AlertBoard(store, FAMILIES)
        self._loop = Loop("pools", self.round, pace)
        self.start, self.stop, self.wake = self._loop.start, self._loop.stop, self._loop.wake

    def round(self) -> float:
        """One check. While the agent is down nothing is known, so nothing is raised, resolved or grown."""
        with self._store.read() as tx:
            thin = union_all(
                *(
                    select(one.array_id).where(one.provisioning == Provisioning.THIN.value)
                    for one in (Volume, DeletedVolume)
                )
            )
            ready = Array.state == ResourceState.READY.value
            arrays = tx.scalars(select(Array).where(ready, Array.id.in_(thin))).all()
        if not arrays:
            self._board.show((), self._now())
            return PERIOD_S
        try:
            seen = self._look(self._max_age_s)
        except Unavailable:
            return PERIOD_S
        pools = {pool.group: pool for pool in seen.groups if pool.ours}
        found = [(array, pools[array.group_name]) for array in arrays if array.group_name in pools]
        # Without its thin pool, an array that needs one has no thin volumes yet.
        pairs = [(a, pool) for a, pool in found if pool.thin or thin_pooling(ArrayEngine(a.engine)) is None]
        for array, pool in pairs:
            if lvm.pool_growth(pool) is not None:
                with self._store.write() as tx:
                    self._grow(tx, array, pool, seen)
        self._board.show((cause for array, pool in pairs for cause in causes_of(array, pool)), self._now())
        is_busy = any(used * 100 >= size * BUSY_PERCENT for _, pool in pairs for _, used, size in _parts(pool))
        return BUSY_PERIOD_S if is_busy else PERIOD_S

    def _grow(self, tx: Session, array: Array, pool: ObservedGroup, seen: Observation) -> None:
        """Files the job, unless one is running or failed recently, or the free space is reserved for others."""
        promised = promised_bytes(tx, [array], seen)[array.id]
        step = lvm.pool_growth(pool.model_copy(update={"free_bytes": max(0, pool.free_bytes - promised)}))
        if step is None or self._was_tried(tx, array):
            return
        plan = plan_growth(array.name, step)
        check(plan, seen, Bounds(promised={pool.group: promised}))
        context = ChangeContext(tx, self._services, Actor(name=SYSTEM))
        file_job(context, JobKind.THIN_POOL_GROW, Outcome(plan=plan, ids=(array.id,)))

    def _was_tried(self, tx: Session, array: Array) -> bool:
        query = select(Job).where(Job.kind == JobKind.THIN_POOL_GROW.value, Job.created_at > self._now() - RETRY_AFTER)
        return any(job.resource_ids == [array.id] and job.state != JobState.SUCCEEDED for job in tx.scalars(query))


def plan_growth(array: str, step: ThinPoolGrow) -> Plan:
    """The plan of automatic growth."""
    detail = f"{format_size(step.data_bytes)} of data, {format_size(step.metadata_bytes)} of metadata"
    change = PlannedChange(action=Action.CHANGE, noun="array", name=array, detail=f"its thin pool grows to {detail}")
    return Plan(title=f"Grow the thin pool of array {array}", changes=(change,), steps=(step,))


def causes_of(array: Array, pool: ObservedGroup) -> Iterator[Cause]:
    """The alerts for the usage of a pool. The text changes only with the threshold, not with every percent."""
    for what, used, size in _parts(pool):
        level = next(((at, grave) for at, grave in LEVELS if used * 100 >= size * at), None)
        if level is None:
            continue
        percent, severity = level
        words = f"is full: {_FULL[what]}" if percent == 100 else f"is more than {percent} % full"
        yield Cause(
            key=f"thin_pool.{what}:{array.id}",
            severity=severity,
            message=f"The {what} of {'the thin pool of ' if pool.thin else ''}array {array.name} {words}",
            cause=f"Thin volumes {'and snapshots ' if pool.thin else ''}share {format_size(size)} of {what}",
            fix=_fix(pool),
        )


def _fix(pool: ObservedGroup) -> str:
    if pool.thin is None:
        return "Erase deleted volumes and snapshots, delete others, or free unused blocks on the hosts (fstrim)."
    if pool.free_bytes // pool.extent_bytes:
        return "It grows automatically while its array has free space; make sure that enough space is left."
    return (
        "Its array has no free space left. Erase deleted volumes and snapshots, delete others, free unused blocks on "
        "the hosts (fstrim), or add space to the array."
    )


def _parts(pool: ObservedGroup) -> Iterator[tuple[str, int, int]]:
    """The shared space of thin volumes, with its usage: data and metadata of a thin pool, or else the whole array."""
    if pool.thin is None:
        yield "space", pool.size_bytes - pool.free_bytes, pool.size_bytes
    if pool.thin and pool.thin.used_bytes is not None:
        yield "data", pool.thin.used_bytes, pool.thin.size_bytes
    if pool.thin and pool.thin.metadata_used_bytes is not None:
        yield "metadata", pool.thin.metadata_used_bytes, pool.thin.metadata_bytes
