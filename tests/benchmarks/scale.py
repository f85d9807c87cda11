"""`python -m tests.benchmarks.scale [VOLUMES HOSTS]`: the API and the page on a large site.

The API runs natively, with TLS left out, over a SQLite database of that many rows; below it stands an agent that says
all of it is served. First each list is asked for over loopback, then headless Chromium opens the built page (make it
with `npm --prefix frontend run build`), scrolls the table of the volumes and the mapping matrix from end to end, and
tells when it first showed rows and how long its longest frame took.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2

from backend.tests.wiring import add_token, add_user, make_parts, serving
from lunette.api.parts import Parts
from lunette.domain.roles import Role
from lunette.engine.control import Control
from tests.benchmarks.scale_site import ServingAgent, fill
from tests.run.command import ROOT

VOLUMES, HOSTS = 10_000, 500
PASSWORD = "scale-of-the-moon"
ROUNDS = 20
PAGE = ROOT / "frontend/dist"
_BROWSER_DEADLINE_S = 600


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


def main(volumes: int, hosts: int) -> int:
    """Fills the database, serves it, measures, prints two tables."""
    with tempfile.TemporaryDirectory(prefix="lunette-scale-") as folder:
        agent = ServingAgent()
        made = make_parts(Path(folder), agent, ui=PAGE if PAGE.is_dir() else None)
        started = time.monotonic()
        fill(made.store, volumes, hosts)
        agent.look_at(made.store)
        print(f"{volumes:,} volumes, {hosts:,} hosts: {time.monotonic() - started:.1f} s to write", flush=True)
        add_user(made.store, "admin", Role.ADMINISTRATOR, PASSWORD)
        token = add_token(made.store, Role.ADMINISTRATOR)
        # As on an appliance: the tests' pace would keep its watchers at work all the time.
        parts = Parts(**{**vars(made), "control": Control(made.store, agent)})
        with serving(parts) as (url, _server):
            measure_lists(url, token, volumes)
            return measure_page(url) if PAGE.is_dir() else 0


def measure_lists(url: str, token: str, volumes: int, rounds: int = ROUNDS) -> None:
    """Prints for each list the median and the longest time, and the median of what it cost this process's processors.

    The processor's time is told because it hardly depends on what else the machine does; asking is a part of it.
    """
    with httpx2.Client(base_url=f"{url}/api/v1", headers={"Authorization": f"Bearer {token}"}, timeout=60) as http:
        deadline = time.monotonic() + 60
        while http.get("/volumes?limit=1").json()["items"][0]["export"]["state"] != "open":
            if time.monotonic() > deadline:
                raise TimeoutError("the exports did not open")
            time.sleep(0.2)
        print(f"\n{'list':<40}{'median':>11}{'longest':>11}{'processor':>11}{'kB':>7}")
        for name, path in lists(volumes):
            took, cost, size = [], [], 0
            for _ in range(rounds):
                began, spent = time.perf_counter(), time.process_time()
                answer = http.get(path)
                took.append((time.perf_counter() - began) * 1000)
                cost.append((time.process_time() - spent) * 1000)
                answer.raise_for_status()
                size = len(answer.content)
            figures = (statistics.median(took), max(took), statistics.median(cost))
            print(f"{name:<40}" + "".join(f"{one:>8.1f} ms" for one in figures) + f"{size // 1000:>7}", flush=True)


def measure_page(url: str) -> int:
    """Has the browser open and scroll the page, and prints what it tells."""
    argv = ["node", "scripts/scale.mjs"]
    env = {**os.environ, "LUNETTE_URL": url, "LUNETTE_PASSWORD": PASSWORD}
    ran = subprocess.run(
        argv,
        cwd=ROOT / "frontend",
        env=env,
        stdout=subprocess.PIPE,
        text=True,
        timeout=_BROWSER_DEADLINE_S,
        check=False,
    )
    if ran.returncode:
        return ran.returncode
    print(f"\n{'page':<58}{'result':>10}")
    for row in json.loads(ran.stdout):
        print(f"{row['what']:<58}{row['value']:>10}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*([int(word) for word in sys.argv[1:]] or (VOLUMES, HOSTS))))
