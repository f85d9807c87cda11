"""Two stages on which documents of a site are played: a transaction that is rolled back, and a fake machine."""

import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.tests import seen
from backend.tests.engine.conftest import ADMIN, Appliance
from backend.tests.engine.test_site import ask
from backend.tests.fakemachine import FakeDisk, Media
from backend.tests.faults.world import ACTOR, World
from backend.tests.planner.sites import ADDRESSES, FC_PORTS, Facts, facts
from lunette.agent import serving
from lunette.domain.exports import ServingState
from lunette.domain.jobs import UNFINISHED, JobState
from lunette.domain.plans import Plan
from lunette.domain.settings import SettingsPatch
from lunette.domain.site import Site, SiteRequest
from lunette.domain.sizes import GIB
from lunette.domain.snapshots import SnapshotCreate
from lunette.engine.changes import snapshots
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.engine.jobs import completion
from lunette.engine.site import changes as engine
from lunette.engine.site.known import known
from lunette.planner.site import difference as planner
from lunette.planner.site.changes import SiteChange, Verb
from lunette.planner.site.difference import KnownSite
from lunette.store.database import store_of
from lunette.store.journal import Job
from lunette.store.resources import DeletedSnapshot, Snapshot, Volume


class Played:
    """An appliance in a transaction that leaves nothing behind: jobs succeed at once, the machine is foreseen."""

    def __init__(self, tx: Session, appliance: Appliance) -> None:
        self._tx = tx
        self._stage = engine.Rehearsal(appliance.control.services)

    def known(self) -> KnownSite:
        return known(self._tx, store_of(self._tx).box)

    def facts(self) -> Facts:
        return facts(self.known().site)

    def settings(self) -> SettingsPatch:
        """Those a drawn site says something about."""
        found = self.known().site.settings
        assert found is not None
        return SettingsPatch(name=found.name, history_days=found.history_days)

    def changes(self, wanted: Site, destroy: Collection[str]) -> tuple[SiteChange, ...]:
        return planner.difference(SiteRequest(site=wanted, destroy=tuple(sorted(destroy))), self.known()).changes

    def rehearse(self, changes: Sequence[SiteChange]) -> list[Plan]:
        return [
            outcome.plan for outcome in engine.rehearse(ChangeContext(self._tx, self._stage.services, ADMIN), changes)
        ]

    def bring_to(self, wanted: Site, destroy: Collection[str] = ()) -> tuple[SiteChange, ...]:
        """Applies the document; everything in `destroy` may go. Returns the changes."""
        changes = self.changes(wanted, destroy)
        engine.play(ChangeContext(self._tx, self._stage.services, ADMIN), self._stage, changes)
        return changes

    def snapshots(self) -> dict[str, str]:
        """The volume of each by its name."""
        return snapshots_in(self._tx)

    def take(self, wanted: Mapping[str, str]) -> None:
        for name, volume in wanted.items():
            spec = SnapshotCreate(name=name, volume=volume)
            self._succeed(snapshots.take(ChangeContext(self._tx, self._stage.services, ADMIN), spec))

    def drop(self, names: Collection[str]) -> None:
        for name in names:
            self._succeed(snapshots.delete(ChangeContext(self._tx, self._stage.services, ADMIN), name))

    def _succeed(self, outcome: Outcome) -> None:
        self._tx.flush()
        self._stage.run(outcome.plan)
        completion.succeeded(self._tx, self._stage.services, self._tx.get_one(Job, outcome.job_id))
        self._tx.flush()


def snapshots_in(tx: Session) -> dict[str, str]:
    query = select(Snapshot.name, Volume.name).join(Volume, Volume.id == Snapshot.volume_id)
    return dict(tx.execute(query).all())


def deleted(changes: Sequence[SiteChange]) -> set[str]:
    return {key for change in changes for key in change.keys if change.verb is Verb.DELETE}


@contextmanager
def played(appliance: Appliance, disks: Sequence[int] = (10 * GIB,) * 8) -> Iterator[Played]:
    """On disks of these sizes."""
    appliance.agent.show(disks=tuple(seen.disk(number, size_bytes=size) for number, size in enumerate(disks, 1)))
    appliance.control._cache.forget()
    with appliance.store.write() as tx:
        yield Played(tx, appliance)
        tx.rollback()


class Made:
    """An appliance with a fake machine of its own, on which every change is made by the agent's own code."""

    def __init__(self, database: Path, disks: Sequence[int]) -> None:
        self.world = World(database)
        machine = self.world.machine
        machine.addresses.update(ADDRESSES)
        for number, size in enumerate(disks, 1):
            serial = f"D{number}"
            machine.add_disk(FakeDisk(f"nvme{number}n1", serial, "Disk", "nvme", serial, Media(size)))
        for wwpn in FC_PORTS:
            machine.add_fc_port(wwpn, "qla2xxx")
        serving.prepare(machine)
        machine.advance(40)
        self.world.converge()

    def bring_to(self, wanted: Site, destroy: Collection[str] = ()) -> None:
        """Applies the document and lets time go by until all of it is served, and nothing else."""
        outcome = ask(self.world, wanted, *destroy)
        if outcome.job_id is not None:
            assert self._end(outcome.job_id) is JobState.SUCCEEDED, self.world.story(outcome.job_id)
        report = self.world.settle()
        assert report.unexplained == ()
        assert len(report.volumes) == len({mapping.volume for mapping in wanted.mappings or ()})
        assert {port.state for port in report.fc_ports} <= {ServingState.OPEN}
        self.world.machine.advance(400)  # a resync ends, without which an array does not grow

    def snapshots(self) -> dict[str, str]:
        """The snapshots of the database; the machine has these and the retained deleted ones, and no others."""
        with self.world.store.read() as tx:
            found = snapshots_in(tx)
            kept = set(tx.scalars(select(DeletedSnapshot.id)))
        observed = self.world.control.observation(0)
        there = {volume.snapshot_id for volume in observed.volumes} - {None}
        assert kept <= there
        assert len(there - kept) == len(found)
        return found

    def take(self, wanted: Mapping[str, str]) -> None:
        for name, volume in wanted.items():
            spec = SnapshotCreate(name=name, volume=volume)
            self.world.do(lambda tx, spec=spec: snapshots.take(self.world.control.change(tx, ACTOR), spec))  # type: ignore[misc]

    def drop(self, names: Collection[str]) -> None:
        for name in names:
            self.world.do(lambda tx, name=name: snapshots.delete(self.world.control.change(tx, ACTOR), name))  # type: ignore[misc]

    def _end(self, job_id: str) -> JobState:
        """Runs a document's job and those it files. Before each of these the agent hears which exports close."""
        for _ in range(100):
            with self.world.store.read() as tx:
                if (state := JobState(tx.get_one(Job, job_id).state)).is_over:
                    return state
                unfinished = tx.scalars(select(Job.id).where(Job.state.in_(UNFINISHED))).all()
            for one in unfinished:
                if one != job_id:
                    self.world.converge()
                self.world.control.run_job(one)
        raise AssertionError(self.world.story(job_id))


@contextmanager
def made(template: Path, disks: Sequence[int]) -> Iterator[Made]:
    with TemporaryDirectory() as folder:
        machine = Made(Path(shutil.copy(template, folder)), disks)
        with closing(machine.world):
            yield machine
