"""Changes arrays that stand: each change of disks is a job, the pace of rebuilds is a wish the agent keeps."""

from collections.abc import Callable, Sequence

from sqlalchemy.orm import Session

from lunette.domain.array_changes import (
    ArrayAddDisks,
    ArrayAddSpares,
    ArrayDiskChoice,
    ArrayForceStart,
    ArrayGrow,
    ArrayPatch,
    ArrayReplace,
    ArrayReshape,
    ArrayScrub,
)
from lunette.domain.jobs import JobKind, ResourceState
from lunette.domain.observations import Observation
from lunette.domain.plans import Plan
from lunette.domain.steps import MdMember
from lunette.engine.changes.arrays import disk_owners
from lunette.engine.context.desk import Desk
from lunette.engine.context.known_arrays import known
from lunette.engine.context.lookup import must_be_ready, need
from lunette.engine.context.outcome import Actor, Outcome
from lunette.engine.exports import exportset
from lunette.engine.journal import disk_rows
from lunette.engine.journal.filing import file_job
from lunette.planner.arrays.changes import changing, plan_grow, plan_reshape
from lunette.planner.arrays.force_start import plan_force_start
from lunette.planner.checks.checker import Bounds, check
from lunette.planner.engines.known_array import KnownArray
from lunette.store.events import emit
from lunette.store.resources import Array

Wish = ArrayAddSpares | ArrayAddDisks | ArrayGrow | ArrayReshape | ArrayReplace | ArrayDiskChoice | ArrayScrub
Planning = Callable[[KnownArray, Observation], Plan]


class Change:
    """One request to change an array, in its transaction. Each call files a job; in a dry run it only plans."""

    def __init__(self, tx: Session, desk: Desk, actor: Actor, reference: str, *, dry_run: bool) -> None:
        self._tx, self._desk, self._actor, self._dry_run = tx, desk, actor, dry_run
        self._reference = reference

    def add_spares(self, wish: ArrayAddSpares) -> Outcome:
        return self._file(
            lambda array, seen: changing(array).plan_add_spares(
                array, wish, seen, disk_owners(self._tx, seen, wish.disks)
            ),
            wish.wipe,
        )

    def add_disks(self, wish: ArrayAddDisks) -> Outcome:
        return self._file(
            lambda array, seen: changing(array).plan_add_disks(
                array, wish, seen, disk_owners(self._tx, seen, wish.disks)
            ),
            wish.wipe,
        )

    def grow(self, wish: ArrayGrow) -> Outcome:
        """More members. The row remembers that until nothing is left to do (engine/array_growth.py)."""
        done = self._file(
            lambda array, seen: plan_grow(array, wish, seen, disk_owners(self._tx, seen, wish.disks)),
            wish.wipe,
        )
        if not self._dry_run:
            need(self._tx, Array, self._reference).growing = True
        return done

    def reshape(self, wish: ArrayReshape) -> Outcome:
        """Another level. The row remembers that as for growth, and learns the rest from the machine."""
        done = self._file(
            lambda array, seen: plan_reshape(array, wish, seen, disk_owners(self._tx, seen, wish.disks)),
            wish.wipe,
        )
        if not self._dry_run:
            need(self._tx, Array, self._reference).growing = True
        return done

    def finish(self, plan: Plan) -> Outcome:
        """What is left to do for an array that has grown."""
        return self._file(lambda _array, _seen: plan)

    def replace(self, wish: ArrayReplace) -> Outcome:
        return self._file(
            lambda array, seen: changing(array).plan_replace(
                array, wish, seen, disk_owners(self._tx, seen, (wish.new,))
            ),
            wish.wipe,
        )

    def fail(self, wish: ArrayDiskChoice) -> Outcome:
        return self._file(lambda array, seen: changing(array).plan_fail(array, wish, seen))

    def remove(self, wish: ArrayDiskChoice) -> Outcome:
        return self._file(lambda array, seen: changing(array).plan_remove(array, wish, seen))

    def readd(self, wish: ArrayDiskChoice) -> Outcome:
        return self._file(lambda array, seen: changing(array).plan_readd(array, wish, seen))

    def force_start(self, wish: ArrayForceStart) -> Outcome:
        return self._file(lambda array, seen: plan_force_start(array, wish, seen))

    def scrub(self, wish: ArrayScrub) -> Outcome:
        return self._file(lambda array, seen: changing(array).plan_scrub(array, wish, seen))

    def let_go(self, disk: MdMember) -> Outcome:
        """What is left to do for a disk that md has copied."""
        return self._file(lambda array, _seen: changing(array).plan_let_go(array, disk))

    def patch(self, wish: ArrayPatch) -> Outcome:
        """Keeps the pace of resync, rebuild and scrub, and the tuning; the agent sets them now and at every start."""
        array = need(self._tx, Array, self._reference)
        asked = wish.model_dump(exclude_unset=True)
        low = asked.get("sync_speed_min_bytes_s", array.sync_speed_min_bytes_s)
        high = asked.get("sync_speed_max_bytes_s", array.sync_speed_max_bytes_s)
        plan = changing(known(array)).plan_patch(known(array), wish, low, high)
        if "write_mostly" in asked:
            asked["write_mostly"] = tuple(d.disk_id for d in array.disks if d.disk_id in (asked["write_mostly"] or ()))
        if not self._dry_run and any(getattr(array, field) != value for field, value in asked.items()):
            for field, value in asked.items():
                setattr(array, field, value)
            exportset.changed(self._tx, self._desk)
            emit(self._tx, "array.changed", plan.title, actor=self._actor.name, ref=array.id)
        return Outcome(plan=plan, ids=(array.id,))

    def _file(self, planning: Planning, wipe: Sequence[str] = ()) -> Outcome:
        tx, desk = self._tx, self._desk
        array = need(tx, Array, self._reference)
        must_be_ready(array)
        seen = desk.seen()
        plan = planning(known(array), seen)
        check(plan, seen, Bounds(wipe=frozenset(disk.id for disk in map(seen.disk, wipe) if disk)))
        if self._dry_run:
            return Outcome(plan=plan)
        array.state = ResourceState.CHANGING.value
        disk_rows.claim(array, plan)
        emit(tx, "array.changing", plan.title, actor=self._actor.name, ref=array.id)
        return file_job(tx, desk, self._actor, JobKind.ARRAY_CHANGE, Outcome(plan=plan, ids=(array.id,)))
