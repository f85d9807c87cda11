"""Random sites applied while the agent, the API or the whole machine is killed at random moments.

Whatever was killed: the job ends, the appliance's record, LVM and configfs tell the same, nothing is left over, and the
same document applied again ends as it says. A host that the changes do not touch writes and reads all the while; of
killed processes it never notices. LUNETTE_SEED repeats the sites of a run.
"""

from __future__ import annotations

import contextlib
import os
import random
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from lunette.client import FINISHED, JsonObject, Refused, Unreachable
from tests.e2e.waiting import wait_until
from tests.initiators.reservations import GOOD, Nexus, logged_in
from tests.lab.appliance import Appliance, appliance
from tests.machines.uml import Uml

pytestmark = [pytest.mark.uml, pytest.mark.timeout(3400)]

MIB = 1 << 20
PORTAL_PORT = 3260
STEADY = "iqn.2026-01.com.example:steady"
NAMES = tuple(f"v{number}" for number in range(8))
HOSTS = ("red", "green", "blue")
UNITS = ("lunette-agent", "lunette-api", "lunette-agent lunette-api")
BLOCKS = 8
"""So many the steady host writes in turn, and reads each before it is written again."""
FEW, SEED = 1, 672397080
"""So few rounds have the same sites in every run."""
SITE_S = 300.0


@dataclass
class Writer:
    """A host in one session for as long as it stands; what it did not manage is in `wrong`."""

    appliance: Appliance
    target: str
    lun: int
    wrong: list[str] = field(default_factory=list)
    writes: int = 0
    _over: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Writer:
        self._thread = threading.Thread(target=self._write)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _write(self) -> None:
        machine = self.appliance.machine
        portal = f"{machine.address}:{machine.forward(PORTAL_PORT)}"
        try:
            with logged_in(STEADY, portal, self.target, self.lun, session=1) as nexus:
                held: dict[int, int] = {}
                while not self._over.wait(0.02):
                    block, byte = self.writes % BLOCKS, self.writes % 256
                    status = nexus.write(byte, block)
                    self.writes += 1
                    if status != GOOD:
                        self.wrong.append(f"write {self.writes} ended with status {status:#x}")
                    held[block] = byte
                    self._read_back(nexus, held, self.writes % BLOCKS)
                for block in held:
                    self._read_back(nexus, held, block)
        except ConnectionError as error:
            self.wrong.append(str(error))

    def _read_back(self, nexus: Nexus, held: dict[int, int], block: int) -> None:
        if block in held and not nexus.holds(held[block], block):
            self.wrong.append(f"block {block} did not hold {held[block]:#x} after write {self.writes}")


@dataclass(frozen=True)
class Stage:
    """An appliance with an array, a volume of the steady host, and a portal."""

    appliance: Appliance
    chance: random.Random

    def request(self) -> JsonObject:
        """A random site, and everything else named to go; the steady host and its volume stay out of it."""
        chance = self.chance
        volumes = sorted(chance.sample(NAMES, chance.randint(2, len(NAMES))))
        owners = {name: chance.choice(HOSTS) for name in volumes if chance.random() < 0.7}
        kind = {"v0": "thin", "v1": "thin"}
        site = {
            "volumes": [
                {"name": name, "array": "tank", "size_bytes": 16 * MIB, "provisioning": kind.get(name, "thick")}
                for name in volumes
            ],
            "hosts": [{"name": host, "iqns": [f"iqn.2026-01.com.example:{host}"]} for host in HOSTS],
            "mappings": [{"volume": name, "host": host} for name, host in owners.items()],
        }
        there = self.mappings()
        going = [
            *(f"mapping/{name}/host/{host}" for name, host in there.items() if owners.get(name) != host),
            *(f"volume/{name}" for name in self.volumes() if name not in volumes),
        ]
        return {"site": site, "destroy": going}

    def volumes(self) -> list[str]:
        """Names of the volumes, without the steady host's."""
        return [one["name"] for one in self.appliance.client.list("/volumes") if one["name"] != "kept"]

    def mappings(self) -> dict[str, str]:
        """Host by volume, without the steady host."""
        return {
            one["volume"]: one["host"]
            for one in self.appliance.client.list("/mappings")
            if one["host"] and one["volume"] != "kept"
        }

    def apply(self, request: JsonObject) -> None:
        """Asks for the site; whether anybody heard it is not known if the API was killed meanwhile."""
        with contextlib.suppress(Unreachable):
            try:
                self.appliance.client.post("/site:apply", request)
            except Refused as refused:
                if refused.status != 503:  # the agent may be away
                    raise

    def kill_a_process(self) -> None:
        """At a random moment of the next second and a half."""
        time.sleep(self.chance.uniform(0.0, 1.5))
        self.appliance.machine.check(f"systemctl kill --signal=KILL {self.chance.choice(UNITS)}")

    def settle(self) -> None:
        """Waits until all jobs are over and the exports are as wanted."""
        client = self.appliance.client
        self.appliance.wait_for_api()
        wait_until("the agent answers", lambda: client.get("/status")["agent"]["answers"], SITE_S)
        wait_until("every job is over", lambda: all(job["state"] in FINISHED for job in client.list("/jobs")), SITE_S)
        wait_until("every mapping is served", self._is_served, SITE_S)

    def _is_served(self) -> bool:
        return all(one["state"] == "open" for one in self.appliance.client.list("/mappings"))

    def leftovers(self) -> list[str]:
        """What record, LVM and configfs do not tell alike, and what is neither as before nor as wanted."""
        client, machine = self.appliance.client, self.appliance.machine
        volumes = list(client.list("/volumes"))
        found = [f"{one['name']} is {one['state']}" for one in volumes if one["state"] != "ready"]
        found += [str(one) for one in client.get("/drift")["items"]]
        known = {one["id"] for one in (*volumes, *client.list("/deleted-volumes"))}
        cut = machine.check("lvs --noheadings -o lv_tags").replace(",", " ").split()
        tagged = {word.removeprefix("lunette.volume=") for word in cut if word.startswith("lunette.volume=")}
        found += [f"LVM only: {one}" for one in tagged - known] + [f"record only: {one}" for one in known - tagged]
        mapped = {one["volume_id"] for one in client.list("/mappings")}
        listed = machine.check("ls /sys/kernel/config/target/core/iblock_*").split()
        served = {word.removeprefix("lunette-") for word in listed if word.startswith("lunette-")}
        found += [f"served only: {one}" for one in served - mapped] + [f"not served: {one}" for one in mapped - served]
        return found

    def finish(self, request: JsonObject) -> None:
        """The same document once more, without any kill; it ends as it says. Then what was deleted is erased, so that
        the array never fills, and the pool of thin volumes is made again and again."""
        client = self.appliance.client
        there = {*(f"volume/{name}" for name in self.volumes())}
        there |= {f"mapping/{name}/host/{host}" for name, host in self.mappings().items()}
        again = {**request, "destroy": [one for one in request["destroy"] if one in there]}
        made = client.post("/site:apply", again)
        if "state" in made:  # a job, and no plan that changes nothing
            client.wait(made)
        assert sorted(self.volumes()) == [one["name"] for one in request["site"]["volumes"]]
        assert self.mappings() == {one["volume"]: one["host"] for one in request["site"]["mappings"]}
        for one in list(client.list("/deleted-volumes")):
            client.wait(client.delete(f"/deleted-volumes/{one['id']}"))


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    """On user-mode Linux."""
    with appliance(Uml("kills", disks=2, disk_mib=512)) as made:
        client = made.client
        disks = made.disk_ids("ubd")
        client.wait(client.post("/arrays", {"name": "tank", "engine": "md", "level": "raid1", "disks": disks}))
        client.wait(client.post("/volumes", {"name": "kept", "array": "tank", "size_bytes": 16 * MIB}))
        client.post("/hosts", {"name": "steady", "iqns": [STEADY]})
        client.post("/portals", {"name": "storage", "address": "0.0.0.0", "port": PORTAL_PORT})
        client.post("/mappings", {"volume": "kept", "host": "steady"})
        made_ready = Stage(made, random.Random())
        made_ready.settle()
        yield made_ready


def seeded(stage: Stage, rounds: int, capfd: pytest.CaptureFixture[str]) -> str:
    """How to have these sites again. It is told at once: a round that hangs tells nothing any more."""
    drawn = random.SystemRandom().randrange(1 << 32) if rounds > FEW else SEED
    seed = int(os.environ.get("LUNETTE_SEED") or drawn)
    stage.chance.seed(seed)
    with capfd.disabled():
        print(f"LUNETTE_SEED={seed}", file=sys.stderr, flush=True)
    return f"LUNETTE_SEED={seed}"


def writer(stage: Stage) -> Writer:
    """The steady host."""
    client = stage.appliance.client
    lun = next(one["lun"] for one in client.list("/mappings") if one["host"] == "steady")
    return Writer(stage.appliance, str(client.get("/hosts/steady")["target_iqn"]), int(lun))


@pytest.mark.parametrize("rounds", [FEW, pytest.param(34, marks=pytest.mark.slow)])
def test_killed_processes_leave_nothing_half_made_and_no_host_notices(
    stage: Stage, rounds: int, capfd: pytest.CaptureFixture[str]
) -> None:
    """Three kills each round."""
    again = seeded(stage, rounds, capfd)
    with writer(stage) as steady:
        for number in range(rounds):
            request = stage.request()
            stage.apply(request)
            for _ in range(3):
                stage.kill_a_process()
            stage.settle()
            assert stage.leftovers() == [], f"round {number} of {again}"
            stage.finish(request)
            assert stage.leftovers() == [], f"round {number} of {again}"
            assert steady.wrong == [], f"round {number} of {again}"
    assert steady.wrong == [], again
    assert steady.writes > 10 * rounds


@pytest.mark.parametrize("rounds", [1, 25])
@pytest.mark.slow
def test_a_killed_machine_comes_back_with_nothing_half_made(
    stage: Stage, rounds: int, capfd: pytest.CaptureFixture[str]
) -> None:
    """25 times in a shard of its own, with other sites in each run."""
    again = seeded(stage, rounds, capfd)
    for number in range(rounds):
        request = stage.request()
        stage.apply(request)
        time.sleep(stage.chance.uniform(0.0, 2.0))
        stage.appliance.machine.reset()
        stage.settle()
        assert stage.leftovers() == [], f"round {number} of {again}"
        stage.finish(request)
        assert stage.leftovers() == [], f"round {number} of {again}"
