"""The facade the API drives: every change of the appliance, and what the machine is now.

Each change runs in the request's write transaction: it checks against the database and a recent observation, writes
rows, events, releases and (for arrays and volumes) a job, and wakes the workers once the transaction is durable.
"""

import datetime as dt
import functools
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.arrays import ArrayCreate
from lunette.domain.drift import DriftReport
from lunette.domain.errors import Unavailable
from lunette.domain.exports import ConvergeReport
from lunette.domain.fc import FcPortCreate, FcPortPatch
from lunette.domain.hosts import HostCreate, HostGroupCreate, HostGroupPatch, HostPatch
from lunette.domain.identity import IdentitySource
from lunette.domain.jobs import JobKind, JobState, Resolution
from lunette.domain.mappings import MappingCreate, PortalCreate
from lunette.domain.observations import Observation, SessionsObservation
from lunette.domain.plans import Plan
from lunette.domain.schedules import ScheduleCreate, SchedulePatch
from lunette.domain.sealed_copies import RebuildFound
from lunette.domain.settings import SettingsPatch
from lunette.domain.site import Site, SiteRequest
from lunette.domain.snapshots import SnapshotBatch, SnapshotClone, SnapshotCreate
from lunette.domain.usage import VolumeUse
from lunette.domain.volumes import VolumeCreate, VolumePatch, VolumeRecover, VolumeRollBack
from lunette.domain.why import VolumeWhy
from lunette.engine.background import array_care
from lunette.engine.background.eraser import Eraser
from lunette.engine.background.housekeeping import Housekeeper
from lunette.engine.background.scheduler import Scheduler
from lunette.engine.background.sealer import Sealer
from lunette.engine.background.thin_pools import PoolWatcher
from lunette.engine.background.watcher import Watcher
from lunette.engine.changes import (
    array_changes,
    arrays,
    deleted_volumes,
    fc_ports,
    host_groups,
    hosts,
    mappings,
    portals,
    schedules,
    settings,
    snapshots,
    volume_batches,
    volumes,
)
from lunette.engine.changes.interfaces import Interfaces
from lunette.engine.changes.path_trial import PathTrials
from lunette.engine.changes.sessions import Logins
from lunette.engine.changes.updates import Updates
from lunette.engine.conditions.system_drive import Look
from lunette.engine.conditions.twins import Twins
from lunette.engine.context.desk import Desk
from lunette.engine.context.observing import ObservationCache, do_now, use_key
from lunette.engine.context.outcome import Actor, Outcome
from lunette.engine.counters import usage
from lunette.engine.counters.performance import Recorder
from lunette.engine.exports.numbers import NumberWatch
from lunette.engine.exports.reconciler import Reconciler
from lunette.engine.jobs import resolving
from lunette.engine.jobs.runner import JobRunner
from lunette.engine.jobs.schedule_run import ScheduleRunner
from lunette.engine.jobs.workers import Workers
from lunette.engine.notifications import trial
from lunette.engine.notifications.delivery import Post
from lunette.engine.reads import drift, why
from lunette.engine.recovery import rebuilding, restoring
from lunette.engine.site import changes
from lunette.engine.site.run import SiteRunner
from lunette.engine.undo import undo
from lunette.store.database import Store
from lunette.store.journal import Job
from lunette.system.agent_port import AgentPort

DISKS_S = 30.0
"""How old it may be which disk has which kernel name: the watcher looks more often, and at once when one comes."""


class Control:
    """Made once per process. `tx` is a session of `store.write()`; with `dry_run` nothing is written.

    A row is named by its id or its name. Changes raise NotFound, Invalid, Conflict, InUse, NoSpace, Stuck, or
    Unavailable where the machine must be looked at and the agent is away.
    """

    def __init__(
        self,
        store: Store,
        agent: AgentPort,
        identities: IdentitySource | None = None,
        *,
        pace: float = 1.0,
        room: Look = lambda: None,
    ) -> None:
        """`pace`: rests of the watching threads, as a part of an appliance's; `room` looks at the system drive."""
        self.store, self.agent, self.room = store, agent, room
        self._cache = ObservationCache(agent)
        self._reconciler = Reconciler(store, agent, pace=pace)
        self._workers = Workers(self.run_job)
        self.desk = Desk(
            identities=identities or IdentitySource(),
            seen=self._cache.get,
            sessions=agent.sessions,
            wake_reconciler=self._reconciler.wake,
            enqueue=self._workers.enqueue,
            do_now=functools.partial(do_now, agent, self._cache),
            use_key=functools.partial(use_key, agent, self._cache),
            wake_scheduler=lambda: self._scheduler.wake(),  # noqa: PLW0108 it is made below
        )
        self.interfaces, self.updates = Interfaces(self.desk), Updates(self.desk)
        tend = functools.partial(array_care.tend, store, self.desk)
        self._watcher = Watcher(store, self._cache, await_change=agent.await_change, tend=tend, pace=pace)
        self._watcher.name_disks = functools.partial(array_care.name_disks, store, self.desk)
        self._watcher.room, self.failed_logins = room, self._watcher.failed_logins
        self._pools = PoolWatcher(store, self.desk, self._cache.get, pace=pace)
        self.performance = Recorder(agent.counters, self._disk_ids)
        self.logins = Logins(self.desk, self.performance.rates_of)
        self.path_trials = PathTrials(self.desk, self.exports)
        self.runner = JobRunner(store, agent, self.desk, cache=self._cache, wait=self._workers.wait)
        self.sites = SiteRunner(store, self.desk, wait=self._workers.wait)
        self.runs = ScheduleRunner(store, self.desk)
        self._scheduler = Scheduler(store, self.desk)
        self._post = Post(store)
        self.sealer = Sealer(store, agent, pace=pace)
        self._parts = (
            self._workers,
            self._reconciler,
            self._watcher,
            self._pools,
            self.performance,
            self._scheduler,
            self._post,
            Housekeeper(store),
            Eraser(store, self.desk),
            self.sealer,
            *(watch(store, agent.sessions, pace=pace) for watch in (Twins, NumberWatch)),
        )
        """What has threads of its own, in the order of its start."""

    def run_job(self, job_id: str) -> JobState:
        """Runs one job in this thread, as far as it goes."""
        with self.store.read() as tx:
            kind = tx.scalar(select(Job.kind).where(Job.id == job_id))
        if kind == JobKind.SCHEDULE_RUN:
            return self.runs.run(job_id)
        return self.sites.run(job_id) if kind == JobKind.SITE_APPLY else self.runner.run(job_id)

    def start(self) -> None:
        """Starts the threads, and takes up the jobs an earlier process left, oldest first."""
        unfinished = (JobState.PENDING.value, JobState.RUNNING.value)
        with self.store.read() as tx:
            left = tx.scalars(select(Job.id).where(Job.state.in_(unfinished)).order_by(Job.created_at)).all()
        for job_id in left:
            self._workers.enqueue(job_id)
        for part in self._parts:
            part.start()

    def stop(self) -> None:
        """Stops the threads within a few seconds; a job that runs is taken up again at the next start."""
        for part in reversed(self._parts):
            part.stop()

    def _disk_ids(self) -> dict[str, str]:
        """Disks by kernel name, as the watcher saw them; none while the agent is away."""
        try:
            return {disk.kernel_name: disk.id for disk in self._cache.get(DISKS_S).disks}
        except Unavailable:
            return {}

    @property
    def exports_at(self) -> dt.datetime | None:
        """When the last converge report came."""
        return self._reconciler.last[1] if self._reconciler.last else None

    def exports(self) -> ConvergeReport | None:
        """The last converge report; None before the first."""
        return self._reconciler.last[0] if self._reconciler.last else None

    def mapped(self) -> frozenset[str] | None:
        """Ids of the mappings that the last converge report is about; None if the agent refused them."""
        return self._reconciler.mapped

    def observation(self, max_age_s: float = 2.0, *, amid_steps: bool = False) -> Observation:
        """A snapshot of the machine that is at most `max_age_s` old. Raises Unavailable if the agent is away.

        What is only shown may miss steps of a job that goes on (`amid_steps`), so that watching does not slow it.

        Ask once before the write transaction of a change: it then finds it fresh, and no writer waits for the machine.
        """
        return self._cache.get(max_age_s, amid_steps=amid_steps)

    def sessions(self) -> SessionsObservation:
        """Who is logged in now; `logins` ends it. Raises Unavailable if the agent is away."""
        return self.agent.sessions()

    def create_array(self, tx: Session, actor: Actor, wish: ArrayCreate, dry_run: bool = False) -> Outcome:
        """Makes an array of blank disks (or disks named to be wiped), as a job."""
        return arrays.create(tx, self.desk, actor, wish, dry_run)

    def change_array(self, tx: Session, actor: Actor, array_id: str, dry_run: bool = False) -> array_changes.Change:
        """A change of an array that stands, yet to be named: its disks, its scrub, its pace."""
        return array_changes.Change(tx, self.desk, actor, array_id, dry_run=dry_run)

    def delete_array(self, tx: Session, actor: Actor, array_id: str, dry_run: bool = False) -> Outcome:
        """Destroys an array without volumes, as a job."""
        return arrays.delete(tx, self.desk, actor, array_id, dry_run)

    def create_volumes(
        self, tx: Session, actor: Actor, wishes: Sequence[VolumeCreate], dry_run: bool = False
    ) -> Outcome:
        """Cuts volumes, all or nothing, as one job."""
        return volumes.create(tx, self.desk, actor, wishes, dry_run)

    def patch_volume(
        self, tx: Session, actor: Actor, volume_id: str, patch: VolumePatch, dry_run: bool = False
    ) -> Outcome:
        return volumes.patch(tx, self.desk, actor, volume_id, patch, dry_run)

    def delete_volume(self, tx: Session, actor: Actor, volume_id: str, dry_run: bool = False) -> Outcome:
        """Deletes an unmapped volume, as a job. It is kept for as long as the settings say."""
        return volumes.delete(tx, self.desk, actor, volume_id, dry_run)

    def delete_volumes(self, tx: Session, actor: Actor, volume_ids: Sequence[str], dry_run: bool = False) -> Outcome:
        """Deletes unmapped volumes, all or nothing, as one job."""
        return volume_batches.delete(tx, self.desk, actor, volume_ids, dry_run)

    def recover_volume(
        self, tx: Session, actor: Actor, volume_id: str, wish: VolumeRecover, dry_run: bool = False
    ) -> Outcome:
        """Brings a deleted volume back, as a job."""
        return deleted_volumes.recover(tx, self.desk, actor, volume_id, wish, dry_run)

    def erase_volume(self, tx: Session, actor: Actor, volume_id: str, dry_run: bool = False) -> Outcome:
        """Destroys a deleted volume for good, as a job."""
        return deleted_volumes.erase(tx, self.desk, actor, volume_id, dry_run)

    def grow_volume(self, tx: Session, actor: Actor, volume_id: str, size_bytes: int, dry_run: bool = False) -> Outcome:
        """Makes a volume larger while it is in use, as a job; without one if it has this size."""
        return volumes.grow(tx, self.desk, actor, volume_id, size_bytes, dry_run)

    def roll_back_volume(
        self, tx: Session, actor: Actor, volume_id: str, wish: VolumeRollBack, dry_run: bool = False
    ) -> Outcome:
        """Makes an unmapped volume as it was in one of its snapshots, as a job."""
        return snapshots.roll_back(tx, self.desk, actor, volume_id, wish, dry_run)

    def take_snapshot(self, tx: Session, actor: Actor, wish: SnapshotCreate, dry_run: bool = False) -> Outcome:
        """Takes a snapshot of a thin volume, as a job."""
        return snapshots.take(tx, self.desk, actor, wish, dry_run)

    def take_snapshots(self, tx: Session, actor: Actor, wish: SnapshotBatch, dry_run: bool = False) -> Outcome:
        return volume_batches.take_snapshots(tx, self.desk, actor, wish, dry_run)

    def clone_snapshot(
        self, tx: Session, actor: Actor, snapshot_id: str, wish: SnapshotClone, dry_run: bool = False
    ) -> Outcome:
        """Makes volumes that begin as a snapshot, all or nothing, as one job."""
        return snapshots.clone(tx, self.desk, actor, snapshot_id, wish, dry_run)

    def delete_snapshot(self, tx: Session, actor: Actor, snapshot_id: str, dry_run: bool = False) -> Outcome:
        return snapshots.delete(tx, self.desk, actor, snapshot_id, dry_run)

    def create_schedule(self, tx: Session, actor: Actor, wish: ScheduleCreate, dry_run: bool = False) -> Outcome:
        return schedules.create(tx, self.desk, actor, wish, dry_run)

    def patch_schedule(
        self, tx: Session, actor: Actor, schedule: str, patch: SchedulePatch, dry_run: bool = False
    ) -> Outcome:
        return schedules.patch(tx, self.desk, actor, schedule, patch, dry_run)

    def delete_schedule(self, tx: Session, actor: Actor, schedule: str, dry_run: bool = False) -> Outcome:
        """Ends a schedule; the snapshots it took stay."""
        return schedules.delete(tx, actor, schedule, dry_run)

    def run_schedule(self, tx: Session, actor: Actor, schedule: str, dry_run: bool = False) -> Outcome:
        """Runs a schedule now, as a job."""
        return schedules.run(tx, self.desk, actor, schedule, dry_run)

    def patch_settings(self, tx: Session, actor: Actor, patch: SettingsPatch, dry_run: bool = False) -> Outcome:
        return settings.patch(tx, self.desk, actor, patch, dry_run)

    def test_alerts(self, actor: str) -> tuple[trial.Trial, ...]:
        """Sends a test over every channel; asks their servers, so call it outside of any transaction."""
        return trial.try_all(self.store, actor)

    def create_host(self, tx: Session, actor: Actor, wish: HostCreate, dry_run: bool = False) -> Outcome:
        return hosts.create(tx, self.desk, actor, wish, dry_run)

    def patch_host(self, tx: Session, actor: Actor, host_id: str, patch: HostPatch, dry_run: bool = False) -> Outcome:
        return hosts.patch(tx, self.desk, actor, host_id, patch, dry_run)

    def delete_host(self, tx: Session, actor: Actor, host_id: str, dry_run: bool = False) -> Outcome:
        """Forgets a host that is not mapped and in no group."""
        return hosts.delete(tx, actor, host_id, dry_run)

    def create_host_group(self, tx: Session, actor: Actor, wish: HostGroupCreate, dry_run: bool = False) -> Outcome:
        return host_groups.create(tx, self.desk, actor, wish, dry_run)

    def patch_host_group(
        self, tx: Session, actor: Actor, host_group_id: str, patch: HostGroupPatch, dry_run: bool = False
    ) -> Outcome:
        return host_groups.patch(tx, self.desk, actor, host_group_id, patch, dry_run)

    def delete_host_group(self, tx: Session, actor: Actor, host_group_id: str, dry_run: bool = False) -> Outcome:
        """Forgets a group that is not mapped; its hosts stay."""
        return host_groups.delete(tx, actor, host_group_id, dry_run)

    def create_portal(self, tx: Session, actor: Actor, wish: PortalCreate, dry_run: bool = False) -> Outcome:
        return portals.create(tx, self.desk, actor, wish, dry_run)

    def delete_portal(self, tx: Session, actor: Actor, portal_id: str, dry_run: bool = False) -> Outcome:
        """Closes a portal; the plan names the hosts that lose sessions."""
        return portals.delete(tx, self.desk, actor, portal_id, dry_run)

    def create_fc_port(self, tx: Session, actor: Actor, wish: FcPortCreate, dry_run: bool = False) -> Outcome:
        return fc_ports.create(tx, self.desk, actor, wish, dry_run)

    def patch_fc_port(self, tx: Session, actor: Actor, port: str, patch: FcPortPatch, dry_run: bool = False) -> Outcome:
        """Makes a Fibre Channel port something else; the plan names the hosts that lose their paths."""
        return fc_ports.patch(tx, self.desk, actor, port, patch, dry_run)

    def delete_fc_port(self, tx: Session, actor: Actor, port: str, dry_run: bool = False) -> Outcome:
        return fc_ports.delete(tx, self.desk, actor, port, dry_run)

    def create_mappings(
        self, tx: Session, actor: Actor, wishes: Sequence[MappingCreate], dry_run: bool = False
    ) -> Outcome:
        """Gives volumes to hosts and groups, all or nothing."""
        return mappings.create(tx, self.desk, actor, wishes, dry_run)

    def delete_mapping(self, tx: Session, actor: Actor, mapping_id: str, dry_run: bool = False) -> Outcome:
        """Takes a volume away from its owner; the plan names the hosts that are logged in."""
        return mappings.delete(tx, self.desk, actor, mapping_id, dry_run)

    def undo(self, tx: Session, actor: Actor, seq: int, dry_run: bool = False) -> Outcome:
        """Undoes the change an event tells of, by a new one planned against today's state."""
        return undo.undo(tx, self.desk, actor, seq, dry_run)

    def look_at_use(self) -> None:
        """Takes a pass over the counters, unless there was one just now; does nothing while the agent is away.

        Ask once before opening a write transaction for a change that takes volumes away, then `uses` finds it.
        """
        with suppress(Unavailable):
            self.performance.now()

    def uses(self, plan: Plan) -> tuple[VolumeUse, ...]:
        """How hosts use the volumes a plan takes away, as far as that is counted."""
        return usage.uses(self.performance, plan.leaving)

    def site(self, tx: Session) -> Site:
        """Everything by name, without secrets. The agent may be away: then spares are listed with the other disks."""
        seen = None
        with suppress(Unavailable):
            seen = self._cache.get()
        return changes.export(tx, seen)

    def apply_site(self, tx: Session, actor: Actor, request: SiteRequest, dry_run: bool = False) -> Outcome:
        """Makes the site as a document says, as one job of single changes; nothing goes that it does not name."""
        return changes.apply(tx, self.desk, actor, request, dry_run)

    def why(self, volume: str, host: str | None) -> VolumeWhy:
        """Where the way from a volume to a host, or to each of its hosts, is broken. The agent may be away."""
        try:
            seen, sessions = self._cache.get(), self.agent.sessions()
        except Unavailable:
            seen, sessions = None, None
        with self.store.read() as tx:
            return why.explain(tx, volume, host, why.Look(seen, self.exports(), sessions))

    def drift(self, tx: Session, seen: Observation | None, away: str | None) -> DriftReport:
        """Where machine and database differ; `away` tells why there is no observation."""
        return drift.report(tx, seen, self.exports(), away)

    def exports_held(self) -> AbstractContextManager[None]:
        """While it lasts no change of the exports reaches the agent; what is served goes on."""
        return self._reconciler.held()

    def prepare_restore(self, scratch: Store, give_up: Sequence[str]) -> restoring.Prepared:
        """Makes an unpacked backup ready for this appliance, in its scratch database. Hold the exports meanwhile.

        Raises Unavailable if the agent is away, Conflict if the backup must not be restored here, Invalid.
        """
        return restoring.prepare(scratch, self.desk, self.agent.served(), self.observation(max_age_s=0), give_up)

    def restore(self, tx: Session, actor: Actor, scratch: Store, prepared: restoring.Prepared) -> None:
        """Puts the prepared database in the place of all that is there. Raises Conflict while a job runs."""
        restoring.restore(tx, self.desk, actor, scratch, prepared)

    def look_at_disks(self, *, degraded: bool) -> rebuilding.Disks:
        """Reads the sealed copies. Hold the exports from here to the rebuild. Raises Unavailable, InUse."""
        copies = self.agent.read_copies(degraded=degraded)
        return rebuilding.Disks(copies, self.agent.served(), self.observation(max_age_s=0))

    def rebuild(self, tx: Session, actor: Actor, disks: rebuilding.Disks, wanted: rebuilding.Wanted) -> RebuildFound:
        """Adds arrays the database does not know, with all that belongs to them, from their sealed copies."""
        return rebuilding.rebuild(tx, self.desk, actor, disks, wanted)

    def resolve_job(self, tx: Session, actor: Actor, job_id: str, how: Resolution, dry_run: bool = False) -> Outcome:
        """Decides about a stuck job. Raises Conflict if the job is not stuck."""
        return resolving.resolve(tx, self.desk, actor, job_id, how, dry_run)
