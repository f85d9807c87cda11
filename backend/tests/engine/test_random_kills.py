"""Random sites applied by real processes that are killed with SIGKILL at random moments: the agent, the API, or both.

Whatever was killed: every job ends, record, LVM and configfs tell the same, nothing is left over, the same document
applied again ends as it says, and what a host that no document touches is served never goes away, not for one call.
The machine is fake and outlives the processes. LUNETTE_SEED repeats the sites and the moments, as far as two cores can.
`tests/e2e/test_kills.py` does the same to whole appliances.
"""

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from backend.tests.engine.killable import ACTOR, MachineServer, Processes
from backend.tests.fakemachine import FakeSystem
from backend.tests.wiring_agent import InProcessAgent
from lunette.domain.agent_protocol import Converge, Observe
from lunette.domain.arrays import ArrayCreate, Level
from lunette.domain.errors import AgentAway
from lunette.domain.exports import ConvergeReport, ServingState
from lunette.domain.jobs import JobState, ResourceState
from lunette.domain.site import SiteRequest
from lunette.domain.sizes import MIB
from lunette.engine.changes import arrays
from lunette.engine.control import Control
from lunette.engine.exports import exportset
from lunette.engine.reads import drift
from lunette.engine.site import changes as site_changes
from lunette.engine.site.known import known
from lunette.store.database import Store
from lunette.store.journal import Job
from lunette.store.resources import Array, DeletedVolume, Mapping, Snapshot, Target, Volume
from lunette.store.secrets import SecretBox
from lunette.system.agent_client import AgentClient
from tests.machines.pace import deadline

KILLS, SEED = 12, 20261126
"""So few have the same sites in every run."""
NAMES = {"tank": tuple(f"v{number}" for number in range(6)), "extra": ("e0", "e1")}
HOSTS = ("red", "green", "blue")
STEADY = "iqn.2026-01.com.example:steady"
TARGETS = "/sys/kernel/config/target/iscsi"
SETTLE_S = 60.0


class Scenario:
    """A fake machine with an array, a volume of the steady host and a portal, and both processes on it."""

    def __init__(self, folder: Path, url: str, seed: int) -> None:
        self.chance = random.Random(seed)
        self.machine = FakeSystem()
        self.disks = [disk.links()[0] for disk in self.machine.add_disks(6)]
        self.machine.advance(60)
        key = folder / "secret.key"
        self.store = Store.open(url, SecretBox.at(key))
        self._steady: dict[str, str] = {}
        self.gone: list[str] = []
        """Calls after which the steady host was no longer served."""
        self.struck = 0
        """Kills while a job was under way."""
        self._furnish()
        self._server = MachineServer(self.machine, f"{folder}/machine.sock", self._look)
        self.processes = Processes(folder, url, key, f"{folder}/machine.sock")
        self.agent = AgentClient(self.processes.socket)

    def close(self) -> None:
        self.processes.close()
        self._server.close()
        self.store.close()

    def request(self) -> SiteRequest:
        """A random site, and everything else named to go; the steady host and its volume stay out of it."""
        chance = self.chance
        chosen = {"tank": chance.sample(NAMES["tank"], chance.randint(2, len(NAMES["tank"])))}
        if chance.random() < 0.5:
            chosen["extra"] = chance.sample(NAMES["extra"], chance.randint(0, len(NAMES["extra"])))
        volumes = {name: array for array, names in chosen.items() for name in names}
        owners = {name: chance.choice(HOSTS) for name in sorted(volumes) if chance.random() < 0.7}
        site = {
            "settings": {"deleted_keep_hours": chance.choice((0, 24))},
            "arrays": [{"name": "extra", "level": "raid1", "disks": self.disks[2:4]}] if "extra" in chosen else [],
            "volumes": [
                {
                    "name": name,
                    "array": array,
                    "size_bytes": 16 * MIB,
                    "provisioning": "thin" if name in ("v0", "v1") else "thick",
                }
                for name, array in volumes.items()
            ],
            "hosts": [{"name": host, "iqns": [f"iqn.2026-01.com.example:{host}"]} for host in HOSTS],
            "mappings": [{"volume": name, "host": host} for name, host in owners.items()],
        }
        there = self.there()
        going = [f"mapping/{name}/host/{host}" for name, host in there["mappings"].items() if owners.get(name) != host]
        going += [f"volume/{name}" for name in there["volumes"] if name not in volumes]
        going += [f"array/{name}" for name in there["arrays"] if name not in chosen]
        return SiteRequest.model_validate({"site": site, "destroy": going})

    def there(self) -> dict[str, Any]:
        """What the record says, without what is the steady host's."""
        with self.store.read() as tx:
            site = known(tx, None).site
        return {
            "arrays": {one.name for one in site.arrays or ()} - {"tank"},
            "volumes": {one.name: one.array for one in site.volumes or () if one.name != "kept"},
            "mappings": {one.volume: one.host for one in site.mappings or () if one.volume != "kept"},
        }

    def kill_at_random(self) -> None:
        """One of the two or both, mostly while a site is under way."""
        if self.chance.random() < 0.7:
            self.processes.answer()
        time.sleep(self.chance.uniform(0.0, 0.4))
        self.struck += bool(self._unfinished())
        which = self.chance.choice(("agent", "api", "both"))
        self.processes.kill(agent=which != "api", api=which != "agent")

    def settle(self) -> None:
        """Until every job is over, and the exports are as wanted. Who was asked and lives has filed his first."""
        self.processes.answer()
        end = deadline(SETTLE_S)
        while (unfinished := self._unfinished()) or not self._is_served():
            assert time.monotonic() < end, unfinished or self._converge()
            time.sleep(0.02)

    def leftovers(self) -> list[str]:
        """What record, LVM and configfs do not tell alike, and what is neither as before nor as wanted."""
        seen, report = self.agent.ask(Observe()), self._converge()
        with self.store.read() as tx:
            rows = [*tx.scalars(select(Array)), *tx.scalars(select(Volume)), *tx.scalars(select(DeletedVolume))]
            found = [f"{row.name} is {row.state}" for row in rows if row.state != ResourceState.READY]
            found += [str(one) for one in drift.report(tx, seen, report, None).items]
            recorded = {row.id for row in rows} | set(tx.scalars(select(Snapshot.id)))
            mapped = set(tx.scalars(select(Mapping.volume_id)))
            targets = {row.iqn for row in tx.scalars(select(Target)) if row.host_id}
        cut = {one.volume_id for one in seen.volumes if one.volume_id}
        stores = self.machine.listdir("/sys/kernel/config/target/core")
        served = {
            name.removeprefix("lunette-")
            for hba in stores
            for name in self.machine.listdir(f"/sys/kernel/config/target/core/{hba}")
            if name.startswith("lunette-")
        }
        present = {name for name in self.machine.listdir(TARGETS) if name.startswith("iqn.2026-11")}
        found += [f"LVM only: {one}" for one in cut - recorded]
        found += [f"served only: {one}" for one in served - mapped] + [f"not served: {one}" for one in mapped - served]
        return found + [f"a target of nobody: {one}" for one in present - targets]

    def finish(self, request: SiteRequest) -> None:
        """The same document once more, without any kill: it ends as it says."""
        there = self.there()
        gone = {f"volume/{name}" for name in there["volumes"]} | {f"array/{name}" for name in there["arrays"]}
        gone |= {f"mapping/{name}/host/{host}" for name, host in there["mappings"].items()}
        again = request.model_copy(update={"destroy": tuple(one for one in request.destroy if one in gone)})
        self.processes.send(again)
        job_id = self.processes.answer()
        self.settle()
        with self.store.read() as tx:
            ended = tx.get_one(Job, job_id) if job_id else None
            assert ended is None or ended.state == JobState.SUCCEEDED, ended.message
        site = request.site
        assert self.there() == {
            "arrays": {one.name for one in site.arrays or ()},
            "volumes": {one.name: one.array for one in site.volumes or ()},
            "mappings": {one.volume: one.host for one in site.mappings or ()},
        }

    def _furnish(self) -> None:
        """What stands before the first kill, made in this process."""
        control = Control(self.store, InProcessAgent(self.machine))
        array = ArrayCreate(name="tank", level=Level.RAID1, disks=tuple(self.disks[:2]))
        with self.store.write() as tx:
            job = arrays.create(control.change(tx, ACTOR), array)
        assert control.runner.run(job.job_id or "") is JobState.SUCCEEDED
        site = {
            "volumes": [{"name": "kept", "array": "tank", "size_bytes": 16 * MIB}],
            "hosts": [{"name": "steady", "iqns": [STEADY]}],
            "portals": [{"name": "front", "address": "192.0.2.1"}],
            "mappings": [{"volume": "kept", "host": "steady", "lun": 1}],
        }
        control.observation(0)
        with self.store.write() as tx:
            job = site_changes.apply(control.change(tx, ACTOR), SiteRequest.model_validate({"site": site}))
        while not JobState(control.run_job(job.job_id or "")).is_over:
            with self.store.read() as tx:
                others = tx.scalars(select(Job.id).where(Job.state.in_(("pending", "running")))).all()
            for one in others:
                control.run_job(one)
        control._reconciler.round()
        with self.store.read() as tx:
            iqn = tx.scalars(select(Target.iqn).where(Target.host_id.is_not(None))).one()
        group = f"{TARGETS}/{iqn}/tpgt_1"
        self._steady = {f"{group}/enable": "1", f"{group}/np/192.0.2.1:3260": "", f"{group}/acls/{STEADY}/lun_1": ""}
        self._look("the furnishing")
        assert self.gone == []

    def _look(self, call: str) -> None:
        """Whether the steady host is served now, at its portal and with its LUN."""
        for path, text in self._steady.items():
            stands = self.machine.vfs.exists(path) and (not text or self.machine.vfs.read(path).strip() == text)
            if not stands:
                self.gone.append(f"{path} after {call}")

    def _unfinished(self) -> list[str]:
        with self.store.read() as tx:
            going = tx.scalars(select(Job).where(Job.state.in_((JobState.PENDING.value, JobState.RUNNING.value))))
            return [f"{job.title}: {job.message}" for job in going]

    def _is_served(self) -> bool:
        try:
            report = self._converge()
        except AgentAway:  # it has just been started again
            return False
        states = {one.state for one in report.targets} | {one.state for one in report.volumes}
        states |= {one.state for one in report.portals}
        return report.changed == 0 and states <= {ServingState.OPEN} and not report.unexplained

    def _converge(self) -> ConvergeReport:
        with self.store.read() as tx:
            wanted = exportset.build(tx, self.store.box)
        return self.agent.ask(Converge(wanted=wanted))


@pytest.fixture
def scenario(tmp_path: Path, sqlite_url: str, kills: int) -> Iterator[Scenario]:
    drawn = random.SystemRandom().randrange(1 << 32) if kills > KILLS else SEED
    seed = int(os.environ.get("LUNETTE_SEED") or drawn)
    made = Scenario(tmp_path, sqlite_url, seed)
    print(f"LUNETTE_SEED={seed}")
    yield made
    print(f"{made.struck} of {made.processes.kills} kills came while a job was under way")
    made.close()


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kills", [KILLS, pytest.param(40 * KILLS, marks=pytest.mark.slow)])
def test_processes_killed_at_random_leave_nothing_half_made(scenario: Scenario, kills: int) -> None:
    while scenario.processes.kills < kills:
        request = scenario.request()
        scenario.processes.send(request)
        for _ in range(3):
            scenario.kill_at_random()
        scenario.settle()
        assert scenario.leftovers() == []
        scenario.finish(request)
        assert scenario.leftovers() == []
        assert scenario.gone == []
    assert scenario.struck > kills // 5
