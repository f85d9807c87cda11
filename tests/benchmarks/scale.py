"""`python -m tests.benchmarks.scale [VOLUMES[,VOLUMES…] HOSTS]`: the API and the page on a large site.

The API runs natively, without TLS, over a SQLite database of that many rows, with an agent that reports all of it as
served. First each list is requested over loopback; then, at the last size, headless Chromium opens the built page
(`npm --prefix frontend run build`), scrolls the table of the volumes and the mapping matrix from end to end, and
reports when it first showed rows and how long its longest frame took.

Each size has a process of its own. The report compares the figures of the largest size with those of the smallest, and
says by which power of the number of volumes they grow. `tests.benchmarks.exports` compares LIO with bare system calls
and rtslib.
"""

import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

import httpx2
from cryptography.fernet import Fernet

from backend.tests.databases import fresh_file
from backend.tests.wiring import add_token, add_user, make_services, serving
from lunette.api.requests.services import ApiServices
from lunette.domain.roles import Role
from lunette.engine.control import Control
from lunette.store.database import Store
from lunette.store.secrets import SecretBox
from tests.benchmarks.output import print_kernel, print_table
from tests.benchmarks.scale_site import ServingAgent, fill
from tests.run.command import ROOT

SIZES, HOSTS = (1_000, 10_000), 500
PASSWORD = "scale-of-the-moon"
ROUNDS = 20
PAGE = ROOT / "frontend/dist"
RESIDENT = "the API and the agent that pretends"
_BROWSER_DEADLINE_S = 600
Result = TypeVar("Result")


@dataclass(frozen=True)
class Figures:
    """Of one size. The medians in ms, by the name of the list."""

    times: dict[str, float]
    costs: dict[str, float]
    resident_mib: float


def lists(volumes: int) -> Iterator[tuple[str, str]]:
    """What the page asks for: name and path."""
    middle = volumes // 2
    for sort in ("name", "-size_bytes", "state", "naa", "-created_at"):
        yield f"50 volumes by {sort}", f"/volumes?limit=50&sort={sort}"
    yield "50 volumes from the middle", f"/volumes?limit=50&offset={middle}&sort=name"
    yield "50 volumes by size, from the middle", f"/volumes?limit=50&offset={middle}&sort=size_bytes"
    yield "50 volumes that match *99*", "/volumes?limit=50&sort=name&name=*99*"
    yield "50 volumes of one host", "/volumes?limit=50&sort=name&host=esx007"
    yield "1,000 volumes", "/volumes?limit=1000&sort=name"
    yield "50 hosts", "/hosts?limit=50&sort=name"
    yield "500 hosts", "/hosts?limit=500&sort=name"
    yield "50 mappings", "/mappings?limit=50"
    yield "50 mappings from the middle", f"/mappings?limit=50&offset={middle}"
    yield "1,000 mappings", "/mappings?limit=1000"
    yield "50 sessions", "/sessions?limit=50&sort=host"
    yield "50 events", "/events?limit=50"
    yield "arrays", "/arrays?limit=50"
    yield "status", "/status"
    yield "search for a name", "/search?text=lun0099"
    yield "search for a part of each name", "/search?text=un0"
    yield "search for an NAA that is not there", "/search?text=naa.60014050000000000000000000000000"


def plans() -> Iterator[tuple[str, str, dict[str, object]]]:
    """Changes that are planned and rehearsed on the whole site, and not made: name, path and body."""
    batch = {"array": "tank", "name_pattern": "new%03d", "count": 100, "size_bytes": "1GiB"}
    yield "plan of 100 volumes", "/volumes:create-batch", batch
    yield "plan of one more mapping", "/mappings", {"volume": "lun00002", "host": "esx001", "shared": True}


def main(sizes: Sequence[int], hosts: int) -> int:
    """Measures each size, then tells how they compare; of a run that fails, what there is."""
    print_kernel(platform.release())
    found: list[Figures] = []
    try:
        found.extend(_alone(measure, size, hosts, page=size == sizes[-1]) for size in sizes)
    finally:
        if found:
            done = sizes[: len(found)]
            compare("Median time, in ms", done, [one.times for one in found])
            compare("Median processor time, in ms", done, [one.costs for one in found])
            compare("Resident memory, in MiB", done, [{RESIDENT: one.resident_mib} for one in found])
    return 0


def _alone(call: Callable[..., Result], *given: object, **named: object) -> Result:
    """The result of a call in a process of its own, which allocates memory as the services do."""
    os.environ.setdefault("MALLOC_ARENA_MAX", "1")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(call, *given, **named).result()


def _prepared(url: str, volumes: int, hosts: int) -> ServingAgent:
    """Fills the database. Returns an agent that serves it."""
    agent, store = ServingAgent(), Store.open(url, SecretBox(Fernet.generate_key()))
    fill(store, volumes, hosts)
    agent.look_at(store)
    return agent


def measure(volumes: int, hosts: int, *, page: bool = False) -> Figures:
    """Serves a database that another process filled, whose memory is not measured, and measures."""
    with tempfile.TemporaryDirectory(prefix="lunette-scale-") as folder:
        url, started = fresh_file(Path(folder)), time.monotonic()
        agent = _alone(_prepared, url, volumes, hosts)
        made = make_services(Path(folder), agent, url, ui=PAGE if page and PAGE.is_dir() else None)
        print(f"{volumes:,} volumes, {hosts:,} hosts: {time.monotonic() - started:.1f} s to write", flush=True)
        add_user(made.store, "admin", Role.ADMINISTRATOR, PASSWORD)
        token = add_token(made.store, Role.ADMINISTRATOR)
        # As on an appliance: the tests' pace would keep its watchers at work all the time.
        services = ApiServices(**{**vars(made), "control": Control(made.store, agent)})
        with serving(services) as (url, _server):
            times, costs = measure_lists(url, token, volumes)
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            resident_mib = pages * os.sysconf("SC_PAGESIZE") / (1 << 20)
            if page:
                measure_page(url, volumes)
            return Figures(times, costs, resident_mib)


def measure_lists(
    url: str, token: str, volumes: int, rounds: int = ROUNDS
) -> tuple[dict[str, float], dict[str, float]]:
    """For each list and plan by its name the median time in ms, and that of what it cost the processors.

    CPU time is reported because it hardly depends on other load on the machine; it includes that of the requests.
    """
    times, costs = {}, {}
    with httpx2.Client(base_url=f"{url}/api/v1", headers={"Authorization": f"Bearer {token}"}, timeout=60) as http:
        deadline = time.monotonic() + 60
        while http.get("/volumes?limit=1").json()["items"][0]["export"]["state"] != "open":
            if time.monotonic() > deadline:
                raise TimeoutError("the exports did not open")
            time.sleep(0.2)
        asked: list[tuple[str, str, dict[str, object] | None]] = [(*one, None) for one in lists(volumes)]
        print(f"\n{'list':<40}{'median':>11}{'longest':>11}{'processor':>11}{'kB':>7}")
        for name, path, body in (*asked, *plans()):
            took, cost, size = [], [], 0
            for _ in range(rounds):
                began, spent = time.perf_counter(), time.process_time()
                answer = http.get(path) if body is None else http.post(path, params={"dry_run": True}, json=body)
                took.append((time.perf_counter() - began) * 1000)
                cost.append((time.process_time() - spent) * 1000)
                if answer.is_error:
                    raise RuntimeError(f"{path}: {answer.text}")
                size = len(answer.content)
            times[name], costs[name] = statistics.median(took), statistics.median(cost)
            figures = (times[name], max(took), costs[name])
            print(f"{name:<40}" + "".join(f"{one:>8.1f} ms" for one in figures) + f"{size // 1000:>7}", flush=True)
    return times, costs


def compare(title: str, sizes: Sequence[int], found: Sequence[Mapping[str, float]]) -> None:
    """Tells each figure at every size, the ratio of the largest to the smallest, and the exponent that this means."""
    several = len(sizes) > 1
    rows = []
    for name in found[0]:
        values = [one[name] for one in found]
        ratio = values[-1] / values[0]
        grows = (f"{ratio:.2f}", f"{math.log(ratio) / math.log(sizes[-1] / sizes[0]):.2f}") if several else ()
        rows.append([name, *(f"{value:,.1f}" for value in values), *grows])
    print_table(title, ["", *(f"{size:,}" for size in sizes), *(("ratio", "power") if several else ())], rows)


def measure_page(url: str, volumes: int) -> None:
    """Has the browser open and scroll the page, and tells what it found."""
    title = f"The page, with {volumes:,} volumes"
    if not PAGE.is_dir():
        print_table(title, ("what", "result"), [("not measured: frontend/dist is not built", "")])
        return
    argv = ["node", "scripts/scale.mjs"]
    env = {**os.environ, "LUNETTE_URL": url, "LUNETTE_PASSWORD": PASSWORD}
    ran = subprocess.run(
        argv,
        cwd=ROOT / "frontend",
        env=env,
        stdout=subprocess.PIPE,
        text=True,
        timeout=_BROWSER_DEADLINE_S,
        check=True,
    )
    print_table(title, ("what", "result"), [(row["what"], row["value"]) for row in json.loads(ran.stdout)])


if __name__ == "__main__":
    given = sys.argv[1:] or [",".join(map(str, SIZES)), str(HOSTS)]
    sys.exit(main([int(one) for one in given[0].split(",")], int(given[1])))
