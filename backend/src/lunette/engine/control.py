"""Connects the parts of the control plane, and gives access to the present state of the machine.

Changes are the functions of `engine.changes`, each in the caller's write transaction: a change checks against the
database and a recent observation, writes rows, events, releases and, where the machine has work to do, a job, and wakes
the workers once the transaction is durable.
"""

import datetime as dt
import functools
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.agent_protocol import AwaitChange, ObserveCounters, ObserveServed, ObserveSessions, ReadCopies
from lunette.domain.drift import DriftReport
from lunette.domain.errors import Unavailable
from lunette.domain.exports import ConvergeReport
from lunette.domain.identity import IdentitySource
from lunette.domain.jobs import JobKind, JobState
from lunette.domain.observations import Observation, SessionsObservation
from lunette.domain.plans import Plan
from lunette.domain.site import Site
from lunette.domain.usage import VolumeUse
from lunette.domain.why import VolumeWhy
from lunette.engine.background import array_care
from lunette.engine.background.eraser import Eraser
from lunette.engine.background.host_logins import LoginWatch
from lunette.engine.background.housekeeping import Housekeeper
from lunette.engine.background.scheduler import Scheduler
from lunette.engine.background.sealer import Sealer
from lunette.engine.background.thin_pools import PoolWatcher
from lunette.engine.background.watcher import Watcher
from lunette.engine.conditions import system_drive
from lunette.engine.conditions.system_drive import Look
from lunette.engine.conditions.twins import Twins
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.observing import ObservationCache, do_now, use_key
from lunette.engine.context.outcome import Actor
from lunette.engine.context.services import Services
from lunette.engine.counters import keeper, usage
from lunette.engine.counters.keeper import Keeper
from lunette.engine.counters.performance import Recorder
from lunette.engine.exports.numbers import NumberWatch
from lunette.engine.exports.reconciler import Reconciler
from lunette.engine.jobs.runner import JobRunner
from lunette.engine.jobs.schedule_run import ScheduleRunner
from lunette.engine.jobs.workers import Workers
from lunette.engine.notifications import trial
from lunette.engine.notifications.delivery import NotificationService
from lunette.engine.reads import drift, why
from lunette.engine.recovery import rebuilding, restoring
from lunette.engine.recovery.backups import Backups
from lunette.engine.site import changes
from lunette.engine.site.run import SiteRunner
from lunette.store.database import Store
from lunette.store.journal import Job
from lunette.store.measured import MeasuredFile
from lunette.system.agent_port import AgentPort

DISKS_S = 30.0
"""Maximum age of the kernel names of disks: the watcher observes more often, and immediately when a disk appears."""


class Control:
    """Created once per process."""

    def __init__(
        self,
        store: Store,
        agent: AgentPort,
        identities: IdentitySource | None = None,
        *,
        pace: float = 1.0,
        room: Look = lambda: None,
        measured: Path | None = None,
    ) -> None:
        """`pace`: pauses of the watching threads, as a fraction of an appliance's; `room` checks the system drive.
        `measured` is the file of past measurements, in memory if None.
        """
        self.store, self.agent, self.room = store, agent, room
        self._cache = ObservationCache(agent)
        self._reconciler = Reconciler(store, agent, pace=pace)
        self._workers = Workers(self.run_job)
        self.services = Services(
            identities=identities or IdentitySource(),
            seen=self._cache.get,
            sessions=self.sessions,
            wake_reconciler=self._reconciler.wake,
            enqueue=self._workers.enqueue,
            do_now=functools.partial(do_now, agent, self._cache),
            use_key=functools.partial(use_key, agent, self._cache),
            wake_scheduler=lambda: self._scheduler.wake(),  # noqa: PLW0108 it is made below
            wake_backups=lambda: self.backups.wake(),  # noqa: PLW0108 it is made below
            exports=self.exports,
            rates_of=lambda key: self.performance.rates_of(key),  # noqa: PLW0108 it is made below
        )
        tend = functools.partial(array_care.tend, store, self.services)
        self._watcher = Watcher(store, self._cache, await_change=self._await_change, tend=tend, pace=pace)
        self._watcher.name_disks = functools.partial(array_care.name_disks, store, self.services)
        self._watcher.room, self.failed_logins = room, self._watcher.failed_logins
        self._pools = PoolWatcher(store, self.services, self._cache.get, pace=pace)
        file = MeasuredFile(measured, functools.partial(keeper.tell_loss, store), lambda: system_drive.has_room(room()))
        self.performance = Recorder(
            lambda: agent.ask(ObserveCounters()),
            self._disk_ids,
            host_ids=functools.partial(keeper.host_ids, store),
            file=file,
        )
        self.capacity = Keeper(store, self._cache.get, file, self.performance.past)
        self.runner = JobRunner(store, agent, self.services, cache=self._cache, wait=self._workers.wait)
        self.sites = SiteRunner(store, self.services, wait=self._workers.wait)
        self.runs = ScheduleRunner(store, self.services)
        self._scheduler = Scheduler(store, self.services)
        self._post = NotificationService(store)
        self.backups = Backups(store, pace=pace)
        self.sealer = Sealer(store, agent, pace=pace)
        self._parts = (
            self._workers,
            self._reconciler,
            self._watcher,
            self._pools,
            self.performance,
            self.capacity,
            self._scheduler,
            self._post,
            self.backups,
            Housekeeper(store),
            Eraser(store, self.services),
            self.sealer,
            *(watch(store, self.sessions, pace=pace) for watch in (Twins, NumberWatch, LoginWatch)),
        )
        """The parts with their own threads, in the order of their start."""

    def run_job(self, job_id: str) -> JobState:
        """Runs one job in this thread, as far as possible."""
        with self.store.read() as tx:
            kind = tx.scalar(select(Job.kind).where(Job.id == job_id))
        if kind == JobKind.SCHEDULE_RUN:
            return self.runs.run(job_id)
        return self.sites.run(job_id) if kind == JobKind.SITE_APPLY else self.runner.run(job_id)

    def start(self) -> None:
        """Starts the threads, and resumes the jobs of an earlier process, oldest first."""
        unfinished = (JobState.PENDING.value, JobState.RUNNING.value)
        with self.store.read() as tx:
            left = tx.scalars(select(Job.id).where(Job.state.in_(unfinished)).order_by(Job.created_at)).all()
        for job_id in left:
            self._workers.enqueue(job_id)
        for part in self._parts:
            part.start()

    def stop(self) -> None:
        """Stops the threads within a few seconds; a running job is resumed at the next start."""
        for part in reversed(self._parts):
            part.stop()

    def _await_change(self, known: int, timeout_s: float) -> int:
        return self.agent.ask(AwaitChange(known=known, timeout_s=timeout_s))

    def _disk_ids(self) -> dict[str, str]:
        """Disks by kernel name, as last observed by the watcher; none while the agent does not answer."""
        try:
            return {disk.kernel_name: disk.id for disk in self._cache.get(DISKS_S).disks}
        except Unavailable:
            return {}

    @property
    def exports_at(self) -> dt.datetime | None:
        """Time of the last converge report."""
        return self._reconciler.last[1] if self._reconciler.last else None

    def exports(self) -> ConvergeReport | None:
        """The last converge report; None before the first."""
        return self._reconciler.last[0] if self._reconciler.last else None

    def mapped(self) -> frozenset[str] | None:
        """IDs of the mappings in the last converge report; None if the agent refused them."""
        return self._reconciler.mapped

    def observation(self, max_age_s: float = 2.0, *, amid_steps: bool = False) -> Observation:
        """An observation of the machine that is at most `max_age_s` old. Raises Unavailable if the agent does not
        answer.

        An observation that is only shown may miss steps of a running job (`amid_steps`), so that watching does not slow
        it.

        Call this before the write transaction of a change: the observation is then fresh in it, and no writer waits for
        the machine.
        """
        return self._cache.get(max_age_s, amid_steps=amid_steps)

    def sessions(self) -> SessionsObservation:
        """Who is logged in now. Raises Unavailable if the agent does not answer."""
        return self.agent.ask(ObserveSessions())

    def change(self, tx: Session, actor: Actor, *, dry_run: bool = False) -> ChangeContext:
        """The context of a change in this transaction, a session of `store.write()`; a dry run writes nothing."""
        return ChangeContext(tx, self.services, actor, dry_run)

    def test_alerts(self, actor: str) -> tuple[trial.Trial, ...]:
        """Sends a test over every channel. It waits for their servers, so call it outside of any transaction."""
        return trial.try_all(self.store, actor)

    def look_at_use(self) -> None:
        """Takes a pass over the counters, unless there was one just now; does nothing while the agent does not answer.

        Call this before the write transaction of a change that removes volumes; `uses` then finds it.
        """
        with suppress(Unavailable):
            self.performance.now()

    def uses(self, plan: Plan) -> tuple[VolumeUse, ...]:
        """How hosts use the volumes that a plan removes, as far as that is counted."""
        return usage.uses(self.performance, plan.leaving)

    def site(self, tx: Session) -> Site:
        """Everything by name, without secrets. If the agent does not answer, spares are listed with the other disks."""
        seen = None
        with suppress(Unavailable):
            seen = self._cache.get()
        return changes.export(tx, seen)

    def why(self, volume: str, host: str | None) -> VolumeWhy:
        """Where the path from a volume to a host, or to each of its hosts, is broken. Works without the agent."""
        try:
            seen, sessions = self._cache.get(), self.agent.ask(ObserveSessions())
        except Unavailable:
            seen, sessions = None, None
        with self.store.read() as tx:
            return why.explain(tx, volume, host, why.MachineState(seen, self.exports(), sessions))

    def drift(self, tx: Session, seen: Observation | None, away: str | None) -> DriftReport:
        """Where machine and database differ; `away` says why there is no observation."""
        return drift.report(tx, seen, self.exports(), away)

    def exports_held(self) -> AbstractContextManager[None]:
        """While the block runs, no change of the exports reaches the agent; present exports continue."""
        return self._reconciler.held()

    def prepare_restore(self, scratch: Store, give_up: Sequence[str]) -> restoring.Prepared:
        """Prepares an unpacked backup for this appliance, in its scratch database. Hold the exports meanwhile.

        Raises Unavailable if the agent does not answer, Conflict if the backup must not be restored here, or
        Invalid.
        """
        return restoring.prepare(
            scratch, self.services, self.agent.ask(ObserveServed()), self.observation(max_age_s=0), give_up
        )

    def look_at_disks(self, *, degraded: bool) -> rebuilding.Disks:
        """Reads the sealed copies. Hold the exports from here to the rebuild. Raises Unavailable, InUse."""
        copies = self.agent.ask(ReadCopies(degraded=degraded))
        return rebuilding.Disks(copies, self.agent.ask(ObserveServed()), self.observation(max_age_s=0))
