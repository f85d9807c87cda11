"""An appliance without threads: the control facade on a real database and an agent in memory."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from backend.tests.engine.memory_agent import MemoryAgent
from backend.tests.faults.world import database_template
from lunette.domain.arrays import ArrayCreate, Level
from lunette.domain.hosts import HostCreate
from lunette.domain.jobs import JobState
from lunette.domain.mappings import MappingCreate, PortalCreate
from lunette.domain.sizes import GIB
from lunette.domain.volumes import VolumeCreate
from lunette.engine.changes import arrays, hosts, mappings, portals
from lunette.engine.changes import volumes as volumes_changes
from lunette.engine.context.outcome import Actor, Outcome
from lunette.engine.control import Control
from lunette.store.database import Store

ADMIN = Actor(name="admin")
DISKS = tuple(f"nvme-D{number}" for number in range(1, 9))


class Appliance:
    """Shortcuts for what most tests begin with; jobs run at once, in the test's own thread."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.agent = MemoryAgent()
        self.control = Control(store, self.agent)

    def finish(self, outcome: Outcome) -> Outcome:
        """Runs the outcome's job and expects it to succeed."""
        assert outcome.job_id is not None
        assert self.control.runner.run(outcome.job_id) is JobState.SUCCEEDED
        return outcome

    def ask_array(self, name: str = "tank", disks: Sequence[str] = DISKS[:4]) -> Outcome:
        with self.store.write() as tx:
            spec = ArrayCreate(name=name, level=Level.RAID5, disks=tuple(disks))
            return arrays.create(self.control.change(tx, ADMIN), spec)

    def array(self, name: str = "tank", disks: Sequence[str] = DISKS[:4]) -> str:
        return self.finish(self.ask_array(name, disks)).ids[0]

    def ask_volumes(self, *names: str, array: str = "tank", size: int = GIB) -> Outcome:
        specs = [VolumeCreate(name=name, array=array, size_bytes=size) for name in names]
        with self.store.write() as tx:
            return volumes_changes.create(self.control.change(tx, ADMIN), specs)

    def volumes(self, *names: str, array: str = "tank", size: int = GIB) -> tuple[str, ...]:
        return self.finish(self.ask_volumes(*names, array=array, size=size)).ids

    def host(self, name: str, *iqns: str) -> str:
        spec = HostCreate(name=name, iqns=iqns or (f"iqn.2026-01.com.example:{name}",))
        with self.store.write() as tx:
            return hosts.create(self.control.change(tx, ADMIN), spec).ids[0]

    def portal(self, name: str = "p1", address: str = "0.0.0.0") -> str:
        with self.store.write() as tx:
            spec = PortalCreate.model_validate({"name": name, "address": address})
            return portals.create(self.control.change(tx, ADMIN), spec).ids[0]

    def map(self, *specs: MappingCreate) -> tuple[str, ...]:
        with self.store.write() as tx:
            return mappings.create(self.control.change(tx, ADMIN), specs).ids

    def converge(self) -> None:
        self.control._reconciler.round()


@pytest.fixture
def appliance(store: Store) -> Appliance:
    """On both databases."""
    return Appliance(store)


@pytest.fixture
def lone(sqlite_store: Store) -> Appliance:
    """On SQLite only, for what does not depend on the database."""
    return Appliance(sqlite_store)


@pytest.fixture
def template(sqlite_template: Path, tmp_path: Path) -> Path:
    return database_template(sqlite_template, tmp_path)
