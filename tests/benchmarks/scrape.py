"""`python -m tests.benchmarks.scrape [VOLUMES…]`: how long a scrape of /metrics takes, and how large it is.

No guest: the API as a process of this machine, over HTTP, with as many volumes in its database and a host that is
logged in for every eight. Behind the agent's socket is a process that answers the counters of so many volumes at once:
reading /proc and configfs is not in the numbers; carrying, naming and writing them is. The best of five counts, by the
processor's time of API and scraper, which says the same on a machine that does something else as well.
"""

import multiprocessing
import platform
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import httpx2
from sqlalchemy import insert

from backend.tests.wiring import AwayAgent, add_token, make_services, serving
from lunette.agent.requests import answers
from lunette.agent.server import Server, allowed_uids, listen
from lunette.domain.agent_protocol import ObserveCounters
from lunette.domain.counters import ArrayCounters, BlockCounters, Counters, LunCounters, SessionCounters
from lunette.domain.identity import IdentitySource
from lunette.domain.mappings import Protocol
from lunette.domain.roles import Role
from lunette.store.database import Store
from lunette.store.resources import Array, Host, HostInitiator, Volume
from lunette.system.agent_client import AgentClient
from tests.benchmarks.output import print_kernel, print_table

SIZES = (10, 100, 1_000, 3_000, 10_000)
TIMES = 5
PER_HOST = 8
_IO = BlockCounters(
    reads=123_456_789,
    read_bytes=12_345_678_900,
    writes=987_654_321,
    write_bytes=98_765_432_100,
    read_ms=1_234_567,
    write_ms=7_654_321,
    in_flight=7,
    busy_ms=3_456_789,
    discards=12_345,
    discard_bytes=123_456_789,
    flushes=4_321,
)
_ARRAY = {
    "id": "tank",
    "name": "tank",
    "state": "ready",
    "engine": "md",
    "level": "raid5",
    "uuid": "0" * 32,
    "engine_name": "tank",
    "group_name": "tank",
    "write_hole": "none",
    "member_bytes": 1 << 40,
    "size_bytes": 7 << 40,
}
_LUN = LunCounters(commands=1_111_111_110, read_bytes=12_345_671_680, write_bytes=98_764_328_960)


class CountingAgent(AwayAgent):
    """Knows the counters of some volumes and nothing else."""

    def __init__(self, volumes: list[str]) -> None:
        hosts = range(0, len(volumes), PER_HOST)
        self._sessions = tuple(
            SessionCounters(
                target=f"iqn.2026-11.io.lunette:{at}",
                initiator=_initiator(at),
                protocol=Protocol.ISCSI,
                volumes=dict.fromkeys(volumes[at : at + PER_HOST], _LUN),
            )
            for at in hosts
        )
        self._volumes = dict.fromkeys(volumes, _IO)

    @answers(ObserveCounters)
    def counters(self) -> Counters:
        return Counters(
            taken_at=time.time(),
            clock_s=time.monotonic(),
            disks={"sda": _IO},
            volumes=self._volumes,
            arrays={"tank": ArrayCounters(io=_IO)},
            sessions=self._sessions,
            ports=(),
        )


@dataclass(frozen=True)
class Scrape:
    volumes: int
    seconds: float
    cpu_seconds: float
    size_bytes: int
    samples: int

    @property
    def per_sample(self) -> float:
        """Seconds of the processor."""
        return self.cpu_seconds / self.samples


def main(sizes: list[int]) -> int:
    """Measures each size and tells one table."""
    print_kernel(platform.release())
    found: list[Scrape] = []
    for size in sizes:
        print(f"  … {size:,} volumes", flush=True)
        found.append(_measure(size))
    print_table(
        "A scrape",
        ("volumes", "seconds", "of a CPU", "bytes", "samples", "CPU µs per sample", "ratio"),
        [
            (
                f"{one.volumes:,}",
                f"{one.seconds:.3f}",
                f"{one.cpu_seconds:.3f}",
                f"{one.size_bytes:,}",
                f"{one.samples:,}",
                f"{one.per_sample * 1e6:.2f}",
                f"{one.per_sample / found[0].per_sample:.2f}",
            )
            for one in found
        ],
    )
    return 0


def _measure(size: int) -> Scrape:
    with tempfile.TemporaryDirectory(prefix="lunette-scrape-") as name:
        folder, socket = Path(name), f"{name}/agent.sock"
        services = make_services(folder, AgentClient(socket))
        agent = multiprocessing.Process(target=_serve, args=(socket, _fill(services.store, size)), daemon=True)
        agent.start()
        try:
            token = add_token(services.store, Role.METRICS)
            with serving(services) as (url, _), httpx2.Client(base_url=url, timeout=120) as http:
                services.control.performance.stop()
                services.control.performance.fresh_s = 0.0
                return min((_scrape(http, token, size) for _ in range(TIMES)), key=lambda one: one.cpu_seconds)
        finally:
            agent.terminate()
            agent.join()


def _scrape(http: httpx2.Client, token: str, size: int) -> Scrape:
    began, spent = time.monotonic(), time.process_time()
    answer = http.get("/metrics", headers={"Authorization": f"Bearer {token}"})
    took, cpu = time.monotonic() - began, time.process_time() - spent
    lines = [line for line in answer.text.splitlines() if not line.startswith("#")]
    reported = sum(line.startswith("lunette_volume_reads_total") for line in lines)
    if answer.status_code != 200 or reported != size:
        raise RuntimeError(f"{answer.status_code}: {reported} volumes were told of {size}")
    return Scrape(size, took, cpu, len(answer.content), len(lines))


def _serve(path: str, volumes: list[str]) -> None:
    Server(CountingAgent(volumes), listen(path), allowed_uids()).serve()


def _initiator(at: int) -> str:
    return f"iqn.2026-01.com.example:host{at:05}"


def _fill(store: Store, size: int) -> list[str]:
    """An array, volumes and hosts as rows; the ids of the volumes."""
    ids = IdentitySource()
    with store.write() as tx:
        tx.execute(insert(Array), [_ARRAY])
        rows = [
            {
                "id": ids.id(),
                "name": f"volume{n:05}",
                "state": "ready",
                "array_id": "tank",
                "size_bytes": 4 << 20,
                "provisioning": "thick",
                "backing_name": f"v{n}",
                **ids.volume().model_dump(),
            }
            for n in range(size)
        ]
        tx.execute(insert(Volume), rows)
        hosts = [{"id": ids.id(), "name": f"host{at:05}", "os_type": "linux"} for at in range(0, size, PER_HOST)]
        tx.execute(insert(Host), hosts)
        names = [
            {"id": ids.id(), "host_id": host["id"], "kind": "iqn", "name": _initiator(PER_HOST * n)}
            for n, host in enumerate(hosts)
        ]
        tx.execute(insert(HostInitiator), names)
    return [str(row["id"]) for row in rows]


if __name__ == "__main__":
    sys.exit(main([int(text) for text in sys.argv[1:]] or list(SIZES)))
