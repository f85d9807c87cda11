"""A whole appliance in one process: database, engine, agent and a fake machine, with foreign data on it.

Everything is the product's own code; only the machine is fake. Identities are counted, not random, so that two worlds
that were asked the same things can be compared.
"""

import shutil
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from cryptography.fernet import Fernet
from pydantic import SecretStr
from sqlalchemy.orm import Session

from backend.tests.agent.exports import dhchap_key
from backend.tests.fakemachine import FakeDisk, FakeSignature, FakeSystem, Media, Partition
from backend.tests.faults.picture import Picture, machine_picture, rows_picture
from backend.tests.wiring_agent import InProcessAgent
from lunette.agent import serving
from lunette.domain.arrays import ArrayCreate, ArrayEngine, Level
from lunette.domain.dhchap import DhChap
from lunette.domain.exports import ConvergeReport, ServingState
from lunette.domain.fc import FcPortCreate
from lunette.domain.hosts import Chap, HostCreate
from lunette.domain.identity import IdentitySource
from lunette.domain.jobs import JobState, Resolution
from lunette.domain.mappings import MappingCreate, PortalCreate, Protocol
from lunette.domain.volumes import Provisioning, VolumeCreate
from lunette.engine.changes import arrays, fc_ports, hosts, mappings, portals
from lunette.engine.changes import volumes as volumes_changes
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Actor, Outcome
from lunette.engine.control import Control
from lunette.engine.jobs import resolving
from lunette.planner.engines.volume_engines import volume_planning
from lunette.store.database import Store, connect
from lunette.store.journal import Job, JobStep
from lunette.store.resources import Array, Volume
from lunette.store.secrets import SecretBox

ACTOR = Actor(name="test")
GIB, MIB = 1024**3, 1024**2
PORTAL = "192.0.2.1:3260"
KEY = Fernet.generate_key()
FOREIGN_UUID = "f" * 32
PATIENCE = 40
"""Rounds of a few seconds each: longer than the grace time of a degraded array."""


class EngineCrash(BaseException):
    """The API process was killed here."""


class FragileStore(Store):
    """A store whose process can be killed before or after its n-th commit from now."""

    commits = 0
    _left = 0
    _after = False

    def crash_at(self, commit: int, *, after: bool) -> None:
        self._left, self._after = commit, after

    @contextmanager
    def write(self) -> Iterator[Session]:
        self.commits += 1
        self._left -= 1
        strikes = self._left == 0
        with super().write() as tx:
            yield tx
            if strikes and not self._after:
                raise EngineCrash("killed before a commit")
        if strikes:
            raise EngineCrash("killed after a commit")


def open_store(database: Path) -> FragileStore:
    """The store without a look at its schema, which is the newest: that would take longer than most faults."""
    return FragileStore(connect(f"sqlite:///{database}"), SecretBox(KEY))


def database_template(migrated: Path, folder: Path) -> Path:
    """A database like `migrated`, with the ids of its appliance: worlds copied from it get the same names."""
    template = folder / "appliance.db"
    shutil.copy(migrated, template)
    Store.open(f"sqlite:///{template}", SecretBox(KEY)).close()
    return template


class World:
    """The appliance. `database` is a file of its own, made from `database_template`."""

    def __init__(self, database: Path) -> None:
        self.machine = FakeSystem()
        self.agent = InProcessAgent(self.machine)
        self.database = database
        numbers = count(1)
        self._identities = IdentitySource(lambda: uuid.uuid5(uuid.NAMESPACE_OID, str(next(numbers))))
        self.store = open_store(database)
        self.start_engine()

    def close(self) -> None:
        self.store.close()

    def start_engine(self) -> None:
        """A new API process on the same database."""
        self.control = Control(self.store, self.agent, self._identities)
        self.control.runner._wait = self._wait

    def move_to(self, database: Path) -> None:
        """Go on with a copy of the database and a new API process."""
        self.database = database
        self.restart_engine()

    def restart_engine(self) -> None:
        """The API process comes back on its database."""
        self.store.close()
        self.store = open_store(self.database)
        self.start_engine()

    def _wait(self, seconds: float) -> bool:
        self.pass_time(seconds)
        return False

    def pass_time(self, seconds: float) -> None:
        """Time goes by, and the agent does what it does on a timer."""
        self.machine.advance(seconds)
        self.agent.tick()

    def ask(self, change: Callable[[Session], Outcome]) -> Outcome:
        """One request: a transaction of its own, on a fresh look at the machine."""
        self.control._cache.forget()
        self.control.observation()
        with self.store.write() as tx:
            return change(tx)

    def finish(self, job_id: str) -> JobState:
        """Run a job until it is over."""
        for _ in range(PATIENCE):
            state = self.control.runner.run(job_id)
            if state.is_over:
                return state
        raise AssertionError(f"job {job_id} does not end")

    def do(self, change: Callable[[Session], Outcome]) -> Outcome:
        """A request with its job run to success."""
        outcome = self.ask(change)
        if outcome.job_id:
            state = self.finish(outcome.job_id)
            assert state is JobState.SUCCEEDED, self.story(outcome.job_id)
        return outcome

    def retry(self, job_id: str) -> JobState:
        """A person resolves a stuck job: try again."""
        self.ask(lambda tx: resolving.resolve(self.control.change(tx, ACTOR), job_id, Resolution.RETRY))
        return self.finish(job_id)

    def converge(self) -> ConvergeReport | None:
        """One round of the reconciler."""
        self.control._reconciler.round()
        return self.control.exports()

    def settle(self) -> ConvergeReport:
        """Let time go by until everything wanted is served."""
        for _ in range(PATIENCE):
            report = self.converge()
            if report and report.accepted:
                targets = {target.state for target in (*report.targets, *report.subsystems)}
                states = {volume.state for volume in report.volumes} | {portal.state for portal in report.portals}
                if targets | states <= {ServingState.OPEN}:
                    self.converge()
                    return report
            self.pass_time(5)
        raise AssertionError(f"it is not served after a while: {self.control.exports()}")

    def machine_picture(self) -> Picture:
        return machine_picture(self.machine)

    def rows_picture(self) -> Picture:
        return rows_picture(self.store)

    def device_of(self, volume: str) -> str:
        """The device of a volume of ours, by its name."""
        with self.store.read() as tx:
            row = tx.query(Volume).filter_by(name=volume).one()
            array = tx.get_one(Array, row.array_id)
            return volume_planning(ArrayEngine(array.engine)).device_path(array.group_name, row.backing_name)

    def story(self, job_id: str) -> str:
        """What the journal says about a job."""
        with self.store.read() as tx:
            job = tx.get_one(Job, job_id)
            steps = [tx.get_one(JobStep, (job_id, index)) for index in range(job.steps_total)]
            lines = [f"{step.index} {step.kind} {step.state} {step.detail} {step.error or ''}" for step in steps]
            return "\n".join([f"{job.title}: {job.state} {job.message} {job.error or ''}", *lines])

    def create_array(
        self,
        name: str,
        level: Level,
        disks: Sequence[FakeDisk],
        wipe: Sequence[FakeDisk] = (),
        spares: Sequence[FakeDisk] = (),
        engine: ArrayEngine = ArrayEngine.MD,
        health_command: str | None = None,
        auxiliary: Mapping[str, Sequence[FakeDisk]] | None = None,
        options: Mapping[str, object] | None = None,
    ) -> Outcome:
        roles = {"disks": disks, "wipe": wipe, "spares": spares, **(auxiliary or {})}
        spec = ArrayCreate.model_validate(
            {role: tuple(disk.links()[0] for disk in found) for role, found in roles.items()}
            | {"name": name, "engine": engine, "level": level, "health_command": health_command}
            | dict(options or {})
        )
        return self.ask(lambda tx: arrays.create(self.control.change(tx, ACTOR), spec))

    def change_array(self, name: str, change: Callable[[ChangeContext, str, Any], Outcome], spec: object) -> Outcome:
        """A change of an existing array, by a function of `engine.changes.array_changes`."""
        return self.ask(lambda tx: change(self.control.change(tx, ACTOR), name, spec))

    def create_volumes(self, array: str, *names: str, kind: Provisioning = Provisioning.THICK) -> Outcome:
        specs = [VolumeCreate(name=name, array=array, size_bytes=64 * MIB, provisioning=kind) for name in names]
        return self.ask(lambda tx: volumes_changes.create(self.control.change(tx, ACTOR), specs))


def with_bystanders(world: World) -> None:
    """Foreign data, and a volume of ours that a host uses: all of it must still exist after every fault."""
    machine = world.machine
    system = FakeDisk("vda", "SYS", "Virtual", "virtio", "0x1", Media(8 * GIB))
    system.partitions = [Partition(1, Media(8 * GIB, [FakeSignature("ext4", 1080, label="root")]), mount="/")]
    system.media.signatures = [FakeSignature("gpt", 512, usage="partition-table")]
    machine.add_disk(system)
    blank = machine.add_disks(8)
    foreign = ["/dev/" + disk.kernel_name for disk in blank[6:]]
    machine.run(
        [
            "mdadm",
            "--create",
            "/dev/md/data",
            "--run",
            f"--uuid={FOREIGN_UUID}",
            "--homehost=other",
            "--name=data",
            "--level=raid1",
            "--raid-devices=2",
            *foreign,
        ]
    )
    machine.run(["vgcreate", "-y", "data", "/dev/md/data"])
    machine.run(["lvcreate", "-y", "--name", "home", "--size", "64m", "data"])
    machine.write_data("/dev/data/home", 0, "not ours")
    machine.advance(40)
    world.converge()
    for name, protocol in (("p", Protocol.ISCSI), ("n", Protocol.NVME_TCP)):
        portal = PortalCreate.model_validate({"name": name, "protocol": protocol, "address": "192.0.2.1"})
        world.do(lambda tx, portal=portal: portals.create(world.control.change(tx, ACTOR), portal))  # type: ignore[misc]
    world.finish(world.create_array("tank", Level.RAID1, blank[:2]).job_id or "")
    world.finish(world.create_volumes("tank", "kept", "spare", "mapped").job_id or "")
    give_host(world, "alice", ["kept"])
    world.settle()
    machine.write_data(world.device_of("kept"), 0, "kept by alice")


FC_PORT, FC_HOST = "50:00:00:00:00:00:00:01", "10:00:00:00:00:00:00:01"


def give_nvme_host(world: World, name: str, volumes: Sequence[str]) -> None:
    """A host with a key, and volumes mapped to it over NVMe from namespace 1 on."""
    spec = HostCreate(name=name, nqns=(nqn(name),), dhchap=DhChap(secret=SecretStr(dhchap_key(1))))
    world.do(lambda tx: hosts.create(world.control.change(tx, ACTOR), spec))
    specs = [MappingCreate(volume=volume, host=name) for volume in volumes]
    world.do(lambda tx: mappings.create(world.control.change(tx, ACTOR), specs))


def give_rdma(world: World) -> None:
    """A device, and portals over it for both families."""
    world.machine.plug_rdma()
    world.converge()  # the agent loads what serves over it
    for name, protocol in (("ip", Protocol.ISER), ("np", Protocol.NVME_RDMA)):
        portal = PortalCreate.model_validate({"name": name, "protocol": protocol, "address": "192.0.2.1"})
        world.do(lambda tx, portal=portal: portals.create(world.control.change(tx, ACTOR), portal))  # type: ignore[misc]


def give_fc_host(world: World, name: str, volumes: Sequence[str]) -> None:
    """A host that is on the fabric of a QLogic port before anything is mapped to it, and volumes from LUN 1 on."""
    port = world.machine.add_fc_port(FC_PORT, "qla2xxx")
    serving.prepare(world.machine)
    world.machine.fc.join(FC_HOST, port)
    world.do(lambda tx: fc_ports.create(world.control.change(tx, ACTOR), FcPortCreate(wwpn=FC_PORT)))
    world.do(lambda tx: hosts.create(world.control.change(tx, ACTOR), HostCreate(name=name, wwpns=(FC_HOST,))))
    specs = [MappingCreate(volume=volume, host=name) for volume in volumes]
    world.do(lambda tx: mappings.create(world.control.change(tx, ACTOR), specs))


def nqn(host: str) -> str:
    return f"nqn.2014-08.com.example:{host}"


def give_host(world: World, name: str, volumes: Sequence[str]) -> None:
    """A host with CHAP, and volumes mapped to it from LUN 1 on."""
    chap = Chap(user=name, secret=SecretStr(f"secret-of-{name:0<6}"[:16]))
    spec = HostCreate(name=name, iqns=(f"iqn.2026-01.com.example:{name}",), chap=chap)
    world.do(lambda tx: hosts.create(world.control.change(tx, ACTOR), spec))
    specs = [MappingCreate(volume=volume, host=name) for volume in volumes]
    world.do(lambda tx: mappings.create(world.control.change(tx, ACTOR), specs))
