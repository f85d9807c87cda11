"""A rig for schedules: the real agent on a fake machine, jobs in the test's own thread, and a clock to move."""

import datetime as dt
from typing import Any

from sqlalchemy import select

from backend.tests.fakemachine import FakeSystem
from lunette.agent.core import Agent
from lunette.domain.arrays import ArrayCreate, Level
from lunette.domain.errors import AgentAway
from lunette.domain.jobs import JobState
from lunette.domain.observations import Observation
from lunette.domain.schedules import ScheduleCreate
from lunette.domain.sizes import MIB
from lunette.domain.volumes import Provisioning, VolumeCreate
from lunette.engine.background.scheduler import Scheduler
from lunette.engine.changes import arrays, schedules, volumes
from lunette.engine.context.outcome import Actor, Outcome
from lunette.engine.control import Control
from lunette.engine.jobs.schedule_run import ScheduleRunner
from lunette.store.database import Store
from lunette.store.journal import Alert, Event, Job
from lunette.store.resources import Snapshot, Volume
from lunette.store.schema import utc_now

ADMIN = Actor(name="admin")
NIGHTLY = {"name": "nightly", "action": "snapshot", "volumes": ["t1"], "when": "0 3 * * *", "keep": {"last": 2}}
DAY = dt.timedelta(days=1)
MINUTE = dt.timedelta(minutes=1)
REBUILD_S = 3600.0


class WaveringAgent(Agent):
    """An agent that can be away."""

    away = False

    def observe(self) -> Observation:
        if self.away:
            raise AgentAway("The agent does not answer.")
        return super().observe()


class Rig:
    """An array `tank` with thin volumes t1 and t2, and a clock to move."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.machine = FakeSystem()
        self.machine.clock = utc_now().timestamp()
        self.machine.add_disks(4)
        self.agent = WaveringAgent(self.machine)
        self.now = utc_now()
        self.start()
        disks = tuple(disk.id for disk in self.control.observation(0).disks)
        self.do(
            lambda tx: arrays.create(
                self.control.change(tx, ADMIN), ArrayCreate(name="tank", level=Level.RAID5, disks=disks)
            )
        )
        specs = [
            VolumeCreate(name=name, array="tank", size_bytes=64 * MIB, provisioning=kind)
            for name, kind in (("t1", Provisioning.THIN), ("t2", Provisioning.THIN), ("thick", Provisioning.THICK))
        ]
        self.do(lambda tx: volumes.create(self.control.change(tx, ADMIN), specs))

    def start(self) -> None:
        """A new process on the same database."""
        self.control = Control(self.store, self.agent)
        self.scheduler = Scheduler(self.store, self.control.services, now=lambda: self.now)
        self.runner = ScheduleRunner(self.store, self.control.services, now=lambda: self.now)

    def do(self, change: Any) -> Outcome:
        with self.store.write() as tx:
            outcome: Outcome = change(tx)
        self.drain()
        return outcome

    def drain(self) -> None:
        """Runs jobs until none gets any further."""
        before: list[tuple[str, str, int]] = []
        while (now := self._unfinished()) != before:
            before = now
            for job_id, kind, _ in now:
                self.control._cache.forget()
                self.runner.run(job_id) if kind == "schedule.run" else self.control.run_job(job_id)

    def _unfinished(self) -> list[tuple[str, str, int]]:
        with self.store.read() as tx:
            open_jobs = Job.state.in_((JobState.PENDING.value, JobState.RUNNING.value))
            found = tx.execute(select(Job.id, Job.kind, Job.version).where(open_jobs)).all()
            return [(job_id, kind, version) for job_id, kind, version in found]

    def schedule(self, **changes: Any) -> str:
        spec = ScheduleCreate.model_validate(NIGHTLY | changes)
        return self.do(lambda tx: schedules.create(self.control.change(tx, ADMIN), spec)).ids[0]

    def run(self, name: str = "nightly") -> Job:
        """Runs it now, to its end."""
        filed = self.do(lambda tx: schedules.run(self.control.change(tx, ADMIN), name))
        with self.store.read() as tx:
            return tx.get_one(Job, filed.job_id)

    def at(self, moment: dt.datetime) -> None:
        """The clock shows this, the scheduler looks, and jobs run."""
        self.now = moment
        self.scheduler.round()
        self.drain()

    def snapshots(self, volume: str = "t1") -> list[str]:
        with self.store.read() as tx:
            query = select(Snapshot.name).join(Volume).where(Volume.name == volume).order_by(Snapshot.created_at)
            return list(tx.scalars(query))

    def jobs(self, kind: str = "schedule.run") -> list[Job]:
        with self.store.read() as tx:
            return list(tx.scalars(select(Job).where(Job.kind == kind).order_by(Job.created_at)))

    def events(self, kind: str) -> list[str]:
        with self.store.read() as tx:
            return list(tx.scalars(select(Event.message).where(Event.kind == kind).order_by(Event.seq)))

    def alerts(self) -> list[str]:
        with self.store.read() as tx:
            query = select(Alert.message).where(Alert.resolved_at.is_(None), Alert.key.startswith("schedule."))
            return list(tx.scalars(query))

    def lvs(self) -> set[str]:
        """Names of the logical volumes the machine has."""
        return {view.lv.name for view in self.machine.lvm.lvs()}

    def backing_name(self, table: type[Snapshot] | type[Volume], name: str) -> str:
        with self.store.read() as tx:
            return tx.scalars(select(table.backing_name).where(table.name == name)).one()
