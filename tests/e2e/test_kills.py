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
from tests.initiators.reservations import BLOCK_BYTES, GOOD, Nexus, logged_in
from tests.lab.appliance import Appliance, appliance
from tests.machines.pace import deadline
from tests.machines.uml import Uml

pytestmark = [pytest.mark.uml, pytest.mark.timeout(3400)]

MIB = 1 << 20
PORTAL_PORT = 3260
STEADY = "iqn.2026-01.com.example:steady"
NAMES = tuple(f"v{number}" for number in range(8))
HOSTS = ("red", "green", "blue")
UNITS = ("lunette-agent", "lunette-api", "lunette-agent lunette-api")
BLOCKS = 4096
"""So many the steady host writes in turn."""
FEW, SEED = 4, 672397080
"""So few rounds have the same sites in every run."""
SITE_S = 300.0


@dataclass
class Writer:
    """A host that writes numbered blocks for as long as it stands, each number once, and in the end reads back all of
    them; what was not right is in `wrong`. One that is `patient` logs in again when its session breaks.
    """

    appliance: Appliance
    target: str
    lun: int
    patient: bool = False
    wrong: list[str] = field(default_factory=list)
    acknowledged: dict[int, int] = field(default_factory=dict)
    """The number that each block holds."""
    cut_short: dict[int, int] = field(default_factory=dict)
    """Numbers of writes that were not acknowledged, by block: these blocks hold the old or the new number."""
    writes: int = 0
    checked: int = 0
    """Blocks that were read back in the end."""
    _over: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Writer:
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        machine = self.appliance.machine
        portal = f"{machine.address}:{machine.forward(PORTAL_PORT)}"
        end = float("inf")
        while not self.checked:
            if self._over.is_set():
                end = min(end, deadline(SITE_S))
            try:
                with logged_in(STEADY, portal, self.target, self.lun, session=1) as nexus:
                    while not self._over.wait(0.02):
                        self._write(nexus)
                    self.checked = sum(self._read_back(nexus, block) for block in list(self.acknowledged))
            except ConnectionError as error:
                if not self.patient or time.monotonic() > end:
                    self.wrong.append(str(error))
                    return
                time.sleep(0.5)

    def _write(self, nexus: Nexus) -> None:
        block, number = self.writes % BLOCKS, self.writes
        self.writes += 1
        self.cut_short[block] = number
        if (status := nexus.write(_stamp(number), block)) != GOOD:
            raise ConnectionError(f"a write of block {block} ended with status {status:#x}")
        self.acknowledged[block] = number
        del self.cut_short[block]
        self._read_back(nexus, (block * 7) % len(self.acknowledged))

    def _read_back(self, nexus: Nexus, block: int) -> bool:
        if block not in self.acknowledged:
            return False
        found, either = nexus.read(block), {self.acknowledged[block], self.cut_short.get(block, -1)}
        if found not in map(_stamp, either - {-1}):
            self.wrong.append(f"block {block} of write {self.acknowledged[block]} holds {found[:16]!r}")
        return True


def _stamp(number: int) -> bytes:
    """A block that holds a number."""
    return number.to_bytes(8, "big") * (BLOCK_BYTES // 8)


@dataclass(frozen=True)
class Scenario:
    """An appliance with an array, a volume of the steady host, and a portal."""

    appliance: Appliance
    chance: random.Random
    disks: list[str]
    """Two of the array that stays, and two of one that comes and goes."""

    def request(self) -> JsonObject:
        """A random site, and everything else named to go; the steady host and what it uses stay out of it."""
        chance = self.chance
        volumes = dict.fromkeys(sorted(chance.sample(NAMES, chance.randint(2, len(NAMES)))), "tank")
        arrays = [{"name": "more", "level": "raid1", "disks": self.disks[2:]}] if chance.random() < 0.5 else []
        if arrays:
            volumes["m0"] = "more"
        hosts = sorted(chance.sample(HOSTS, chance.randint(2, len(HOSTS))))
        owners = {name: chance.choice(hosts) for name in volumes if chance.random() < 0.7}
        kind = {"v0": "thin", "v1": "thin"}
        more = [{"name": "second", "address": "0.0.0.0", "port": PORTAL_PORT + 1}] if chance.random() < 0.5 else []
        site = {
            "arrays": arrays,
            "volumes": [
                {"name": name, "array": array, "size_bytes": 16 * MIB, "provisioning": kind.get(name, "thick")}
                for name, array in volumes.items()
            ],
            "hosts": [{"name": host, "iqns": [f"iqn.2026-01.com.example:{host}"]} for host in hosts],
            "portals": more,
            "mappings": [{"volume": name, "host": host} for name, host in owners.items()],
        }
        return {"site": site, "destroy": sorted(self.there() - _keys(site))}

    def there(self) -> set[str]:
        """The keys of what there is, without what the steady host uses."""
        client = self.appliance.client
        mappings = [one for one in client.list("/mappings") if one["volume"] != "kept"]
        return {
            *(f"array/{one['name']}" for one in client.list("/arrays") if one["name"] != "tank"),
            *(f"volume/{one['name']}" for one in client.list("/volumes") if one["name"] != "kept"),
            *(f"host/{one['name']}" for one in client.list("/hosts") if one["name"] != "steady"),
            *(f"portal/{one['name']}" for one in client.list("/portals") if one["name"] != "storage"),
            *(f"mapping/{one['volume']}/host/{one['host']}" for one in mappings),
        }

    def take_a_snapshot(self, request: JsonObject) -> None:
        """Of a thin volume that stays, if there is one; it may be refused, or not be heard."""
        stay = {one["name"] for one in request["site"]["volumes"]} & {"v0", "v1"}
        with contextlib.suppress(Refused, Unreachable):
            for name in sorted(stay)[:1]:
                self.appliance.client.post("/snapshots", {"name": f"of-{name}", "volume": name})

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
        snapshots = {one["id"] for noun in ("/snapshots", "/deleted-snapshots") for one in client.list(noun)}
        marked = {word.removeprefix("lunette.snapshot=") for word in cut if word.startswith("lunette.snapshot=")}
        found += [f"of snapshots: {one}" for one in snapshots ^ marked]
        disks = " ".join(f"/dev/disk/by-id/{disk}" for disk in self.disks)
        arrays = {one["uuid"] for one in client.list("/arrays")}
        for scan in ("--detail --scan", f"--examine --brief {disks}"):  # of disks: reading volumes counts as their use
            found += [f"mdadm {scan}: {one}" for one in self._md(scan) ^ arrays]
        mapped = {one["volume_id"] for one in client.list("/mappings")}
        listed = machine.check("ls /sys/kernel/config/target/core/iblock_*").split()
        served = {word.removeprefix("lunette-") for word in listed if word.startswith("lunette-")}
        found += [f"served only: {one}" for one in served - mapped] + [f"not served: {one}" for one in mapped - served]
        return found

    def _md(self, scan: str) -> set[str]:
        """The UUIDs of the arrays that mdadm tells of, in plain hex."""
        words = self.appliance.machine.check(f"mdadm {scan}").split()
        return {word.removeprefix("UUID=").replace(":", "") for word in words if word.startswith("UUID=")}

    def finish(self, request: JsonObject) -> None:
        """The same document once more, without any kill; it ends as it says. Then what was deleted is erased, so that
        the array never fills, and the pool of thin volumes is made again and again."""
        client = self.appliance.client
        for snapshot in list(client.list("/snapshots")):
            client.wait(client.delete(f"/snapshots/{snapshot['id']}"))
        there = self.there()
        again = {**request, "destroy": [one for one in request["destroy"] if one in there]}
        made = client.post("/site:apply", again)
        if "state" in made:  # a job, and no plan that changes nothing
            client.wait(made)
        assert self.there() == _keys(request["site"])
        assert client.post("/site:apply", {"site": request["site"]})["changes"] == [], "there is nothing left to do"
        for noun in ("/deleted-snapshots", "/deleted-volumes"):
            for one in list(client.list(noun)):
                client.wait(client.delete(f"{noun}/{one['id']}"))


def _keys(site: JsonObject) -> set[str]:
    """Of everything in a site, as `destroy` names it."""
    named = {"arrays": "array", "volumes": "volume", "hosts": "host", "portals": "portal"}
    keys = {f"{noun}/{one['name']}" for section, noun in named.items() for one in site[section]}
    return keys | {f"mapping/{one['volume']}/host/{one['host']}" for one in site["mappings"]}


@pytest.fixture(scope="module")
def scenario() -> Iterator[Scenario]:
    """On user-mode Linux."""
    with appliance(Uml("kills", disks=4, disk_mib=512)) as made:
        client = made.client
        disks = made.disk_ids("ubd")
        client.wait(client.post("/arrays", {"name": "tank", "engine": "md", "level": "raid1", "disks": disks[:2]}))
        client.wait(client.post("/volumes", {"name": "kept", "array": "tank", "size_bytes": 16 * MIB}))
        client.post("/hosts", {"name": "steady", "iqns": [STEADY]})
        client.post("/portals", {"name": "storage", "address": "0.0.0.0", "port": PORTAL_PORT})
        client.post("/mappings", {"volume": "kept", "host": "steady"})
        made_ready = Scenario(made, random.Random(), disks)
        made_ready.settle()
        yield made_ready


def seeded(scenario: Scenario, rounds: int, capfd: pytest.CaptureFixture[str]) -> str:
    """How to reproduce these rounds. It is printed at once, because a round that hangs prints nothing later."""
    drawn = random.SystemRandom().randrange(1 << 32) if rounds > FEW else SEED
    seed = int(os.environ.get("LUNETTE_SEED") or drawn)
    scenario.chance.seed(seed)
    with capfd.disabled():
        print(f"LUNETTE_SEED={seed}", file=sys.stderr, flush=True)
    return f"LUNETTE_SEED={seed}"


def writer(scenario: Scenario, *, patient: bool = False) -> Writer:
    """The steady host."""
    client = scenario.appliance.client
    lun = next(one["lun"] for one in client.list("/mappings") if one["host"] == "steady")
    return Writer(scenario.appliance, str(client.get("/hosts/steady")["target_iqn"]), int(lun), patient)


def judged(steady: Writer, again: str, least: int) -> None:
    """Every block that was acknowledged holds its number, and there were enough of them."""
    assert steady.wrong == [], again
    assert steady.checked == len(steady.acknowledged) > least, again


@pytest.mark.parametrize("rounds", [FEW, pytest.param(34, marks=pytest.mark.slow)])
def test_killed_processes_leave_nothing_half_made_and_no_host_notices(
    scenario: Scenario, rounds: int, capfd: pytest.CaptureFixture[str]
) -> None:
    """Three kills each round."""
    again = seeded(scenario, rounds, capfd)
    with writer(scenario) as steady:
        for number in range(rounds):
            request = scenario.request()
            scenario.take_a_snapshot(request)
            scenario.apply(request)
            for _ in range(3):
                scenario.kill_a_process()
            scenario.settle()
            assert scenario.leftovers() == [], f"round {number} of {again}"
            scenario.finish(request)
            assert scenario.leftovers() == [], f"round {number} of {again}"
            assert steady.wrong == [], f"round {number} of {again}"
    judged(steady, again, 10 * rounds)


@pytest.mark.parametrize("rounds", [2, pytest.param(30, marks=pytest.mark.slow)])
def test_a_killed_machine_comes_back_with_nothing_half_made_and_all_that_a_host_wrote(
    scenario: Scenario, rounds: int, capfd: pytest.CaptureFixture[str]
) -> None:
    """30 times in a shard of its own, with other sites in each run."""
    again = seeded(scenario, rounds, capfd)
    with writer(scenario, patient=True) as steady:
        for number in range(rounds):
            request = scenario.request()
            scenario.take_a_snapshot(request)
            scenario.apply(request)
            time.sleep(scenario.chance.uniform(0.0, 2.0))
            scenario.appliance.machine.reset()
            scenario.settle()
            assert scenario.leftovers() == [], f"round {number} of {again}"
            scenario.finish(request)
            assert scenario.leftovers() == [], f"round {number} of {again}"
            assert steady.wrong == [], f"round {number} of {again}"
    judged(steady, again, 10 * rounds)
